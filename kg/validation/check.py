"""A shape, compiled: what it finds wrong with nodes of a graph."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from kg.validation.index import Index, Path, Relation, Single

__all__ = ["Check", "Checks", "Result", "component", "failing", "results"]


class Result(NamedTuple):
    """One constraint that a focus node does not meet, with the values that are wrong."""

    shape: str
    focus: str
    component: str
    values: AbstractSet[str]


def component(parameter: str) -> str:
    """Return the constraint component of a parameter, both without their namespace.

    >>> component("minCount")
    'MinCountConstraintComponent'
    """
    return f"{parameter[0].upper()}{parameter[1:]}ConstraintComponent"


@dataclass(frozen=True, slots=True)
class Check:
    """A shape, compiled, without its property shapes.

    ``single`` are its constraints on single values by the name of their component. A node has at
    least ``fewest`` and at most ``most`` values, and those that the ``equals`` paths lead to.
    """

    name: str
    path: Path | None
    single: tuple[tuple[str, Single], ...] = ()
    fewest: int = 0
    most: int | None = None
    equals: tuple[Path, ...] = ()

    def of_nodes(self, index: Index, focus: AbstractSet[str]) -> list[Result]:
        """Return what is wrong with focus nodes themselves."""
        found: list[Result] = []
        for name, constraint in self.single:
            if wrong := constraint(index, focus):
                found += (Result(self.name, node, name, {node}) for node in wrong)
        return found

    def of_values(self, relation: Relation, index: Index, focus: AbstractSet[str]) -> list[Result]:
        """Return what is wrong with the values that the path leads to from focus nodes."""
        found: list[Result] = []
        for name, constraint in self.single:
            # Most often no value in the whole graph is wrong, and there is no need to ask whose it is.
            if wrong := relation.wrong(constraint, index):
                having = relation.with_any(focus, wrong)
                found += (Result(self.name, node, name, wrong & relation.values[node]) for node in having)
        if self.fewest and (few := relation.fewer(focus, self.fewest)):
            found += (Result(self.name, node, component("minCount"), frozenset()) for node in few)
        if self.most is not None and (many := relation.more(focus, self.most)):
            found += (Result(self.name, node, component("maxCount"), frozenset()) for node in many)
        for path in self.equals:
            if differing := relation.differing(focus, index.related(path)):
                found += (Result(self.name, node, component("equals"), its) for node, its in differing.items())
        return found

    def failing(self, index: Index, nodes: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of some nodes that do not conform."""
        if self.path is None:
            found = [constraint(index, nodes) for _, constraint in self.single]
        else:
            relation = index.related(self.path)
            found = [relation.with_any(nodes, relation.wrong(constraint, index)) for _, constraint in self.single]
            if self.fewest:
                found.append(relation.fewer(nodes, self.fewest))
            if self.most is not None:
                found.append(relation.more(nodes, self.most))
            found += (relation.differing(nodes, index.related(path)).keys() for path in self.equals)
        return found[0] if len(found) == 1 else set().union(*found)


Checks = tuple[Check, ...]
"""A shape with its property shapes, which check the same nodes."""


def results(checks: Checks, index: Index, focus: AbstractSet[str]) -> list[Result]:
    """Return what a shape finds wrong with some focus nodes."""
    found: list[Result] = []
    for check in checks:
        if check.path is None:
            found += check.of_nodes(index, focus)
            continue
        relation = index.related(check.path)
        if relation.column or check.fewest or check.equals:
            found += check.of_values(relation, index, focus)
    return found


def failing(checks: Checks, index: Index, nodes: AbstractSet[str]) -> AbstractSet[str]:
    """Return those of some nodes that do not conform to a shape."""
    found = [check.failing(index, nodes) for check in checks]
    return found[0] if len(found) == 1 else set().union(*found)
