"""Where the places of one page that state the same fact do not agree."""

from __future__ import annotations

from kg.model import NOT_RECORDED, BenchmarkPage, Result, TableRow
from kg.values import same_value

__all__ = ["disagreements", "row_paper"]


def row_paper(row: TableRow) -> str:
    """Return the paper id of a table row, empty where it says that none is recorded."""
    return "" if row.paper == NOT_RECORDED else row.paper


def disagreements(page: BenchmarkPage, result: Result) -> tuple[str, ...]:
    """Return the codes of what table, section and scope say differently of one result.

    Empty where all agree. A result for which this is not empty has its texts but no value.
    """
    codes = []
    metric = page.scope.metric.text if page.scope.metric else ""
    row = result.row
    if row is None:
        codes.append("section-without-row")
    else:
        if row.label != result.label:
            codes.append("label-disagrees")
        if not same_value(row.value, result.value):
            codes.append("value-disagrees")
        if row_paper(row) != (result.reporting_paper.identifier if result.reporting_paper else ""):
            codes.append("paper-disagrees")
    if result.metric != metric or (page.value_column is not None and page.value_column.text != metric):
        codes.append("metric-disagrees")
    return tuple(codes)
