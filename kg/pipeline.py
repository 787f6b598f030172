"""The road from bytes to the store: find, read, parse, map, validate, load.

``view_of`` is the part that needs nothing but a page's bytes; it runs in any process, in any order,
and the store brings what comes of it together.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from kg import validation
from kg.errors import BenchkgError, FetchError, NothingRead
from kg.fetch import fetch
from kg.inputs import Input, find, read
from kg.mapping import to_view_graph
from kg.mapping.runs import run_lines
from kg.model import BenchmarkPage, Lines, Problem, Reading, Severity, ViewGraph
from kg.resources import directory, version
from kg.sources import parse
from kg.store import Store, UpdateReport
from kg.vocabulary import DEFAULT_BASE

if TYPE_CHECKING:
    from kg.validation import Culprits, Finding, Shapes

__all__ = ["BuildReport", "Outcome", "build", "view_of"]

_MANY = 64
_MENDS = {
    "not-fetched": "check the address, and try again when the site answers",
    "not-read": "see that it is a file you may read",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one input: its view or None, the problems that stay with it, what the shapes found."""

    file: str
    view: ViewGraph | None = None
    problems: tuple[Problem, ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: bool = False
    unfetched: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class BuildReport:
    """What came of a build: one outcome an input, in the order they were named, and what the store took."""

    outcomes: tuple[Outcome, ...]
    update: UpdateReport = field(default_factory=UpdateReport)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every problem of every input."""
        return tuple(problem for outcome in self.outcomes for problem in outcome.problems)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that took something out of the answers."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)

    @property
    def skipped(self) -> tuple[str, ...]:
        """The files that merely lay in a folder and are no benchmark pages."""
        return tuple(outcome.file for outcome in self.outcomes if outcome.skipped)

    @property
    def read(self) -> tuple[ViewGraph, ...]:
        """The views that were read, whether or not the store took them."""
        return tuple(outcome.view for outcome in self.outcomes if outcome.view)

    def __repr__(self) -> str:
        """Say how many inputs came to what."""
        return (
            f"<BuildReport: {len(self.read)} pages read, {len(self.skipped)} files passed over, "
            f"{len(self.errors)} errors, {len(self.problems) - len(self.errors)} warnings>"
        )

    @property
    def exit_code(self) -> int:
        """3 where a page could not be fetched, 1 where something was kept out, else 0."""
        if any(outcome.unfetched for outcome in self.outcomes):
            return FetchError.exit_code
        return 1 if self.errors else 0


@cache
def _shapes() -> Shapes:
    return validation.load_shapes(directory("shapes"))


def view_of(data: bytes, file: str, base: str = DEFAULT_BASE) -> Outcome:
    """Return the validated view of a page from its bytes alone.

    A result that violates a shape is kept out, with the reason among the page's problems; where the
    page itself does, there is no view.
    """
    reading = parse(data, file)
    if reading.page is None:
        return Outcome(file, None, reading.problems)
    page = reading.page
    while True:
        view = to_view_graph(page, base, file)
        report = validation.validate(view.lines, _shapes())
        out = validation.culprits(report, view.lines)
        reasons = tuple(_reasons(reading, page, out))
        if out.page or ((out.results or out.metrics) and not reasons):
            whole = Lines(1, max(1, len(reading.text)))
            why = [
                _kept_out(reading, "the page", finding, _quoted(finding) or (whole,))
                for finding in out.page or report.violations
            ]
            return Outcome(file, None, (*page.problems, *why), report.findings)
        if not reasons:
            return Outcome(file, view, page.problems, report.findings)
        page = page.without(out.results, out.metrics, reasons)


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


def build(
    sources: Iterable[str],
    store: Store,
    *,
    workers: int = 1,
    moved: Callable[[], None] = lambda: None,
    counted: Callable[[int], None] = lambda _: None,
) -> BuildReport:
    """Read sources (files, folders, patterns, addresses, ``-``) into a store.

    ``workers`` processes read, map and validate; 0 lets their number follow that of the inputs.
    ``counted`` is told how many inputs there are, and ``moved`` is called after each. Raises
    ``NothingRead`` where no input gave a page, ``Misuse`` where a source does not exist; one bad page
    never keeps out the others.
    """
    started = datetime.now(UTC)
    inputs = find(sources)
    counted(len(inputs))
    outcomes = []
    for outcome in _outcomes(inputs, store.base, workers or _fitting(len(inputs))):
        outcomes.append(outcome)
        moved()
    report = BuildReport(tuple(outcomes))
    if not report.read:
        raise _nothing(report)
    snapshots = [(view.graph.rsplit("/", 3)[1], view.sha256) for view in report.read]
    meta = run_lines(started, datetime.now(UTC), snapshots, version(), store.base)
    return BuildReport(report.outcomes, store.update(report.read, meta))


def _fitting(inputs: int) -> int:
    """Return how many processes to use: one reads a few pages in less time than others take to start."""
    return 1 if inputs < _MANY else os.cpu_count() or 1


def _nothing(report: BuildReport) -> NothingRead:
    if any(outcome.unfetched for outcome in report.outcomes):
        error = NothingRead("No page could be fetched.", report.problems)
        error.exit_code = FetchError.exit_code
        return error
    if not report.outcomes:
        return NothingRead("There is no file to read there.")
    if not report.problems:
        return NothingRead(f"None of the {len(report.outcomes)} files there is a benchmark page.")
    return NothingRead("No page could be read; the problems above say why.", report.problems)


def _outcomes(inputs: Sequence[Input], base: str, workers: int) -> Iterator[Outcome]:
    task = partial(_outcome, base=base)
    if workers <= 1 or len(inputs) <= 1:
        yield from map(task, inputs)
        return
    # What a process has begun it ends, also after an interrupt: so it is given little at a time.
    slices = max(workers * 8, len(inputs) // 8)
    try:
        with ProcessPoolExecutor(min(workers, len(inputs)), mp_context=get_context("spawn")) as pool:
            with _interrupts_held():
                outcomes = pool.map(task, inputs, chunksize=-(-len(inputs) // slices))
            yield from outcomes
    except BrokenProcessPool as error:
        raise BenchkgError("A worker process was ended from outside; try again with fewer --workers.") from error


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Leave an interrupt from the keyboard, which all processes get, to this one: those started here never see it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _outcome(item: Input, base: str) -> Outcome:
    try:
        data = fetch(item.name) if item.is_address else read(item)
    except FetchError as error:
        return Outcome(item.name, problems=(_unread("not-fetched", item, error),), unfetched=True)
    except BenchkgError as error:
        return Outcome(item.name, problems=(_unread("not-read", item, error),))
    outcome = view_of(data, item.name, base)
    if outcome.view is None and not item.sought and any(it.code == "not-a-benchmark-page" for it in outcome.problems):
        return Outcome(item.name, skipped=True)
    return outcome


def _unread(code: str, item: Input, error: BenchkgError) -> Problem:
    message = str(error).removeprefix(f"{item.name}: ").removesuffix(".")
    return Problem(code, Severity.ERROR, f"{message}; {_MENDS[code]}", (), file=item.name)
