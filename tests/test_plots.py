"""Plots of ranks are the same bytes for the same graph, tell metric, unit and direction, and no text hides another."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_scores import scored

import kg
from kg import analysis
from kg.errors import Misuse

pytest.importorskip("matplotlib")

from kg.plotting import beats, ranks

CROWDED = {
    "g1": {"A": 5, "B with a name that is much too long to be shown whole": 5, "C": 5, "D": 1, "$x_1$ & <b>": 3},
    "g2": {"A": 1, "B with a name that is much too long to be shown whole": 2, "C": 2, "E": 9, "F": 2},
    "g3": {"D": 4, "E": 4, "C": 1, "A": 4, "G": 0},
}
CYCLE = {"g1": {"A": 2, "B": 1, "Z": 0}, "g2": {"B": 2, "C": 1}, "g3": {"C": 2, "A": 1, "Y": 1}}
KINDS = {"stability": ranks, "borda": beats}
OOD = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"


def named(scores):
    """The same with names that can stand in an IRI."""
    return {
        group: {f"m{''.join(filter(str.isalnum, name))[:40]}": value for name, value in those.items()}
        for group, those in scores.items()
    }


@pytest.fixture
def drawn(monkeypatch):
    """The figure that a measure's plot is made of, with the boxes of its texts."""

    def draw(measure: str, scores):
        kept = []
        monkeypatch.setattr(KINDS[measure], "saved", lambda figure, _: kept.append(figure) or b"")
        scored(named(scores)).plot(measure, form="png")
        (figure,) = kept
        figure.canvas.draw()
        every = figure.findobj(match=lambda artist: hasattr(artist, "get_text") and artist.get_visible())
        texts = [artist for artist in every if artist.get_text().strip()]
        return {artist: artist.get_window_extent() for artist in texts}

    return draw


@pytest.mark.parametrize("scores", [CROWDED, CYCLE, {"g1": {"A": 1}}, {"g1": {"A": 2, "B": 1}}], ids=range(4))
@pytest.mark.parametrize("measure", KINDS)
def test_no_text_hides_another(measure, scores, drawn):
    if measure == "borda" and len(scores) == len(next(iter(scores.values()))) == 1:
        with pytest.raises(Misuse, match="no two methods"):
            scored(scores).plot(measure)
        return
    boxes = drawn(measure, scores)
    assert len(boxes) > 3
    for (one, box), (other, beside) in itertools.combinations(boxes.items(), 2):
        assert not box.padded(-1).overlaps(beside.padded(-1)), (one.get_text(), other.get_text())


@pytest.mark.parametrize("measure", KINDS)
def test_the_texts_tell_metric_unit_direction_and_every_method(measure, drawn):
    told = " ".join(" ".join(artist.get_text().split()) for artist in drawn(measure, CROWDED))
    for each in ("Accuracy (%)", "higher is better", "Board, Accuracy"):
        assert each in told
    for method in named(CROWDED)["g2"]:
        assert method[:20] in told


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    groups=st.lists(
        st.dictionaries(st.sampled_from([f"{letter * 24}" for letter in "aBcDeWm"]), st.integers(0, 3), min_size=1),
        min_size=1,
        max_size=4,
    )
)
def test_no_name_hides_another_in_any_slope_chart(groups, drawn):
    boxes = drawn("stability", {f"g{number}": those for number, those in enumerate(groups)})
    for (one, box), (other, beside) in itertools.combinations(boxes.items(), 2):
        assert not box.padded(-1).overlaps(beside.padded(-1)), (one.get_text(), other.get_text())


def test_values_and_shared_ranks_stand_beside_the_names(drawn):
    boxes = drawn("stability", {"g1": {"A": 5, "B": 5, "C": 1}, "g2": {"A": 2, "B": 3}})
    told = {artist.get_text() for artist in boxes}
    assert {"1=  mA  5", "1=  mB  5", "3  mC  1", "2  mA  2", "1  mB  3"} <= told


def test_methods_of_a_cycle_stand_in_one_frame(drawn):
    told = {artist.get_text() for artist in drawn("borda", CYCLE)}
    assert {"mA · mB · mC", "mY", "mZ"} <= told


@pytest.mark.parametrize("measure", KINDS)
def test_the_same_graph_gives_the_same_bytes(measure):
    one, other = (scored(named(CROWDED)).plot(measure, form="svg") for _ in range(2))
    assert one == other
    assert ET.fromstring(one).tag.endswith("svg")
    assert b"<dc:date>" not in one
    assert scored(named(CROWDED)).plot(measure, form="png").startswith(b"\x89PNG")


def test_the_real_pages_are_drawn(cases):
    with kg.build([cases / "sota2/out-of-distribution-detection/page.md"]) as graph:
        for measure in ("stability", "copeland"):
            assert graph.plot(measure, benchmark=OOD, metric="Near-OOD AUROC").startswith(b"<?xml")


def test_too_many_methods_are_not_drawn():
    many = {"g1": {f"m{number}": number for number in range(151)}}
    with pytest.raises(Misuse, match="151 methods are too many"):
        scored(many).plot("borda")


def test_nothing_to_rank_is_nothing_to_draw():
    for measure in KINDS:
        with pytest.raises(Misuse, match="nothing to plot"):
            scored({}).plot(measure)


def test_a_layer_of_many_is_broken():
    layers = analysis.layers(scored({"g": {f"m{number}": number // 20 for number in range(40)}}).network("beats"))
    assert [len(row) for layer in layers.layers for row in beats._rows(layer)] == [7, 7, 6, 7, 7, 6]
