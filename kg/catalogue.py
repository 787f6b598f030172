"""The catalogue of questions: one file of ``queries/<group>/<name>.rq`` each, with a header that says how to ask it.

A header line begins with ``#+`` (the custom of https://grlc.io) and has a key and a value::

    #+ summary: one sentence
    #+ param benchmark: bk:Benchmark, required - which leaderboard
    #+ column rank: integer - place within the comparison group
    #+ example: benchmark="Dogs (val)" metric=Accuracy

A line ``#+   more text`` continues the one before it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType

from kg import terms
from kg.errors import Misuse, UnknownName
from kg.resources import directory
from kg.vocabulary import prefixes

__all__ = ["TYPES", "Column", "Parameter", "Query", "get", "groups", "list_queries", "read"]

_NAME = re.compile(r"[a-z0-9-]+/[a-z0-9-]+\Z")
_HEADER = re.compile(r"#\+ (?P<key>[a-z]+)(?: (?P<name>[A-Za-z][A-Za-z0-9]*))?:(?:\s+(?P<value>.*))?\Z")
_DESCRIBED = re.compile(r"(?P<what>.*?)\s+-\s+(?P<meaning>.+)\Z", re.DOTALL)
_CLASS = re.compile(r"(?P<prefix>[a-z]+):(?P<local>[A-Za-z]+)\Z")
_ABSOLUTE_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*\Z")
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_DECIMAL = re.compile(r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?\Z")
_BOOLEAN = MappingProxyType({"true": True, "1": True, "false": False, "0": False})
_SEVERITIES = frozenset({"info", "warning"})
_KEYS = frozenset({"column", "description", "example", "mend", "param", "severity", "summary"})


def _iri(text: str) -> str:
    address = text[1:-1] if text.startswith("<") and text.endswith(">") else text
    if not _ABSOLUTE_IRI.match(address):
        raise ValueError("an absolute IRI")
    return terms.iri(address)


def _integer(text: str) -> str:
    if not _INTEGER.match(text):
        raise ValueError("an integer such as 10")
    return terms.integer(int(text))


def _decimal(text: str) -> str:
    """Return the canonical term, so that ``1.50`` finds what the graph states as ``1.5``."""
    found = _DECIMAL.match(text)
    if found is None or not (found["whole"] or found["fraction"]):
        raise ValueError("a decimal number such as 10.32")
    whole, fraction = found["whole"].lstrip("0") or "0", (found["fraction"] or "").rstrip("0")
    number = f"{whole}.{fraction}" if fraction else whole
    return terms.decimal(f"-{number}" if found["sign"] == "-" and number != "0" else number)


def _boolean(text: str) -> str:
    if text.lower() not in _BOOLEAN:
        raise ValueError("true or false")
    return terms.boolean(_BOOLEAN[text.lower()])


TYPES: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {"boolean": _boolean, "decimal": _decimal, "integer": _integer, "iri": _iri, "string": terms.literal}
)
"""Type of a parameter or column, and what makes a term of a text of it; a class such as ``bk:Metric`` is an iri."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A variable to be bound before the query runs.

    ``type`` is one of ``TYPES``. ``node_class`` is the term of the class whose nodes may be given,
    empty unless the type is ``iri``; a name of such a node (label, id) must be looked up first.
    """

    name: str
    type: str
    node_class: str
    required: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class Column:
    """A variable of the answer; ``type`` is one of ``TYPES``, or ``date``, ``dateTime`` or ``any``."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Query:
    """One question: its file's text and what the header says of it.

    ``name`` is ``group/name``. ``columns`` is empty for a CONSTRUCT. ``severity`` ("info" or
    "warning") and ``mend`` are those of a rule in ``quality/``, where each row is a finding; both
    are empty elsewhere. ``examples`` are parameter values as a user would write them.
    """

    name: str
    text: str
    summary: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    columns: tuple[Column, ...] = ()
    examples: tuple[Mapping[str, str], ...] = ()
    severity: str = ""
    mend: str = ""

    @property
    def group(self) -> str:
        """The folder that the file lies in."""
        return self.name.partition("/")[0]

    def bind(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return the N-Triples term of each parameter given, by its name.

        An empty mapping binds nothing. Raises Misuse where a required parameter is missing, one is
        unknown, or a value is not of its type. Terms are bound by the store, never pasted into the
        text, so no value can change the question.

        >>> get("comparison/leaderboard").bind({"benchmark": "https://example.org/b", "metric": "https://example.org/m"})
        {'benchmark': '<https://example.org/b>', 'metric': '<https://example.org/m>'}
        """
        self.check(values)
        known = {parameter.name: parameter for parameter in self.parameters}
        return {name: self._term(known[name], value) for name, value in values.items()}

    def check(self, names: Collection[str]) -> None:
        """Raise Misuse where a required parameter is not among the names, or one of them is unknown."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in names:
            if name not in known:
                raise Misuse(f"{self.name} has no parameter {name!r}; {self._usage()}{_near(name, known)}")
        for parameter in self.parameters:
            if parameter.required and parameter.name not in names:
                raise Misuse(f"{self.name} needs a value for {parameter.name!r} ({parameter.meaning}); {self._usage()}")

    def _term(self, parameter: Parameter, value: str) -> str:
        try:
            return TYPES[parameter.type](value)
        except ValueError as error:
            raise Misuse(f"{self.name}: {parameter.name} must be {error}, not {value!r}") from error

    def _usage(self) -> str:
        if not self.parameters:
            return "it takes none"
        names = (f"{each.name} ({'required' if each.required else 'optional'})" for each in self.parameters)
        return f"it takes {', '.join(names)}"


def _near(name: str, known: Mapping[str, object]) -> str:
    found = get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else ""


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield key, name and value of each header entry, its continuation lines joined to it."""
    entry: tuple[str, str, str] | None = None
    for line in text.splitlines():
        if not line.startswith("#+"):
            break
        if found := _HEADER.match(line.rstrip()):
            if entry:
                yield entry
            entry = found["key"], found["name"] or "", found["value"] or ""
        elif entry and line.startswith("#+  "):
            entry = entry[0], entry[1], f"{entry[2]} {line[2:].strip()}".strip()
        else:
            raise ValueError(f"is no header line: {line!r}")
    if entry:
        yield entry


def _described(value: str) -> tuple[str, str]:
    """Split ``what - meaning``."""
    found = _DESCRIBED.match(value)
    if found is None:
        raise ValueError(f"needs 'type - meaning': {value!r}")
    return found["what"], found["meaning"]


def _parameter(name: str, value: str) -> Parameter:
    what, meaning = _described(value)
    kind, _, need = (part.strip() for part in what.partition(","))
    if need not in {"required", "optional"}:
        raise ValueError(f"parameter {name} must be 'required' or 'optional': {value!r}")
    found = _CLASS.match(kind)
    node_class = terms.iri(prefixes()[found["prefix"]] + found["local"]) if found else ""
    type_ = "iri" if found else kind
    if type_ not in TYPES:
        raise ValueError(f"parameter {name} has the unknown type {kind!r}")
    return Parameter(name, type_, node_class, need == "required", meaning)


def _column(name: str, value: str) -> Column:
    type_, meaning = _described(value)
    if type_ not in TYPES and type_ not in {"any", "date", "dateTime"}:
        raise ValueError(f"column {name} has the unknown type {type_!r}")
    return Column(name, type_, meaning)


def _example(value: str) -> Mapping[str, str]:
    pairs = (part.partition("=") for part in shlex.split(value))
    return MappingProxyType({name: text for name, _, text in pairs})


def read(name: str, text: str) -> Query:
    r"""Return the query that a file's text holds; ``name`` is ``group/name``.

    Raises ValueError with the line at fault where the header is malformed or has no summary.

    >>> read("my/all", "#+ summary: All classes\nSELECT DISTINCT ?class { ?node a ?class }").summary
    'All classes'
    """
    single: dict[str, str] = {}
    parameters, columns, examples = [], [], []
    for key, entry, value in _entries(text):
        if key not in _KEYS or (key in single) or bool(entry) != (key in {"column", "param"}):
            raise ValueError(f"{name}: unknown, repeated or misplaced header line '#+ {key} {entry}'")
        if key == "param":
            parameters.append(_parameter(entry, value))
        elif key == "column":
            columns.append(_column(entry, value))
        elif key == "example":
            examples.append(_example(value))
        else:
            single[key] = value
    if not single.get("summary"):
        raise ValueError(f"{name}: the header has no '#+ summary:'")
    if single.get("severity", "info") not in _SEVERITIES:
        raise ValueError(f"{name}: the severity must be one of {', '.join(sorted(_SEVERITIES))}")
    return Query(
        name=name,
        text=text,
        parameters=tuple(parameters),
        columns=tuple(columns),
        examples=tuple(examples),
        **single,
    )


@cache
def _query(path: Path) -> Query:
    return read(f"{path.parent.name}/{path.stem}", path.read_text(encoding="utf-8"))


def list_queries(group: str = "", folder: Path | None = None) -> tuple[Query, ...]:
    """Return the queries of a group, or all, sorted by name.

    Raises UnknownName where there is no such group.

    >>> [query.name for query in list_queries("graph")][:2]
    ['graph/beats', 'graph/datasets-tasks']
    """
    files = (folder or directory("queries")).glob("*/*.rq")
    paths = sorted(files, key=lambda path: path.with_suffix("").parts)  # "a" stands before "a-b", "a.rq" after "a-b.rq"
    found = tuple(_query(path) for path in paths if group in {"", path.parent.name})
    if group and not found:
        known = sorted({path.parent.name for path in paths})
        near = tuple(get_close_matches(group, known))
        raise UnknownName(f"there is no group of queries {group!r}; there are {', '.join(known)}", near)
    return found


def groups() -> tuple[str, ...]:
    """Return the names of the groups, sorted."""
    return tuple(sorted({query.group for query in list_queries()}))


def get(name: str, folder: Path | None = None) -> Query:
    """Return the query ``group/name``; the group may be left out where the name alone is clear.

    Raises UnknownName, with near names, where there is none.

    >>> get("leaderboard").name
    'comparison/leaderboard'
    >>> get("comparison/leaderbord")
    Traceback (most recent call last):
    kg.errors.UnknownName: there is no query 'comparison/leaderbord'; did you mean 'comparison/leaderboard'?
    """
    wanted = name.removesuffix(".rq")
    path = (folder or directory("queries")) / f"{wanted}.rq"
    if _NAME.match(wanted) and path.is_file():
        return _query(path)
    queries = {query.name: query for query in list_queries(folder=folder)}
    short = [query for query in queries.values() if query.name.partition("/")[2] == wanted]
    if len(short) == 1:
        return short[0]
    names = [query.name.partition("/")[2] for query in queries.values()] if "/" not in wanted else list(queries)
    near = tuple(
        query.name
        for match in dict.fromkeys(get_close_matches(wanted, names, n=3, cutoff=0.75))
        for query in queries.values()
        if match in {query.name, query.name.partition("/")[2]}
    )
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "; 'kg queries' lists them"
    raise UnknownName(f"there is no query {name!r}{hint}", near)
