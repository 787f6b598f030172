"""The odd pages and questions handed to the project, each under its own name, and what holds of each kind of fault."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import networkx as nx
import pyoxigraph
import pytest
import rdflib
from rdflib.compare import isomorphic

import kg
from kg import analysis
from kg.comparison import Leaderboard, Standing
from kg.errors import Misuse
from kg.vocabulary import BK

METRIC = "Macro F1"
VALUES = "PREFIX bk: <https://w3id.org/benchkg/ns#> SELECT ?value { ?score bk:value ?value } ORDER BY DESC(?value)"


def page(shared: Path, name: str) -> Path:
    (found,) = (shared / "cases").glob(f"{name}-*/input.md")
    return found


def built(shared: Path, name: str) -> kg.KnowledgeGraph:
    return kg.build([page(shared, name)])


def board(graph: kg.KnowledgeGraph, name: str = "corrosion-grading-on-rustplates-2-val") -> Leaderboard:
    (found,) = graph.leaderboard(name, METRIC)
    return found


def standings(graph: kg.KnowledgeGraph) -> list[Standing]:
    return [standing for table in board(graph).tables for standing in table.standings]


def codes(graph: kg.KnowledgeGraph) -> list[str]:
    assert graph.report
    return [problem.code for problem in graph.report.problems]


def run(folder: Path, *words: object, seed: str = "0") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kg", *map(str, words)]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def exported(graph: kg.KnowledgeGraph, folder: Path) -> rdflib.Graph:
    """Return the graph as its Turtle gives it to rdflib; a strict reader must take that too."""
    graph.export(folder / "graph.ttl")
    assert list(pyoxigraph.parse(path=folder / "graph.ttl"))
    return rdflib.Graph().parse(folder / "graph.ttl")


def test_00_control(shared):
    graph = built(shared, "00")
    info = graph.info()
    assert (info["results"], info["methods"], info["metrics"], info["papers"]) == (4, 3, 2, 3)
    assert {standing.method_label for standing in standings(graph)} == {"Larch", "Quill", "Tern"}
    assert codes(graph) == []
    assert not graph.validate().report.findings


def test_01_pipe_in_method(shared, tmp_path):
    graph = built(shared, "01")
    assert codes(graph) == []
    assert len(standings(graph)) == 4
    first = next(standing for standing in standings(graph) if standing.value == Decimal("84.6"))
    control = next(standing for standing in standings(built(shared, "00")) if standing.value == Decimal("84.6"))
    assert (first.method_label, first.result_date, first.reported_in) == ("Larch|Adapter", None, control.reported_in)
    labels = set(graph.to_rdflib().objects(None, rdflib.RDFS.label))
    again = exported(graph, tmp_path)
    assert rdflib.Literal("Larch|Adapter") in labels == set(again.objects(None, rdflib.RDFS.label))


def test_03_plus_minus_value(shared):
    graph = built(shared, "03")
    ranked = [standing for standing in standings(graph) if standing.method_label == "Larch"]
    (first,) = [standing for standing in ranked if standing.spread is not None]
    assert (first.rank, first.value, first.spread) == (1, Decimal("84.6"), Decimal("0.35"))
    assert first.value_text == "84.6 ± 0.35"
    assert len(standings(graph)) == 4
    assert {type(row.value) for row in graph.query(VALUES)} == {Decimal}
    assert codes(graph) == []


def test_05_conflicting_rows_same_method(shared, tmp_path):
    graph = built(shared, "05")
    found = standings(graph)
    assert len(found) == 5
    quills = {standing.identifier: standing.value for standing in found if standing.method_label == "Quill"}
    assert sorted(value for value in quills.values() if value) == [Decimal("18.2"), Decimal("81.2")]
    assert all(standing.rank for standing in found)
    (row,) = graph.query("quality/conflicting-scores")
    assert {row.identifier, row.otherIdentifier} == quills.keys()
    assert row.methodLabel == "Quill"
    graph.export(tmp_path / "graph.ttl")
    told = run(tmp_path, "validate", "graph.ttl")
    (warning,) = [line for line in told.stdout.splitlines() if "quality/conflicting-scores" in line]
    assert all(identifier in warning for identifier in quills)


def test_07_slug_collision_names(shared, tmp_path):
    graph = built(shared, "07")
    methods = {standing.method: standing.method_label for standing in standings(graph)}
    assert sorted(methods.values()) == sorted(["KNN", "Δ-KNN", "Γ-KNN", "knn"])
    assert len({method.casefold() for method in methods}) == len(standings(graph)) == 4
    lines = page(shared, "07").read_text(encoding="utf-8").split("\n")
    rows = [number for number, line in enumerate(lines) if line.endswith("a499f4ee865ab8146bea7d72 |")]
    assert len(rows) == 4
    for turned in (rows[::-1], [*rows[2:], *rows[:2]]):
        moved = {number: lines[other] for number, other in zip(rows, turned, strict=True)}
        text = "\n".join(moved.get(number, line) for number, line in enumerate(lines))
        (tmp_path / "page.md").write_text(text, encoding="utf-8")
        shuffled = kg.build([tmp_path / "page.md"])
        assert {standing.method: standing.method_label for standing in standings(shuffled)} == methods


def test_09_iri_hostile_names(shared, tmp_path):
    graph = built(shared, "09")
    labels = {standing.method_label for standing in standings(graph)}
    assert {'Prompt{K=4}^T "fast" <v2>', "Tern v2."} < labels
    again = exported(graph, tmp_path)
    assert isomorphic(kg.open(tmp_path / "graph.ttl").to_rdflib(), graph.to_rdflib())
    assert {rdflib.Literal(label) for label in labels} <= set(again.objects(None, rdflib.RDFS.label))
    nodes = {node for triple in again for node in triple if isinstance(node, rdflib.URIRef)}
    assert not [node for node in nodes if set(node) & set('{}^"<> ')]


def test_12_nan_value(shared, tmp_path):
    graph = built(shared, "12")
    (quill,) = [standing for standing in standings(graph) if standing.method_label == "Quill"]
    assert (quill.rank, quill.value, quill.value_text) == (None, None, "NaN")
    assert sorted(codes(graph)) == ["unreadable-configuration", "value-not-a-number"]
    assert [row.value for row in graph.query(VALUES)] == [Decimal("84.6"), Decimal("83.95"), Decimal("79.05")]
    exported(graph, tmp_path)
    assert '"NaN"^^' not in (tmp_path / "graph.ttl").read_text(encoding="utf-8")
    run(tmp_path, "build", page(shared, "12"), "-q")
    said = run(tmp_path, "leaderboard", "corrosion-grading-on-rustplates-2-val", "-f", "json")
    assert said.returncode == 0

    def refuse(constant: str) -> object:
        raise AssertionError(constant)

    assert json.loads(said.stdout, parse_constant=refuse)


def test_13_partial_page(shared, tmp_path):
    graph = built(shared, "13")
    assert codes(graph) == ["incomplete-page"]
    found = board(graph)
    assert (found.loaded, found.total, found.pages_read, found.page_count) == (4, 37, 1, 10)
    assert found.coverage == "4 of 37 recorded results; 1 of 10 pages read; not a claim about the world"
    assert any(caveat.startswith("leaderboards-incomplete") for caveat in found.caveats)
    (snapshot,) = graph.query(
        "PREFIX bk: <https://w3id.org/benchkg/ns#> SELECT ?page ?of "
        "{ ?snapshot bk:pageNumber ?page ; bk:pageCount ?of } ORDER BY ?page ?of"
    )
    assert tuple(snapshot) == (1, 10)
    said = run(tmp_path, "build", page(shared, "13"))
    assert (said.returncode, "4 of 37 results (page 1 of 10)" in said.stderr) == (0, True)
    best = run(tmp_path, "query", "comparison/best-of-every-benchmark", "-f", "csv")
    assert best.stderr.endswith(" has 4 of 37 recorded results; 1 of 10 pages.\n")


def test_15_partial_and_impossible_dates(shared):
    graph = built(shared, "15")
    dates = {
        str(value): value.datatype for value in graph.to_rdflib().objects(None, rdflib.URIRef(BK.resultDate[1:-1]))
    }
    types = rdflib.XSD
    assert dates == {"2023": types.gYear, "2023-05": types.gYearMonth, "2024-11-08": types.date}
    assert codes(graph) == ["bad-date"]
    assert len(standings(graph)) == 4
    rows = graph.query(
        "PREFIX bk: <https://w3id.org/benchkg/ns#> SELECT ?date { ?result bk:resultDate ?date } ORDER BY ?date"
    )
    assert len(rows) == 3
    (text,) = graph.to_rdflib().objects(None, rdflib.URIRef(BK.resultDateText[1:-1]))
    assert str(text) == "2026-02-30"
    later = graph.query(
        "PREFIX bk: <https://w3id.org/benchkg/ns#> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
        'SELECT ?date { ?result bk:resultDate ?date FILTER(?date > "2024-01-01"^^xsd:date) } ORDER BY ?date'
    )
    assert "2024-11-08" in {str(row.date) for row in later}


def test_18_decimal_forms(shared, tmp_path):
    graph = built(shared, "18")
    assert codes(graph) == []
    assert not graph.validate().report.findings
    again = exported(graph, tmp_path)
    values = set(again.objects(None, rdflib.URIRef(BK.value[1:-1])))
    assert {value.toPython() for value in values} == {
        Decimal(text) for text in ("84.6", "83.95", "81.2", "0.000000123456789")
    }
    assert {value.datatype for value in values} == {rdflib.XSD.decimal}
    assert len(values) == 4
    assert " 0.000000123456789 " in (tmp_path / "graph.ttl").read_text(encoding="utf-8")


def test_24_same_page_twice(shared, tmp_path):
    pages = [page(shared, "24"), *sorted((shared / "seeds").glob("*.txt"))]
    texts = set()
    for number, order in enumerate([pages, pages[::-1]]):
        made = run(tmp_path, "build", *order, "--store", f"s{number}", "-o", f"{number}.ttl", "-q", seed=str(number))
        assert made.returncode == 0, made.stderr
        texts.add((tmp_path / f"{number}.ttl").read_bytes())
    assert len(texts) == 1
    again = run(tmp_path, "build", page(shared, "24"), "--store", "s0", "-o", "again.ttl")
    assert "1 unchanged" in again.stderr
    assert (tmp_path / "again.ttl").read_bytes() in texts
    lines = page(shared, "24").read_text(encoding="utf-8").split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("| Larch "))
    first = next(number for number, line in enumerate(lines) if line.startswith("### Larch"))
    last = next(number for number, line in enumerate(lines[first + 1 :], first + 1) if line.startswith("### "))
    (old,) = re.findall(r"Result ID: ([0-9a-f]{24})", "\n".join(lines[first:last]))
    section = [line.replace(old, "f" * 24).replace("Larch", "Alder", 1) for line in lines[first:last]]
    grown = [*lines[:at], lines[at].replace("Larch", "Alder", 1), *lines[at:first], *section, *lines[first:]]
    (tmp_path / "grown.md").write_text("\n".join(grown).replace("4 of 4", "5 of 5"), encoding="utf-8")
    before, after = (set(kg.build([each]).to_rdflib()) for each in (page(shared, "24"), tmp_path / "grown.md"))
    assert len(after) > len(before)
    lost = [triple for triple in before - after if not any("/snapshot/" in str(node) for node in triple)]
    assert not lost, "of what was there only the snapshot and its quotations change"


def test_27_empty_board_passes_validation(shared, tmp_path):
    graph = built(shared, "27")
    info = graph.info()
    assert (info["benchmarks"], info["metrics"], info["results"]) == (1, 2, 0)
    report = graph.validate().report
    assert report.conforms
    assert {"result", "score", "method"} <= set(report.without_target)
    assert not report.focus_counts.get("result")
    assert run(tmp_path, "build", page(shared, "27"), "-q").returncode == 0
    told = run(tmp_path, "validate")
    assert (told.returncode, "found nothing to check: " in told.stdout) == (0, True)
    assert run(tmp_path, "validate", "--strict").returncode == 1
    (tmp_path / "odd.ttl").write_text(
        "@prefix bk: <https://w3id.org/benchkg/ns#> . <https://example.org/r> a bk:Resutl .", encoding="utf-8"
    )
    odd = run(tmp_path, "validate", "odd.ttl")
    assert "https://w3id.org/benchkg/ns#Resutl" in odd.stdout
    assert run(tmp_path, "validate", "odd.ttl", "--strict").returncode == 1


def test_32_slow_queries(shared, tmp_path):
    (found,) = (shared / "cases").glob("32-*/input.json")
    given = json.loads(found.read_text(encoding="utf-8"))
    assert run(tmp_path, "build", found.parent / given["graph"], "-q").returncode == 0
    limit, grace = given["limit_seconds"], 10
    ends = []
    for slow in given["slow"]:
        (tmp_path / "slow.rq").write_text(slow["query"], encoding="utf-8")
        began = time.monotonic()
        said = run(tmp_path, "query", "slow.rq", "--time-limit", limit)  # the work ends with the process
        assert time.monotonic() - began < limit + grace
        assert said.returncode == 0 or f"no answer within {limit} s" in said.stderr, said.stderr
        ends.append(said.returncode)
    assert set(ends) <= {0, 2}
    assert ends[0] == 2, "nothing answers the first in time"
    (tmp_path / "then.rq").write_text(given["then"]["query"], encoding="utf-8")
    then = run(tmp_path, "query", "then.rq", "--time-limit", grace)
    assert (then.returncode, then.stdout) == (0, "true\n")


def test_28_order_and_filter_over_mixed_values(shared):
    graph = built(shared, "28")
    asked = json.loads((page(shared, "28").parent / "questions.json").read_text(encoding="utf-8"))["questions"]
    answers = {question["ask"]: question["answer"] for question in asked}
    numbers = [row.value for row in graph.query(VALUES)]
    assert [str(number) for number in numbers] == answers["results by value, best first"]
    (counted,) = graph.query(
        "PREFIX bk: <https://w3id.org/benchkg/ns#> SELECT (AVG(?value) AS ?mean) (MAX(?value) AS ?most) "
        "{ ?score bk:value ?value }"
    )
    assert counted.mean == Decimal(answers["mean value"])
    assert counted.most == Decimal(answers["maximum value"])
    above = graph.query(VALUES.replace("}", "FILTER(?value > 10) }"))
    assert [str(row.value) for row in above] == answers["results with value above 10"]
    (tern,) = [standing for standing in standings(graph) if standing.method_label == "Tern"]
    assert (tern.rank, tern.value, tern.unranked) == (None, None, "no single number")
    assert codes(graph) == ["value-not-a-number"]


def test_30_endpoint_reads_files_and_calls_out(shared, tmp_path):
    asked: list[str] = []

    class Counting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_POST = do_GET  # noqa: N815 - the name that the library calls

    (tmp_path / "secret.ttl").write_text('<x:s> <x:p> "CANARY" .', encoding="utf-8")
    (found,) = (shared / "cases").glob("30-*/input.json")
    given = json.loads(found.read_text(encoding="utf-8"))
    graph = kg.build([found.parent / given["graph"]])
    with ThreadingHTTPServer(("127.0.0.1", 0), Counting) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        queries = [request["query"] for request in given["requests"] if "query" in request]
        assert len(queries) == 6
        for query in queries:
            text = query.replace("{TMP}", str(tmp_path)).replace("{PORT}", str(server.server_port))
            clause = "SERVICE" if "SERVICE" in text else "FROM"
            with pytest.raises(Misuse, match=clause) as refused:
                graph.query(text)
            assert "CANARY" not in str(refused.value)
        server.shutdown()
    assert asked == []


def test_40_networkx_view_and_graphml(shared, tmp_path):
    graph = built(shared, "40")
    view = graph.to_networkx("everything")
    tern = next(node for node, label in view.nodes(data="label") if label == "Tern")
    paper = next(iter(view.successors(tern)))
    results = [node for node in view.predecessors(tern) if view.nodes[node]["kind"] == "Result"]
    assert set(view[tern][paper]) == {"originPaper"}
    assert [set(view[node][paper]) for node in results] == [{"reportedIn"}]
    assert all(node.startswith("https://") for node in view)
    equal = [standing.result for standing in standings(graph) if standing.value == Decimal("81.2")]
    one, other = (next(node for node in view[result] if view.nodes[node]["kind"] == "Score") for result in equal)
    common = set(nx.all_neighbors(view, one)) & set(nx.all_neighbors(view, other))
    assert {view.nodes[node]["kind"] for node in common} == {"ComparisonGroup", "Metric"}
    for suffix, read in (("graphml", nx.read_graphml), ("gexf", nx.read_gexf)):
        analysis.write_graph(view, tmp_path / f"graph.{suffix}")
        assert set(read(tmp_path / f"graph.{suffix}")) == set(view)
