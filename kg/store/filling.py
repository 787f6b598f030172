"""Parts on their way into a store: they are loaded as they come, and what is current is decided after the last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyoxigraph
from pyoxigraph import RdfFormat

from kg.store.generations import KEPT, explained
from kg.store.graphs import Graphs
from kg.store.records import Part, Record
from kg.store.states import UpdateReport, ViewState, decide

__all__ = ["Filling"]

_BULK = 50_000  # lines: from this many on, filling new files is faster than a transaction
_AT_ONCE = 300_000  # lines loaded at a time: more are hardly faster, and take memory
_LOADS = 2  # loads under way at a time
_ASKED_SINGLY = 500  # pages: to look up more than these one by one takes longer than to read all records


class Filling:
    """Takes parts one after another, and makes the store hold the current states of all views when it is finished.

    Everything is loaded, since only the last part tells which states are current; states that turn out
    not to be are taken out again. Few lines are kept back, so that an update which changes nothing
    writes nothing. ``current`` is the database as it is before; ``begin`` gives the one to change.
    """

    def __init__(
        self, current: pyoxigraph.Store, begin: Callable[[], pyoxigraph.Store], base: str, path: Path | None = None
    ) -> None:
        self.base = base
        self._before = Graphs(current, base)
        self._begin = begin
        self._path = path or Path()
        self._stored: dict[str, Record] = {}
        self._incoming: list[Record] = []
        self._new: set[str] = set()
        self._waiting: list[Part] = []
        self._loads: list[Future[None]] = []
        self._loader: ThreadPoolExecutor | None = None
        self._asked = 0
        self._by_page: dict[str, Record] | None = None

    def known(self, sha256: str) -> Record | None:
        """Return how the store reads the page with this hash, if it does; parts of this update do not count."""
        with self._explained():
            self._asked += 1
            if self._asked <= _ASKED_SINGLY:
                return next(self._before.of_page(sha256), None)
            if self._by_page is None:
                self._by_page = {record.state.sha256: record for record in self._before.records()}
            return self._by_page.get(sha256)

    def confirm(self, record: Record) -> None:
        """Take a state that the store has (see ``known``) as read once more."""
        self._stored[record.state.digest] = record
        self._incoming.append(record)

    def add(self, part: Part) -> None:
        """Take a part; it may be loaded at once, while the next one is made."""
        with self._explained():
            for record in self._before.concerned([record.state for record in part.records]):
                if record.state.digest not in self._new:
                    self._stored[record.state.digest] = record
            self._new.update(record.state.digest for record in part.records)
            self._new -= self._stored.keys()
            self._incoming += part.records
            if part.size:
                self._waiting.append(part)
            if sum(part.size for part in self._waiting) >= _AT_ONCE:
                self._load_beside()

    def _load_beside(self) -> None:
        """Load what is waiting in a thread: the database leaves the interpreter free meanwhile."""
        database = self._begin()
        if self._loader is None:
            self._loader = ThreadPoolExecutor(_LOADS)
        while len(self._loads) >= _LOADS:
            self._loads.pop(0).result()
        self._loads.append(self._loader.submit(_bulk_load, database, self._text()))

    def _text(self, step: int = 1) -> bytes:
        """Return the statements of every ``step``-th part that is waiting, which waits no longer."""
        text = b"".join(part.statements for part in self._waiting[::step])
        del self._waiting[::step]
        return text

    def finish(
        self,
        meta: Callable[[Sequence[ViewState]], Iterable[str]] = lambda _: (),
        *,
        until: str = "",
        beside: Callable[[], object] = lambda: None,
    ) -> UpdateReport:
        """Load what is left, take out the states that are not current, and return what became of each.

        ``until`` is a day (``2026-02-26``, UTC) after which no state counts; one without a time does not
        count then either. ``meta`` gives, for the states that are current now and were not before, N-Triples lines that
        depend on the clock; they are kept in a graph of their own, and only if anything changed. ``beside`` is called
        after a bulk load: the store can be read by then, and is being optimised.
        """
        with self._explained():
            stored = {record.state.graph: record for record in self._stored.values()}
            considered = [record.state for record in self._incoming if record.state.is_of(until)]
            report = decide(considered, [each.state for each in stored.values()])
            beyond = tuple(record.state for record in self._incoming if not record.state.is_of(until))
            report = replace(report, beyond=beyond)
            chosen = {state.graph: state.digest for state in (*report.added, *report.replaced)}
            for state in report.unchanged:
                chosen.setdefault(state.graph, state.digest)
            current = set(chosen.values())
            incoming = {record.state.digest: record for record in self._incoming}
            reread = [
                record
                for digest, record in self._stored.items()
                if digest in incoming and record.stamp != incoming[digest].stamp
            ]
            if self._loader or report.changed or reread or (self._stored and self._before.ontology_differs()):
                graphs = Graphs(self._begin(), self.base)
                bulk = self._load_rest(graphs.database)
                for record in reread:
                    graphs.reread(record)
                graphs.drop(self._lost(report, incoming, current))
                graphs.keep_ontology()
                if report.changed:
                    graphs.add_meta(meta((*report.added, *report.replaced)))
                if bulk:
                    _optimize(graphs.database, beside)
            return report

    def _load_rest(self, database: pyoxigraph.Store) -> bool:
        """Load what is waiting, and tell whether anything was loaded in bulk."""
        size = sum(part.size for part in self._waiting)
        bulk = self._loader is not None or size >= _BULK
        if not bulk:
            database.load(self._text(), RdfFormat.N_QUADS)
            return False
        if size >= _BULK:  # enough for two
            self._loader = self._loader or ThreadPoolExecutor(_LOADS)
            self._loads.append(self._loader.submit(_bulk_load, database, self._text(_LOADS)))
        _bulk_load(database, self._text())
        self._wait()
        return True

    def _lost(self, report: UpdateReport, incoming: dict[str, Record], current: set[str]) -> list[Record]:
        """Return the records that the database has now and that are not current."""
        seen = {record.state.sha256: record.state.digest for record in incoming.values()}
        graphs = {state.graph for state in (*report.added, *report.replaced)} | set(report.dropped)
        lost = [
            record
            for digest, record in self._stored.items()
            if digest not in current
            and (record.state.graph in graphs or seen.get(record.state.sha256, digest) != digest)
        ]
        return lost + [record for digest, record in incoming.items() if digest in self._new and digest not in current]

    def _wait(self) -> None:
        while self._loads:
            self._loads.pop(0).result()

    def close(self) -> None:
        """Let go of the databases, once nothing is being loaded any more; others discard what is unfinished."""
        if self._loader:
            self._loader.shutdown(cancel_futures=True)
        self._loads.clear()
        del self._before, self._begin

    @contextmanager
    def _explained(self) -> Iterator[None]:
        with explained(self._path, "write to", KEPT):
            yield


def _optimize(database: pyoxigraph.Store, beside: Callable[[], object]) -> None:
    """Optimise a database in one thread, which leaves the interpreter free, and call a function in this one."""
    with ThreadPoolExecutor(1) as threads:
        optimised = threads.submit(database.optimize)
        beside()
        optimised.result()


def _bulk_load(database: pyoxigraph.Store, text: bytes) -> None:
    # The mapping has checked every address already; to check each again takes a tenth of the time.
    database.bulk_load(text, RdfFormat.N_QUADS, lenient=True)
