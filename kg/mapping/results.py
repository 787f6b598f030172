"""What a page states of its results and their scores."""

from __future__ import annotations

from collections.abc import Iterator

from kg import identifiers as keys
from kg.agreement import disagreements
from kg.identifiers import Identifiers
from kg.mapping.configurations import Configured, configured
from kg.mapping.nodes import Nodes, address, ends, remembered, typed
from kg.model import (
    NOT_RECORDED,
    BenchmarkPage,
    Paper,
    Result,
    TableRow,
)
from kg.terms import Node, decimal, escaped, integer, iri, literal, stated
from kg.values import (
    Unreadable,
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
    RDF,
    RDFS,
    REPRODUCTION_TEXTS,
    SCHEMA,
    XSD,
)

__all__ = ["implementation", "result_nodes"]

_CODE_HOSTS = frozenset(
    ("bitbucket.org", "codeberg.org", "gitee.com", "github.com", "gitlab.com", "huggingface.co", "sourceforge.net")
)
_METHOD = typed(BK.Method, MLS.Algorithm)
_PAPER = typed(BK.Paper, SCHEMA.ScholarlyArticle)
_IMPLEMENTATION = typed(BK.Implementation, SCHEMA.SoftwareSourceCode)
_GROUP = typed(BK.ComparisonGroup)
_IS_RUN, _IS_RESULT = ends(RDF.type, MLS.Run), ends(RDF.type, BK.Result)
_IS_EVALUATION, _IS_SCORE = ends(RDF.type, MLS.ModelEvaluation), ends(RDF.type, BK.Score)
_CLAIM_UNKNOWN = ends(BK.claim, BK.ClaimUnknown)
_OWN_METHOD = ends(BK.claim, BK.OwnMethod)
_OTHERS_METHOD = ends(BK.claim, BK.OthersMethod)
_NO_REPORTING_PAPER = ends(BK.reportedInStatus, BK.NotRecorded)
_NO_ORIGIN_PAPER = f"{BK.originPaperStatus} {BK.NotRecorded}"


def result_nodes(nodes: Nodes) -> Iterator[Node]:
    """Yield what the page states of its results and of all that they mention."""
    page, ids, shared = nodes.page, nodes.ids, _Shared(nodes)
    yield from shared.nodes()
    for result, (method, _) in zip(page.results, shared.methods, strict=True):
        label, value, row = result.label, result.value, result.row
        reporting, origin = result.reporting_paper, result.origin_paper
        key, name, shown = keys.source_key("result", result.identifier), escaped(label), escaped(value)
        node, score = ids.node("result", key), ids.node("score", keys.score_key(key, nodes.metric_key))
        section, configuration = nodes.quotation(result.lines), shared.configurations[result.configuration]
        of_result = [
            node + _IS_RUN,
            node + _IS_RESULT,
            f'{node} {DCT.identifier} "{escaped(result.identifier)}" .',
            f'{node} {RDFS.label} "{name} on {shared.title}" .',
            f"{node} {PROV.wasQuotedFrom} {section} .",
            f"{node} {BK.benchmark} {nodes.benchmark} .",
            f"{node} {BK.method} {method} .",
            f"{node} {BK.reportedIn} {shared.papers[reporting][0]} ." if reporting else node + _NO_REPORTING_PAPER,
            node + _claim(reporting, origin),
            f"{node} {BK.score} {score} .",
        ]
        of_score = [
            score + _IS_EVALUATION,
            score + _IS_SCORE,
            f"{score} {PROV.wasQuotedFrom} {section} .",
            f"{score} {BK.metric} {nodes.viewed_metric} .",
            f'{score} {BK.valueText} "{shown}" .',
        ]
        said = [*configuration.statements, *_reproduction(result.reproduction)]
        for url in {*result.implementations}:
            code = implementation(ids, url, page.page.url)
            said.append(f"{BK.implementation} {code[0]}")
            yield code
        if row:
            said += _date(row.date)
            in_table = nodes.quotation(row.lines)
            of_score.append(f"{score} {PROV.wasQuotedFrom} {in_table} .")
            if not same_value(value, row.value):
                of_score.append(f"{score} {BK.valueText} {literal(row.value)} .")
                shown = f"{shown} / {escaped(row.value)}"
            yield nodes.quote(in_table, _row(row, label, value, reporting))
        if configuration.key:
            of_score.append(f"{score} {BK.comparisonGroup} {shared.groups[configuration.key][0]} .")
        of_score.append(f'{score} {RDFS.label} "{name}: {shared.viewed} {shown}" .')
        of_score += [f"{score} {it} ." for it in _number(page, result)]
        of_result += [f"{node} {it} ." for it in said]
        yield node, of_result
        yield score, of_score
        yield nodes.quote(section, shared.of_section(result.metric, reporting, origin, method))


class _Shared:
    """What the results of a page have in common: each node that they mention, made once."""

    def __init__(self, nodes: Nodes) -> None:
        self.page, ids = nodes, nodes.ids
        self.title, self.viewed = escaped(nodes.page.title.text), escaped(nodes.viewed)
        self.methods: list[Node] = []
        self.with_origin: set[str] = set()
        self.without_origin: set[str] = set()
        self.papers: dict[Paper, Node] = {}
        self.configurations: dict[str | None, Configured] = {}
        for result in nodes.page.results:
            reporting, origin, text = result.reporting_paper, result.origin_paper, result.configuration
            for paper in (reporting, origin):
                if paper and paper not in self.papers:
                    self.papers[paper] = _paper(ids, paper.identifier, paper.url)
            if text not in self.configurations:
                self.configurations[text] = configured(text, ids.base)
            if origin:
                method = _method_from(ids, result.label, origin.identifier)
                self.with_origin.add(method[0])
            else:
                scope = keys.source_key("paper", reporting.identifier) if reporting else nodes.benchmark_key
                method = _method(ids, result.label, scope)
                self.without_origin.add(method[0])
            self.methods.append(method)
        self.groups = {it.key: self._group(it.key) for it in self.configurations.values() if it.key}
        self.addresses = {it.identifier: it.url for it in self.papers}
        if len(self.addresses) < len(self.papers):
            # Of several addresses of one paper, the one that a reader of the graph finds first.
            in_order = sorted(self.papers, key=lambda it: address(it.url), reverse=True)
            self.addresses = {it.identifier: it.url for it in in_order}

    def nodes(self) -> Iterator[Node]:
        """Yield the papers, methods, configurations and comparison groups that results mention."""
        yield from self.papers.values()
        yield from self.methods
        for configuration in self.configurations.values():
            yield from configuration.nodes
        yield from self.groups.values()
        for method in self.without_origin - self.with_origin:
            yield stated(method, [_NO_ORIGIN_PAPER])

    def _group(self, configuration: str) -> Node:
        """Return what results are compared in: those of one benchmark, metric and configuration."""
        ids, key = self.page.ids, keys.comparison_key(self.page.viewed, self.page.benchmark_key, configuration)
        statements = (
            *_GROUP,
            f"{BK.benchmark} {self.page.benchmark}",
            f"{BK.metric} {self.page.viewed_metric}",
            f"{BK.configuration} {ids.configuration(configuration)}",
        )
        return stated(ids.node("comparison", key), statements)

    def of_section(self, metric: str, reporting: Paper | None, origin: Paper | None, method: str) -> list[str]:
        """State what the section of a result says otherwise than the nodes that it is about."""
        statements = []
        if metric != self.page.viewed:
            statements.append(f"{BK.metricText} {literal(metric)}")
        if reporting and reporting.url != self.addresses[reporting.identifier]:
            statements.append(f"{BK.reportedInUrl} {literal(reporting.url)}")
        if origin and origin.url != self.addresses[origin.identifier]:
            statements.append(f"{BK.originPaperUrl} {literal(origin.url)}")
        if origin is None and method in self.with_origin:
            statements.append(_NO_ORIGIN_PAPER)  # another result of the page knows the origin of this method
        return statements


def _claim(reporting: Paper | None, origin: Paper | None) -> str:
    if reporting is None or origin is None:
        return _CLAIM_UNKNOWN
    return _OWN_METHOD if reporting.identifier == origin.identifier else _OTHERS_METHOD


def _number(page: BenchmarkPage, result: Result) -> tuple[str, ...]:
    """State the number on which all places of the page agree; nothing where they do not or there is none."""
    if disagreements(page, result):
        return ()
    try:
        value = read_value(result.value)
    except Unreadable:
        return ()
    number = f"{BK.value} {decimal(value.value)}"
    return (number,) if value.spread is None else (f"{BK.spread} {decimal(value.spread)}", number)


@remembered
def _reproduction(text: str | None) -> tuple[str, ...]:
    if text is None:
        return (f"{BK.reproductionStatus} {BK.NotRecorded}",)
    if text in REPRODUCTION_TEXTS:
        return (f"{BK.reproductionStatus} {REPRODUCTION_TEXTS[text]}",)
    return f"{BK.reproductionStatus} {BK.Unreadable}", f"{BK.reproductionText} {literal(text)}"


@remembered
def _method(ids: Identifiers, label: str, scope: str) -> Node:
    """Return a method: its name in the paper or the benchmark (by key) that it is known from."""
    return stated(ids.node("method", keys.method_key(label, scope)), [*_METHOD, f"{RDFS.label} {literal(label)}"])


@remembered
def _method_from(ids: Identifiers, label: str, origin: str) -> Node:
    """Return a method whose origin paper the page names (by the source's id)."""
    paper = keys.source_key("paper", origin)
    node, lines = _method(ids, label, paper)
    return node, (*lines, f"{node} {BK.originPaper} {ids.node('paper', paper)} .")


@remembered
def _paper(ids: Identifiers, identifier: str, url: str) -> Node:
    statements = [*_PAPER, f"{DCT.identifier} {literal(identifier)}", address(url)]
    return stated(ids.node("paper", keys.source_key("paper", identifier)), statements)


@remembered
def implementation(ids: Identifiers, url: str, page: str) -> Node:
    """Return code by its recorded address; ``page`` is the address of the page that links to it."""
    statements = [*_IMPLEMENTATION, f"{BK.recordedUrl} {literal(url)}"]
    repaired = _without_site_host(url, page)
    if is_linkable(repaired):
        statements.append(f"{SCHEMA.codeRepository} {iri(repaired)}")
    if repaired != url:
        statements.append(f"{BK.urlRepair} {BK.SiteHostRemoved}")
    return stated(ids.node("implementation", keys.named_key("implementation", url)), statements)


def _without_site_host(url: str, page: str) -> str:
    """Return the address without the host of the page, where a code host follows it as a path."""
    site = "/".join(page.split("/", 3)[:3]) + "/"
    path = url.removeprefix(site)
    return f"https://{path}" if path != url and path.split("/", 1)[0] in _CODE_HOSTS else url


def _row(row: TableRow, label: str, value: str, reporting: Paper | None) -> list[str]:
    """State what a row of the table says, where it says it otherwise than the section."""
    statements = [f"{BK.rowIndex} {integer(row.index)}"]
    if row.label != label:
        statements.append(f"{RDFS.label} {literal(row.label)}")
    if row.value != value:
        statements.append(f"{BK.valueText} {literal(row.value)}")
    if row.paper != (reporting.identifier if reporting else NOT_RECORDED):
        statements.append(f"{BK.paperText} {literal(row.paper)}")
    return statements


@remembered
def _date(text: str) -> tuple[str, ...]:
    """State the date of a result, or why there is none; and its text where that says more."""
    as_printed = f"{BK.resultDateText} {literal(text)}"
    if text in ("", NOT_RECORDED):
        status = f"{BK.resultDateStatus} {BK.NotRecorded}"
        return (status, as_printed) if text == "" else (status,)
    try:
        date = read_date(text)
    except Unreadable:
        return f"{BK.resultDateStatus} {BK.Unreadable}", as_printed
    read = f"{BK.resultDate} {literal(date.lexical, getattr(XSD, date.datatype))}"
    return (read,) if date.lexical == text else (read, as_printed)
