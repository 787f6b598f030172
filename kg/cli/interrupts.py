"""Ctrl-C while modules are imported."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from kg.cli import INTERRUPTED

__all__ = ["leaving_at_once"]


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """End the process where Ctrl-C is pressed in the block, which does nothing but import modules.

    A KeyboardInterrupt would not do there: importing runs code that turns any exception into
    another one (``__set_name__``), or prints it and goes on (callbacks of weak references).
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # a job in the background ignores it, and a host has its own
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
