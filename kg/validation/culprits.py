"""What a violation keeps out: one result, one listed metric, or the whole page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kg.terms import lexical
from kg.validation.findings import Finding, Report
from kg.validation.index import split
from kg.validation.places import Places
from kg.vocabulary import BK, DCT, RDFS

__all__ = ["Culprits", "culprits"]


@dataclass(frozen=True, slots=True)
class Culprits:
    """What is to be kept out of a view, each with the first violation that says why.

    ``page`` are the violations of the page itself, empty where it may load. ``results`` go by id,
    ``metrics`` by name.
    """

    page: tuple[Finding, ...] = ()
    results: Mapping[str, Finding] = field(default_factory=dict)
    metrics: Mapping[str, Finding] = field(default_factory=dict)


def culprits(report: Report, lines: Iterable[str]) -> Culprits:
    """Tell what the violations found in a view (its N-Triples lines) keep out of it.

    A violation on a result, or on anything a result stands on (its scores, method, papers,
    implementations, configuration and their lines), keeps out the results that stand on it. One on a
    metric that the page merely lists keeps out that metric. One on a problem keeps out nothing, and
    any other keeps out the page: its benchmark, its metric, its snapshot.
    """
    if report.conforms:
        return Culprits()
    triples = [split(line) for line in lines]
    places = Places(triples)
    viewed = {
        value for node, predicate, value in triples if predicate == BK.metric and places.is_a(node, BK.PageSnapshot)
    }
    ids = {node: lexical(value) for node, predicate, value in triples if predicate == DCT.identifier}
    names = {node: lexical(value) for node, predicate, value in triples if predicate == RDFS.label}
    page: list[Finding] = []
    results: dict[str, Finding] = {}
    metrics: dict[str, Finding] = {}
    for finding in report.violations:
        node = finding.focus if finding.focus.startswith("_:") else f"<{finding.focus}>"
        if found := places.users(node, BK.Result):
            for result in found:
                results.setdefault(ids.get(result, result), finding)
        elif listed := places.users(node, BK.Metric):
            if viewed.intersection(listed):
                page.append(finding)
                continue
            for metric in listed:
                metrics.setdefault(names.get(metric, metric), finding)
        elif not places.is_a(node, BK.Problem):
            page.append(finding)
    return Culprits(tuple(page), dict(sorted(results.items())), dict(sorted(metrics.items())))
