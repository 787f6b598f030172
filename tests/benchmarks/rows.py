"""What a benchmark found: one row a ratio or a number, with what it should be."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["AtLeast", "AtMost", "Row", "as_json", "as_line", "as_table"]


@dataclass(frozen=True, slots=True)
class AtMost:
    """A median that should not be greater."""

    limit: float

    def __str__(self) -> str:
        return f"<= {self.limit:g}"

    def holds(self, value: float) -> bool:
        return value <= self.limit


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A median that should not be smaller."""

    limit: float

    def __str__(self) -> str:
        return f">= {self.limit:g}"

    def holds(self, value: float) -> bool:
        return value >= self.limit


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement of a point: ``what`` against ``baseline``, one value a pair of runs.

    ``unit`` is empty for a ratio. Without a gate a row is told and not judged. ``why`` says why there
    are no values: a point that cannot be measured does not hold. ``raw`` are the seconds, MB or
    counts that the values were made from, by name.
    """

    point: str
    what: str
    baseline: str = ""
    values: Sequence[float] = ()
    gate: AtMost | AtLeast | None = None
    unit: str = ""
    note: str = ""
    why: str = ""
    raw: dict[str, Any] = field(default_factory=dict)

    @property
    def median(self) -> float | None:
        return statistics.median(self.values) if self.values else None

    @property
    def holds(self) -> bool | None:
        """Whether the median passes the gate; None where there is none to pass."""
        if self.why:
            return False
        if self.gate is None or self.median is None:
            return None
        return self.gate.holds(self.median)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}"


_HEAD = ("point", "what / baseline", "median", "min-max", "pairs", "gate", "holds")


def _cells(row: Row) -> tuple[str, ...]:
    what = f"{row.what} / {row.baseline}" if row.baseline else row.what
    note = "; ".join(text for text in (row.note, row.why and f"not measured: {row.why}") if text)
    values = row.values
    return (
        row.point,
        what + (f" ({note})" if note else ""),
        f"{_number(row.median)} {row.unit}".strip(),
        f"{_number(min(values))}-{_number(max(values))}" if values else "",
        str(len(values)) if values else "",
        str(row.gate or ""),
        {True: "yes", False: "NO", None: ""}[row.holds],
    )


def as_line(row: Row) -> str:
    """Return a row as a line to be read while others are still measured."""
    return " | ".join(cell for cell in _cells(row)[1:] if cell)


def as_table(rows: Iterable[Row]) -> str:
    """Return rows as a Markdown table."""
    cells = [_HEAD, *map(_cells, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEAD))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    return "\n".join((lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]))


def as_json(rows: Iterable[Row], **beside: Any) -> str:
    """Return rows and what else is known of the run as JSON text."""
    told = []
    for row in rows:
        fields = asdict(row)
        fields["gate"] = str(row.gate) if row.gate else None
        fields["median"], fields["holds"] = row.median, row.holds
        fields["least"], fields["most"] = (min(row.values), max(row.values)) if row.values else (None, None)
        told.append(fields)
    return json.dumps({**beside, "rows": told}, ensure_ascii=False, indent=1) + "\n"
