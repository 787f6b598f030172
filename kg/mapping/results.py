"""What a page states of its results and their scores."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from decimal import Decimal

from kg import identifiers as keys
from kg.agreement import disagreements
from kg.mapping.nodes import Nodes, address
from kg.model import (
    NOT_RECORDED,
    BenchmarkPage,
    Result,
    TableRow,
)
from kg.terms import Triple, boolean, decimal, integer, iri, literal
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
    RDF,
    RDFS,
    REPRODUCTION_TEXTS,
    SCHEMA,
    XSD,
)

__all__ = ["ResultMapper"]

_CODE_HOSTS = frozenset(
    ("bitbucket.org", "codeberg.org", "gitee.com", "github.com", "gitlab.com", "huggingface.co", "sourceforge.net")
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


class ResultMapper(Nodes):
    """The triples of each result and its score."""

    def __init__(self, page: BenchmarkPage, base: str) -> None:
        super().__init__(page, base)
        papers = [paper for result in page.results for paper in (result.reporting_paper, result.origin_paper) if paper]
        # Of several addresses of one paper, the one that a reader of the graph finds first.
        self.addresses = {
            it.identifier: it.url for it in sorted(papers, key=lambda it: address("", it.url), reverse=True)
        }
        self.with_origin = {self.method(result) for result in page.results if result.origin_paper}

    def triples(self, result: Result) -> Iterator[Triple]:
        """Yield what the page states of one result."""
        node, method = self.result(result.identifier), self.method(result)
        yield node, RDF.type, BK.Result
        yield node, RDF.type, MLS.Run
        yield node, RDFS.label, literal(f"{result.label} on {self.page.title.text}")
        yield node, DCT.identifier, literal(result.identifier)
        yield node, BK.benchmark, self.benchmark
        yield node, BK.method, method
        yield node, PROV.wasQuotedFrom, self.quotation(result.lines)
        yield from self.quote(result.lines)
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
        for paper, subject, property_, status, own_address in (
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
            yield address(self.paper(paper), paper.url)
            if paper.url != self.addresses[paper.identifier]:
                yield self.quotation(result.lines), own_address, literal(paper.url)
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
        yield from self.quote(row.lines)
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
            group = self.ids.node("comparison", keys.comparison_key(self.viewed, self.benchmark_key, configuration))
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
