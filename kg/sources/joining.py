"""Which row of the results table and which section are the same recorded result.

Rows and sections that agree in label, value and paper are one, whatever their order (a changed
order is reported). What is left is joined by what it still shares, and never silently: a pair that
differs keeps both texts, and ``kg.agreement`` tells where.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence

from kg.agreement import row_paper
from kg.model import Lines, Result, TableRow
from kg.sources.lines import Gatherer
from kg.values import Unreadable, read_value

__all__ = ["bring_together"]


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


def bring_together(
    sections: Sequence[Result], rows: Sequence[TableRow], found: Gatherer, quote: Callable[[Lines], str]
) -> list[Result]:
    """Return the results with their rows, in order, and report what has no partner, stands elsewhere or comes twice.

    ``quote`` returns some lines as they stand on the page.
    """
    joined, free = _join(sections, rows)
    for row in free:
        found.error(
            "row-without-section",
            f'the table row "{row.label}" has no section of its own, so its result has no id; add the section',
            row.lines,
            text=quote(row.lines),
        )
    results = _without_repeated_ids(joined, found, quote)
    for result in _out_of_order(results):
        assert result.row is not None
        found.warning(
            "order-disagrees",
            f"table and sections are in another order here; put the row ({result.row.lines}) and "
            f"the section ({result.lines}) of {result.label!r} in the same place",
            result.row.lines,
            result.lines,
            result=result.identifier,
        )
    return results


def _join(sections: Sequence[Result], rows: Sequence[TableRow]) -> tuple[list[Result], list[TableRow]]:
    """Return the sections with their rows, in order, and the rows that no section has."""
    waiting: defaultdict[tuple[object, ...], deque[TableRow]] = defaultdict(deque)
    for row in rows:
        waiting[row.label, _value(row.value), row_paper(row)].append(row)
    joined: list[Result | None] = []
    for section in sections:
        alike = waiting[section.label, _value(section.value), _paper(section)]
        joined.append(section._replace(row=alike.popleft()) if alike else None)
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
        joined[place] = section._replace(row=best)
    return [result for result in joined if result is not None], free


def _out_of_order(results: Sequence[Result]) -> list[Result]:
    """Return the results whose row stands above that of an earlier section."""
    found, highest = [], 0
    for result in results:
        if result.row is None:
            continue
        if result.row.index < highest:
            found.append(result)
        highest = max(highest, result.row.index)
    return found


def _without_repeated_ids(results: list[Result], found: Gatherer, quote: Callable[[Lines], str]) -> list[Result]:
    counts = Counter(result.identifier for result in results)
    kept = [result for result in results if counts[result.identifier] == 1]
    for identifier in sorted(identifier for identifier, count in counts.items() if count > 1):
        places = [result for result in results if result.identifier == identifier]
        ranges = [lines for result in places for lines in (result.row and result.row.lines, result.lines) if lines]
        rows = " and ".join(
            f'"{result.label}" ({result.row.lines if result.row else result.lines})' for result in places
        )
        found.error(
            "repeated-result-id",
            f"the result id {identifier} stands for {rows}; none of them was taken; give each its own id",
            *ranges,
            text="\n".join(quote(lines) for lines in ranges),
        )
    return kept
