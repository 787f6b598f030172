"""What a page states of its results and their scores."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from kg import identifiers as keys
from kg.agreement import disagreements
from kg.identifiers import Identifiers
from kg.mapping.nodes import Nodes, address, typed
from kg.model import (
    NOT_RECORDED,
    Paper,
    Result,
    TableRow,
)
from kg.terms import Node, boolean, decimal, integer, iri, literal
from kg.values import (
    Parameter,
    Unreadable,
    Value,
    is_linkable,
    read_configuration,
    read_date,
    read_value,
    same_value,
)
from kg.vocabulary import (
    BK,
    DCT,
    MLS,
    PROV,
    RDFS,
    REPRODUCTION_TEXTS,
    SCHEMA,
    XSD,
)

__all__ = ["result_nodes"]

_CODE_HOSTS = frozenset(
    ("bitbucket.org", "codeberg.org", "gitee.com", "github.com", "gitlab.com", "huggingface.co", "sourceforge.net")
)
_RESULT = typed(BK.Result, MLS.Run)
_SCORE = typed(BK.Score, MLS.ModelEvaluation)
_METHOD = typed(BK.Method, MLS.Algorithm)
_PAPER = typed(BK.Paper, SCHEMA.ScholarlyArticle)
_GROUP = typed(BK.ComparisonGroup)
_IMPLEMENTATION = typed(BK.Implementation, SCHEMA.SoftwareSourceCode)
_CONFIGURATION = typed(BK.Configuration)
_PROPERTY_VALUE = typed(SCHEMA.PropertyValue)


def result_nodes(nodes: Nodes) -> Iterator[Node]:
    """Yield what the page states of its results and of all that they mention."""
    mapper = _ResultMapper(nodes)
    for result, method in zip(nodes.page.results, mapper.methods, strict=True):
        yield from mapper.result(result, method)


class _ResultMapper:
    """The nodes of each result and its score, told apart or brought together by what the whole page says."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        results = nodes.page.results
        self.methods = [self._method(result) for result in results]
        self.with_origin = {method for method, it in zip(self.methods, results, strict=True) if it.origin_paper}
        self.addresses: dict[str, str] = {}
        for result in results:
            for paper in (result.reporting_paper, result.origin_paper):
                if paper and paper.url != self.addresses.setdefault(paper.identifier, paper.url):
                    # Of several addresses of one paper, the one that a reader of the graph finds first.
                    self.addresses[paper.identifier] = min(paper.url, self.addresses[paper.identifier], key=address)
        self.groups: dict[str, Node] = {}
        self.of_benchmark = f"{BK.benchmark} {nodes.benchmark}"
        self.of_metric = f"{BK.metric} {nodes.viewed_metric}"

    def _method(self, result: Result) -> str:
        """Return the method of a result: its name and its origin."""
        paper = result.origin_paper or result.reporting_paper
        scope = keys.source_key("paper", paper.identifier) if paper else self.nodes.benchmark_key
        return self.nodes.ids.node("method", keys.method_key(result.label, scope))

    def result(self, result: Result, method: str) -> Iterator[Node]:
        """Yield what the page states of one result, of its score and of all that it mentions."""
        nodes = self.nodes
        node, section = nodes.result(result.identifier), nodes.quotation(result.lines)
        statements = [
            *_RESULT,
            f"{RDFS.label} {literal(f'{result.label} on {nodes.page.title.text}')}",
            f"{DCT.identifier} {literal(result.identifier)}",
            self.of_benchmark,
            f"{BK.method} {method}",
            f"{PROV.wasQuotedFrom} {section}",
            *_reproduction(result.reproduction),
        ]
        of_section: list[str] = []
        of_method = [*_METHOD, f"{RDFS.label} {literal(result.label)}"]
        reporting, origin = result.reporting_paper, result.origin_paper
        if reporting:
            paper = _paper(nodes.ids, reporting)
            statements.append(f"{BK.reportedIn} {paper[0]}")
            if reporting.url != self.addresses[reporting.identifier]:
                of_section.append(f"{BK.reportedInUrl} {literal(reporting.url)}")
            yield paper
        else:
            statements.append(f"{BK.reportedInStatus} {BK.NotRecorded}")
        if origin:
            paper = _paper(nodes.ids, origin)
            of_method.append(f"{BK.originPaper} {paper[0]}")
            if origin.url != self.addresses[origin.identifier]:
                of_section.append(f"{BK.originPaperUrl} {literal(origin.url)}")
            yield paper
        else:
            # Another result of this page may know the origin of the same method.
            known = method in self.with_origin
            (of_section if known else of_method).append(f"{BK.originPaperStatus} {BK.NotRecorded}")
        statements.append(f"{BK.claim} {_claim(reporting, origin)}")
        yield method, of_method
        for url in {*result.implementations}:
            implementation = nodes.ids.node("implementation", keys.named_key("implementation", url))
            statements.append(f"{BK.implementation} {implementation}")
            yield implementation, _implementation(url, nodes.page.page.url)
        configured = _configured(result.configuration, nodes.ids.base)
        statements += configured.statements
        yield from configured.nodes
        if result.row:
            statements += _date(result.row.date)
            yield nodes.quote(result.row.lines, *_row(result.row, result))
        score = nodes.ids.node("score", keys.score_key(keys.source_key("result", result.identifier), nodes.metric_key))
        statements.append(f"{BK.score} {score}")
        yield node, statements
        if configured.key and configured.key not in self.groups:
            self.groups[configured.key] = self._group(configured.key)
            yield self.groups[configured.key]
        yield score, self._score(result, configured.key)
        if result.metric != nodes.viewed:
            of_section.append(f"{BK.metricText} {literal(result.metric)}")
        yield nodes.quote(result.lines, *of_section)

    def _group(self, configuration: str) -> Node:
        nodes = self.nodes
        key = keys.comparison_key(nodes.viewed, nodes.benchmark_key, configuration)
        of_configuration = f"{BK.configuration} {nodes.ids.configuration(configuration)}"
        return nodes.ids.node("comparison", key), [*_GROUP, self.of_benchmark, self.of_metric, of_configuration]

    def _score(self, result: Result, configuration: str) -> list[str]:
        nodes, row = self.nodes, result.row
        texts = [result.value]
        if row and not same_value(result.value, row.value):
            texts.append(row.value)
        shown = " / ".join(texts)
        statements = [
            *_SCORE,
            f"{RDFS.label} {literal(f'{result.label}: {nodes.viewed} {shown}')}",
            self.of_metric,
            *[f"{BK.valueText} {literal(text)}" for text in texts],
            f"{PROV.wasQuotedFrom} {nodes.quotation(result.lines)}",
        ]
        if row:
            statements.append(f"{PROV.wasQuotedFrom} {nodes.quotation(row.lines)}")
        value = self._value(result)
        if value:
            statements.append(f"{BK.value} {decimal(value.value)}")
            if value.spread is not None:
                statements.append(f"{BK.spread} {decimal(value.spread)}")
        if configuration:
            statements.append(f"{BK.comparisonGroup} {self.groups[configuration][0]}")
        return statements

    def _value(self, result: Result) -> Value | None:
        """Return the number on which all places of the page agree, None where they do not or there is none."""
        if disagreements(self.nodes.page, result):
            return None
        try:
            return read_value(result.value)
        except Unreadable:
            return None


def _reproduction(text: str | None) -> list[str]:
    if text is None:
        return [f"{BK.reproductionStatus} {BK.NotRecorded}"]
    if text in REPRODUCTION_TEXTS:
        return [f"{BK.reproductionStatus} {REPRODUCTION_TEXTS[text]}"]
    return [f"{BK.reproductionStatus} {BK.Unreadable}", f"{BK.reproductionText} {literal(text)}"]


def _claim(reporting: Paper | None, origin: Paper | None) -> str:
    if reporting is None or origin is None:
        return BK.ClaimUnknown
    return BK.OwnMethod if reporting.identifier == origin.identifier else BK.OthersMethod


@lru_cache(4096)
def _paper(ids: Identifiers, paper: Paper) -> Node:
    identifier = f"{DCT.identifier} {literal(paper.identifier)}"
    return ids.node("paper", keys.source_key("paper", paper.identifier)), (*_PAPER, identifier, address(paper.url))


def _implementation(url: str, page: str) -> list[str]:
    statements = [*_IMPLEMENTATION, f"{BK.recordedUrl} {literal(url)}"]
    repaired = _without_site_host(url, page)
    if is_linkable(repaired):
        statements.append(f"{SCHEMA.codeRepository} {iri(repaired)}")
    if repaired != url:
        statements.append(f"{BK.urlRepair} {BK.SiteHostRemoved}")
    return statements


def _without_site_host(url: str, page: str) -> str:
    """Return the address without the host of the page, where a code host follows it as a path."""
    site = "/".join(page.split("/", 3)[:3]) + "/"
    path = url.removeprefix(site)
    return f"https://{path}" if path != url and path.split("/", 1)[0] in _CODE_HOSTS else url


def _row(row: TableRow, result: Result) -> Iterator[str]:
    yield f"{BK.rowIndex} {integer(row.index)}"
    if row.label != result.label:
        yield f"{RDFS.label} {literal(row.label)}"
    if row.value != result.value:
        yield f"{BK.valueText} {literal(row.value)}"
    if row.paper != (result.reporting_paper.identifier if result.reporting_paper else NOT_RECORDED):
        yield f"{BK.paperText} {literal(row.paper)}"


def _date(text: str) -> list[str]:
    """State the date of a result, or why there is none; and its text where that says more."""
    if text == NOT_RECORDED:
        return [f"{BK.resultDateStatus} {BK.NotRecorded}"]
    as_printed = f"{BK.resultDateText} {literal(text)}"
    if not text:
        return [f"{BK.resultDateStatus} {BK.NotRecorded}", as_printed]
    try:
        date = read_date(text)
    except Unreadable:
        return [f"{BK.resultDateStatus} {BK.Unreadable}", as_printed]
    stated = f"{BK.resultDate} {literal(date.lexical, getattr(XSD, date.datatype))}"
    return [stated] if date.lexical == text else [stated, as_printed]


class _Configured(NamedTuple):
    """What a text of a configuration makes a result state, and the nodes that this mentions.

    ``key`` is that of the configuration, or empty where nothing can be compared under it.
    """

    key: str
    statements: tuple[str, ...]
    nodes: tuple[Node, ...]


@lru_cache(1024)
def _configured(text: str | None, base: str) -> _Configured:
    as_printed = () if text is None else (f"{BK.configurationText} {literal(text)}",)
    try:
        configuration = read_configuration(text or "")
    except Unreadable:
        return _Configured("", (*as_printed, f"{BK.configurationStatus} {BK.Unreadable}"), ())
    if configuration is None:
        return _Configured("", (*as_printed, f"{BK.configurationStatus} {BK.NotRecorded}"), ())
    ids = Identifiers("", base)
    key = keys.configuration_key(configuration.canonical)
    node = ids.configuration(key)
    parameters = [(ids.parameter(key, it.pointer), _parameter(it)) for it in configuration.parameters]
    statements = (
        *_CONFIGURATION,
        f"{BK.canonicalJson} {literal(configuration.canonical)}",
        *(f"{BK.parameter} {parameter}" for parameter, _ in parameters),
    )
    return _Configured(
        "" if configuration.unknown else key,
        (*as_printed, f"{BK.configuration} {node}"),
        ((node, statements), *parameters),
    )


def _parameter(parameter: Parameter) -> tuple[str, ...]:
    value = parameter.value
    return (
        *_PROPERTY_VALUE,
        f"{SCHEMA.name} {literal(parameter.name)}",
        f"{BK.pointer} {literal(parameter.pointer)}",
        f"{BK.valueStatus} {BK.NotRecorded}" if value is None else f"{SCHEMA.value} {_parameter_value(value)}",
    )


def _parameter_value(value: str | float | bool) -> str:  # noqa: FBT001 - the value is the argument
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
