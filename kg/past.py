"""The past out of the archive: the states of pages that concern a name, brought back one after the other.

They are loaded into a store in memory in the order of their times, so that which state of a page is
current, which pages are retired and what may be ranked are decided as in any store. The store that people
ask holds none of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kg.archive import Archive
from kg.comparison import leaderboard
from kg.errors import AmbiguousName, ArchiveError, UnknownName
from kg.history import History, Moment, Place, Reading, boards, states
from kg.identifiers import benchmark_key
from kg.knowledge_graph import KnowledgeGraph
from kg.lookup import Named, resolve
from kg.model import Reading as Read
from kg.model import ViewGraph
from kg.parts import view_of
from kg.sources import parse
from kg.store import Store, ViewState
from kg.terms import iri, lexical
from kg.terms import moment as term_of
from kg.vocabulary import BK, PROV

__all__ = ["history_of", "in_order", "moments"]

KINDS = {"result": BK.Result, "method": BK.Method, "benchmark": BK.Benchmark}
"""What has a history, in the order in which a name is looked up."""

_WORD = re.compile("[A-Za-z0-9]+")
_NOT_PRINTED = re.compile("[^\x20-\x7e\n]")


def history_of(
    graph: KnowledgeGraph,
    name: str,
    archive: Archive,
    metric: str = "",
    *,
    moved: Callable[[int], None] = lambda _: None,
    counted: Callable[[int], None] = lambda _: None,
) -> History:
    """Return the history of a result, a method or a benchmark over the states of pages in an archive.

    What the graph holds no more is looked for in the archive. ``metric`` narrows the answer to one. ``counted`` is
    told how many states of pages there are to look at, and ``moved`` how many more are done. Raises
    ``UnknownName``, ``AmbiguousName`` and, where there is no archive, ``ArchiveError``.
    """
    pages = _Pages(archive, graph.base)
    kind, node, label = _found(graph, name, pages)
    held = pages.of_benchmarks(_benchmarks(kind, node, label, pages))
    counted(len(held))
    views: list[ViewGraph] = []
    for sha256, data in held.items():
        read = view_of(data, pages.name_of(sha256), graph.base)
        moved(1)
        if read.view:
            views.append(read.view)
        else:
            why = "; ".join(str(problem) for problem in read.problems if problem.severity == "error")
            pages.faults.append(f"a state of a page could not be read: SHA-256 {sha256}: {why}")
    if kind == "benchmark":
        views = [view for view in views if _is_of(view, node)]
    told = list(moments(views, graph.base, held))
    if metric:
        listed = {(it.metric, it.metric_label): Named(it.metric, it.metric_label) for it in told}
        chosen = resolve(metric, list(listed.values()), "metric")
        told = [it for it in told if it.metric == chosen]
    results = {
        reading.result
        for it in told
        for reading in it.readings
        if node in ((reading.result,) if kind == "result" else (reading.method,))
    }
    return History(
        kind=kind,
        node=node,
        states=() if kind == "benchmark" else states(told, results, pages.retrieved),
        boards=boards(told, pages.retrieved) if kind == "benchmark" else (),
        snapshots=len({source.sha256 for it in told for source in it.sources}),
        caveats=tuple(pages.faults),
    )


def _is_of(view: ViewGraph, benchmark: str) -> bool:
    return f"{iri(view.series)} {BK.definedFor} {iri(benchmark)} ." in view.lines


# Which pages


class _Pages:
    """The pages of an archive; what cannot be read is remembered in ``faults`` and passed over."""

    def __init__(self, archive: Archive, base: str) -> None:
        self._archive = archive
        self._base = base
        self._first = archive.first_retrievals()
        self.faults: list[str] = []
        self.retrieved = {sha256: each.retrieved for sha256, each in self._first.items() if each}

    def name_of(self, sha256: str) -> str:
        """Return what a page was called when it was read, for messages."""
        first = self._first.get(sha256)
        return (first and (first.url or first.name)) or sha256

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Yield the SHA-256 and the bytes of each page."""
        for sha256 in self._first:
            try:
                data = self._archive.get(sha256)
            except ArchiveError as error:
                if str(error) not in self.faults:
                    self.faults.append(str(error))
                continue
            yield sha256, data

    def that_say(self, words: str) -> Iterator[tuple[str, bytes]]:
        """Yield the pages whose bytes may say something: all that do and, where that is not clear, some that do not."""
        run = max(_WORD.findall(words), key=len, default="").lower()
        for sha256, data in self:
            if run in _bare(data):
                yield sha256, data

    def of_benchmarks(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the pages that name a benchmark (by the key of its address), by their SHA-256."""
        wanted = set(keys)
        runs = {max(_WORD.findall(key), key=len, default="").lower() for key in wanted}
        found = {}
        for sha256, data in self:
            bare = _bare(data)
            if not any(run in bare for run in runs):
                continue
            reading = parse(data, "")
            key = benchmark_key(reading.page.page.url) if reading.page else ""
            # A page that cannot be read is one of the benchmark's where it names it, and its fault is to be told.
            if key in wanted or (not _is_no_benchmark(reading) and any(each.lower() in bare for each in wanted)):
                found[sha256] = data
        return found


def _is_no_benchmark(reading: Read) -> bool:
    """Tell whether what was read is no benchmark page that could not be read: it could, or is another kind of page."""
    others = reading.page or reading.paper
    return bool(others) or any(problem.code == "not-a-benchmark-page" for problem in reading.problems)


def _bare(data: bytes) -> str:
    """Return what of a page can be looked through for words of ASCII, in small letters.

    Names are read in NFC and without what is invisible; so a word of one stands here as a whole.
    """
    if data.isascii() and data.translate(None, b"\r").decode().replace("\n", "").isprintable():
        return data.decode().lower()
    return _NOT_PRINTED.sub("", unicodedata.normalize("NFC", data.decode(errors="replace"))).lower()


def _benchmark(data: bytes) -> str:
    """Return the key of the benchmark of a page, empty where it cannot be read."""
    page = parse(data, "").page
    return benchmark_key(page.page.url) if page else ""


def _benchmarks(kind: str, node: str, label: str, pages: _Pages) -> set[str]:
    """Return the keys of the benchmarks on whose pages a node may have stood."""
    if kind == "benchmark":
        return {node.rsplit("/", 1)[-1]}
    words = node.rsplit("/", 1)[-1] if kind == "result" else label
    return {key for _, data in pages.that_say(words) if (key := _benchmark(data))}


def _label(graph: KnowledgeGraph, method: str) -> str:
    given: dict[str, Any] = {"class": lexical(BK.Method), "name": method.rsplit("/", 1)[-1]}
    rows = graph.query("lookup/nodes-by-name", **given)
    return next((row.label for row in rows if row.node == method and row.label), "")


# Which node


def _found(graph: KnowledgeGraph, name: str, pages: _Pages) -> tuple[str, str, str]:
    """Return what a name means (a key of ``KINDS``), its IRI and its label, by the graph or else by the past."""
    if hits := _hits(graph, name):
        kind, node = _only(name, hits)
        return kind, node, _label(graph, node)
    for words in (name.rsplit("/", 1)[-1], ""):  # a key may be made of words that no page has
        past: dict[tuple[str, str], str] = {}
        for _, data in pages.that_say(words):
            view = view_of(data, "", graph.base).view
            if view is not None:
                memory = Store.in_memory(graph.base)
                memory.update([view])
                found = KnowledgeGraph(memory)
                past |= {hit: _label(found, hit[1]) for hit in _hits(found, name)}
        if past:
            kind, node = _only(name, past)
            return kind, node, past[kind, node]
    hints = sorted({near for kind in KINDS.values() for near in _near(graph, name, kind)})
    more = f"; did you mean {' or '.join(map(repr, hints[:3]))}?" if hints else ""
    raise UnknownName(
        f"neither the store nor the archive has a result, method or benchmark {name!r}{more}", tuple(hints)
    )


def _hits(graph: KnowledgeGraph, name: str) -> set[tuple[str, str]]:
    hits = set()
    for kind, node_class in KINDS.items():
        try:
            hits.add((kind, graph.find(name, node_class)))
        except AmbiguousName as error:
            hits |= {(kind, candidate) for candidate in error.candidates}
        except UnknownName:
            continue
    return hits


def _only(name: str, hits: Collection[tuple[str, str]]) -> tuple[str, str]:
    if len(hits) > 1:
        listed = "".join(f"\n  {node}  ({kind})" for kind, node in sorted(hits))
        raise AmbiguousName(
            f"{name!r} names {len(hits)} things; say which by its IRI or the last part of it:{listed}",
            tuple(sorted(node for _, node in hits)),
        )
    return next(iter(hits))


def _near(graph: KnowledgeGraph, name: str, node_class: str) -> tuple[str, ...]:
    try:
        graph.find(name, node_class)
    except UnknownName as error:
        return error.suggestions
    return ()


# Moment by moment


def in_order(views: Iterable[ViewGraph]) -> Iterator[list[ViewGraph]]:
    """Yield the states that came together, the oldest first: of one time, and of each view one at most."""
    known = {(view.graph, view.sha256): view for view in views}
    by_time: dict[str, dict[str, list[ViewGraph]]] = defaultdict(lambda: defaultdict(list))
    for view in sorted(known.values(), key=lambda it: (it.graph, it.sha256)):
        by_time[view.modified.removesuffix("Z")][view.graph].append(view)
    for _, of_views in sorted(by_time.items()):
        for turn in range(max(map(len, of_views.values()))):
            yield [each[turn] for each in of_views.values() if turn < len(each)]


def moments(views: Iterable[ViewGraph], base: str, held: Mapping[str, bytes]) -> Iterator[Moment]:
    """Yield each leaderboard as it was when states of its pages had come, in the order of their times.

    ``held`` are the bytes of the pages by their SHA-256. The order of ``views`` does not matter.
    """
    memory = Store.in_memory(base)
    graph = KnowledgeGraph(memory)
    latest: dict[str, Moment] = {}
    seen: dict[str, set[str]] = defaultdict(set)
    for together in in_order(views):
        memory.update(together)
        current = memory.views()
        came = {view.series for view in together}
        boards = {board for metric in came for _, _, board in memory.match(iri(metric), BK.definedFor)}
        for metric in sorted({it.series for it in current}):
            for _, _, board in memory.match(iri(metric), BK.definedFor):
                if board not in boards:
                    continue
                moment = _moment(graph, lexical(board), metric, together)
                # Pages of another metric may say otherwise what the results are, and so change what is ranked.
                if metric in came or moment.readings != latest[metric].readings:
                    seen[metric] |= {it.identifier for it in moment.readings}
                    states = [it for it in current if it.series == metric]
                    latest[metric] = _with_mentions(moment, seen[metric], states, held)
                    yield latest[metric]


def _with_mentions(moment: Moment, known: set[str], current: Iterable[ViewState], held: Mapping[str, bytes]) -> Moment:
    """Return a moment with the results that its pages still hold, but no score could be read of."""
    missing = known - {it.identifier for it in moment.readings}
    texts = [held[it.sha256] for it in current if it.sha256 in held] if missing else []
    return replace(moment, mentioned=frozenset(it for it in missing if any(it.encode() in text for text in texts)))


def _moment(graph: KnowledgeGraph, benchmark: str, metric: str, views: Sequence[ViewGraph]) -> Moment:
    given: dict[str, Any] = {"benchmark": benchmark, "metric": metric}
    (coverage,) = graph.query("provenance/coverage", **given)
    rows = graph.query("comparison/leaderboard", **given)
    places: dict[str, list[Place]] = defaultdict(list)
    for row in graph.query("provenance/places-of-scores", **given):
        at = lexical(term_of(row.modified)) if row.modified else ""
        places[row.result].append(Place(row.page or "", row.lines or "", row.sha256 or "", at))
    own = [view for view in views if view.series == metric] or views
    board = leaderboard(coverage, rows, _first(rows, "unitText"), _first(rows, "directionText"))
    return Moment(
        at=max(view.modified for view in own),
        benchmark=benchmark,
        benchmark_label=board.benchmark_label,
        metric=metric,
        metric_label=board.metric_label,
        unit_text=board.unit_text,
        direction_text=board.direction_text,
        readings=tuple(_reading(row, places[row.result]) for row in rows),
        coverage=board.coverage,
        sources=tuple(_source(view) for view in sorted(own, key=lambda it: it.page_number)),
    )


def _first(rows: Iterable[Any], column: str) -> str:
    return next((text for row in rows if (text := getattr(row, column))), "")


def _source(view: ViewGraph) -> Place:
    page = next((line for line in view.lines if f" {PROV.specializationOf} " in line), "")
    return Place(lexical(page.split(" ")[2]) if page else "", "", view.sha256, view.modified)


def _reading(row: Any, places: Iterable[Place]) -> Reading:  # noqa: ANN401 - a row of the catalogue
    return Reading(
        result=row.result,
        identifier=row.identifier or "",
        method=row.method or "",
        method_label=row.methodLabel or "",
        value_text=row.valueText or "",
        value=row.value,
        spread=row.spread,
        configuration=row.configuration,
        group=row.group,
        reported_in=row.reportedIn,
        origin_paper=row.originPaper,
        rank=row.rank,
        unranked=row.unranked,
        places=tuple(places),
    )
