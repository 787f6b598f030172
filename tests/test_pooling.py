"""Leaderboards that ignore settings: what is ranked together, what changes places, and that each answer says so."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_pages import REAL

import kg
from kg.comparison import Leaderboard, Reversal, Standing, Table
from kg.errors import Misuse, UnknownName
from kg.pooling import pool

FIRST = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"


def standing(method: str, value: str, rank: int | None = 1) -> Standing:
    return Standing(
        rank=rank,
        method=f"m:{method}",
        method_label=method,
        value=Decimal(value),
        value_text=value,
        spread=None,
        claim=None,
        reported_in=None,
        origin_paper=None,
        result_date=None,
        result=f"r:{method}-{value}",
        identifier=f"{method}-{value}",
        unranked=None if rank else "pages disagree",
    )


def board(tables: dict[str, dict[str, str]], direction: str = "Higher is better") -> Leaderboard:
    """A leaderboard with a table a configuration, each a value a method."""
    return Leaderboard(
        benchmark="b",
        benchmark_label="B",
        metric="m",
        metric_label="M",
        unit_text="PERCENT",
        direction_text=direction,
        tables=tuple(
            Table(text, f"g:{text}", tuple(standing(method, value) for method, value in values.items()))
            for text, values in tables.items()
        ),
        scores=0,
        loaded=None,
        total=None,
        pages_read=1,
        page_count=None,
    )


def pooled(keys: str, tables: dict[str, dict[str, str]], direction: str = "Higher is better") -> Leaderboard:
    (found,) = pool([board(tables, direction)], [keys])
    return found


def order(table: Table) -> list[tuple[int | None, str, str]]:
    return [(it.rank, it.method_label, it.value_text) for it in table.standings]


SIZES = {
    '{"A":"x","B":1}': {"P": "9", "Q": "8"},
    '{"A":"y","B":1}': {"Q": "9", "R": "7"},
    '{"A":"y","B":2}': {"P": "1"},
}


def test_scores_are_ranked_together_where_the_rest_is_alike():
    found = pooled("A", SIZES)
    assert [(table.configuration, table.group) for table in found.tables] == [('{"B":1}', None), ('{"B":2}', None)]
    assert order(found.tables[0]) == [(1, "P", "9"), (1, "Q", "9"), (3, "Q", "8"), (4, "R", "7")]
    assert [it.ignored for it in found.tables[0].standings] == ['{"A":"x"}', '{"A":"y"}', '{"A":"x"}', '{"A":"y"}']
    assert found.pooled
    assert (found.pooled.keys, found.pooled.pairs, found.pooled.unlike) == (("/A",), 3, 1)  # P and R never meet
    assert found.pooled.reversals == ()


def test_a_pair_that_changes_places_is_named_with_both_orders():
    tables = {'{"A":"x"}': {"P": "5", "Q": "6"}, '{"A":"y"}': {"P": "9"}}
    found = pooled("A", tables)
    assert found.pooled
    assert found.pooled.reversals == (
        Reversal(
            "m:P", "P", "m:Q", "Q", Decimal(9), Decimal(6), "r:P-9", "r:Q-6", '{"A":"x"}', 'g:{"A":"x"}', Decimal(5),
            Decimal(6),
        ),
    )  # fmt: skip


def test_lower_is_better_is_ranked_the_other_way():
    tables = {'{"A":"x"}': {"P": "5", "Q": "4"}, '{"A":"y"}': {"P": "1"}}
    found = pooled("A", tables, "Lower is better")
    assert order(found.tables[0]) == [(1, "P", "1"), (2, "Q", "4"), (3, "P", "5")]
    assert found.pooled
    (reversal,) = found.pooled.reversals
    assert (reversal.method_label, reversal.other_label) == ("P", "Q")
    assert (reversal.like_value, reversal.like_other_value) == (5, 4)


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ("A,B", "{}"),
        ("A, B", "{}"),
        ("/A", '{"B":{"C":1,"D~/E":2}}'),
        ("/B/C", '{"A":"x","B":{"D~/E":2}}'),
        ("/B/D~0~1E", '{"A":"x","B":{"C":1}}'),
        ("B", '{"A":"x"}'),
    ],
)
def test_keys_are_names_or_pointers(keys, left):
    found = pooled(keys, {'{"A":"x","B":{"C":1,"D~/E":2}}': {"P": "5"}})
    assert [table.configuration for table in found.tables] == [left]


def test_a_name_with_a_comma_is_one_key():
    found = pooled("A, B", {'{"A, B":1,"C":2}': {"P": "5"}})
    assert found.pooled
    assert found.pooled.keys == ("/A, B",)


@pytest.mark.parametrize("key", ["Depth", "a", "A,Depth", "/B/x"])
def test_a_key_that_no_configuration_has_is_an_error_that_lists_those_there_are(key):
    with pytest.raises(UnknownName, match="the settings are A, B"):
        pooled(key, SIZES)


def test_where_nothing_can_be_compared_nothing_can_be_pooled():
    bare = board({})
    with pytest.raises(UnknownName, match="no score has a configuration"):
        pool([bare], ["A"])


def test_what_has_no_rank_among_its_like_has_none_in_a_pool():
    doubted = Table('{"A":"x"}', "g", (standing("P", "5"), standing("Q", "9", None)))
    bare = Table(None, None, (standing("R", "8", None),))
    (found,) = pool([replace(board({}), tables=(doubted, bare))], ["A"])
    assert [order(table) for table in found.tables] == [[(1, "P", "5")], [(None, "Q", "9")], [(None, "R", "8")]]
    assert [table.group for table in found.tables] == [None, "g", None]
    assert [it.ignored for table in found.tables for it in table.standings] == ['{"A":"x"}', None, None]


VALUES = st.dictionaries(st.sampled_from("PQRST"), st.integers(0, 9).map(str), min_size=1)


@given(st.dictionaries(st.sampled_from(['{"A":1}', '{"A":2}', '{"A":3,"B":1}']), VALUES, min_size=1))
def test_reversing_direction_and_sign_changes_no_order(tables):
    turned = {text: {method: f"-{value}" for method, value in values.items()} for text, values in tables.items()}
    one, other = pooled("A", tables), pooled("A", turned, "Lower is better")
    ranks = [[(it.rank, it.method, abs(it.value or 0)) for it in table.standings] for table in one.tables]
    assert ranks == [[(it.rank, it.method, abs(it.value or 0)) for it in table.standings] for table in other.tables]
    assert one.pooled
    assert other.pooled
    names = [
        {(it.method, it.other, it.group) for it in found.pooled.reversals} for found in (one, other) if found.pooled
    ]
    assert names[0] == names[1]
    assert (one.pooled.pairs, one.pooled.unlike) == (other.pooled.pairs, other.pooled.unlike)


@given(st.dictionaries(st.sampled_from(['{"A":1,"B":1}', '{"A":2,"B":1}']), VALUES, min_size=1))
def test_a_rank_is_one_more_than_the_number_of_better_scores(tables):
    (table,) = pooled("A", tables).tables
    values = [it.value for it in table.standings if it.value is not None]
    assert [it.rank for it in table.standings] == [1 + sum(other > value for other in values) for value in values]


# What users hold and type


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pooling")
    kg.build(REAL, store=folder / "kg-store").close()
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kg", "leaderboard", FIRST, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_real_page_pooled(folder):
    with kg.open(folder / "kg-store") as graph:
        (found,) = graph.leaderboard(FIRST, pool=["Tuning Method"])
        assert graph.leaderboard(FIRST, pool="Tuning Method") == [found]
    assert found.pooled
    assert [(it.method_label, it.other_label) for it in found.pooled.reversals] == [
        ("PLF", "VRA"),
        ("PLF", "ReAct"),
        ("VRA", "ReAct"),
    ]
    assert (found.pooled.pairs, found.pooled.unlike) == (10, 0)


@pytest.mark.parametrize("form", ["table", "md"])
def test_people_are_told_that_it_is_pooled_and_what_that_changes(folder, form):
    said = run(folder, "--pool", "Tuning Method", "-f", form).stdout
    assert "POOLED: ranked as if Tuning Method did not matter." in said
    assert "(pooled over Tuning Method)" in said
    assert "3 times a pair comes the other way round where the two can be compared" in said
    assert "PLF (78.08) before VRA (77.75) here; VRA is better under Backbone: ResNet-50" in said
    assert "POOLED" not in run(folder, "-f", form).stdout


def test_every_row_of_data_says_that_it_is_pooled(folder):
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        said = run(folder, "--pool", "Tuning Method,Backbone", "-f", form).stdout
        rows = list(csv.DictReader(io.StringIO(said), delimiter=delimiter))
        assert {row["pooled"] for row in rows} == {"/Tuning Method /Backbone"}
        assert all(json.loads(row["ignored"])["Backbone"] == "ResNet-50" for row in rows)
        assert [row["rank"] for row in rows] == [str(number) for number in range(1, 11)]
    alone = list(csv.DictReader(io.StringIO(run(folder, "-f", "csv").stdout)))
    assert not {"pooled", "ignored"} & alone[0].keys()
    (found,) = json.loads(run(folder, "--pool", "Tuning Method", "-f", "json").stdout)
    assert found["pooled"]["keys"] == ["/Tuning Method"]
    assert len(found["pooled"]["reversals"]) == 3
    (like,) = json.loads(run(folder, "-f", "json").stdout)
    assert like["pooled"] is None


@pytest.mark.parametrize(
    "keys", [["--pool", "Tuning"], ["--pool", ""], ["--pool", ","], ["--pool", "Backbone", "--pool", " "]]
)
def test_no_key_that_would_pool_nothing_passes_in_silence(folder, keys):
    said = run(folder, *keys)
    assert (said.returncode, said.stdout) == (2, "")
    assert "Error: " in said.stderr


def test_a_key_is_refused_in_python_too(folder):
    with kg.open(folder / "kg-store") as graph, pytest.raises(Misuse, match="Tuning Method"):
        graph.leaderboard(FIRST, pool=["Tuning"])
