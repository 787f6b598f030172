"""What depends on the clock: when a build ran, with what, and which states of pages it read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from kg.identifiers import Identifiers, snapshot_key
from kg.terms import Triple, iri, literal, moment, ntriples
from kg.vocabulary import DEFAULT_BASE, OWL, PROV, RDF, RDFS

__all__ = ["run_lines"]


def _triples(run: str, started: datetime, ended: datetime, snapshots: Iterable[str], version: str) -> Iterator[Triple]:
    agent = iri(f"{run[1:-1]}#software")
    yield run, RDF.type, PROV.Activity
    yield run, PROV.startedAtTime, moment(started)
    yield run, PROV.endedAtTime, moment(ended)
    yield run, PROV.wasAssociatedWith, agent
    yield agent, RDF.type, PROV.SoftwareAgent
    yield agent, RDFS.label, literal("benchkg")
    yield agent, OWL.versionInfo, literal(version)
    for snapshot in snapshots:
        yield run, PROV.used, snapshot


def run_lines(
    started: datetime,
    ended: datetime,
    snapshots: Iterable[tuple[str, str]],
    version: str,
    base: str = DEFAULT_BASE,
) -> list[str]:
    """Return the N-Triples lines of one run; ``snapshots`` are pairs of source and SHA-256."""
    run = Identifiers("", base).graph(f"run/{started.astimezone(UTC):%Y%m%dT%H%M%S%fZ}")
    nodes = [Identifiers(source, base).node("snapshot", snapshot_key(sha256)) for source, sha256 in snapshots]
    return ntriples(_triples(run, started, ended, sorted(set(nodes)), version))
