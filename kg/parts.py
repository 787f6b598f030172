"""From the bytes of pages to a part that a store can load: pure functions, for any process on any machine.

``view_of`` reads one page and ``part_of`` several; neither needs anything but the bytes. Pages may
be cut into parts in any way and the parts joined in any order (``Store.filling``): the store that
comes of them, and every byte of its exports, is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kg import validation
from kg.mapping import to_paper_graph, to_view_graph
from kg.model import BenchmarkPage, Lines, Problem, Reading, Severity, ViewGraph
from kg.resources import code_digest, digest, directory
from kg.sources import parse
from kg.store import Part, Record, Stamp, ViewState, make_part
from kg.validation import Finding, Quotation
from kg.vocabulary import DEFAULT_BASE

if TYPE_CHECKING:
    from kg.validation import Culprits, Shapes

__all__ = ["Outcome", "Page", "PageView", "is_current", "outcome_of", "part_of", "view_of"]


class Page(NamedTuple):
    """The bytes of one input. ``sought`` is False where it may be something else than a page without fault.

    ``known`` is how a store reads the same bytes already, where it does.
    """

    file: str
    data: bytes
    sought: bool = True
    known: Record | None = None


@dataclass(frozen=True, slots=True)
class PageView:
    """What came of a page: its view or None, the problems that stay with it, what the shapes found."""

    file: str
    view: ViewGraph | None = None
    problems: tuple[Problem, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one input of a build; as ``PageView``, but the triples are in the store and only the state is here.

    ``skipped`` inputs merely lay in a folder and are no pages, ``unfetched`` ones did not come.
    """

    file: str
    view: ViewState | None = None
    problems: tuple[Problem, ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: bool = False
    unfetched: bool = False


@cache
def _shapes() -> Shapes:
    return validation.load_shapes(directory("shapes"))


@cache
def _shapes_digest() -> str:
    return digest(directory("shapes").glob("*.ttl"))


def is_current(record: Record) -> bool:
    """Tell whether a page that a store knows would be read and judged by this code as it was then."""
    return (record.stamp.code, record.stamp.shapes) == (code_digest(), _shapes_digest())


def view_of(data: bytes, file: str, base: str = DEFAULT_BASE, known: Record | None = None) -> PageView:
    """Return the validated view of a page from its bytes alone.

    A result that violates a shape is kept out, with the reason among the page's problems; where the
    page itself does, there is no view. A view that the same shapes found without fault before
    (``known``) is not validated again.
    """
    reading = parse(data, file)
    if reading.paper is not None:
        return _paper_view(reading, base, known)
    if reading.page is None:
        return PageView(file, None, reading.problems)
    page = reading.page
    while True:
        view = to_view_graph(page, base, file)
        if known and known.stamp.shapes == _shapes_digest() and known.state.digest == ViewState.of(view).digest:
            return PageView(file, view, page.problems, outcome_of(known, file).findings)
        report = validation.validate(view.lines, _shapes())
        out = validation.culprits(report, view.lines)
        reasons = tuple(_reasons(reading, page, out))
        if out.page or ((out.results or out.metrics) and not reasons):
            whole = Lines(1, max(1, len(reading.text)))
            why = [
                _kept_out(reading, "the page", finding, _quoted(finding) or (whole,))
                for finding in out.page or report.violations
            ]
            return PageView(file, None, (*page.problems, *why), report.findings)
        if not reasons:
            return PageView(file, view, page.problems, report.findings)
        page = page.without(out.results, out.metrics, reasons)


def _paper_view(reading: Reading, base: str, known: Record | None) -> PageView:
    """Return the validated view of the page of a paper, which is kept whole or not at all."""
    assert reading.paper
    view = to_paper_graph(reading.paper, base, reading.file)
    if known and known.stamp.shapes == _shapes_digest() and known.state.digest == ViewState.of(view).digest:
        return PageView(reading.file, view, reading.problems, outcome_of(known, reading.file).findings)
    report = validation.validate(view.lines, _shapes())
    whole = Lines(1, max(1, len(reading.text)))
    why = tuple(
        _kept_out(reading, "the page", finding, _quoted(finding) or (whole,))
        for finding in validation.culprits(report, view.lines).page
    )
    return PageView(reading.file, None if why else view, (*reading.problems, *why), report.findings)


def _reasons(reading: Reading, page: BenchmarkPage, out: Culprits) -> Iterator[Problem]:
    for result in page.results:
        if finding := out.results.get(result.identifier):
            places = (result.lines, *([result.row.lines] if result.row else []))
            yield _kept_out(reading, f"the result {result.label!r} ({result.identifier})", finding, places)
    for metric in page.metrics:
        if finding := out.metrics.get(metric.name):
            yield _kept_out(reading, f"the metric {metric.name!r}", finding, (metric.lines,))


def _quoted(finding: Finding) -> tuple[Lines, ...]:
    return tuple(Lines(at.first, at.last) for at in finding.quotations)


def _kept_out(reading: Reading, what: str, finding: Finding, places: tuple[Lines, ...]) -> Problem:
    """Return what was kept out as a problem: in the words of the shape, and with the lines as they stand."""
    places = tuple(sorted(set(places)))
    return Problem(
        "shape-violation",
        Severity.ERROR,
        f"{what} was kept out: {finding.message} (shape {finding.shape})",
        places,
        "\n".join(reading.quote(lines) for lines in places),
        file=reading.file,
    )


def part_of(pages: Iterable[Page], base: str = DEFAULT_BASE) -> tuple[Part, tuple[Outcome, ...]]:
    """Return the views of pages as one part, and what came of each page."""
    read = [(page, view_of(page.data, page.file, base, page.known)) for page in pages]
    part = make_part(((each.view, _stamp(each)) for _, each in read if each.view), base)
    states = iter(record.state for record in part.records)
    return part, tuple(_outcome(page, each, states) for page, each in read)


def _outcome(page: Page, read: PageView, states: Iterator[ViewState]) -> Outcome:
    if read.view:
        return Outcome(page.file, next(states), read.problems, read.findings)
    if not page.sought and any(problem.code == "not-a-benchmark-page" for problem in read.problems):
        return Outcome(page.file, skipped=True)
    return Outcome(page.file, None, read.problems, read.findings)


# What was said of a page is kept with it, so that it can be said again when the page has not changed


def _stamp(read: PageView) -> Stamp:
    notes = ""
    if read.problems or read.findings:
        problems = [
            (it.code, it.severity, it.message, [(at.first, at.last) for at in it.lines], it.text, it.result)
            for it in read.problems
        ]
        findings = [
            ((it.severity, it.shape, it.focus, it.path, it.component, it.message, it.page), it.values, it.quotations)
            for it in read.findings
        ]
        notes = json.dumps([problems, findings], ensure_ascii=False)
    return Stamp(code_digest(), _shapes_digest(), notes)


def outcome_of(record: Record, file: str) -> Outcome:
    """Return what came of a page when a store read it, with the name that its file has now."""
    problems, findings = json.loads(record.stamp.notes or "[[], []]")
    return Outcome(
        file,
        replace(record.state, file=file),
        tuple(
            Problem(code, Severity(severity), message, tuple(Lines(*at) for at in lines), text, result, file)
            for code, severity, message, lines, text, result in problems
        ),
        tuple(
            Finding(
                severity=severity,
                shape=shape,
                focus=focus,
                path=path,
                values=tuple(values),
                component=component,
                message=message,
                page=page,
                quotations=tuple(Quotation(*at) for at in quotations),
            )
            for (severity, shape, focus, path, component, message, page), values, quotations in findings
        ),
    )
