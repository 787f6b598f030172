"""Errors a user can act on; everything else is a bug and keeps its traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kg.model import Problem

__all__ = [
    "AmbiguousName",
    "ArchiveError",
    "BenchkgError",
    "FetchError",
    "Misuse",
    "NothingRead",
    "StoreBusy",
    "StoreError",
    "UnknownName",
]


class BenchkgError(Exception):
    """A fault with a message that says what is wrong and how to mend it.

    ``exit_code`` is what the command line returns for it: 1 when there are findings, 2 for
    misuse or when nothing could be read, 3 when a fetch was refused or failed.
    """

    exit_code = 2


class Misuse(BenchkgError):
    """A wrong argument, option, parameter, query or file."""


class NothingRead(BenchkgError):
    """None of the sources given could be read; ``problems`` tells why, one record each."""

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class StoreError(BenchkgError):
    """The store on disk cannot be opened or written (its message names the path and the mend)."""


class StoreBusy(StoreError):
    """Another process is writing to the store."""


class ArchiveError(BenchkgError):
    """The archive of pages cannot be read or written (its message names the path and the mend)."""


class FetchError(BenchkgError):
    """A page could not be fetched."""

    exit_code = 3


class UnknownName(Misuse):
    """No node of the kind asked for has this name; ``suggestions`` are the nearest labels."""

    def __init__(self, message: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.suggestions = suggestions


class AmbiguousName(Misuse):
    """Several nodes have this name; ``candidates`` are their IRIs."""

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates
