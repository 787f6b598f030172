"""pyshacl, whose word on a graph counts: what the compiled shapes find is what it finds."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from kg.rdflib_graph import to_rdflib
from kg.terms import Triple, literal
from kg.validation.check import Result
from kg.validation.described import local_name

if TYPE_CHECKING:
    from pyshacl import ShapesGraph
    from rdflib.term import Node

__all__ = ["results", "shapes_graph"]


def shapes_graph(triples: Iterable[Triple]) -> ShapesGraph:
    """Return shapes as pyshacl runs them.

    A property shape of a node shape that targets classes is given the same targets itself and taken
    off the node shape: the same checks and reports, but pyshacl then checks all focus nodes at
    once, where it would set up every constraint anew for each of them.
    """
    from pyshacl import ShapesGraph
    from rdflib import SH

    # The plainest of rdflib's stores: without named graphs, it answers in half the time.
    graph = to_rdflib(triples, store="SimpleMemory")
    by_class = set(graph.subjects(SH.targetClass))
    for shape, inner in list(graph.subject_objects(SH.property)):
        if shape in by_class:
            graph.remove((shape, SH.property, inner))
            for target in list(graph.objects(shape, SH.targetClass)):
                graph.add((inner, SH.targetClass, target))
    shapes = ShapesGraph(graph)
    # They are read when they are first asked for, which belongs to the making.
    shapes.shapes  # noqa: B018
    return shapes


def results(triples: Iterable[Triple], shapes: ShapesGraph) -> list[Result]:
    """Return what pyshacl finds in a graph."""
    from pyshacl import Validator
    from pyshacl.graph_abstraction import DataGraph
    from rdflib import SH, Graph

    with _no_complaints():
        validator = Validator(DataGraph.from_rdflib(to_rdflib(triples)), shacl_graph=Graph())
        # The validator would read the shapes anew for each graph.
        validator.shacl_graph = shapes
        _, found, _ = validator.run()  # type: ignore[no-untyped-call]
    # One constraint on one node gives a result for each wrong value; a person reads them together.
    together: dict[tuple[str, str, str], set[str]] = {}
    for result in found.objects(None, SH.result):
        shape, focus, component = (
            cast("Node", found.value(result, property_))
            for property_ in (SH.sourceShape, SH.focusNode, SH.sourceConstraintComponent)
        )
        values = together.setdefault((local_name(_text(shape)), _text(focus), local_name(_text(component))), set())
        values.update(map(_text, found.objects(result, SH.value)))
    return [Result(*which, values) for which, values in together.items()]


@contextmanager
def _no_complaints() -> Iterator[None]:
    """Keep rdflib from printing a traceback for each literal that a shape is about to find wrong."""
    logger = logging.getLogger("rdflib.term")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _text(term: Node) -> str:
    """Return the term as N-Triples text; ``n3`` of rdflib shortens numbers."""
    from rdflib import BNode, Literal

    if isinstance(term, BNode):
        return f"_:{term}"
    if not isinstance(term, Literal):
        return f"<{term}>"
    text = literal(str(term), f"<{term.datatype}>" if term.datatype else "")
    return f"{text}@{term.language}" if term.language else text
