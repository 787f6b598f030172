"""Which row of the results table and which section are the same recorded result.

Rows and sections that agree in label, value and paper are one, whatever their order (a changed
order is reported). What is left is joined by what it still shares, and never silently: a pair that
differs keeps both texts, and ``kg.agreement`` tells where.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace

from kg.agreement import row_paper
from kg.model import Result, TableRow
from kg.values import Unreadable, read_value

__all__ = ["join", "out_of_order"]


def _value(text: str) -> object:
    try:
        return read_value(text)
    except Unreadable:
        return text


def _paper(result: Result) -> str:
    return result.reporting_paper.identifier if result.reporting_paper else ""


def _shared(result: Result, row: TableRow) -> int:
    """Weigh what a section and a row share: the label most, then the value, then the paper."""
    return (
        4 * (result.label == row.label)
        + 2 * (_value(result.value) == _value(row.value))
        + (_paper(result) == row_paper(row))
    )


def join(sections: Sequence[Result], rows: Sequence[TableRow]) -> tuple[list[Result], list[TableRow]]:
    """Return the sections with their rows, in order, and the rows that no section has."""
    waiting: defaultdict[tuple[object, ...], deque[TableRow]] = defaultdict(deque)
    for row in rows:
        waiting[row.label, _value(row.value), row_paper(row)].append(row)
    joined: list[Result | None] = []
    for section in sections:
        alike = waiting[section.label, _value(section.value), _paper(section)]
        joined.append(replace(section, row=alike.popleft()) if alike else None)
    free = sorted((row for queue in waiting.values() for row in queue), key=lambda row: row.index)
    unjoined = [place for place, result in enumerate(joined) if result is None]
    same_count = len(free) == len(unjoined)
    for place in unjoined:
        section = sections[place]
        best = max(free, key=lambda row: (_shared(section, row), -row.index), default=None)
        # A paper alone says nothing: most rows of a page share it. Position counts where none is missing.
        if same_count:
            best = free[0] if best is None or _shared(section, best) < 2 else best
        elif best is not None and _shared(section, best) < 2:
            best = None
        if best is not None:
            free.remove(best)
        joined[place] = replace(section, row=best)
    return [result for result in joined if result is not None], free


def out_of_order(results: Sequence[Result]) -> list[Result]:
    """Return the results whose row stands above that of an earlier section."""
    found, highest = [], 0
    for result in results:
        if result.row is None:
            continue
        if result.row.index < highest:
            found.append(result)
        highest = max(highest, result.row.index)
    return found
