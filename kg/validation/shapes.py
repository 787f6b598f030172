"""The shapes of a folder, read once and used for many graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg.errors import Misuse
from kg.terms import lexical
from kg.vocabulary import BKS, prefixes

if TYPE_CHECKING:
    from pyshacl import Shape, ShapesGraph
    from rdflib import Graph
    from rdflib.term import Node

__all__ = ["Shapes", "load_shapes", "local_name"]


def local_name(iri: object) -> str:
    """Return an IRI without its namespace.

    >>> local_name("https://w3id.org/benchkg/ns#Result")
    'Result'
    """
    return str(iri).rpartition("#")[2]


@dataclass(frozen=True, slots=True)
class Shapes:
    """Shapes ready to check graphs with (``load_shapes`` makes them).

    ``graph`` is pyshacl's. ``targeted`` are the shapes with a target of their own. ``checked_with``
    gives for each of them the property shapes that check the same nodes. ``paths`` are SPARQL
    property paths with prefixed names. ``mentioned`` are the properties (IRIs) that a shape, or a
    shape it is made of, looks at. ``expected`` are the shapes that should find a target in any graph
    worth the name: those for a class, other than one that clean pages have no node of.
    """

    graph: ShapesGraph
    targeted: Mapping[str, Shape]
    checked_with: Mapping[str, tuple[str, ...]]
    paths: Mapping[str, str]
    mentioned: Mapping[str, frozenset[str]]
    expected: frozenset[str]


def load_shapes(directory: Path) -> Shapes:
    """Read every ``*.ttl`` of a folder as one shapes graph; raises Misuse where there is none.

    A property shape of a node shape that targets classes is given the same targets itself and taken
    off the node shape: the same checks and reports, but pyshacl then checks all focus nodes at
    once, where it would set up every constraint anew for each of them.
    """
    from pyshacl import ShapesGraph
    from rdflib import RDF, SH, Graph, URIRef

    files = sorted(directory.glob("*.ttl"))
    if not files:
        raise Misuse(f"There are no shapes in {directory}: name a folder with .ttl files.")
    # The plainest of rdflib's stores: without named graphs, it answers in half the time.
    graph = Graph(store="SimpleMemory")
    for file in files:
        graph.parse(file, format="turtle")
    every = {*graph.subjects(RDF.type, SH.NodeShape), *graph.subjects(RDF.type, SH.PropertyShape)}
    paths = {local_name(shape): _path(graph, path) for shape, path in graph.subject_objects(SH.path)}
    mentioned = {local_name(shape): frozenset(_mentioned(graph, shape)) for shape in every}
    by_class = set(graph.subjects(SH.targetClass))
    targeted = by_class | set(graph.subjects(SH.targetSubjectsOf))
    absent = set(graph.subjects(URIRef(lexical(BKS.mayBeAbsent))))
    checked_with = {
        local_name(shape): tuple(sorted(local_name(inner) for inner in graph.objects(shape, SH.property)))
        for shape in targeted
    }
    for shape, inner in list(graph.subject_objects(SH.property)):
        if shape in by_class:
            graph.remove((shape, SH.property, inner))
            for target in list(graph.objects(shape, SH.targetClass)):
                graph.add((inner, SH.targetClass, target))
    shapes = ShapesGraph(graph)
    known = {shape.node: shape for shape in shapes.shapes}
    return Shapes(
        graph=shapes,
        targeted={local_name(shape): known[shape] for shape in sorted(targeted, key=str)},
        checked_with=checked_with,
        paths=paths,
        mentioned=mentioned,
        expected=frozenset(map(local_name, by_class - absent)),
    )


def _mentioned(graph: Graph, shape: Node) -> Iterator[str]:
    """Yield the properties that a shape and those it is made of look at."""
    from rdflib import RDF, SH, URIRef
    from rdflib.collection import Collection

    for path in graph.objects(shape, SH.path):
        nodes = {path, *graph.transitive_objects(path, None)} if not isinstance(path, URIRef) else {path}
        yield from (str(node) for node in nodes if isinstance(node, URIRef) and node != RDF.nil)
    for members in (SH["or"], SH["and"]):
        for head in graph.objects(shape, members):
            for member in Collection(graph, head):
                yield from _mentioned(graph, member)


def _path(graph: Graph, path: Node) -> str:
    """Return a SHACL path as a SPARQL property path with prefixed names."""
    from rdflib import RDF, SH, URIRef
    from rdflib.collection import Collection

    if isinstance(path, URIRef):
        return _prefixed(path)
    for inverse in graph.objects(path, SH.inversePath):
        return f"^{_path(graph, inverse)}"
    for steps in graph.objects(path, SH.alternativePath):
        return "|".join(_path(graph, step) for step in Collection(graph, steps))
    assert graph.value(path, RDF.first) is not None, "shapes use names, inverse, alternative and sequence paths"
    return "/".join(_path(graph, step) for step in Collection(graph, path))


def _prefixed(iri: str) -> str:
    for prefix, namespace in prefixes().items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri.removeprefix(namespace)}"
    return f"<{iri}>"
