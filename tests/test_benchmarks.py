"""The benchmark itself: each point gives rows, and what cannot be measured does not hold."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from kg.sources import parse
from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks.bench import Bench, Point
from tests.benchmarks.changes import changed
from tests.benchmarks.pages import made_pages
from tests.benchmarks.processes import NotMeasured, run
from tests.benchmarks.rows import AtLeast, AtMost, Row, as_json, as_table

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", benchmarks.POINTS)
def test_each_point_gives_rows(name, tmp_path):
    benchmarks.main([name, "--pages", "8", "--pairs", "1", "--json", str(tmp_path / "rows.json")])
    told = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert told["rows"]
    for row in told["rows"]:
        assert row["point"] == name
        assert not row["why"], row
        assert row["least"] <= row["median"] <= row["most"]
    assert told["settings"] == {"pages": 8, "pairs": 1, "workers": 2}
    assert {"cores", "processor", "memory", "Python", "pyoxigraph"} <= told["machine"].keys()


def test_a_point_that_cannot_be_measured_says_why_and_does_not_hold(tmp_path):
    def measure(bench):
        yield Row("broken", "one thing", values=[1.0])
        bench.kg("no-such-command")

    rows = list(benchmarks.measure([Point("broken", "what it is about", measure)], Bench(tmp_path)))
    assert [row.holds for row in rows] == [None, False]
    assert "no-such-command" in rows[1].why
    assert "not measured: " in as_table(rows)
    assert json.loads(as_json(rows))["rows"][1]["holds"] is False


@pytest.mark.parametrize(
    ("gate", "values", "holds"),
    [
        (AtMost(2), [1, 2, 9], True),
        (AtMost(2), [1, 2.1, 9], False),
        (AtLeast(50), [10, 50, 51], True),
        (AtLeast(50), [49, 49, 80], False),
        (None, [1], None),
    ],
)
def test_the_median_decides(gate, values, holds):
    assert Row("any", "what", "baseline", values, gate).holds is holds


def test_variants_are_measured_in_turn(tmp_path):
    order = []
    bench = Bench(tmp_path, pairs=3)
    found = bench.interleaved(lambda: order.append("A") or 1.0, lambda: order.append("B") or 2.0)
    assert order == ["A", "B"] * 3
    assert found == ([1.0] * 3, [2.0] * 3)


def test_a_process_is_ended_when_it_takes_too_long():
    with pytest.raises(NotMeasured, match="took more than 0 s"):
        run([sys.executable, "-c", "while True: pass"], timeout=0.2)


def test_memory_is_that_of_all_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import subprocess, sys, time\n"
        "held = b'x' * 60_000_000\n"
        "time.sleep(0.3)\n"
        "sys.argv[1:] and subprocess.run([sys.executable, __file__], check=True)\n"
    )
    ran = run([sys.executable, script, "and another"], timeout=60, watched=True)
    assert 60 < ran.own_mb < 120
    assert 60 < ran.worker_mb < 120
    assert ran.tree_mb > 120


def test_a_changed_page_is_a_later_state_with_another_value():
    page = next(iter(made_pages(1, oddities=0))).text
    before, after = (parse(text.encode(), "page.md").page for text in (page, changed(page, 61)))
    assert after.updated.text == "2027-01-01T00:01:01Z" > before.updated.text
    assert after.results[0].value == "61.125" != before.results[0].value
    assert [result.value for result in after.results[1:]] == [result.value for result in before.results[1:]]


def test_the_document_has_each_point():
    listed = re.findall(
        r"^\| `([a-z-]+)` \|", (ROOT / "docs" / "performance.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert listed == list(benchmarks.POINTS)
