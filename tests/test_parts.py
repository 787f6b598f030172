"""Parts of a build: cut in any way, made anywhere, joined in any order, they come to the same store."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_pages import CASES, REAL

import kg
from kg import parts, pipeline
from kg.parts import Page, part_of, view_of
from kg.store import Part, Stamp, Store, UpdateReport

PAGES = [
    Page(str(path), path.read_bytes())
    for path in (*REAL, *(CASES / name / "page.md" for name in ("clean", "far-ood-auroc", "nested-configuration")))
]


def joined(made: list[Part]) -> tuple[list[str], UpdateReport]:
    store = Store.in_memory()
    with store.filling() as filling:
        for part in made:
            filling.add(part)
        report = filling.finish()
    return store.quads(), report


@pytest.fixture(scope="module")
def whole() -> list[str]:
    store = Store.in_memory()
    store.update(view for page in PAGES if (view := view_of(page.data, page.file).view))
    return store.quads()


@settings(max_examples=20)
@given(st.data())
def test_any_cut_in_any_order_gives_the_same_bytes(whole: list[str], source: st.DataObject):
    order = source.draw(st.permutations(PAGES))
    cuts = sorted(source.draw(st.lists(st.integers(0, len(order)), max_size=4)))
    slices = [order[start:end] for start, end in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    made = source.draw(st.permutations([part_of(each)[0] for each in slices]))
    # A part travels between processes and machines.
    sent = [pickle.loads(pickle.dumps(part)) for part in made]  # noqa: S301 - it has just been written
    assert joined(sent)[0] == whole


def test_the_same_part_twice_changes_nothing(whole: list[str]):
    part, _ = part_of(PAGES)
    quads, report = joined([part, part])
    assert quads == whole
    assert len(report.added) == len({record.state.graph for record in part.records})
    assert set(report.unchanged) == set(report.added)


def test_a_part_says_of_each_page_what_reading_it_alone_says():
    _, outcomes = part_of(PAGES)
    for page, outcome in zip(PAGES, outcomes, strict=True):
        alone = view_of(page.data, page.file)
        assert alone.view is not None
        assert outcome.view is not None
        assert (outcome.view.graph, outcome.view.sha256) == (alone.view.graph, alone.view.sha256)
        assert (outcome.file, outcome.problems, outcome.findings) == (page.file, alone.problems, alone.findings)


# Pages that the store knows


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were parsed, and not merely hashed."""
    found: list[str] = []
    before = parts.parse

    def counting(data: bytes, file: str) -> object:
        found.append(Path(file).name)
        return before(data, file)

    monkeypatch.setattr(parts, "parse", counting)
    return found


def built(folder: Path, store: Path) -> kg.KnowledgeGraph:
    return kg.build([folder], store=store)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "pages"
    place.mkdir()
    shutil.copy(REAL[0], place / "clean.md")
    shutil.copy(CASES / "result-id-no-token" / "page.md", place / "odd.md")
    return place


def test_a_page_that_did_not_change_is_not_read_again_and_says_the_same(folder: Path, tmp_path: Path, read: list[str]):
    first = built(folder, tmp_path / "store").report
    assert sorted(read) == ["clean.md", "odd.md"]
    read.clear()
    again = built(folder, tmp_path / "store").report
    assert read == []
    assert first is not None
    assert again is not None
    assert again.problems == first.problems
    assert again.problems, "a page without problems would show nothing here"
    assert [problem.file for problem in again.problems] == [problem.file for problem in first.problems]
    assert [outcome.findings for outcome in again.outcomes] == [outcome.findings for outcome in first.outcomes]
    assert again.exit_code == first.exit_code == 1
    assert len(again.update.unchanged) == 2


def test_only_the_page_that_changed_is_read(folder: Path, tmp_path: Path, read: list[str]):
    built(folder, tmp_path / "store").close()
    read.clear()
    page = folder / "clean.md"
    page.write_bytes(page.read_bytes().replace(b"Data updated: 20", b"Data updated: 21"))
    graph = built(folder, tmp_path / "store")
    assert read == ["clean.md"]
    assert graph.report is not None
    assert len(graph.report.update.replaced) == 1
    for name, each in (("after.nq", graph), ("fresh.nq", kg.build([folder]))):
        each.export(tmp_path / name)
    assert (tmp_path / "after.nq").read_bytes() == (tmp_path / "fresh.nq").read_bytes()


def test_other_code_reads_every_page_again_and_says_so_once(
    folder: Path, tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
):
    built(folder, tmp_path / "store").close()
    read.clear()
    monkeypatch.setattr(parts, "code_digest", lambda: "another")
    graph = built(folder, tmp_path / "store")
    assert sorted(read) == ["clean.md", "odd.md"]
    assert graph.report is not None
    assert len(graph.report.update.unchanged) == 2
    graph.close()
    read.clear()
    built(folder, tmp_path / "store").close()
    assert read == []


def test_a_view_that_the_same_shapes_judged_before_is_not_judged_again(monkeypatch: pytest.MonkeyPatch):
    page = PAGES[0]
    part, _ = part_of([page])
    known = replace(part.records[0], stamp=replace(part.records[0].stamp, code="before"))
    judged: list[int] = []
    before = parts.validation.validate

    def counting(lines: list[str], shapes: object) -> object:
        judged.append(len(lines))
        return before(lines, shapes)

    monkeypatch.setattr(parts.validation, "validate", counting)
    assert part_of([page._replace(known=known)])[0] == part
    assert not judged
    other = replace(known, stamp=Stamp(code="before", shapes="other shapes"))
    assert part_of([page._replace(known=other)])[0] == part
    assert len(judged) == 1


def test_a_page_read_in_another_way_under_another_name_leaves_nothing_behind():
    """The old record of the same bytes goes, also where the view has another graph now."""
    store = Store.in_memory()
    view = view_of(PAGES[0].data, PAGES[0].file).view
    assert view is not None
    store.update([replace(view, graph=f"{view.graph}-as-it-was-named")])
    report = store.update([view])
    assert len(report.added) == 1
    fresh = Store.in_memory()
    fresh.update([view])
    assert store.quads() == fresh.quads()


def test_slices_are_bounded_while_the_store_loads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """However many pages there are, only so many wait in memory."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.md").write_bytes(
            REAL[0].read_bytes().replace(b"/sota/out-of", f"/sota/{number}-out-of".encode())
        )
    monkeypatch.setattr(pipeline, "_SLICE", 2)
    most: list[int] = []
    before = pipeline.part_of

    def counting(pages: list[Page], base: str) -> object:
        most.append(len(pages))
        return before(pages, base)

    monkeypatch.setattr(pipeline, "part_of", counting)
    graph = kg.build([folder])
    assert max(most) == 2
    assert graph.info()["pages"] == 40
