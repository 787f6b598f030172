"""The two doors into the package: build a graph from pages, or open one that was built."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path

from kg.errors import Misuse
from kg.identifiers import check_base
from kg.knowledge_graph import KnowledgeGraph
from kg.store import Store
from kg.vocabulary import DEFAULT_BASE

__all__ = ["build", "open_graph"]


def build(
    sources: Iterable[str | Path],
    *,
    store: str | Path | None = None,
    base: str | None = None,
    workers: int = 1,
    moved: Callable[[int], None] = lambda _: None,
    counted: Callable[[int], None] = lambda _: None,
) -> KnowledgeGraph:
    """Build a graph from pages: files, folders, patterns, http(s) addresses, ``-``.

    In memory, unless ``store`` names a folder that keeps it; what that folder holds already stays,
    each view in its newest state. The graph's ``report`` says what was read, what was not and why;
    one bad page keeps out no other. ``base`` is that of all IRIs; a store keeps the one it began with.
    With ``workers`` other than 1 (0 fits their number to that of the pages), a script needs the usual
    ``if __name__ == "__main__":`` guard. Raises ``NothingRead`` where no source gave a page,
    ``Misuse`` where one does not exist or the base makes no IRIs, ``StoreError`` where the store
    cannot be written.
    """
    names = [str(source) for source in ([sources] if isinstance(sources, str | Path) else sources)]
    if not names:
        raise Misuse("There is nothing to build from: name at least one page, folder, pattern or address.")
    check_base(base or DEFAULT_BASE)
    from kg.pipeline import build as build_into  # whoever opens a graph reads no pages

    if store is None:
        memory = Store.in_memory(base or DEFAULT_BASE)
        report = build_into(names, nullcontext(memory), workers=workers, moved=moved, counted=counted)
        return KnowledgeGraph(memory, report)
    path = Path(store)
    report = build_into(names, Store.writing(path, base), workers=workers, moved=moved, counted=counted)
    return KnowledgeGraph(Store.open(path), report)


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
