"""One graph against the shapes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from kg import vocabulary
from kg.rdflib_graph import to_rdflib
from kg.terms import Triple, lexical, literal
from kg.validation.findings import Finding, Report, Severity
from kg.validation.places import Places, split
from kg.validation.shapes import Shapes, local_name
from kg.vocabulary import BK, RDF, Vocabulary

if TYPE_CHECKING:
    from pyshacl.graph_abstraction import DataGraph
    from rdflib import Graph
    from rdflib.term import Node

__all__ = ["validate"]

_KNOWN = frozenset(
    getattr(terms, name) for terms in vars(vocabulary).values() if isinstance(terms, Vocabulary) for name in terms.names
)


def validate(lines: Iterable[str], shapes: Shapes) -> Report:
    """Check one graph, given as N-Triples lines, against shapes.

    The graph is that of one view, or of several merged; nothing is inferred, but instances of a
    subclass that the graph itself declares count as those of the class, as SHACL has it.
    """
    from pyshacl import Validator
    from pyshacl.graph_abstraction import DataGraph
    from rdflib import Graph

    triples = [split(line) for line in lines]
    with _no_complaints():
        data = DataGraph.from_rdflib(to_rdflib(triples))
        validator = Validator(data, shacl_graph=Graph())
        # The validator would read the shapes anew for each graph.
        validator.shacl_graph = shapes.graph
        _, found, _ = validator.run()  # type: ignore[no-untyped-call]
    findings = _findings(found, shapes, triples)
    counts = _focus_counts(data, shapes)
    return Report(
        findings=tuple(sorted(findings, key=lambda it: it.order)),
        focus_counts=counts,
        without_target=tuple(sorted(shape for shape in shapes.expected if not counts[shape])),
        unknown_terms=tuple(sorted(_unknown_terms(triples))),
    )


@contextmanager
def _no_complaints() -> Iterator[None]:
    """Keep rdflib from printing a traceback for each literal that a shape is about to find wrong."""
    logger = logging.getLogger("rdflib.term")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _findings(found: Graph, shapes: Shapes, triples: list[Triple]) -> Iterator[Finding]:
    from rdflib import SH, BNode

    # One constraint on one node gives a result for each wrong value; a person reads them together.
    together: dict[tuple[Node, Node, Node], set[Node]] = {}
    for result in found.objects(None, SH.result):
        shape, focus, component = (
            cast("Node", found.value(result, property_))
            for property_ in (SH.sourceShape, SH.focusNode, SH.sourceConstraintComponent)
        )
        together.setdefault((shape, focus, component), set()).update(found.objects(result, SH.value))
    known = shapes.graph.graph
    places = Places(triples if together else ())
    for (shape, focus, component), values in together.items():
        name = local_name(shape)
        node = _text(focus)
        path = shapes.paths.get(name, "")
        yield Finding(
            severity=cast("Severity", local_name(known.value(shape, SH.severity)).lower()),
            shape=name,
            focus=node if isinstance(focus, BNode) else str(focus),
            path=path,
            # The value of a node shape is the focus node itself.
            values=tuple(sorted(_text(value) for value in values)) if path else (),
            component=local_name(component),
            message=str(known.value(shape, SH.message)),
            **places.of(node, shapes.mentioned[name]),
        )


def _text(term: Node) -> str:
    """Return the term as N-Triples text; ``n3`` of rdflib shortens numbers."""
    from rdflib import BNode, Literal

    if isinstance(term, BNode):
        return f"_:{term}"
    if not isinstance(term, Literal):
        return f"<{term}>"
    text = literal(str(term), f"<{term.datatype}>" if term.datatype else "")
    return f"{text}@{term.language}" if term.language else text


def _focus_counts(data: DataGraph, shapes: Shapes) -> dict[str, int]:
    counts = {}
    for name, shape in shapes.targeted.items():
        counts[name] = len(shape.focus_nodes(data))  # type: ignore[no-untyped-call]
        counts.update(dict.fromkeys(shapes.checked_with[name], counts[name]))
    return dict(sorted(counts.items()))


def _unknown_terms(triples: Iterable[Triple]) -> set[str]:
    own = f"<{BK.namespace}"
    return {
        lexical(term)
        for _, predicate, value in triples
        for term in ((value,) if predicate == RDF.type else (predicate,) if predicate.startswith(own) else ())
        if term not in _KNOWN and term.startswith("<")
    }
