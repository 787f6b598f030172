"""The shapes of a folder, read once and used for many graphs."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kg.errors import Misuse
from kg.terms import Triple, lexical
from kg.validation.check import Checks
from kg.validation.compiling import Unsupported, compiled
from kg.validation.described import Described, local_name, path_text, sh
from kg.validation.findings import Severity
from kg.validation.index import Index
from kg.validation.paths import step
from kg.vocabulary import BKS, RDFS, prefixes

if TYPE_CHECKING:
    from pyshacl import ShapesGraph

__all__ = ["Shapes", "Target", "load_shapes"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Target:
    """What a shape checks: the nodes of some classes, and those with some properties (all N-Triples terms).

    ``checks`` are the shape and its property shapes compiled, or None where only pyshacl can tell;
    ``why`` then says what the shape asks for.
    """

    classes: tuple[str, ...]
    subjects_of: tuple[str, ...]
    checks: Checks | None
    why: str = ""

    def nodes(self, index: Index) -> AbstractSet[str]:
        """Return the focus nodes in a graph."""
        if len(self.classes) == 1 and not self.subjects_of:
            return index.instances(self.classes[0])
        found = [index.instances(class_) for class_ in self.classes]
        return set().union(*found, *(index.related(step(property_)).nodes for property_ in self.subjects_of))


@dataclass(frozen=True, eq=False)
class Shapes:
    """Shapes ready to check graphs with (``load_shapes`` makes them); shapes go by their local names.

    ``targeted`` are the shapes with a target of their own; ``checked_by`` names for each of them, and for
    each of their property shapes, the one whose targets it checks. ``paths`` are SPARQL property paths
    with prefixed names. ``mentioned`` are the properties (IRIs) that a shape, or a shape it is made of,
    looks at. ``severities`` and ``messages`` are those of each shape. ``expected`` are the shapes that
    should find a target in any graph worth the name: those for a class, other than one that clean pages
    have no node of. ``beyond`` says what in them leaves every graph to pyshacl, empty where nothing does.
    """

    targeted: Mapping[str, Target]
    checked_by: Mapping[str, str]
    paths: Mapping[str, str]
    mentioned: Mapping[str, frozenset[str]]
    severities: Mapping[str, Severity]
    messages: Mapping[str, str]
    expected: frozenset[str]
    beyond: str
    triples: tuple[Triple, ...] = field(repr=False)

    @property
    def unscreened(self) -> Mapping[str, str]:
        """The shapes that are left to pyshacl, each with what it asks for that nothing else here knows."""
        return {name: target.why for name, target in self.targeted.items() if target.checks is None}

    @cached_property
    def reference(self) -> ShapesGraph:
        """The shapes as pyshacl has them."""
        from kg.validation.reference import shapes_graph

        return shapes_graph(self.triples)


def load_shapes(directory: Path) -> Shapes:
    """Read every ``*.ttl`` of a folder as one shapes graph; raises ``Misuse`` where there is none.

    Shapes that only pyshacl can check are logged as a warning: they take some fifty times as long.
    """
    files = sorted(directory.glob("*.ttl"))
    if not files:
        raise Misuse(f"There are no shapes in {directory}: name a folder with .ttl files.")
    triples = tuple(triple for file in files for triple in _parsed(file))
    shapes = Described(triples)
    with_target = {*shapes.nodes_with(sh("targetClass")), *shapes.nodes_with(sh("targetSubjectsOf"))}
    typed = {*shapes.of_class(sh("NodeShape")), *shapes.of_class(sh("PropertyShape"))}
    inner = {value for node in shapes.nodes_with(sh("property")) for value in shapes.values(node, sh("property"))}
    every = sorted(typed | with_target | inner)
    targeted = {local_name(node): node for node in sorted(with_target)}
    loaded = Shapes(
        targeted={name: _target(shapes, node) for name, node in targeted.items()},
        checked_by=dict(
            sorted(
                (local_name(inner), name)
                for name, node in targeted.items()
                for inner in (node, *shapes.values(node, sh("property")))
            )
        ),
        paths={
            local_name(node): _prefixed(path_text(shapes, path))
            for node in every
            for path in shapes.values(node, sh("path"))
        },
        mentioned={local_name(node): frozenset(_mentioned(shapes, node)) for node in every},
        severities={local_name(node): _severity(shapes, node) for node in every},
        messages={local_name(node): lexical((shapes.values(node, sh("message")) or ['""'])[0]) for node in every},
        expected=frozenset(
            name
            for name, node in targeted.items()
            if shapes.values(node, sh("targetClass")) and not shapes.values(node, BKS.mayBeAbsent)
        ),
        beyond=", ".join(sorted({local_name(term) for term in _BEYOND if shapes.has(term)})),
        triples=triples,
    )
    if loaded.beyond:
        _LOG.warning("Every graph is checked by pyshacl, at a fiftieth of the speed: shapes use %s.", loaded.beyond)
    for name, why in loaded.unscreened.items():
        _LOG.warning("A graph with a target of %s is checked by pyshacl, at a fiftieth of the speed: %s.", name, why)
    return loaded


_BEYOND = (
    *map(sh, ("ConstraintComponent", "target", "targetNode", "targetObjectsOf")),
    f"<{RDFS.namespace}Class>",
)
"""Terms that give shapes targets, or constraints, that are not known here."""


def _parsed(file: Path) -> Iterator[Triple]:
    import pyoxigraph

    try:
        for it in pyoxigraph.parse(path=file, format=pyoxigraph.RdfFormat.TURTLE, rename_blank_nodes=True):
            yield str(it.subject), str(it.predicate), str(it.object)
    except SyntaxError as error:
        raise Misuse(f"{file} is no Turtle: {error}") from error


def _target(shapes: Described, node: str) -> Target:
    classes = tuple(shapes.values(node, sh("targetClass")))
    subjects_of = tuple(shapes.values(node, sh("targetSubjectsOf")))
    try:
        return Target(classes, subjects_of, compiled(shapes, node))
    except Unsupported as error:
        return Target(classes, subjects_of, None, str(error))


def _severity(shapes: Described, node: str) -> Severity:
    return cast("Severity", local_name((shapes.values(node, sh("severity")) or [sh("Violation")])[0]).lower())


def _mentioned(shapes: Described, node: str) -> Iterator[str]:
    """Yield the properties that a shape and those it is made of look at."""
    for path in shapes.values(node, sh("path")):
        yield from _IRI.findall(path_text(shapes, path))
    for members in ("or", "and"):
        for head in shapes.values(node, sh(members)):
            for member in shapes.members(head):
                yield from _mentioned(shapes, member)


_IRI = re.compile("<([^>]*)>")


def _prefixed(path: str) -> str:
    known = prefixes()

    def name(found: re.Match[str]) -> str:
        iri = found[1]
        for prefix, namespace in known.items():
            if iri.startswith(namespace):
                return f"{prefix}:{iri.removeprefix(namespace)}"
        return f"<{iri}>"

    return _IRI.sub(name, path)
