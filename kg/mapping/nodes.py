"""The terms of one page's nodes under one base, and the statements that every part of the mapping makes."""

from __future__ import annotations

from collections.abc import Iterator

from kg import identifiers as keys
from kg.identifiers import Identifiers
from kg.model import (
    BenchmarkPage,
    Lines,
    Paper,
    Result,
)
from kg.terms import Triple, iri, literal
from kg.values import (
    Unreadable,
    is_linkable,
    read_time,
)
from kg.vocabulary import (
    BK,
    DCT,
    FOAF,
    PROV,
    RDF,
)

__all__ = ["Nodes", "address", "updated_time"]


def address(node: str, url: str) -> Triple:
    """State a recorded address: as a page where it can be linked to, as text where it cannot."""
    return (node, FOAF.page, iri(url)) if is_linkable(url) else (node, BK.recordedUrl, literal(url))


def updated_time(page: BenchmarkPage) -> str:
    """Return when the page's data were updated, as canonical ``xsd:dateTime``; empty where it does not say."""
    try:
        return read_time(page.updated.text) if page.updated else ""
    except Unreadable:
        return ""


class Nodes:
    """The nodes of one page under one base."""

    def __init__(self, page: BenchmarkPage, base: str) -> None:
        assert page.scope.metric is not None
        self.page = page
        self.ids = Identifiers(page.source, base)
        self.viewed = page.scope.metric.text
        self.benchmark_key = keys.benchmark_key(page.page.url)
        self.snapshot_key = keys.snapshot_key(page.snapshot.sha256)
        self.benchmark = self.ids.node("benchmark", self.benchmark_key)
        self.snapshot = self.ids.node("snapshot", self.snapshot_key)
        self.graph = self.ids.node("view", keys.view_key(self.viewed, self.benchmark_key, page.page_number or 1))

    def metric(self, name: str) -> str:
        """Return a metric of the page's benchmark."""
        return self.ids.node("metric", keys.metric_key(name, self.benchmark_key))

    def result(self, identifier: str) -> str:
        """Return a result, by the source's id."""
        return self.ids.node("result", keys.source_key("result", identifier))

    def paper(self, paper: Paper) -> str:
        """Return a paper."""
        return self.ids.node("paper", keys.source_key("paper", paper.identifier))

    def method(self, result: Result) -> str:
        """Return the method of a result: its name and its origin."""
        paper = result.origin_paper or result.reporting_paper
        scope = keys.source_key("paper", paper.identifier) if paper else self.benchmark_key
        return self.ids.node("method", keys.method_key(result.label, scope))

    def quotation(self, lines: Lines) -> str:
        """Return the quotation of some lines of the page."""
        return self.ids.quotation(self.snapshot_key, lines.first, lines.last)

    def quote(self, lines: Lines, states: str = "", text: str | None = None) -> Iterator[Triple]:
        """State a quotation, the property that it states, and its text where that is stated nowhere else."""
        quotation = self.quotation(lines)
        yield quotation, RDF.type, BK.Quotation
        yield quotation, RDF.type, PROV.Entity
        yield quotation, DCT.isPartOf, self.snapshot
        if states:
            yield quotation, BK.states, states
        if text is not None:
            yield quotation, BK.quotedText, literal(text)
