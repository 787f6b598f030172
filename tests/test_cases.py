"""Each case folder: the page, the graph and the problems that it gives, and the way back from the graph."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pyoxigraph
import pytest

from kg import sources
from kg.export import Format, serialize
from kg.mapping import to_view_graph
from kg.model import Reading
from kg.restoring import to_pages
from kg.sources.sota2 import FURNITURE
from kg.vocabulary import prefixes

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/*/page.md"))
TABLE = (CASES / "README.md").read_text(encoding="utf-8")
QUOTED = re.compile(r"/snapshot/[0-9a-f]+#line=([0-9]+),([0-9]+)>")


def read(folder: Path) -> Reading:
    return sources.parse((folder / "page.md").read_bytes(), "page.md")


def rows_of(heading: str) -> dict[str, list[str]]:
    """Return the rows of the table under a heading of the README, by their first cell."""
    section = TABLE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in section.splitlines() if line.startswith("| `")]
    return {cells[0].strip().strip("`"): [cell.strip() for cell in cells[1:]] for cells in rows}


@pytest.fixture(params=FOLDERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def folder(request) -> Path:
    return request.param


def test_a_case_gives_its_graph_and_its_problems(folder, golden):
    reading = read(folder)
    golden(folder / "problems.txt", "".join(f"{problem}\n" for problem in reading.problems))
    if reading.page is None:
        assert not (folder / "graph.ttl").exists(), "a page that is not read has no graph"
    else:
        lines = to_view_graph(reading.page).lines
        golden(folder / "graph.ttl", serialize(lines, Format.TTL, prefixes()).decode())


def test_the_golden_graph_holds_the_lines_of_the_page(folder):
    page = read(folder).page
    if page is None:
        return
    triples = pyoxigraph.parse((folder / "graph.ttl").read_bytes(), pyoxigraph.RdfFormat.TURTLE)
    assert {f"{quad.triple} ." for quad in triples} == {
        f"{quad.triple} ."
        for quad in pyoxigraph.parse("\n".join(to_view_graph(page).lines), pyoxigraph.RdfFormat.N_TRIPLES)
    }


def test_a_page_comes_back_from_its_graph(folder):
    page = read(folder).page
    assert to_pages(to_view_graph(page).lines if page else []) == ([page] if page else [])


def test_every_line_is_a_fact_furniture_or_a_problem(folder):
    reading = read(folder)
    assert reading.page or any(problem.severity == "error" for problem in reading.problems)
    if reading.page is None:
        return
    quoted = {
        number
        for line in to_view_graph(reading.page).lines
        for first, last in QUOTED.findall(line)
        for number in range(int(first) + 1, int(last) + 1)
    }
    lines = (folder / "page.md").read_bytes().removeprefix(b"\xef\xbb\xbf").decode(errors="replace").split("\n")
    left = {number: line for number, line in enumerate(lines, 1) if number not in quoted}
    assert not {number: line for number, line in left.items() if not FURNITURE.fullmatch(line.rstrip("\r"))}


def test_a_page_that_differs_from_the_clean_one_is_listed():
    assert list(rows_of("Cases")) == sorted(f"{path.parent.name}/{path.name}" for path in FOLDERS)


def test_no_two_cases_are_one_page():
    counts = Counter((path / "page.md").read_bytes() for path in FOLDERS)
    assert set(counts.values()) == {1}


def test_every_code_has_a_case_and_a_row():
    found = {}
    for problem in (problem for path in FOLDERS for problem in read(path).problems):
        assert found.setdefault(problem.code, problem.severity) == problem.severity, problem.code
    assert {code: cells[0] for code, cells in rows_of("Problems").items()} == found


def test_every_code_in_the_sources_has_a_row():
    codes = set()
    for module in (Path(sources.__file__).parent).glob("*.py"):
        for call in ast.walk(ast.parse(module.read_bytes())):
            if isinstance(call, ast.Call) and isinstance(call.args[0] if call.args else None, ast.Constant):
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                if name in {"error", "warning", "Problem"}:
                    codes.add(call.args[0].value)
    assert codes
    assert codes <= set(rows_of("Problems"))


def test_the_shared_pages_come_back_from_their_graphs(shared):
    read_from = [*(shared / "seeds").glob("*.txt"), *(shared / "cases").glob("*/input.md")]
    readings = {path: sources.parse(path.read_bytes(), path.name) for path in read_from}
    assert [path.parent.name for path, reading in readings.items() if reading.page is None] == [
        "22-hf-yaml-implicit-types"
    ]
    for path, reading in readings.items():
        if reading.page:
            assert to_pages(to_view_graph(reading.page).lines) == [reading.page], path


def test_our_copies_of_the_real_pages_keep_their_facts(shared, cases):
    """The copies differ from the originals in one line: the description, which is in our own words."""
    originals = sorted((shared / "seeds").glob("*.txt"))
    copies = [
        cases / "sota2" / name / "page.md" for name in ("out-of-distribution-detection", "selective-classification")
    ]
    for original, copy in zip(originals, copies, strict=True):
        pairs = zip(original.read_text().split("\n"), copy.read_text().split("\n"), strict=True)
        differing = [number for number, (one, other) in enumerate(pairs, 1) if one != other]
        assert differing == [sources.parse(copy.read_bytes(), copy.name).page.description.lines.first]
