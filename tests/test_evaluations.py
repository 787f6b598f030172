"""Who reports whose numbers, what comparisons are missing, and how much room is left: by hand."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_scores import scored

import kg
from kg import analysis
from kg.errors import Misuse
from kg.terms import lexical
from kg.vocabulary import BK

SEEDS = ("out-of-distribution-detection", "selective-classification")


@pytest.fixture(scope="module")
def seeds(cases):
    with kg.build([cases / "sota2" / name / "page.md" for name in SEEDS]) as graph:
        yield graph


def row(method: str, origin: str, reported: str | None, benchmark: str = "b1", *, results: int = 1, status: str = ""):
    claim = BK.ClaimUnknown if reported is None else BK.OwnMethod if origin == reported else BK.OthersMethod
    return SimpleNamespace(
        method=method,
        methodLabel=method,
        originPaper=origin,
        originPaperId=f"id of {origin}",
        reportedIn=reported,
        claim=lexical(claim),
        benchmark=benchmark,
        reproductionStatus=lexical(status or BK.ReproductionNotAsserted),
        results=results,
    )


def test_influence_by_hand():
    rows = [
        row("A", "p1", "p1", results=3),
        row("A", "p1", "p2", results=2),
        row("B", "p1", "p2"),
        row("A", "p1", "p3", "b2"),
        row("C", "p2", "p2", "b2"),
        row("D", "p4", None),
    ]
    first, second = analysis.influence(rows, {"b2"})
    assert first._asdict() == {
        "papers": 2,
        "papers_without": 1,
        "results": 4,
        "results_without": 3,
        "methods": 2,
        "own_results": 3,
        "own_results_without": 3,
        "label": "id of p1",
        "node": "p1",
    }
    assert (second.node, second.papers, second.own_results, second.own_results_without) == ("p2", 0, 1, 0)


def test_coverage_by_hand():
    rows = [
        row("A", "p1", "p1"),
        row("A", "p1", "p2"),
        row("B", "p1", "p1", results=2),
        row("C", "p2", None),
        row("D", "p2", "p3", "b2", status=BK.Reproduced),
        row("E", "p2", "p3", "b2", status=BK.ReproductionFailed),
    ]
    whole, without = analysis.coverage(rows, {"b2"})
    assert whole[1:] == (5, 3, 1, 1, 0.6, 7, 1, 1)
    assert without[1:] == (3, 1, 1, 1, pytest.approx(1 / 3), 5, 0, 0)
    assert len(analysis.coverage(rows)) == 1


def test_nothing_is_reproduced_unless_its_status_says_so(seeds):
    table = seeds.analyse("coverage")
    assert {(each.reproduced, each.failed) for each in table} == {(0, 0)}
    assert table.notes[0] == "No record says anything of a reproduction."


def test_the_real_pages_with_and_without_the_page_that_gives_one_origin_to_all(seeds):
    whole, without = seeds.analyse("coverage")
    assert (whole.methods, whole.by_others, whole.own_only) == (16, 7, 9)
    assert (without.methods, without.by_others, without.own_only) == (11, 7, 4)
    own = {each.label: (each.own_results, each.own_results_without) for each in seeds.analyse("influence")}
    assert own["698575dcc97a0b3e3b5d5ec4"] == (10, 0)
    assert own["68fa78a61e209131cea79954"] == (4, 4)
    assert sum(each.papers for each in seeds.analyse("influence")) == 7


def test_influence_is_the_degree_in_the_view_of_papers(seeds):
    view = seeds.to_networkx("papers")
    degrees = {node: sum(source != node for source in view.predecessors(node)) for node in view}
    table = seeds.analyse("influence")
    assert {each.node: each.papers for each in table if each.papers} == {node: n for node, n in degrees.items() if n}


def test_missing_comparisons_by_hand():
    graph = scored({"g1": {"A": 1, "B": 2}, "g2": {"C": 1}, "g3": {"A": 1}}, of={"g3": "other"})
    table = graph.analyse("missing")
    told = [(each.settles, each.method_label, each.other_label, each.run_label, each.group[-2:]) for each in table]
    # C run under the settings of g1 would be compared with A and B at once.
    assert told == [(2, "A", "C", "C", "g1"), (2, "B", "C", "C", "g1")]
    assert {each.reason for each in table} == {"other groups"}
    assert table.notes == ("2 of 3 pairs on 2 benchmarks share no comparison group.",)
    assert not graph.analyse("missing", benchmark="Other")


def test_a_method_without_a_comparable_score_is_missing_too(cases):
    with kg.build([cases / "sota2/configuration-not-recorded/page.md"]) as graph:
        table = graph.analyse("missing")
    assert [(each.method_label, each.other_label, each.run_label, each.reason) for each in table] == [
        ("Alder", "Birch", "Birch", "no comparable score"),
        ("Birch", "Hazel", "Birch", "no comparable score"),
    ]
    assert table.notes[1].startswith("Methods on a benchmark without any score that may be compared: 1;")


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from(["g1", "g2", "g3"]), st.sets(st.sampled_from("ABCDE"), min_size=1), min_size=1))
def test_a_run_settles_what_would_be_missing_no_more(groups):
    scores = {group: dict.fromkeys(those, 1) for group, those in groups.items()}
    before = list(scored(scores).analyse("missing"))
    methods = set().union(*groups.values())
    compared = {(one, two) for those in groups.values() for one in those for two in those}
    assert {(each.method[-1], each.other[-1]) for each in before} == {
        (one, two) for one in methods for two in methods if one < two and (one, two) not in compared
    }
    for first in before[:1]:
        group = first.group.rsplit("/")[-1]
        after = scored(scores | {group: scores[group] | {first.run[-1]: 1}}).analyse("missing")
        assert len(before) - len(after) == first.settles > 0


def test_saturation_by_hand():
    scores = {"g1": {"A": 97, "B": 99.5, "C": 98, "D": 50}}
    (found,) = scored(scores).analyse("saturation", settings={"top": 3})
    assert (found.gap, found.best, found.lead, found.spread) == tuple(map(Decimal, ("0.5", "99.5", "1.5", "2.5")))
    assert (found.best_label, found.top, found.methods) == ("B", 3, 4)
    (lower,) = scored(scores, lower=True).analyse("saturation", settings={"top": 2})
    assert (lower.bound, lower.gap, lower.best_label, lower.lead) == (0, 50, "D", 47)
    (free,) = scored(scores, percent=False).analyse("saturation")
    assert (free.bound, free.gap, free.top) == (None, None, 4)
    (beyond,) = scored({"g1": {"A": 101}}).analyse("saturation")
    assert (beyond.gap, beyond.lead, beyond.spread) == (-1, None, None)
    with pytest.raises(Misuse, match="at least 2 methods"):
        scored(scores).analyse("saturation", settings={"top": 1})


def test_the_direction_in_doubt_is_told_where_it_matters(seeds):
    told = "In doubt is the recorded direction of Metric A of Selective Classification on ImageNet V2 Original (test)"
    for measure in ("copeland", "stability"):
        assert any(note.startswith(told) for note in seeds.analyse(measure).notes)
    narrowed = seeds.analyse("copeland", benchmark="out-of-distribution-detection-on-imagenet-1k-resnet-50-test")
    assert not any("In doubt" in note for note in narrowed.notes)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda graph: graph.analyse("fame"), "no measure 'fame'; choose one of borda, bradley-terry"),
        (lambda graph: graph.analyse("borda", "papers"), "measured over the view 'beats', not 'papers'"),
        (lambda graph: graph.analyse("missing", "papers"), "measured over the results, not 'papers'"),
        (lambda graph: graph.analyse("coverage", benchmark=SEEDS[1] + "-on-imagenet-v2-original-test"), "leave it out"),
        (lambda graph: graph.analyse("degree", "friends"), "no view 'friends'; there are beats"),
        (lambda graph: graph.analyse("borda", settings={"prior": 1}), "no setting 'prior'; it takes replicates, seed"),
        (lambda graph: graph.analyse("degree", settings={"seed": 1}), "no setting 'seed'; it takes none"),
        (lambda graph: graph.plot("degree"), "degree has no plot"),
        (lambda graph: graph.plot("borda"), "there are 2: name both"),
        (lambda graph: graph.plot("stability"), "there are 2: name both"),
        (lambda graph: graph.plot("stability", form="pdf"), "'pdf' is no format of plots"),
    ],
    ids=range(11),
)
def test_what_cannot_be_measured_is_misuse(call, said, seeds):
    with pytest.raises(Misuse, match=said):
        call(seeds)


def test_tables_become_data_frames(seeds):
    pytest.importorskip("pandas")
    frame = seeds.analyse("coverage").to_pandas()
    columns = "scope methods byOthers ownOnly unknown share results reproduced failed"
    assert list(frame.columns) == columns.split()
    assert frame["methods"].tolist() == [16, 11]
    ranking = seeds.analyse("pagerank", "papers")
    assert list(ranking.to_pandas()["label"]) == [each.label for each in ranking]
