"""Several pages of one benchmark, from pages to the command line: they add up, or a finding names both places."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kg.store import Store

CASES = Path(__file__).parent / "cases" / "sota2"
BOARD = "leaf-disease-grading-on-orchardleaves-val"
METRIC = "Balanced Accuracy"
FIRST, SECOND, CLEAN = (
    (CASES / name / "page.md").read_text(encoding="utf-8")
    for name in ("first-page-of-several", "second-page-of-several", "clean")
)
LAST = {"4 of 37": "4 of 6", "2 of 37": "2 of 6", "Page 1 of 10": "Page 1 of 2", "Page 2 of 10": "Page 2 of 2"}
SAME_TIME = {"2026-05-19T09:41:02Z": "2026-05-18T14:03:27.450Z"}
"""What makes of the two pages a whole leaderboard of six results."""

Kg = Callable[..., subprocess.CompletedProcess[str]]


def changed(page: str, *changes: dict[str, str]) -> str:
    for change in changes:
        for old, new in change.items():
            page = page.replace(old, new)
    return page


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path


@pytest.fixture
def run(folder) -> Kg:
    def call(*words: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "kg", *words], cwd=folder, capture_output=True, text=True, check=False
        )
        assert code is None or done.returncode == code, done.stderr
        return done

    return call


def build(folder: Path, run: Kg, *pages: str) -> None:
    names = []
    for number, page in enumerate(pages):
        names.append(f"page-{number}.md")
        (folder / names[-1]).write_text(page, encoding="utf-8", newline="")
    run("build", *names, "-q")


def board(run: Kg, *words: str) -> dict[str, object]:
    (found,) = json.loads(run("leaderboard", BOARD, *words, "-f", "json").stdout)
    return found


def rows(run: Kg, query: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run("query", query, "-f", "csv").stdout)))


# Pages 1..n of one metric


def test_all_pages_of_a_metric_add_up_to_its_total(folder, run):
    build(folder, run, changed(FIRST, LAST), changed(SECOND, LAST, SAME_TIME))
    found = board(run)
    assert (found["scores"], found["loaded"], found["total"]) == (6, 6, 6)
    assert found["coverage"] == "6 of 6 recorded results; not a claim about the world"
    assert not [
        name
        for name in ("leaderboards-incomplete", "loaded-count-differs", "mixed-states")
        if rows(run, f"quality/{name}")
    ]


def test_a_page_of_several_that_was_not_read_is_told(folder, run):
    build(folder, run, changed(FIRST, LAST))
    found = board(run)
    assert found["coverage"] == "4 of 6 recorded results; 1 of 2 pages read; not a claim about the world"
    assert any(str(caveat).startswith("leaderboards-incomplete") for caveat in found["caveats"])
    (row,) = rows(run, "quality/leaderboards-incomplete")
    assert (row["scores"], row["resultsTotal"], row["pages"], row["pageCount"]) == ("4", "6", "1", "2")


@pytest.mark.parametrize(
    "words",
    [
        ["comparison/best-of-every-benchmark"],
        ["comparison/leaderboard", "-p", f"benchmark={BOARD}", "-p", f"metric={METRIC}"],
        ["comparison/rank-by-configuration", "-p", f"benchmark={BOARD}", "-p", f"metric={METRIC}"],
        ["comparison/pairs-of-every-group"],
    ],
    ids=lambda words: words[0],
)
def test_the_best_of_pages_not_all_read_comes_with_what_is_missing(folder, run, words):
    build(folder, run, changed(FIRST, LAST))
    told = run("query", *words, "-f", "csv")
    (line,) = told.stderr.splitlines()
    assert line.startswith(f"Not complete: {METRIC} on ")
    assert line.endswith(" has 4 of 6 recorded results; 1 of 2 pages.")
    assert "Not complete" not in told.stdout
    assert run("query", *words, "-f", "csv", "-q").stderr == ""
    build(folder, run, changed(SECOND, LAST, SAME_TIME))
    assert run("query", *words, "-f", "csv").stderr == ""


@pytest.mark.parametrize("total", ["5", "7"])
def test_pages_that_do_not_add_up_to_the_total_are_a_finding(folder, run, total):
    other = {"4 of 6": f"4 of {total}", "2 of 6": f"2 of {total}"}
    build(folder, run, changed(FIRST, LAST, other), changed(SECOND, LAST, SAME_TIME, other))
    (row,) = rows(run, "quality/leaderboards-incomplete")
    assert (row["scores"], row["resultsTotal"], row["pages"]) == ("6", total, "2")


def test_a_page_with_fewer_results_than_it_counts_is_a_finding(folder, run):
    build(folder, run, changed(FIRST, LAST), changed(SECOND, LAST, SAME_TIME, {"2 of 6": "3 of 6"}))
    (row,) = rows(run, "quality/loaded-count-differs")
    assert (row["pageNumber"], row["resultsLoaded"], row["scores"], row["lines"]) == ("2", "3", "2", "line=19,20")
    assert "6 results read, where the pages show 7 of 6 recorded results" in str(board(run)["coverage"])


# States of different times


def test_pages_of_different_times_are_a_finding_and_a_caveat(folder, run):
    build(folder, run, changed(FIRST, LAST), changed(SECOND, LAST))
    (row,) = rows(run, "quality/mixed-states")
    assert (row["pages"], row["states"]) == ("2", "2")
    assert (row["oldest"], row["newest"]) == ("2026-05-18T14:03:27.45Z", "2026-05-19T09:41:02Z")
    assert (row["lines"], row["otherLines"]) == ("line=6,7", "line=6,7")
    assert row["quotation"] != row["otherQuotation"]
    said = run("leaderboard", BOARD).stdout
    assert "- mixed-states: Leaderboards whose pages are states of different times" in said
    assert "oldest: 2026-05-18" in said


def test_a_page_without_a_time_beside_one_with_a_time_is_a_finding(folder, run):
    build(folder, run, changed(FIRST, LAST), changed(SECOND, LAST, {"Data updated: 2026-05-19T09:41:02Z\n\n": ""}))
    (row,) = rows(run, "quality/mixed-states")
    assert (row["states"], row["oldest"], row["newest"]) == ("2", "2026-05-18T14:03:27.45Z", "2026-05-18T14:03:27.45Z")


def test_pages_of_two_metrics_may_have_two_times(folder, run):
    grade_error = changed(
        CLEAN, {"| Balanced Accuracy |": "| Grade Error |", "\nBalanced Accuracy: ": "\nGrade Error: "}
    )
    grade_error = changed(
        grade_error, {"| Direction | Higher": "| Direction | Lower", "| Unit | PERCENT": "| Unit | SCALAR"}
    )
    build(folder, run, CLEAN, changed(grade_error, {"2026-05-18": "2026-05-19"}))
    assert len(json.loads(run("leaderboard", BOARD, "-f", "json").stdout)) == 2
    assert rows(run, "quality/mixed-states") == []


# A leaderboard that shrinks


def test_a_leaderboard_that_shrank_loses_its_extra_pages(folder, run):
    build(folder, run, changed(FIRST, LAST), changed(SECOND, LAST, SAME_TIME))
    (folder / "smaller.md").write_text(changed(CLEAN, {"2026-05-18": "2026-06-01"}), encoding="utf-8")
    said = run("build", "smaller.md").stderr
    assert "1 replaced, 1 retired" in said
    found = board(run)
    assert (found["scores"], found["pagesRead"], found["coverage"]) == (
        4,
        1,
        "4 of 4 recorded results; not a claim about the world",
    )
    assert rows(run, "quality/mixed-states") == []


# Contradictions between views: of a result that stands on the pages of two metrics, and of two pages of one metric

_GRADE_ERROR = {
    "| Metric | Balanced Accuracy |": "| Metric | Grade Error |",
    "| Unit | PERCENT |": "| Unit | SCALAR |",
    "| Direction | Higher is better |": "| Direction | Lower is better |",
    "| Method | Balanced Accuracy |": "| Method | Grade Error |",
    "\nBalanced Accuracy: ": "\nGrade Error: ",
}
_ALDER = "5d0c9a41e7b23f6680ac1e95"
KINDS = {
    "direction": ({"Balanced%20Accuracy>): Higher is better": "Balanced%20Accuracy>): Lower is better"}, "direction"),
    "unit": (
        {
            "Accuracy>): Higher is better; unit: PERCENT": "Accuracy>): Higher is better; unit: SCALAR",
        },
        "unit",
    ),
    "method": (
        {
            "| Alder | 91.3 |": "| Elder | 91.3 |",
            "### Alder\n\nGrade Error: 91.3. ": "### Elder\n\nGrade Error: 91.3. ",
        },
        "method",
    ),
    "paper": ({"d41f8e6b20c97a5381be604f": "a41f8e6b20c97a5381be604f"}, "reporting paper"),
    "configuration": ({'"Training":"Frozen"': '"Training":"Thawed"'}, "configuration"),
    "no configuration": (
        {'{"Backbone":"ConvNeXt-T","Image Size":"320","Training":"Frozen"}': "Not recorded"},
        "configuration",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_views_that_disagree_on_a_fact_are_a_finding_with_both_lines_and_unrank_the_scores(folder, run, kind):
    change, fact = KINDS[kind]
    other = changed(changed(CLEAN, _GRADE_ERROR), change)
    assert other != changed(CLEAN, _GRADE_ERROR)
    build(folder, run, CLEAN, other)
    findings = [row for row in rows(run, "quality/views-disagree") if row["fact"] == fact]
    assert findings
    for row in findings:
        assert row["statements"] == "2"
        assert row["first"] != row["last"]
        assert row["lines"].startswith("line=")
        assert row["otherLines"].startswith("line=")
        assert row["quotation"] != row["otherQuotation"]
    found = board(run, "--metric", "Balanced Accuracy")
    standings = [each for table in found["tables"] for each in table["standings"]]
    assert len(standings) == 4  # neither side is dropped
    concerned = {row["node"].rpartition("/")[2] for row in findings}
    for each in standings:
        touched = fact in {"direction", "unit"} or each["identifier"] in concerned
        assert (each["rank"] is None) == touched, each
        assert (each["unranked"] is not None) == touched
    assert any("views-disagree" in caveat for caveat in found["caveats"])


def test_two_values_of_one_score_are_a_finding_and_unranked(folder, run):
    twice = changed(SECOND, LAST, SAME_TIME, {"| Rowan | 84.2 |": "| Alder | 91.9 |", "### Rowan": "### Alder"})
    twice = changed(
        twice, {"Accuracy: 84.2. Result ID: 4b17c0e9d2a85f36718e0c5d": f"Accuracy: 91.9. Result ID: {_ALDER}"}
    )
    origin, code = "27c5a90be3f14d86927ab0c1", "[Implementation](<https://example.org/code/alder>)\n\n"
    head, section = twice.split("### Alder", 1)
    section = section.replace("b8e03d7f5a916c42e7d5081a", origin, 1).replace("Recorded eval", f"{code}Recorded eval", 1)
    build(folder, run, changed(FIRST, LAST), f"{head}### Alder{section}")
    (row,) = [each for each in rows(run, "quality/views-disagree") if each["fact"] == "value"]
    assert (row["first"], row["last"]) == ("91.3", "91.9")
    assert row["quotation"] != row["otherQuotation"]
    standings = [each for table in board(run)["tables"] for each in table["standings"]]
    (disputed,) = [each for each in standings if each["identifier"] == _ALDER]
    assert (disputed["rank"], disputed["value"], disputed["valueText"]) == (None, None, "91.3 | 91.9")


# Removing


def test_one_view_or_all_of_a_benchmark_can_be_removed(folder, run):
    build(folder, run, changed(FIRST, LAST), changed(SECOND, LAST, SAME_TIME))
    with Store.open(folder / "kg-store") as store:
        assert len(store.views()) == 2
        view = next(state.graph for state in store.views() if state.page_number == 2)
    run("remove", view)
    assert board(run)["scores"] == 4
    run("remove", BOARD)
    assert run("leaderboard", BOARD, code=2).stdout == ""
