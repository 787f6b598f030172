"""The doors into the package: build a graph from pages, open one that was built, take pages out of a store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg.errors import Misuse
from kg.identifiers import check_base
from kg.knowledge_graph import KnowledgeGraph
from kg.store import Store
from kg.vocabulary import DEFAULT_BASE

if TYPE_CHECKING:
    from kg.citation import Citation
    from kg.claims import Audit
    from kg.difference import Difference
    from kg.fetching import Bounds, Manners, Report, Request, Tally
    from kg.history import History

__all__ = ["audit", "build", "cite", "diff", "fetch", "history_of", "open_graph", "open_state", "remove"]

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


def build(
    sources: Iterable[str | Path] = (),
    *,
    store: str | Path | None = None,
    archive: str | Path | None = None,
    as_of: str = "",
    retrieved_by: str = "",
    base: str | None = None,
    workers: int = 1,
    fetch: Callable[[str, Path], Report] | None = None,
    moved: Callable[[int], None] = lambda _: None,
    counted: Callable[[int], None] = lambda _: None,
) -> KnowledgeGraph:
    """Build a graph from pages: files, folders, patterns, http(s) addresses, ``-``.

    An address is fetched with what it leads to, as ``fetch`` does; a function in its place may set other bounds.

    In memory, unless ``store`` names a folder that keeps it; what that folder holds already stays,
    each view in its newest state. The graph's ``report`` says what was read, what was not and why;
    one bad page keeps out no other.

    Every page read is kept in ``archive``, a folder that only grows: beside the store (``kg-store-archive``) unless
    another is named, and none without a store. Without sources the store is made anew from its archive.
    ``as_of`` and ``retrieved_by`` are days (``2026-02-26``, UTC): the store is made anew with, of each
    view, the newest state that its page says was updated, or that was first read, by their end.

    ``base`` is that of all IRIs; a store keeps the one it began with.
    With ``workers`` other than 1 (0 fits their number to that of the pages), a script needs the usual
    ``if __name__ == "__main__":`` guard. Raises ``NothingRead`` where no source gave a page,
    ``Misuse`` where one does not exist or the base makes no IRIs, ``StoreError`` where the store
    cannot be written.
    """
    names = [str(source) for source in ([sources] if isinstance(sources, str | Path) else sources)]
    for name, day in (("as_of", as_of), ("retrieved_by", retrieved_by)):
        _check_day(name, day)
    if retrieved_by and names:
        raise Misuse("retrieved_by asks an archive when its pages were read: leave the sources out.")
    place = Path(archive) if archive else Path(f"{store}-archive") if store else None
    if not names and place is None:
        raise Misuse("There is nothing to build from: name at least one page, folder, pattern or address.")
    check_base(base or DEFAULT_BASE)
    from kg.archive import Archive
    from kg.pipeline import build as build_into  # whoever opens a graph reads no pages

    memory = Store.in_memory(base or DEFAULT_BASE)
    anew = not names or bool(as_of)
    report = build_into(
        names,
        nullcontext(memory) if store is None else Store.writing(Path(store), base, anew=anew),
        archive=Archive(place) if place else None,
        until=as_of,
        retrieved_by=retrieved_by,
        workers=workers,
        fetch=fetch,
        moved=moved,
        counted=counted,
    )
    return KnowledgeGraph(memory if store is None else Store.open(Path(store)), report)


def fetch(
    url: str,
    archive: str | Path,
    bounds: Bounds | None = None,
    manners: Manners | None = None,
    *,
    dry: bool = False,
    told: Callable[[Request], None] = lambda _: None,
    moved: Callable[[Tally], None] = lambda _: None,
) -> Report:
    """Fetch an http(s) address and what it leads to into an archive, a folder that only grows.

    An index (``llms.txt``) leads to benchmarks, a benchmark to its metrics, further pages and papers. ``bounds`` and
    ``manners`` (of ``kg.fetching``) say how far and how politely. With ``dry``, only the start is asked for,
    and the report has the plan. ``told`` hears of every request, ``moved`` of every step. Raises
    ``Misuse`` for what is no http(s) address, ``ArchiveError`` where the archive cannot be used; a page that
    does not come is a failure in the report.
    """
    from kg import fetching

    return fetching.fetch(url, Path(archive), bounds, manners, dry=dry, told=told, moved=moved)


def _check_day(name: str, day: str) -> None:
    try:
        if day and date.fromisoformat(day).isoformat() == day:
            return
    except ValueError:
        pass
    if day:
        raise Misuse(f"{name} {day!r} is no day: write it as 2026-02-26.")


def open_graph(source: str | Path) -> KnowledgeGraph:
    """Open a graph for reading: the folder of a store, or an RDF file (ttl, nt, nq, trig, jsonld, xml).

    Raises ``StoreError`` where there is no store, ``Misuse`` where the file is missing or no RDF.
    """
    path = Path(source)
    try:
        if path.is_dir() or not path.suffix:
            return KnowledgeGraph(Store.open(path))
        data = path.read_bytes()
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror or error}).") from error
    return KnowledgeGraph(Store.from_rdf(data, path.suffix.removeprefix(".")))


def remove(store: str | Path, *names: str) -> tuple[str, ...]:
    """Take views out of a store, and return their IRIs, sorted.

    A name is that of a benchmark, of which all views go, or of one view: its IRI, or the last part of it.
    The archive keeps the pages: a store made anew from it has them again. Raises ``UnknownName``
    and ``AmbiguousName``, after which nothing is removed.
    """
    path = Path(store)
    with KnowledgeGraph(Store.open(path)) as graph:
        gone = sorted({view for name in names for view in graph.views_of(name)})
    with Store.writing(path) as writing:
        return writing.remove_views(gone)


def diff(
    old: KnowledgeGraph | str | Path,
    new: KnowledgeGraph | str | Path,
    *,
    store: str | Path = "kg-store",
    archive: str | Path | None = None,
) -> Difference:
    """Return what is different in a graph when it is held against an older one: facts, not lines.

    Each is a graph, or what ``open_state`` opens: a store, an RDF file, or a day (``2026-02-26``), for which
    ``store`` or ``archive`` says whose pages are meant. Raises ``Misuse`` where the bases of their IRIs differ.
    """
    from kg.difference import difference
    from kg.sides import side_of

    graphs = [
        each if isinstance(each, KnowledgeGraph) else open_state(each, store=store, archive=archive)
        for each in (old, new)
    ]
    try:
        sides = [side_of(graph.query) for graph in graphs]
        if all(side.pages for side in sides) and graphs[0].base != graphs[1].base:
            raise Misuse(
                f"The two graphs have the bases {graphs[0].base} and {graphs[1].base}, so no node of one is in the "
                "other. Build one of them anew with the --base of the other."
            )
        return difference(*sides)
    finally:
        for graph, given in zip(graphs, (old, new), strict=True):
            if graph is not given:
                graph.close()


def open_state(
    source: str | Path, *, store: str | Path = "kg-store", archive: str | Path | None = None, workers: int = 1
) -> KnowledgeGraph:
    """Open a store, an RDF file, or what an archive holds of a day (``2026-02-26``), built in memory.

    The archive is that of ``store`` unless ``archive`` names it; a folder called like a day is ``./2026-02-26``.
    Raises ``Misuse`` for an RDF file without a benchmark page, ``NothingRead`` where no page is of that day or before.
    """
    if _DAY.match(str(source)):
        path = Path(store)
        base = None
        if path.is_dir():
            with Store.open(path) as present:
                base = present.base
        return build(archive=archive or f"{store}-archive", as_of=str(source), base=base, workers=workers)
    graph = open_graph(source)
    if not Path(source).is_dir() and not graph.info()["pages"]:
        graph.close()
        raise Misuse(
            f"{source}: states no benchmark page, so there is nothing to compare. Name a store, an RDF file that "
            "`kg export` wrote, or a day such as 2026-02-26."
        )
    return graph


def history_of(
    graph: KnowledgeGraph,
    name: str,
    *,
    archive: str | Path,
    metric: str = "",
    moved: Callable[[int], None] = lambda _: None,
    counted: Callable[[int], None] = lambda _: None,
) -> History:
    """Return what became of a result, of a method's results or of a benchmark's best, over the pages in an archive.

    The graph gives a name its meaning; what is no longer in it is looked for in the archive. Nothing of the past
    enters the graph. ``metric`` narrows the answer to one. Raises
    ``UnknownName``, ``AmbiguousName``, and ``ArchiveError`` where there is no archive.
    """
    from kg import past
    from kg.archive import Archive

    return past.history_of(graph, name, Archive(Path(archive)), metric, moved=moved, counted=counted)


def cite(graph: KnowledgeGraph, result: str, *, metric: str = "", archive: str | Path | None = None) -> Citation:
    """Return one score as it may be cited: as a nanopublication, and with its sources for BibTeX.

    ``metric`` says which score of the result; it may be left out where there is one. ``archive``, if there is one,
    knows when the pages were retrieved. Raises ``UnknownName``, ``AmbiguousName``, and ``Misuse`` where the result has
    several scores.
    """
    from kg.archive import Archive, is_archive
    from kg.citation import citation
    from kg.resources import version
    from kg.vocabulary import BK

    found = graph.find(result, BK.Result)
    given: dict[str, Any] = {"result": found} | ({"metric": metric} if metric else {})
    rows = graph.query("provenance/facts-of-a-score", **given)
    visited = {}
    if archive is not None and is_archive(Path(archive)):
        visited = {each.sha256: each.retrieved for each in Archive(Path(archive)).retrievals() if each.url}
    return citation(rows.terms, rows.columns, visited, version())


def audit(graph: KnowledgeGraph, method: str, benchmark: str, *, metric: str = "") -> list[Audit]:
    """Take the claim that a method is best on a benchmark apart into sentences, each with the lines that it rests on.

    One audit a metric on which the method has scores, or for the one named. Raises ``UnknownName``,
    ``AmbiguousName``, and ``Misuse`` where the method has no score there.
    """
    from kg.auditing import audit_of

    return audit_of(graph, method, benchmark, metric)
