"""What validation says of a finding: how bad, where it stands, and what it keeps out."""

from __future__ import annotations

import random
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, SH, Graph

from kg.errors import Misuse
from kg.identifiers import Identifiers
from kg.model import Lines
from kg.resources import directory
from kg.terms import decimal, literal
from kg.validation import Culprits, Finding, Quotation, Report, culprits, load_shapes, merge, report_graph, validate
from kg.vocabulary import BK, DCT, FOAF, QUDT, RDFS, SCHEMA, UNIT, XSD
from kg.vocabulary import RDF as RDF_TERMS

PASSING = Path(__file__).parent / "shapes" / "passing.ttl"
IDS = Identifiers("sota2")
FIRST, SECOND = "00000000000000000000000a", "00000000000000000000000b"
RESULT = IDS.node("result", FIRST)
OTHER = IDS.node("result", SECOND)
SCORE = IDS.node("score", "a")
SNAPSHOT = IDS.node("snapshot", "fedcba9876543210")
PURITY = IDS.node("metric", "purity")
TIME = IDS.node("metric", "time")
BENCHMARK = IDS.node("benchmark", "shells")
REPORTING = IDS.node("paper", "0000000000000000000000aa")
ORIGIN = IDS.node("paper", "0000000000000000000000bb")
PAGE = "https://example.org/shells"


def line(subject: str, predicate: str, value: str) -> str:
    return f"{subject} {predicate} {value} ."


def quotation(first: int, last: int) -> str:
    return IDS.quotations("fedcba9876543210")(Lines(first, last))


def quoted(*ranges: tuple[int, int]) -> tuple[Quotation, ...]:
    return tuple(Quotation(SNAPSHOT[1:-1], first, last) for first, last in ranges)


@pytest.fixture(scope="module")
def shapes():
    return load_shapes(directory("shapes"))


@pytest.fixture(scope="module")
def passing() -> list[str]:
    found = pyoxigraph.parse(path=PASSING, format=pyoxigraph.RdfFormat.TURTLE)
    return sorted(f"{it.subject} {it.predicate} {it.object} ." for it in found)


def only(report: Report, shape: str) -> Finding:
    (finding,) = (it for it in report.findings if it.shape == shape)
    return finding


def test_a_folder_without_shapes_is_misuse(tmp_path):
    with pytest.raises(Misuse, match=r"There are no shapes in .*: name a folder"):
        load_shapes(tmp_path)


def test_a_finding_says_what_where_and_on_which_lines(passing, shapes):
    report = validate([*passing, line(SCORE, BK.value, decimal("81.6"))], shapes)
    assert only(report, "score-value-agrees") == Finding(
        severity="warning",
        shape="score-value-agrees",
        focus=SCORE[1:-1],
        path="bk:value",
        values=(),
        component="MaxCountConstraintComponent",
        message="Places disagree on the value of this score. Compare the quoted lines; it is listed but not ranked.",
        page=PAGE,
        quotations=quoted((25, 25), (31, 40)),
    )
    assert str(only(report, "score-value-agrees")) == (
        "warning: Places disagree on the value of this score. Compare the quoted lines; it is listed but not ranked. "
        f"[score-value-agrees] {SCORE[1:-1]} (line 25, lines 31-40 of {PAGE})"
    )
    assert report.conforms
    assert report.warnings == report.findings


def test_the_values_that_are_wrong_stand_together_as_terms(passing, shapes):
    wrong = {line(SCORE, BK.value, value) for value in (literal("NaN", XSD.decimal), literal("many"))}
    report = validate({*passing, *wrong}, shapes)
    found = {it.component: it.values for it in report.findings if it.shape == "score-value"}
    assert found == {
        "DatatypeConstraintComponent": ('"many"',),
        "PatternConstraintComponent": ('"NaN"^^<http://www.w3.org/2001/XMLSchema#decimal>', '"many"'),
    }
    assert not report.conforms


def test_a_literal_is_checked_as_it_is_written(passing, shapes):
    """Parsers of rdflib turn it into 100000, which is a fine decimal."""
    report = validate([*passing, line(SCORE, BK.value, literal("1e5", XSD.decimal))], shapes)
    assert only(report, "score-value").values == ('"1e5"^^<http://www.w3.org/2001/XMLSchema#decimal>',)


def test_bad_literals_are_found_without_a_word_from_rdflib(passing, shapes, caplog, capfd):
    report = validate([*passing, line(OTHER, BK.resultDate, literal("2026-02-30", XSD.date))], shapes)
    assert only(report, "result-date").quotations == quoted((41, 50))
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("change", "shape", "lines"),
    [
        (line(SNAPSHOT, BK.resultsLoaded, literal("3", XSD.integer)), "page-snapshot-loaded-is-read", [(11, 11)]),
        (line(PURITY, QUDT.hasUnit, UNIT.UNITLESS), "metric-unit-agrees", [(13, 13), (19, 19)]),
        (line(TIME, BK.unitText, literal("HOURS")), "metric-unit-agrees", [(21, 21)]),
        (line(BENCHMARK, RDFS.label, literal("Shells")), "benchmark-label-agrees", [(1, 1)]),
        (line(f"<{PAGE}>", DCT.title, literal("Shells")), "benchmark-page-title-agrees", [(1, 1)]),
        (line(ORIGIN, FOAF.page, f"<{PAGE}/b>"), "paper-page-agrees", [(31, 40)]),
        (line(REPORTING, FOAF.page, f"<{PAGE}/a>"), "paper-page-agrees", [(31, 40), (41, 50)]),
        (line(quotation(26, 26), BK.rowIndex, literal("0", XSD.integer)), "quotation-row-index", [(26, 26)]),
    ],
    ids=["a count", "the unit shown", "a unit listed", "a benchmark", "a page", "a paper", "a paper of two", "a row"],
)
def test_a_finding_on_any_node_leads_to_lines(passing, shapes, change, shape, lines):
    report = validate([*passing, change], shapes)
    found = [it for it in report.findings if it.shape == shape]
    assert found
    assert {(it.page, it.quotations) for it in found} == {(PAGE, quoted(*lines))}


NOTHING = ((), (), ())
BOTH = (FIRST, SECOND)


KEPT_OUT = [
    ("a result", line(RESULT, BK.claim, BK.Result), ((), (FIRST,), ())),
    ("its score", line(SCORE, BK.valueText, literal("x") + "@en"), ((), (FIRST,), ())),
    ("its method", line(IDS.node("method", "whelk"), RDFS.label, literal("W")), ((), (FIRST,), ())),
    ("its origin paper", line(ORIGIN, DCT.identifier, literal("12")), ((), (FIRST,), ())),
    ("a paper of two", line(REPORTING, DCT.identifier, literal("12")), ((), BOTH, ())),
    (
        "its implementation",
        line(IDS.node("implementation", "whelk"), SCHEMA.codeRepository, literal("x")),
        ((), (FIRST,), ()),
    ),
    (
        "its configuration",
        line(IDS.configuration("0123456789abcdef"), BK.canonicalJson, literal("{}")),
        ((), (FIRST,), ()),
    ),
    (
        "a parameter of it",
        line("<https://w3id.org/benchkg/id/configuration/0123456789abcdef#depth>", SCHEMA.name, literal("D")),
        ((), (FIRST,), ()),
    ),
    ("its group", line(IDS.node("comparison", "whelk"), BK.metric, TIME), ((), (FIRST,), ())),
    ("its section", line(quotation(31, 40), BK.metricText, literal("x") + "@en"), ((), (FIRST,), ())),
    ("its table row", line(quotation(26, 26), BK.rowIndex, literal("9", XSD.integer)), ((), (SECOND,), ())),
    ("a listed metric", line(TIME, BK.unitText, literal("h") + "@en"), ((), (), ("Time",))),
    ("the line of a listed metric", line(quotation(21, 21), BK.states, literal("x")), ((), (), ("Time",))),
    ("the metric shown", line(PURITY, RDFS.label, literal("P")), (("metric-label",), (), ())),
    ("its line", line(quotation(19, 19), BK.states, literal("x")), (("quotation-states",), (), ())),
    ("the benchmark", line(BENCHMARK, BK.task, TIME), (("benchmark-task",), (), ())),
    ("the task", line(IDS.node("task", "sorting"), RDFS.label, literal("x")), (("task-label",), (), ())),
    ("the dataset", line(IDS.node("dataset", "shells"), BK.split, BK.Error), (("dataset-split",) * 2, (), ())),
    ("the page", line(f"<{PAGE}>", DCT.title, literal("x") + "@en"), (("benchmark-page-title",), (), ())),
    ("the snapshot", line(SNAPSHOT, BK.sha256, literal("0" * 64)), (("page-snapshot-sha256",), (), ())),
    ("a line of the page", line(quotation(1, 1), BK.states, literal("x")), (("quotation-states",), (), ())),
    ("a problem", line(IDS.node("problem", "value-not-a-number"), BK.message, literal("x")), NOTHING),
    ("a warning", line(SCORE, BK.value, decimal("12")), NOTHING),
]


@pytest.mark.parametrize(("node", "property_", "expected"), KEPT_OUT, ids=[it[0] for it in KEPT_OUT])
def test_a_violation_keeps_out_what_stands_on_it(passing, shapes, node, property_, expected):
    lines = [*passing, property_]
    report = validate(lines, shapes)
    assert report.findings, f"nothing is wrong with {node}"
    out = culprits(report, lines)
    page, results, metrics = expected
    assert tuple(it.shape for it in out.page if not it.shape.startswith("task-preferred")) == page
    assert tuple(out.results) == results
    assert tuple(out.metrics) == metrics


def test_nothing_is_kept_out_of_a_graph_that_conforms(passing, shapes):
    assert culprits(validate(passing, shapes), passing) == Culprits()


def test_an_empty_graph_does_not_merely_conform(shapes):
    report = validate([], shapes)
    assert report.conforms
    assert {"result", "score", "paper", "page-snapshot"} <= set(report.without_target)
    assert not {"problem", "result-date-or-status"} & set(report.without_target), "a clean page has none of these"
    assert set(report.focus_counts.values()) == {0}


def test_a_misspelt_class_is_named(passing, shapes):
    report = validate((it.replace(BK.Result, "<https://w3id.org/benchkg/ns#Resutl>") for it in passing), shapes)
    assert "result" in report.without_target
    assert report.unknown_terms == ("https://w3id.org/benchkg/ns#Resutl",)


def test_a_class_or_property_that_nothing_here_knows_is_named(passing, shapes):
    strange = [
        line("<https://example.org/x>", RDF_TERMS.type, "<https://example.org/Leaderboard>"),
        line(RESULT, "<https://w3id.org/benchkg/ns#resultDte>", literal("2023")),
    ]
    assert validate([*passing, *strange], shapes).unknown_terms == (
        "https://example.org/Leaderboard",
        "https://w3id.org/benchkg/ns#resultDte",
    )


@given(seed=st.integers())
@settings(max_examples=5)
def test_the_order_of_lines_does_not_matter(passing, shapes, seed):
    lines = [*passing, line(RESULT, BK.claim, BK.OwnMethod), line(SCORE, BK.value, literal("x"))]
    shuffled = random.Random(seed).sample(lines, len(lines))
    assert validate(shuffled, shapes) == validate(lines, shapes)


ODD_TERMS = (
    literal("abc", XSD.integer),
    literal("NaN", XSD.decimal),
    literal("INF", "<http://www.w3.org/2001/XMLSchema#double>"),
    literal("99999-13-01", XSD.date),
    literal("a", "<https://example.org/datatype>"),
    literal('\x00 \\ " ]') + "@en",
    "<https://example.org/nothing>",
    "_:nobody",
)


@pytest.mark.parametrize("number", range(len(ODD_TERMS) * 8))
def test_nothing_that_a_graph_may_hold_ends_in_a_traceback(passing, shapes, number):
    """pyshacl cannot compare a number with what is none; no shape asks it to."""
    subject, predicate, _ = random.Random(number).choice(passing).split(" ", 2)
    odd = line(subject, predicate, ODD_TERMS[number % len(ODD_TERMS)])
    others = passing if number % 16 < 8 else [it for it in passing if not it.startswith(subject)]
    lines = [*others, odd]
    report = validate(lines, shapes)
    culprits(report, lines)
    Graph().parse(data=report_graph(report), format="turtle")


def test_reports_merge_into_one(passing, shapes):
    wrong = validate([*passing, line(RESULT, BK.claim, BK.OwnMethod)], shapes)
    nothing = validate([], shapes)
    right = validate(passing, shapes)
    merged = merge([right, wrong, nothing, wrong])
    assert merged.findings == wrong.findings
    assert merged.graphs == 4
    assert merged.focus_counts["result"] == 6
    assert merged.without_target == ()
    assert merge([nothing]).without_target == nothing.without_target
    assert merge([right, wrong]) == merge([wrong, right])


def test_two_pages_that_disagree_are_a_warning_and_no_violation(passing, shapes):
    """The verdict on the merged export is the one on its views, each of which is right in itself."""
    second = [
        it.replace("fedcba9876543210", "0123456789abcdef").replace(PURITY, TIME).replace("/score/a>", "/score/a-time>")
        for it in passing
        if "/problem/" not in it and "/score/b>" not in it and "/comparison/" not in it
    ]
    second = [it for it in second if not it.startswith((PURITY, TIME, SCORE.replace("/a>", "/b>")))]
    date = line(RESULT, BK.resultDate, literal("2024-11-08", XSD.date))
    status = line(RESULT, BK.resultDateStatus, BK.NotRecorded)
    merged = {*passing, *second, date}
    assert status in merged
    report = validate(merged, shapes)
    assert "result-date-agrees" in {it.shape for it in report.warnings}
    assert report.conforms, [str(it) for it in report.violations]
    assert "result-date-or-status" in {it.shape for it in validate([*passing, date], shapes).violations}


def test_the_report_graph_is_the_shacl_report(passing, shapes):
    wrong = [
        *passing,
        line(RESULT, BK.claim, BK.OwnMethod),
        line(SNAPSHOT, BK.resultsLoaded, literal("3", XSD.integer)),
    ]
    report = validate(wrong, shapes)
    graph = Graph().parse(data=report_graph(report), format="turtle")
    (head,) = graph.subjects(RDF.type, SH.ValidationReport)
    assert not graph.value(head, SH.conforms).value
    found = {str(graph.value(it, SH.sourceShape)).rpartition("#")[2] for it in graph.objects(head, SH.result)}
    assert found == {it.shape for it in report.findings}
    for result in graph.objects(head, SH.result):
        for needed in (SH.focusNode, SH.resultSeverity, SH.sourceConstraintComponent, SH.resultMessage):
            assert graph.value(result, needed) is not None
    clean = Graph().parse(data=report_graph(validate(passing, shapes)), format="turtle")
    assert [it.value for it in clean.objects(None, SH.conforms)] == [True]


def test_the_report_graph_has_each_kind_of_path(shapes):
    findings = tuple(
        Finding("violation", shape, RESULT[1:-1], path, ('"x"',), "MinCountConstraintComponent", 'Say "why".')
        for shape, path in shapes.paths.items()
    )
    graph = Graph().parse(data=report_graph(Report(findings)), format="turtle")
    assert len(list(graph.subjects(SH.resultPath))) == len(shapes.paths)
