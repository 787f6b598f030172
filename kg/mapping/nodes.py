"""The terms of one page's nodes under one base, and the statements that every part of the mapping makes."""

from __future__ import annotations

from kg import identifiers as keys
from kg.identifiers import Identifiers
from kg.model import BenchmarkPage, Lines
from kg.terms import Node, iri, literal
from kg.values import Unreadable, is_linkable, read_time
from kg.vocabulary import BK, DCT, FOAF, PROV, RDF

__all__ = ["Nodes", "address", "typed"]


def typed(*classes: str) -> tuple[str, ...]:
    """State the classes of a node."""
    return tuple(f"{RDF.type} {it}" for it in classes)


def address(url: str) -> str:
    """State a recorded address: as a page where it can be linked to, as text where it cannot."""
    return f"{FOAF.page} {iri(url)}" if is_linkable(url) else f"{BK.recordedUrl} {literal(url)}"


def _updated_time(page: BenchmarkPage) -> str:
    """Return when the page's data were updated, as canonical ``xsd:dateTime``; empty where it does not say."""
    try:
        return read_time(page.updated.text) if page.updated else ""
    except Unreadable:
        return ""


_QUOTATION = typed(BK.Quotation, PROV.Entity)


class Nodes:
    """The nodes of one page under one base."""

    def __init__(self, page: BenchmarkPage, base: str) -> None:
        assert page.scope.metric is not None
        self.page = page
        self.ids = Identifiers(page.source, base)
        self.viewed = page.scope.metric.text
        self.benchmark_key = keys.benchmark_key(page.page.url)
        self.benchmark = self.ids.node("benchmark", self.benchmark_key)
        self.metric_key = keys.metric_key(self.viewed, self.benchmark_key)
        self.viewed_metric = self.ids.node("metric", self.metric_key)
        self.snapshot_key = keys.snapshot_key(page.snapshot.sha256)
        self.snapshot = self.ids.node("snapshot", self.snapshot_key)
        self.graph = self.ids.node("view", keys.view_key(self.viewed, self.benchmark_key, page.page_number or 1))
        self.updated = _updated_time(page)
        self._quotation = (f"{DCT.isPartOf} {self.snapshot}", *_QUOTATION)

    def metric(self, name: str) -> str:
        """Return a metric of the page's benchmark."""
        if name == self.viewed:
            return self.viewed_metric
        return self.ids.node("metric", keys.metric_key(name, self.benchmark_key))

    def result(self, identifier: str) -> str:
        """Return a result, by the source's id."""
        return self.ids.node("result", keys.source_key("result", identifier))

    def quotation(self, lines: Lines) -> str:
        """Return the quotation of some lines of the page."""
        return self.ids.quotation(self.snapshot_key, lines.first, lines.last)

    def quote(self, lines: Lines, *own: str) -> Node:
        """Describe the quotation of some lines, which may state something of its own."""
        return self.quotation(lines), (*self._quotation, *own)

    def quote_stating(self, what: str, lines: Lines, text: str | None = None) -> Node:
        """Describe the quotation that states a property, with its text where that is stated nowhere else."""
        states = f"{BK.states} {what}"
        return (
            self.quote(lines, states) if text is None else self.quote(lines, states, f"{BK.quotedText} {literal(text)}")
        )
