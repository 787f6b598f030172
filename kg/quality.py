"""Findings of the quality queries: doubts about what is recorded, which never change what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kg.rows import IRI

__all__ = ["QualityFinding"]


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
        said = "; ".join(
            f"{name}: {value}" for name, value in self.row.items() if value is not None and not isinstance(value, IRI)
        )
        return f"{self.query.partition('/')[2]}: {self.summary} ({said})"
