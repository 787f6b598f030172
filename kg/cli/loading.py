"""While modules are imported: Ctrl-C ends the process in silence, and nobody looks for garbage."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from kg.cli import INTERRUPTED

__all__ = ["loading"]


@contextmanager
def loading() -> Iterator[None]:
    """Give a block that does nothing but import modules.

    A KeyboardInterrupt would not do there: importing runs code that turns any exception into
    another one (``__set_name__``), or prints it and goes on (callbacks of weak references). So the
    process ends at once. What modules make as they load stays; the garbage collector would look
    through all of it several times.
    """
    collecting, before = gc.isenabled(), signal.getsignal(signal.SIGINT)
    ours = before is signal.default_int_handler  # a job in the background ignores Ctrl-C, and a host has its own way
    gc.disable()
    if ours:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, before)
        if collecting:
            gc.enable()
