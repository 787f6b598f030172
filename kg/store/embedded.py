"""The store: triples of all current views in one embedded Oxigraph database, in memory or on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pyoxigraph
from pyoxigraph import DefaultGraph, NamedNode, RdfFormat

from kg.errors import FetchError, Misuse, StoreError
from kg.store.answers import Answer, answer
from kg.store.drafts import drafting
from kg.store.generations import BUILD, KEPT, REBUILD, Generations, Held, explained
from kg.store.graphs import Graphs, base_of, lines, term
from kg.store.states import UpdateReport, ViewState, decide
from kg.terms import Triple
from kg.vocabulary import DEFAULT_BASE

if TYPE_CHECKING:
    from kg.model import ViewGraph

__all__ = ["Store"]


class Store:
    """All current views as one graph that can be queried, and each view as a named graph.

    Terms go in and come out as N-Triples text (``<https://w3id.org/benchkg/ns#Result>``), names of
    graphs as plain IRIs. The default graph is the set of all current triples and the ontology terms
    they use; queries run there, and ``GRAPH`` reaches the view graphs.

    >>> store = Store.in_memory()
    >>> store.query("ASK { ?result ?of ?benchmark }")
    False
    """

    def __init__(
        self,
        database: pyoxigraph.Store,
        base: str,
        *,
        path: Path | None = None,
        held: Held | None = None,
        writable: Callable[[], pyoxigraph.Store] | None = None,
    ) -> None:
        self.base = base
        self.path = path
        self._open: pyoxigraph.Store | None = database
        self._held = held
        self._writable = writable

    @classmethod
    def in_memory(cls, base: str = DEFAULT_BASE) -> Store:
        """Return an empty store that is gone with this object."""
        database = pyoxigraph.Store()
        return cls(database, base, writable=lambda: database)

    @classmethod
    def from_rdf(cls, data: bytes, suffix: str) -> Store:
        """Return a store in memory of an RDF document, with its named graphs where it has some.

        ``suffix`` names the format as a file does (``ttl``). Raises Misuse where it names none, or
        the document is not well formed.
        """
        syntax = RdfFormat.from_extension(suffix)
        if syntax is None:
            raise Misuse(f"{suffix!r} names no RDF format. Use ttl, nt, nq, trig, jsonld or xml.")
        database = pyoxigraph.Store()
        try:
            database.bulk_load(data, syntax)
        except (SyntaxError, ValueError) as error:
            raise Misuse(f"This is not well-formed {syntax.name}: {error}") from error
        return cls(database, base_of(database) or DEFAULT_BASE, writable=lambda: database)

    @classmethod
    def open(cls, path: Path) -> Store:
        """Return the current generation of the store in a folder, for reading.

        It stays as it is while others write, until this object is closed or gone. Raises StoreError
        where there is no store or a damaged one.
        """
        held = Generations(path).hold()
        try:
            with explained(path, "open", REBUILD):
                database = pyoxigraph.Store.read_only(str(held.path))
                return cls(database, base_of(database) or DEFAULT_BASE, path=path, held=held)
        except BaseException:
            held.close()
            raise

    @classmethod
    @contextmanager
    def writing(cls, path: Path, base: str | None = None) -> Iterator[Store]:
        """Give a store in a folder to be changed; all changes are published together when the block ends.

        The folder is made where there is none, with the base given or the default one. An exception
        in the block leaves the store as it was. Raises StoreBusy while another process writes, Misuse
        where the store has another base.
        """
        with drafting(path) as draft:
            stored = base_of(draft.current)
            if stored and base not in {None, stored}:
                raise Misuse(f"The store {path} has the base {stored}. Leave --base out, or name another store.")
            store = cls(draft.current, stored or base or DEFAULT_BASE, path=path, writable=draft.database)
            try:
                yield store
            finally:
                store.close()

    @property
    def generation(self) -> str | None:
        """The name of the generation that a reader has open; a later one is greater."""
        return self._held.name if self._held else None

    @property
    def _database(self) -> pyoxigraph.Store:
        if self._open is None:
            raise Misuse("This store is closed.")
        return self._open

    def close(self) -> None:
        """Let go of the database; a store on disk can be cleaned up by the next writer."""
        self._open = self._writable = None
        if self._held:
            self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Changing

    def update(self, views: Sequence[ViewGraph], meta: Sequence[str] = ()) -> UpdateReport:
        """Take in views, each replacing its older state; return what became of each.

        ``meta`` are N-Triples lines that depend on the clock; they are kept in a graph of their own,
        and only if anything else changed. Raises Misuse where the store is open for reading.
        """
        with self._changing():
            graphs = Graphs(self._database, self.base)
            report = decide(views, graphs.concerned(views), graphs.holds)
            self._change((*report.added, *report.replaced), report.dropped, meta)
        return report

    def remove_views(self, views: Iterable[str], meta: Sequence[str] = ()) -> tuple[str, ...]:
        """Take out the views with these graphs, and return those that the store had."""
        with self._changing():
            known = {graph.value for graph in Graphs(self._database, self.base).views()}
            removed = tuple(sorted(known.intersection(views)))
            self._change((), removed, meta)
        return removed

    @contextmanager
    def _changing(self) -> Iterator[None]:
        if self._open is not None and self._writable is None:
            raise Misuse(f"The store {self.path} is open for reading only.")
        with explained(self.path or Path(), "write to", KEPT):
            yield

    def _change(self, put: Sequence[ViewGraph], dropped: Sequence[str], meta: Sequence[str]) -> None:
        graphs = Graphs(self._database, self.base)
        if not (put or dropped or (graphs.views() and graphs.ontology_differs())) or self._writable is None:
            return
        self._open = self._writable()
        graphs = Graphs(self._open, self.base)
        graphs.change(put, dropped)
        graphs.keep_ontology()
        graphs.add_meta(meta)

    # Reading

    def query(self, text: str, bindings: Mapping[str, str] | None = None) -> Answer:
        """Answer a SPARQL query over the default graph, with variables bound to terms beforehand.

        A bound variable must be one that the query selects. Raises Misuse where the query is not
        well formed or a variable cannot be bound.
        """
        with self._reading():
            try:
                bound = {pyoxigraph.Variable(name): term(value) for name, value in (bindings or {}).items()}
                return answer(self._database.query(text, substitutions=bound))
            except (SyntaxError, ValueError) as error:
                raise Misuse(f"The query is not well formed: {_told(str(error))}") from error
            except OSError as error:
                if "SERVICE" in text.upper() and self._readable():
                    raise FetchError(f"The query asks another endpoint (SERVICE), which failed: {error}.") from error
                raise

    def _readable(self) -> bool:
        """Tell whether the database itself still answers."""
        try:
            next(iter(self._database.quads_for_pattern(None, None, None, DefaultGraph())), None)
        except OSError:
            return False
        return True

    def __len__(self) -> int:
        """Return the number of triples of the default graph."""
        with self._reading():
            return sum(1 for _ in self._database.quads_for_pattern(None, None, None, DefaultGraph()))

    def match(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        graph: str | None = None,
    ) -> list[Triple]:
        """Return the triples with these terms, None meaning any; of the default graph, or of the named one."""
        s, p, o = (None if text is None else term(text) for text in (subject, predicate, value))
        place = DefaultGraph() if graph is None else NamedNode(graph)
        with self._reading():
            quads = self._database.quads_for_pattern(s, p, o, place)  # type: ignore[arg-type] # a literal matches nothing
            return sorted((str(q.subject), str(q.predicate), str(q.object)) for q in quads)

    def views(self) -> list[ViewState]:
        """Return the current state of each view, sorted by graph."""
        with self._reading():
            graphs = Graphs(self._database, self.base)
            return [state for graph in graphs.views() if (state := graphs.state(graph)) is not None]

    def view_lines(self, graph: str) -> list[str]:
        """Return what one view states, as sorted N-Triples lines; nothing where there is no such view."""
        return self._lines(NamedNode(graph))

    def triples(self) -> list[str]:
        """Return the default graph as sorted N-Triples lines."""
        return self._lines(DefaultGraph())

    def quads(self, *, meta: bool = False) -> list[str]:
        """Return all graphs as sorted N-Quads lines, without what depends on the clock unless asked for."""
        with self._reading():
            names = set(self._database.named_graphs())
            if not meta:
                names.discard(Graphs(self._database, self.base).meta)
        found = self.triples()
        for name in names:
            found += (f"{line.removesuffix('.')}{name} ." for line in self._lines(name))
        return sorted(found)

    def _lines(self, graph: NamedNode | pyoxigraph.BlankNode | DefaultGraph) -> list[str]:
        with self._reading():
            return sorted(lines(self._database, graph))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Say what is wrong in words: the database reports damage and unbindable variables alike as RuntimeError."""
        if self._held and not self._held.path.is_dir():
            # A query over files that are gone would count for ever.
            raise StoreError(f"The store {self.path} was deleted while it was open. {BUILD}")
        try:
            yield
        except OSError as error:
            raise StoreError(f"Cannot read the store {self.path}: {error}. {REBUILD}") from error
        except RuntimeError as error:
            if "orruption" in str(error):
                raise StoreError(f"The store {self.path} is damaged: {error}. {REBUILD}") from error
            raise Misuse(f"The query cannot be answered: {error}") from error


def _told(error: str) -> str:
    """Return what the parser says, or what mends the commonest fault where it lists all that it expected."""
    if "Prefix not found" not in error:
        return error
    return f"{error.partition(': expected')[0]}: a prefix is not declared (`kg prefixes` prints those of the graph)"
