"""What a page states of its results and their scores."""

from __future__ import annotations

from collections.abc import Iterator

from kg import identifiers as keys
from kg.agreement import disagreements
from kg.identifiers import Identifiers
from kg.mapping.configurations import configured
from kg.mapping.nodes import Nodes, address, remembered, typed
from kg.model import (
    NOT_RECORDED,
    Paper,
    Result,
    TableRow,
)
from kg.terms import Node, decimal, integer, iri, literal
from kg.values import (
    Unreadable,
    Value,
    is_linkable,
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
_IMPLEMENTATION = typed(BK.Implementation, SCHEMA.SoftwareSourceCode)
_GROUP = typed(BK.ComparisonGroup)
_NO_DATE = f"{BK.resultDateStatus} {BK.NotRecorded}"
_NO_REPORTING_PAPER = f"{BK.reportedInStatus} {BK.NotRecorded}"
_NO_ORIGIN_PAPER = f"{BK.originPaperStatus} {BK.NotRecorded}"
_CLAIM_UNKNOWN = f"{BK.claim} {BK.ClaimUnknown}"
_OWN_METHOD = f"{BK.claim} {BK.OwnMethod}"
_OTHERS_METHOD = f"{BK.claim} {BK.OthersMethod}"


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
        self.with_origin = {method for (method, _), it in zip(self.methods, results, strict=True) if it.origin_paper}
        self.addresses: dict[str, str] = {}
        for result in results:
            for paper in (result.reporting_paper, result.origin_paper):
                if paper and paper.url != self.addresses.setdefault(paper.identifier, paper.url):
                    # Of several addresses of one paper, the one that a reader of the graph finds first.
                    self.addresses[paper.identifier] = min(paper.url, self.addresses[paper.identifier], key=address)
        self.groups: dict[str, Node] = {}
        self.of_benchmark = f"{BK.benchmark} {nodes.benchmark}"
        self.of_metric = f"{BK.metric} {nodes.viewed_metric}"

    def _method(self, result: Result) -> Node:
        """Return the method of a result: its name and its origin."""
        paper = result.origin_paper or result.reporting_paper
        scope = keys.source_key("paper", paper.identifier) if paper else self.nodes.benchmark_key
        return _method(self.nodes.ids, result.label, scope)

    def result(self, result: Result, method: Node) -> Iterator[Node]:
        """Yield what the page states of one result, of its score and of all that it mentions."""
        nodes, row = self.nodes, result.row
        key = keys.source_key("result", result.identifier)
        score = nodes.ids.node("score", keys.score_key(key, nodes.metric_key))
        section = nodes.quotation(result.lines)
        statements = [
            *_RESULT,
            f"{RDFS.label} {literal(f'{result.label} on {nodes.page.title.text}')}",
            f"{DCT.identifier} {literal(result.identifier)}",
            self.of_benchmark,
            f"{BK.method} {method[0]}",
            _claim(result.reporting_paper, result.origin_paper),
            *_reproduction(result.reproduction),
            f"{BK.score} {score}",
            f"{PROV.wasQuotedFrom} {section}",
        ]
        of_score = [*self._score(result), f"{PROV.wasQuotedFrom} {section}"]
        if row:
            statements += _date(row.date)
            in_table = nodes.quotation(row.lines)
            of_score.append(f"{PROV.wasQuotedFrom} {in_table}")
            yield in_table, nodes.quoted + _row(row, result)
        if result.reporting_paper:
            reporting = _paper(nodes.ids, result.reporting_paper.identifier, result.reporting_paper.url)
            statements.append(f"{BK.reportedIn} {reporting[0]}")
            yield reporting
        else:
            statements.append(_NO_REPORTING_PAPER)
        if result.origin_paper:
            origin = _paper(nodes.ids, result.origin_paper.identifier, result.origin_paper.url)
            yield method[0], (*method[1], f"{BK.originPaper} {origin[0]}")
            yield origin
        else:
            yield method if method[0] in self.with_origin else (method[0], (*method[1], _NO_ORIGIN_PAPER))
        for url in {*result.implementations}:
            implementation = _implementation(nodes.ids, url, nodes.page.page.url)
            statements.append(f"{BK.implementation} {implementation[0]}")
            yield implementation
        configuration = configured(result.configuration, nodes.ids.base)
        statements += configuration.statements
        yield from configuration.nodes
        group = self._group(configuration.key) if configuration.key else None
        if group:
            of_score.append(f"{BK.comparisonGroup} {group[0]}")
            yield group
        yield nodes.ids.node("result", key), statements
        yield score, of_score
        yield section, nodes.quoted + self._section(result, method[0])

    def _group(self, configuration: str) -> Node:
        """Describe what results are compared in: those of one benchmark, metric and configuration."""
        if configuration not in self.groups:
            nodes = self.nodes
            key = keys.comparison_key(nodes.viewed, nodes.benchmark_key, configuration)
            of_configuration = f"{BK.configuration} {nodes.ids.configuration(configuration)}"
            statements = (*_GROUP, self.of_benchmark, self.of_metric, of_configuration)
            self.groups[configuration] = nodes.ids.node("comparison", key), statements
        return self.groups[configuration]

    def _section(self, result: Result, method: str) -> list[str]:
        """State what the section of a result says otherwise than the nodes that it is about."""
        statements = []
        reporting, origin = result.reporting_paper, result.origin_paper
        if result.metric != self.nodes.viewed:
            statements.append(f"{BK.metricText} {literal(result.metric)}")
        if reporting and reporting.url != self.addresses[reporting.identifier]:
            statements.append(f"{BK.reportedInUrl} {literal(reporting.url)}")
        if origin and origin.url != self.addresses[origin.identifier]:
            statements.append(f"{BK.originPaperUrl} {literal(origin.url)}")
        if origin is None and method in self.with_origin:
            statements.append(_NO_ORIGIN_PAPER)  # another result of the page knows the origin of this method
        return statements

    def _score(self, result: Result) -> list[str]:
        row, shown = result.row, result.value
        statements = [*_SCORE, self.of_metric, f"{BK.valueText} {literal(result.value)}"]
        if row and not same_value(result.value, row.value):
            statements.append(f"{BK.valueText} {literal(row.value)}")
            shown = f"{result.value} / {row.value}"
        statements.append(f"{RDFS.label} {literal(f'{result.label}: {self.nodes.viewed} {shown}')}")
        value = self._value(result)
        if value:
            statements.append(f"{BK.value} {decimal(value.value)}")
            if value.spread is not None:
                statements.append(f"{BK.spread} {decimal(value.spread)}")
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
        return _CLAIM_UNKNOWN
    return _OWN_METHOD if reporting.identifier == origin.identifier else _OTHERS_METHOD


@remembered
def _method(ids: Identifiers, label: str, scope: str) -> Node:
    return ids.node("method", keys.method_key(label, scope)), (*_METHOD, f"{RDFS.label} {literal(label)}")


@remembered
def _paper(ids: Identifiers, identifier: str, url: str) -> Node:
    statements = (*_PAPER, f"{DCT.identifier} {literal(identifier)}", address(url))
    return ids.node("paper", keys.source_key("paper", identifier)), statements


@remembered
def _implementation(ids: Identifiers, url: str, page: str) -> Node:
    statements = [*_IMPLEMENTATION, f"{BK.recordedUrl} {literal(url)}"]
    repaired = _without_site_host(url, page)
    if is_linkable(repaired):
        statements.append(f"{SCHEMA.codeRepository} {iri(repaired)}")
    if repaired != url:
        statements.append(f"{BK.urlRepair} {BK.SiteHostRemoved}")
    return ids.node("implementation", keys.named_key("implementation", url)), tuple(statements)


def _without_site_host(url: str, page: str) -> str:
    """Return the address without the host of the page, where a code host follows it as a path."""
    site = "/".join(page.split("/", 3)[:3]) + "/"
    path = url.removeprefix(site)
    return f"https://{path}" if path != url and path.split("/", 1)[0] in _CODE_HOSTS else url


def _row(row: TableRow, result: Result) -> list[str]:
    statements = [f"{BK.rowIndex} {integer(row.index)}"]
    if row.label != result.label:
        statements.append(f"{RDFS.label} {literal(row.label)}")
    if row.value != result.value:
        statements.append(f"{BK.valueText} {literal(row.value)}")
    if row.paper != (result.reporting_paper.identifier if result.reporting_paper else NOT_RECORDED):
        statements.append(f"{BK.paperText} {literal(row.paper)}")
    return statements


def _date(text: str) -> list[str]:
    """State the date of a result, or why there is none; and its text where that says more."""
    if text == NOT_RECORDED:
        return [_NO_DATE]
    as_printed = f"{BK.resultDateText} {literal(text)}"
    if not text:
        return [_NO_DATE, as_printed]
    try:
        date = read_date(text)
    except Unreadable:
        return [f"{BK.resultDateStatus} {BK.Unreadable}", as_printed]
    stated = f"{BK.resultDate} {literal(date.lexical, getattr(XSD, date.datatype))}"
    return [stated] if date.lexical == text else [stated, as_printed]
