"""SHACL constraints on single values as functions over an indexed graph (https://www.w3.org/TR/shacl/#core-components).

They give what pyshacl gives, also where the specification reads otherwise: flags of a pattern other
than ``i`` and ``m`` change nothing there. Where its word depends on how rdflib reads a literal, what
is plainly well formed passes here, and anything else is ``Undecided``. The same constraint on single
values is the same function, so that shapes share what it finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import cache

from kg.terms import lexical
from kg.validation.index import Single, Undecided
from kg.vocabulary import XSD

__all__ = [
    "DATATYPES",
    "NODE_KINDS",
    "instance_of",
    "literal_of",
    "matching",
    "member_of",
    "no_shorter_than",
    "of_kind",
]

NODE_KINDS = {
    "IRI": "<",
    "BlankNode": "_",
    "Literal": '"',
    "BlankNodeOrIRI": "_<",
    "BlankNodeOrLiteral": '_"',
    "IRIOrLiteral": '<"',
}
"""The kinds of nodes, and what the text of such a node begins with."""


@cache
def instance_of(class_: str) -> Single:
    """``sh:class``."""
    return lambda index, values: values - index.instances(class_)


@cache
def of_kind(kind: str) -> Single:
    """``sh:nodeKind``, one of NODE_KINDS."""
    first = NODE_KINDS[kind]
    return lambda _, values: {value for value in values if value[0] not in first}


@cache
def member_of(allowed: frozenset[str]) -> Single:
    """``sh:in``, for IRIs."""
    return lambda _, values: values - allowed


@cache
def literal_of(datatype: str) -> Single:
    """``sh:datatype``, one of DATATYPES."""
    if datatype == XSD.string:
        typed = f'"^^{datatype}'
        return lambda _, values: {
            value for value in values if value[0] != '"' or not (value[-1] == '"' or value.endswith(typed))
        }
    return lambda _, values: {value for value in values if not _is_literal_of(datatype, value)}


def _is_literal_of(datatype: str, value: str) -> bool:
    tail = f'"^^{datatype}'
    if value[0] != '"' or not value.endswith(tail):
        return False
    if not DATATYPES[datatype](value[1 : -len(tail)]):
        raise Undecided(f"whether {value} is well formed")
    return True


@cache
def matching(pattern: re.Pattern[str]) -> Single:
    """``sh:pattern``."""
    return lambda _, values: {value for value in values if value[0] == "_" or not pattern.search(_text(value))}


@cache
def no_shorter_than(length: int) -> Single:
    """``sh:minLength``; a blank node has no text, so that only 0 is short enough for it."""
    return lambda _, values: {value for value in values if length and (value[0] == "_" or len(_text(value)) < length)}


def _text(value: str) -> str:
    """Return what a pattern or a length looks at."""
    if value[0] == "<":
        return value[1:-1]
    if "\\" in value:
        return lexical(value)
    return value[1 : value.rindex('"')]


_DAY = r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
_FORMS: Iterable[tuple[str, str]] = (
    (XSD.boolean, "true|false"),
    (XSD.date, _DAY),
    (XSD.dateTime, rf"{_DAY}T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){{2}}(?:[.][0-9]{{1,6}})?(?:Z|[+-]0[0-9]:[0-5][0-9])?"),
    (XSD.decimal, "[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)"),
    (XSD.gYear, "[0-9]{4}"),
    (XSD.gYearMonth, "[0-9]{4}-(?:0[1-9]|1[0-2])"),
    # Python reads integers of at most 4,300 digits.
    (XSD.integer, "[+-]?[0-9]{1,18}"),
)


def _plainly(form: str) -> Callable[[str], bool]:
    pattern = re.compile(form)

    def is_well_formed(text: str) -> bool:
        found = pattern.fullmatch(text)
        return found is not None and ("day" not in pattern.groupindex or _exists(found["day"]))

    return is_well_formed


def _exists(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True


DATATYPES: Mapping[str, Callable[[str], bool]] = {
    XSD.string: lambda _: True,
    **{datatype: _plainly(form) for datatype, form in _FORMS},
}
"""The datatypes known here, each with what tells that a lexical form is plainly one of it."""
