"""The object that scripts hold: what it answers on the two real pages, and what it says when it cannot."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path

import networkx as nx
import pytest
from real_pages import REAL

import kg
from kg.errors import AmbiguousName, FetchError, Misuse, NothingRead, StoreError, UnknownName

FIRST = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"
SECOND = "selective-classification-on-imagenet-v2-original-test"


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("graph")
    with kg.build(REAL, store=folder / "kg-store") as graph:
        graph.export(folder / "graph.ttl")
        graph.export(folder / "graph.nq")
    return folder


@pytest.fixture(params=["memory", "store", "ttl", "nq"])
def graph(request, stored):
    """The same graph four ways: every answer must be the same."""
    if request.param == "memory":
        made = kg.build(REAL)
    else:
        made = kg.open(stored / {"store": "kg-store"}.get(request.param, f"graph.{request.param}"))
    with made:
        yield made


def test_a_leaderboard_is_typed_rows(graph):
    rows = graph.query("comparison/leaderboard", benchmark=FIRST, metric="Near-OOD AUROC")
    plf = {row.configuration: (row.rank, row.ranked, row.value) for row in rows if row.methodLabel == "PLF"}
    assert {key.rpartition(":")[2].strip('"}'): value for key, value in plf.items()} == {
        "OpenOOD Tuning (OpenImage-O)": (4, 5, Decimal("76.82")),
        "Proposed tuning without OOD data": (2, 5, Decimal("78.08")),
    }
    frame = rows.to_pandas()
    assert list(frame.columns) == list(rows.columns)
    assert frame["value"].sum() == sum(row.value for row in rows)


def test_a_comparison_is_signed_so_that_above_zero_is_better(graph):
    (there,) = graph.compare("PLF", "VRA")
    (back,) = graph.compare("VRA", "PLF")
    assert [pair.difference for pair in there.like] == [Decimal("-0.93"), Decimal("2.79")]
    assert [pair.difference for pair in back.like] == [Decimal("0.93"), Decimal("-2.79")]
    assert there.verdict == "comparable"
    assert any("origin-equals-reporting-everywhere" in caveat for caveat in there.caveats)


def test_a_method_beside_itself_differs_only_across_configurations(graph):
    (row,) = graph.query("comparison/configuration-effect", method="ASH")
    assert (row.difference, row.key) == (Decimal("0.05"), "/Tuning Method")
    (comparison,) = graph.compare("ASH", "ASH")
    assert (len(comparison.like), len(comparison.unlike)) == (0, 1)


def test_a_trace_names_row_section_snapshot_and_papers(graph):
    trace = graph.trace("699a67995698665ec4efe4ba")
    assert [(row.text, row.rowIndex) for row in trace.rows] == [("10.32", 8), ("10.32", None)]
    row = trace.rows[0]
    assert len(row.sha256) == 64
    assert str(row.codeRepository) == "https://github.com/hendrycks/error-detection"
    papers = [str(paper).rsplit("/", 1)[-1] for paper in (row.reportedIn, row.originPaper)]
    assert papers == ["68fa78a61e209131cea79954", "68fa64e41e209131cea0731a"]
    assert any(caveat.startswith("direction-in-doubt") for caveat in trace.caveats)


def test_a_leaderboard_without_a_page_says_so_and_what_is_known(graph):
    (board,) = graph.leaderboard(SECOND, "Metric N")
    assert (board.unit_text, board.direction_text, board.tables) == ("SCALAR", "Higher is better", ())
    assert "no page of this metric was read" in board.coverage
    (scored,) = graph.leaderboard(SECOND)
    assert any("Metric N" in caveat for caveat in scored.caveats)


def test_a_doubt_says_where_to_look(graph):
    (board,) = graph.leaderboard(SECOND)
    (doubt,) = [caveat for caveat in board.caveats if caveat.startswith("origin-papers-disagree")]
    lines = REAL[0].read_text().splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line == "### KNN")
    assert f"lines {first}-" in doubt
    assert f"of https://www.sota2.com/research/sota/{FIRST}" in doubt


@pytest.mark.parametrize(
    "name",
    [
        "Energy",
        "energy",
        "energy-04cc0b5c4a",
        "mth:energy-04cc0b5c4a",
        "<https://w3id.org/benchkg/id/sota2/method/energy-04cc0b5c4a>",
    ],
)
def test_a_node_is_found_by_each_of_its_names(graph, name):
    assert graph.find(name) == "https://w3id.org/benchkg/id/sota2/method/energy-04cc0b5c4a"


def test_a_name_of_several_lists_them_and_a_benchmark_narrows_it(graph):
    with pytest.raises(AmbiguousName, match="benchmark") as caught:
        graph.find("KNN")
    assert len(caught.value.candidates) == 2
    (comparison,) = graph.compare("PLF", "KNN", benchmark=FIRST)
    assert [pair.difference for pair in comparison.like] == [Decimal("5.72"), Decimal("6.6")]


@pytest.mark.parametrize(
    ("name", "parameters", "error", "said"),
    [
        (
            "comparison/leaderboard",
            {"benchmark": FIRST, "metric": "Metric A"},
            UnknownName,
            "no metric named 'Metric A'",
        ),
        (
            "comparison/leaderboard",
            {"benchmark": FIRST, "metric": "Near-OOD AUROK"},
            UnknownName,
            "did you mean 'Near-OOD AUROC'",
        ),
        ("comparison/leaderboard", {"benchmark": FIRST}, Misuse, "needs a value for 'metric'"),
        ("comparison/leaderboard", {"board": FIRST, "metric": "x"}, Misuse, "no parameter 'board'"),
        (
            "comparison/comparable-pairs",
            {"method": "https://nope.org/x", "other": "VRA"},
            UnknownName,
            "nope.org/x is no method",
        ),
        ("SELECT * WHERE { ?result a bk:Result }", {}, Misuse, "kg prefixes"),
        ("SELECT * WHERE {", {}, Misuse, "not well formed"),
        ("SELECT * FROM <file:///etc/passwd> WHERE { ?s ?p ?o }", {}, Misuse, "FROM"),
        ("SELECT * WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", {}, Misuse, "SERVICE"),
        ("INSERT DATA { <a:b> <a:b> <a:b> }", {}, Misuse, "INSERT"),
        ("provenance/inventroy", {}, UnknownName, "provenance/inventory"),
    ],
)
def test_a_question_that_cannot_be_asked_is_told_why(graph, name, parameters, error, said):
    with pytest.raises(error, match=said.replace("(", r"\(")):
        graph.query(name, **parameters)


def test_an_endpoint_that_fails_is_no_damaged_store(graph):
    with pytest.raises(FetchError, match="another endpoint"):
        graph.query("SELECT * WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", allow_service=True)


def test_the_rdflib_graph_has_every_triple_and_the_prefixes(graph):
    copy = graph.to_rdflib()
    assert len(copy) == len(graph) == graph.info()["triples"]
    assert dict(copy.namespaces())["res"].endswith("/sota2/result/")


@pytest.mark.parametrize(
    ("view", "kind"), [("everything", nx.MultiDiGraph), ("methods-benchmarks", nx.Graph), ("papers", nx.DiGraph)]
)
def test_views_are_plain_networkx(graph, view, kind):
    network = graph.to_networkx(view)
    assert type(network) is kind
    assert all(isinstance(node, str) and node.startswith("https://") for node in network)
    assert {type(value) for _, data in network.nodes(data=True) for value in data.values()} == {str}
    assert "".join(nx.generate_graphml(network))


def test_unknown_views_and_files_are_misuse(graph, tmp_path):
    with pytest.raises(Misuse, match="methods-benchmarks"):
        graph.to_networkx("fame")
    with pytest.raises(Misuse, match="docx"):
        graph.export(tmp_path / "graph.docx")
    with pytest.raises(StoreError):
        kg.open(tmp_path / "nowhere")
    with pytest.raises(Misuse):
        kg.open(tmp_path / "nowhere.ttl")


def test_graph_and_report_are_short_in_words(graph):
    assert repr(graph) == f"<KnowledgeGraph: 2 pages, 21 results, {len(graph)} triples>"
    assert len(repr(kg.build(REAL).report)) < 200


def test_without_pandas_the_extra_is_named(graph, monkeypatch):
    rows = graph.query("provenance/inventory")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(Misuse, match=r"benchkg\[pandas\]"):
        rows.to_pandas()


def test_nothing_stored_leaves_no_folder(tmp_path):
    page = tmp_path / "no-page.md"
    page.write_text("# Notes\n")
    with pytest.raises(NothingRead):
        kg.build([page], store=tmp_path / "kg-store")
    assert not (tmp_path / "kg-store").exists()


def test_a_store_below_a_folder_of_pages_is_not_read_as_pages(tmp_path):
    (tmp_path / "page.md").write_bytes(REAL[0].read_bytes())
    kg.build([tmp_path], store=tmp_path / "kg-store").close()
    with kg.build([tmp_path], store=tmp_path / "kg-store") as again:
        assert again.report.skipped == ()
        assert len(again.report.update.unchanged) == 1


def test_a_name_that_ends_like_an_iri_in_brackets_is_found_by_name(tmp_path):
    page = Path(__file__).parent / "cases" / "sota2" / "clean" / "page.md"
    (tmp_path / "page.md").write_text(page.read_text(encoding="utf-8").replace("Birch", "Ours <b>"), encoding="utf-8")
    with kg.build([tmp_path / "page.md"]) as graph:
        assert graph.find("Ours <b>").rpartition("/")[2].startswith("ours-b-")
        assert graph.find(f"<{graph.find('Ours <b>')}>") == graph.find("Ours <b>")
