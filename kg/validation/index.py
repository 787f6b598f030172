"""One graph by property, so that a constraint looks at all values of a property at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet

from kg.terms import Triple
from kg.vocabulary import RDF, RDFS, XSD

__all__ = ["Columns", "Index", "Path", "Relation", "Single", "Undecided", "certain", "split"]

Columns = tuple[Sequence[str], Sequence[str]]
"""The nodes and values that a path joins, each pair once: the first node and the first value are a pair, and so on."""

Path = Callable[["Index"], Columns]
"""A property path."""

Single = Callable[["Index", AbstractSet[str]], AbstractSet[str]]
"""A constraint on single values: which of some values do not meet it."""

_SUBCLASS_OF = f"<{RDFS.namespace}subClassOf>"
_SAME = re.compile(r"\\[^\"\\bfnrt]|\"@[^\"]*[A-Z][^\"]*\Z")
"""What rdflib may see equal to another text: an escape of what needs none, a language in upper case."""
_COLLAPSED = tuple(f'"^^<{XSD.namespace}{name}>' for name in ("normalizedString", "token"))
"""How a literal ends in which rdflib changes white space."""


class Undecided(Exception):
    """The graph has something of which only the reference validator can tell what it makes of it."""


def split(line: str) -> Triple:
    """Return the terms of an N-Triples line that ends in a space and a full stop.

    >>> split('_:a <p:b> "c d" .')
    ('_:a', '<p:b>', '"c d"')
    """
    subject, predicate, value = line[:-2].split(" ", 2)
    return subject, predicate, value


def certain(value: str) -> str:
    r"""Return a term; raises ``Undecided`` where rdflib may see an equal term in another text.

    >>> certain(r'"A\u0009"')
    Traceback (most recent call last):
        ...
    kg.validation.index.Undecided: which values equal "A\u0009"
    """
    if value[-1] == '"' and "\\" not in value:
        return value
    if value[0] == '"' and (value.endswith(_COLLAPSED) or _SAME.search(value)):
        raise Undecided(f"which values equal {value}")
    return value


class Relation:
    """What a path leads to in one graph.

    ``nodes`` are those that have a value, ``several`` those that have more than one, and ``column``
    are the values of all nodes together.
    """

    __slots__ = ("_columns", "_values", "_wrong", "column", "nodes", "several")

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._values: dict[str, set[str]] | None = None
        self._wrong: dict[Single, AbstractSet[str]] = {}
        nodes, values = columns
        self.column = set(values)
        self.nodes: AbstractSet[str] = set(nodes)
        self.several: AbstractSet[str] = frozenset()
        if len(self.nodes) < len(nodes):
            self.several = {node for node, its in self.values.items() if len(its) > 1}
            for node in self.several:
                for value in self.values[node]:
                    certain(value)

    @property
    def values(self) -> Mapping[str, AbstractSet[str]]:
        """The values of each node that has any."""
        if self._values is None:
            self._values = {}
            for node, value in zip(*self._columns, strict=True):
                self._values.setdefault(node, set()).add(value)
        return self._values

    def wrong(self, constraint: Single, index: Index) -> AbstractSet[str]:
        """Return those of all values that do not meet a constraint, which many shapes may have."""
        found = self._wrong.get(constraint)
        if found is None:
            found = self._wrong[constraint] = constraint(index, self.column)
        return found

    def with_any(self, nodes: AbstractSet[str], values: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of some nodes that have any of some values."""
        if not values:
            return values
        return {node for node in nodes & self.nodes if not values.isdisjoint(self.values[node])}

    def fewer(self, nodes: AbstractSet[str], count: int) -> AbstractSet[str]:
        """Return those of some nodes that have fewer values."""
        if count > 1:
            return {node for node in nodes if len(self.values.get(node, ())) < count}
        return nodes - self.nodes if count and not nodes <= self.nodes else _NOTHING

    def more(self, nodes: AbstractSet[str], count: int) -> AbstractSet[str]:
        """Return those of some nodes that have more values."""
        many = self.several if count else self.nodes
        return {node for node in nodes & many if len(self.values[node]) > count} if many else _NOTHING

    def differing(self, nodes: AbstractSet[str], other: Relation) -> Mapping[str, AbstractSet[str]]:
        """Return those of some nodes that have other values in another relation, with what one of the two lacks."""
        pairs = ((node, self.values.get(node, _NOTHING), other.values.get(node, _NOTHING)) for node in nodes)
        return {node: these ^ those for node, these, those in pairs if these != those}


_NOTHING: AbstractSet[str] = frozenset()
_EMPTY: Columns = ((), ())


class Index:
    """The triples of one graph, from N-Triples lines that each end in a space and a full stop."""

    def __init__(self, lines: Collection[str]) -> None:
        self._columns: dict[str, tuple[list[str], list[str]]] = {}
        for line in lines if len(set(lines)) == len(lines) else set(lines):
            subject, predicate, value = line.split(" ", 2)
            columns = self._columns.get(predicate)
            if columns is None:
                columns = self._columns[predicate] = [], []
            # Two lists of texts, since many small tuples would keep the garbage collector busy.
            columns[0].append(subject)
            columns[1].append(value[:-2])
        self._relations: dict[Path, Relation] = {}
        self._stated: defaultdict[str, set[str]] = defaultdict(set)
        self._inherited: dict[str, set[str]] = {}
        for node, class_ in zip(*self.columns(RDF.type), strict=True):
            self._stated[class_].add(node)

    @property
    def properties(self) -> AbstractSet[str]:
        """The properties that the graph uses."""
        return self._columns.keys()

    @property
    def classes(self) -> AbstractSet[str]:
        """The classes that the graph states nodes to be of."""
        return self._stated.keys()

    def columns(self, property_: str) -> Columns:
        """Return the nodes and values of a property."""
        return self._columns.get(property_, _EMPTY)

    def instances(self, class_: str) -> AbstractSet[str]:
        """Return the nodes of a class and of what the graph declares to be its subclasses."""
        if _SUBCLASS_OF not in self._columns:
            return self._stated.get(class_, _NOTHING)
        if class_ not in self._inherited:
            stated = tuple(zip(*self._columns[_SUBCLASS_OF], strict=True))
            classes, found = {class_}, {class_}
            while found:
                found = {below for below, above in stated if above in found and below not in classes}
                classes |= found
            self._inherited[class_] = set().union(*(self._stated.get(each, ()) for each in classes))
        return self._inherited[class_]

    def related(self, path: Path) -> Relation:
        """Return what a path leads to."""
        found = self._relations.get(path)
        if found is None:
            columns = path(self)
            found = self._relations[path] = Relation(columns) if columns[0] else _NOWHERE
        return found


_NOWHERE = Relation(_EMPTY)
