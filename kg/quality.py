"""Findings of the quality queries: doubts about what is recorded, which never change what is recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kg.rows import IRI

__all__ = ["QualityFinding", "first_line", "line_range"]

_LINES = re.compile(r"line=([0-9]+),([0-9]+)")


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """A row of a quality query: what was found, how much it matters and how to mend it.

    ``row`` has the query's columns by name, None where unbound.
    """

    query: str
    severity: str
    summary: str
    mend: str
    row: Mapping[str, Any]

    @property
    def touches(self) -> frozenset[str]:
        """The IRIs that the finding is about."""
        return frozenset(value for value in self.row.values() if isinstance(value, IRI))

    def __str__(self) -> str:
        said = [
            f"{_words(name)}: {value}"
            for name, value in self.row.items()
            if value is not None and not isinstance(value, IRI) and not name.lower().endswith("lines")
        ]
        said += [
            f"{place} of {self.row.get(page)}"
            for lines, page in (("lines", "page"), ("otherLines", "otherPage"))
            if (place := line_range(self.row.get(lines)))
        ]
        return f"{self.query.partition('/')[2]}: {self.summary} ({'; '.join(said)}). {self.mend}"


def _words(column: str) -> str:
    """Return the name of a column as words.

    >>> _words("bestOwnRank")
    'best own rank'
    """
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: f" {found[1].lower()}", column)


def line_range(fragment: str | None) -> str:
    """Return an RFC 5147 fragment, which counts the positions between lines, as the lines that it covers.

    >>> line_range("line=127,136"), line_range("line=41,42"), line_range(None)
    ('lines 128-136', 'line 42', '')
    """
    found = _LINES.fullmatch(fragment or "")
    if found is None:
        return ""
    first, last = int(found[1]) + 1, int(found[2])
    return f"line {last}" if first == last else f"lines {first}-{last}"


def first_line(fragment: str | None) -> int:
    """Return the number of the first line that an RFC 5147 fragment covers, 0 where it is none.

    >>> first_line("line=127,136"), first_line(None)
    (128, 0)
    """
    found = _LINES.fullmatch(fragment or "")
    return int(found[1]) + 1 if found else 0
