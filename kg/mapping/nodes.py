"""The terms of one page's nodes under one base, and the statements that every part of the mapping makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

from kg import identifiers as keys
from kg.identifiers import Identifiers
from kg.model import BenchmarkPage, Lines, PaperPage
from kg.terms import Node, integer, iri, literal
from kg.values import Unreadable, is_linkable, read_time
from kg.vocabulary import BK, DCAT, DCT, FOAF, PROV, RDF, XSD

__all__ = ["Nodes", "Quoting", "address", "ends", "forget", "remembered", "typed"]


_REMEMBERED = 1024  # of a kind, in each process: some ten megabytes in all
_memos: list[Callable[[], None]] = []
_Arguments = ParamSpec("_Arguments")
_Made = TypeVar("_Made")


def remembered(make: Callable[_Arguments, _Made]) -> Callable[_Arguments, _Made]:
    """Let a function keep what it made last: names come again on the pages of a benchmark, and of a collection."""
    kept = lru_cache(_REMEMBERED)(make)
    _memos.append(kept.cache_clear)
    return cast("Callable[_Arguments, _Made]", kept)


def forget() -> None:
    """Let go of all that was kept."""
    for clear in _memos:
        clear()


def typed(*classes: str) -> tuple[str, ...]:
    """State the classes of a node."""
    return tuple(f"{RDF.type} {it}" for it in classes)


def ends(predicate: str, value: str) -> str:
    """Return how a line ends that many nodes have: all of it but the subject."""
    return f" {predicate} {value} ."


def address(url: str) -> str:
    """State a recorded address: as a page where it can be linked to, as text where it cannot."""
    return f"{FOAF.page} {iri(url)}" if is_linkable(url) else f"{BK.recordedUrl} {literal(url)}"


def _updated_time(page: BenchmarkPage | PaperPage) -> str:
    """Return when the page's data were updated, as canonical ``xsd:dateTime``; empty where it does not say."""
    try:
        return read_time(page.updated.text) if page.updated else ""
    except Unreadable:
        return ""


_IS_ENTITY, _IS_QUOTATION = ends(RDF.type, PROV.Entity), ends(RDF.type, BK.Quotation)


class Quoting:
    """One state of a page under one base, and the lines of it that are quoted."""

    def __init__(self, page: BenchmarkPage | PaperPage, base: str) -> None:
        self.ids = Identifiers(page.source, base)
        self.snapshot_key = keys.snapshot_key(page.snapshot.sha256)
        self.snapshot = self.ids.node("snapshot", self.snapshot_key)
        self.updated = _updated_time(page)
        self._in_snapshot = ends(DCT.isPartOf, self.snapshot)
        self.quotation = self.ids.quotations(self.snapshot_key)

    def quote(self, quotation: str, statements: Sequence[str] = ()) -> tuple[str, list[str]]:
        """Return a quotation, of which more may be stated than what it is."""
        lines = [quotation + self._in_snapshot, quotation + _IS_ENTITY, quotation + _IS_QUOTATION]
        if statements:
            lines += [f"{quotation} {it} ." for it in statements]
        return quotation, lines

    def quote_stating(self, what: str, lines: Lines, text: str | None = None) -> Node:
        """Return the quotation that states a property, with its text where that is stated nowhere else."""
        quotation = self.quotation(lines)
        made = self.quote(quotation)[1]
        made.append(f"{quotation} {BK.states} {what} .")
        if text is not None:
            made.append(f"{quotation} {BK.quotedText} {literal(text)} .")
        return quotation, made

    def state(self, page: BenchmarkPage | PaperPage) -> tuple[list[str], list[Node]]:
        """Return what the snapshot of any page states, and the quotation of the time that it states."""
        statements = [
            f"{PROV.specializationOf} {iri(page.page.url)}",
            f"{DCAT.byteSize} {integer(page.snapshot.byte_size)}",
            f"{BK.sha256} {literal(page.snapshot.sha256)}",
        ]
        if not page.updated:
            return statements, []
        if self.updated:
            statements.append(f"{DCT.modified} {literal(self.updated, XSD.dateTime)}")
        statements.append(f"{BK.modifiedText} {literal(page.updated.text)}")
        return statements, [self.quote_stating(DCT.modified, page.updated.lines)]


class Nodes(Quoting):
    """The nodes of one benchmark page under one base."""

    def __init__(self, page: BenchmarkPage, base: str) -> None:
        assert page.scope.metric is not None
        super().__init__(page, base)
        self.page = page
        self.viewed = page.scope.metric.text
        self.benchmark_key = keys.benchmark_key(page.page.url)
        self.benchmark = self.ids.node("benchmark", self.benchmark_key)
        self.metric_key = keys.metric_key(self.viewed, self.benchmark_key)
        self.viewed_metric = self.ids.node("metric", self.metric_key)
        self.graph = self.ids.node("view", keys.view_key(self.viewed, self.benchmark_key, page.page_number or 1))

    def result(self, identifier: str) -> str:
        """Return a result, by the source's id."""
        return self.ids.node("result", keys.source_key("result", identifier))
