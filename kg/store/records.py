"""What the store keeps of each state of a view beside its triples, and views made ready to load.

The default graph holds every triple once and cannot say which view states it. A copy of each triple
in the graph of its view would cost twice the whole load again, so a view's lines are kept as one
compressed literal, in a graph that answers never see. With them stand the subjects of its statements,
which tells the few views to look into when a triple has lost one of its own.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from kg.identifiers import Identifiers, snapshot_key
from kg.store.states import ViewState
from kg.terms import iri, literal, utf8
from kg.vocabulary import STORE

if TYPE_CHECKING:
    from kg.model import ViewGraph

__all__ = ["Part", "Record", "Stamp", "make_part", "record_node", "snapshot", "unpacked", "views_graph", "whole"]

_LEVEL = 1  # three times as fast as zlib's own choice, and a fifth larger


@dataclass(frozen=True, slots=True)
class Stamp:
    """By what a state was read and checked, and what was noted then.

    ``code`` and ``shapes`` are digests of the code and of the shapes; ``notes`` is any text, which the
    store gives back as it is.
    """

    code: str = ""
    shapes: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One state of a view that the store holds, and how it was read."""

    state: ViewState
    stamp: Stamp = field(default_factory=Stamp)

    def to_json(self) -> str:
        """Return the record as JSON text, without the file that it was read from."""
        facts = asdict(self.state)
        del facts["file"]
        return json.dumps([facts, asdict(self.stamp)], ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Return the record that ``to_json`` wrote."""
        facts, stamp = json.loads(text)
        return cls(ViewState(**facts), Stamp(**stamp))


@dataclass(frozen=True, slots=True)
class Part:
    """Views ready to load: their records, and ``statements`` as N-Quads text of ``size`` lines.

    Parts may be made anywhere and joined in any order: the store that comes of them is the same.
    """

    records: tuple[Record, ...]
    statements: bytes = b""
    size: int = 0


def views_graph(base: str) -> str:
    """Return the term of the graph that holds the records."""
    return Identifiers("", base).graph("views")


def record_node(digest: str, base: str) -> str:
    """Return the term of a record."""
    return f"{views_graph(base)[:-1]}#{digest}>"


def snapshot(state: ViewState, base: str) -> str:
    """Return the term of the snapshot that a state was read from."""
    source = state.graph.removeprefix(base).partition("/")[0]
    return Identifiers(source, base).node("snapshot", snapshot_key(state.sha256))


def whole(subject: str) -> str:
    """Return what a subject is a part of: the term without its fragment.

    >>> whole("<https://w3id.org/benchkg/id/sota2/snapshot/6b4e256fc68af792#line=120,131>")
    '<https://w3id.org/benchkg/id/sota2/snapshot/6b4e256fc68af792>'
    """
    return f"{subject.partition('#')[0]}>" if "#" in subject else subject


def make_part(views: Iterable[tuple[ViewGraph, Stamp]], base: str) -> Part:
    """Return views as one part: what they state, each triple once, and a record of each."""
    records: list[Record] = []
    stated: set[bytes] = set()
    recorded: list[bytes] = []
    for view, stamp in views:
        text = utf8(view.lines)
        record = Record(ViewState.of(view, text), stamp)
        records.append(record)
        stated.update(text.split(b"\n"))
        recorded.extend(_statements(record, view.lines, text, base))
    lines = [*stated, *recorded, b""]
    return Part(tuple(records), b"\n".join(lines), len(lines) - 1)


def _statements(record: Record, lines: Sequence[str], text: bytes, base: str) -> Iterator[bytes]:
    state, graph = record.state, views_graph(base)
    node = record_node(state.digest, base)
    facts = [
        f'{node} {STORE.lines} "{base64.b64encode(zlib.compress(text, _LEVEL)).decode()}"',
        f"{node} {STORE.state} {literal(record.to_json())}",
        f"{node} {STORE.view} {iri(state.graph)}",
        f'{node} {STORE.sha256} "{state.sha256}"',
    ]
    if state.series:
        facts.append(f"{node} {STORE.series} {iri(state.series)}")
    yield from (f"{fact} {graph} .".encode() for fact in facts)
    subjects = {whole(subject) for subject in {line.partition(" ")[0] for line in lines}}
    # Of a snapshot no other page states anything.
    subjects.discard(snapshot(state, base))
    tail = f" {STORE.statedBy} {node} {graph} ."
    yield from (f"{subject}{tail}".encode() for subject in subjects)


def unpacked(packed: str) -> bytes:
    """Return the lines of a view, as UTF-8, from the text of the literal that keeps them."""
    return zlib.decompress(base64.b64decode(packed))
