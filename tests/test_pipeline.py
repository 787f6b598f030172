"""From pages to a store: the counts of the real pages, what is kept out, and the same bytes however it is done."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pyoxigraph
import pytest
from real_pages import CASES, COUNTS, REAL

import kg
from kg.errors import Misuse, NothingRead
from kg.pipeline import view_of
from kg.vocabulary import BK

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def real() -> kg.KnowledgeGraph:
    return kg.build(REAL)


def case(name: str) -> Path:
    return CASES / name / "page.md"


def test_the_two_real_pages_give_exactly_these_counts(real):
    info = real.info()
    assert info.pop("triples") == len(real) == len(real.to_rdflib())
    assert info == COUNTS
    assert not real.report.problems
    assert real.report.exit_code == 0


def test_the_shared_originals_give_the_same_counts(shared):
    info = kg.build([shared / "seeds"]).info()
    assert {kind: info[kind] for kind in COUNTS} == COUNTS


def test_the_written_out_example_is_part_of_the_graph(shared):
    triples = set(kg.build([shared / "seeds"]).to_rdflib())
    example = {
        (quad.subject.value, quad.predicate.value, getattr(quad.object, "value", ""))
        for quad in pyoxigraph.parse(path=shared / "design-example.ttl")
    }
    assert len(example) > 100
    assert example <= {(str(s), str(p), str(o)) for s, p, o in triples}


def test_claims_labels_and_repairs_of_the_real_pages(real):
    rows = real.query(
        """PREFIX bk: <https://w3id.org/benchkg/ns#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        SELECT ?own ?others ?names ?repaired ?tests ?scored {
          { SELECT (COUNT(*) AS ?own) { ?result bk:claim bk:OwnMethod } }
          { SELECT (COUNT(*) AS ?others) { ?result bk:claim bk:OthersMethod } }
          { SELECT (COUNT(DISTINCT ?name) AS ?names) { ?method a bk:Method ; rdfs:label ?name } }
          { SELECT (COUNT(*) AS ?repaired) { ?implementation bk:urlRepair bk:SiteHostRemoved } }
          { SELECT (COUNT(*) AS ?tests) { ?dataset bk:split bk:TestSplit } }
          { SELECT (COUNT(DISTINCT ?metric) AS ?scored) { ?score a bk:Score ; bk:metric ?metric } }
        }"""
    )
    assert rows[0] == (14, 7, 15, 1, 2, 2)


def test_no_node_is_blank(real):
    assert not real.query("ASK { ?subject ?property ?value FILTER(isBlank(?subject) || isBlank(?value)) }")


@pytest.mark.parametrize(
    ("name", "said"),
    [("result-id-no-token", "24 hexadecimal digits"), ("paper-of-another-site", "24 hexadecimal digits")],
)
def test_a_result_that_violates_a_shape_is_kept_out_alone_and_named(name, said):
    whole, outcome = (view_of(case(each).read_bytes(), each) for each in ("clean", name))
    (problem,) = [problem for problem in outcome.problems if problem.code == "shape-violation"]
    assert said in problem.message
    assert "the result '" in problem.message
    assert problem.text.count("\n") >= 5, "the lines of the section and the row stay with the problem"
    results = [sum(f"type> {BK.Result} ." in line for line in it.view.lines) for it in (whole, outcome)]
    assert results[1] == results[0] - 1


def test_a_violation_on_the_page_keeps_out_the_page_and_no_other(tmp_path):
    bad = tmp_path / "bad.md"
    bad.write_bytes(case("clean").read_bytes().replace(b"| Task | ", b"| Taskless | "))
    graph = kg.build([bad, *REAL])
    assert graph.report.exit_code == 1
    assert {problem.file for problem in graph.report.errors} == {str(bad)}
    assert graph.info()["pages"] == 2


def test_files_in_a_folder_that_are_no_pages_are_passed_over(tmp_path):
    shutil.copy(REAL[0], tmp_path / "a.md")
    (tmp_path / "README.md").write_text("# Notes\n")
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    graph = kg.build([tmp_path])
    assert len(graph.report.skipped) == 2
    assert graph.report.exit_code == 0


def test_a_file_that_was_named_and_is_no_page_is_an_error(tmp_path):
    other = tmp_path / "README.md"
    other.write_text("# Notes\n")
    graph = kg.build([other, REAL[0]])
    assert [problem.code for problem in graph.report.errors] == ["not-a-benchmark-page"]
    assert graph.report.exit_code == 1
    with pytest.raises(NothingRead):
        kg.build([other])


@pytest.mark.parametrize("source", ["no-such.md", "no-such-*.md", "ftp://example.org/x.md", "a\0b", "x" * 5000])
def test_a_source_that_does_not_exist_is_misuse(source):
    with pytest.raises(Misuse):
        kg.build([source])


def test_a_second_metric_changes_nothing_of_the_first_and_adds_scores(real):
    both = kg.build([*REAL, case("far-ood-auroc")])
    one, other = real.info(), both.info()
    assert (other["results"], other["scores"] - one["scores"]) == (one["results"], 10)
    assert other["methods"] == one["methods"]
    board = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"
    for name in ("comparison/leaderboard", "comparison/rank-by-configuration"):
        rows = [graph.query(name, benchmark=board, metric="Near-OOD AUROC").terms for graph in (real, both)]
        assert rows[0] == rows[1]
        assert rows[0]


def built(folder: Path, seed: str, sources: list[Path], *options: str) -> tuple[bytes, bytes]:
    """Build in a process of its own and return the Turtle and the N-Quads."""
    command = [sys.executable, "-m", "kg", "build", *map(str, sources), "--store", str(folder / "store"), *options]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    for target in ("graph.ttl", "graph.nq"):
        subprocess.run([*command, "-q", "-o", str(folder / target)], check=True, env=environment)
    return (folder / "graph.ttl").read_bytes(), (folder / "graph.nq").read_bytes()


def test_hash_seed_order_and_workers_change_no_byte(tmp_path):
    pages = [*REAL, case("far-ood-auroc"), case("clean"), case("nested-configuration")]
    ways = [("1", pages, ()), ("2", pages[::-1], ("--workers", "2")), ("3", pages[2:] + pages[:2], ("--workers", "3"))]
    made = []
    for number, (seed, order, options) in enumerate(ways):
        folder = tmp_path / str(number)
        folder.mkdir()
        made.append(built(folder, seed, order, *options))
    assert made[0] == made[1] == made[2]
    turtle = {str(triple) for triple in pyoxigraph.parse(made[0][0], pyoxigraph.RdfFormat.TURTLE)}
    quads = pyoxigraph.parse(made[0][1], pyoxigraph.RdfFormat.N_QUADS)
    assert turtle == {str(quad) for quad in quads if quad.graph_name == pyoxigraph.DefaultGraph()}


@pytest.mark.parametrize(("pages", "several"), [(2, False), (64, True)])
def test_many_pages_of_one_folder_are_read_by_several_processes(tmp_path, monkeypatch, pages, several):
    class Asked(Exception):
        pass

    def pool(*_: object, **__: object) -> None:
        raise Asked

    monkeypatch.setattr("kg.readers.ProcessPoolExecutor", pool)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for number in range(pages):
        (tmp_path / f"{number}.md").write_bytes(REAL[0].read_bytes() if pages == 2 else b"")
    with pytest.raises(Asked) if several else nullcontext():
        kg.build([tmp_path], workers=0)
