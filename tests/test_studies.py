"""The studies of docs/analysis.md print what stands there, and find things, or say why not, on other pages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import kg
from kg import analysis
from kg.measuring import MEASURES
from tests.benchmarks.pages import write_pages

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs/analysis.md"
STUDIES = sorted((ROOT / "docs/studies").glob("*.py"))
SEEDS = ("out-of-distribution-detection", "selective-classification")
NOTHING = {
    "claims": ("unknown-direction", "Nothing found: it takes a paper"),
    "next_runs": ("configuration-unknown-keys", "Nothing found: no single run settles a pair."),
    "re_evaluated": ("out-of-distribution-detection", "Nothing found: no paper reports a method of another."),
}


@pytest.fixture(scope="module")
def graphs(tmp_path_factory, cases) -> dict[str, Path]:
    """RDF files of the real pages, of made ones, and of pages on which a study finds nothing."""
    folder = tmp_path_factory.mktemp("graphs")
    write_pages(folder / "pages", 40)
    pages = {"real": [cases / "sota2" / name for name in SEEDS], "made": [folder / "pages"]}
    pages |= {name: [cases / "sota2" / name] for name, _ in NOTHING.values()}
    for name, its in pages.items():
        with kg.build(its) as graph:
            graph.export(folder / f"{name}.ttl")
    return {name: folder / f"{name}.ttl" for name in pages}


def printed(study: Path, graph: Path) -> str:
    command = [sys.executable, study, graph]
    done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_three_and_none_is_long():
    assert [study.stem for study in STUDIES] == ["claims", "next_runs", "re_evaluated"]
    assert all(len(study.read_text().splitlines()) < 40 for study in STUDIES)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.stem)
def test_a_study_prints_what_stands_in_its_document(study, graphs, request):
    found = printed(study, graphs["real"])
    text = DOCUMENT.read_text(encoding="utf-8")
    head, tail = text.split(f"python docs/studies/{study.name} kg-store\n```\n\n```text\n")
    stands, mark, rest = tail.partition("```\n")
    if request.config.getoption("--rewrite-goldens"):
        told = f"python docs/studies/{study.name} kg-store\n```\n\n```text\n"
        DOCUMENT.write_text(head + told + found + mark + rest, encoding="utf-8")
    else:
        assert found == stands


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.stem)
def test_a_study_of_made_pages(study, graphs, golden):
    golden(ROOT / "tests/studies" / f"{study.stem}.txt", printed(study, graphs["made"]))


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.stem)
def test_a_study_that_finds_nothing_names_the_field(study, graphs):
    case, said = NOTHING[study.stem]
    found = printed(study, graphs[case])
    assert said in found
    fields = {"claims": "Method origin paper", "next_runs": "Recorded evaluation configuration"}
    assert fields.get(study.stem, "Reporting paper and Method origin paper") in found


@pytest.mark.parametrize("measure", MEASURES)
def test_the_columns_of_each_measure_are_those_in_its_document(measure, graphs):
    sections = DOCUMENT.read_text(encoding="utf-8").split("\n## Measures\n")[1].split("\n## ")[0].split("\n### ")[1:]
    (section,) = (each for each in sections if measure in each.split("\n")[0].split(", "))
    command = [sys.executable, "-m", "kg", "analyse", measure, "-f", "csv", "--store", graphs["real"]]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert re.findall(r"```csv\n(.*)\n```", section) == [done.stdout.splitlines()[0]]


def test_every_view_and_attribute_is_in_the_document(graphs):
    text = DOCUMENT.read_text(encoding="utf-8").split("\n## Views\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \|", text, re.MULTILINE)
    with kg.open(graphs["real"]) as graph:
        made = {view: type(graph.to_networkx(view)).__name__ for view in analysis.VIEWS}
        attributes = {name for *_, data in graph.to_networkx("beats").edges(data=True) for name in data}
    assert dict(rows) == made
    table = text.split("| attribute | meaning |")[1]
    described = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)))
    assert set(described) == attributes
