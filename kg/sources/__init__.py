"""Reading benchmark pages: one module a format, recognised by content and never by file name."""

from __future__ import annotations

from collections.abc import Callable

from kg.model import Lines, Problem, Reading, Severity
from kg.sources import sota2, sota2_paper

__all__ = ["parse"]

_FORMATS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes, str], Reading]], ...] = (
    (sota2_paper.can_parse, sota2_paper.parse),
    (sota2.can_parse, sota2.parse),
)


def parse(data: bytes, file: str) -> Reading:
    """Read one page from its bytes; ``file`` names it in messages and nowhere else.

    What cannot be read is a problem of the reading, never an exception.
    """
    for recognises, reads in _FORMATS:
        if recognises(data):
            return reads(data, file)
    problem = Problem(
        "not-a-benchmark-page",
        Severity.ERROR,
        "this is no benchmark page of a known format; a sota2 page has a title line, a Source line and a scope table, "
        "as UTF-8 text",
        (Lines(1, 1),),
        file=file,
    )
    return Reading(file, None, (problem,))
