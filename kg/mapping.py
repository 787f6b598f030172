"""From what a page says to the triples that state it.

One generator a kind of node yields plain ``(subject, predicate, object)`` tuples of N-Triples text.
A quotation repeats a text only where it differs from what the node it belongs to states, so that a
page can be read back whole (``kg.restoring``) without saying everything twice.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from decimal import Decimal

from kg import identifiers as keys
from kg.agreement import disagreements
from kg.identifiers import Identifiers
from kg.model import NOT_RECORDED, BenchmarkPage, Lines, Link, Metric, Paper, Problem, Result, Severity, TableRow, Text, ViewGraph
from kg.terms import Triple, boolean, decimal, integer, iri, literal, ntriples
from kg.values import (
    Parameter,
    Unreadable,
    Value,
    is_linkable,
    read_configuration,
    read_counts,
    read_date,
    read_time,
    read_value,
    same_value,
)
from kg.vocabulary import (
    BK,
    DCAT,
    DCT,
    DEFAULT_BASE,
    DIRECTIONS,
    FOAF,
    MLS,
    PROV,
    QUDT,
    RDF,
    RDFS,
    REPRODUCTION_TEXTS,
    SCHEMA,
    SKOS,
    SPLITS,
    UNITS,
    XSD,
)

__all__ = ["to_view_graph", "triples"]

_SPLIT = re.compile(rf"(?P<base>.*\S)\s*\((?P<split>{'|'.join(SPLITS)})\)\Z", re.IGNORECASE)
_DISCLAIMER_END = re.compile(r"(?<=[.!?]) +(?=\S)")
_CODE_HOSTS = frozenset(
    ("bitbucket.org", "codeberg.org", "gitee.com", "github.com", "gitlab.com", "huggingface.co", "sourceforge.net")
)


def to_view_graph(page: BenchmarkPage, base: str = DEFAULT_BASE, file: str = "") -> ViewGraph:
    """Return the named graph of what a page shows: its IRI, its state and its triples."""
    mapper = _Mapper(page, base)
    updated = _time(page.updated)
    return ViewGraph(
        graph=mapper.graph[1:-1],
        series=mapper.metric(mapper.viewed)[1:-1],
        page_number=page.page_number or 1,
        page_count=page.page_count,
        modified=updated,
        sha256=page.snapshot.sha256,
        lines=tuple(ntriples(mapper.triples())),
        problems=page.problems,
        file=file,
    )


def triples(page: BenchmarkPage, base: str = DEFAULT_BASE) -> Iterator[Triple]:
    """Yield every triple that states what a page says; some come more than once."""
    return _Mapper(page, base).triples()


def _address(node: str, url: str) -> Triple:
    """State a recorded address: as a page where it can be linked to, as text where it cannot."""
    return (node, FOAF.page, iri(url)) if is_linkable(url) else (node, BK.recordedUrl, literal(url))


def _parameter_value(value: str | float | bool) -> str:
    """Return a leaf of a configuration as a literal; a number beyond ``xsd:decimal`` in Oxigraph stays text."""
    if isinstance(value, bool):
        return boolean(value)
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        text = format(Decimal(repr(value)), "f")
        try:
            return decimal(read_value(text).value)
        except Unreadable:
            return literal(repr(value))
    return literal(value)


def _time(updated: Text | None) -> str:
    try:
        return read_time(updated.text) if updated else ""
    except Unreadable:
        return ""


class _Mapper:
    """The nodes of one page under one base, and the triples that state them."""

    def __init__(self, page: BenchmarkPage, base: str) -> None:
        assert page.scope.metric is not None
        self.page = page
        self.ids = Identifiers(page.source, base)
        self.viewed = page.scope.metric.text
        self.benchmark_key = keys.benchmark_key(page.page.url)
        self.snapshot_key = keys.snapshot_key(page.snapshot.sha256)
        self.benchmark = self.ids.node("benchmark", self.benchmark_key)
        self.snapshot = self.ids.node("snapshot", self.snapshot_key)
        papers = [
            paper for result in page.results for paper in (result.reporting_paper, result.origin_paper) if paper
        ]
        # Of several addresses of one paper, the one that a reader of the graph finds first.
        self.addresses = {it.identifier: it.url for it in sorted(papers, key=lambda it: _address("", it.url), reverse=True)}
        self.with_origin = {self.method(result) for result in page.results if result.origin_paper}
        self.graph = self.ids.node("view", keys.view_key(self.viewed, self.benchmark_key, page.page_number or 1))

    # IRIs

    def metric(self, name: str) -> str:
        return self.ids.node("metric", keys.metric_key(name, self.benchmark_key))

    def result(self, identifier: str) -> str:
        return self.ids.node("result", keys.source_key("result", identifier))

    def paper(self, paper: Paper) -> str:
        return self.ids.node("paper", keys.source_key("paper", paper.identifier))

    def method(self, result: Result) -> str:
        paper = result.origin_paper or result.reporting_paper
        scope = keys.source_key("paper", paper.identifier) if paper else self.benchmark_key
        return self.ids.node("method", keys.method_key(result.label, scope))

    def quotation(self, lines: Lines) -> str:
        return self.ids.quotation(self.snapshot_key, lines.first, lines.last)

    # The page

    def triples(self) -> Iterator[Triple]:
        yield from self._page()
        yield from self._snapshot()
        yield from self._benchmark()
        yield from self._metrics()
        for result in self.page.results:
            yield from self._result(result)
        for problem in self.page.problems:
            yield from self._problem(problem)

    def _quote(self, lines: Lines, states: str = "", text: str | None = None) -> Iterator[Triple]:
        quotation = self.quotation(lines)
        yield quotation, RDF.type, BK.Quotation
        yield quotation, RDF.type, PROV.Entity
        yield quotation, DCT.isPartOf, self.snapshot
        if states:
            yield quotation, BK.states, states
        if text is not None:
            yield quotation, BK.quotedText, literal(text)

    def _page(self) -> Iterator[Triple]:
        page, document = self.page, iri(self.page.page.url)
        yield document, RDF.type, BK.BenchmarkPage
        yield document, RDF.type, FOAF.Document
        yield document, DCT.title, literal(page.title.text)
        yield from self._quote(page.title.lines, DCT.title)
        differs = page.page.label != page.title.text
        yield from self._quote(page.page.lines, FOAF.page, page.page.label if differs else None)
        if page.collection:
            yield from self._collection(document, page.collection)

    def _collection(self, document: str, collection: Link) -> Iterator[Triple]:
        if not is_linkable(collection.url):
            yield from self._quote(collection.lines, DCT.isPartOf, collection.label)
            yield self.quotation(collection.lines), BK.recordedUrl, literal(collection.url)
            return
        index = iri(collection.url)
        yield document, DCT.isPartOf, index
        yield index, RDF.type, BK.CollectionIndex
        yield index, RDF.type, FOAF.Document
        yield index, RDFS.label, literal(collection.label)
        yield from self._quote(collection.lines, DCT.isPartOf)

    def _snapshot(self) -> Iterator[Triple]:
        page, snapshot, scope = self.page, self.snapshot, self.page.scope
        yield snapshot, RDF.type, BK.PageSnapshot
        yield snapshot, RDF.type, PROV.Entity
        yield snapshot, PROV.specializationOf, iri(page.page.url)
        yield snapshot, DCAT.byteSize, integer(page.snapshot.byte_size)
        yield snapshot, BK.sha256, literal(page.snapshot.sha256)
        yield snapshot, BK.metric, self.metric(self.viewed)
        yield snapshot, BK.scoresRead, integer(len(page.results))
        if page.updated:
            updated = _time(page.updated)
            if updated:
                yield snapshot, DCT.modified, literal(updated, XSD.dateTime)
            yield snapshot, BK.modifiedText, literal(page.updated.text)
            yield from self._quote(page.updated.lines, DCT.modified)
        if scope.loaded:
            try:
                loaded, total = read_counts(scope.loaded.text)
                yield snapshot, BK.resultsLoaded, integer(loaded)
                yield snapshot, BK.resultsTotal, integer(total)
                differs = scope.loaded.text != f"{loaded} of {total}"
            except Unreadable:
                differs = True
            yield from self._quote(scope.loaded.lines, BK.resultsLoaded, scope.loaded.text if differs else None)
        if scope.coverage:
            yield snapshot, BK.coverageText, literal(scope.coverage.text)
            yield from self._quote(scope.coverage.lines, BK.coverageText)
        if page.paging and page.page_number and page.page_count:
            yield snapshot, BK.pageNumber, integer(page.page_number)
            yield snapshot, BK.pageCount, integer(page.page_count)
            yield from self._quote(page.paging, BK.pageNumber)
        for paragraph in page.disclaimers:
            yield from self._quote(paragraph.lines, BK.disclaimer, paragraph.text)
            for sentence in _DISCLAIMER_END.split(paragraph.text):
                yield snapshot, BK.disclaimer, literal(sentence)

    def _benchmark(self) -> Iterator[Triple]:
        page, benchmark, scope = self.page, self.benchmark, self.page.scope
        yield benchmark, RDF.type, BK.Benchmark
        yield benchmark, RDF.type, MLS.Task
        yield benchmark, RDFS.label, literal(page.title.text)
        yield benchmark, FOAF.page, iri(page.page.url)
        if page.description:
            yield benchmark, DCT.description, literal(page.description.text)
            yield from self._quote(page.description.lines, DCT.description)
        if scope.task:
            task = self.ids.node("task", keys.named_key("task", scope.task.text))
            yield benchmark, BK.task, task
            yield task, RDF.type, BK.Task
            yield task, RDF.type, SKOS.Concept
            yield task, SKOS.prefLabel, literal(scope.task.text)
            yield task, RDFS.label, literal(scope.task.text)
            yield from self._quote(scope.task.lines, BK.task)
        if scope.dataset:
            dataset = self.ids.node("dataset", keys.named_key("dataset", scope.dataset.text))
            yield benchmark, BK.dataset, dataset
            yield from self._dataset(dataset, scope.dataset.text)
            yield from self._quote(scope.dataset.lines, BK.dataset)

    def _dataset(self, dataset: str, name: str) -> Iterator[Triple]:
        yield dataset, RDF.type, BK.EvaluationDataset
        yield dataset, RDF.type, SCHEMA.Dataset
        yield dataset, RDFS.label, literal(name)
        if found := _SPLIT.match(name):
            yield dataset, BK.baseDatasetName, literal(found["base"])
            yield dataset, BK.splitText, literal(found["split"])
            yield dataset, BK.split, SPLITS[found["split"].lower()]

    # Metrics

    def _metrics(self) -> Iterator[Triple]:
        page, scope = self.page, self.page.scope
        assert scope.metric is not None
        listed = {metric.name: metric for metric in page.metrics}
        for metric in page.metrics:
            yield from self._metric(metric)
        own = listed.get(self.viewed)
        yield from self._quote(scope.metric.lines, BK.metric)
        if page.value_column:
            differs = page.value_column.text != self.viewed
            yield from self._quote(page.value_column.lines, BK.valueText, page.value_column.text if differs else None)
        if own is None:
            node = self.metric(self.viewed)
            yield from self._metric_node(node, self.viewed)
            yield node, PROV.wasQuotedFrom, self.quotation(scope.metric.lines)
        for cell, states, listed_text, terms in (
            (scope.direction, BK.directionText, own.direction if own else None, self._direction),
            (scope.unit, BK.unitText, own.unit if own else None, self._unit),
        ):
            if cell:
                differs = cell.text != listed_text
                yield from self._quote(cell.lines, states, cell.text if differs else None)
                if differs:
                    yield from terms(self.metric(self.viewed), cell.text)

    def _metric_node(self, node: str, name: str) -> Iterator[Triple]:
        yield node, RDF.type, BK.Metric
        yield node, RDF.type, MLS.EvaluationMeasure
        yield node, RDFS.label, literal(name)
        yield node, BK.definedFor, self.benchmark

    def _metric(self, metric: Metric) -> Iterator[Triple]:
        node = self.metric(metric.name)
        yield from self._metric_node(node, metric.name)
        yield node, PROV.wasQuotedFrom, self.quotation(metric.lines)
        yield from self._quote(metric.lines)
        yield _address(node, metric.url)
        yield from self._direction(node, metric.direction)
        yield from self._unit(node, metric.unit)

    def _direction(self, node: str, text: str) -> Iterator[Triple]:
        yield node, BK.directionText, literal(text)
        if text in DIRECTIONS:
            yield node, BK.direction, DIRECTIONS[text]

    def _unit(self, node: str, text: str) -> Iterator[Triple]:
        yield node, BK.unitText, literal(text)
        if text in UNITS:
            yield node, QUDT.hasUnit, UNITS[text]

    # Results

    def _result(self, result: Result) -> Iterator[Triple]:
        node, method = self.result(result.identifier), self.method(result)
        yield node, RDF.type, BK.Result
        yield node, RDF.type, MLS.Run
        yield node, RDFS.label, literal(f"{result.label} on {self.page.title.text}")
        yield node, DCT.identifier, literal(result.identifier)
        yield node, BK.benchmark, self.benchmark
        yield node, BK.method, method
        yield node, PROV.wasQuotedFrom, self.quotation(result.lines)
        yield from self._quote(result.lines)
        yield from self._papers(node, method, result)
        for url in result.implementations:
            yield from self._implementation(node, url)
        if result.reproduction is None:
            yield node, BK.reproductionStatus, BK.NotRecorded
        elif result.reproduction in REPRODUCTION_TEXTS:
            yield node, BK.reproductionStatus, REPRODUCTION_TEXTS[result.reproduction]
        else:
            yield node, BK.reproductionStatus, BK.Unreadable
            yield node, BK.reproductionText, literal(result.reproduction)
        configuration = yield from self._configuration(node, result)
        if result.row:
            yield from self._row(node, result, result.row)
        yield from self._score(node, result, configuration)

    def _papers(self, node: str, method: str, result: Result) -> Iterator[Triple]:
        reporting, origin = result.reporting_paper, result.origin_paper
        yield method, RDF.type, BK.Method
        yield method, RDF.type, MLS.Algorithm
        yield method, RDFS.label, literal(result.label)
        for paper, subject, property_, status, address in (
            (reporting, node, BK.reportedIn, BK.reportedInStatus, BK.reportedInUrl),
            (origin, method, BK.originPaper, BK.originPaperStatus, BK.originPaperUrl),
        ):
            if paper is None:
                # Another result of this page may know the origin of the same method.
                known = subject in self.with_origin
                yield self.quotation(result.lines) if known else subject, status, BK.NotRecorded
                continue
            yield subject, property_, self.paper(paper)
            yield self.paper(paper), RDF.type, BK.Paper
            yield self.paper(paper), RDF.type, SCHEMA.ScholarlyArticle
            yield self.paper(paper), DCT.identifier, literal(paper.identifier)
            yield _address(self.paper(paper), paper.url)
            if paper.url != self.addresses[paper.identifier]:
                yield self.quotation(result.lines), address, literal(paper.url)
        if reporting is None or origin is None:
            claim = BK.ClaimUnknown
        else:
            claim = BK.OwnMethod if reporting.identifier == origin.identifier else BK.OthersMethod
        yield node, BK.claim, claim

    def _implementation(self, node: str, url: str) -> Iterator[Triple]:
        implementation = self.ids.node("implementation", keys.named_key("implementation", url))
        yield node, BK.implementation, implementation
        yield implementation, RDF.type, BK.Implementation
        yield implementation, RDF.type, SCHEMA.SoftwareSourceCode
        yield implementation, BK.recordedUrl, literal(url)
        repaired = self._without_site_host(url)
        if is_linkable(repaired):
            yield implementation, SCHEMA.codeRepository, iri(repaired)
        if repaired != url:
            yield implementation, BK.urlRepair, BK.SiteHostRemoved

    def _without_site_host(self, url: str) -> str:
        """Return the address without the host of the page, where a code host follows it as a path."""
        site = "/".join(self.page.page.url.split("/", 3)[:3]) + "/"
        path = url.removeprefix(site)
        return f"https://{path}" if path != url and path.split("/", 1)[0] in _CODE_HOSTS else url

    def _configuration(self, node: str, result: Result) -> Generator[Triple, None, str | None]:
        """State the configuration; return its key, or None where nothing can be compared under it."""
        if result.configuration is not None:
            yield node, BK.configurationText, literal(result.configuration)
        try:
            configuration = read_configuration(result.configuration or "")
        except Unreadable:
            yield node, BK.configurationStatus, BK.Unreadable
            return None
        if configuration is None:
            yield node, BK.configurationStatus, BK.NotRecorded
            return None
        key = keys.configuration_key(configuration.canonical)
        cfg = self.ids.configuration(key)
        yield node, BK.configuration, cfg
        yield cfg, RDF.type, BK.Configuration
        yield cfg, BK.canonicalJson, literal(configuration.canonical)
        for parameter in configuration.parameters:
            yield from self._parameter(cfg, key, parameter)
        return None if configuration.unknown else key

    def _parameter(self, configuration: str, key: str, parameter: Parameter) -> Iterator[Triple]:
        node = self.ids.parameter(key, parameter.pointer)
        yield configuration, BK.parameter, node
        yield node, RDF.type, SCHEMA.PropertyValue
        yield node, SCHEMA.name, literal(parameter.name)
        yield node, BK.pointer, literal(parameter.pointer)
        if parameter.value is None:
            yield node, BK.valueStatus, BK.NotRecorded
        else:
            yield node, SCHEMA.value, _parameter_value(parameter.value)

    # Scores

    def _row(self, node: str, result: Result, row: TableRow) -> Iterator[Triple]:
        quotation = self.quotation(row.lines)
        yield from self._quote(row.lines)
        yield quotation, BK.rowIndex, integer(row.index)
        if row.label != result.label:
            yield quotation, RDFS.label, literal(row.label)
        if row.value != result.value:
            yield quotation, BK.valueText, literal(row.value)
        if row.paper != (result.reporting_paper.identifier if result.reporting_paper else NOT_RECORDED):
            yield quotation, BK.paperText, literal(row.paper)
        if row.date in ("", NOT_RECORDED):
            yield node, BK.resultDateStatus, BK.NotRecorded
            if row.date == "":
                yield node, BK.resultDateText, literal("")
            return
        try:
            date = read_date(row.date)
        except Unreadable:
            yield node, BK.resultDateStatus, BK.Unreadable
            yield node, BK.resultDateText, literal(row.date)
            return
        yield node, BK.resultDate, literal(date.lexical, getattr(XSD, date.datatype))
        if date.lexical != row.date:
            yield node, BK.resultDateText, literal(row.date)

    def _score(self, node: str, result: Result, configuration: str | None) -> Iterator[Triple]:
        metric_key = keys.metric_key(self.viewed, self.benchmark_key)
        metric = self.ids.node("metric", metric_key)
        result_key = keys.source_key("result", result.identifier)
        score = self.ids.node("score", keys.score_key(result_key, metric_key))
        texts = [result.value]
        if result.row and not same_value(result.value, result.row.value):
            texts.append(result.row.value)
        yield node, BK.score, score
        yield score, RDF.type, BK.Score
        yield score, RDF.type, MLS.ModelEvaluation
        yield score, RDFS.label, literal(f"{result.label}: {self.viewed} {' / '.join(texts)}")
        yield score, BK.metric, metric
        for text in texts:
            yield score, BK.valueText, literal(text)
        yield score, PROV.wasQuotedFrom, self.quotation(result.lines)
        if result.row:
            yield score, PROV.wasQuotedFrom, self.quotation(result.row.lines)
        if result.metric != self.viewed:
            yield self.quotation(result.lines), BK.metricText, literal(result.metric)
        value = self._value(result)
        if value:
            yield score, BK.value, decimal(value.value)
            if value.spread is not None:
                yield score, BK.spread, decimal(value.spread)
        if configuration:
            group = self.ids.node(
                "comparison", keys.comparison_key(self.viewed, self.benchmark_key, configuration)
            )
            yield score, BK.comparisonGroup, group
            yield group, RDF.type, BK.ComparisonGroup
            yield group, BK.benchmark, self.benchmark
            yield group, BK.metric, metric
            yield group, BK.configuration, self.ids.configuration(configuration)

    def _value(self, result: Result) -> Value | None:
        """Return the number on which all places of the page agree, None where they do not or there is none."""
        if disagreements(self.page, result):
            return None
        try:
            return read_value(result.value)
        except Unreadable:
            return None

    # Problems

    def _problem(self, problem: Problem) -> Iterator[Triple]:
        ranges = [f"{lines.first}-{lines.last}" for lines in problem.lines]
        digest = keys.hashed("problem", problem.code, self.snapshot_key, problem.message, problem.text, *ranges)
        node = self.ids.node("problem", f"{keys.slug(problem.code)}-{digest}")
        yield node, RDF.type, BK.Problem
        yield node, BK.code, literal(problem.code)
        yield node, BK.severity, BK.Error if problem.severity is Severity.ERROR else BK.Warning
        yield node, BK.message, literal(problem.message)
        yield node, DCT.isPartOf, self.snapshot
        if problem.text:
            yield node, BK.quotedText, literal(problem.text)
        if any(result.identifier == problem.result for result in self.page.results):
            yield node, BK.concerns, self.result(problem.result)
        for lines in problem.lines:
            yield node, PROV.wasQuotedFrom, self.quotation(lines)
            yield from self._quote(lines)
