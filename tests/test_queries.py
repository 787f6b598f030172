"""The queries of the catalogue: what they answer, and the traps none may fall into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

import pytest
from asked_graphs import (
    ASH,
    BASE,
    HERE,
    METRIC_A,
    MSP,
    NEAR,
    OOD,
    PLF,
    QUERIES,
    SEEDS,
    SELECTIVE,
    SELECTS,
    VRA,
    dicts,
    rows,
    store,
)
from real_pages import COUNTS

from kg import catalogue, sources
from kg.catalogue import Query
from kg.guard import tokens
from kg.mapping import to_view_graph
from kg.model import ViewGraph
from kg.rows import compact
from kg.store import Solutions, Store
from kg.terms import lexical
from kg.vocabulary import BK, DCT, FOAF, SCHEMA, prefixes

# What the expected rows under tests/queries answer, by query: cases that are read, and values of parameters.
ASKED: dict[str, list[tuple[tuple[str, ...], dict[str, str]]]] = {
    "comparison/comparable-pairs": [(SEEDS, {"method": PLF, "other": VRA})],
    "comparison/configuration-effect": [(SEEDS, {"method": ASH})],
    "comparison/leaderboard": [
        (SEEDS, {"benchmark": OOD, "metric": NEAR}),
        (SEEDS, {"benchmark": SELECTIVE, "metric": METRIC_A}),
        (("equal-values",), {}),
        (("value-differs",), {}),
        (("configuration-unknown-keys",), {}),
        (("direction-disagrees",), {}),
    ],
    "comparison/rank-by-configuration": [(SEEDS, {"benchmark": OOD, "metric": NEAR})],
    "comparison/why-not-comparable": [
        (SEEDS, {"method": PLF, "other": VRA}),
        (SEEDS, {"method": PLF, "other": MSP}),
        (("configuration-unknown-keys",), {}),
    ],
    "lookup/disputed-facts": [(SEEDS, {}), (("direction-disagrees",), {})],
    "lookup/nodes-by-name": [(SEEDS, {"class": "https://w3id.org/benchkg/ns#Method", "name": "KNN"})],
    "lookup/nodes-of-class": [(SEEDS, {"class": "https://w3id.org/benchkg/ns#Metric"})],
    "provenance/benchmarks-of-a-method": [(SEEDS, {"method": MSP})],
    "provenance/claims-of-a-method": [(SEEDS, {"method": MSP}), (SEEDS, {"method": PLF})],
    "provenance/facts-of-a-score": [
        (SEEDS, {"result": f"{BASE}result/699a67995698665ec4efe4ba", "metric": METRIC_A}),
        (("value-differs",), {"result": f"{BASE}result/0e6ab5297c41d8f3b29e5a07"}),
    ],
    "provenance/papers-behind-a-method": [(SEEDS, {"method": MSP})],
    "provenance/places-of-scores": [(SEEDS, {"benchmark": OOD, "metric": NEAR}), (("value-differs",), {})],
    "provenance/problems": [(SEEDS, {}), (("value-differs",), {})],
    "provenance/problems-of-a-result": [
        (SEEDS, {}),
        (("value-differs",), {"result": f"{BASE}result/0e6ab5297c41d8f3b29e5a07"}),
    ],
    "provenance/results-of-a-paper": [(SEEDS, {"paper": f"{BASE}paper/68fa78a61e209131cea79954"})],
    "provenance/statements-of-a-leaderboard": [
        (SEEDS, {"benchmark": SELECTIVE, "metric": METRIC_A}),
        (("first-page-of-several", "second-page-of-several"), {}),
    ],
    "provenance/trace": [
        (SEEDS, {"result": f"{BASE}result/699a67995698665ec4efe4ba"}),
        (("value-differs",), {"result": f"{BASE}result/0e6ab5297c41d8f3b29e5a07"}),
    ],
    "quality/conflicting-scores": [(SEEDS, {}), (("conflicting-rows",), {})],
    "quality/direction-in-doubt": [(SEEDS, {}), (("selective-classification-lower-is-better",), {})],
    "quality/leaderboards-incomplete": [(SEEDS, {}), (("first-page-of-several",), {})],
    "quality/loaded-count-differs": [(SEEDS, {}), (("loaded-count-differs",), {})],
    "quality/mixed-states": [(SEEDS, {}), (("first-page-of-several", "second-page-of-several"), {})],
    "quality/views-disagree": [(SEEDS, {}), (("direction-disagrees",), {})],
}

# The text of each file


@dataclass
class Select:
    """One SELECT of a query: the variables it projects, those its braces hold, and whether it is the outer one."""

    projected: set[str] = field(default_factory=set)
    inside: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    computed: set[str] = field(default_factory=set)


def selects(query: Query) -> Iterator[Select]:
    """Yield each SELECT, the outer one first, with what stands between it and the brace that ends its group."""
    found = list(tokens(query.text))
    for start, token in enumerate(found):
        if token.text.upper() != "SELECT":
            continue
        select, depth, brackets, at_pattern = Select(), 0, 0, False
        for here, each in enumerate(found[start + 1 :], start + 1):
            depth += (each.text == "{") - (each.text == "}")
            if depth < 0:
                break
            brackets += (each.text == "(") - (each.text == ")")
            at_pattern = at_pattern or depth > 0
            if each.kind == "variable":
                name = each.text[1:]
                select.inside.append(name)
                named = found[here - 1].text.upper() == "AS"
                if not at_pattern and (not brackets or named):
                    select.projected.add(name)
                if named:
                    select.computed.add(name)
            elif depth == 0 and each.kind == "word":
                select.words.append(each.text.upper())
        yield select


@pytest.fixture(params=QUERIES.values(), ids=QUERIES)
def query(request) -> Query:
    return request.param


@pytest.fixture(params=SELECTS.values(), ids=SELECTS)
def select(request) -> Query:
    return request.param


def test_every_file_has_a_question_in_words_and_its_rules_a_mend(query):
    assert query.summary
    assert not query.summary.endswith(".")
    assert bool(query.severity) == bool(query.mend) == (query.group == "quality")
    assert bool(query.columns) != ("CONSTRUCT" in query.text)
    assert max(len(line) for line in query.text.splitlines() if not line.startswith("#+")) <= 120
    for example in query.examples:
        assert set(example) <= {parameter.name for parameter in query.parameters}


def test_columns_of_the_header_are_those_of_the_answer(select):
    answer = store(SEEDS).query(select.text)
    assert isinstance(answer, Solutions)
    assert answer.variables == tuple(column.name for column in select.columns)


def test_every_select_that_reads_a_parameter_projects_it(query):
    # Oxigraph binds a variable where it is projected, and nowhere else: the others silently range over everything.
    parameters = {parameter.name for parameter in query.parameters}
    for select in selects(query):
        assert parameters & set(select.inside) <= select.projected
        assert not parameters & select.computed, "a parameter is given, not computed"
    for bind in query.text.split("BIND(")[1:]:
        read = {token.text[1:] for token in tokens(bind.split(" AS ?")[0]) if token.kind == "variable"}
        assert not parameters & read, "no BIND reads a parameter"


def test_every_group_is_one_of_rows(query):
    # Without rows to group, rdflib gives one row with nothing in it, where the specification has none.
    for select in selects(query):
        if "GROUP" in select.words:
            assert "HAVING" in select.words


def test_every_select_is_in_order(select):
    outer = next(selects(select))
    assert "ORDER" in outer.words
    assert "LIMIT" not in outer.words


def test_no_query_takes_the_least_of_iris_or_leaves_terms_to_chance(query):
    # MIN of IRIs is a string in rdflib; SAMPLE and GROUP_CONCAT depend on the order in which an engine finds rows.
    words = {token.text.upper() for token in tokens(query.text) if token.kind == "word"}
    assert not words & {"SAMPLE", "GROUP_CONCAT", "LIMIT", "OFFSET", "NOW", "RAND", "UUID", "STRUUID", "BNODE"}


def test_no_pattern_begins_at_a_node_that_is_computed(query):
    # Oxigraph joins nothing by a variable of BIND: it pairs all rows, and where the node is unbound it keeps all pairs.
    assert "BIND(IRI(" not in query.text


DISPUTED = """
{{ {result} bk:benchmark ?one , ?two }}
UNION {{ {result} bk:method ?one , ?two }}
UNION {{ {result} bk:configuration ?one ; bk:configuration|bk:configurationStatus ?two }}
UNION {{ {result} bk:reportedIn ?one ; bk:reportedIn|bk:reportedInStatus ?two }}
UNION {{ {score} bk:value ?one , ?two }}
"""


@pytest.mark.parametrize(
    "name",
    ["comparable-pairs", "configuration-effect", "leaderboard", "rank-by-configuration", "why-not-comparable"],
)
def test_what_is_ranked_or_compared_is_decided_everywhere_by_the_same_words(name):
    found = " ".join(QUERIES[f"comparison/{name}"].text.split())
    pairs = [("?result", "?score"), ("?otherResult", "?otherScore")]
    if name in {"leaderboard", "rank-by-configuration"}:
        pairs = [("?rivalResult", "?rival")]
    for result, score in pairs:
        assert " ".join(DISPUTED.format(result=result, score=score).split()) in found


# What they answer


def shown(query: Query, cases: tuple[str, ...], values: Mapping[str, str]) -> str:
    """A question and its rows as text: what is the same in all rows stands once, above."""
    short = prefixes()

    def term(each: str | None) -> str:
        if each is None:
            return "-"
        text = compact(lexical(each), short) if each.startswith("<") else lexical(each)
        return text.replace("\n", "\\n").replace("\t", "\\t")

    names = [column.name for column in query.columns]
    table = [[term(each) for each in row] for row in rows(query, cases, values)]
    alike = [number for number in range(len(names)) if len({row[number] for row in table}) == 1]
    given = "".join(f" {name}={term(catalogue.TYPES['string'](value))}" for name, value in values.items())
    lines = [f"# {' + '.join(cases)}{given}: {len(table)} {'row' if len(table) == 1 else 'rows'}"]
    lines += [f"{names[number]} = {table[0][number]}" for number in alike]
    kept = [number for number in range(len(names)) if number not in alike]
    if table and kept:
        lines += ["\t".join(row[number] for number in kept) for row in (names, *table)]
    return "\n".join(lines) + "\n"


def test_expected_rows(select, golden):
    asked = ASKED.get(select.name, [(SEEDS, {})])
    text = "\n".join(shown(select, cases, values) for cases, values in asked)
    folder = HERE / "queries" / select.group
    folder.mkdir(exist_ok=True)
    golden(folder / f"{select.name.partition('/')[2]}.tsv", text)


def test_every_file_of_expected_rows_belongs_to_a_query():
    files = {path.relative_to(HERE / "queries").with_suffix("").as_posix() for path in HERE.glob("queries/*/*")}
    assert files == set(SELECTS)


def test_the_ranks_of_the_first_seed():
    found = dicts("comparison/leaderboard", benchmark=OOD, metric=NEAR)
    plf = {row["configuration"]: (row["rank"], row["ranked"]) for row in found if row["methodLabel"] == "PLF"}
    assert plf == {
        '{"Backbone":"ResNet-50","Tuning Method":"Proposed tuning without OOD data"}': ("2", "5"),
        '{"Backbone":"ResNet-50","Tuning Method":"OpenOOD Tuning (OpenImage-O)"}': ("4", "5"),
    }


def test_two_methods_are_compared_within_a_configuration_and_a_method_across():
    pairs = dicts("comparison/comparable-pairs", method=PLF, other=VRA)
    assert sorted(Decimal(row["difference"] or 0) for row in pairs) == [Decimal("-0.93"), Decimal("2.79")]
    back = dicts("comparison/comparable-pairs", method=VRA, other=PLF)
    assert sorted(Decimal(row["difference"] or 0) for row in back) == [Decimal("-2.79"), Decimal("0.93")]
    (effect,) = dicts("comparison/configuration-effect", method=ASH)
    assert (effect["difference"], effect["key"]) == ("0.05", "/Tuning Method")


def test_equal_values_share_a_rank():
    found = dicts("comparison/leaderboard", ("equal-values",))
    assert sorted(row["rank"] for row in found if row["ranked"] == "3") == ["1", "2", "2"]


def test_lower_is_better_turns_ranks_and_differences_around():
    higher, lower = (SEEDS[1],), ("selective-classification-lower-is-better",)
    best = [dicts("comparison/rank-by-configuration", cases) for cases in (higher, lower)]
    ranks = [{row["result"]: int(row["rank"] or 0) for row in found} for found in best]
    assert ranks[1] == {result: 12 - rank for result, rank in ranks[0].items()}
    pairs = [dicts("comparison/comparable-pairs", cases) for cases in (higher, lower)]
    signed = [{(row["result"], row["otherResult"]): Decimal(row["difference"] or 0) for row in each} for each in pairs]
    assert signed[1] == {pair: -difference for pair, difference in signed[0].items()}


def test_numbers_alone_are_ranked():
    found = dicts("comparison/leaderboard", ("estimated-value",))
    unread = [row for row in found if row["value"] is None]
    assert [(row["rank"], row["valueText"], row["unranked"]) for row in unread] == [
        (None, "83 (est.)", "no single number")
    ]
    ranked = [row for row in found if row["rank"]]
    assert len(ranked) == len(found) - 1
    for row in ranked:
        assert Decimal(row["value"] or 0) > 0


@pytest.mark.parametrize(
    ("case", "reasons"),
    [
        ("configuration-not-recorded", {"no configuration recorded": 1}),
        ("configuration-empty", {"no configuration recorded": 1}),
        ("configuration-line-missing", {"no configuration recorded": 1}),
        ("configuration-cut-off", {"unreadable configuration": 1}),
        ("configuration-unknown-keys", {"unknown settings": 4}),
        ("direction-disagrees", {"pages disagree": 4}),
        ("unit-disagrees", {"pages disagree": 4}),
        ("unknown-direction", {"unknown direction or unit": 4}),
        ("unknown-unit", {"unknown direction or unit": 4}),
        ("value-differs", {"no single number": 1}),
    ],
)
def test_what_cannot_be_ranked_is_listed_with_the_reason(case, reasons):
    found = dicts("comparison/leaderboard", (case,))
    assert len(found) == 4
    unranked = [row["unranked"] for row in found if row["rank"] is None]
    assert {reason: unranked.count(reason) for reason in unranked} == reasons
    assert all(row["unranked"] is None for row in found if row["rank"])
    assert len(dicts("comparison/rank-by-configuration", (case,))) == 4 - len(unranked)


@pytest.mark.parametrize("case", ["configuration-not-recorded", "configuration-empty", "unknown-direction"])
def test_what_cannot_be_ranked_cannot_be_compared(case):
    board = dicts("comparison/leaderboard", (case,))
    ranked = {row["result"] for row in board if row["rank"]}
    pairs = dicts("comparison/comparable-pairs", (case,))
    assert {row["result"] for row in pairs} <= ranked
    methods = {row["method"] or "" for row in board}
    for one in methods:
        for other in methods:
            compared = dicts("comparison/comparable-pairs", (case,), method=one, other=other)
            differing = dicts("comparison/why-not-comparable", (case,), method=one, other=other)
            seen = {(row["result"], row["otherResult"]) for row in [*compared, *differing]}
            alone = {row[side] for row in differing for side in ("result", "otherResult") if None in row.values()}
            for first in [row["result"] for row in board if row["method"] == one]:
                for second in [row["result"] for row in board if row["method"] == other]:
                    assert first == second or (first, second) in seen or {first, second} & alone, "no pair in silence"


def test_findings_on_the_seeds():
    found = {name: dicts(name) for name in QUERIES if name.startswith("quality/")}
    assert [(row["metricLabel"], row["ranked"], row["others"]) for row in found.pop("quality/direction-in-doubt")] == [
        ("Metric A", "11", "7")
    ]
    assert [row["name"] for row in found.pop("quality/origin-papers-disagree")] == ["KNN"]
    (everywhere,) = found.pop("quality/origin-equals-reporting-everywhere")
    assert (everywhere["benchmark"], everywhere["results"]) == (OOD, "10")
    without = {row["metricLabel"] for row in found.pop("quality/metrics-without-scores")}
    assert without == {"Far-OOD AUROC", "ID Accuracy", "Metric N"}
    assert len(found.pop("quality/repaired-links")) == 1
    assert not any(found.values())


def test_counts_of_the_seeds():
    counts = {row["kind"]: int(row["count"] or 0) for row in dicts("provenance/inventory")}
    assert counts == COUNTS
    claims = [row["claim"] for row in dicts("comparison/leaderboard")]
    assert [sum(str(claim).endswith(each) for claim in claims) for each in ("OwnMethod", "OthersMethod")] == [14, 7]


def test_conflicting_results_both_stay_and_are_named():
    (conflict,) = dicts("quality/conflicting-scores", ("conflicting-rows",))
    assert {conflict["identifier"], conflict["otherIdentifier"]} == {
        "0e6ab5297c41d8f3b29e5a07",
        "7f2d40b19ce863a5d21b6f08",
    }
    board = dicts("comparison/leaderboard", ("conflicting-rows",))
    assert {conflict["result"], conflict["otherResult"]} <= {row["result"] for row in board}


ABOUT_A_METRIC = [name for name, query in SELECTS.items() if "metric" in {column.name for column in query.columns}]


@pytest.mark.parametrize("name", ABOUT_A_METRIC)
def test_a_second_metric_changes_no_answer_about_the_first(name):
    """The same results on the page of another metric: more scores of the same results, and nothing else."""
    alone, beside = SEEDS[:1], (SEEDS[0], "far-ood-auroc")
    select = SELECTS[name]
    at = [column.name for column in select.columns].index("metric")
    before, after = ([row for row in rows(select, cases) if row[at] == f"<{NEAR}>"] for cases in (alone, beside))
    assert before == after
    if "metric" in {parameter.name for parameter in select.parameters}:
        assert rows(select, alone, {"metric": NEAR}) == rows(select, beside, {"metric": NEAR})


def test_a_second_metric_gives_results_a_second_score():
    result = f"{BASE}result/6998ed525698665ec451df8e"
    (near,), (near_again, far) = (
        sorted({(row["metricLabel"], row["score"], row["group"]) for row in found}, reverse=True)
        for found in (
            dicts("provenance/trace", SEEDS[:1], result=result),
            dicts("provenance/trace", (SEEDS[0], "far-ood-auroc"), result=result),
        )
    )
    assert near == near_again
    assert (near[0], far[0]) == ("Near-OOD AUROC", "Far-OOD AUROC")
    assert near[2] != far[2]


# Pages that disagree, facts that are missing


def page(case: str, *changes: tuple[str, str]) -> ViewGraph:
    """The graph of a case's page after changes to its text."""
    text = (HERE / "cases/sota2" / case / "page.md").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    read = sources.parse(text.encode(), case).page
    assert read
    return to_view_graph(read)


def answers(made: Store, name: str, **values: str) -> list[dict[str, str | None]]:
    query = QUERIES[name]
    answer = made.query(query.text, query.bind(values))
    assert isinstance(answer, Solutions)
    return [dict(zip(answer.variables, (term and lexical(term) for term in row), strict=True)) for row in answer.rows]


def section(identifier: str) -> tuple[str, str]:
    """What a change of one result's section on the second metric's page begins with: its text, up to the next one."""
    text = (HERE / "cases/sota2/far-ood-auroc/page.md").read_text(encoding="utf-8")
    start = text.index(f"Result ID: {identifier}")
    return text[start : text.find("###", start)], text[start - 200 : start]


DISPUTED_RESULT = "6998ed525698665ec451df8e"  # PLF under "Proposed tuning without OOD data", 2nd of 5
PAPER = "698575dcc97a0b3e3b5d5ec4"


@pytest.mark.parametrize(
    ("fact", "old", "new"),
    [
        ("configuration", "Proposed tuning without OOD data", "Another tuning"),
        (
            "configuration",
            '{"Backbone":"ResNet-50","Tuning Method":"Proposed tuning without OOD data"}',
            "Not recorded",
        ),
        (
            "method",
            f"origin paper](<https://www.sota2.com/research/paper/{PAPER}",
            "origin paper](<https://www.sota2.com/research/paper/68fa6e2f1e209131cea3e69b",
        ),
    ],
)
def test_what_two_pages_disagree_about_is_listed_and_not_ranked(fact, old, new):
    text, _ = section(DISPUTED_RESULT)
    assert old in text
    made = Store.in_memory()
    made.update([page(SEEDS[0]), page("far-ood-auroc", (text, text.replace(old, new)))])
    found = {row["result"]: row for row in answers(made, "comparison/leaderboard", benchmark=OOD, metric=NEAR)}
    assert len(found) == 10
    disputed = found.pop(f"{BASE}result/{DISPUTED_RESULT}")
    assert (disputed["rank"], disputed["unranked"]) == (None, "pages disagree")
    others = [(row["rank"], row["ranked"]) for row in found.values() if row["group"] == disputed["group"]]
    assert sorted(others) == [("1", "4"), ("2", "4"), ("3", "4"), ("4", "4")]
    ranked = answers(made, "comparison/rank-by-configuration", benchmark=OOD, metric=NEAR)
    assert len(ranked) == 9
    pairs = answers(made, "comparison/comparable-pairs", method=PLF, other=VRA)
    assert f"{BASE}result/{DISPUTED_RESULT}" not in {row["result"] for row in pairs}
    reasons = answers(made, "comparison/why-not-comparable", method=PLF, other=VRA)
    assert {row["reason"] for row in reasons if row["result"] == f"{BASE}result/{DISPUTED_RESULT}"} & {
        "pages disagree",
        "no configuration recorded",
    }
    findings = answers(made, "quality/views-disagree")
    (finding,) = (row for row in findings if row["node"] == f"{BASE}result/{DISPUTED_RESULT}" and row["fact"] == fact)
    assert finding["statements"] == "2"
    assert {finding["shown"], finding["otherShown"]} == {"Near-OOD AUROC", "Far-OOD AUROC"}
    assert finding["quotation"] != finding["otherQuotation"]


def test_two_values_of_one_score_are_shown_and_not_ranked():
    second = page(
        SEEDS[0],
        ("Page 1 of 1", "Page 2 of 2"),
        ("| PLF | 78.08 |", "| PLF | 78.8 |"),
        ("AUROC: 78.08.", "AUROC: 78.8."),
    )
    made = Store.in_memory()
    made.update([page(SEEDS[0], ("Page 1 of 1", "Page 1 of 2")), second])
    found = answers(made, "comparison/leaderboard", benchmark=OOD, metric=NEAR)
    assert len(found) == 10
    (disputed,) = (row for row in found if row["rank"] is None)
    assert (disputed["valueText"], disputed["value"], disputed["unranked"]) == (
        "78.08 | 78.8",
        None,
        "no single number",
    )
    assert [row["fact"] for row in answers(made, "quality/views-disagree")] == ["value"]


OPTIONAL = (
    BK.claim,
    BK.configuration,
    BK.configurationText,
    BK.coverageText,
    BK.implementation,
    BK.originPaper,
    BK.reportedIn,
    BK.reproductionStatus,
    BK.resultDateStatus,
    DCT.description,
    DCT.identifier,
    DCT.modified,
    FOAF.page,
    SCHEMA.codeRepository,
)


@pytest.mark.parametrize("missing", OPTIONAL, ids=lambda term: lexical(term).split("/")[-1])
def test_a_missing_fact_loses_no_row(missing):
    lines = "\n".join(line for line in store(SEEDS).triples() if f" {missing} " not in line)
    made = Store.from_rdf(lines.encode(), "nt")
    board = answers(made, "comparison/leaderboard", benchmark=OOD, metric=NEAR)
    assert len(board) == 10
    assert [row["rank"] for row in board] == [row["rank"] for row in dicts("comparison/leaderboard")[:10]]
    assert len(answers(made, "provenance/trace", result=f"{BASE}result/699a67995698665ec4efe4ba")) == 2
    assert len(answers(made, "provenance/sources")) == 2
    assert len(answers(made, "provenance/coverage")) == 5
    if missing not in {BK.configuration, BK.reportedIn}:
        assert len(answers(made, "comparison/comparable-pairs", method=PLF, other=VRA)) == 2
    if missing != BK.reportedIn:
        assert len(answers(made, "provenance/results-of-a-paper", paper=f"{BASE}paper/{PAPER}")) == 10


def test_a_finding_whose_place_is_not_known_is_one_row_still():
    method, other = f"<{PLF}>", f"<{BASE}paper/68fa6e2f1e209131cea3e69b>"
    lines = [line for line in store(SEEDS).triples() if f" {DCT.isPartOf} " not in line]
    made = Store.from_rdf("\n".join([*lines, f"{method} {BK.originPaper} {other} ."]).encode(), "nt")
    (finding,) = answers(made, "quality/views-disagree")
    assert (finding["node"], finding["fact"], finding["page"]) == (PLF, "origin paper", None)
    assert [row["name"] for row in answers(made, "quality/origin-papers-disagree")] == ["KNN"]
