"""What differs between two graphs: facts and no lines, both ways alike, lost rows first; no name breaks it."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_pages import CASES, REAL
from test_docs import first_cells, keys_of, section

import kg
from kg import sources
from kg.cli import main
from kg.difference import KINDS, Change, Difference
from kg.knowledge_graph import KnowledgeGraph
from kg.mapping import to_view_graph
from kg.sources.sota2 import FURNITURE
from kg.store import Store

CLEAN = (CASES / "clean" / "page.md").read_text(encoding="utf-8")
BIRCH, HAZEL = "0e6ab5297c41d8f3b29e5a07", "93b7e2c05fa8146d3ce07f1b"
DESCRIPTION = re.findall("^Grading of leaf diseases .*", CLEAN, re.MULTILINE)[0]
ROW = "| {} | Not recorded | d41f8e6b20c97a5381be604f |\n"


def graph(*pages: str) -> KnowledgeGraph:
    store = Store.in_memory()
    store.update([to_view_graph(page) for page in (sources.parse(it.encode(), "page.md").page for it in pages) if page])
    return KnowledgeGraph(store)


def edited(*pairs: tuple[str, str], page: str = CLEAN) -> str:
    for old, new in pairs:
        assert old in page, old
        page = page.replace(old, new)
    return page


def without(method: str, value: str, page: str = CLEAN) -> str:
    """The page without a result, in the table and in its section; the counts stay."""
    head, *sections, tail = re.split(
        r"(?=^### |^Page )", edited((ROW.format(f"{method} | {value}"), ""), page=page), flags=re.MULTILINE
    )
    kept = [it for it in sections if not it.startswith(f"### {method}\n\nBalanced Accuracy: {value}.")]
    assert len(kept) == len(sections) - 1
    return "".join([head, *kept, tail])


def changes(old: str, new: str) -> list[tuple[str, str, str, str]]:
    return [(it.kind, it.fact, it.old, it.new) for it in kg.diff(graph(old), graph(new)).changes]


# What is a difference


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param(
            [("| Birch |", "| Beech |"), ("### Birch", "### Beech")],
            [("method-renamed", "method", "Birch", "Beech")],
            id="a method renamed",
        ),
        pytest.param(
            [("b8e03d7f5a916c42e7d5081a", "b8e03d7f5a916c42e7d5081b")],
            [("result-changed", "origin paper", "b8e03d7f5a916c42e7d5081a", "b8e03d7f5a916c42e7d5081b")],
            id="another origin paper",
        ),
        pytest.param(
            [('"Image Size":"320","Training":"End to end"', '"Image Size":"384","Training":"End to end"')],
            [
                (
                    "result-changed",
                    "configuration",
                    '{"Backbone":"ConvNeXt-T","Image Size":"320","Training":"End to end"}',
                    '{"Backbone":"ConvNeXt-T","Image Size":"384","Training":"End to end"}',
                )
            ],
            id="another setting",
        ),
        pytest.param(
            [("| 85.05 | Not recorded |", "| 85.05 | 2024-11 |")],
            [("result-changed", "result date", "not recorded", "2024-11")],
            id="a date",
        ),
        pytest.param(
            [("unit: SCALAR", "unit: PERCENT")], [("metric-changed", "unit", "SCALAR", "PERCENT")], id="another unit"
        ),
        pytest.param(
            [("Lower is better; unit: SCALAR", "Higher is better; unit: SCALAR")],
            [("metric-changed", "direction", "Lower is better", "Higher is better")],
            id="another direction",
        ),
        pytest.param(
            [("All results currently returned for this benchmark", "Some of them")],
            [("coverage-changed", "coverage", "All results currently returned for this benchmark", "Some of them")],
            id="another coverage",
        ),
        pytest.param(
            [("4 of 4", "4 of 9")], [("coverage-changed", "results in total", "4", "9")], id="more results in total"
        ),
        pytest.param(
            [("a dataset invented", "a dataset made")],
            [
                (
                    "benchmark-changed",
                    "description",
                    DESCRIPTION,
                    DESCRIPTION.replace("invented", "made"),
                )
            ],
            id="another description",
        ),
    ],
)
def test_a_changed_fact_is_told_with_both_sides_and_their_lines(edits, expected):
    found = kg.diff(graph(CLEAN), graph(edited(*edits)))
    told = [
        (it.kind, it.fact, *(text.rpartition("/sota2/paper/")[2] for text in (it.old, it.new))) for it in found.changes
    ]
    assert told == expected
    for change in found.changes:
        assert change.benchmark_label == "Leaf Disease Grading on OrchardLeaves (val)"
        for places, page in ((change.old_places, CLEAN), (change.new_places, edited(*edits))):
            assert places
            assert {it.page for it in places} == {
                "https://www.sota2.com/research/sota/leaf-disease-grading-on-orchardleaves-val"
            }
            assert all(re.fullmatch(r"line=\d+,\d+", it.lines) for it in places)
            assert len({it.sha256 for it in places}) == 1
            assert all(it.sha256.startswith(it.snapshot.rpartition("/")[2]) for it in places), page


def test_the_lines_of_a_score_are_those_that_print_it():
    new = edited(("88.4", "88.6"))
    (change,) = kg.diff(graph(CLEAN), graph(new)).changes
    assert (change.kind, change.old, change.new, change.verdict) == ("score-changed", "88.4", "88.6", "better")
    assert (change.method_label, change.identifier) == ("Birch", BIRCH)
    for places, page, text in ((change.old_places, CLEAN, "88.4"), (change.new_places, new, "88.6")):
        row, part = (page.split("\n")[slice(*map(int, it.lines.removeprefix("line=").split(",")))] for it in places)
        assert f"| Birch | {text} |" in row[0]
        assert part[0] == "### Birch"
        assert any(f"{text}. Result ID: {BIRCH}" in line for line in part)


@pytest.mark.parametrize(
    ("edits", "verdict"),
    [
        ([("88.4", "88.39")], "worse"),
        ([("88.4", "88.40")], "equal"),
        ([("88.4", "88.4 ± 0.1")], "equal"),
        ([("88.4", "88 (est.)")], ""),
        ([("88.4", "90"), ("| Birch |", "| Beech |"), ("### Birch", "### Beech")], ""),
        ([("88.4", "90"), ('"Training":"Frozen"', '"Training":"Thawed"')], ""),
        ([("88.4", "90"), ("PERCENT", "SCALAR")], ""),
        ([("88.4", "90"), ("Higher is better", "Lower is better")], ""),
    ],
)
def test_better_and_worse_are_said_of_like_numbers_alone(edits, verdict):
    found = kg.diff(graph(CLEAN), graph(edited(*edits)))
    (score,) = [it for it in found.changes if it.kind == "score-changed"]
    assert score.verdict == verdict


def test_lower_is_better_turns_the_verdict_around():
    old = edited(("Higher is better", "Lower is better"))
    (change,) = kg.diff(graph(old), graph(edited(("88.4", "88.6"), page=old))).changes
    assert change.verdict == "worse"


def test_an_unknown_direction_gives_no_verdict():
    old = edited(("Higher is better", "Sideways is better"))
    (change,) = kg.diff(graph(old), graph(edited(("88.4", "88.6"), page=old))).changes
    assert change.verdict == ""


def test_a_row_that_vanished_is_lost_also_where_another_came():
    new = edited((HAZEL, "a" * 24))
    found = kg.diff(graph(CLEAN), graph(new))
    assert [it.kind for it in found.changes] == ["score-removed", "score-added"]
    (loss,) = found.lost
    assert (loss.gone, loss.old, loss.new, loss.old_total, loss.new_total) == (1, 4, 4, 4, 4)


def test_fewer_results_in_total_are_a_loss():
    new = edited(("4 of 4", "4 of 3"))
    (loss,) = kg.diff(graph(CLEAN), graph(new)).lost
    assert (loss.gone, loss.old_total, loss.new_total) == (0, 4, 3)
    assert not kg.diff(graph(new), graph(CLEAN)).lost


def test_a_count_that_is_not_stated_is_not_none():
    new = edited(("| Results loaded | 4 of 4 |\n", ""))
    found = kg.diff(graph(CLEAN), graph(new))
    assert [(it.fact, it.old, it.new) for it in found.changes] == [
        ("results in total", "4", ""),
        ("results loaded", "4", ""),
    ]
    assert not found.lost


def test_pages_gone_and_new_bring_their_scores():
    near, far = REAL[0].read_text(), (CASES / "far-ood-auroc" / "page.md").read_text()
    both, one = graph(near, far), graph(near)
    gone = kg.diff(both, one)
    assert [it.metric_label for it in gone.changes if it.kind == "page-gone"] == ["Far-OOD AUROC"]
    removed = [it for it in gone.changes if it.kind == "score-removed"]
    assert [(it.metric_label, it.gone, it.old, it.new) for it in gone.lost] == [
        ("Far-OOD AUROC", len(removed), len(removed), 0)
    ]
    assert {it.kind for it in gone.changes} == {"page-gone", "score-removed"}
    new = kg.diff(one, both)
    assert {it.kind for it in new.changes} == {"page-new", "score-added"}
    assert not new.lost


def test_two_unreadable_configurations_are_two():
    old, new = (
        edited(('{"Backbone":"ConvNeXt-T","Image Size":"320","Training":"End to end"}', it)) for it in ("{cut", "{off")
    )
    assert changes(old, new) == [("result-changed", "configuration", "unreadable ({cut)", "unreadable ({off)")]


# What is none


def reordered(page: str, seed: int) -> str:
    """The page with rows, sections and settings in another order, at another time."""
    chance = random.Random(seed)
    head, *sections, tail = re.split(r"(?=^### |^Page )", page, flags=re.MULTILINE)
    rows = re.findall(r"^\| .* \| Not recorded \| .*\n", head, re.MULTILINE)
    place = head.index(rows[0])
    for row in rows:
        head = head.replace(row, "", 1)
    chance.shuffle(rows)
    chance.shuffle(sections)
    page = "".join([head[:place], *rows, head[place:], *sections, tail])
    page = re.sub(
        r"\{(.*)\}", lambda it: "{" + ", ".join(chance.sample(it[1].split(","), it[1].count(",") + 1)) + "}", page
    )
    return re.sub(r"Data updated: .*", f"Data updated: 2026-06-{1 + seed % 28:02}T00:00:00Z", page)


@settings(max_examples=15)
@given(st.sampled_from([CLEAN, REAL[1].read_text(encoding="utf-8")]), st.integers(0, 10_000))
def test_another_order_and_a_later_time_are_no_difference(page, seed):
    other = reordered(page, seed)
    assert other != page
    found = kg.diff(graph(page), graph(other))
    assert not found
    assert found.changes == ()
    assert len(found.moved) == 1


@pytest.mark.parametrize("path", sorted(CASES.glob("*/page.md")), ids=lambda path: path.parent.name)
def test_nothing_differs_from_itself(path):
    page = path.read_bytes()
    read = sources.parse(page, "page.md").page
    if read is None:
        return
    graphs = []
    for _ in range(2):
        store = Store.in_memory()
        store.update([to_view_graph(read)])
        graphs.append(KnowledgeGraph(store))
    assert kg.diff(*graphs) == Difference()


# The lines whose facts are no matter of comparison, or stand in another line too.
UNSEEN = ("Collection index:", "Data updated:", "| Unit |", "| Direction |")


def test_no_other_line_can_be_taken_out_unseen():
    lines = CLEAN.split("\n")
    whole, tried = graph(CLEAN), 0
    for number, line in enumerate(lines):
        if FURNITURE.fullmatch(line) or line.startswith(UNSEEN):
            continue
        tried += 1
        assert kg.diff(whole, graph("\n".join([*lines[:number], *lines[number + 1 :]]))), line
    assert tried > 30


# Both ways

EDITS: list[Callable[[str], str]] = [
    lambda page: page.replace("88.4", "90.4"),
    lambda page: page.replace("91.3", "91 (est.)"),
    lambda page: page.replace("| Hazel |", "| H\\|zel |").replace("### Hazel", "### H|zel"),
    lambda page: page.replace("b8e03d7f5a916c42e7d5081a", "b8e03d7f5a916c42e7d5081b"),
    lambda page: page.replace('"Image Size":"320","Training":"End to end"', '"Training":"End to end"'),
    lambda page: page.replace("4 of 4", "3 of 12"),
    lambda page: page.replace("Higher is better", "Lower is better"),
    lambda page: page.replace("PERCENT", "Points"),
    lambda page: page.replace("Grade Error", "Mean Error").replace("Grade%20Error", "Mean%20Error"),
    lambda page: without("Alder", "90.75", page) if "| Alder | 90.75 |" in page else page,
    lambda page: page.replace("| Task | Leaf Disease Grading |", "| Task | Leaf Grading |"),
    lambda page: page.replace(HAZEL, "b" * 24),
    lambda page: page.replace("-on-orchardleaves-val", "-on-orchardleaves-2-val"),
]
TURNED = {"gone": "new", "new": "gone", "added": "removed", "removed": "added", "better": "worse", "worse": "better"}


def mirrored(change: Change) -> tuple[object, ...]:
    what, _, way = change.kind.rpartition("-")
    return (
        *(f"{what}-{TURNED.get(way, way)}", change.metric, change.result, change.fact, change.new, change.old),
        *(TURNED.get(change.verdict, change.verdict), change.new_places, change.old_places),
    )


def told(change: Change) -> tuple[object, ...]:
    return (
        *(change.kind, change.metric, change.result, change.fact, change.old, change.new, change.verdict),
        *(change.old_places, change.new_places),
    )


@settings(max_examples=40)
@given(*[st.lists(st.sampled_from(range(len(EDITS))), unique=True)] * 2)
def test_the_other_way_round_is_the_mirror_image(ones, others):
    pages = []
    for chosen in (ones, others):
        page = CLEAN
        for number in sorted(chosen):
            page = EDITS[number](page)
        pages.append(page)
    one, other = map(graph, pages)
    there, back = kg.diff(one, other), kg.diff(other, one)
    assert sorted(map(told, there.changes), key=repr) == sorted(map(mirrored, back.changes), key=repr)
    assert there.moved == back.moved
    if set(ones) == set(others):
        assert not there
    else:
        assert there


# Stores, files and days


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store that was built on two states of a page, and with what it was before as Turtle."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KG_STORE", raising=False)
    Path("page.md").write_text(CLEAN)
    with kg.build(["page.md", REAL[0]], store="kg-store") as before:
        before.export("before.ttl")
    later = without("Hazel", "85.05", edited(("2026-05-18", "2026-06-20"), ("4 of 4", "3 of 3"), ("88.4", "88.6")))
    Path("page.md").write_text(later)
    with kg.build(["page.md"], store="kg-store") as after:
        for form in ("ttl", "nq", "trig", "nt", "jsonld"):
            after.export(f"after.{form}")
    return tmp_path


def asked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["kg", "diff", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


@pytest.mark.usefixtures("place")
def test_stores_files_and_days_give_the_same():
    expected = kg.diff("before.ttl", "kg-store")
    assert [it.gone for it in expected.lost] == [1]
    assert {it.kind for it in expected.changes} == {"coverage-changed", "score-changed", "score-removed"}
    for old in ("before.ttl", "2026-05-18", "2026-06-19"):
        for new in ("kg-store", "after.ttl", "after.nq", "after.trig", "after.nt", "after.jsonld", "2026-06-20"):
            assert kg.diff(old, new) == expected, (old, new)
    assert kg.diff("2026-05-18", "2026-06-20", archive="kg-store-archive", store="elsewhere") == expected
    assert not kg.diff("2026-06-20", "kg-store")


@pytest.mark.usefixtures("place")
def test_exit_codes_and_the_loud_line(capsys, monkeypatch):
    code, out, _ = asked(capsys, monkeypatch, "before.ttl", "kg-store")
    assert code == 1
    first, second, *_ = out.splitlines()
    assert first == (
        "LOST ROWS: Balanced Accuracy on Leaf Disease Grading on OrchardLeaves (val): 1 of 4 results gone, 3 now; "
        "the pages count 3 in all where they counted 4"
    )
    assert second == "before.ttl -> kg-store: 4 differences (2 coverage changed, 1 removed, 1 changed)"
    assert "changed: Birch 88.4 -> 88.6 (better)" in out
    assert asked(capsys, monkeypatch, "kg-store", "after.ttl")[:2] == (0, "kg-store -> after.ttl: no differences\n")
    code, out, _ = asked(capsys, monkeypatch, "before.ttl", "kg-store", "-f", "md")
    assert code == 1
    assert out.startswith("**LOST ROWS: Balanced Accuracy on")
    code, out, err = asked(capsys, monkeypatch, "before.ttl", "kg-store", "-f", "csv", "-q")
    assert code == 1
    assert err.startswith("LOST ROWS: ")
    assert [row["kind"] for row in csv.DictReader(io.StringIO(out))].count("score-removed") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kg-store", "missing"], "There is no store at missing"),
        (["kg-store", "missing.ttl"], "missing.ttl: cannot be read"),
        (["2026-02-30", "kg-store"], "'2026-02-30' is no day"),
        (["2020-01-01", "kg-store"], "2020-01-01"),
        (["2026-05-18", "kg-store", "--store", "other"], "no archive at other-archive"),
        (["kg-store", "blank.ttl"], "blank.ttl: states no benchmark page"),
        (["odd.ttl", "kg-store"], "odd.ttl: states no benchmark page"),
        (["kg-store", "broken.ttl"], "This is not well-formed Turtle"),
        (["kg-store", "page.md"], "'md' names no RDF format"),
        (["kg-store", "based"], "have the bases https://w3id.org/benchkg/id/ and https://example.org/mine/"),
        (["kg-store", "after.ttl", "-f", "xml"], "'xml' is no format"),
    ],
)
@pytest.mark.usefixtures("place")
def test_misuse_is_told_in_words(words, said, capsys, monkeypatch):
    Path("blank.ttl").write_text("")
    Path("odd.ttl").write_text('<https://example.org/a> <https://example.org/b> "c"@en , [] .\n')
    Path("broken.ttl").write_text("<https://example.org/a> <https://example.org/b> ")
    kg.build(["page.md"], store="based", base="https://example.org/mine/").close()
    code, out, err = asked(capsys, monkeypatch, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_graph_with_odd_terms_is_compared_as_far_as_it_goes(tmp_path: Path):
    """Statements of other tools: blank nodes, numbers that are none, a score without a text, no lines."""
    graph(CLEAN).export(tmp_path / "good.nt")
    text = (tmp_path / "good.nt").read_text()
    score = re.search(rf"^(<[^>]*/score/{BIRCH}[^>]*>) <[^>]*#valueText> ", text, re.MULTILINE)
    assert score
    ns = "https://w3id.org/benchkg/ns#"
    odd = re.sub(rf"^{re.escape(score[1])} <{ns}(value|valueText)> .*\n", "", text, flags=re.MULTILINE)
    odd += f'{score[1]} <{ns}value> "much"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n'
    odd += f"_:a <{ns}score> _:b .\n_:b <{ns}metric> _:c .\n"
    (tmp_path / "odd.nt").write_text(odd)
    found = kg.diff(tmp_path / "good.nt", tmp_path / "odd.nt")
    assert [(it.kind, it.old, it.new, it.verdict) for it in found.changes if it.identifier == BIRCH] == [
        ("score-changed", "88.4", "", "")
    ]
    assert [it.kind for it in found.changes if it.identifier != BIRCH] == ["score-added"]


def test_what_is_damaged_in_the_archive_is_said(place: Path, capsys, monkeypatch):
    (damaged,) = [it for it in (place / "kg-store-archive" / "objects").glob("??/*") if it.read_text() == CLEAN]
    damaged.write_text(CLEAN.replace("88.4", "99.9"))
    code, out, err = asked(capsys, monkeypatch, "2026-05-18", "kg-store")
    assert code == 1
    assert "new page" in out
    assert str(damaged.name) in err
    assert "damaged" in err


# Answers


@pytest.mark.usefixtures("place")
def test_the_keys_and_columns_are_those_of_the_document(capsys, monkeypatch):
    _, out, _ = asked(capsys, monkeypatch, "before.ttl", "kg-store", "-f", "json")
    answer = json.loads(out)
    text = section("docs/answers.md", "kg diff")
    assert sorted(set(keys_of(answer))) == sorted(first_cells(text))
    _, out, _ = asked(capsys, monkeypatch, "before.ttl", "kg-store", "-f", "csv")
    assert re.findall(r"```csv\n(.*)\n```", text) == [out.splitlines()[0]]
    listed = re.findall(r"^\| ([a-z]+-[a-z]+(?:, [a-z]+-[a-z]+)*) \|", text, re.MULTILINE)
    assert sorted(kind for cell in listed for kind in cell.split(", ")) == sorted(KINDS)


HOSTILE = "**x** <b>_[a](https://e.org)_`\\| # y"


@pytest.mark.parametrize("form", ["text", "md", "csv", "json"])
def test_hostile_names_break_no_format(form, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = HOSTILE.replace("\\|", "\\\\\\|")
    old = edited(("| Birch |", f"| {table} |"), ("### Birch", f"### {HOSTILE}"))
    for name, page in (("old.ttl", old), ("new.ttl", edited(("88.4", "88.6"), page=old))):
        graph(page).export(name)
        # No page has a name with characters that move a cursor or end a line; a file of somebody else may.
        Path(name).write_text(Path(name).read_text().replace("# y", "# y\\u001B[2J\\n# z\\u202E"))
    code, out, _ = asked(capsys, monkeypatch, "old.ttl", "new.ttl", "-f", form)
    assert code == 1
    if form in {"text", "md"}:
        assert "\x1b" not in out
        assert "\u202e" not in out
    if form == "md":
        (line,) = [line for line in out.splitlines() if line.startswith("- changed")]
        assert "\\*\\*x\\*\\* \\<b>\\_\\[a\\](https://e.org)\\_\\`" in line
        assert "\\\\x1b\\[2J⏎\\# z" in line
        assert len([line for line in out.splitlines() if line.startswith("#")]) == 3
    if form == "csv":
        (row,) = csv.DictReader(io.StringIO(out))
        assert row["methodLabel"].startswith("**x** <b>")
    if form == "json":
        (change,) = json.loads(out)["changes"]
        assert change["methodLabel"].startswith("**x** <b>")
