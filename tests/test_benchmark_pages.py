"""The made pages of the benchmark: always the same ones, as odd as asked, and each of them read."""

from __future__ import annotations

import statistics

import pytest
from real_pages import REAL

from kg.pipeline import view_of
from kg.sources import parse
from tests.benchmarks.pages import ODDITIES, made_pages, write_pages

INHERENT = {"incomplete-page"}  # of every page of several, whether odd or not


def test_a_small_collection_begins_a_larger_one():
    small, large = list(made_pages(40)), list(made_pages(160))
    assert small == large[:40]
    assert list(made_pages(160, start=40)) == large[40:]


def test_another_seed_gives_other_pages():
    assert [page.text for page in made_pages(10, seed=2)] != [page.text for page in made_pages(10, seed=1)]


def test_what_is_reported_is_what_was_made_odd():
    pages = list(made_pages(600, oddities=0.25))
    for page in pages:
        reading = parse(page.text.encode(), page.name)
        assert reading.page, page.name
        assert {problem.code for problem in reading.problems} - INHERENT == {page.oddity} - {""}, page.name
    assert 0.2 < sum(bool(page.oddity) for page in pages) / len(pages) < 0.3
    assert {page.oddity for page in pages} == {"", *ODDITIES}


def test_every_page_gives_a_view():
    for page in made_pages(16, oddities=0.5):
        assert view_of(page.text.encode(), page.name).view, page.name


def test_no_two_pages_are_one_view_and_results_are_shared_between_metrics():
    read = [parse(page.text.encode(), page.name).page for page in made_pages(400, oddities=0)]
    views = [(page.page.url, page.scope.metric.text, page.page_number) for page in read]
    assert len(set(views)) == len(views)
    values: dict[str, set[str]] = {}
    for page in read:
        for result in page.results:
            values.setdefault(result.identifier, set()).add(result.value)
    assert sum(len(it) > 1 for it in values.values()) > len(values) / 4


def test_pages_of_one_metric_add_up_to_the_results_that_they_count():
    found: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    for page in (parse(made.text.encode(), made.name).page for made in made_pages(400)):
        total = page.scope.loaded.text.split(" of ")[1]
        key = (page.page.url, page.scope.metric.text)
        found.setdefault(key, []).append((page.page_count, len(page.results), total))
    whole = {key: pages for key, pages in found.items() if len(pages) == pages[0][0]}
    assert len(whole) > len(found) - 4  # the last benchmark may be cut off
    assert any(len(pages) > 1 for pages in whole.values())
    for pages in whole.values():
        assert {str(sum(results for _, results, _ in pages))} == {total for _, _, total in pages}


def test_the_pages_are_as_large_as_the_real_ones():
    pages = [page.text.encode() for page in made_pages(3_000)]
    results = statistics.mean(text.count(b"Result ID: ") for text in pages)
    size = statistics.mean(map(len, pages))
    assert 10 < results < 13
    real = [path.read_bytes() for path in REAL]
    a_result = sum(map(len, real)) / sum(text.count(b"Result ID: ") for text in real)
    assert size / results == pytest.approx(a_result, rel=0.1)


def test_they_are_written_a_thousand_a_folder(tmp_path):
    size = write_pages(tmp_path, 1_003, start=998)
    found = sorted(tmp_path.rglob("*.md"))
    assert [str(path.relative_to(tmp_path)) for path in found] == [
        "0000/0000998.md", "0000/0000999.md", "0001/0001000.md", "0001/0001001.md", "0001/0001002.md",
    ]  # fmt: skip
    assert sum(path.stat().st_size for path in found) == size
