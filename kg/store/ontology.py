"""The part of the ontology that belongs to the data: the terms used, and the terms that explain those."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache

import pyoxigraph
from pyoxigraph import NamedNode, Triple

from kg import resources
from kg.terms import lexical
from kg.vocabulary import OWL, RDF

__all__ = ["Ontology", "ontology", "used"]

Ontology = Mapping[NamedNode, frozenset[Triple]]
"""Triples by the term they are about."""

_TYPE = NamedNode(lexical(RDF.type))
_HEADER = NamedNode(lexical(OWL.Ontology))


@lru_cache(maxsize=1)
def _parsed(turtle: bytes) -> Ontology:
    database = pyoxigraph.Store()  # terms in the form in which a store gives them back
    database.bulk_load(turtle, pyoxigraph.RdfFormat.TURTLE)
    found: dict[NamedNode, set[Triple]] = defaultdict(set)
    for quad in database:
        if isinstance(quad.subject, NamedNode):
            found[quad.subject].add(quad.triple)
    return {subject: frozenset(triples) for subject, triples in found.items()}


def ontology() -> Ontology:
    """Return the whole ontology of the project's own terms."""
    return _parsed(resources.ontology())


def used(terms: Ontology, in_data: Callable[[NamedNode], bool]) -> set[Triple]:
    """Return the triples about the terms that are in the data, and about the terms that those triples use.

    The ontology's own header comes with them; where the data use no term, there is nothing.
    """
    headers = {term for term, triples in terms.items() if Triple(term, _TYPE, _HEADER) in triples}
    waiting = [term for term in terms if term not in headers and in_data(term)]
    if not waiting:
        return set()
    reached = {*waiting, *headers}
    while waiting:
        for triple in terms[waiting.pop()]:
            for term in (triple.predicate, triple.object):
                if term in terms and term not in reached:
                    reached.add(term)  # type: ignore[arg-type] # what is a key of the mapping is an IRI
                    waiting.append(term)  # type: ignore[arg-type]
    return {triple for term in reached for triple in terms[term]}
