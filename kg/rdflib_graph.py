"""Triples as rdflib holds them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kg.terms import Triple, lexical

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = ["to_rdflib"]


def to_rdflib(triples: Iterable[Triple], store: str = "default") -> Graph:
    """Return triples of N-Triples text as an rdflib graph, every literal as written.

    ``store`` is the name of the store of rdflib that holds it.

    rdflib's own parsers would turn ``1e5`` into ``100000`` and the zone ``Z`` into ``+00:00``.
    """
    from rdflib import BNode, Graph, Literal, URIRef

    made: dict[str, URIRef | BNode | Literal] = {}

    def term(text: str) -> URIRef | BNode | Literal:
        if text in made:
            return made[text]
        if text.startswith("<"):
            node: URIRef | BNode | Literal = URIRef(lexical(text))
        elif text.startswith("_:"):
            node = BNode(text[2:])
        else:
            body, _, datatype = text.rpartition('"^^')
            language = "" if body else text.rpartition('"')[2].removeprefix("@")
            node = Literal(
                lexical(text),
                lang=language or None,
                datatype=URIRef(datatype[1:-1]) if body else None,
                normalize=False,
            )
        made[text] = node
        return node

    graph = Graph(store=store)
    graph.addN((term(subject), term(predicate), term(value), graph) for subject, predicate, value in triples)
    return graph
