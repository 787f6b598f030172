"""What a page states of itself, its benchmark and its metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kg import identifiers as keys
from kg.identifiers import Identifiers
from kg.mapping.nodes import Nodes, address, remembered, typed
from kg.mapping.problems import problem_nodes
from kg.terms import Node, integer, iri, literal, stated
from kg.values import (
    Unreadable,
    is_linkable,
    read_counts,
)
from kg.vocabulary import (
    BK,
    DCT,
    DIRECTIONS,
    FOAF,
    MLS,
    PROV,
    QUDT,
    RDFS,
    SCHEMA,
    SKOS,
    SPLITS,
    UNITS,
)

__all__ = ["collection_index", "page_nodes"]

_BENCHMARK_PAGE = typed(BK.BenchmarkPage, FOAF.Document)
_COLLECTION_INDEX = typed(BK.CollectionIndex, FOAF.Document)
_PAGE_SNAPSHOT = typed(BK.PageSnapshot, PROV.Entity)
_BENCHMARK = typed(BK.Benchmark, MLS.Task)
_TASK = typed(BK.Task, SKOS.Concept)
_METRIC = typed(BK.Metric, MLS.EvaluationMeasure)
_EVALUATION_DATASET = typed(BK.EvaluationDataset, SCHEMA.Dataset)

_SPLIT = re.compile(r"(?P<base>.*\S)\s*\((?P<split>[^()]*)\)\Z")
_DISCLAIMER_END = re.compile(r"(?<=[.!?]) +(?=\S)")


def page_nodes(nodes: Nodes) -> Iterator[Node]:
    """Yield what the page states beside its results."""
    yield from _document(nodes)
    yield from _snapshot(nodes)
    yield from _benchmark(nodes)
    yield from _metrics(nodes)
    results = {result.identifier for result in nodes.page.results} if nodes.page.problems else ()
    for problem in nodes.page.problems:
        yield from problem_nodes(nodes, problem, nodes.result(problem.result) if problem.result in results else "")


def _document(nodes: Nodes) -> Iterator[Node]:
    page, document = nodes.page, iri(nodes.page.page.url)
    statements = [*_BENCHMARK_PAGE, f"{DCT.title} {literal(page.title.text)}"]
    yield nodes.quote_stating(DCT.title, page.title.lines)
    differs = page.page.label != page.title.text
    yield nodes.quote_stating(FOAF.page, page.page.lines, page.page.label if differs else None)
    if page.collection and is_linkable(page.collection.url):
        index = collection_index(page.collection.url, page.collection.label)
        statements.append(f"{DCT.isPartOf} {index[0]}")
        yield index
        yield nodes.quote_stating(DCT.isPartOf, page.collection.lines)
    elif page.collection:
        yield nodes.quote_stating(DCT.isPartOf, page.collection.lines, page.collection.label)
        yield stated(nodes.quotation(page.collection.lines), [f"{BK.recordedUrl} {literal(page.collection.url)}"])
    yield stated(document, statements)


def _snapshot(nodes: Nodes) -> Iterator[Node]:
    page, scope = nodes.page, nodes.page.scope
    statements, quotations = nodes.state(page)
    yield from quotations
    statements += (
        *_PAGE_SNAPSHOT,
        f"{BK.metric} {nodes.viewed_metric}",
        f"{BK.scoresRead} {integer(len(page.results))}",
    )
    if scope.loaded:
        try:
            loaded, total = read_counts(scope.loaded.text)
            statements += (f"{BK.resultsLoaded} {integer(loaded)}", f"{BK.resultsTotal} {integer(total)}")
            differs = scope.loaded.text != f"{loaded} of {total}"
        except Unreadable:
            differs = True
        yield nodes.quote_stating(BK.resultsLoaded, scope.loaded.lines, scope.loaded.text if differs else None)
    if scope.coverage:
        statements.append(f"{BK.coverageText} {literal(scope.coverage.text)}")
        yield nodes.quote_stating(BK.coverageText, scope.coverage.lines)
    if page.paging and page.page_number and page.page_count:
        statements += (f"{BK.pageNumber} {integer(page.page_number)}", f"{BK.pageCount} {integer(page.page_count)}")
        yield nodes.quote_stating(BK.pageNumber, page.paging)
    sentences: set[str] = set()
    for paragraph in page.disclaimers:
        of_paragraph, of_snapshot = _disclaimer(paragraph.text)
        sentences |= of_snapshot
        yield nodes.quote(nodes.quotation(paragraph.lines), of_paragraph)
    yield stated(nodes.snapshot, [*statements, *sentences])


def _benchmark(nodes: Nodes) -> Iterator[Node]:
    page, scope = nodes.page, nodes.page.scope
    statements = [
        *_BENCHMARK,
        f"{RDFS.label} {literal(page.title.text)}",
        f"{FOAF.page} {iri(page.page.url)}",
    ]
    if page.description:
        statements.append(f"{DCT.description} {literal(page.description.text)}")
        yield nodes.quote_stating(DCT.description, page.description.lines)
    if scope.task:
        task = _task(nodes.ids, scope.task.text)
        statements.append(f"{BK.task} {task[0]}")
        yield task
        yield nodes.quote_stating(BK.task, scope.task.lines)
    if scope.dataset:
        dataset = _dataset(nodes.ids, scope.dataset.text)
        statements.append(f"{BK.dataset} {dataset[0]}")
        yield dataset
        yield nodes.quote_stating(BK.dataset, scope.dataset.lines)
    yield stated(nodes.benchmark, statements)


def _metrics(nodes: Nodes) -> Iterator[Node]:
    page, scope = nodes.page, nodes.page.scope
    assert scope.metric is not None
    for metric in page.metrics:
        node, lines = _listed(nodes.ids, nodes.benchmark_key, metric.name, metric.url, metric.direction, metric.unit)
        quotation = nodes.quotation(metric.lines)
        yield node, (*lines, f"{node} {PROV.wasQuotedFrom} {quotation} .")
        yield nodes.quote(quotation)
    own = next((metric for metric in page.metrics if metric.name == nodes.viewed), None)
    yield nodes.quote_stating(BK.metric, scope.metric.lines)
    if page.value_column:
        differs = page.value_column.text != nodes.viewed
        yield nodes.quote_stating(BK.valueText, page.value_column.lines, page.value_column.text if differs else None)
    if own is None:
        quoted = f"{PROV.wasQuotedFrom} {nodes.quotation(scope.metric.lines)}"
        yield stated(nodes.viewed_metric, [*_metric(nodes.viewed, nodes.benchmark), quoted])
    for cell, what, listed_text, terms in (
        (scope.direction, BK.directionText, own.direction if own else None, _direction),
        (scope.unit, BK.unitText, own.unit if own else None, _unit),
    ):
        if cell:
            differs = cell.text != listed_text
            yield nodes.quote_stating(what, cell.lines, cell.text if differs else None)
            if differs:
                yield stated(nodes.viewed_metric, terms(cell.text))


@remembered
def _disclaimer(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """State a paragraph of its quotation, and its sentences of the snapshot; it stands word for word on most pages."""
    sentences = frozenset(f"{BK.disclaimer} {literal(sentence)}" for sentence in _DISCLAIMER_END.split(text))
    return (f"{BK.quotedText} {literal(text)}", f"{BK.states} {BK.disclaimer}"), sentences


@remembered
def collection_index(url: str, label: str) -> Node:
    """Return the index that a page says it is listed in."""
    return stated(iri(url), [*_COLLECTION_INDEX, f"{RDFS.label} {literal(label)}"])


@remembered
def _task(ids: Identifiers, name: str) -> Node:
    statements = (*_TASK, f"{SKOS.prefLabel} {literal(name)}", f"{RDFS.label} {literal(name)}")
    return stated(ids.node("task", keys.named_key("task", name)), statements)


@remembered
def _dataset(ids: Identifiers, name: str) -> Node:
    statements = [*_EVALUATION_DATASET, f"{RDFS.label} {literal(name)}"]
    found = _SPLIT.match(name)
    if found and found["split"].lower() in SPLITS:
        statements += (
            f"{BK.baseDatasetName} {literal(found['base'])}",
            f"{BK.splitText} {literal(found['split'])}",
            f"{BK.split} {SPLITS[found['split'].lower()]}",
        )
    return stated(ids.node("dataset", keys.named_key("dataset", name)), statements)


@remembered
def _listed(  # noqa: PLR0917 - a memo goes by values, and by position it is fastest
    ids: Identifiers, benchmark: str, name: str, url: str, direction: str, unit: str
) -> Node:
    """Return a metric of a benchmark (given by key) as it is listed on the page of each metric of that benchmark."""
    statements = [*_metric(name, ids.node("benchmark", benchmark)), address(url), *_direction(direction), *_unit(unit)]
    return stated(ids.node("metric", keys.metric_key(name, benchmark)), statements)


def _metric(name: str, benchmark: str) -> list[str]:
    return [*_METRIC, f"{RDFS.label} {literal(name)}", f"{BK.definedFor} {benchmark}"]


def _direction(text: str) -> list[str]:
    stated = f"{BK.directionText} {literal(text)}"
    return [stated, f"{BK.direction} {DIRECTIONS[text]}"] if text in DIRECTIONS else [stated]


def _unit(text: str) -> list[str]:
    stated = f"{BK.unitText} {literal(text)}"
    return [stated, f"{QUDT.hasUnit} {UNITS[text]}"] if text in UNITS else [stated]
