"""The scores table: what its rows say, that the same graph gives the same table, and that it answers as queries do."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kg
from kg import catalogue, scores, sources
from kg.errors import Misuse
from kg.mapping import to_view_graph
from kg.model import ViewGraph
from kg.store import Solutions, Store
from kg.terms import lexical, literal
from kg.vocabulary import BK

CASES = Path(__file__).parent / "cases" / "sota2"
SEEDS = ("out-of-distribution-detection", "selective-classification")
# Cases of which each has something that decides about ranking, or several statements of one fact.
ODD = (
    *("configuration-cut-off", "configuration-empty", "configuration-not-recorded", "configuration-unknown-keys"),
    *("conflicting-rows", "direction-disagrees", "equal-values", "estimated-value", "first-page-of-several"),
    *("other-dates", "papers-missing", "selective-classification-lower-is-better", "several-implementations"),
    *(
        "spread-spellings",
        "unit-disagrees",
        "unknown-direction",
        "unknown-unit",
        "value-differs",
        "any-unicode-in-name",
    ),
    *("backslash-in-method", "line-separator-in-text", "control-character-in-name", "nineteen-fraction-digits"),
)
GRAPHS = {
    "seeds": (*SEEDS, "far-ood-auroc"),
    "disputed": (*SEEDS, "far-ood-auroc-disputed"),
    **{case: (case,) for case in ODD},
}


def view(case: str) -> ViewGraph:
    disputed = case.endswith("-disputed")
    text = (CASES / case.removesuffix("-disputed") / "page.md").read_bytes()
    if disputed:  # another configuration for a result that the first page has too
        assert b"Proposed tuning without OOD data" in text
        text = text.replace(b"Proposed tuning without OOD data", b"Another tuning", 1)
    page = sources.parse(text, case).page
    assert page
    return to_view_graph(page)


@cache
def store(cases: tuple[str, ...]) -> Store:
    made = Store.in_memory()
    made.update([view(case) for case in cases])
    return made


@cache
def table(cases: tuple[str, ...]) -> pl.DataFrame:
    return scores.table(lambda stream: store(cases).write_lines(stream, graphs=False))


def answers(name: str, cases: tuple[str, ...]) -> list[dict[str, str | None]]:
    answer = store(cases).query(catalogue.get(name).text)
    assert isinstance(answer, Solutions)
    return [dict(zip(answer.variables, (term and lexical(term) for term in row), strict=True)) for row in answer.rows]


def texts(rows: Iterable[dict[str, object]], columns: Sequence[str]) -> list[tuple[str | None, ...]]:
    """Rows as the graph's texts, in order of text; ``value`` is the exact one."""

    def text(row: dict[str, object], column: str) -> str | None:
        value = row["valueExact"] if column == "value" and "valueExact" in row else row[column]
        return None if value is None else str(value)

    return sorted((tuple(text(row, column) for column in columns) for row in rows), key=str)


@pytest.fixture(params=GRAPHS.values(), ids=GRAPHS)
def cases(request) -> tuple[str, ...]:
    return request.param


SHARED = (
    *("benchmark", "metric", "configuration", "group", "method", "methodLabel", "value", "valueText", "unitText"),
    *("directionText", "result", "claim", "reportedIn", "originPaper", "resultDate", "reproductionStatus", "unranked"),
)


def test_a_row_says_what_the_leaderboard_says(cases):
    board = answers("comparison/leaderboard", cases)
    made = table(cases)
    assert board
    assert texts(made.to_dicts(), SHARED) == texts(board, SHARED)
    ranked = {row["result"] for row in board if row["rank"]}
    assert {row["result"] for row in made.filter("ranked").to_dicts()} == ranked


def test_a_row_says_where_the_score_was_read(cases):
    read = answers("provenance/trace", cases)
    places: dict[str | None, set[tuple[str | None, str | None]]] = {}
    for row in read:
        places.setdefault(row["score"], set()).add((row["page"], row["lines"]))
    made = table(cases)
    assert set(made["score"]) == set(places)
    for row in made.to_dicts():
        assert (row["page"], row["lines"]) in places[row["score"]]
    labels = {(row["benchmark"], row["benchmarkLabel"], row["metric"], row["metricLabel"]) for row in read}
    found = made.select("benchmark", "benchmarkLabel", "metric", "metricLabel").unique().rows()
    assert set(found) == labels


def test_the_section_is_named_before_the_row():
    (row,) = table(SEEDS).filter(pl.col("result").str.ends_with("/699a67995698665ec4efe4ba")).to_dicts()
    assert row == {
        "score": "https://w3id.org/benchkg/id/sota2/score/699a67995698665ec4efe4ba-5ebb1270f1",
        "result": "https://w3id.org/benchkg/id/sota2/result/699a67995698665ec4efe4ba",
        "benchmark": "https://w3id.org/benchkg/id/sota2/benchmark/selective-classification-on-imagenet-v2-original-test",
        "benchmarkLabel": "Selective Classification on ImageNet V2 Original (test)",
        "task": "Selective Classification",
        "dataset": "ImageNet V2 Original (test)",
        "split": "https://w3id.org/benchkg/ns#TestSplit",
        "metric": "https://w3id.org/benchkg/id/sota2/metric/metric-a-5ebb1270f1",
        "metricLabel": "Metric A",
        "unitText": "SCALAR",
        "direction": "https://w3id.org/benchkg/ns#HigherIsBetter",
        "directionText": "Higher is better",
        "method": "https://w3id.org/benchkg/id/sota2/method/msp-2985ca488a",
        "methodLabel": "MSP",
        "value": 10.32,
        "valueExact": "10.32",
        "valueText": "10.32",
        "spread": None,
        "configuration": '{"Backbone":"ResNet-50","Pre-training Source":"Official PyTorch Repository",'
        '"Training Dataset":"ImageNet-1K"}',
        "configurationKey": "a794cd45d34f7d67",
        "group": "https://w3id.org/benchkg/id/sota2/comparison/071d6af374054db1",
        "reportedIn": "https://w3id.org/benchkg/id/sota2/paper/68fa78a61e209131cea79954",
        "originPaper": "https://w3id.org/benchkg/id/sota2/paper/68fa64e41e209131cea0731a",
        "claim": "https://w3id.org/benchkg/ns#OthersMethod",
        "resultDate": None,
        "reproductionStatus": "https://w3id.org/benchkg/ns#ReproductionNotAsserted",
        "page": "https://www.sota2.com/research/sota/selective-classification-on-imagenet-v2-original-test",
        "pageNumber": 1,
        "lines": "line=120,131",
        "ranked": True,
        "unranked": None,
    }


def test_the_best_of_every_benchmark_is_that_of_the_query(cases):
    found, asked = scores.best(table(cases)), answers("comparison/best-of-every-benchmark", cases)
    columns = [column for column in found.columns if column != "valueExact"]
    assert columns == [column for column in asked[0] if column in columns] if asked else found.is_empty()
    assert texts(found.to_dicts(), columns) == texts(asked, columns)
    firsts = [row for row in answers("comparison/leaderboard", cases) if row["rank"] == "1"]
    assert texts(asked, ("group", "result", "ranked", "value")) == texts(firsts, ("group", "result", "ranked", "value"))


def test_the_pairs_of_every_group_are_those_of_the_query_and_of_the_pairs_themselves(cases):
    found, asked = scores.comparable_counts(table(cases)), answers("comparison/pairs-of-every-group", cases)
    assert texts(found.to_dicts(), found.columns) == texts(asked, found.columns)
    assert [row["group"] for row in asked] == found["group"].to_list()
    pairs = answers("comparison/comparable-pairs", cases)  # unbound, each pair in both orders
    counted = {group: [row["group"] for row in pairs].count(group) // 2 for group in {row["group"] for row in pairs}}
    assert {row["group"]: int(row["pairs"] or 0) for row in asked} == counted


def test_disputed_scores_are_in_the_table_and_not_ranked():
    made = table(GRAPHS["disputed"])
    (disputed,) = {row["result"] for row in made.to_dicts() if row["unranked"] == "pages disagree"}
    assert disputed not in set(scores.best(made)["result"])


def line(subject: str, property_: str, value: str) -> str:
    return f"<x:{subject}> {property_} {value} ."


def made_lines(values: Sequence[str], direction: str = BK.HigherIsBetter) -> list[str]:
    """A graph of one group with a score of each value."""
    lines = [
        line("g", BK.metric, "<x:m>"),
        line("m", BK.direction, direction),
        line("m", "<http://qudt.org/schema/qudt/hasUnit>", "<x:unit>"),
        line("m", "<http://www.w3.org/2000/01/rdf-schema#label>", '"m"'),
        line("b", "<http://www.w3.org/2000/01/rdf-schema#label>", '"b"'),
    ]
    for number, value in enumerate(values):
        lines += [
            line(f"r{number}", BK.score, f"<x:s{number}>"),
            line(f"r{number}", BK.benchmark, "<x:b>"),
            line(f"s{number}", BK.metric, "<x:m>"),
            line(f"s{number}", BK.comparisonGroup, "<x:g>"),
            line(f"s{number}", BK.value, f'"{value}"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ]
    return lines


def of_lines(lines: Iterable[str], piece: int = 1 << 20) -> pl.DataFrame:
    data = "".join(f"{each}\n" for each in lines).encode()

    def write(stream) -> None:
        for start in range(0, len(data), piece):
            stream.write(data[start : start + piece])

    return scores.table(write)


NUMBERS = st.decimals(min_value=-(10**20), max_value=10**20, places=18, allow_nan=False).map(lambda it: format(it, "f"))


@given(st.lists(NUMBERS, min_size=1, max_size=6), st.sampled_from([BK.HigherIsBetter, BK.LowerIsBetter]))
def test_the_best_is_the_best_to_the_last_digit(values, direction):
    made = of_lines(made_lines(values, direction))
    best = scores.best(made)
    choose = max if direction == BK.HigherIsBetter else min
    wanted = choose(map(Decimal, values))
    assert [Decimal(value) for value in best["valueExact"]] == [wanted] * len(best)
    assert len(best) == [Decimal(value) for value in values].count(wanted)


def test_digits_beyond_a_double_decide_what_is_best():
    best = scores.best(of_lines(made_lines(["0.100000000000000001", "0.100000000000000002", "0.1"])))
    assert best["valueExact"].to_list() == ["0.100000000000000002"]


def test_any_order_and_any_pieces_give_the_same_bytes():
    lines = store(GRAPHS["seeds"]).triples()
    written = []
    for seed in range(3):
        order = lines + lines[: 100 * seed]
        random.Random(seed).shuffle(order)
        stream = io.BytesIO()
        scores.write_parquet(of_lines(order, piece=1 + 977 * seed), stream)
        written.append(stream.getvalue())
    assert written[0]
    assert written == [written[0]] * 3


@given(st.text())
def test_any_text_comes_through(text):
    lines = [*made_lines(["1"]), line("r0", BK.configurationText, literal(text))]
    assert of_lines(lines)["configuration"].to_list() == [text]


def test_a_long_source_is_taken_in_parts(monkeypatch):
    whole = table(GRAPHS["seeds"])
    monkeypatch.setattr("kg.scores.statements._CHUNK", 10_000)
    assert of_lines(store(GRAPHS["seeds"]).triples(), piece=3_000).equals(whole)


def test_an_empty_graph_has_the_columns_and_no_rows(tmp_path):
    empty = of_lines([])
    assert (empty.columns, empty.height) == (list(scores.COLUMNS), 0)
    assert dict(empty.schema) == dict(table(SEEDS).schema)
    assert scores.best(empty).is_empty()
    assert scores.comparable_counts(empty).is_empty()
    scores.write_parquet(empty, tmp_path / "empty.parquet")
    assert scores.read_parquet(tmp_path / "empty.parquet").equals(empty)


def test_a_file_is_read_back_and_another_is_refused(tmp_path):
    path = tmp_path / "scores.parquet"
    scores.write_parquet(table(SEEDS), path)
    assert scores.read_parquet(path).equals(table(SEEDS))
    path.write_bytes(b"no such file")
    with pytest.raises(Misuse, match=r"scores\.parquet: is no scores table that can be read"):
        scores.read_parquet(path)
    pl.DataFrame({"score": ["x"]}).write_parquet(path)
    with pytest.raises(Misuse, match="it has no column 'result'"):
        scores.read_parquet(path)


# What users hold and type


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("scores")
    kg.build([CASES / case / "page.md" for case in SEEDS], store=folder / "kg-store").close()
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kg", *arguments], cwd=folder, capture_output=True, check=False)


def test_a_store_and_its_turtle_give_one_table(folder):
    with kg.open(folder / "kg-store") as graph:
        made = graph.scores()
        graph.export(folder / "graph.ttl")
    assert made.equals(table(SEEDS))
    with kg.open(folder / "graph.ttl") as graph:
        assert graph.scores().equals(made)


def test_an_export_writes_the_table_by_suffix_or_name(folder):
    said = run(folder, "export", "-o", "scores.parquet")
    assert (said.returncode, said.stdout) == (0, b"")
    assert b"Wrote 21 scores to scores.parquet." in said.stderr
    assert scores.read_parquet(folder / "scores.parquet").equals(table(SEEDS))
    assert run(folder, "export", "-f", "parquet").stdout == (folder / "scores.parquet").read_bytes()
    as_turtle = run(folder, "export", "-f", "ttl", "-o", "odd.parquet")
    assert as_turtle.returncode == 0
    assert (folder / "odd.parquet").read_bytes().startswith(b"@prefix")


def test_without_polars_the_message_says_what_to_install(folder):
    code = "import sys; sys.modules['polars'] = None; from kg.cli import main; main()"
    command = [sys.executable, "-c", code, "export", "-o", "none.parquet"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert said.returncode == 2
    assert "pip install 'benchkg[parquet]'" in said.stderr
    assert not (folder / "none.parquet").exists()
