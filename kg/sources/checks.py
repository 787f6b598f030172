"""What a page says that does not hold together, whatever format it came in.

Each check reports a problem that names the lines and the mend; none changes the page.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import lru_cache

from kg.agreement import disagreements, row_paper
from kg.model import NOT_RECORDED, BenchmarkPage, Lines, Metric, Result, Scope
from kg.sources.lines import Gatherer
from kg.values import (
    Unreadable,
    is_linkable,
    read_configuration,
    read_counts,
    read_date,
    read_time,
    read_value,
)
from kg.vocabulary import DIRECTIONS, REPRODUCTION_TEXTS, UNITS

__all__ = [
    "are_plain_dates",
    "check_page",
    "check_results",
    "is_plain_metric",
    "is_plain_page",
    "is_plain_setting",
]

_SCOPE_NAMES = {
    "task": "Task",
    "dataset": "Dataset (including any stated split)",
    "unit": "Unit",
    "direction": "Direction",
    "loaded": "Results loaded",
    "coverage": "Coverage",
}
_REMEMBERED = 4_096
_REPRODUCTIONS = frozenset((None, *REPRODUCTION_TEXTS))


def check_page(page: BenchmarkPage, found: Gatherer, whole: Lines) -> None:
    """Check what a page says beside its results; ``whole`` is the place of what is missing altogether."""
    _check_head(page, found, whole)
    _check_paging(page, found, whole)
    _check_loaded(page, found)
    _check_metrics(page, found)


def check_results(page: BenchmarkPage, found: Gatherer) -> None:
    """Check each result of a page, and whether its papers have one address each."""
    _check_papers(page, found)
    for result in page.results:
        _check_agreement(page, result, found)
        _check_value(result, found)
        _check_texts(result, found)


def is_plain_page(page: BenchmarkPage) -> bool:
    """Tell whether ``check_page`` finds nothing beside the metrics listed; False calls for a closer look."""
    scope = page.scope
    return (
        page.page.label == page.title.text
        and page.updated is not None
        and None not in scope
        and page.page_number == page.page_count == 1
        and _is_time(page.updated.text)
        and (page.collection is None or is_linkable(page.collection.url))
        and _are_all(scope.loaded.text)  # type: ignore[union-attr] # none of the scope is None
        and _is_listed(scope, page.metrics)
    )


def is_plain_metric(metric: Metric) -> bool:
    """Tell whether a listed metric reads as it should."""
    return metric.direction in DIRECTIONS and metric.unit in UNITS and is_linkable(metric.url)


def are_plain_dates(dates: Collection[str]) -> bool:
    """Tell of many result dates at once whether each reads as it should."""
    return all(map(_is_date, dates))


def is_plain_setting(configuration: str | None, reproduction: str | None) -> bool:
    """Tell whether a configuration and what the page says of reproduction read as they should."""
    return _is_configuration(configuration) and reproduction in _REPRODUCTIONS


def _is_listed(scope: Scope, metrics: Collection[Metric]) -> bool:
    """Tell whether the metric of a whole scope is listed, with the same direction and unit."""
    name, unit, direction = (cell.text for cell in (scope.metric, scope.unit, scope.direction) if cell)
    return any(metric.name == name and (metric.direction, metric.unit) == (direction, unit) for metric in metrics)


def _is_time(text: str) -> bool:
    try:
        read_time(text)
    except Unreadable:
        return False
    return True


@lru_cache(_REMEMBERED)
def _are_all(text: str) -> bool:
    """Tell whether the results loaded are all that the leaderboard has."""
    try:
        loaded, total = read_counts(text)
    except Unreadable:
        return False
    return loaded == total


@lru_cache(_REMEMBERED)
def _is_date(text: str) -> bool:
    if text not in ("", NOT_RECORDED):
        try:
            read_date(text)
        except Unreadable:
            return False
    return True


def _is_configuration(text: str | None) -> bool:
    try:
        read_configuration(text or "")
    except Unreadable:
        return False
    return True


def _check_head(page: BenchmarkPage, found: Gatherer, whole: Lines) -> None:
    if page.page.label != page.title.text:
        found.warning(
            "title-disagrees",
            f"the title reads {page.title.text!r} and the source link {page.page.label!r}; correct one",
            page.title.lines,
            page.page.lines,
        )
    if page.updated is None:
        found.warning("no-updated-time", "the page has no line Data updated, so it replaces no other; add it", whole)
    else:
        try:
            read_time(page.updated.text)
        except Unreadable as error:
            found.warning(
                "unreadable-time",
                f"the updated time {page.updated.text!r} {error}; write it as 2026-03-04T09:12:44Z",
                page.updated.lines,
            )
    for attribute, name in _SCOPE_NAMES.items():
        if getattr(page.scope, attribute) is None:
            found.warning("no-scope-row", f"the scope table has no row {name}; add it", whole)
    if page.collection:
        _check_address(page.collection.url, page.collection.lines, found)


def _check_paging(page: BenchmarkPage, found: Gatherer, whole: Lines) -> None:
    if page.paging is None:
        found.warning("no-page-number", 'the page does not say which page of how many it is; add "Page 1 of 1."', whole)
    elif (page.page_number or 0) > (page.page_count or 0):
        found.warning("page-beyond-count", "the page number is beyond the number of pages; correct it", page.paging)


def _check_loaded(page: BenchmarkPage, found: Gatherer) -> None:
    cell = page.scope.loaded
    if cell is None:
        return
    try:
        loaded, total = read_counts(cell.text)
    except Unreadable as error:
        found.warning("unreadable-count", f"the results loaded {cell.text!r} {error}; correct it", cell.lines)
        return
    if loaded != total or (page.page_count or 1) > 1:
        found.warning(
            "incomplete-page",
            f"the page holds {loaded} of {total} results (page {page.page_number or 1} of {page.page_count or 1}); "
            "read the other pages beside it before you call anything the best",
            cell.lines,
            *([page.paging] if page.paging else []),
        )


def _check_metrics(page: BenchmarkPage, found: Gatherer) -> None:
    viewed = page.scope.metric
    if viewed is None:
        return
    listed = next((metric for metric in page.metrics if metric.name == viewed.text), None)
    if listed is None:
        found.warning(
            "metric-not-listed",
            f"the page is about {viewed.text!r}, which its list of metrics lacks; add it there",
            viewed.lines,
        )
        cells = (page.scope.direction, page.scope.unit)
        direction, unit = (cell.text if cell else "" for cell in cells)
        _check_terms(Metric(viewed.text, "", direction, unit, (cells[0] or cells[1] or viewed).lines), found)
    else:
        for what, cell, text in (
            ("direction", page.scope.direction, listed.direction),
            ("unit", page.scope.unit, listed.unit),
        ):
            if cell and cell.text != text:
                found.error(
                    f"{what}-disagrees",
                    f"the {what} of {listed.name} is {cell.text!r} in the scope table and {text!r} in the list of "
                    "metrics; both stay and nothing is ranked; correct one",
                    cell.lines,
                    listed.lines,
                )
    for metric in page.metrics:
        _check_terms(metric, found)
        _check_address(metric.url, metric.lines, found)


def _check_terms(metric: Metric, found: Gatherer) -> None:
    if metric.direction not in DIRECTIONS:
        found.warning(
            "unknown-direction",
            f"the direction {metric.direction!r} of {metric.name} is not known, so nothing is ranked by it; "
            f"write one of {', '.join(DIRECTIONS)}",
            metric.lines,
        )
    if metric.unit not in UNITS:
        found.warning(
            "unknown-unit",
            f"the unit {metric.unit!r} of {metric.name} is not known and kept as text; "
            f"the known ones are {', '.join(UNITS)}",
            metric.lines,
        )


def _check_address(url: str, at: Lines, found: Gatherer, result: str = "") -> None:
    if not is_linkable(url):
        found.warning(
            "bad-address",
            f"{json.dumps(url, ensure_ascii=False)} is no http(s) address that can be linked to; it is kept as text; "
            "correct it",
            at,
            text=url,
            result=result,
        )


def _check_papers(page: BenchmarkPage, found: Gatherer) -> None:
    addresses: dict[str, dict[str, Lines]] = {}
    for result in page.results:
        for paper in (result.reporting_paper, result.origin_paper):
            if paper:
                addresses.setdefault(paper.identifier, {}).setdefault(paper.url, result.lines)
    for identifier, places in addresses.items():
        if len(places) > 1:
            found.warning(
                "paper-address-disagrees",
                f"the paper {identifier} has the addresses {' and '.join(sorted(places))}; correct one",
                *places.values(),
            )


def _check_agreement(page: BenchmarkPage, result: Result, found: Gatherer) -> None:
    row, viewed = result.row, page.scope.metric
    for code in disagreements(page, result):
        places = [result.lines]
        if row is None:
            why = f"the section of {result.label!r} has no row in the results table; add the row"
        else:
            places.insert(0, row.lines)
            paper = result.reporting_paper.identifier if result.reporting_paper else "no paper"
            column = page.value_column.text if page.value_column else ""
            one, other = {
                "label-disagrees": (row.label, result.label),
                "value-disagrees": (row.value, result.value),
                "paper-disagrees": (row_paper(row) or "no paper", paper),
                "metric-disagrees": (column, result.metric),
            }[code]
            what = code.partition("-")[0]
            why = f"the {what} is {one!r} in the table ({row.lines}) and {other!r} in the section ({result.lines})"
            if code == "metric-disagrees":
                why += f" of a page about {viewed.text if viewed else ''!r}"
            why += "; correct one"
        found.error(code, f"{why}; until then the score has no value", *places, result=result.identifier)


def _check_value(result: Result, found: Gatherer) -> None:
    row = result.row
    places = {result.value: [result.lines]}
    if row:
        places.setdefault(row.value, []).insert(0, row.lines)
    for text, lines in places.items():
        try:
            read_value(text)
        except Unreadable as error:
            found.warning(
                "value-not-a-number",
                f"the value {text!r} of {result.label!r} {error}; it is kept as text and not ranked; "
                "print a plain number (84.6, or 84.6 ± 0.35)",
                *lines,
                result=result.identifier,
            )
    if row and row.date not in ("", NOT_RECORDED):
        try:
            read_date(row.date)
        except Unreadable as error:
            found.warning(
                "bad-date",
                f"the result date {row.date!r} of {result.label!r} {error}; it is kept as text; correct it",
                row.lines,
                result=result.identifier,
            )


def _check_texts(result: Result, found: Gatherer) -> None:
    try:
        read_configuration(result.configuration or "")
    except Unreadable as error:
        found.warning(
            "unreadable-configuration",
            f"the configuration of {result.label!r} {error}; it is kept as text and compared with nothing; correct it",
            result.lines,
            result=result.identifier,
        )
    if result.reproduction is not None and result.reproduction not in REPRODUCTION_TEXTS:
        found.warning(
            "unknown-reproduction",
            f"what the page says of reproduction ({result.reproduction!r}) is not known; it is kept as text; "
            f"the known sentence is {next(iter(REPRODUCTION_TEXTS))!r}",
            result.lines,
            result=result.identifier,
        )
    for paper in (result.reporting_paper, result.origin_paper):
        if paper:
            _check_address(paper.url, result.lines, found, result.identifier)
    for url in result.implementations:
        _check_address(url, result.lines, found, result.identifier)
