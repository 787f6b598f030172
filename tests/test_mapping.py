"""What a page's triples are as lines, and what the mapping keeps from one page to the next."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg import sources
from kg.mapping import results, to_view_graph
from kg.model import BenchmarkPage

CASES = Path(__file__).parent / "cases" / "sota2"


def page_of(data: bytes) -> BenchmarkPage | None:
    return sources.parse(data, "page.md").page


@pytest.fixture(scope="module")
def clean() -> bytes:
    return (CASES / "clean" / "page.md").read_bytes()


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda it: it.name)
def test_lines_are_sorted_and_each_once(folder):
    page = page_of((folder / "page.md").read_bytes())
    if page:
        lines = to_view_graph(page).lines
        assert list(lines) == sorted(set(lines))


@given(st.integers(min_value=0))
def test_lines_of_a_damaged_page_are_sorted_and_each_once(seed):
    random_ = random.Random(seed)
    lines = (CASES / "selective-classification" / "page.md").read_bytes().split(b"\n")
    for _ in range(random_.randint(1, 4)):
        one, other = random_.randrange(len(lines)), random_.randrange(len(lines))
        random_.choice((lines.insert, lines.__setitem__))(one, lines[other])
    page = page_of(b"\n".join(lines))
    if page:
        found = to_view_graph(page).lines
        assert list(found) == sorted(set(found))


def test_what_a_page_says_twice_is_one_line(clean):
    sentence = b"A shared metric name alone does not establish an identical protocol."
    once, twice = (
        to_view_graph(page_of(clean.replace(sentence, text))) for text in (sentence, sentence + b" " + sentence)
    )
    assert [sum(f'disclaimer> "{sentence.decode()}"' in line for line in view) for view in (once, twice)] == [1, 1]
    assert len(twice.lines) == len(set(twice.lines)) == len(once.lines)


def test_a_page_maps_alike_whatever_was_mapped_before(clean):
    page = page_of(clean)
    first = to_view_graph(page).lines
    other = to_view_graph(page, "https://example.org/bench/").lines
    assert to_view_graph(page).lines == first
    assert not any("w3id.org/benchkg/id/" in line for line in other)


def test_texts_of_a_large_page_are_not_kept(clean):
    to_view_graph(page_of(clean))
    assert results._paper.cache_info().currsize
    to_view_graph(page_of(clean.replace(b"\n## Metrics", b"\n" * 70_000 + b"## Metrics")))
    assert not results._paper.cache_info().currsize
