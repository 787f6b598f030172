"""The graphs inside one database: view graphs, and the default graph that is the set of their triples.

Queries run on the default graph, because a union of named graphs gives a triple once for each view
that states it. It holds every triple that some view states, once, and the part of the ontology that
those use. Here alone triples enter and leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple

from kg.identifiers import Identifiers
from kg.store.ontology import ontology, used
from kg.store.states import ViewState
from kg.terms import lexical
from kg.vocabulary import BK, DCT, RDF

if TYPE_CHECKING:
    from kg.model import ViewGraph

__all__ = ["Graphs", "base_of", "lines", "term"]

_PART = 50_000  # lines loaded at a time; from this many on, filling new files is faster than a transaction


def named(text: str) -> NamedNode:
    """Return the database's object for the term of an IRI."""
    return NamedNode(lexical(text))


def term(text: str) -> NamedNode | BlankNode | Literal | Triple:
    """Return the database's object for any term.

    >>> term('"a"@en')
    <Literal value=a language=en>
    """
    if text.startswith("<") and not text.startswith("<<"):
        return named(text)
    quad: Quad = next(iter(pyoxigraph.parse(f"{RDF.type} {RDF.type} {text} .", RdfFormat.N_TRIPLES)))
    return quad.object


def lines(database: pyoxigraph.Store, graph: NamedNode | BlankNode | DefaultGraph) -> list[str]:
    """Return the triples of a graph as N-Triples lines, in no order."""
    text = database.dump(format=RdfFormat.N_TRIPLES, from_graph=graph) or b""
    # Only a line feed ends a line of N-Triples; splitlines would also cut at U+2028 inside a literal.
    return text.decode().split("\n")[:-1]


_TYPE, _SNAPSHOT, _METRIC = named(RDF.type), named(BK.PageSnapshot), named(BK.metric)


def base_of(database: pyoxigraph.Store) -> str | None:
    """Return the base of the IRIs in a database: by the ontology's graph, else by a snapshot, else None."""
    mark = Identifiers("", "").graph("ontology")[1:-1].lstrip("/")
    for name in database.named_graphs():
        if isinstance(name, NamedNode) and name.value.endswith(f"/{mark}"):
            return name.value.removesuffix(mark)
    for quad in database.quads_for_pattern(None, _TYPE, _SNAPSHOT, None):
        if isinstance(quad.subject, NamedNode):
            # {base}{source}/snapshot/{key}
            return "".join(f"{part}/" for part in quad.subject.value.split("/")[:-3])
    return None


class Graphs:
    """The graphs of an open database, under one base."""

    def __init__(self, database: pyoxigraph.Store, base: str) -> None:
        self.database = database
        names = Identifiers("", base)
        self.meta = named(names.graph("meta"))
        self.ontology = named(names.graph("ontology"))
        self._beside = {self.meta, self.ontology, named(names.graph("alignment")), DefaultGraph()}

    def views(self) -> list[NamedNode]:
        """Return the names of the view graphs, sorted."""
        names = (name for name in self.database.named_graphs() if isinstance(name, NamedNode))
        return sorted((name for name in names if name not in self._beside), key=str)

    def state(self, graph: NamedNode) -> ViewState | None:
        """Return the state that a view graph holds, read from its snapshot; None where it has none."""
        for found in self.database.quads_for_pattern(None, _TYPE, _SNAPSHOT, graph):
            about = self.database.quads_for_pattern(found.subject, None, None, graph)
            facts = {str(quad.predicate): str(quad.object) for quad in about}
            count = facts.get(BK.pageCount)
            return ViewState(
                graph=graph.value,
                series=lexical(facts.get(BK.metric, '""')),
                page_number=int(lexical(facts.get(BK.pageNumber, '"1"'))),
                page_count=None if count is None else int(lexical(count)),
                modified=lexical(facts.get(DCT.modified, '""')),
                sha256=lexical(facts.get(BK.sha256, '""')),
            )
        return None

    def concerned(self, views: Sequence[ViewGraph]) -> Iterator[ViewState]:
        """Yield the stored states of the views and of all other views of the same series."""
        graphs = {NamedNode(view.graph) for view in views}
        for series in {view.series for view in views if view.series}:
            for quad in self.database.quads_for_pattern(None, _METRIC, NamedNode(series)):
                graph = quad.graph_name
                if not isinstance(graph, NamedNode) or graph in self._beside or graph in graphs:
                    continue
                if Quad(quad.subject, _TYPE, _SNAPSHOT, graph) in self.database:
                    graphs.add(graph)
        return (state for graph in graphs if (state := self.state(graph)) is not None)

    def holds(self, view: ViewGraph) -> bool:
        """Tell whether a view graph has exactly these triples."""
        stored = set(lines(self.database, NamedNode(view.graph)))
        return stored == set(view.lines) or stored == _as_stored(view.lines)

    def change(self, put: Sequence[ViewGraph], dropped: Iterable[str]) -> None:
        """Put views in place of their old states, drop others, and keep the default graph the set of all."""
        gone: set[str] = set()
        for name in (*(view.graph for view in put), *dropped):
            gone.update(lines(self.database, NamedNode(name)))
            self.database.remove_graph(NamedNode(name))
        part: list[str] = []
        load = self.database.load
        for view in put:
            gone.difference_update(view.lines)
            part += view.lines
            part += (f"{line.removesuffix('.')}<{view.graph}> ." for line in view.lines)
            if len(part) >= _PART:
                load = self.database.bulk_load
                load("\n".join(part), RdfFormat.N_QUADS)
                part.clear()
        load("\n".join(part), RdfFormat.N_QUADS)
        for quad in pyoxigraph.parse("\n".join(gone), RdfFormat.N_TRIPLES):
            self._forget(quad.triple)
        if load == self.database.bulk_load:
            self.database.optimize()

    def add_meta(self, statements: Iterable[str]) -> None:
        """Add what depends on the clock to its own graph."""
        self.database.load("\n".join(statements), RdfFormat.N_TRIPLES, to_graph=self.meta)

    def ontology_differs(self) -> bool:
        """Tell whether the ontology that comes with the code is another one than the stored."""
        return self._triples(self.ontology) != {triple for triples in ontology().values() for triple in triples}

    def keep_ontology(self) -> None:
        """Hold the whole ontology in its graph, and the part that the data use in the default graph."""
        terms = ontology()
        stored = {triple.subject for triple in self._triples(self.ontology)}
        subjects = terms.keys() | {subject for subject in stored if isinstance(subject, NamedNode)}
        if self.ontology_differs():
            self.database.remove_graph(self.ontology)
            for triples in terms.values():
                self.database.extend(Quad(t.subject, t.predicate, t.object, self.ontology) for t in triples)
        wanted = used(terms, lambda name: self._in_data(name, subjects))
        present = {
            quad.triple
            for subject in subjects
            for quad in self.database.quads_for_pattern(subject, None, None, DefaultGraph())
        }
        self.database.extend(Quad(t.subject, t.predicate, t.object) for t in wanted - present)
        for triple in present - wanted:
            self._forget(triple)

    def _triples(self, graph: NamedNode) -> set[Triple]:
        return {quad.triple for quad in self.database.quads_for_pattern(None, None, None, graph)}

    def _in_data(self, name: NamedNode, ontology_subjects: set[NamedNode]) -> bool:
        used_as_predicate = self.database.quads_for_pattern(None, name, None, DefaultGraph())
        used_as_object = self.database.quads_for_pattern(None, None, name, DefaultGraph())
        return any(
            quad.subject not in ontology_subjects for quads in (used_as_predicate, used_as_object) for quad in quads
        )

    def _forget(self, triple: Triple) -> None:
        """Take a triple out of the default graph unless a view states it."""
        places = self.database.quads_for_pattern(triple.subject, triple.predicate, triple.object)
        if all(quad.graph_name in self._beside for quad in places):
            self.database.remove(Quad(triple.subject, triple.predicate, triple.object))


def _as_stored(given: Iterable[str]) -> set[str]:
    """Return lines as a database gives them back, which writes some values in another form."""
    database = pyoxigraph.Store()
    database.load("\n".join(given), RdfFormat.N_TRIPLES)
    return set(lines(database, DefaultGraph()))
