"""Views of the knowledge graph as networkx graphs, measures over them, and the files other tools read.

A view is made from the triples of a CONSTRUCT in ``queries/graph/``. Nodes are named by their IRI
and carry ``label`` and ``kind``, two strings; literals are never nodes. Every attribute is a
string or a number, so that each exporter of networkx takes a view as it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, TypeAlias, TypeVar

import networkx as nx

from kg.errors import Misuse
from kg.files import replacing
from kg.terms import Triple, lexical
from kg.vocabulary import BK, RDF, RDFS

__all__ = ["MEASURES", "VIEWS", "Measured", "measure", "view", "write_graph"]

View: TypeAlias = "nx.Graph[str]"
_T = TypeVar("_T")

# https://www.w3.org/TR/xml/#charsets: what XML cannot carry would spoil GraphML and GEXF files.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Measured:
    """One node's value: a number of relations, the number of its component, or a PageRank (all sum to 1)."""

    node: str
    label: str
    kind: str
    value: int | float


def _local_name(address: str) -> str:
    """Return what stands after the last ``#`` or ``/`` of an IRI.

    >>> _local_name("https://w3id.org/benchkg/ns#reportedIn")
    'reportedIn'
    """
    return re.split(r"[#/]", address)[-1]


def _is_literal(term: str) -> bool:
    return term.startswith('"')


def _number(term: str) -> int | float:
    value = Decimal(lexical(term))
    return int(value) if value == value.to_integral_value() else float(value)


@dataclass(frozen=True, slots=True)
class _Edge:
    """One relation between two nodes, all by IRI; ``weight`` counts the results it stands for."""

    source: str
    relation: str
    target: str
    weight: int | float = 1


class _Construct:
    """The triples of one CONSTRUCT, taken apart into nodes and edges, in an order that only they decide."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.labels: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.relations: list[_Edge] = []
        statements: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for subject, predicate, value in sorted(set(triples)):
            if subject.startswith("_:"):
                statements[subject][predicate] = value
                continue
            node = lexical(subject)
            if predicate == RDFS.label:
                self.labels.setdefault(node, _NO_XML.sub("\ufffd", lexical(value)))
            elif predicate == RDF.type:
                self._classify(node, value)
            elif not _is_literal(value):
                self.relations.append(_Edge(node, lexical(predicate), lexical(value)))
        self.weighted = sorted(map(_weighted_edge, statements.values()), key=lambda edge: (edge.source, edge.target))

    def _classify(self, node: str, term: str) -> None:
        """Keep a node's class: of several, one of our own, since the others are alignments."""
        if term.startswith(f"<{BK.namespace}") or node not in self.kinds:
            self.kinds[node] = _local_name(lexical(term))

    def add_nodes(self, graph: View, edges: Iterable[_Edge]) -> None:
        """Add each node that has a class or an edge, sorted by IRI."""
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        for node in sorted(ends | self.kinds.keys()):
            label = self.labels.get(node) or _local_name(node)
            graph.add_node(node, label=label, kind=self.kinds.get(node, ""))


def _weighted_edge(statement: dict[str, str]) -> _Edge:
    """Return the edge that a blank node states: subject, predicate, object and a number."""
    source, relation, target = (lexical(statement[part]) for part in (RDF.subject, RDF.predicate, RDF.object))
    return _Edge(source, relation, target, _number(statement[RDF.value]))


def _everything(found: _Construct) -> View:
    """Every relation between two nodes, as a MultiDiGraph: the key of an edge is the name of its property."""
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name="everything")
    found.add_nodes(graph, found.relations)
    names = Counter(map(_local_name, {edge.relation for edge in found.relations}))
    for edge in found.relations:
        name = _local_name(edge.relation)
        # Two vocabularies may use one name; then the IRI keeps the relations apart.
        key = name if names[name] == 1 else edge.relation
        graph.add_edge(edge.source, edge.target, key=key, relation=key)
    return graph


def _weighted(graph: View, found: _Construct) -> View:
    found.add_nodes(graph, found.weighted)
    for edge in found.weighted:
        graph.add_edge(edge.source, edge.target, relation=_local_name(edge.relation), weight=edge.weight)
    return graph


def _methods_benchmarks(found: _Construct) -> View:
    """Methods and the benchmarks they have results on, as a bipartite Graph: the weight counts results."""
    return _weighted(nx.Graph(name="methods-benchmarks"), found)


def _papers(found: _Construct) -> View:
    """Reporting paper to origin paper, as a DiGraph: the weight counts the results of such methods.

    A paper that reports its own methods has an edge to itself; measures leave that out.
    """
    return _weighted(nx.DiGraph(name="papers"), found)


VIEWS = MappingProxyType({"everything": _everything, "methods-benchmarks": _methods_benchmarks, "papers": _papers})
"""The views by name; the CONSTRUCT that each is made from has the same name."""


def _degree(graph: View) -> Iterable[tuple[str, int | float]]:
    """Count the relations of each node, in both directions and parallel ones each."""
    return graph.degree()


def _components(graph: View) -> Iterable[tuple[str, int | float]]:
    """Number the weakly connected components from 1, the largest first."""
    found = nx.weakly_connected_components(graph) if isinstance(graph, nx.DiGraph) else nx.connected_components(graph)
    ordered = sorted(found, key=lambda nodes: (-len(nodes), min(nodes)))
    return ((node, number) for number, nodes in enumerate(ordered, start=1) for node in nodes)


def _pagerank(graph: View) -> Iterable[tuple[str, int | float]]:
    """Rank by the random walk of Page, Brin, Motwani and Winograd (1999), damping 0.85, along weights."""
    # More digits than a table shows, so that equal nodes come out equal whatever the order of summing.
    return ((node, round(rank, 9)) for node, rank in nx.pagerank(graph, tol=1e-12, max_iter=1000).items())


MEASURES = MappingProxyType({"components": _components, "degree": _degree, "pagerank": _pagerank})
"""The measures by name; each gives every node of a view a number."""


def _named(table: MappingProxyType[str, _T], what: str, name: str) -> _T:
    if name not in table:
        raise Misuse(f"there is no {what} {name!r}; choose one of {', '.join(sorted(table))}")
    return table[name]


def view(name: str, triples: Iterable[Triple]) -> View:
    """Return a networkx graph of the triples that the CONSTRUCT of the same name gives.

    ``triples`` are N-Triples terms. A plain triple between two nodes is an edge of ``everything``;
    the other views take edges stated by a blank node with ``rdf:subject``, ``rdf:predicate``,
    ``rdf:object`` and the weight as ``rdf:value``. Edges carry ``relation`` (the local name of the
    property) and, where weighted, ``weight``. Raises ``Misuse`` for a name that is not in ``VIEWS``.

    >>> tern, paper = "<https://example.org/tern>", "<https://example.org/paper>"
    >>> graph = view("everything", [(tern, BK.originPaper, paper), (tern, BK.reportedIn, paper)])
    >>> sorted(key for *_, key in graph.edges(keys=True))
    ['originPaper', 'reportedIn']
    """
    return _named(VIEWS, "graph view", name)(_Construct(triples))


def measure(name: str, graph: View) -> list[Measured]:
    """Return the measure of every node, largest first (components: smallest number first), equals by IRI.

    An edge from a node to itself counts in no measure: that a paper reports its own method says
    nothing about its place among others. Raises ``Misuse`` for a name that is not in ``MEASURES``.

    >>> import networkx as nx
    >>> [(row.node, row.value) for row in measure("degree", nx.Graph([("a", "b"), ("b", "c")]))]
    [('b', 2), ('a', 1), ('c', 1)]
    """
    taken = _named(MEASURES, "measure", name)
    without_loops = nx.subgraph_view(graph, filter_edge=lambda source, target, *_key: source != target)
    rows = [
        Measured(node, graph.nodes[node].get("label", ""), graph.nodes[node].get("kind", ""), value)
        for node, value in taken(without_loops)
    ]
    sign = 1 if name == "components" else -1
    return sorted(rows, key=lambda row: (sign * row.value, row.node))


def _write_graphml(graph: View, file: BinaryIO) -> None:
    if graph.is_multigraph():
        # networkx writes the key as the id of an edge, but an id may stand only once in an XML file.
        graph = graph.copy()
        for number, (*_, attributes) in enumerate(graph.edges(data=True)):
            attributes["id"] = f"e{number}"
    nx.write_graphml_xml(graph, file, edge_id_from_attribute="id" if graph.is_multigraph() else None)


def _write_gexf(graph: View, file: BinaryIO) -> None:
    nx.write_gexf(graph, file)


def _write_json(graph: View, file: BinaryIO) -> None:
    file.write(json.dumps(nx.node_link_data(graph, edges="edges"), ensure_ascii=False, indent=1).encode() + b"\n")


_WRITERS = MappingProxyType({".gexf": _write_gexf, ".graphml": _write_graphml, ".json": _write_json})


def write_graph(graph: View, path: Path) -> None:
    """Write a view as GraphML, GEXF or node-link JSON, whole or not at all, by the suffix of ``path``.

    Raises ``Misuse`` for another suffix, and where the file cannot be written.
    """
    writer = _named(_WRITERS, "format for the suffix", path.suffix.lower())
    with replacing(path) as file:
        writer(graph, file)
