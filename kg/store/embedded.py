"""The store: triples of all current views in one embedded Oxigraph database, in memory or on disk."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

import pyoxigraph
from pyoxigraph import DefaultGraph, NamedNode, RdfFormat

from kg.errors import FetchError, Misuse, StoreError
from kg.store.answers import Answer, answer
from kg.store.drafts import drafting
from kg.store.generations import BUILD, KEPT, REBUILD, Generations, Held, explained
from kg.store.graphs import Graphs, base_of, lines, term
from kg.store.records import Stamp, make_part
from kg.store.states import UpdateReport, ViewState
from kg.terms import Triple
from kg.vocabulary import DEFAULT_BASE

if TYPE_CHECKING:
    from kg.model import ViewGraph
    from kg.store.datasets import Dataset
    from kg.store.filling import Filling

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
        folder: Path | None = None,
        writable: Callable[[], pyoxigraph.Store] | None = None,
    ) -> None:
        self.base = base
        self.path = path
        self._open: pyoxigraph.Store | None = database
        self._held = held
        self._folder = folder if held is None else held.path
        self._writable = writable
        self._with_graphs: Dataset | None = None

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
        base = base_of(database) or DEFAULT_BASE
        Graphs(database, base).record_views()
        return cls(database, base, writable=lambda: database)

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
    def writing(cls, path: Path, base: str | None = None, *, anew: bool = False) -> Iterator[Store]:
        """Give a store in a folder to be changed; all changes are published together when the block ends.

        The folder is made where there is none, with the base given or the default one; ``anew`` begins with an
        empty store, whatever is there. An exception in the block leaves the store as it was. Raises
        StoreBusy while another process writes, Misuse where the store has another base.
        """
        with drafting(path, anew=anew) as draft:
            stored = draft.base
            if stored and base not in {None, stored}:
                raise Misuse(f"The store {path} has the base {stored}. Leave --base out, or name another store.")
            store = cls(
                draft.current, stored or base or DEFAULT_BASE, path=path, folder=draft.path, writable=draft.database
            )
            try:
                yield store
            finally:
                store.close()

    @property
    def generation(self) -> str | None:
        """The name of the generation that a reader has open; a later one is greater."""
        return self._held.name if self._held else None

    def beside(self, name: str) -> Path | None:
        """Return where a file of this name lies beside the data, made from this generation alone; None in memory.

        It is written while a store is written (``Filling.finish``), and not taken over by the next generation.
        """
        return self._folder / name if self._folder else None

    @property
    def _database(self) -> pyoxigraph.Store:
        if self._open is None:
            raise Misuse("This store is closed.")
        return self._open

    def close(self) -> None:
        """Let go of the database; a store on disk can be cleaned up by the next writer."""
        self._open = self._writable = self._with_graphs = None
        if self._held:
            self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Changing

    def update(self, views: Iterable[ViewGraph], meta: Sequence[str] = ()) -> UpdateReport:
        """Take in views, each replacing its older state; return what became of each.

        ``meta`` are N-Triples lines that depend on the clock; they are kept in a graph of their own,
        and only if anything else changed. Raises Misuse where the store is open for reading.
        """
        with self.filling() as filling:
            filling.add(make_part(((view, Stamp()) for view in views), self.base))
            return filling.finish(lambda _: meta)

    @contextmanager
    def filling(self) -> Iterator[Filling]:
        """Give an update that takes its views part by part; raises Misuse where the store is open for reading."""
        self._check_writable()
        from kg.store.filling import Filling  # a reader needs no threads

        filling = Filling(self._database, self._begun, self.base, self.path)
        try:
            yield filling
        finally:
            filling.close()

    def remove_views(self, views: Iterable[str], meta: Sequence[str] = ()) -> tuple[str, ...]:
        """Take out the views with these graphs, and return those that the store had."""
        self._check_writable()
        with explained(self.path or Path(), "write to", KEPT):
            before = Graphs(self._database, self.base)
            removed = [record for graph in sorted(set(views)) for record in before.of_view(graph)]
            if removed:
                graphs = Graphs(self._begun(), self.base)
                graphs.drop(removed)
                graphs.keep_ontology()
                graphs.add_meta(meta)
        return tuple(record.state.graph for record in removed)

    def _check_writable(self) -> None:
        if self._open is not None and self._writable is None:
            raise Misuse(f"The store {self.path} is open for reading only.")

    def _begun(self) -> pyoxigraph.Store:
        """Return the database to be changed."""
        assert self._writable is not None
        self._open, self._with_graphs = self._writable(), None
        return self._open

    # Reading

    def query(self, text: str, bindings: Mapping[str, str] | None = None) -> Answer:
        """Answer a SPARQL query over the default graph, with variables bound to terms beforehand.

        A bound variable must be one that the query selects. Raises Misuse where the query is not
        well formed or a variable cannot be bound.
        """
        with self._reading():
            try:
                bound = {pyoxigraph.Variable(name): term(value) for name, value in (bindings or {}).items()}
                return answer(self._asked(text).query(text, substitutions=bound))
            except (SyntaxError, ValueError) as error:
                raise Misuse(f"The query is not well formed: {_told(str(error))}") from error
            except OSError as error:
                if "SERVICE" in text.upper() and self._readable():
                    raise FetchError(f"The query asks another endpoint (SERVICE), which failed: {error}.") from error
                raise

    def write_answer(self, construct: str, stream: BinaryIO, bindings: Mapping[str, str] | None = None) -> None:
        """Write the triples that a CONSTRUCT of the catalogue gives as N-Triples lines, in no order.

        ``bindings`` are variables with the terms that they are bound to beforehand.
        """
        bound = {pyoxigraph.Variable(name): term(value) for name, value in (bindings or {}).items()}
        with self._reading():
            found = self._asked(construct).query(construct, substitutions=bound)
            assert isinstance(found, pyoxigraph.QueryTriples)
            found.serialize(stream, RdfFormat.N_TRIPLES)

    def _readable(self) -> bool:
        """Tell whether the database itself still answers."""
        try:
            next(iter(self._database.quads_for_pattern(None, None, None, DefaultGraph())), None)
        except OSError:
            return False
        return True

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
            database = self._database
            if graph is not None and (view := self._text_of(graph)):
                database = pyoxigraph.Store()
                database.load(view, RdfFormat.N_TRIPLES, to_graph=place)
            quads = database.quads_for_pattern(s, p, o, place)  # type: ignore[arg-type] # a literal matches nothing
            return sorted((str(q.subject), str(q.predicate), str(q.object)) for q in quads)

    def views(self) -> list[ViewState]:
        """Return the current state of each view, sorted by graph."""
        with self._reading():
            records = Graphs(self._database, self.base).records()
            return sorted((record.state for record in records), key=lambda state: state.graph)

    def view_lines(self, graph: str) -> list[str]:
        """Return what a view, or a graph beside the views, states: sorted N-Triples lines, none where there is none."""
        with self._reading():
            if text := self._text_of(graph):
                return text.split("\n")
            return sorted(lines(self._database, NamedNode(graph)))

    def _text_of(self, graph: str) -> str:
        graphs = Graphs(self._database, self.base)
        return next((graphs.stated(record) for record in graphs.of_view(graph)), "")

    def triples(self) -> list[str]:
        """Return the default graph as sorted N-Triples lines."""
        with self._reading():
            return sorted(lines(self._database, DefaultGraph()))

    def quads(self, *, meta: bool = False) -> list[str]:
        """Return all graphs as sorted N-Quads lines, without what depends on the clock unless asked for."""
        stream = io.BytesIO()
        self.write_lines(stream, graphs=True, meta=meta)
        return sorted(set(stream.getvalue().decode().split("\n")[:-1]))

    def write_lines(self, stream: BinaryIO, *, graphs: bool, meta: bool = False) -> None:
        """Write the default graph as N-Triples lines, in no order; with ``graphs`` all graphs as N-Quads.

        What several views state may come several times. What depends on the clock is left out unless
        ``meta`` asks for it; without ``graphs`` it then follows as triples, and may repeat some.
        """
        with self._reading():
            inside = Graphs(self._database, self.base)
            if self.path:  # a database on a disk looks each term up, which takes ten times as long as the records
                inside.write_terms(stream)
            else:
                self._database.dump(stream, RdfFormat.N_TRIPLES, from_graph=DefaultGraph())
            if self.path or graphs:
                inside.write_views(stream, triples=self.path is not None, quads=graphs)
            inside.write_others(stream, graphs=graphs, meta=meta)

    def write_views(self, views: Iterable[str], stream: BinaryIO) -> None:
        """Write what some views state as N-Triples lines, view by view; they are given by their graphs."""
        with self._reading():
            inside = Graphs(self._database, self.base)
            for view in views:
                stream.writelines(inside.stated(record).encode() + b"\n" for record in inside.of_view(view))

    def _asked(self, text: str) -> pyoxigraph.Store:
        """Return the database that a query is for: one with the views as named graphs where it asks for such."""
        if "GRAPH" not in text.upper():
            return self._database
        from kg.guard import tokens
        from kg.store.datasets import Dataset

        if not any(token.kind == "word" and "GRAPH" in token.text.upper() for token in tokens(text)):
            return self._database
        if self._with_graphs is None:
            self._with_graphs = Dataset(self.write_lines)
        return self._with_graphs.database

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
