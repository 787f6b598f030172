"""Views keep every relation and no literal, measures are right on small graphs, and every exporter takes a view."""

from __future__ import annotations

import io
import itertools
import json
import warnings
import xml.etree.ElementTree as ET

import networkx as nx
import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

import kg
from kg import analysis, resources, sources
from kg.errors import Misuse
from kg.mapping import to_view_graph
from kg.terms import lexical, literal
from kg.vocabulary import BK, DCT, DEFAULT_BASE, MLS, RDF, RDFS, XSD, Vocabulary

VIEWS = sorted(analysis.VIEWS)
EX = Vocabulary("https://example.org/", "alder birch board hazel originPaper p1 p2 p3")


def store_of(*pages: bytes) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    for data in pages:
        lines = to_view_graph(sources.parse(data, "page.md").page, DEFAULT_BASE).lines
        store.load("\n".join(lines).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    return store


def view_of(name: str, store: pyoxigraph.Store) -> nx.Graph:
    query = (resources.directory("queries") / "graph" / f"{name}.rq").read_text()
    return analysis.view(name, (tuple(map(str, triple)) for triple in store.query(query)))


def edge(node: str, source: str, target: str, weight: str) -> list[tuple[str, str, str]]:
    parts = (RDF.subject, source), (RDF.predicate, BK.originPaper), (RDF.object, target), (RDF.value, weight)
    return [(f"_:{node}", predicate, value) for predicate, value in parts]


@pytest.fixture(scope="module")
def equal_values(cases) -> pyoxigraph.Store:
    return store_of((cases / "sota2/equal-values/page.md").read_bytes())


@pytest.fixture(scope="module")
def real_pages(cases) -> pyoxigraph.Store:
    names = "out-of-distribution-detection", "selective-classification"
    return store_of(*((cases / "sota2" / name / "page.md").read_bytes() for name in names))


def test_two_relations_between_two_nodes_both_survive(equal_values):
    graph = view_of("everything", equal_values)
    hazel = next(node for node, label in graph.nodes(data="label") if label == "Hazel")
    result = next(node for node in graph.predecessors(hazel) if graph.nodes[node]["kind"] == "Result")
    paper = next(graph.successors(hazel))
    assert set(graph[hazel][paper]) == {"originPaper"}
    assert set(graph[result][paper]) == {"reportedIn"}
    both = analysis.view("everything", [(EX.hazel, BK.originPaper, EX.p1), (EX.hazel, BK.reportedIn, EX.p1)])
    assert set(both[lexical(EX.hazel)][lexical(EX.p1)]) == {"originPaper", "reportedIn"}


def test_one_name_in_two_vocabularies_is_two_relations():
    graph = analysis.view("everything", [(EX.hazel, BK.originPaper, EX.p1), (EX.hazel, EX.originPaper, EX.p1)])
    assert graph.number_of_edges() == 2


def test_no_relation_between_nodes_is_lost(equal_values):
    query = (resources.directory("queries") / "graph" / "everything.rq").read_text()
    triples = [tuple(map(str, triple)) for triple in equal_values.query(query)]
    relations = {triple for triple in triples if triple[2].startswith("<") and triple[1] != RDF.type}
    graph = analysis.view("everything", triples)
    assert graph.number_of_edges() == len(relations) > 0


def test_equal_values_connect_nothing(equal_values):
    graph = view_of("everything", equal_values)
    assert all(node.startswith("https://") for node in graph)
    scores = [node for node, kind in graph.nodes(data="kind") if kind == "Score"]
    assert len(scores) == 4
    assert not [
        pair for pair in itertools.combinations(scores, 2) if graph.has_edge(*pair) or graph.has_edge(*pair[::-1])
    ]


def test_a_literal_is_no_node_even_where_the_query_gives_it():
    graph = analysis.view(
        "everything",
        [
            (EX.alder, BK.valueText, literal("81.2")),
            (EX.birch, BK.valueText, literal("81.2")),
            (EX.alder, RDFS.label, literal("Alder")),
            (EX.alder, RDF.type, MLS.Algorithm),
            (EX.alder, RDF.type, BK.Method),
            (EX.alder, DCT.isPartOf, EX.board),
        ],
    )
    assert dict(graph.nodes(data=True)) == {
        lexical(EX.alder): {"label": "Alder", "kind": "Method"},
        lexical(EX.board): {"label": "board", "kind": ""},
    }


def test_the_real_pages_as_methods_and_benchmarks(real_pages):
    graph = view_of("methods-benchmarks", real_pages)
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    assert (kinds.count("Method"), kinds.count("Benchmark"), len(kinds)) == (16, 2, 18)
    assert sorted(weight for *_, weight in graph.edges(data="weight")) == [1] * 11 + [2] * 5
    assert nx.is_bipartite(graph)
    assert [row.value for row in analysis.measure("components", graph)] == [1] * 12 + [2] * 6
    assert [(row.kind, row.value) for row in analysis.measure("degree", graph)][:3] == [
        ("Benchmark", 11),
        ("Benchmark", 5),
        ("Method", 1),
    ]


def test_the_real_pages_as_papers(real_pages):
    graph = view_of("papers", real_pages)
    assert len(graph) == 9
    loops = {source: weight for source, target, weight in graph.edges(data="weight") if source == target}
    assert sorted(loops.values()) == [4, 10]
    others = [(source, weight) for source, target, weight in graph.edges(data="weight") if source != target]
    assert len(others) == 7
    assert {weight for _, weight in others} == {1}
    assert {source for source, _ in others} == {max(loops, key=lambda node: node.endswith("68fa78a61e209131cea79954"))}


def test_an_edge_to_itself_counts_in_no_measure():
    apart = [*edge("a", EX.p1, EX.p2, literal("2", XSD.integer)), *edge("b", EX.p3, EX.p2, literal("1", XSD.integer))]
    with_loop = [*apart, *edge("c", EX.p1, EX.p1, literal("9", XSD.integer))]
    for name in analysis.MEASURES:
        one, other = (analysis.measure(name, analysis.view("papers", it)) for it in (with_loop, apart))
        assert list(one) == list(other)


def test_weights_are_plain_numbers():
    graph = analysis.view(
        "papers",
        [*edge("a", EX.p1, EX.p2, literal("2", XSD.integer)), *edge("b", EX.p1, EX.p3, literal("0.5", XSD.decimal))],
    )
    assert [(type(weight), weight) for *_, weight in graph.edges(data="weight")] == [(int, 2), (float, 0.5)]


def test_measures_by_hand():
    path = analysis.view(
        "papers",
        [*edge("a", EX.p1, EX.p3, literal("1", XSD.integer)), *edge("b", EX.p2, EX.p3, literal("1", XSD.integer))],
    )
    assert [(row.label, row.value) for row in analysis.measure("degree", path)] == [("p3", 2), ("p1", 1), ("p2", 1)]
    ranks = {row.label: row.value for row in analysis.measure("pagerank", path)}
    # p3 gets 0.85 of what p1 and p2 have, all three a third of what p3, which leads nowhere, gives back.
    assert ranks["p1"] == ranks["p2"] == pytest.approx(1 / (3 + 2 * 0.85), abs=1e-8)
    assert sum(ranks.values()) == pytest.approx(1, abs=1e-8)


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1))
def test_pagerank_is_that_of_the_plain_algorithm(pairs):
    graph = nx.DiGraph(sorted((str(source), str(target)) for source, target in pairs if source != target))
    expected = _pagerank_python(graph, tol=1e-12, max_iter=1000)
    rows = list(analysis.measure("pagerank", graph))
    assert {row.node: row.value for row in rows} == pytest.approx(expected, abs=1e-7)
    assert rows == sorted(rows, key=lambda row: (-row.value, row.node))


KINDS_OF_GRAPH = st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
WEIGHTS = st.none() | st.integers(1, 9) | st.floats(0.125, 8)


@st.composite
def graphs(draw) -> nx.Graph:
    """Any graph of a few nodes, with and without weights, with and without edges to itself."""
    graph = draw(KINDS_OF_GRAPH)()
    size = draw(st.integers(1, 9))
    graph.add_nodes_from(map(str, range(size)))
    places = st.integers(0, size - 1)
    for source, target, weight in draw(st.lists(st.tuples(places, places, WEIGHTS), max_size=30)):
        graph.add_edge(str(source), str(target), **({} if weight is None else {"weight": weight}))
    return graph


@given(graphs())
def test_measures_are_those_of_networkx(graph):
    found = {name: {row.node: row.value for row in analysis.measure(name, graph)} for name in analysis.MEASURES}
    graph.remove_edges_from(
        list(nx.selfloop_edges(graph, keys=True) if graph.is_multigraph() else nx.selfloop_edges(graph))
    )
    assert found["pagerank"] == pytest.approx(nx.pagerank(graph, tol=1e-12, max_iter=1000), rel=0, abs=1e-9)
    assert found["degree"] == dict(graph.degree())
    parts = nx.weakly_connected_components(graph) if graph.is_directed() else nx.connected_components(graph)
    parts = sorted(parts, key=lambda nodes: (-len(nodes), min(nodes)))
    assert found["components"] == {node: number for number, part in enumerate(parts, 1) for node in part}


@given(graphs().filter(lambda graph: not graph.is_directed() and len(graph) > 1))
def test_a_projection_is_that_of_networkx(graph):
    sides = {node: int(node) % 2 for node in graph}
    nx.set_node_attributes(graph, {node: f"kind {side}" for node, side in sides.items()}, "kind")
    graph.remove_edges_from([edge for edge in graph.edges if sides[edge[0]] == sides[edge[1]]])
    found = analysis.to_networkx(analysis.projection(analysis.from_networkx(graph), "kind 0"))
    expected = nx.bipartite.weighted_projected_graph(nx.Graph(graph), [node for node in graph if not sides[node]])
    assert dict(found.nodes(data="kind")) == dict.fromkeys(expected, "kind 0")
    assert {frozenset(ends): weight for *ends, weight in found.edges(data="weight")} == {
        frozenset(ends): weight for *ends, weight in expected.edges(data="weight")
    }


def test_what_cannot_be_projected_is_misuse(real_pages):
    network = analysis.from_networkx(view_of("methods-benchmarks", real_pages))
    assert len(analysis.projection(network, "Method").nodes) == 16
    with pytest.raises(Misuse, match=r"no node of kind 'Paper'; there are Benchmark, Method"):
        analysis.projection(network, "Paper")
    with pytest.raises(Misuse, match="only edges between 'Paper' and other nodes"):
        analysis.projection(analysis.from_networkx(view_of("papers", real_pages)), "Paper")


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("case", ["clean", "equal-values", "value-differs", "out-of-distribution-detection"])
def test_a_view_of_a_store_is_what_its_query_gives(name, case, cases, tmp_path):
    for place in (None, tmp_path / "store"):
        with kg.build([cases / "sota2" / case / "page.md"], store=place) as graph:
            construct = resources.directory("queries") / "graph" / f"{name}.rq"
            triples = graph._store.query(construct.read_text())
            expected = nx.node_link_data(analysis.view(name, triples), edges="edges")
            assert nx.node_link_data(graph.to_networkx(name), edges="edges") == expected
            assert expected["edges"]


@given(st.lists(st.integers(0, 400)))
def test_lines_may_be_written_in_pieces(cuts):
    lines = f"{EX.alder} {BK.originPaper} {EX.p1} .\n{EX.alder} {RDFS.label} {literal('Älder')} .\n".encode() * 2
    whole, pieces = (analysis.Reader("everything") for _ in range(2))
    whole.write(lines)
    places = [0, *sorted(cuts), len(lines)]
    for begin, end in itertools.pairwise(places):
        pieces.write(lines[begin:end])
    one, other = whole.network(), pieces.network()
    assert list(one.labels) == list(other.labels) == ["Älder", "p1"]
    assert len(one.sources) == len(other.sources) == 1


@given(st.randoms(use_true_random=False))
def test_the_order_of_triples_changes_nothing(random):
    triples = [
        (EX.alder, BK.originPaper, EX.p1),
        (EX.alder, BK.reportedIn, EX.p1),
        (EX.alder, RDF.type, BK.Method),
        (EX.birch, BK.originPaper, EX.p2),
        (EX.birch, RDFS.label, literal("Birch")),
        (EX.birch, RDFS.label, literal("birch")),
    ]
    shuffled = random.sample(triples, len(triples))
    one, other = (nx.node_link_data(analysis.view("everything", it), edges="edges") for it in (triples, shuffled))
    assert json.dumps(one) == json.dumps(other)


@pytest.mark.parametrize("name", VIEWS)
def test_every_exporter_takes_a_view(name, real_pages):
    graph = view_of(name, real_pages)
    nx.write_graphml(graph, io.BytesIO())
    nx.write_gexf(graph, io.BytesIO())
    json.dumps(nx.node_link_data(graph, edges="edges"), allow_nan=False)
    json.dumps(nx.cytoscape_data(graph), allow_nan=False)
    nx.write_gml(graph, io.BytesIO())
    with warnings.catch_warnings():
        # It says so where it leaves out a number; of those that an edge has, it holds the weight.
        warnings.filterwarnings("ignore", "Edge attribute difference is not processed")
        nx.write_pajek(graph.copy(), io.BytesIO())
    values = [value for *_, data in [*graph.nodes(data=True), *graph.edges(data=True)] for value in data.values()]
    assert {type(value) for value in values} <= {str, int, float}


@pytest.mark.parametrize("suffix", [".graphml", ".gexf", ".json"])
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_read_back_from_its_file(name, suffix, real_pages, tmp_path):
    graph = view_of(name, real_pages)
    path = tmp_path / f"view{suffix}"
    analysis.write_graph(graph, path)
    first = path.read_bytes()
    read = {
        ".graphml": lambda: nx.read_graphml(path, force_multigraph=graph.is_multigraph()),
        ".gexf": lambda: nx.read_gexf(path),
        ".json": lambda: nx.node_link_graph(json.loads(first), edges="edges"),
    }[suffix]()
    assert {node: data["label"] for node, data in read.nodes(data=True)} == dict(graph.nodes(data="label"))
    assert read.number_of_edges() == graph.number_of_edges()
    assert sorted(relation for *_, relation in read.edges(data="relation")) == sorted(
        relation for *_, relation in graph.edges(data="relation")
    )
    analysis.write_graph(graph, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("suffix", [".graphml", ".gexf"])
def test_an_edge_has_an_id_of_its_own(suffix, real_pages, tmp_path):
    path = tmp_path / f"view{suffix}"
    analysis.write_graph(view_of("everything", real_pages), path)
    ids = [element.get("id") for element in ET.parse(path).iter() if element.tag.endswith("}edge")]
    assert None not in ids
    assert len(ids) == len(set(ids)) > 100


@pytest.mark.parametrize("suffix", [".graphml", ".gexf"])
def test_control_characters_in_a_label_spoil_no_file(suffix, tmp_path):
    graph = analysis.view(
        "everything", [(EX.alder, RDFS.label, literal("Al\x07der\x00\ufffe\t")), (EX.alder, RDF.type, BK.Method)]
    )
    path = tmp_path / f"view{suffix}"
    analysis.write_graph(graph, path)
    read = (nx.read_graphml if suffix == ".graphml" else nx.read_gexf)(path)
    assert read.nodes[lexical(EX.alder)]["label"] == "Al\ufffdder\ufffd\ufffd\t"


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "view.json"
    path.write_text("before")
    graph = nx.Graph()
    graph.add_node("a", label=object())
    with pytest.raises(TypeError):
        analysis.write_graph(graph, path)
    assert path.read_text() == "before"
    assert [found.name for found in tmp_path.iterdir()] == ["view.json"]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: analysis.view("method", []), "beats, datasets-tasks, everything, methods, methods-benchmarks, papers"),
        (lambda: analysis.measure("centrality", nx.Graph()), "components, degree, pagerank"),
    ],
    ids=["view", "measure"],
)
def test_an_unknown_name_lists_the_known_ones(call, names):
    with pytest.raises(Misuse, match=names):
        call()


def test_an_unknown_suffix_lists_the_known_ones(tmp_path):
    with pytest.raises(Misuse, match="cyjs, gexf, graphml, json"):
        analysis.write_graph(nx.Graph(), tmp_path / "view.dot")


@pytest.mark.parametrize("name", sorted(analysis.MEASURES))
def test_an_empty_view_has_no_rows(name):
    assert list(analysis.measure(name, analysis.view("papers", []))) == []
