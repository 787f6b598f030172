"""The scores table of a store on a disk: written beside a large build, part by part, the same however it is made."""

from __future__ import annotations

import hashlib
import sys
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import kg
from kg import scores, tabulating
from kg.store import Store
from kg.store import filling as inside
from kg.tabulating import scores_of, write_beside
from tests.benchmarks.pages import write_pages

CASES = Path(__file__).parent / "cases" / "sota2"
PAGES = 12


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    write_pages(folder, PAGES)
    return folder


def whole(store: Store) -> pl.DataFrame:
    return scores.table(partial(store.write_lines, graphs=False))


def beside(store: Path) -> list[Path]:
    return sorted(store.glob("generations/*/scores-*"))


@pytest.mark.parametrize("at_once", [1, 3, PAGES])
def test_the_parts_of_a_table_are_the_table(pages, tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(tabulating, "_VIEWS_AT_ONCE", at_once)
    kg.build([str(pages)], store=tmp_path / "store").close()
    with Store.open(tmp_path / "store") as store:
        assert beside(tmp_path / "store") == []  # it was no large build
        table = scores_of(store)
        assert table.height > PAGES
        assert_frame_equal(table, whole(store))


def test_a_result_on_the_pages_of_two_benchmarks_is_disputed_in_any_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(tabulating, "_VIEWS_AT_ONCE", 1)
    page = (CASES / "selective-classification" / "page.md").read_text(encoding="utf-8")
    there = "selective-classification-on-imagenet-v2-original-test"
    assert there in page
    (tmp_path / "one.md").write_text(page, encoding="utf-8")
    (tmp_path / "two.md").write_text(page.replace(there, "another-benchmark"), encoding="utf-8")
    kg.build([str(tmp_path / "one.md"), str(tmp_path / "two.md")], store=tmp_path / "store").close()
    with Store.open(tmp_path / "store") as store:
        assert len(list(tabulating._ranges(store))) == 2
        table = scores_of(store)
        assert_frame_equal(table, whole(store))
        assert set(table["unranked"].drop_nulls()) == {"pages disagree"}


def test_a_large_build_writes_it_beside_its_data_and_reading_takes_it_from_there(pages, tmp_path, monkeypatch):
    monkeypatch.setattr(inside, "_BULK", 20)
    kg.build([str(pages)], store=tmp_path / "store").close()
    (kept,) = beside(tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        assert_frame_equal(scores.read_parquet(kept), whole(store))
    marked = scores.read_parquet(kept).with_columns(pl.lit("from the file").alias("task"))
    scores.write_parquet(marked, kept)
    with kg.open(tmp_path / "store") as graph:
        assert set(graph.scores()["task"]) == {"from the file"}


def test_the_next_generation_has_none_of_the_last(pages, tmp_path, monkeypatch):
    monkeypatch.setattr(inside, "_BULK", 20)
    kg.build([str(pages)], store=tmp_path / "store").close()
    monkeypatch.undo()
    page = min(pages.rglob("*.md"))
    kg.remove(tmp_path / "store", _view_of(page, tmp_path / "store"))
    assert beside(tmp_path / "store") == []
    with Store.open(tmp_path / "store") as store:
        assert_frame_equal(scores_of(store), whole(store))


def _view_of(page: Path, store: Path) -> str:
    with Store.open(store) as opened:
        sha256 = hashlib.sha256(page.read_bytes()).hexdigest()
        return next(state.graph for state in opened.views() if state.sha256 == sha256)


def test_that_of_other_code_is_not_read(pages, tmp_path, monkeypatch):
    monkeypatch.setattr(inside, "_BULK", 20)
    monkeypatch.setattr(tabulating, "code_digest", lambda: "0123456789abcdef-of-before")
    kg.build([str(pages)], store=tmp_path / "store").close()
    (kept,) = beside(tmp_path / "store")
    kept.write_bytes(b"no Parquet")
    monkeypatch.setattr(tabulating, "code_digest", lambda: "fedcba9876543210-of-now")
    with Store.open(tmp_path / "store") as store:
        assert_frame_equal(scores_of(store), whole(store))


def test_without_polars_a_build_goes_without(pages, tmp_path, monkeypatch):
    monkeypatch.setattr(inside, "_BULK", 20)
    monkeypatch.setitem(sys.modules, "polars", None)
    with kg.build([str(pages)], store=tmp_path / "store") as graph:
        assert graph.info()["pages"] == PAGES
    assert beside(tmp_path / "store") == []


def test_a_store_in_memory_has_no_place_for_it():
    with Store.in_memory() as store:
        write_beside(store)
        assert store.beside("scores.parquet") is None
        assert scores_of(store).height == 0
