"""Histories: what became of scores over archived states of pages, whatever the order in which these were read."""

from __future__ import annotations

import csv
import io
import json
import sys
import xml.etree.ElementTree as ET
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_pages import CASES, REAL

import kg
from kg.archive import Archive
from kg.cli import main
from kg.errors import ArchiveError, Misuse
from kg.history import boards, states
from kg.parts import view_of
from kg.past import moments
from kg.plotting import draw
from kg.vocabulary import DEFAULT_BASE

BOARD = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"
PAGE = REAL[0].read_text(encoding="utf-8")
ASH = "6998ed525698665ec451df8a"  # under "Proposed tuning without OOD data"
PLF = "6998ed525698665ec451df8e"  # under the same
PAPER, OTHER_PAPER = "698575dcc97a0b3e3b5d5ec4", "698575dcc97a0b3e3b5d5ec5"
TUNING = "Proposed tuning without OOD data"


def state(day: str, *changes: tuple[str, str], page: str = PAGE) -> bytes:
    """The page as it was on a day, with changes to its text."""
    updated = next(line for line in page.splitlines() if line.startswith("Data updated: "))
    text = page.replace(updated, f"Data updated: {day}T10:00:00Z") if day else page.replace(f"{updated}\n", "")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text.encode()


def without(result: str) -> tuple[tuple[str, str], ...]:
    """The changes that take a result off the page: its table row and its section."""
    lines = PAGE.splitlines(keepends=True)
    at = next(place for place, line in enumerate(lines) if f"Result ID: {result}" in line)
    first = max(place for place in range(at) if lines[place].startswith("### "))
    last = next((place for place in range(at, len(lines)) if lines[place].startswith("#")), len(lines))
    value = lines[at].split(": ")[1].split(". ")[0]
    row = next(line for line in lines if line.startswith("|") and f"| {value} |" in line)
    return ("".join(lines[first:last]), ""), (row, ""), ("10 of 10", "9 of 9")


STATES = [
    state("2026-01-05", ("78.22", "77.9")),
    state("2026-01-20", ("78.22", "77.9")),
    state("2026-02-01"),
    state("2026-02-20", *without(ASH)),
    state("2026-03-01", (PAPER, OTHER_PAPER), ("78.08", "79.5")),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a store and its archive, which was given the states in another order than that of their days."""
    keep(tmp_path, *(STATES[number] for number in (3, 0, 4, 1, 2)))
    return tmp_path


def keep(folder: Path, *pages: bytes) -> None:
    for page in pages:
        (folder / "page.md").write_bytes(page)
        kg.build([folder / "page.md"], store=folder / "store").close()


def history(folder: Path, name: str, metric: str = ""):
    with kg.open(folder / "store") as graph:
        return kg.history_of(graph, name, metric=metric, archive=folder / "store-archive")


def told(found) -> list[tuple[str, ...]]:
    return [
        (it.first_updated[:10], it.last_updated[:10], it.value_text or it.presence, ", ".join(it.changed))
        for it in found.states
    ]


def test_each_state_of_a_score_has_the_days_between_which_it_was_seen(place: Path):
    found = history(place, ASH)
    assert (found.kind, found.snapshots, found.caveats) == ("result", 5, ())
    assert told(found) == [
        ("2026-01-05", "2026-01-20", "77.9", "first"),
        ("2026-02-01", "2026-02-01", "78.22", "value"),
        ("2026-02-20", "2026-02-20", "gone", "gone"),
        ("2026-03-01", "2026-03-01", "78.22", "back"),
    ]


def test_each_state_leads_to_the_lines_of_a_page_in_the_archive(place: Path):
    archive = Archive(place / "store-archive")
    first = archive.first_retrievals()
    for it in history(place, ASH).states:
        page = archive.get(it.sha256)
        assert first[it.sha256].retrieved == it.first_retrieved
        if it.presence == "gone":
            assert ASH.encode() not in page
            continue
        quoted = [fragment.removeprefix("line=").split(",") for fragment in it.lines.split()]
        for begin, end in quoted:
            assert it.value_text in "\n".join(page.decode().splitlines()[int(begin) : int(end)])


def test_a_changed_paper_and_configuration_are_states_though_the_value_is_not(tmp_path: Path):
    keep(tmp_path, state("2026-01-01"), state("2026-01-02", (PAPER, OTHER_PAPER)))
    keep(tmp_path, state("2026-01-03", (PAPER, OTHER_PAPER), (TUNING, "Tuning")))
    assert told(history(tmp_path, ASH)) == [
        ("2026-01-01", "2026-01-01", "78.22", "first"),
        ("2026-01-02", "2026-01-02", "78.22", "reporting paper, origin paper"),
        ("2026-01-03", "2026-01-03", "78.22", "configuration"),
    ]


def test_another_order_of_keys_and_lines_is_no_change(tmp_path: Path):
    configuration = f'{{"Backbone":"ResNet-50","Tuning Method":"{TUNING}"}}'
    turned = f'{{"Tuning Method":"{TUNING}","Backbone":"ResNet-50"}}'
    keep(tmp_path, state("2026-01-01"), state("2026-01-02", (configuration, turned)))
    assert told(history(tmp_path, ASH)) == [("2026-01-01", "2026-01-02", "78.22", "first")]


def test_another_text_of_an_equal_value_is_a_state_of_its_own(tmp_path: Path):
    keep(tmp_path, state("2026-01-01"), state("2026-01-02", ("78.22", "78.220")))
    assert told(history(tmp_path, ASH))[1:] == [("2026-01-02", "2026-01-02", "78.220", "text")]


def test_what_stands_on_a_page_and_cannot_be_read_is_not_gone(tmp_path: Path):
    broken = state("2026-01-02", *without(ASH)).replace(b"# Out-of", f"# {ASH} Out-of".encode(), 1)
    if view_of(broken, "page").view is None:
        broken = state("2026-01-02", *without(ASH)) + f"\n{ASH} is under review.\n".encode()
    keep(tmp_path, state("2026-01-01"), broken)
    assert [it.presence for it in history(tmp_path, ASH).states] == ["recorded", "unreadable"]


def test_a_method_has_the_states_of_all_its_results(place: Path):
    found = history(place, "PLF")
    assert found.kind == "method"
    assert {it.method_label for it in found.states} == {"PLF"}
    assert len({it.result for it in found.states}) == 2
    assert [it[2:] for it in told(found) if it[3] != "first"] == [
        ("76.82", "reporting paper, origin paper"),
        ("79.5", "value, reporting paper, origin paper"),
    ]


def test_what_the_store_holds_no_more_is_found_in_the_archive(tmp_path: Path):
    keep(tmp_path, state("2026-01-01"), state("2026-01-02", *without(ASH)))
    with kg.open(tmp_path / "store") as graph, pytest.raises(kg.UnknownName):
        graph.find(ASH, "<https://w3id.org/benchkg/ns#Result>")
    for name in (ASH, f"{DEFAULT_BASE}sota2/result/{ASH}"):
        assert told(history(tmp_path, name))[-1] == ("2026-01-02", "2026-01-02", "gone", "gone")
    kg.remove(tmp_path / "store", BOARD)
    for name in ("PLF", "plf", "plf-1b8e2da93f", BOARD):
        found = history(tmp_path, name)
        assert found.states or found.boards


def test_nothing_of_the_past_enters_the_store(place: Path):
    with kg.open(place / "store") as graph:
        graph.export(place / "before.nq")
        kg.history_of(graph, BOARD, archive=place / "store-archive")
        graph.export(place / "after.nq")
    assert (place / "after.nq").read_bytes() == (place / "before.nq").read_bytes()


def test_the_best_over_time_is_told_configuration_by_configuration(place: Path):
    (board,) = history(place, BOARD).boards
    best = {
        json.loads(series.configuration)["Tuning Method"]: [
            (it.first_updated[:10], it.last_updated[:10], it.value_text, it.method_labels, it.scores)
            for it in series.points
        ]
        for series in board.series
    }
    assert best == {
        "OpenOOD Tuning (OpenImage-O)": [
            ("2026-01-05", "2026-02-01", "78.17", ("ASH",), 5),
            ("2026-02-20", "2026-02-20", "78.17", ("ASH",), 5),  # another coverage
            ("2026-03-01", "2026-03-01", "78.17", ("ASH",), 5),
        ],
        TUNING: [
            ("2026-01-05", "2026-01-20", "78.08", ("PLF",), 5),
            ("2026-02-01", "2026-02-01", "78.22", ("ASH",), 5),
            ("2026-02-20", "2026-02-20", "78.08", ("PLF",), 4),
            ("2026-03-01", "2026-03-01", "79.5", ("PLF",), 5),
        ],
    }
    coverage = [it.coverage.partition(";")[0] for it in board.series[0].points]
    assert coverage == ["10 of 10 recorded results", "9 of 9 recorded results", "10 of 10 recorded results"]
    assert board.apart == ()


def test_the_best_of_a_metric_of_which_less_is_better_is_the_least(tmp_path: Path):
    lower = ("Higher is better", "Lower is better")
    keep(tmp_path, state("2026-01-01", lower), state("2026-01-02", lower, ("78.22", "11.5")))
    (board,) = history(tmp_path, BOARD).boards
    best = [[it.value for it in series.points] for series in board.series]
    assert best == [[Decimal("71.1")], [Decimal("71.48"), Decimal("11.5")]]


def test_scores_without_a_configuration_are_best_of_nothing_and_that_is_said(tmp_path: Path, capsys):
    page = (CASES / "configuration-not-recorded" / "page.md").read_bytes()
    keep(tmp_path, page)
    (board,) = history(tmp_path, "leaf-disease-grading-on-orchardleaves-val").boards
    assert [(it.reason, it.scores) for it in board.apart] == [("no configuration recorded", 1)]
    kg.remove(tmp_path / "store", "leaf-disease-grading-on-orchardleaves-val")
    main_ = run(capsys, "leaf-disease-grading-on-orchardleaves-val", "--store", str(tmp_path / "store"))
    assert "In no series: up to 1 score at a time (no configuration recorded)" in main_


def test_pages_of_other_metrics_have_series_of_their_own(tmp_path: Path):
    far = (CASES / "far-ood-auroc" / "page.md").read_text(encoding="utf-8")
    keep(tmp_path, state("2026-01-01"), state("2026-01-02", page=far))
    assert [it.metric_label for it in history(tmp_path, BOARD).boards] == ["Far-OOD AUROC", "Near-OOD AUROC"]
    assert [it.metric_label for it in history(tmp_path, BOARD, metric="Near-OOD AUROC").boards] == ["Near-OOD AUROC"]
    assert {it.metric_label for it in history(tmp_path, ASH).states} == {"Far-OOD AUROC", "Near-OOD AUROC"}
    with pytest.raises(kg.UnknownName, match="no metric named 'Nearly'"):
        history(tmp_path, BOARD, metric="Nearly")


def test_states_of_one_time_are_both_told_and_a_state_without_a_time_comes_first(tmp_path: Path):
    keep(tmp_path, state("2026-01-01"), state("2026-01-01", ("78.22", "70.5")), state("", ("78.22", "60.5")))
    found = history(tmp_path, ASH).states
    assert (found[0].first_updated, found[0].value_text) == (None, "60.5")
    assert sorted(it.value_text for it in found[1:]) == ["70.5", "78.22"]
    assert {it.first_updated for it in found[1:]} == {"2026-01-01T10:00:00Z"}


VIEWS = [view for page in STATES if (view := view_of(page, "page.md").view)]
HELD = {view.sha256: page for view, page in zip(VIEWS, STATES, strict=True)}
IN_ORDER = list(moments(VIEWS, DEFAULT_BASE, HELD))
RESULTS = {reading.result for moment in IN_ORDER for reading in moment.readings}


@settings(max_examples=10, deadline=None)
@given(st.permutations(VIEWS), st.lists(st.sampled_from(VIEWS), max_size=3))
def test_the_order_in_which_states_were_read_does_not_matter(views, again):
    shuffled = list(moments([*views, *again], DEFAULT_BASE, HELD))
    assert states(shuffled, RESULTS, {}) == states(IN_ORDER, RESULTS, {})
    assert boards(shuffled, {}) == boards(IN_ORDER, {})


# Faults


def test_no_archive_says_how_to_make_one(tmp_path: Path):
    kg.build([REAL[0]], store=tmp_path / "store", archive=tmp_path / "elsewhere").close()
    with pytest.raises(ArchiveError, match="no archive at"):
        history(tmp_path, ASH)


def test_an_unknown_name_suggests_near_ones(place: Path):
    with pytest.raises(kg.UnknownName, match=r"neither the store nor the archive has .*'PLFF'; did you mean 'PLF'"):
        history(place, "PLFF")


def test_damage_in_the_archive_is_told_and_the_rest_too(place: Path, capsys):
    archive = place / "store-archive"
    sha256 = history(place, ASH).states[1].sha256
    (archive / "objects" / sha256[:2] / sha256).write_bytes(b"other")
    assert [it.value_text for it in history(place, ASH).states] == ["77.9", None, "78.22"]
    assert "is damaged" in run(capsys, ASH, "--store", str(place / "store"), code=1)


# The command


def run(capsys, *arguments: str, code: int = 0) -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", ["kg", "history", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
    said = capsys.readouterr()
    assert (end.value.code or 0) == code, said.err
    return said.out if code == 0 else said.err


def test_every_format_tells_the_same_states(place: Path, capsys):
    store = ("--store", str(place / "store"))
    found = json.loads(run(capsys, ASH, *store, "-f", "json"))
    rows = list(csv.DictReader(io.StringIO(run(capsys, ASH, *store, "-f", "csv"))))
    assert [row["valueText"] for row in rows] == [it["valueText"] or "" for it in found["states"]]
    assert [*rows[0]] == [*found["states"][0]]
    for form in ("text", "md"):
        out = run(capsys, ASH, *store, "-f", form)
        assert all((it["valueText"] or it["presence"]) in out for it in found["states"])
    points = list(csv.DictReader(io.StringIO(run(capsys, BOARD, *store, "-f", "csv"))))
    assert [row["value"] for row in points] == ["78.17", "78.17", "78.17", "78.08", "78.22", "78.08", "79.5"]


def test_a_plot_is_written_and_its_bytes_are_stable(place: Path, capsys):
    store = ("--store", str(place / "store"))
    for name in ("one.svg", "two.svg", "one.png"):
        run(capsys, BOARD, *store, "--plot", str(place / name))
    svg = (place / "one.svg").read_bytes()
    assert svg == (place / "two.svg").read_bytes()
    assert ET.fromstring(svg).tag.endswith("svg")
    assert b"<dc:date>" not in svg
    assert (place / "one.png").read_bytes().startswith(b"\x89PNG")


def test_a_plot_has_labelled_axes_and_the_configurations_in_its_legend(place: Path, monkeypatch):
    from matplotlib.figure import Figure

    drawn = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *a, **k: (drawn.append(figure), save(figure, *a, **k)))
    assert draw(history(place, BOARD).boards, "svg")
    (axes,) = drawn[0].axes
    assert axes.get_ylabel() == "Near-OOD AUROC (%)\nhigher is better"
    assert axes.get_xlabel() == "Data updated (UTC)"
    assert " ".join(axes.get_title().split()).endswith("Detection on ImageNet-1K ResNet-50 (test)")
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(legend) == 2
    assert all(text.startswith("Backbone: ResNet-50; Tuning Method: ") for text in legend)
    assert [float(y) for y in axes.lines[1].get_ydata()] == [78.08, 78.22, 78.08, 79.5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((BOARD, "--plot", "plot.pdf"), "written as .svg or .png"), ((ASH, "--plot", "plot.svg"), "Name its benchmark")],
)
def test_what_cannot_be_plotted_is_misuse(place: Path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(place)
    assert message in run(capsys, *arguments, "--store", "store", code=2)
    assert not list(place.glob("plot.*"))


def test_nothing_with_a_time_is_nothing_to_plot(tmp_path: Path):
    keep(tmp_path, state(""))
    with pytest.raises(Misuse, match="nothing to plot"):
        draw(history(tmp_path, BOARD).boards, "svg")


def test_a_file_of_rdf_has_no_archive_beside_it(place: Path, capsys):
    with kg.open(place / "store") as graph:
        graph.export(place / "graph.ttl")
    assert "name one with --archive" in run(capsys, ASH, "--store", str(place / "graph.ttl"), code=2)
    found = run(capsys, ASH, "--store", str(place / "graph.ttl"), "--archive", str(place / "store-archive"))
    assert "77.9" in found
