"""N-Triples text of single terms, and back (https://www.w3.org/TR/n-triples/)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from itertools import chain
from json.encoder import encode_basestring

from kg.vocabulary import XSD

__all__ = [
    "Node",
    "Triple",
    "boolean",
    "canonical",
    "decimal",
    "escaped",
    "integer",
    "iri",
    "lexical",
    "literal",
    "moment",
    "ntriples",
    "stated",
    "utf8",
]

Triple = tuple[str, str, str]
"""Subject, predicate and object, each as N-Triples text."""

Node = tuple[str, Collection[str]]
"""A subject, and the lines that state something of it: each once, in any order, without line ends."""

_ESCAPED = re.compile('[\x00-\x1f"\\\\\x7f\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_UNESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_LONG = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?\Z', re.DOTALL)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _SHORT.get(character) or f"\\u{ord(character):04X}"


def iri(address: str) -> str:
    """Return the term of an IRI that is known to be well formed.

    >>> iri("https://w3id.org/benchkg/id/")
    '<https://w3id.org/benchkg/id/>'
    """
    return f"<{address}>"


def escaped(text: str) -> str:
    r"""Return a text as it stands between the quotes of a literal; parts of a text may be escaped one by one.

    >>> escaped('a "b"')
    'a \\"b\\"'
    """
    # Of what is printable, JSON and N-Triples escape the same two characters: the quote and the backslash.
    return encode_basestring(text)[1:-1] if text.isprintable() else _ESCAPED.sub(_escape, text)


def literal(text: str, datatype: str = "") -> str:
    r"""Return the term of a string, or of a lexical form with the datatype term given.

    >>> literal('a "b"')
    '"a \\"b\\""'
    >>> literal("2023", XSD.gYear)
    '"2023"^^<http://www.w3.org/2001/XMLSchema#gYear>'
    """
    # Of what is printable, JSON and N-Triples escape the same two characters: the quote and the backslash.
    quoted = encode_basestring(text) if text.isprintable() else f'"{_ESCAPED.sub(_escape, text)}"'
    return f"{quoted}^^{datatype}" if datatype else quoted


def moment(at: datetime) -> str:
    """Return the term of a moment of the clock: a canonical ``xsd:dateTime`` in UTC.

    >>> moment(datetime(2026, 3, 4, 9, 12, 44, 120000, tzinfo=UTC)).partition("^^")[0]
    '"2026-03-04T09:12:44.12Z"'
    """
    text = at.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00")
    return literal(f"{text.rstrip('0').removesuffix('.')}Z", XSD.dateTime)


def integer(number: int) -> str:
    """Return the term of an ``xsd:integer``."""
    return f'"{number}"^^{XSD.integer}'


def decimal(canonical: str) -> str:
    """Return the term of an ``xsd:decimal`` in canonical form."""
    return f'"{canonical}"^^{XSD.decimal}'


def boolean(truth: bool) -> str:  # noqa: FBT001 - the value is the argument
    """Return the term of an ``xsd:boolean``."""
    return f'"{"true" if truth else "false"}"^^{XSD.boolean}'


def _unescape(match: re.Match[str]) -> str:
    four, eight, single = match.groups()
    return _LONG[single] if single else chr(int(four or eight, 16))


def lexical(term: str) -> str:
    r"""Return the IRI, or the lexical form, that a term stands for.

    >>> lexical('"a \\"b\\""'), lexical("<https://w3id.org/benchkg/id/>")
    ('a "b"', 'https://w3id.org/benchkg/id/')
    """
    if term.startswith("<"):
        return term[1:-1]
    if term.startswith("_:"):
        return term
    found = _LITERAL.match(term)
    if found is None:
        raise ValueError(f"not an N-Triples literal: {term!r}")
    text = found.group(1)
    return _UNESCAPE.sub(_unescape, text) if "\\" in text else text


def ntriples(triples: Iterable[Triple]) -> list[str]:
    """Return the lines of a set of triples in canonical order, each once, without line ends."""
    return sorted({f"{subject} {predicate} {value} ." for subject, predicate, value in triples})


def stated(subject: str, statements: Iterable[str]) -> Node:
    """Return a node of which something is stated: by each statement a predicate and an object, with a space between.

    >>> stated("<a>", ["<p> <b>", "<p> <c>"])
    ('<a>', ('<a> <p> <b> .', '<a> <p> <c> .'))
    """
    return subject, tuple([f"{subject} {statement} ." for statement in statements])


def canonical(nodes: Iterable[Node]) -> list[str]:
    """Return the lines of nodes in canonical order, each once; a node may come more than once.

    Sorting the nodes, and then the few lines of each, is sorting the lines: no IRI begins another one,
    since each ends in its bracket.

    >>> canonical([("<b>", ["<b> <p> <c> ."]), ("<a>", ["<a> <q> <c> .", "<a> <p> <c> ."]), ("<b>", ["<b> <p> <c> ."])])
    ['<a> <p> <c> .', '<a> <q> <c> .', '<b> <p> <c> .']
    """
    lines_of: dict[str, Collection[str]] = {}
    for subject, lines in nodes:
        known = lines_of.setdefault(subject, lines)
        if known is not lines:
            lines_of[subject] = {*known, *lines}
    in_order = map(sorted, map(lines_of.__getitem__, sorted(lines_of)))
    return list(chain.from_iterable(in_order))


def utf8(lines: Iterable[str]) -> bytes:
    r"""Return lines as UTF-8, a line feed between them.

    Each is encoded by itself: most are ASCII, and one that is not would make wide characters of all in
    a joined text, which takes more than twice as long.

    >>> utf8(["<a> <p> <b> .", '<a> <p> "Δ" .']).decode()
    '<a> <p> <b> .\n<a> <p> "Δ" .'
    """
    return b"\n".join(map(str.encode, lines))
