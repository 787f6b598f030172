"""What a page states of itself, its benchmark and its metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kg import identifiers as keys
from kg.mapping.nodes import Nodes, address, updated_time
from kg.model import (
    Link,
    Metric,
    Problem,
    Severity,
)
from kg.terms import Triple, integer, iri, literal
from kg.values import (
    Unreadable,
    is_linkable,
    read_counts,
)
from kg.vocabulary import (
    BK,
    DCAT,
    DCT,
    DIRECTIONS,
    FOAF,
    MLS,
    PROV,
    QUDT,
    RDF,
    RDFS,
    SCHEMA,
    SKOS,
    SPLITS,
    UNITS,
    XSD,
)

__all__ = ["PageMapper"]

_SPLIT = re.compile(r"(?P<base>.*\S)\s*\((?P<split>[^()]*)\)\Z")
_DISCLAIMER_END = re.compile(r"(?<=[.!?]) +(?=\S)")


class PageMapper(Nodes):
    """The triples of a page, of its benchmark and metrics, and of its problems."""

    def triples(self) -> Iterator[Triple]:
        """Yield what the page states beside its results."""
        yield from self._page()
        yield from self._snapshot()
        yield from self._benchmark()
        yield from self._metrics()
        for problem in self.page.problems:
            yield from self._problem(problem)

    def _page(self) -> Iterator[Triple]:
        page, document = self.page, iri(self.page.page.url)
        yield document, RDF.type, BK.BenchmarkPage
        yield document, RDF.type, FOAF.Document
        yield document, DCT.title, literal(page.title.text)
        yield from self.quote(page.title.lines, DCT.title)
        differs = page.page.label != page.title.text
        yield from self.quote(page.page.lines, FOAF.page, page.page.label if differs else None)
        if page.collection:
            yield from self._collection(document, page.collection)

    def _collection(self, document: str, collection: Link) -> Iterator[Triple]:
        if not is_linkable(collection.url):
            yield from self.quote(collection.lines, DCT.isPartOf, collection.label)
            yield self.quotation(collection.lines), BK.recordedUrl, literal(collection.url)
            return
        index = iri(collection.url)
        yield document, DCT.isPartOf, index
        yield index, RDF.type, BK.CollectionIndex
        yield index, RDF.type, FOAF.Document
        yield index, RDFS.label, literal(collection.label)
        yield from self.quote(collection.lines, DCT.isPartOf)

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
            updated = updated_time(page)
            if updated:
                yield snapshot, DCT.modified, literal(updated, XSD.dateTime)
            yield snapshot, BK.modifiedText, literal(page.updated.text)
            yield from self.quote(page.updated.lines, DCT.modified)
        if scope.loaded:
            try:
                loaded, total = read_counts(scope.loaded.text)
                yield snapshot, BK.resultsLoaded, integer(loaded)
                yield snapshot, BK.resultsTotal, integer(total)
                differs = scope.loaded.text != f"{loaded} of {total}"
            except Unreadable:
                differs = True
            yield from self.quote(scope.loaded.lines, BK.resultsLoaded, scope.loaded.text if differs else None)
        if scope.coverage:
            yield snapshot, BK.coverageText, literal(scope.coverage.text)
            yield from self.quote(scope.coverage.lines, BK.coverageText)
        if page.paging and page.page_number and page.page_count:
            yield snapshot, BK.pageNumber, integer(page.page_number)
            yield snapshot, BK.pageCount, integer(page.page_count)
            yield from self.quote(page.paging, BK.pageNumber)
        for paragraph in page.disclaimers:
            yield from self.quote(paragraph.lines, BK.disclaimer, paragraph.text)
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
            yield from self.quote(page.description.lines, DCT.description)
        if scope.task:
            task = self.ids.node("task", keys.named_key("task", scope.task.text))
            yield benchmark, BK.task, task
            yield task, RDF.type, BK.Task
            yield task, RDF.type, SKOS.Concept
            yield task, SKOS.prefLabel, literal(scope.task.text)
            yield task, RDFS.label, literal(scope.task.text)
            yield from self.quote(scope.task.lines, BK.task)
        if scope.dataset:
            dataset = self.ids.node("dataset", keys.named_key("dataset", scope.dataset.text))
            yield benchmark, BK.dataset, dataset
            yield from self._dataset(dataset, scope.dataset.text)
            yield from self.quote(scope.dataset.lines, BK.dataset)

    def _dataset(self, dataset: str, name: str) -> Iterator[Triple]:
        yield dataset, RDF.type, BK.EvaluationDataset
        yield dataset, RDF.type, SCHEMA.Dataset
        yield dataset, RDFS.label, literal(name)
        found = _SPLIT.match(name)
        if found and found["split"].lower() in SPLITS:
            yield dataset, BK.baseDatasetName, literal(found["base"])
            yield dataset, BK.splitText, literal(found["split"])
            yield dataset, BK.split, SPLITS[found["split"].lower()]

    def _metrics(self) -> Iterator[Triple]:
        page, scope = self.page, self.page.scope
        assert scope.metric is not None
        listed = {metric.name: metric for metric in page.metrics}
        for metric in page.metrics:
            yield from self._metric(metric)
        own = listed.get(self.viewed)
        yield from self.quote(scope.metric.lines, BK.metric)
        if page.value_column:
            differs = page.value_column.text != self.viewed
            yield from self.quote(page.value_column.lines, BK.valueText, page.value_column.text if differs else None)
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
                yield from self.quote(cell.lines, states, cell.text if differs else None)
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
        yield from self.quote(metric.lines)
        yield address(node, metric.url)
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
            yield from self.quote(lines)
