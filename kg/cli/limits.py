"""How long a question may take: the database cannot be told to stop, so the process ends instead."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from math import isfinite
from threading import TIMEOUT_MAX, Thread
from typing import NoReturn, TypeVar

from kg.cli import INTERRUPTED
from kg.cli.output import say
from kg.errors import BenchkgError, Misuse

__all__ = ["answer_within", "check_limit"]

T = TypeVar("T")


def check_limit(seconds: float | None) -> None:
    """Raise Misuse where a limit is no time that one can wait; None means that there is no limit."""
    if seconds is not None and not (isfinite(seconds) and 0 < seconds <= TIMEOUT_MAX):
        raise Misuse(f"--time-limit {seconds:g}: give a number of seconds above 0, such as 30.")


def answer_within(seconds: float | None, ask: Callable[[], T]) -> T:
    """Return what a question answers, or raise what it raises; ``seconds`` is the limit, None for no limit.

    The process ends where the limit is over, and on Ctrl-C. An evaluation that runs in the database
    hears of neither, and would go on at full load; so a thread asks, and this one waits.
    """
    answers: list[T] = []
    faults: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(ask())
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            faults.append(error)

    asking = Thread(target=work, daemon=True)
    try:
        asking.start()
        asking.join(seconds)
    except KeyboardInterrupt:
        _end("Interrupted; what was there before is as it was.", INTERRUPTED)
    for fault in faults:
        raise fault
    if not answers:
        _end(
            f"Error: no answer within {seconds:g} s, and the query was stopped. Ask for less, or raise --time-limit.",
            BenchkgError.exit_code,
        )
    return answers[0]


def _end(message: str, code: int) -> NoReturn:
    """Say why and end at once: leaving in the usual way would take apart what the evaluation still uses."""
    say(message, style="red", always=True)
    sys.stdout.flush()
    os._exit(code)
