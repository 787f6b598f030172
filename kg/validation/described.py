"""A shapes graph as its triples describe it, before anything is made of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from kg.errors import Misuse
from kg.terms import Triple
from kg.vocabulary import RDF, SH

__all__ = ["Described", "local_name", "path_text", "sh"]

_FIRST = f"<{RDF.namespace}first>"
_REST = f"<{RDF.namespace}rest>"


def local_name(term: str) -> str:
    """Return a term without its namespace.

    >>> local_name("<https://w3id.org/benchkg/ns#Result>")
    'Result'
    """
    return term.rpartition("#")[2].removesuffix(">")


def sh(name: str) -> str:
    """Return a term of SHACL; some are words that Python keeps for itself."""
    return f"<{SH.namespace}{name}>"


class Described:
    """A shapes graph by node and property; all terms are N-Triples text."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._values: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
        for subject, predicate, value in triples:
            self._values[subject].setdefault(predicate, []).append(value)

    def of_class(self, class_: str) -> list[str]:
        """Return the nodes of a class."""
        return [node for node, said in self._values.items() if class_ in said.get(RDF.type, ())]

    def nodes_with(self, property_: str) -> list[str]:
        """Return the nodes that have a property."""
        return [node for node, said in self._values.items() if property_ in said]

    def has(self, term: str) -> bool:
        """Tell whether a term is used as a property or a class."""
        return bool(self.nodes_with(term) or self.of_class(term))

    def properties(self, node: str) -> Mapping[str, list[str]]:
        """Return all that is said of a node."""
        return self._values.get(node, {})

    def values(self, node: str, property_: str) -> list[str]:
        """Return the values of a property."""
        return self.properties(node).get(property_, [])

    def members(self, head: str) -> list[str]:
        """Return the members of an RDF list."""
        found = []
        while first := self.values(head, _FIRST):
            found += first
            (head,) = self.values(head, _REST)
        return found


def path_text(shapes: Described, node: str) -> str:
    """Return a property path as SPARQL writes it.

    Shapes with paths of other kinds than a name, inverse, alternative and sequence are ``Misuse``.
    """
    if node.startswith("<"):
        return node
    said = shapes.properties(node)
    if inverse := said.get(sh("inversePath")):
        return f"^{_inside(shapes, inverse[0])}"
    if alternatives := said.get(sh("alternativePath")):
        return "|".join(_inside(shapes, step) for step in shapes.members(alternatives[0]))
    if _FIRST in said:
        return "/".join(_inside(shapes, step) for step in shapes.members(node))
    raise Misuse(f"A shape has a path with {', '.join(map(local_name, said))}: write another that names its steps.")


def _inside(shapes: Described, node: str) -> str:
    text = path_text(shapes, node)
    return f"({text})" if re.search("[|/]", re.sub("<[^>]*>", "", text)) else text
