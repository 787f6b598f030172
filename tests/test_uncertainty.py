"""Whether a difference exceeds the spreads that are printed, how that was decided, and when nobody can know."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import kg

PAGE = (Path(__file__).parent / "cases" / "sota2" / "clean" / "page.md").read_text(encoding="utf-8")
UNKNOWN = "so it cannot be known whether the difference exceeds the spreads"


def built(folder: Path, first: str, second: str) -> kg.KnowledgeGraph:
    """A graph in which Alder and Birch have these values under one configuration."""
    page = PAGE
    for old, new in (("91.3", first), ("88.4", second)):
        assert page.count(f" {old} |") == page.count(f": {old}.") == 1
        page = page.replace(f" {old} |", f" {new} |").replace(f": {old}.", f": {new}.")
    (folder / "page.md").write_text(page, encoding="utf-8")
    return kg.build([folder / "page.md"], store=folder / "kg-store")


@pytest.mark.parametrize(
    ("first", "second", "beyond", "said"),
    [
        ("91.3 ± 0.2", "88.4 ± 0.35", True, "the difference exceeds the sum of both spreads, 0.2 + 0.35 = 0.55"),
        (
            "88.5 ± 0.2",
            "88.4 ± 0.35",
            False,
            "the difference does not exceed the sum of both spreads, 0.2 + 0.35 = 0.55",
        ),
        ("88.95 ± 0.2", "88.4 ± 0.35", False, "the difference does not exceed the sum"),  # just as large
        ("88.951 ± 0.2", "88.4 ± 0.35", True, "the difference exceeds the sum"),
        ("80 ± 0.2", "88.4 ± 0.35", True, "the difference exceeds the sum"),  # the second is better
        ("88.4 ± 0", "88.4 ± 0", False, "the difference does not exceed the sum of both spreads, 0 + 0 = 0"),
        ("91.3 ± 0.2", "88.4", None, f"no spread is recorded for the second value, {UNKNOWN}"),
        ("91.3", "88.4 ± 0.35", None, f"no spread is recorded for the first value, {UNKNOWN}"),
        ("91.3", "88.4", None, f"no spread is recorded for either value, {UNKNOWN}"),
    ],
)
def test_a_difference_is_held_against_the_sum_of_both_spreads(tmp_path, first, second, beyond, said):
    with built(tmp_path, first, second) as graph:
        (comparison,) = graph.compare("Alder", "Birch")
        (like,) = comparison.like
        assert like.beyond_spreads is beyond
        assert said in like.certainty
        (row,) = graph.query("comparison/comparable-pairs", method="Birch", other="Alder")
        assert row.beyondSpreads is beyond
        assert abs(row.difference) == abs(like.difference) == abs(like.value - like.other_value)


def test_every_form_says_it(tmp_path):
    built(tmp_path, "91.3 ± 0.2", "88.4 ± 0.35").close()

    def said(form: str) -> str:
        command = [sys.executable, "-m", "kg", "compare", "Alder", "Birch", "-f", form]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    for form in ("text", "md"):
        assert "the difference exceeds the sum of both spreads, 0.2 + 0.35 = 0.55" in said(form)
    like = json.loads(said("json"))[0]["like"][0]
    assert like["beyondSpreads"] is True
    assert like["certainty"].startswith("the difference exceeds")
    assert Decimal(like["spread"]) == Decimal("0.2")
    rows = list(csv.DictReader(io.StringIO(said("csv"))))
    (row,) = [row for row in rows if row["difference"]]
    assert (row["beyondSpreads"], row["certainty"]) == ("true", like["certainty"])
