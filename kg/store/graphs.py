"""The graphs inside one database: the default graph, and beside it the records of the views, meta and the ontology.

The default graph holds every triple that some view states, once, and the part of the ontology that
those use; queries run there. Here alone triples leave it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import BinaryIO

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple

from kg.identifiers import Identifiers
from kg.store.ontology import ontology, used
from kg.store.records import Record, Stamp, make_part, record_node, snapshot, unpacked, views_graph, whole
from kg.store.states import ViewState
from kg.terms import lexical
from kg.vocabulary import BK, DCT, RDF, STORE

__all__ = ["Graphs", "base_of", "lines", "term"]

_REMEMBERED = 256  # views whose lines are kept at hand while others are taken out


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


_TYPE, _SNAPSHOT, _OF_PAPER = named(RDF.type), named(BK.PageSnapshot), named(BK.PaperSnapshot)
_LINES, _SERIES, _SHA256, _STATE, _STATED_BY, _VIEW = (
    named(term) for term in (STORE.lines, STORE.series, STORE.sha256, STORE.state, STORE.statedBy, STORE.view)
)


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


def _unpacked(packed: object) -> bytes:
    assert isinstance(packed, Literal)
    return unpacked(packed.value)


def _in_graph(text: bytes, name: object) -> bytes:
    """Return N-Triples lines as N-Quads lines of a graph."""
    # A line feed ends a statement and nothing else: inside a literal it is escaped.
    return text.replace(b" .\n", f" {name} .\n".encode())


class Graphs:
    """The graphs of an open database, under one base."""

    def __init__(self, database: pyoxigraph.Store, base: str) -> None:
        self.database = database
        self.base = base
        names = Identifiers("", base)
        self.meta = named(names.graph("meta"))
        self.ontology = named(names.graph("ontology"))
        self.records_graph = named(views_graph(base))

    # Which view states what

    def records(self) -> Iterator[Record]:
        """Yield the record of each state that the store holds, in no order."""
        for quad in self.database.quads_for_pattern(None, _STATE, None, self.records_graph):
            yield Record.from_json(quad.object.value)  # type: ignore[union-attr] # a literal, as records.py writes it

    def _records_with(self, property_: NamedNode, value: NamedNode | Literal) -> Iterator[Record]:
        for found in self.database.quads_for_pattern(None, property_, value, self.records_graph):
            for quad in self.database.quads_for_pattern(found.subject, _STATE, None, self.records_graph):
                yield Record.from_json(quad.object.value)  # type: ignore[union-attr]

    def of_view(self, graph: str) -> Iterator[Record]:
        """Yield the records of a view, given by the IRI of its graph: one, where no update is under way."""
        return self._records_with(_VIEW, NamedNode(graph))

    def of_page(self, sha256: str) -> Iterator[Record]:
        """Yield the records of the states read from a page with this hash."""
        return self._records_with(_SHA256, Literal(sha256))

    def concerned(self, states: Iterable[ViewState]) -> Iterator[Record]:
        """Yield the records of the same views, of the other views of their series, and of the same pages."""
        asked: set[tuple[NamedNode, str]] = set()
        for state in states:
            asked |= {(_VIEW, state.graph), (_SHA256, state.sha256)}
            if state.series:
                asked.add((_SERIES, state.series))
        for property_, value in asked:
            yield from self._records_with(property_, Literal(value) if property_ == _SHA256 else NamedNode(value))

    def stated(self, record: Record) -> str:
        """Return the lines of a view as text: sorted N-Triples, without a line end after the last."""
        found = next(iter(self.database.quads_for_pattern(self._node(record), _LINES, None, self.records_graph)), None)
        return _unpacked(found.object).decode() if found else ""

    def write_views(self, stream: BinaryIO, *, triples: bool, quads: bool) -> None:
        """Write what each view states: as N-Triples lines, as N-Quads lines of its graph, or as both."""
        for found in self.database.quads_for_pattern(None, _LINES, None, self.records_graph):
            text = _unpacked(found.object) + b"\n"
            if triples:
                stream.write(text)
            if quads:
                views = self.database.quads_for_pattern(found.subject, _VIEW, None, self.records_graph)
                stream.write(_in_graph(text, next(iter(views)).object))

    def write_some(self, views: Iterable[str], stream: BinaryIO) -> None:
        """Write what the views with these graphs state as N-Triples lines."""
        for view in views:
            for found in self.database.quads_for_pattern(None, _VIEW, NamedNode(view), self.records_graph):
                for quad in self.database.quads_for_pattern(found.subject, _LINES, None, self.records_graph):
                    stream.write(_unpacked(quad.object))
                    stream.write(b"\n")

    def write_terms(self, stream: BinaryIO) -> None:
        """Write what the default graph says about terms of the ontology, as N-Triples lines."""
        for subject in {triple.subject for triple in self._triples(self.ontology)}:
            found = self.database.quads_for_pattern(subject, None, None, DefaultGraph())
            stream.write("".join(f"{quad.triple} .\n" for quad in found).encode())

    def write_others(self, stream: BinaryIO, *, graphs: bool, meta: bool) -> None:
        """Write the graphs beside the views as N-Quads lines, or what depends on the clock as N-Triples lines."""
        names = {*self.database.named_graphs()} - {self.records_graph} if graphs else {self.meta}
        for name in names if meta else names - {self.meta}:
            text = self.database.dump(format=RdfFormat.N_TRIPLES, from_graph=name) or b""
            stream.write(_in_graph(text, name) if graphs else text)

    def record_views(self) -> None:
        """Make records of the views that came as named graphs, as other tools hold them."""
        for graph in sorted(self.database.named_graphs(), key=str):
            if isinstance(graph, NamedNode) and graph not in {self.meta, self.ontology, self.records_graph}:
                self._record(graph)

    def _record(self, graph: NamedNode) -> None:
        from kg.model import ViewGraph

        found_of = (self.database.quads_for_pattern(None, _TYPE, kind, graph) for kind in (_SNAPSHOT, _OF_PAPER))
        for found in chain.from_iterable(found_of):
            about = self.database.quads_for_pattern(found.subject, None, None, graph)
            facts = {str(quad.predicate): lexical(str(quad.object)) for quad in about}
            count = facts.get(BK.pageCount)
            view = ViewGraph(
                graph=graph.value,
                series=facts.get(BK.metric, ""),
                page_number=int(facts.get(BK.pageNumber, "1")),
                page_count=None if count is None else int(count),
                modified=facts.get(DCT.modified, ""),
                sha256=facts.get(BK.sha256, ""),
                lines=tuple(sorted(lines(self.database, graph))),
            )
            self.database.load(make_part([(view, Stamp())], self.base).statements, RdfFormat.N_QUADS)
            self.database.remove_graph(graph)
            return

    # Taking views out

    def reread(self, before: Record) -> None:
        """Forget how a state was read before; what is loaded says how it is read now."""
        self.database.remove(Quad(self._node(before), _STATE, Literal(before.to_json()), self.records_graph))

    def drop(self, dropped: Collection[Record]) -> None:
        """Take out states and every triple that no other state of the store states."""
        nodes = {self._node(record) for record in dropped}
        lines_of = lru_cache(_REMEMBERED)(self._lines_of)
        gone: dict[str, set[str]] = {}
        for record in dropped:
            own = snapshot(record.state, self.base)
            lost = set(lines_of(self._node(record)))
            for heir in self._heirs(record, nodes):
                lost -= lines_of(heir)
            for line in lost:
                subject = whole(line.partition(" ")[0])
                gone.setdefault("" if subject == own else subject, set()).add(line)
        for subject, statements in gone.items():
            for node in self._stating(subject, nodes) if subject else ():
                statements.difference_update(lines_of(node))
                if not statements:
                    break
        for quad in pyoxigraph.parse("\n".join(line for each in gone.values() for line in each), RdfFormat.N_TRIPLES):
            self._remove(quad.triple)
        for node in nodes:
            about = self.database.quads_for_pattern(node, None, None, self.records_graph)
            subjects = self.database.quads_for_pattern(None, _STATED_BY, node, self.records_graph)
            for quad in [*about, *subjects]:
                self.database.remove(quad)

    def _node(self, record: Record) -> NamedNode:
        return named(record_node(record.state.digest, self.base))

    def _lines_of(self, node: NamedNode) -> frozenset[str]:
        quads = self.database.quads_for_pattern(node, _LINES, None, self.records_graph)
        return frozenset(line for quad in quads for line in _unpacked(quad.object).decode().split("\n"))

    def _heirs(self, record: Record, dropped: Collection[NamedNode]) -> set[NamedNode]:
        """Return the states that stay of the same view, or of the same page: they state most of what it stated."""
        places = ((_VIEW, NamedNode(record.state.graph)), (_SHA256, Literal(record.state.sha256)))
        quads = (
            quad
            for property_, value in places
            for quad in self.database.quads_for_pattern(None, property_, value, self.records_graph)
        )
        return {quad.subject for quad in quads if quad.subject not in dropped}  # type: ignore[misc]

    def _stating(self, subject: str, dropped: Collection[NamedNode]) -> Iterator[NamedNode]:
        """Yield the records of the views that state something of a subject or its parts, but for those dropped."""
        quads = self.database.quads_for_pattern(named(subject), _STATED_BY, None, self.records_graph)
        return (quad.object for quad in quads if quad.object not in dropped)  # type: ignore[misc]

    def _remove(self, triple: Triple) -> None:
        self.database.remove(Quad(triple.subject, triple.predicate, triple.object))

    # What stands beside the data

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
            line = f"{triple} ."
            if not any(line in self._lines_of(node) for node in self._stating(whole(str(triple.subject)), ())):
                self._remove(triple)

    def _triples(self, graph: NamedNode) -> set[Triple]:
        return {quad.triple for quad in self.database.quads_for_pattern(None, None, None, graph)}

    def _in_data(self, name: NamedNode, ontology_subjects: set[NamedNode]) -> bool:
        used_as_predicate = self.database.quads_for_pattern(None, name, None, DefaultGraph())
        used_as_object = self.database.quads_for_pattern(None, None, name, DefaultGraph())
        return any(
            quad.subject not in ontology_subjects for quads in (used_as_predicate, used_as_object) for quad in quads
        )
