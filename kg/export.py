"""Lines of a graph as RDF text in any format: the same set of lines gives the same bytes, in any order.

The lines are sorted before they are written, so that statements about one node stand together; and
the prefixes are given, so that the text does not depend on which names happen to occur. Lines
stream from their source through a sorter into the file: memory does not grow with the graph.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import pyoxigraph
from pyoxigraph import DefaultGraph, Literal, Quad, RdfFormat

from kg.errors import Misuse
from kg.files import folder_beside, replacing
from kg.sorting import Pieces, Sorter

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["Format", "Source", "serialize", "write"]

Source = Callable[[BinaryIO], object]
"""Writes the lines of a graph to a stream: canonical N-Quads (N-Triples for a format without graphs), each ended by a
line feed, in any order and any number of times."""

_SUFFIXES = {"rdf": "xml", "json": "jsonld", "turtle": "ttl", "ntriples": "nt", "nquads": "nq"}
_LITERAL = re.compile(rb'".*"')
_ENDS_IN_DOT = re.compile(rb"<([^<>]*\.)>")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_PERHAPS_NOT_IN_XML = re.compile(rb"\\[bfruU]|[\x00-\x08\x0b-\x1f]|\xef\xbf[\xbe\xbf]")
_READ_AT_ONCE = 1 << 18  # bytes
_KEY = re.compile(rb"\n[^\t\n]*\t")


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


_GROUPED = {Format.TRIG, Format.JSONLD}  # the statements of a graph stand together


def serialize(lines: Iterable[str], form: Format, prefixes: Mapping[str, str] | None = None) -> bytes:
    r"""Return N-Triples or N-Quads lines as text in a format; ``write`` does so for graphs of any size.

    The lines need not be canonical. Raises Misuse where the format cannot hold them: lines of named
    graphs in a format without graphs, or, in XML, control characters.

    >>> serialize(['<https://w3id.org/a> <https://w3id.org/b> "c" .'], Format.TTL, {"": "https://w3id.org/"})
    b'@prefix : <https://w3id.org/> .\n:a :b "c" .\n'
    """
    text = "".join(f"{line}\n" for line in sorted(set(lines))).encode()
    with _explained(form):
        look = _Look(form, prefixes or {})
        look.at(text)
        look.end()
        statements: Iterable[Quad] = pyoxigraph.parse(text, _syntax_of_lines(form))
        if form in _GROUPED:
            statements = sorted(statements, key=lambda quad: (quad.graph_name != DefaultGraph(), str(quad.graph_name)))
        return pyoxigraph.serialize(statements, format=RdfFormat.from_extension(form), prefixes=look.prefixes) or b""


def write(
    source: Source, target: Path | BinaryIO, form: Format | None = None, prefixes: Mapping[str, str] | None = None
) -> int:
    """Write the lines of a source to a file and return the number of statements.

    The file appears whole or not at all; ``-`` and an open stream are written to as they are. The
    format is that of the file's suffix unless one is given; standard output has none, and gets
    Turtle. Raises Misuse where the format cannot hold the lines or a file cannot be written.
    """
    if not isinstance(target, Path):
        return _write(source, target, form or Format.TTL, prefixes or {}, folder_beside(None))
    if target == Path("-"):
        count = _write(source, sys.stdout.buffer, form or Format.TTL, prefixes or {}, folder_beside(None))
        sys.stdout.buffer.flush()
        return count
    form = form or Format.of(target)
    with replacing(target) as stream:
        return _write(source, stream, form, prefixes or {}, folder_beside(target))


def _write(source: Source, target: BinaryIO, form: Format, prefixes: Mapping[str, str], folder: Path) -> int:
    with Sorter(folder) as sorter, _explained(form):
        look = _Look(form, prefixes)

        def take(piece: bytes) -> None:
            look.at(piece)
            sorter.add(_with_keys(piece) if form in _GROUPED else piece)

        stream = Pieces(take)
        source(cast("BinaryIO", stream))
        stream.end()
        look.end()
        chunks = sorter.chunks()
        if form in _GROUPED:
            chunks = map(_without_keys, chunks)
        if form in {Format.NT, Format.NQ}:
            count = 0
            for chunk in chunks:
                count += chunk.count(b"\n")
                target.write(chunk)
            return count
        lines = _Text(chunks)
        with io.BufferedReader(lines, _READ_AT_ONCE) as text:
            # What a store gives is well formed: checking it again takes longer than writing it.
            statements = pyoxigraph.parse(text, _syntax_of_lines(form), lenient=True)
            pyoxigraph.serialize(statements, target, RdfFormat.from_extension(form), prefixes=look.prefixes)
        return lines.lines


def _syntax_of_lines(form: Format) -> RdfFormat:
    return RdfFormat.N_QUADS if form.holds_graphs else RdfFormat.N_TRIPLES


class _Look:
    """What must be known of all lines before the first is written."""

    def __init__(self, form: Format, prefixes: Mapping[str, str]) -> None:
        self._form = form
        self.prefixes = dict(prefixes)
        self._unfit: tuple[bytes, str] | None = None

    def at(self, text: bytes) -> None:
        """Look at whole lines."""
        if self._form in {Format.TTL, Format.TRIG}:
            for line in _lines_with(text, b".>"):
                self._leave_out_prefixes(line)
        elif self._form is Format.XML:
            for found in _PERHAPS_NOT_IN_XML.finditer(text):
                self._check_for_xml(_line_at(text, found.start()))

    def _leave_out_prefixes(self, line: bytes) -> None:
        """Leave out prefixes that would make a name ending in a dot, which rdflib does not read back."""
        for name in _ENDS_IN_DOT.findall(_LITERAL.sub(b"", line)):
            for prefix, space in list(self.prefixes.items()):
                if name.startswith(space.encode()):
                    del self.prefixes[prefix]

    def _check_for_xml(self, line: bytes) -> None:
        if self._unfit and self._unfit[0] <= line:
            return
        for quad in pyoxigraph.parse(line, RdfFormat.N_TRIPLES):
            if isinstance(quad.object, Literal) and (found := _NOT_IN_XML.search(quad.object.value)):
                self._unfit = line, f"the character U+{ord(found[0]):04X}, which {quad.subject} has in a text"

    def end(self) -> None:
        """Raise Misuse where the format cannot hold what was seen."""
        if self._unfit:
            raise Misuse(f"RDF/XML cannot hold {self._unfit[1]}. Use ttl.")


def _lines_with(text: bytes, part: bytes) -> Iterator[bytes]:
    at = text.find(part)
    while at >= 0:
        line = _line_at(text, at)
        yield line
        at = text.find(part, text.rfind(b"\n", 0, at) + 1 + len(line))


def _line_at(text: bytes, place: int) -> bytes:
    return text[text.rfind(b"\n", 0, place) + 1 : text.find(b"\n", place)]


def _with_keys(text: bytes) -> bytes:
    """Put the name of its graph and a tab before each line, so that the lines of a graph stand together when sorted."""
    return b"".join([b"%b\t%b\n" % (_graph_of(line), line) for line in text[:-1].split(b"\n")])


def _without_keys(text: bytes) -> bytes:
    return _KEY.sub(b"\n", b"\n" + text)[1:]


def _graph_of(line: bytes) -> bytes:
    """Return the name of the graph of a statement, and for the default graph nothing, which comes before any name."""
    before = line.rfind(b" ", 0, -2)  # of the space before the last term
    name = line[before + 1 : -2]
    # The last term may be the object, or the end of a literal: a name has no quotation mark, and is the fourth term.
    if name[:1] in b"<_" and b'"' not in name and line.find(b" ", line.find(b" ") + 1) != before:
        return name
    return b""


class _Text(io.RawIOBase):
    """Chunks of lines as a stream to read from, which counts the lines."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._left = memoryview(b"")
        self.lines = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        if not self._left:
            chunk = next(self._chunks, b"")
            self.lines += chunk.count(b"\n")
            self._left = memoryview(chunk)
        room = memoryview(buffer)
        size = min(len(room), len(self._left))
        room[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


@contextmanager
def _explained(form: Format) -> Iterator[None]:
    """Say in words what the format cannot hold."""
    try:
        yield
    except SyntaxError as error:
        if form.holds_graphs:
            raise
        raise Misuse(f"The format {form} has no named graphs; use {Format.NQ} or {Format.TRIG}. ({error})") from error
    except OSError as error:
        if error.errno is not None:  # the system's, of the file that is written
            raise
        raise Misuse(f"The format {form} cannot hold this graph: {error}. Use {Format.TTL} or {Format.NQ}.") from error
