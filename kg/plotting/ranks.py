"""Ranks under each configuration of one metric, as a slope chart."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from kg.errors import Misuse
from kg.plotting.figures import figure, parts, saved, settings, settled, unit, width_of

__all__ = ["Column", "Place", "draw_ranks"]

_COLUMN, _ROW = 2.4, 0.24  # inches
_LEAST = 5.0  # inches wide
_HEADING, _LINE = 0.75, 0.17
_CHARACTERS = 30  # of a configuration, below its column
_NAME_CHARACTERS = 24
_MARKERS = "osD^vPX*<>"
_LINE_STYLES = ("-", "--", "-.", ":")


class Place(NamedTuple):
    """A method's rank under a configuration: 1 + how many are strictly better; ``value`` is as printed in the graph."""

    method: str
    label: str
    rank: int
    value: str


class Column(NamedTuple):
    """The ranks under one configuration, which is canonical JSON."""

    configuration: str
    places: Sequence[Place]


def draw_ranks(
    columns: Sequence[Column], *, benchmark: str, metric: str, unit_text: str, direction_text: str, form: str
) -> bytes:
    """Return a slope chart as ``svg`` or ``png``: a column a configuration, a line a method, the first rank on top.

    Each column ranks all methods of its configuration. A line is broken where a method has no rank. Raises
    ``Misuse`` where matplotlib is missing, or there is nothing to rank.
    """
    if not columns:
        raise Misuse("There is nothing to plot: no score of this metric may be ranked under a recorded configuration.")
    read = [settings(column.configuration) for column in columns]
    common = {key: text for key, text in read[0].items() if all(each.get(key) == text for each in read)}
    if len(columns) == 1:
        common = {}
    heads = [
        textwrap.fill(parts({key: text for key, text in each.items() if key not in common}) or "(no other setting)", 30)
        for each in read
    ]
    with settled():
        depth = max(len(column.places) for column in columns)
        rows = max(place.rank for column in columns for place in column.places)
        below = _LINE * (max(head.count("\n") for head in heads) + 2)
        names = max(width_of(_told(place)) for column in columns for place in column.places) + 0.6
        apart = max(_COLUMN, _between(columns))
        width = max(apart * max(len(columns) - 1, 0) + 2 * names + 0.7, _LEAST)
        notes = _notes(columns, common, width)
        height = _HEADING + _ROW * max(depth, rows, 4) + below + _LINE * (notes.count("\n") + 2)
        drawn = figure(width, height)
        low = (below + _LINE * (notes.count("\n") + 2)) / height
        axes = drawn.add_axes(
            ((names + 0.7) / width, low, max(apart * (len(columns) - 1), 0.4) / width, 1 - low - _HEADING / height)
        )
        _fill(axes, columns)
        axes.set_xticks(range(len(columns)), heads, fontsize=8)
        axes.set_ylabel(
            textwrap.fill(f"Rank by {metric} ({unit(unit_text)})", 40)
            + f"\n{direction_text.lower() or 'direction not stated'}; 1 is best",
            fontsize=9,
            labelpad=(names if len(columns) > 1 else 0.2) * 72,
        )
        title = textwrap.fill(f"Rank by configuration: {benchmark}, {metric}", max(int(width * 9), 40))
        drawn.text(0.5, 1 - 0.1 / height, title, fontsize=11, ha="center", va="top")
        drawn.text(0.02, 0.02 / height, notes, fontsize=8, color="0.35", va="bottom")
        return saved(drawn, form)


def _sides(seen: Sequence[int], columns: int) -> list[tuple[int, int]]:
    """Return where a method's name stands: left (-1) of its first column and right (1) of its last, or once."""
    if len(seen) > 1:
        return [(seen[0], -1), (seen[-1], 1)]
    return [(seen[0], -1 if seen[0] == 0 and columns > 1 else 1)]


def _between(columns: Sequence[Column]) -> float:
    """Return how far apart columns are where the name of a method that ends stands beside that of one that begins."""
    longest = {-1: 0.0, 1: 0.0}
    for method in {place.method for column in columns for place in column.places}:
        of = [{place.method: place for place in column.places}.get(method) for column in columns]
        seen = [number for number, place in enumerate(of) if place]
        for number, side in _sides(seen, len(columns)):
            inside = number > 0 if side < 0 else number < len(columns) - 1
            if inside and (place := of[number]):
                longest[side] = max(longest[side], width_of(_told(place)) + 0.3)
    return sum(longest.values()) + 0.4


def _told(place: Place) -> str:
    label = " ".join(place.label.split())
    short = label if len(label) <= _NAME_CHARACTERS else f"{label[: _NAME_CHARACTERS - 1]}…"
    return f"{short}  {place.value}"


def _fill(axes: Any, columns: Sequence[Column]) -> None:  # noqa: ANN401 - matplotlib's
    slots: list[dict[str, int]] = []
    at: list[dict[str, Place]] = []
    for column in columns:
        ordered = sorted(column.places, key=lambda place: (place.rank, place.label, place.method))
        # Of methods that share a rank, each stands on a line of its own: as many ranks follow that none has.
        slots.append({place.method: number for number, place in enumerate(ordered, 1)})
        at.append({place.method: place for place in ordered})
    methods = {place.method: place.label for column in columns for place in column.places}
    for number, method in enumerate(sorted(methods, key=lambda it: (methods[it], it))):
        heights = [each.get(method, float("nan")) for each in slots]
        colour = f"C{number % 10}"
        axes.plot(
            range(len(columns)),
            heights,
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=5,
            linewidth=1.4,
            linestyle=_LINE_STYLES[number // 10 % len(_LINE_STYLES)],
            color=colour,
            clip_on=False,
        )
        seen = [place for place, each in enumerate(at) if method in each]
        for place, side in _sides(seen, len(columns)):
            known = at[place][method]
            tied = "=" if sum(other.rank == known.rank for other in at[place].values()) > 1 else ""
            axes.annotate(
                f"{known.rank}{tied}  {_told(known)}",
                (place, slots[place][method]),
                xytext=(8 * side, 0),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=8,
                color=colour,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85},
                annotation_clip=False,
            )
    lowest = max(max(each.values()) for each in slots)
    axes.set_ylim(max(lowest, 2) + 0.5, 0.5)
    axes.set_xlim(*((-0.5, 0.5) if len(columns) == 1 else (0, len(columns) - 1)))
    axes.set_yticks([])
    for edge in ("top", "right", "left", "bottom"):
        axes.spines[edge].set_visible(False)
    axes.tick_params(axis="x", length=0, pad=6)
    for place in range(len(columns)):
        axes.axvline(place, color="0.88", zorder=0)


def _notes(columns: Sequence[Column], common: dict[str, str], width: float) -> str:
    count = len({place.method for column in columns for place in column.places})
    text = (
        f"{count} methods under {len(columns)} configuration{'' if len(columns) == 1 else 's'}; beside each name, its "
        "rank and its best recorded value there. Methods of equal rank (=) stand below each other. Ranks count all "
        "methods of a configuration, and values of two configurations are not comparable."
    )
    if common:
        text += f" All have {parts(common)}."
    return textwrap.fill(text, int(width * 13))
