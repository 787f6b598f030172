"""Shapes as functions: what a shapes graph asks for, compiled once and run on many graphs."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from kg.terms import lexical
from kg.validation import constraints, paths
from kg.validation.check import Check, Checks, component, failing
from kg.validation.described import Described, local_name, sh
from kg.validation.index import Index, Path, Single
from kg.vocabulary import RDF, XSD

__all__ = ["Unsupported", "compiled"]


class Unsupported(Exception):
    """A shape asks for something that is not compiled; the message names it."""


def compiled(shapes: Described, node: str, above: tuple[str, ...] = ()) -> Checks:
    """Compile a shape with all that it is made of; ``above`` are the shapes that it is part of.

    Raises ``Unsupported`` where it asks for anything that is not known here.
    """
    if node in above:
        raise Unsupported("a shape that is part of itself")
    if not {sh("NodeShape"), sh("PropertyShape")}.issuperset(shapes.values(node, RDF.type)):
        raise Unsupported("a shape that is a class too")
    asked = {
        property_.removeprefix(_SH).removesuffix(">"): values
        for property_, values in shapes.properties(node).items()
        if property_.startswith(_SH)
    }
    for name in _NO_CONSTRAINTS:
        asked.pop(name, None)
    inner = {name: _parts(shapes, name, asked.pop(name), (*above, node)) for name in _PARTS if name in asked}
    path = _path(shapes, _only("path", asked.pop("path"))) if "path" in asked else None
    if path and "property" in inner:
        raise Unsupported("sh:property of a property shape")
    flags = _only("flags", asked.pop("flags", ['""']))
    fewest, most = (_integer(_only(name, asked.pop(name))) if name in asked else None for name in _COUNTS)
    equals = tuple(paths.step(value) for value in asked.pop("equals", ()))
    if not path and (fewest is not None or most is not None or equals):
        raise Unsupported("a node shape that counts or compares values")
    single = [(component("class"), constraints.instance_of(value)) for value in asked.pop("class", ())]
    for name, values in asked.items():
        if name not in _SINGLE:
            raise Unsupported(f"sh:{name}")
        single.append((component(name), _SINGLE[name](shapes, _only(name, values), flags)))
    single += [(component(name), _LOGIC[name](parts)) for name, parts in inner.items() if name in _LOGIC]
    own = Check(local_name(node), path, tuple(single), fewest or 0, most, equals)
    return (own, *(check for checks in inner.get("property", ()) for check in checks))


_COUNTS = ("minCount", "maxCount")
_SH = sh("").removesuffix(">")
_NO_CONSTRAINTS = ("description", "message", "name", "severity", "targetClass", "targetSubjectsOf")
_PARTS = ("and", "not", "or", "property")


def _only(name: str, values: list[str]) -> str:
    if len(values) != 1:
        raise Unsupported(f"sh:{name} more than once in one shape")
    return values[0]


def _parts(shapes: Described, name: str, values: list[str], above: tuple[str, ...]) -> list[Checks]:
    nodes = values if name == "property" else [_only(name, values)]
    if name in {"and", "or"}:
        nodes = shapes.members(nodes[0])
    if not nodes or not all(node.startswith("<") for node in nodes):
        raise Unsupported(f"sh:{name} of what has no IRI")
    return [compiled(shapes, node, above) for node in nodes]


def _all_of(shapes: list[Checks]) -> Single:
    return lambda index, values: set().union(*(failing(shape, index, values) for shape in shapes))


def _one_of(shapes: list[Checks]) -> Single:
    def wrong(index: Index, values: AbstractSet[str]) -> AbstractSet[str]:
        for shape in shapes:
            if not values:
                break
            values = failing(shape, index, values)
        return values

    return wrong


def _none_of(shapes: list[Checks]) -> Single:
    return lambda index, values: values - failing(shapes[0], index, values)


_LOGIC = {"and": _all_of, "not": _none_of, "or": _one_of}


def _datatype(_shapes: Described, value: str, _flags: str) -> Single:
    if value not in constraints.DATATYPES:
        raise Unsupported(f"sh:datatype {value}")
    return constraints.literal_of(value)


def _node_kind(_shapes: Described, value: str, _flags: str) -> Single:
    kind = local_name(value)
    if value != sh(kind) or kind not in constraints.NODE_KINDS:
        raise Unsupported(f"sh:nodeKind {value}")
    return constraints.of_kind(kind)


def _in(shapes: Described, value: str, _flags: str) -> Single:
    allowed = shapes.members(value)
    if not all(term.startswith("<") for term in allowed):
        raise Unsupported("sh:in with what is no IRI")
    return constraints.member_of(frozenset(allowed))


def _pattern(_shapes: Described, value: str, flags: str) -> Single:
    # The reference knows these two flags and takes no notice of others.
    known = {"i": re.IGNORECASE, "m": re.MULTILINE}
    asked = re.NOFLAG
    for flag in lexical(flags).lower():
        asked |= known.get(flag, re.NOFLAG)
    try:
        return constraints.matching(re.compile(lexical(value), asked))
    except re.error as error:
        raise Unsupported(f"sh:pattern {value}, which is no regular expression: {error}") from error


def _min_length(_shapes: Described, value: str, _flags: str) -> Single:
    return constraints.no_shorter_than(_integer(value))


_SINGLE = {"datatype": _datatype, "in": _in, "minLength": _min_length, "nodeKind": _node_kind, "pattern": _pattern}


def _integer(term: str) -> int:
    text = term.removesuffix(f"^^{XSD.integer}")
    if text == term or not text.strip('"').isdecimal():
        raise Unsupported(f"a number written {term}")
    return int(text.strip('"'))


def _path(shapes: Described, node: str) -> Path:
    if node.startswith("<"):
        return paths.step(node)
    said = shapes.properties(node)
    if inverse := said.get(sh("inversePath")):
        if not inverse[0].startswith("<"):
            # pyshacl goes the steps of a sequence backwards, but one after the other as they stand.
            raise Unsupported("sh:inversePath of a path")
        return paths.inverse(paths.step(inverse[0]))
    if alternatives := said.get(sh("alternativePath")):
        return paths.alternative(*(_path(shapes, step) for step in shapes.members(alternatives[0])))
    if steps := shapes.members(node):
        return paths.sequence(*(_path(shapes, step) for step in steps))
    raise Unsupported("a path of another kind")
