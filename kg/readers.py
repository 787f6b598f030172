"""Processes that read slices of pages beside this one, or this one alone."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

from kg.errors import BenchkgError

__all__ = ["Readers", "readers"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Readers:
    """``workers`` processes; with one, the work is done here and at once."""

    def __init__(self, workers: int, pool: ProcessPoolExecutor | None) -> None:
        self.workers = workers
        self._pool = pool

    def submit(self, task: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Have a function of a module called, and return its result to come."""
        if self._pool is not None:
            return self._pool.submit(task, *args, **kwargs)
        done: Future[_T] = Future()
        done.set_result(task(*args, **kwargs))
        return done


@contextmanager
def readers(workers: int) -> Iterator[Readers]:
    """Give as many processes as asked for; raises BenchkgError where one is ended from outside."""
    if workers <= 1:
        yield Readers(1, None)
        return
    pool = ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context(_start_method()), initializer=_collect_seldom
    )
    try:
        with pool:
            with _interrupts_held():
                pool.submit(bool)  # all processes start with the first task
            yield Readers(workers, pool)
    except BrokenProcessPool as error:
        raise BenchkgError("A worker process was ended from outside; try again with fewer --workers.") from error


def _collect_seldom() -> None:
    """Look for unreachable cycles seldom: pages make many objects and hardly a cycle, and looking takes time."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


def _start_method() -> str:
    """Return how to start processes: as copies of this one while it is small, which takes no time, else anew.

    A copy has only the thread that made it, so what another thread held would stay locked there.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return "spawn"
    threads = sum(1 for _ in Path("/proc/self/task").iterdir())
    return "fork" if threads == 1 else "spawn"


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Leave an interrupt from the keyboard, which all processes get, to this one: those started here never see it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
