"""From the triples of a page back to what the page says: the inverse of ``kg.mapping``.

It proves that the graph keeps everything, and lets whoever has only the graph see the page again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kg.model import (
    NOT_RECORDED,
    BenchmarkPage,
    Lines,
    Link,
    Metric,
    Paper,
    Problem,
    Result,
    Scope,
    Severity,
    Snapshot,
    TableRow,
    Text,
)
from kg.terms import lexical
from kg.vocabulary import BK, DCAT, DCT, FOAF, PROV, RDF, RDFS, REPRODUCTION_TEXTS

__all__ = ["to_pages"]

_LINE = re.compile(r"(<[^>]*>) (<[^>]*>) (.*) \.\Z", re.DOTALL)
_FRAGMENT = re.compile(r"#line=([0-9]+),([0-9]+)>\Z")
_SOURCE = re.compile(r"/([^/]+)/snapshot/[^/]+>\Z")


class _Graph:
    """Triples by subject and predicate; each term is N-Triples text."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.objects: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.subjects: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for line in lines:
            found = _LINE.match(line.rstrip("\r\n"))
            if found is None:
                raise ValueError(f"not an N-Triples line of this project: {line!r}")
            subject, predicate, value = found.groups()
            self.objects[subject][predicate].add(value)
            if value.startswith("<"):
                self.subjects[predicate, value].add(subject)

    def all(self, subject: str, predicate: str) -> set[str]:
        return self.objects[subject][predicate] if subject in self.objects else set()

    def text(self, subject: str, predicate: str) -> str | None:
        """Return the lexical form of the one object, None where there is none."""
        values = self.all(subject, predicate)
        return lexical(min(values)) if values else None

    def number(self, subject: str, predicate: str) -> int | None:
        text = self.text(subject, predicate)
        return None if text is None else int(text)

    def node(self, subject: str, predicate: str) -> str:
        return min(self.all(subject, predicate), default="")

    def address(self, subject: str) -> str:
        """Return a recorded address, whether it could be linked to or not."""
        return self.text(subject, FOAF.page) or self.text(subject, BK.recordedUrl) or ""


def to_pages(lines: Iterable[str]) -> list[BenchmarkPage]:
    """Return the pages that a graph states, by the order of their snapshots' IRIs.

    ``lines`` are N-Triples lines of one view graph or of many; of facts that views share, each page
    gets what the graph states. Raises ``ValueError`` on what is no N-Triples line.
    """
    graph = _Graph(lines)
    return [_Page(graph, snapshot).restore() for snapshot in sorted(graph.subjects[RDF.type, BK.PageSnapshot])]


def _lines(quotation: str) -> Lines:
    found = _FRAGMENT.search(quotation)
    if found is None:
        raise ValueError(f"no line range (RFC 5147): {quotation}")
    return Lines(int(found[1]) + 1, int(found[2]))


@dataclass(slots=True)
class _Page:
    """One page's part of the graph."""

    graph: _Graph
    snapshot: str

    def _own(self, subject: str) -> list[str]:
        """Return the quotations of a node in this snapshot, by line."""
        quotations = (
            quotation
            for quotation in self.graph.all(subject, PROV.wasQuotedFrom)
            if self.snapshot in self.graph.all(quotation, DCT.isPartOf)
        )
        return sorted(quotations, key=_lines)

    def _stating(self, what: str) -> list[str]:
        quotations = self.graph.subjects[BK.states, what]
        return sorted((it for it in quotations if self.snapshot in self.graph.all(it, DCT.isPartOf)), key=_lines)

    def _stated(self, what: str, text: str | None) -> Text | None:
        """Return the text of the line that states something: the line's own where it differs."""
        for quotation in self._stating(what):
            own = self.graph.text(quotation, BK.quotedText)
            return Text(own if own is not None else text or "", _lines(quotation))
        return None

    def restore(self) -> BenchmarkPage:
        graph, snapshot = self.graph, self.snapshot
        document = graph.node(snapshot, PROV.specializationOf)
        viewed = graph.node(snapshot, BK.metric)
        benchmark = graph.node(viewed, BK.definedFor)
        title = self._stated(DCT.title, graph.text(document, DCT.title))
        source = self._stated(FOAF.page, graph.text(document, DCT.title))
        found = _SOURCE.search(snapshot)
        if title is None or source is None or found is None:
            raise ValueError(f"the graph does not state the whole page of {snapshot}")
        paging = self._stating(BK.pageNumber)
        scope = self._scope(benchmark, viewed)
        name = graph.text(viewed, RDFS.label)
        return BenchmarkPage(
            source=found[1],
            snapshot=Snapshot(graph.text(snapshot, BK.sha256) or "", graph.number(snapshot, DCAT.byteSize) or 0),
            title=title,
            page=Link(source.text, lexical(document), source.lines),
            collection=self._collection(document),
            updated=self._stated(DCT.modified, graph.text(snapshot, BK.modifiedText)),
            description=self._stated(DCT.description, graph.text(benchmark, DCT.description)),
            disclaimers=tuple(
                Text(graph.text(quotation, BK.quotedText) or "", _lines(quotation))
                for quotation in self._stating(BK.disclaimer)
            ),
            scope=scope,
            metrics=self._metrics(benchmark, scope),
            value_column=self._stated(BK.valueText, name),
            results=self._results(viewed),
            page_number=graph.number(snapshot, BK.pageNumber),
            page_count=graph.number(snapshot, BK.pageCount),
            paging=_lines(paging[0]) if paging else None,
            problems=self._problems(),
        )

    def _collection(self, document: str) -> Link | None:
        for quotation in self._stating(DCT.isPartOf):
            index = self.graph.node(document, DCT.isPartOf)
            label = self.graph.text(quotation, BK.quotedText)
            url = self.graph.text(quotation, BK.recordedUrl)
            if url is not None:
                return Link(label or "", url, _lines(quotation))
            return Link(self.graph.text(index, RDFS.label) or "", lexical(index), _lines(quotation))
        return None

    def _scope(self, benchmark: str, viewed: str) -> Scope:
        graph, snapshot = self.graph, self.snapshot
        loaded = f"{graph.text(snapshot, BK.resultsLoaded)} of {graph.text(snapshot, BK.resultsTotal)}"
        return Scope(
            task=self._stated(BK.task, graph.text(graph.node(benchmark, BK.task), RDFS.label)),
            dataset=self._stated(BK.dataset, graph.text(graph.node(benchmark, BK.dataset), RDFS.label)),
            metric=self._stated(BK.metric, graph.text(viewed, RDFS.label)),
            unit=self._stated(BK.unitText, graph.text(viewed, BK.unitText)),
            direction=self._stated(BK.directionText, graph.text(viewed, BK.directionText)),
            loaded=self._stated(BK.resultsLoaded, loaded),
            coverage=self._stated(BK.coverageText, graph.text(snapshot, BK.coverageText)),
        )

    def _metrics(self, benchmark: str, scope: Scope) -> tuple[Metric, ...]:
        metrics = []
        for node in self.graph.subjects[BK.definedFor, benchmark]:
            for quotation in self._own(node):
                if self.graph.all(quotation, BK.states):
                    continue
                metrics.append(
                    Metric(
                        name=self.graph.text(node, RDFS.label) or "",
                        url=self.graph.address(node),
                        direction=self._listed(node, BK.directionText, scope.direction),
                        unit=self._listed(node, BK.unitText, scope.unit),
                        lines=_lines(quotation),
                    )
                )
        return tuple(sorted(metrics, key=lambda metric: metric.lines))

    def _listed(self, metric: str, property_: str, scope: Text | None) -> str:
        """Return what the list of metrics says: of two texts, the one that the scope table does not say."""
        texts = {lexical(text) for text in self.graph.all(metric, property_)}
        if len(texts) > 1 and scope:
            texts.discard(scope.text)
        return min(texts, default="")

    def _results(self, viewed: str) -> tuple[Result, ...]:
        scores = self.graph.subjects[BK.metric, viewed]
        pairs = [(result, score) for score in scores for result in self.graph.subjects[BK.score, score]]
        results = [self._result(result, score) for result, score in pairs if self._own(result)]
        return tuple(sorted(results, key=lambda result: result.lines))

    def _result(self, node: str, score: str) -> Result:
        graph = self.graph
        section = self._own(node)[0]
        method = graph.node(node, BK.method)
        label = graph.text(method, RDFS.label) or ""
        reporting = self._paper(graph.node(node, BK.reportedIn), section, BK.reportedInUrl)
        no_origin = graph.all(section, BK.originPaperStatus)
        origin = None if no_origin else self._paper(graph.node(method, BK.originPaper), section, BK.originPaperUrl)
        rows = [quotation for quotation in self._own(score) if quotation != section]
        row = self._row(node, rows[0], label, reporting, score) if rows else None
        texts = {lexical(text) for text in graph.all(score, BK.valueText)}
        if len(texts) > 1 and row:
            texts.discard(row.value)
        own_metric, viewed = graph.text(section, BK.metricText), graph.node(score, BK.metric)
        status = graph.node(node, BK.reproductionStatus)
        known = {term: text for text, term in REPRODUCTION_TEXTS.items()}
        return Result(
            identifier=graph.text(node, DCT.identifier) or "",
            label=label,
            metric=own_metric if own_metric is not None else graph.text(viewed, RDFS.label) or "",
            value=min(texts),
            reporting_paper=reporting,
            origin_paper=origin,
            implementations=tuple(
                sorted(graph.text(it, BK.recordedUrl) or "" for it in graph.all(node, BK.implementation))
            ),
            configuration=graph.text(node, BK.configurationText),
            reproduction=known.get(status, graph.text(node, BK.reproductionText)),
            lines=_lines(section),
            row=row,
        )

    def _paper(self, paper: str, section: str, property_: str) -> Paper | None:
        if not paper:
            return None
        own_url = self.graph.text(section, property_)
        url = own_url if own_url is not None else self.graph.address(paper)
        return Paper(self.graph.text(paper, DCT.identifier) or "", url)

    def _row(self, node: str, quotation: str, label: str, reporting: Paper | None, score: str) -> TableRow:
        graph = self.graph
        own_label, own_value = graph.text(quotation, RDFS.label), graph.text(quotation, BK.valueText)
        own_paper = graph.text(quotation, BK.paperText)
        date = graph.text(node, BK.resultDateText)
        if date is None:
            date = graph.text(node, BK.resultDate)
        return TableRow(
            index=graph.number(quotation, BK.rowIndex) or 0,
            label=label if own_label is None else own_label,
            value=graph.text(score, BK.valueText) or "" if own_value is None else own_value,
            date=NOT_RECORDED if date is None else date,
            paper=(reporting.identifier if reporting else NOT_RECORDED) if own_paper is None else own_paper,
            lines=_lines(quotation),
        )

    def _problems(self) -> tuple[Problem, ...]:
        graph, problems = self.graph, []
        for node in graph.subjects[DCT.isPartOf, self.snapshot]:
            if BK.Problem not in graph.all(node, RDF.type):
                continue
            error = BK.Error in graph.all(node, BK.severity)
            problems.append(
                Problem(
                    code=graph.text(node, BK.code) or "",
                    severity=Severity.ERROR if error else Severity.WARNING,
                    message=graph.text(node, BK.message) or "",
                    lines=tuple(_lines(quotation) for quotation in self._own(node)),
                    text=graph.text(node, BK.quotedText) or "",
                    result=graph.text(graph.node(node, BK.concerns), DCT.identifier) or "",
                )
            )
        return tuple(sorted(problems, key=lambda problem: (problem.lines, problem.code, problem.message)))
