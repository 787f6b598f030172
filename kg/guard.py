r"""Refuse SPARQL that would reach out of the graph: SERVICE, FROM, LOAD and every other update.

The text is read token by token, so that a word inside a comment, string, IRI, variable or prefixed
name does not count. Two properties of readers in use make that harder than it looks, and both are
allowed for here:

* Oxigraph has no tokens: ``trueSERVICE<a:b>``, ``SERVICEa:b`` and ``1<2)SERVICE#>`` all call out.
* SPARQL resolves ``\u0053`` before parsing (https://www.w3.org/TR/sparql11-query/#codepointEscape);
  rdflib does so, Oxigraph only inside strings and IRIs. So both readings of a text are checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from kg.errors import Misuse

__all__ = ["Token", "guard", "tokens"]

# https://www.w3.org/TR/sparql11-query/#rPN_CHARS and those before it, as far as they are no ASCII.
_LETTERS = (
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000effff"
)
_MORE = "\u00b7\u0300-\u036f\u203f-\u2040"


@cache
def _token(*, ascii_alone: bool) -> re.Pattern[str]:
    """Return the pattern of a token; for a text of ASCII alone, one that is made in a fraction of the time."""
    letter = "A-Za-z" if ascii_alone else f"A-Za-z{_LETTERS}"
    name = f"{letter}_0-9" if ascii_alone else f"{letter}_0-9{_MORE}"
    local = rf"(?:[{name}:-]|%[0-9A-Fa-f]{{2}}|\\[_~.\-!$&'()*+,;=/?#@%])"
    return re.compile(
        rf"""
          (?P<comment>\#[^\r\n]*)
        | (?P<string>
              '''(?:'{{0,2}}(?:[^'\\]|\\.))*''' | \"\"\"(?:"{{0,2}}(?:[^"\\]|\\.))*\"\"\"
            | '(?:[^'\\\r\n]|\\.)*' | "(?:[^"\\\r\n]|\\.)*"
          )
        | (?P<iri><(?:[^<>"{{}}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*>)
        | (?P<variable>[?$][{letter}_0-9][{name}]*)
        | (?P<language>@[A-Za-z]+(?:-+[A-Za-z0-9]+)*)
        | (?P<prefixed>(?:[{letter}_](?:[{name}.-]*[{name}-])?)?:(?:{local}(?:(?:{local}|\.)*{local})?)?)
        | (?P<word>[{name}]+)
        | (?P<mark>\S)
        """,
        re.VERBOSE | re.DOTALL,
    )


_CODEPOINT = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_UPDATES = ("ADD", "CLEAR", "COPY", "CREATE", "DELETE", "DROP", "INSERT", "LOAD", "MOVE", "USING", "WITH")
_REACHING = re.compile(r"SERVICE|FROMNAMED|FROM", re.IGNORECASE)
# A comparison that ends a FILTER and looks like an IRI up to a '>' in a comment after the clause.
_HIDDEN_IN_IRI = re.compile(r"\)\.*(SERVICE|FROM)(?![A-Za-z0-9_])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query: its ``kind`` is a group of the pattern above, such as "word", "variable" or "iri"."""

    kind: str
    text: str


def tokens(query: str) -> Iterator[Token]:
    """Yield the tokens of a query, without comments."""
    for found in _token(ascii_alone=query.isascii()).finditer(query):
        if found.lastgroup and found.lastgroup != "comment":
            yield Token(found.lastgroup, found.group())


def _resolved(query: str) -> str:
    """Return the text with its codepoint escapes resolved; those of no character stay."""

    def character(found: re.Match[str]) -> str:
        number = int(found.group(1) or found.group(2), 16)
        return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else found.group()

    return _CODEPOINT.sub(character, query)


def _clause(word: str) -> str:
    """Return the clause that a word outside names and strings is, or hides; empty for any other word."""
    upper = word.upper()
    if upper in _UPDATES:
        return upper
    # No keyword or function of SPARQL contains one of these, so a word that does is run together with one.
    found = _REACHING.search(upper)
    return found.group().replace("FROMNAMED", "FROM NAMED") if found else ""


def _clauses(query: str) -> Iterator[str]:
    """Yield each clause of the text that would change the graph or reach out of it."""
    found = list(tokens(query))
    depth = 0
    for number, token in enumerate(found):
        before = found[number - 1].text.upper() if number else ""
        after = found[number + 1].text if number + 1 < len(found) else ""
        if token.text in {"{", "("}:
            depth += 1
        elif token.text in {"}", ")"}:
            depth -= 1
        elif token.kind == "word":
            clause = _clause(token.text)
            if clause == "FROM" and after.upper().startswith("NAMED"):
                clause = "FROM NAMED"
            if clause:
                yield clause
        elif token.kind == "iri" and (hidden := _HIDDEN_IN_IRI.search(token.text)):
            yield hidden.group(1).upper()
        elif token.kind == "prefixed" and before != "PREFIX" and _is_clause(token.text, before, after, depth):
            yield _clause(token.text.partition(":")[0])


def _is_clause(name: str, before: str, after: str, depth: int) -> bool:
    """Tell whether ``service:x`` or ``from:x`` stands where only a clause can, glued to its address.

    A group follows a name only after GRAPH, and no name stands between the form of a query and its pattern.
    """
    clause = _clause(name.partition(":")[0])
    if clause == "SERVICE":
        return after == "{" and before != "GRAPH"
    return clause.startswith("FROM") and depth == 0 and before not in {"DESCRIBE", "BY"}


def guard(text: str, *, allow_service: bool = False) -> None:
    r"""Raise Misuse, naming the clause, where a query would reach out of the graph or change it.

    SERVICE calls any address, FROM reads files and addresses in some engines, LOAD reads both and
    the other updates change data. ``allow_service`` lets SERVICE pass, and nothing else. A text
    that is not SPARQL at all is left to the engine's own message.

    >>> guard('SELECT ?service { ?service ?from "SERVICE <a:b> {}" } # LOAD')
    >>> guard("SELECT * { SERVICE <https://example.org/sparql> { ?s ?p ?o } }")
    Traceback (most recent call last):
    kg.errors.Misuse: this query has a SERVICE clause, ...
    """
    for reading in dict.fromkeys((text, _resolved(text))):
        for clause in _clauses(reading):
            if clause == "SERVICE":
                if not allow_service:
                    raise Misuse(
                        "this query has a SERVICE clause, which would call another address; "
                        "take it out, or allow it with --allow-service"
                    )
            elif clause.startswith("FROM"):
                raise Misuse(
                    f"this query has a {clause} clause, which would read other files or addresses; "
                    "take it out: queries run over the whole graph, and GRAPH reaches the graph of one view"
                )
            else:
                raise Misuse(f"this is no query but an update ({clause}); the graph changes only by 'kg build'")
