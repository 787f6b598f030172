"""Lines of a graph as RDF text in any format: the same set of lines gives the same bytes, in any order.

The lines are sorted before they are written, so that statements about one node stand together; and
the prefixes are given, so that the text does not depend on which names happen to occur.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

import pyoxigraph
from pyoxigraph import DefaultGraph, Literal, Quad, RdfFormat, Triple

from kg.errors import Misuse
from kg.files import replacing

__all__ = ["Format", "serialize", "write"]

_SUFFIXES = {"rdf": "xml", "json": "jsonld", "turtle": "ttl", "ntriples": "nt", "nquads": "nq"}
_LITERAL = re.compile('".*"', re.DOTALL)
_ENDS_IN_DOT = re.compile(r"<([^<>]*\.)>")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")


class Format(StrEnum):
    """An RDF format, named by its usual suffix.

    >>> Format.of(Path("graph.ttl")), Format.TRIG.holds_graphs
    (<Format.TTL: 'ttl'>, True)
    """

    TTL = "ttl"
    NT = "nt"
    NQ = "nq"
    TRIG = "trig"
    JSONLD = "jsonld"
    XML = "xml"

    @property
    def holds_graphs(self) -> bool:
        """Whether the format tells named graphs apart."""
        return self in {Format.NQ, Format.TRIG, Format.JSONLD}

    @classmethod
    def of(cls, path: Path) -> Format:
        """Return the format of a file by its suffix; raises Misuse for a suffix that is none."""
        suffix = path.suffix.removeprefix(".").lower()
        try:
            return cls(_SUFFIXES.get(suffix, suffix))
        except ValueError:
            raise Misuse(
                f"The suffix of {path.name!r} names no RDF format. Use one of {', '.join(cls)}, or give --format."
            ) from None


def serialize(lines: Iterable[str], form: Format, prefixes: Mapping[str, str] | None = None) -> bytes:
    r"""Return N-Triples or N-Quads lines as text in a format.

    Raises Misuse where the format cannot hold them: lines of named graphs in a format without
    graphs, or, in XML, control characters.

    >>> serialize(['<https://w3id.org/a> <https://w3id.org/b> "c" .'], Format.TTL, {"": "https://w3id.org/"})
    b'@prefix : <https://w3id.org/> .\n:a :b "c" .\n'
    """
    ordered = sorted(set(lines))
    text = "".join(f"{line}\n" for line in ordered).encode()
    names = dict(prefixes or {})
    if form in {Format.TTL, Format.TRIG}:
        names = _readable(names, ordered)
    read = pyoxigraph.parse(text, RdfFormat.N_QUADS if form.holds_graphs else RdfFormat.N_TRIPLES)
    statements: Iterable[Quad] | Iterable[Triple] = read
    try:
        if form in {Format.TRIG, Format.JSONLD}:
            statements = sorted(read, key=lambda quad: (quad.graph_name != DefaultGraph(), str(quad.graph_name)))
        elif form is Format.XML:
            statements = (_for_xml(quad.triple) for quad in read)
        return pyoxigraph.serialize(statements, format=RdfFormat.from_extension(form), prefixes=names) or b""
    except SyntaxError as error:
        if form.holds_graphs:
            raise
        raise Misuse(f"The format {form} has no named graphs; use {Format.NQ} or {Format.TRIG}. ({error})") from error


def write(
    lines: Iterable[str], target: Path | BinaryIO, form: Format | None = None, prefixes: Mapping[str, str] | None = None
) -> None:
    """Write lines to a file, which appears whole or not at all; ``-`` and an open stream are written to as they are.

    The format is that of the file's suffix unless one is given; standard output has none, and gets
    Turtle. Raises Misuse where the format cannot hold the lines or the file cannot be written.
    """
    if not isinstance(target, Path):
        target.write(serialize(lines, form or Format.TTL, prefixes))
        return
    if target == Path("-"):
        sys.stdout.buffer.write(serialize(lines, form or Format.TTL, prefixes))
        sys.stdout.buffer.flush()
        return
    data = serialize(lines, form or Format.of(target), prefixes)
    with replacing(target) as stream:
        stream.write(data)


def _readable(prefixes: dict[str, str], lines: list[str]) -> dict[str, str]:
    """Leave out prefixes that would make a name ending in a dot, which rdflib does not read back."""
    ending = {found for line in lines if ".>" in line for found in _ENDS_IN_DOT.findall(_LITERAL.sub("", line))}
    return {name: space for name, space in prefixes.items() if not any(one.startswith(space) for one in ending)}


def _for_xml(triple: Triple) -> Triple:
    if isinstance(triple.object, Literal) and (found := _NOT_IN_XML.search(triple.object.value)):
        raise Misuse(
            f"RDF/XML cannot hold the character U+{ord(found[0]):04X}, which {triple.subject} has in a text. Use ttl."
        )
    return triple
