"""The strict reader of clean pages gives what the careful reader gives, or gives up."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.model import Lines
from kg.sources import parse, sota2, strict
from tests.benchmarks.pages import write_pages

CASES = Path(__file__).parent / "cases" / "sota2"
REAL = ("out-of-distribution-detection", "selective-classification")
PAGES = [(CASES / name / "page.md").read_bytes() for name in (*REAL, "clean", "far-ood-auroc", "nested-configuration")]
PIECES = (
    "\r\n",
    "\n",
    "\n\n",
    " ",
    "  ",
    "\t",
    "|",
    "\\|",
    " | ",
    "\u200b",
    "\u2028",
    "\x85",
    "\x00",
    "\ufeff",
    "e\u0301",
    "Δ",
    "∆",
    ".",
    ":",
    ": ",
    "<",
    ">",
    "[",
    "](<",
    ">)",
    "-",
    "- [",
    "#",
    "### ",
    "## Metrics",
    "Not recorded",
    "NaN",
    "84.6 ± 0.35",
    "1e5",
    "{",
    '{"a": 1, "a": 2}',
    '"',
    "Result ID: ",
    "Page 1 of 2.",
    "Page 2 of 1.",
    "Task",
    "2026-02-30",
    "10 of 37",
    "Higher is better",
    "unit: ",
    "PERCENT",
    "Configuration: ",
    "This record ",
    "[Implementation](<https://a.org/{x}>)",
)


def same(data: bytes) -> bool:
    """Compare the two readers on a page; tell whether the strict one read it."""
    fast = strict.read(data, "page.md")
    if fast is None:
        return False
    careful = sota2._Reader(data, "page.md").read()
    assert (fast.page, fast.problems, fast.file) == (careful.page, careful.problems, careful.file)
    end = data.count(b"\n") + 1
    for at in (Lines(1, 1), Lines(2, 5), Lines(max(1, end - 2), end)):
        assert fast.quote(at) == careful.quote(at)
    return True


@pytest.mark.parametrize("name", REAL)
def test_the_real_pages_are_read_strictly(name):
    assert same((CASES / name / "page.md").read_bytes())


def test_the_originals_are_read_strictly(shared):
    found = [path.read_bytes() for path in sorted((shared / "seeds").rglob("*")) if path.is_file()]
    pages = [data for data in found if b"| Scope |" in data]
    assert len(pages) == 2
    assert all(map(same, pages))


@pytest.mark.parametrize("path", sorted(CASES.glob("*/page*")), ids=lambda path: path.parent.name)
def test_every_case_is_read_alike(path):
    same(path.read_bytes())


def test_made_pages_are_read_alike_and_most_of_them_strictly(tmp_path):
    write_pages(tmp_path, 400)
    pages = [path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    strictly = sum(map(same, pages))
    assert len(pages) == 400
    assert strictly > 0.9 * len(pages)


def _swap(lines: list[str], draw: random.Random) -> None:
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _edit(lines: list[str], draw: random.Random) -> None:
    number = draw.randrange(len(lines))
    place = draw.randrange(len(lines[number]) + 1)
    lines[number] = lines[number][:place] + draw.choice(PIECES) + lines[number][place + draw.randrange(3) :]


DAMAGES = (
    lambda lines, draw: lines.pop(draw.randrange(len(lines))),
    lambda lines, draw: lines.insert(draw.randrange(len(lines)), draw.choice(lines)),
    lambda lines, draw: lines.insert(draw.randrange(len(lines)), draw.choice(PIECES)),
    _swap,
    _edit,
    _edit,
)


def damaged(page: bytes, seed: int, times: int) -> bytes:
    draw = random.Random(seed)
    lines = page.decode().split("\n")
    for _ in range(times):
        if lines:
            draw.choice(DAMAGES)(lines, draw)
    return draw.choice(("\n", "\n", "\n", "\r\n")).join(lines).encode()


@settings(max_examples=1500, deadline=None)
@given(page=st.sampled_from(PAGES), seed=st.integers(0, 2**32), times=st.integers(1, 4))
def test_damaged_pages_are_read_alike(page, seed, times):
    same(damaged(page, seed, times))


@pytest.mark.parametrize(
    "text", ["; unitPERCENT.", ": PERCENT.", "; unit: ", "; unit: .", "; unit: PERCENT; unit: SCALAR."]
)
def test_a_metric_whose_unit_is_damaged_is_read_alike(text):
    assert b"; unit: PERCENT." in PAGES[2]
    same(PAGES[2].replace(b"; unit: PERCENT.", text.encode(), 1))


def test_each_edit_of_each_line_is_read_alike():
    """Every piece at the beginning and the end of every line of a page, and every line without its last character."""
    strictly = 0
    lines = PAGES[2].decode().split("\n")
    for number, line in enumerate(lines):
        for changed in (line[:-1], *(each for piece in PIECES for each in (piece + line, line + piece))):
            strictly += same("\n".join([*lines[:number], changed, *lines[number + 1 :]]).encode())
    assert strictly > 100, "the strict reader gave up nearly everywhere, so little was compared"


def test_the_reader_of_the_package_takes_the_strict_road(monkeypatch):
    monkeypatch.setattr(sota2, "_Reader", None)
    assert parse(PAGES[0], "page.md").page is not None
    with pytest.raises(TypeError):
        parse(PAGES[0].replace(b"## Metrics\n", b"## Metrics\nodd\n"), "page.md")
