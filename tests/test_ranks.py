"""Ranks over who beats whom are right by hand, agree with networkx and scipy, and obey their laws."""

from __future__ import annotations

import io
import itertools
import math
import re
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_scores import address, scored
from scipy.optimize import minimize
from scipy.stats import kendalltau

import kg
from kg import analysis
from kg.errors import Misuse

RANKS = sorted(analysis.RANKS)
METHODS = "ABCDEF"
GROUPS = st.dictionaries(
    st.sampled_from([f"g{number}" for number in range(5)]),
    st.dictionaries(st.sampled_from(METHODS), st.integers(0, 4), min_size=1),
    min_size=1,
)
COMPLETE = st.lists(st.fixed_dictionaries({method: st.integers(0, 4) for method in "ABCD"}), min_size=1, max_size=4)
A_FEW = settings(max_examples=30)


def values(table) -> dict[str, float | None]:
    return {row.label: row.value for row in table}


def ranks(table) -> dict[str, int | None]:
    return {row.label: row.rank for row in table}


def plain(name: str, graph) -> analysis.Table:
    return analysis.RANKS[name](graph, replicates=0)


# The view


def test_a_better_method_has_an_edge_to_a_worse_one_for_each_group():
    graph = scored({"g1": {"A": 3, "B": 1}, "g2": {"A": 2, "B": 2.5, "C": 2.5}}).to_networkx("beats")
    assert isinstance(graph, nx.MultiDiGraph)
    edges = {
        (source[-1], target[-1], key[-2:]): (data["relation"], data["difference"], data["weight"])
        for source, target, key, data in graph.edges(keys=True, data=True)
    }
    assert edges == {
        ("A", "B", "g1"): ("beats", 2, 1),
        ("B", "A", "g2"): ("beats", 0.5, 1),
        ("C", "A", "g2"): ("beats", 0.5, 1),
        ("B", "C", "g2"): ("ties", 0, 0),
    }
    (data,) = graph[address("A")][address("B")].values()
    assert (data["group"], data["benchmarkLabel"], data["metricLabel"]) == (address("g1"), "Board", "Accuracy")
    assert (data["unitText"], data["directionText"]) == ("PERCENT", "Higher is better")
    assert data["configuration"] == '{"Setting":"g1"}'


def test_the_best_of_several_results_counts_and_a_method_alone_is_a_node():
    graph = scored({"g1": {"A": [1, 5, 3], "B": 4}, "g2": {"C": 9}}).to_networkx("beats")
    assert [(source[-1], target[-1], data["difference"]) for source, target, data in graph.edges(data=True)] == [
        ("A", "B", 1)
    ]
    assert sorted(graph) == [address(name) for name in "ABC"]
    lower = scored({"g1": {"A": [1, 5, 3], "B": 4}}, lower=True).to_networkx("beats")
    assert [data["difference"] for *_, data in lower.edges(data=True)] == [3]


def test_one_benchmark_or_metric_can_be_asked_for():
    graph = scored({"g1": {"A": 1, "B": 2}, "g2": {"B": 1, "C": 2}}, of={"g2": "other"})
    assert len(graph.network("beats").groups) == 2
    narrowed = graph.network("beats", benchmark="Other")
    assert [group.benchmark_label for group in narrowed.groups] == ["Other"]
    assert len(narrowed.nodes) == 2
    with pytest.raises(Misuse, match="'methods' is not narrowed by benchmark"):
        graph.network("methods", benchmark="Other")


def test_methods_that_share_a_group_are_joined_by_the_benchmarks_on_which_they_do():
    scores = {"g1": {"A": 1, "B": 2}, "g2": {"A": 1, "B": 2, "C": 3}, "g3": {"A": 1, "B": 2}, "g4": {"D": 1}}
    graph = scored(scores, of={"g3": "other"}).to_networkx("methods")
    assert {(one[-1], other[-1]): weight for one, other, weight in graph.edges(data="weight")} == {
        ("A", "B"): 2,
        ("A", "C"): 1,
        ("B", "C"): 1,
    }
    assert address("D") in graph


def test_datasets_are_joined_to_their_tasks(cases):
    with kg.build([cases / "sota2/clean/page.md", cases / "sota2/selective-classification/page.md"]) as graph:
        view = graph.to_networkx("datasets-tasks")
    assert nx.is_bipartite(view)
    assert sorted((data["kind"], data["label"]) for _, data in view.nodes(data=True)) == [
        ("EvaluationDataset", "ImageNet V2 Original (test)"),
        ("EvaluationDataset", "OrchardLeaves (val)"),
        ("Task", "Leaf Disease Grading"),
        ("Task", "Selective Classification"),
    ]
    assert [weight for *_, weight in view.edges(data="weight")] == [1, 1]


def test_only_scores_that_may_be_ranked_take_part(cases):
    for name in ("configuration-unknown-keys", "direction-disagrees", "unknown-direction", "value-differs"):
        with kg.build([cases / f"sota2/{name}/page.md"]) as graph:
            (board,) = graph.leaderboard("leaf-disease-grading-on-orchardleaves-val")
            standings = [standing for table in board.tables for standing in table.standings]
            ranked = {standing.method for standing in standings if standing.rank is not None}
            assert set(graph.network("beats").nodes) == ranked
            assert len(ranked) < len(standings)


def test_the_standings_are_the_best_ranked_scores_of_the_leaderboards(cases):
    names = ("out-of-distribution-detection", "selective-classification", "equal-values", "conflicting-rows")
    with kg.build([cases / f"sota2/{name}/page.md" for name in names]) as graph:
        standings = {(row.group, row.method): row.value for row in graph.query("comparison/standings-of-every-group")}
        best = {}
        for board in {row.benchmark for row in graph.query("provenance/coverage")}:
            for leaderboard in graph.leaderboard(board):
                for table in leaderboard.tables:
                    for standing in table.standings:
                        if standing.rank is not None:
                            best.setdefault((table.group, standing.method), standing.value)
    assert standings == best


def reversed_page(text: str) -> str:
    """The same page with the other direction and every value with the other sign."""
    text = text.replace("Higher is better", "Lower is better")
    text = re.sub(r"(?m)^(\| [^|\n]+ \| )(\d+\.\d+)( \|)", r"\1-\2\3", text)
    return re.sub(r"(AUROC: )(\d+\.\d+)(\. Result)", r"\1-\2\3", text)


def test_a_page_with_the_other_direction_and_signs_has_the_same_ranks(cases, tmp_path):
    page = cases / "sota2/out-of-distribution-detection/page.md"
    other = tmp_path / "page.md"
    other.write_text(reversed_page(page.read_text()))
    with kg.build([page]) as one, kg.build([other]) as two:
        assert [row.directionText for row in two.query("comparison/standings-of-every-group")] == [
            "Lower is better"
        ] * 10
        for name in RANKS:
            assert list(one.analyse(name)) == list(two.analyse(name))
        differences = [
            {edge[:3]: edge[3] for edge in graph.to_networkx("beats").edges(keys=True, data="difference")}
            for graph in (one, two)
        ]
        assert differences[0] == differences[1]
        assert len(differences[0]) == 20


@A_FEW
@given(GROUPS)
def test_no_comparison_is_lost_and_nothing_but_a_method_is_a_node(scores):
    view = scored(scores).to_networkx("beats")
    assert sorted(view) == sorted({address(method) for those in scores.values() for method in those})
    pairs = Counter({address(group): math.comb(len(those), 2) for group, those in scores.items()})
    assert Counter(key for *_, key in view.edges(keys=True)) == +pairs
    for write in (nx.write_graphml, nx.write_gexf, nx.write_gml):
        write(view, io.BytesIO())


# By hand


def test_ranks_by_hand():
    graph = scored({"g1": {"A": 3, "B": 2, "C": 1}, "g2": {"A": 1, "B": 2}}).network("beats")
    assert values(plain("copeland", graph)) == {"A": 1, "B": 1, "C": -2}
    assert ranks(plain("copeland", graph)) == {"A": 1, "B": 1, "C": 3}
    assert values(plain("borda", graph)) == {"A": 0.5, "B": 0.75, "C": 0}
    row = plain("borda", graph)[0]
    assert (row.label, row.groups, row.opponents, row.wins, row.ties, row.losses) == ("B", 2, 2, 2, 0, 1)
    ties = scored({"g1": {"A": 2, "B": 2, "C": 1}}).network("beats")
    assert values(plain("borda", ties)) == {"A": 0.75, "B": 0.75, "C": 0}
    assert values(plain("copeland", ties)) == {"A": 1, "B": 1, "C": -2}


def test_strengths_by_hand():
    scores = {f"g{number}": {"A": int(number < 3), "B": int(number >= 3)} for number in range(4)}
    graph = scored(scores).network("beats")
    likely = values(analysis.bradley_terry(graph, prior=0))
    assert likely == pytest.approx({"A": math.log(3) / 2, "B": -math.log(3) / 2}, abs=1e-8)
    assert values(plain("bradley-terry", graph))["A"] == pytest.approx(math.log(3.5 / 1.5) / 2, abs=1e-8)


def test_without_a_prior_strengths_need_a_way_from_each_loser_to_each_winner():
    ordered = scored({"g1": {"A": 2, "B": 1}}).network("beats")
    with pytest.raises(Misuse, match="some methods never lose"):
        analysis.bradley_terry(ordered, prior=0)
    assert "Without that prior some strengths would have no bound" in " ".join(plain("bradley-terry", ordered).notes)
    tied = scored({"g1": {"A": 2, "B": 2}}).network("beats")
    assert values(analysis.bradley_terry(tied, prior=0)) == {"A": 0, "B": 0}
    with pytest.raises(Misuse, match="prior must be 0 or more"):
        analysis.bradley_terry(tied, prior=-1)


@pytest.mark.parametrize("name", RANKS)
def test_what_is_not_connected_is_ranked_apart(name):
    scores = {"g1": {"A": 3, "B": 2, "C": 1}, "g2": {"D": 1, "E": 2}, "g3": {"F": 1}}
    table = plain(name, scored(scores).network("beats"))
    assert [(row.component, row.rank, row.label) for row in table] == [
        (1, 1, "A"),
        (1, 2, "B"),
        (1, 3, "C"),
        (2, 1, "E"),
        (2, 2, "D"),
        (3, None, "F"),
    ]
    assert "2 components share no comparison" in table.notes[0]
    assert "1 method without a rank" in table.notes[0]


def test_intervals_by_hand():
    table = analysis.copeland(scored({"g1": {"A": 1, "B": 2}, "g2": {"A": 2, "B": 1, "C": 0}}).network("beats"))
    found = {row.label: (row.value, row.low, row.high) for row in table}
    assert table.notes[-1].endswith("They are rough: the groups are few.")
    # g1 twice: B ahead of A; both: even, and both ahead of C; g2 twice: A ahead of B, and both of C.
    assert found == {"A": (1, -1, 2), "B": (1, 0, 1), "C": (-2, None, None)}


@pytest.mark.parametrize("name", RANKS)
def test_the_same_seed_gives_the_same_numbers(name):
    graph = scored({"g1": {"A": 1, "B": 2}, "g2": {"A": 2, "B": 1, "C": 0}, "g3": {"A": 2, "B": 1}}).network("beats")
    one, again, other = (analysis.RANKS[name](graph, replicates=50, seed=seed) for seed in (1, 1, 2))
    assert list(one) == list(again)
    assert [row.value for row in one] == [row.value for row in other]
    assert all(row.low <= row.value <= row.high for row in one if row.low is not None)
    with pytest.raises(Misuse, match="replicates must be 0 or more"):
        analysis.RANKS[name](graph, replicates=-1)


def test_one_group_gives_no_intervals():
    table = analysis.borda(scored({"g1": {"A": 1, "B": 2}}).network("beats"))
    assert {(row.low, row.high) for row in table} == {(None, None)}
    assert "no intervals" in table.notes[1]


def test_cycles_by_hand():
    scores = {"g1": {"A": 2, "B": 1}, "g2": {"B": 2, "C": 1}, "g3": {"C": 2, "A": 1}, "g4": {"C": 2, "A": 1, "D": 0}}
    (cycle,) = analysis.cycles(scored(scores).network("beats"))
    assert cycle == (3, "A > B > C > A", 1, 4, " ".join(map(address, "ABC")))
    assert not analysis.cycles(scored({"g1": {"A": 2, "B": 1, "C": 0}}).network("beats"))
    longer = {"g1": {"A": 2, "B": 1}, "g2": {"B": 2, "C": 1}, "g3": {"C": 2, "D": 1}, "g4": {"D": 2, "A": 1}}
    graph = scored(longer).network("beats")
    assert [row.length for row in analysis.cycles(graph, longest=4)] == [4]
    short = analysis.cycles(graph)
    assert not short
    assert short.notes == (
        "Over 4 comparison groups and 4 methods: 4 methods on some cycle.",
        "No cycle has 3 methods or fewer; look for longer ones.",
    )


def test_stability_by_hand():
    scores = {"g1": {"A": 3, "B": 2, "C": 2}, "g2": {"A": 3, "B": 2, "C": 1, "D": 9}, "g3": {"A": 1}}
    table = analysis.stability(scored(scores | {"o1": {"A": 1, "B": 2}}, of={"o1": "other"}).network("beats"))
    ((tau, methods, pairs, swapped, *_),) = table
    # Two pairs in the same order, none reversed, one tied in g1: 2 / sqrt(2 * 3). A alone is no order.
    assert (tau, methods, pairs, swapped) == (pytest.approx(2 / math.sqrt(6)), 3, 3, 0)
    assert table.notes == ("1 pair of comparison groups: 1 of 2 metrics compared under more than one configuration.",)


def test_an_order_without_two_different_ranks_has_no_tau():
    table = analysis.stability(scored({"g1": {"A": 1, "B": 1}, "g2": {"A": 1, "B": 2}}).network("beats"))
    assert [(row.tau, row.methods) for row in table] == [(None, 2)]


# Agreement


def naive(scores) -> tuple[dict[str, float], dict[str, float]]:
    """Copeland and Borda counted pair by pair."""
    copeland, borda = Counter(), {}
    methods = sorted({method for those in scores.values() for method in those})
    for one, other in itertools.combinations(methods, 2):
        both = [those for those in scores.values() if {one, other} <= those.keys()]
        lead = sum((those[one] > those[other]) - (those[one] < those[other]) for those in both)
        copeland[one] += (lead > 0) - (lead < 0)
        copeland[other] -= (lead > 0) - (lead < 0)
    for method in methods:
        shares = []
        for those in scores.values():
            others = [value for other, value in those.items() if other != method]
            if method in those and others:
                own = those[method]
                shares.append(sum((own > value) + 0.5 * (own == value) for value in others) / len(others))
        if shares:
            borda[method] = sum(shares) / len(shares)
    return {method: float(copeland[method]) for method in borda}, borda


@A_FEW
@given(GROUPS)
def test_counts_are_those_of_the_plain_algorithm(scores):
    graph = scored(scores).network("beats")
    for name, expected in zip(("copeland", "borda"), naive(scores), strict=True):
        found = {label: value for label, value in values(plain(name, graph)).items() if value is not None}
        assert found == pytest.approx(expected, abs=1e-8)


@A_FEW
@given(GROUPS)
def test_strengths_are_where_the_likelihood_is_greatest(scores):
    met = analysis.contests(scored(scores).network("beats"))
    if not len(met.first):
        return
    won = np.asarray((met.ahead + 0.5 * met.level).sum(axis=1)) + 0.5
    lost = np.asarray((met.behind + 0.5 * met.level).sum(axis=1)) + 0.5

    def loss(theta):
        lead = theta[met.first] - theta[met.second]
        return won @ np.logaddexp(0, -lead) + lost @ np.logaddexp(0, lead)

    best = minimize(loss, np.zeros(len(met.nodes)), method="BFGS").x
    for component in set(met.component.tolist()):
        best[met.component == component] -= best[met.component == component].mean()
    table = plain("bradley-terry", scored(scores).network("beats"))
    found = {row.node: row.value for row in table if row.value is not None}
    expected = dict(zip(met.nodes, best.tolist(), strict=True))
    assert found == pytest.approx({node: expected[node] for node in found}, abs=1e-3)


@A_FEW
@given(GROUPS)
def test_pagerank_and_cycles_are_those_of_networkx(scores):
    graph = scored(scores)
    view, network = graph.to_networkx("beats"), graph.network("beats")
    found = {row.node: row.value for row in graph.analyse("pagerank", "beats")}
    assert found == pytest.approx(nx.pagerank(view, tol=1e-12, max_iter=1000), abs=1e-9)
    margins = Counter()
    for source, target, data in view.edges(data=True):
        margins[source, target] += data["weight"]
        margins[target, source] -= data["weight"]
    majority = nx.DiGraph([step for step, margin in margins.items() if margin > 0])
    assert len(analysis.cycles(network, longest=6)) == len(list(nx.simple_cycles(majority)))


@A_FEW
@given(GROUPS)
def test_stability_is_that_of_scipy(scores):
    table = analysis.stability(scored(scores).network("beats"))
    for row in table:
        one, other = (scores[group.rsplit("/")[-1]] for group in (row.group, row.other_group))
        both = sorted(one.keys() & other.keys())
        assert row.methods == len(both)
        if row.tau is None:
            assert len(both) < 2 or min(len({those[it] for it in both}) for those in (one, other)) == 1
        else:
            expected = kendalltau([one[it] for it in both], [other[it] for it in both]).statistic
            assert row.tau == pytest.approx(expected, abs=1e-8)


@A_FEW
@given(GROUPS)
def test_a_networkx_graph_is_measured_as_the_view_it_came_from(scores):
    network = scored(scores).network("beats")
    for name in RANKS:
        assert list(plain(name, analysis.to_networkx(network))) == list(plain(name, network))
    assert list(analysis.stability(analysis.to_networkx(network))) == list(analysis.stability(network))


# Laws


@A_FEW
@given(st.dictionaries(st.sampled_from(METHODS), st.integers(0, 4), min_size=2), st.sampled_from(RANKS))
def test_within_a_group_ranks_are_those_of_the_values(those, name):
    found = ranks(plain(name, scored({"g": those}).network("beats")))
    assert found == {method: 1 + sum(other > value for other in those.values()) for method, value in those.items()}


@A_FEW
@given(COMPLETE, st.sampled_from(RANKS))
def test_a_method_dominated_in_every_group_never_ranks_above(groups, name):
    scores = {f"g{number}": those for number, those in enumerate(groups)}
    found = ranks(plain(name, scored(scores).network("beats")))
    for one, other in itertools.permutations("ABCD", 2):
        if all(those[one] >= those[other] for those in groups):
            assert found[one] <= found[other]


@A_FEW
@given(GROUPS, st.permutations(METHODS), st.sampled_from(RANKS))
def test_other_names_change_nothing(scores, names, name):
    renamed = dict(zip(METHODS, names, strict=True))
    other = {group: {renamed[method]: value for method, value in those.items()} for group, those in scores.items()}
    one, two = (values(plain(name, scored(each).network("beats"))) for each in (scores, other))
    assert {renamed[method]: value for method, value in one.items()} == pytest.approx(two, abs=1e-8)


@A_FEW
@given(GROUPS)
def test_the_other_direction_and_sign_change_nothing(scores):
    turned = {group: {method: -value for method, value in those.items()} for group, those in scores.items()}
    one, two = scored(scores), scored(turned, lower=True)
    for name in RANKS:
        assert list(plain(name, one.network("beats"))) == list(plain(name, two.network("beats")))
    assert list(one.analyse("stability")) == list(two.analyse("stability"))


@A_FEW
@given(GROUPS)
def test_a_layer_is_beaten_from_above_alone(scores):
    layers = analysis.layers(scored(scores).network("beats"))
    at = {part: number for number, parts in enumerate(layers.layers) for part in parts}
    assert sorted(node for part in layers.parts for node in part) == list(range(len(layers.labels)))
    assert all(at[above] < at[below] for above, below, _ in layers.edges)


@pytest.mark.parametrize("call", [analysis.copeland, analysis.cycles, analysis.stability, analysis.layers])
def test_another_view_tells_not_who_beats_whom(call):
    graph = scored({"g1": {"A": 1, "B": 2}}).network("methods")
    with pytest.raises(Misuse, match="only the view 'beats'"):
        call(graph)


@pytest.mark.parametrize("name", ["borda", "bradley-terry", "copeland", "cycles", "stability"])
def test_an_empty_graph_has_no_rows(name):
    assert list(scored({}).analyse(name)) == []
