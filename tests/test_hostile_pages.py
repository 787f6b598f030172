"""Pages put together at random from the pages of all cases and from texts that have broken readers before."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.mapping import to_view_graph
from kg.restoring import to_pages
from kg.sources import parse
from kg.sources.sota2 import FURNITURE
from kg.values import Unreadable, read_configuration

CASES = Path(__file__).parent / "cases" / "sota2"
PAGES = [path.read_bytes().decode(errors="replace").split("\n") for path in sorted(CASES.glob("*/page.md"))]
# fmt: off
ODD = [
    "|", "\\|", "\\", "\\\\|", "---", "-", "`", '"', "<", ">", "<x>", "[", "]", "](", "{", "}", "{}", "", ": ",
    "; unit: ", "±", "−5", "007", "-0", "NaN", "9" * 30, "1e400", "1e-400", "null", "not recorded", "[]",
    "0000", "2026-02-30", "T24:00:00Z", "\\u0000", "\\ud800", '"a":1,"a":1', "(test)", "(tEſt)", "ſ", "K",
    "İ", "e\u0301", "# ", "## Metrics", "## Recorded results", "### ", "### x", "Source: ", "Page 2 of 1.",
    "Page 1 of 1.", "Not recorded", "| Scope | Recorded value |", "| --- | --- |", "| - | - | - | - |", ". Result ID: ",
    "javascript:1", "https://[::1]/x",
    ". This record does not assert independent reproduction.",
    *"\u200b\u202e\ufeff\u2028\x85\0\x1b\ufffe\u3164\U000e0041\u00a0\t\r",
    "\U0001f469\u200d\U0001f4bb",
]
# fmt: on
IRI = re.compile(r"<[!-;=?-\[\]_a-z~\x80-\U0010ffff]*>")
DECIMAL = re.compile(r'"-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{0,17}[1-9])?"')
QUOTED = re.compile(r"/snapshot/[0-9a-f]+#line=([0-9]+),([0-9]+)>")


def edited(lines: list[str], random_: random.Random) -> list[str]:
    """Return the lines with one edit: one lost, doubled, moved or altered, or a piece of another page put in."""
    place = random_.randrange(len(lines))
    line, odd, other = lines[place], random_.choice(ODD), random_.choice(PAGES)
    start = random_.randrange(len(other))
    at = random_.randrange(len(line) + 1)
    cells = line.split("|")
    cells[random_.randrange(len(cells))] = f" {odd} "
    new = [
        [],
        [line, line],
        [line[:at] + odd + line[at:]],
        [line[:at] + odd + line[at + random_.randrange(12) :]],
        ["|".join(cells)],
        [line.partition(": ")[0] + ": " + odd],
        [*other[start : start + random_.randint(1, 25)], line],
        [line, *other[start:]],
        [random_.choice(lines)],
    ]
    return [*lines[:place], *random_.choice(new), *lines[place + 1 :]] or [""]


@settings(max_examples=300)
@given(st.integers(min_value=0), st.integers(min_value=1, max_value=5))
def test_no_page_breaks_the_reader_or_loses_a_line_on_the_way_to_the_graph_and_back(seed, count):
    random_ = random.Random(seed)
    lines = random_.choice(PAGES)
    for _ in range(count):
        lines = edited(lines, random_)
    data = "\n".join(lines).encode()
    reading = parse(data, "page.md")
    assert len(set(reading.problems)) == len(reading.problems)
    assert all(problem.lines and problem.message for problem in reading.problems)
    if reading.page is None:
        assert any(problem.severity == "error" for problem in reading.problems)
        return
    triples = to_view_graph(reading.page).lines
    assert to_pages(triples) == [reading.page]
    for triple in pyoxigraph.parse("\n".join(triples), pyoxigraph.RdfFormat.N_TRIPLES):
        assert IRI.fullmatch(str(triple.subject)), triple.subject
        assert IRI.fullmatch(str(triple.object)) or str(triple.object).startswith('"')
        if str(triple.object).endswith("#decimal>"):
            assert DECIMAL.match(str(triple.object)), triple.object
    quoted = {
        number
        for line in triples
        for first, last in QUOTED.findall(line)
        for number in range(int(first) + 1, int(last) + 1)
    }
    read = data.removeprefix(b"\xef\xbb\xbf").decode().split("\n")
    left = {number: line.rstrip("\r \t") for number, line in enumerate(read, 1) if number not in quoted}
    assert not {number: line for number, line in left.items() if not FURNITURE.fullmatch(line)}


@pytest.mark.parametrize(
    "number",
    [
        "1e400",
        "1e-400",
        "1e-99999999999999999999",
        "0.1000000000000000055",
        "3.14159265358979323846",
        "9007199254740993.0",
        "9007199254740993",
        "9" * 5000,
    ],
)
def test_a_number_that_would_become_another_number_is_unreadable(number):
    with pytest.raises(Unreadable):
        read_configuration(f'{{"a":{number}}}')


@pytest.mark.parametrize(
    ("number", "canonical"),
    [("0.1", "0.1"), ("1.50", "1.5"), ("1.0", "1"), ("-0.0", "0"), ("1E+2", "100"), ("5e-324", "5e-324")],
)
def test_a_number_that_a_double_holds_has_one_form(number, canonical):
    assert read_configuration(f'{{"a":{number}}}').canonical == f'{{"a":{canonical}}}'
