"""The road from bytes to the store: find, read, parse, map, validate, load.

Slices of the inputs are read by worker processes (``kg.parts``) while the store loads what came of
the slices before.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kg.archive import Archive
from kg.errors import BenchkgError, FetchError, NothingRead
from kg.inputs import Input, find, read
from kg.keeping import Keeping
from kg.mapping.runs import run_lines
from kg.model import Problem, Severity
from kg.parts import Outcome, Page, is_current, outcome_of, part_of, view_of
from kg.readers import Readers, readers
from kg.resources import version
from kg.store import Part, Store, UpdateReport, ViewState
from kg.tabulating import write_beside

if TYPE_CHECKING:
    from kg.fetching import Report
    from kg.store.filling import Filling

__all__ = ["BuildReport", "Outcome", "build", "view_of"]

_MANY = 64
_SLICE = 32  # pages: what a process has begun it ends, also after an interrupt
_MENDS = {
    "not-fetched": "check the address, and try again when the site answers",
    "not-read": "see that it is a file you may read",
}


@dataclass(frozen=True, slots=True, repr=False)
class BuildReport:
    """What came of a build: one outcome an input, and what the store took.

    Addresses that gave no page come first, then the inputs in the order they were named.
    """

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
    def read(self) -> tuple[ViewState, ...]:
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


def build(
    sources: Iterable[str],
    opening: AbstractContextManager[Store],
    *,
    archive: Archive | None = None,
    until: str = "",
    retrieved_by: str = "",
    workers: int = 1,
    fetch: Callable[[str, Path], Report] | None = None,
    moved: Callable[[int], None] = lambda _: None,
    counted: Callable[[int], None] = lambda _: None,
) -> BuildReport:
    """Read sources (files, folders, patterns, addresses, ``-``) into the store that a context opens.

    Without sources, the pages of the archive are read; with both, what is read joins the archive.
    ``fetch`` brings an address, and what it leads to, into the archive in a folder; all of it is read.
    ``until`` and ``retrieved_by`` are days (``2026-02-26``, UTC): states of pages that were updated, or first
    read, after their end do not count.

    ``workers`` processes read, map and validate while the store loads; 0 lets their number follow
    that of the inputs. ``counted`` is told how many inputs there are, and ``moved`` how many more are
    done. Raises ``NothingRead`` where no input gave a page, ``Misuse`` where a source does not
    exist, ``ArchiveError`` where the archive cannot be used; one bad page never keeps out the others.
    """
    started = datetime.now(UTC)
    sources = list(sources)
    named = find(sources) if sources or archive is None else _archived(archive, retrieved_by)
    with (
        _fetched(named, archive, fetch) as (inputs, unfetched, holding),
        readers(workers or _fitting(len(inputs))) as pool,
        opening as store,
        store.filling() as filling,
    ):
        counted(len(inputs))
        kept = Keeping(holding, started)
        report = BuildReport((*unfetched, *_read(inputs, pool, filling, kept, moved)))
        if not report.read:
            raise _nothing(report)
        kept.finish()
        if until and not any(state.is_of(until) for state in report.read):
            raise NothingRead(f"None of the {len(report.read)} pages was updated by the end of {until}.")
        update = filling.finish(
            lambda states: _run(started, states, store.base), until=until, beside=partial(write_beside, store)
        )
        return replace(report, update=update)


@contextmanager
def _fetched(
    named: list[Input], archive: Archive | None, fetch: Callable[[str, Path], Report] | None
) -> Iterator[tuple[list[Input], list[Outcome], Archive | None]]:
    """Give the inputs with what addresses led to in their place, what did not come, and the archive that holds them.

    Without an archive, one is there as long as the block.
    """
    if not any(item.is_address and not item.archived for item in named):
        yield named, [], archive
        return
    from tempfile import TemporaryDirectory

    from kg import fetching  # it and its libraries take longer to load than a few pages to be read

    with TemporaryDirectory(prefix="kg-") as folder:
        holding = archive or Archive(Path(folder))
        inputs: list[Input] = []
        unfetched: list[Outcome] = []
        taken: set[str] = set()
        for item in named:
            if not item.is_address or item.archived:
                inputs.append(item)
                continue
            report = (fetch or fetching.fetch)(item.name, holding.path)
            unfetched += (_not_fetched(failure.url, failure.reason) for failure in report.failures)
            if report.left:
                unfetched.append(_not_fetched(report.start, f"{report.left} pages were left when the time was up"))
            for page in report.pages:
                if page.is_readable and page.sha256 not in taken:
                    taken.add(page.sha256)
                    inputs.append(Input(page.url, page.sought, page.sha256))
        yield inputs, unfetched, holding


def _not_fetched(url: str, reason: str) -> Outcome:
    problem = Problem("not-fetched", Severity.ERROR, f"{reason}; {_MENDS['not-fetched']}", (), file=url)
    return Outcome(url, problems=(problem,), unfetched=True)


def _archived(archive: Archive, retrieved_by: str) -> list[Input]:
    """Return the pages of an archive, but for those that were first read after a day, or nobody knows when."""
    first = archive.first_retrievals()
    found = [
        Input(each.url or each.name if each else sha256, sought=False, archived=sha256)
        for sha256, each in first.items()
        if not retrieved_by or (each and each.retrieved.partition("T")[0] <= retrieved_by)
    ]
    if first and not found:
        raise NothingRead(f"None of the {len(first)} pages of the archive {archive.path} was read by {retrieved_by}.")
    return found


def _run(started: datetime, states: Iterable[ViewState], base: str) -> list[str]:
    snapshots = [(state.graph.removeprefix(base).partition("/")[0], state.sha256) for state in states]
    return run_lines(started, datetime.now(UTC), snapshots, version(), base)


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


def _read(
    inputs: Sequence[Input],
    pool: Readers,
    filling: Filling,
    kept: Keeping,
    moved: Callable[[int], None],
) -> list[Outcome]:
    """Return what came of each input, in order, and hand what was read to the store slice by slice."""
    outcomes: list[Outcome | None] = [None] * len(inputs)
    under_way: deque[tuple[dict[int, Page], Future[tuple[Part, tuple[Outcome, ...]]]]] = deque()
    waiting: dict[int, Page] = {}

    def submit() -> None:
        under_way.append((dict(waiting), pool.submit(part_of, list(waiting.values()), filling.base)))
        waiting.clear()

    def take() -> None:
        pages, future = under_way.popleft()
        part, found = future.result()
        for (place, page), outcome in zip(pages.items(), found, strict=True):
            kept.keep(inputs[place], page.data, outcome)
            outcomes[place] = outcome
        filling.add(part)
        moved(len(pages))

    for place, item in enumerate(inputs):
        page = _page(item, filling, kept)
        if isinstance(page, Page):
            waiting[place] = page
        else:
            outcomes[place] = page
            moved(1)
        if len(waiting) >= _SLICE:
            submit()
            # More than this under way would only fill the memory.
            while len(under_way) > 2 * pool.workers:
                take()
    if waiting:
        submit()
    while under_way:
        take()
    return [outcome for outcome in outcomes if outcome is not None]


def _page(item: Input, filling: Filling, kept: Keeping) -> Page | Outcome:
    """Return the bytes of an input, or its outcome where they did not come or the store has them already."""
    try:
        data = kept.bytes_of(item) or read(item)
    except BenchkgError as error:
        return Outcome(item.name, problems=(_unread(item, error),))
    known = filling.known(hashlib.sha256(data).hexdigest())
    if known is None or not is_current(known):
        return Page(item.name, data, item.sought, known)
    outcome = outcome_of(known, item.name)
    assert outcome.view is not None
    kept.keep(item, data, outcome)
    filling.confirm(replace(known, state=outcome.view))
    return outcome


def _unread(item: Input, error: BenchkgError) -> Problem:
    message = str(error).removeprefix(f"{item.name}: ").removesuffix(".")
    return Problem("not-read", Severity.ERROR, f"{message}; {_MENDS['not-read']}", (), file=item.name)
