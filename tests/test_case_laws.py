"""What holds of every page of a kind of which one example is not enough: odd names, numbers, dates and repetitions."""

from __future__ import annotations

import calendar
import unicodedata
from decimal import Decimal
from itertools import combinations

import pyoxigraph
import pytest
import rdflib
from hypothesis import example, given, settings
from hypothesis import strategies as st
from written_pages import BOARD, METRIC, Written, result_id, written_page

from kg import sources
from kg.comparison import Standing
from kg.export import Format, serialize
from kg.knowledge_graph import KnowledgeGraph
from kg.mapping import to_view_graph
from kg.model import Reading
from kg.store import Store
from kg.values import same_value
from kg.vocabulary import BK

NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=12).filter(
    lambda name: name != "Not recorded" and not name.endswith("\\")
)
RESULT_DATE, VALUE = BK.resultDate[1:-1], BK.value[1:-1]
PLAIN = st.decimals(min_value=0, max_value=999, places=4, allow_nan=False, allow_infinity=False)


def read(*results: Written, value_in_row: str = "") -> Reading:
    return sources.parse(written_page(list(results), value_in_row), "page.md")


def graph_of(reading: Reading) -> KnowledgeGraph:
    assert reading.page
    store = Store.in_memory()
    store.update([to_view_graph(reading.page)])
    return KnowledgeGraph(store)


def standings(graph: KnowledgeGraph) -> dict[str, Standing]:
    """Return the scores of the leaderboard by the id of their result."""
    (board,) = graph.leaderboard(BOARD, METRIC)
    return {standing.identifier: standing for table in board.tables for standing in table.standings}


def codes(reading: Reading) -> list[str]:
    return [problem.code for problem in reading.problems]


@given(st.text("|ab-", min_size=1, max_size=8))
@settings(max_examples=30)
def test_any_name_with_bars_is_one_method_with_one_value(name):
    reading = read(Written(name, "84.6"), Written("Birch", "80"))
    assert codes(reading) == []
    found = standings(graph_of(reading))
    assert [(found[result_id(at)].method_label, found[result_id(at)].value) for at in range(2)] == [
        (name, Decimal("84.6")),
        ("Birch", Decimal(80)),
    ]


@given(PLAIN, PLAIN, st.sampled_from([" ± ", "±", " +/- ", " +- "]))
@settings(max_examples=30)
def test_any_value_with_a_spread_is_ranked_by_its_value_and_keeps_its_spread(value, spread, sign):
    reading = read(Written("Alder", f"{value}{sign}{spread}"), Written("Birch", "500"))
    assert codes(reading) == []
    found = standings(graph_of(reading))[result_id(0)]
    assert (found.value, found.spread, found.rank) == (value, spread, 2 if value < 500 else 1)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.lists(st.integers(0, 3), max_size=2))
@settings(max_examples=30)
def test_every_two_values_of_one_method_and_configuration_are_a_conflict(values, others):
    same = [Written("Alder", str(value)) for value in values]
    elsewhere = [Written("Alder", str(value), settings=f'{{"Seed":{at}}}') for at, value in enumerate(others)]
    graph = graph_of(read(*same, *elsewhere))
    assert len(standings(graph)) == len(values) + len(others)
    pairs = {frozenset((row.identifier, row.otherIdentifier)) for row in graph.query("quality/conflicting-scores")}
    expected = {
        frozenset((one, other)) for one, other in combinations(range(len(values)), 2) if values[one] != values[other]
    }
    assert pairs == {frozenset(map(result_id, pair)) for pair in expected}


@given(st.lists(NAMES, min_size=2, max_size=5), st.randoms(use_true_random=False))
@example(["KNN", "knn", "Δ-KNN", "∆-KNN", "Γ-KNN"], None)
@settings(max_examples=30)
def test_any_two_names_are_two_methods_in_every_order(names, random):
    def methods(order: list[str]) -> dict[str, str]:
        reading = read(*(Written(name, "50", settings=f'{{"Seed":{at}}}') for at, name in enumerate(order)))
        return {found.method: found.method_label for found in standings(graph_of(reading)).values()}

    found = methods(names)
    labels = {unicodedata.normalize("NFC", name) for name in names}
    assert set(found.values()) == labels
    assert len({method.casefold() for method in found}) == len(labels)
    turned = names[::-1]
    if random:
        random.shuffle(turned)
    assert methods(turned) == found


@given(NAMES)
@example('Prompt{K=4}^T "fast" <v2>')
@example("Tern v2.")
@example("a%20b#c")
@settings(max_examples=30)
def test_any_name_comes_back_from_turtle_and_stands_in_no_iri(name):
    reading = read(Written(name, "84.6"))
    assert reading.page
    turtle = serialize(to_view_graph(reading.page).lines, Format.TTL)
    label = reading.page.results[0].label
    strict = {quad.object.value for quad in pyoxigraph.parse(turtle, pyoxigraph.RdfFormat.TURTLE)}
    graph = rdflib.Graph().parse(turtle, format="turtle")
    assert label in strict
    assert rdflib.Literal(label) in set(graph.objects(None, rdflib.RDFS.label))
    nodes = {str(node) for triple in graph for node in triple if isinstance(node, rdflib.URIRef)}
    assert not [node for node in nodes if not node.isascii() or set(node) & set('{}^"<>|\\` ')]


@pytest.mark.parametrize(
    "text", ["NaN", "nan", "-NaN", "sNaN", "Infinity", "-inf", "INF", "∞", "1e5", "0x1F", "1_000", "84,6", "٨٤", "½"]
)
def test_what_is_no_finite_number_has_no_value_and_the_others_load(text):
    reading = read(Written("Alder", text), Written("Birch", "80"), Written("Hazel", "81"))
    assert codes(reading) == ["value-not-a-number"]
    graph = graph_of(reading)
    found = standings(graph)
    odd = found[result_id(0)]
    assert (odd.rank, odd.value, odd.value_text) == (None, None, text)
    assert [found[result_id(at)].rank for at in (1, 2)] == [2, 1]
    (best,) = graph.query("comparison/best-of-every-benchmark")
    assert best.value == Decimal(81)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "1e999", "01", "'a'", "undefined"])
def test_what_is_no_json_is_reported_and_makes_no_group(constant):
    reading = read(Written("Alder", "80", settings=f'{{"Temperature":{constant}}}'), Written("Birch", "79"))
    assert codes(reading) == ["unreadable-configuration"]
    found = standings(graph_of(reading))
    assert (found[result_id(0)].rank, found[result_id(0)].unranked) == (None, "unreadable configuration")
    assert found[result_id(1)].rank == 1


@given(st.integers(1, 9999), st.integers(0, 14), st.integers(0, 33))
@settings(max_examples=30)
def test_a_date_is_as_precise_as_printed_or_text(year, month, day):
    texts = {"gYear": f"{year:04}", "gYearMonth": f"{year:04}-{month:02}", "date": f"{year:04}-{month:02}-{day:02}"}
    in_year = 1 <= month <= 12
    there = {"gYear": True, "gYearMonth": in_year, "date": in_year and 1 <= day <= calendar.monthrange(year, month)[1]}
    reading = read(*(Written(kind, "80", date=text) for kind, text in texts.items()))
    assert codes(reading) == ["bad-date"] * list(there.values()).count(False)
    assert reading.page
    graph = rdflib.Graph().parse(data="\n".join(to_view_graph(reading.page).lines), format="nt")
    written = {str(value): value.datatype for value in graph.objects(None, rdflib.URIRef(RESULT_DATE))}
    assert written == {texts[kind]: rdflib.XSD[kind] for kind, is_date in there.items() if is_date}
    assert len(reading.page.results) == 3


@given(st.decimals(min_value=-999, max_value=999, places=12, allow_nan=False), st.integers(0, 4), st.booleans())
@example(Decimal("0.000000123456789"), 1, False)
@settings(max_examples=30)
def test_any_two_spellings_of_a_number_are_one_exact_value(number, zeros, signed):
    printed = f"{number:f}"
    padded = f"{printed}{'' if '.' in printed else '.'}{'0' * zeros}"
    padded = f"+{padded}" if signed and number >= 0 and not padded.startswith("-") else padded
    assert same_value(printed, padded)
    reading = read(Written("Alder", printed), value_in_row=padded)
    assert codes(reading) == []
    assert reading.page
    turtle = serialize(to_view_graph(reading.page).lines, Format.TTL)
    (value,) = rdflib.Graph().parse(turtle, format="turtle").objects(None, rdflib.URIRef(VALUE))
    assert value.toPython() == number
    assert value.datatype == rdflib.XSD.decimal
    assert "e" not in str(value).lower()


@given(
    st.lists(st.one_of(PLAIN.map(str), st.sampled_from(["77 (est.)", "~79", "n/a", "99.x"])), min_size=1, max_size=6)
)
@settings(max_examples=30)
def test_numbers_are_ranked_as_numbers_and_nothing_else_is(values):
    graph = graph_of(read(*(Written(f"M{at}", value) for at, value in enumerate(values))))
    found = standings(graph)
    numbers = [Decimal(value) for value in values if value.replace(".", "").isdecimal()]
    for at, text in enumerate(values):
        standing = found[result_id(at)]
        if text.replace(".", "").isdecimal():
            assert standing.rank == 1 + sum(number > Decimal(text) for number in numbers)
        else:
            assert (standing.rank, standing.value, standing.value_text) == (None, None, text)
    best = {row.value for row in graph.query("comparison/best-of-every-benchmark")}
    assert best == ({max(numbers)} if numbers else set())


@pytest.mark.parametrize("text", ["77 (est.)", "99", "~79", "zzz", "", "٨٤"])
def test_texts_among_the_values_of_any_turtle_are_a_violation_and_never_ranked(text):
    reading = read(
        Written("Alder", "n/a"), Written("Birch", "9.14"), Written("Hazel", "10.32"), Written("Rowan", "30.4")
    )
    assert reading.page
    lines = to_view_graph(reading.page).lines
    (score,) = [line.split()[0] for line in lines if line.endswith(f'{BK.valueText} "n/a" .')]
    turtle = "\n".join([*lines, f'{score} {BK.value} "{text}" .']).encode()
    graph = KnowledgeGraph(Store.from_rdf(turtle, "ttl"))
    found = standings(graph)
    assert [found[result_id(at)].rank for at in range(4)] == [None, 3, 2, 1]
    (best,) = graph.query("comparison/best-of-every-benchmark")
    assert (best.value, best.ranked) == (Decimal("30.4"), 3)
    (pairs,) = graph.query("comparison/pairs-of-every-group")
    assert (pairs.ranked, pairs.pairs) == (3, 3)
    report = graph.validate().report
    assert not report.conforms
    violations = {(each.shape, each.focus) for each in report.findings if each.severity == "violation"}
    assert ("score-value", score[1:-1]) in violations


@given(st.permutations(["0001", "2023", "2023-05", "2024-11-08", "2024", "2024-02-29", "9999-12"]), st.integers(0, 6))
@settings(max_examples=10)
def test_dates_of_any_precision_are_sorted_and_filtered_without_an_error(dates, bound):
    graph = graph_of(read(*(Written(f"M{at}", "50", date=text) for at, text in enumerate([*dates, "2026-02-30"]))))
    head = f"SELECT ?result ?date {{ ?result {BK.resultDate} ?date"
    assert {str(row.date) for row in graph.query(f"{head} }} ORDER BY ?date ?result")} == set(dates)
    assert {str(row.date) for row in graph.query(f"{head} }} ORDER BY DESC(?date) ?result")} == set(dates)
    year = f"{dates[bound][:4]}"
    found = graph.query(f'{head} FILTER(STRSTARTS(STR(?date), "{year}")) }} ORDER BY ?date ?result')
    assert {str(row.date) for row in found} == {text for text in dates if text.startswith(year)}
    # Of two dates of one precision alone it is known which is later.
    later = graph.query(f'{head} FILTER(?date > "2000-01-01"^^<{rdflib.XSD.date}>) }} ORDER BY ?date ?result')
    assert {"2024-11-08", "2024-02-29"} <= {str(row.date) for row in later} <= set(dates) - {"0001"}
