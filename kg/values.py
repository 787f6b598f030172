"""What printed values, dates, times and configurations mean, exactly or not at all.

Each reader returns the one form that can stand in the graph, or raises ``Unreadable`` with the
reason in words; nothing is rounded, completed or guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache, wraps
from math import isfinite
from typing import TypeVar, cast

import rfc8785

__all__ = [
    "Configuration",
    "Date",
    "Parameter",
    "Unreadable",
    "Value",
    "are_plain_numbers",
    "is_linkable",
    "read_configuration",
    "read_counts",
    "read_date",
    "read_time",
    "read_value",
    "same_value",
]

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_VALUE = re.compile(rf"({_NUMBER})(?:\s*(?:±|\+/-|\+-|\\pm)\s*({_NUMBER}))?\Z")
_PLAIN = r"[0-9]{1,20}+(?:\.[0-9]{1,18}+)?+"
_PLAIN_NUMBERS = re.compile(rf"(?:[+-]?{_PLAIN}(?: ± {_PLAIN})?+\n)*+")
_COUNTS = re.compile(r"([0-9]{1,9}) of ([0-9]{1,9})\Z")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?\Z")
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?(Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])\Z"
)
_ADDRESS = re.compile(
    r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?"
    r"(?:[/?#](?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]++|#(?!.*#)|%[0-9A-Fa-f]{2}|[\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef])*+)?\Z"
)
_HIDDEN = re.compile("[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]")
_FRACTION_DIGITS = 18
_INTEGER_DIGITS = 20
_LIMIT = "1" + "0" * _INTEGER_DIGITS
_REMEMBERED = 4_096
_CONFIGURATIONS_REMEMBERED = 4_096

_Read = TypeVar("_Read")


class Unreadable(ValueError):
    """A text that means nothing exact; the message says why, as the end of a sentence."""


def _remembering(size: int) -> Callable[[Callable[[str], _Read]], Callable[[str], _Read]]:
    """Let a reader keep what it made of the last texts, also that they are unreadable: pages repeat themselves."""

    def decorate(read: Callable[[str], _Read]) -> Callable[[str], _Read]:
        @lru_cache(size)
        def outcome(text: str) -> tuple[_Read | None, str]:
            try:
                return read(text), ""
            except Unreadable as error:
                return None, str(error)

        @wraps(read)
        def remembered(text: str) -> _Read:
            found, reason = outcome(text)
            if reason:
                raise Unreadable(reason)
            return cast("_Read", found)

        return remembered

    return decorate


@dataclass(frozen=True, slots=True)
class Value:
    """A number and its spread (None where none is printed), as canonical XSD 1.1 decimals."""

    value: str
    spread: str | None = None


@dataclass(frozen=True, slots=True)
class Date:
    """A date as precise as it was printed; ``datatype`` is the local name of its XSD type."""

    lexical: str
    datatype: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """One leaf of a configuration: its RFC 6901 pointer, name and value; ``value`` is None when unknown."""

    pointer: str
    name: str
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration as canonical JSON (RFC 8785) and its leaves in the order of that text."""

    canonical: str
    parameters: tuple[Parameter, ...]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The pointers of the keys whose value is null, empty or "Not recorded"."""
        return tuple(parameter.pointer for parameter in self.parameters if parameter.value is None)


def _canonical_decimal(text: str) -> str:
    """Return the XSD 1.1 canonical form of a plain number (https://www.w3.org/TR/xmlschema11-2/#decimal)."""
    sign = "-" if text.startswith("-") else ""
    whole, _, fraction = text.lstrip("+-").partition(".")
    whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
    if len(fraction) > _FRACTION_DIGITS:
        raise Unreadable(f"has more than {_FRACTION_DIGITS} digits after the point")
    if len(whole) > _INTEGER_DIGITS and (whole, fraction) != (_LIMIT, ""):
        raise Unreadable("is beyond 10^20")
    if not whole and not fraction:
        return "0"
    return f"{sign}{whole or '0'}.{fraction}" if fraction else f"{sign}{whole}"


@_remembering(_REMEMBERED)
def read_value(text: str) -> Value:
    """Return the exact number that a printed value states, with its spread.

    >>> read_value("84.60"), read_value("84.6 ± 0.35")
    (Value(value='84.6', spread=None), Value(value='84.6', spread='0.35'))
    >>> read_value("77 (est.)")
    Traceback (most recent call last):
    kg.values.Unreadable: is no plain number
    """
    found = _VALUE.match(text)
    if found is None:
        raise Unreadable("is no plain number")
    value, spread = found.groups()
    if spread is None:
        return Value(_canonical_decimal(value))
    if spread.startswith("-"):
        raise Unreadable("has a negative spread")
    return Value(_canonical_decimal(value), _canonical_decimal(spread))


def are_plain_numbers(texts: Collection[str]) -> bool:
    """Tell of many values at once whether ``read_value`` reads each; False where a closer look is needed.

    >>> are_plain_numbers(["84.60", "84.6 ± 0.35"]), are_plain_numbers(["84.6", "77 (est.)"])
    (True, False)
    """
    lines = "\n".join((*texts, ""))
    return lines.count("\n") == len(texts) and bool(_PLAIN_NUMBERS.fullmatch(lines))


def same_value(one: str, other: str) -> bool:
    """Tell whether two printed values are the same text or equal as decimals, spread included.

    >>> same_value("84.60", "84.6"), same_value("NaN", "NaN"), same_value("84.6", "84.5")
    (True, True, False)
    """
    if one == other:
        return True
    try:
        return read_value(one) == read_value(other)
    except Unreadable:
        return False


def read_counts(text: str) -> tuple[int, int]:
    """Return the two numbers of "10 of 37".

    >>> read_counts("10 of 37")
    (10, 37)
    """
    found = _COUNTS.match(text)
    if found is None:
        raise Unreadable('does not read "N of N"')
    return int(found.group(1)), int(found.group(2))


@_remembering(_REMEMBERED)
def read_date(text: str) -> Date:
    """Return a year, a month, a day or a moment, as precise as it is printed.

    >>> read_date("2023"), read_date("2023-05").datatype, read_date("2024-11-08").datatype
    (Date(lexical='2023', datatype='gYear'), 'gYearMonth', 'date')
    >>> read_date("2026-02-30")
    Traceback (most recent call last):
    kg.values.Unreadable: is no day of the calendar
    """
    found = _DATE.match(text)
    if found is None:
        return Date(read_time(text), "dateTime")
    year, month, day = found.groups()
    try:
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        raise Unreadable("is no day of the calendar") from None
    return Date(text, "date" if day else "gYearMonth" if month else "gYear")


@_remembering(_REMEMBERED)
def read_time(text: str) -> str:
    """Return a moment as canonical ``xsd:dateTime`` in UTC; a time without a zone is no moment.

    >>> read_time("2026-03-04T09:12:44.120Z"), read_time("2026-03-04T00:12:44+02:00")
    ('2026-03-04T09:12:44.12Z', '2026-03-03T22:12:44Z')
    """
    found = _TIME.match(text)
    if found is None:
        raise Unreadable("is no date and no time with a zone (2026-03-04T09:12:44Z)")
    seconds, fraction, zone = found.groups()
    try:
        moment = datetime.fromisoformat(seconds if zone == "Z" else seconds + zone)
        if moment.tzinfo:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise Unreadable("is no time of the calendar") from None
    fraction = (fraction or "").rstrip("0")
    return f"{moment.isoformat()}{'.' if fraction else ''}{fraction}Z"


@lru_cache(_REMEMBERED)
def is_linkable(address: str) -> bool:
    """Tell whether a recorded http(s) URL can stand as an IRI in every reader, byte for byte.

    Narrower than RFC 3987 on purpose: what strict readers refuse is text, not a node.

    >>> is_linkable("https://github.com/deeplearning-wisc/knn-ood"), is_linkable("https://a.org/{x}")
    (True, False)
    """
    return bool(_ADDRESS.match(address)) and (address.isascii() or not _HIDDEN.search(address))


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Unreadable(f"has the key {json.dumps(twice, ensure_ascii=False)} twice")
    return made


def _refuse_constant(name: str) -> object:
    raise Unreadable(f"has {name}, which is not JSON")


def _exact(text: str) -> float:
    """Return the double that a JSON number names, where it names that one and no other number (RFC 7493, 2.2)."""
    number = float(text)
    try:
        held = isfinite(number) and Decimal(repr(number)) == Decimal(text)
    except InvalidOperation:  # an exponent beyond even those of Decimal
        held = False
    if not held:
        raise Unreadable(f"has the number {text}, which a double cannot hold")
    return number


def _unknown(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in {"", "not recorded"}
    return value is None or value in ({}, [])


def _leaves(value: object, pointer: str, name: str) -> Iterator[Parameter]:
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            token = str(key).replace("~", "~0").replace("/", "~1")
            yield from _leaves(inner, f"{pointer}/{token}", str(key))
    elif _unknown(value):
        yield Parameter(pointer, name, None)
    else:
        assert isinstance(value, str | int | float)
        yield Parameter(pointer, name, value)


@_remembering(_CONFIGURATIONS_REMEMBERED)
def read_configuration(text: str) -> Configuration | None:
    """Return a configuration and its leaves, or None where the text states that none is recorded.

    Raises ``Unreadable`` for what has no canonical form that says the same: no JSON object, a key
    twice, NaN, a number that a double does not hold as written (an integer beyond 2^53, ``1e-400``),
    half a surrogate pair.

    >>> read_configuration('{"b":1.0, "a":{"x":"y"}}').canonical
    '{"a":{"x":"y"},"b":1}'
    >>> read_configuration("{}") is None
    True
    """
    if text.strip() in {"", "{}", "null", "Not recorded"}:
        return None
    try:
        value = json.loads(text, object_pairs_hook=_each_once, parse_constant=_refuse_constant, parse_float=_exact)
        if value == {}:
            return None
        if not isinstance(value, dict):
            raise Unreadable("is no JSON object")
        canonical = rfc8785.dumps(value).decode()
        # Read again from the canonical text: 1.0 and 1 are one value there, and so one leaf here.
        return Configuration(canonical, tuple(_leaves(json.loads(canonical), "", "")))
    except Unreadable:
        raise
    except json.JSONDecodeError as error:
        raise Unreadable(f"is not JSON ({error.msg.lower()} at character {error.pos + 1})") from None
    except RecursionError:
        raise Unreadable("is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"has no canonical form ({str(error) or type(error).__name__})") from None
