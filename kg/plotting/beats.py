"""Who beats whom, as a graph in layers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kg.errors import Misuse
from kg.plotting.figures import figure, saved, settled, unit, width_of

if TYPE_CHECKING:
    from kg.analysis import Layers

__all__ = ["draw_beats"]

_BOX, _ROW, _GAP = 0.3, 0.28, 0.35  # inches: the height of one line's box, between two rows, between two boxes
_ABREAST = 8  # boxes of a layer side by side
_NAME_CHARACTERS, _PART_CHARACTERS = 26, 60
_HEADING, _LINE = 0.8, 0.15
_LEAST_WIDTH = 6.0
_MOST = 150


class _Box(NamedTuple):
    """A part: its names, and how wide and high they stand, in inches."""

    text: str
    width: float
    height: float
    is_cycle: bool


def draw_beats(layers: Layers, form: str) -> bytes:
    """Return the view ``beats`` as ``svg`` or ``png``: a method stands above those that it beats in most groups.

    A solid arrow leads from the better to the worse method where it is better in every group that the two share, a
    dashed one where only in most. Raises ``Misuse`` where matplotlib is missing, where no two methods are
    compared, where the groups are of several metrics, or for more than 150 methods.
    """
    if not layers.groups:
        raise Misuse("There is nothing to plot: no two methods have scores that may be compared.")
    metrics = {(group.benchmark, group.metric) for group in layers.groups}
    if len(metrics) > 1:
        raise Misuse(f"A plot is of one metric of a benchmark, and there are {len(metrics)}: name both.")
    if len(layers.labels) > _MOST:
        raise Misuse(f"{len(layers.labels)} methods are too many to be read in one plot; {_MOST} can be.")
    with settled():
        boxes = [_box([layers.labels[node] for node in part]) for part in layers.parts]
        rows = [row for layer in layers.layers for row in _rows(layer)]
        width = max(_LEAST_WIDTH, *(sum(boxes[part].width + _GAP for part in row) for row in rows))
        notes = _notes(layers, width)
        highs = [max(boxes[part].height for part in row) for row in rows]
        height = _HEADING + sum(highs) + _ROW * len(rows) + _LINE * (notes.count("\n") + 2)
        across = _across(rows, [box.width for box in boxes], width, layers.edges)
        drawn = figure(width, height)
        axes = drawn.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, width)
        axes.set_ylim(0, height)
        axes.set_axis_off()
        at: dict[int, tuple[float, float, int]] = {}
        top = height - _HEADING
        for number, (row, high) in enumerate(zip(rows, highs, strict=True)):
            at.update({part: (across[part], top - high / 2, number) for part in row})
            top -= high + _ROW
        _fill(axes, boxes, at, layers.edges)
        group = layers.groups[0]
        title = f"Who beats whom: {group.benchmark_label}, {group.metric_label}"
        axes.text(width / 2, height - 0.1, textwrap.fill(title, int(width * 9)), fontsize=11, ha="center", va="top")
        axes.text(0.05, 0.05, notes, fontsize=8, color="0.35", va="bottom")
        return saved(drawn, form)


def _box(labels: Sequence[str]) -> _Box:
    names = [" ".join(label.split()) for label in labels]
    names = [name if len(name) <= _NAME_CHARACTERS else f"{name[: _NAME_CHARACTERS - 1]}…" for name in names]
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + len(name) + 3 <= _PART_CHARACTERS:
            lines[-1] += f" · {name}"
        else:
            lines.append(name)
    width = max(map(width_of, lines)) + 0.2
    return _Box("\n".join(lines), width, _BOX + _LINE * (len(lines) - 1), is_cycle=len(labels) > 1)


def _rows(layer: Sequence[int]) -> list[list[int]]:
    """Return a layer in rows of equal length, so that none is too wide."""
    count = -(-len(layer) // _ABREAST)
    size = -(-len(layer) // count)
    return [list(layer[start : start + size]) for start in range(0, len(layer), size)]


def _across(
    rows: Sequence[list[int]], widths: Sequence[float], width: float, edges: Sequence[tuple[int, int, bool]]
) -> dict[int, float]:
    """Return how far right each box stands: below those that beat it, where there is room.

    It is the barycentre method of K. Sugiyama, S. Tagawa and M. Toda (1981), once from the top down.
    """
    places: dict[int, float] = {}
    for row in rows:
        wanted = {}
        for part in row:
            above = [places[one] for one, other, _ in edges if other == part and one in places]
            wanted[part] = sum(above) / len(above) if above else width / 2
        x = (width - sum(widths[part] + _GAP for part in row)) / 2
        for _, part in sorted((wanted[part], part) for part in row):
            places[part] = x + (widths[part] + _GAP) / 2
            x += widths[part] + _GAP
    return places


def _fill(
    axes: Any,  # noqa: ANN401 - matplotlib's
    boxes: Sequence[_Box],
    at: dict[int, tuple[float, float, int]],
    edges: Sequence[tuple[int, int, bool]],
) -> None:
    for above, below, always in edges:
        (x, y, row), (other_x, other_y, other_row) = at[above], at[below]
        # What passes other rows goes around the names there.
        bend = 0.0 if other_row == row + 1 else 0.18 if (above + below) % 2 else -0.18
        axes.annotate(
            "",
            xy=(other_x, other_y + boxes[below].height / 2),
            xytext=(x, y - boxes[above].height / 2),
            arrowprops={
                "arrowstyle": "-|>",
                "color": "0.45" if always else "C1",
                "linestyle": "-" if always else "--",
                "linewidth": 0.9,
                "shrinkA": 0,
                "shrinkB": 0,
                "connectionstyle": f"arc3,rad={bend}",
            },
            zorder=1,
        )
    for part, (x, y, _) in at.items():
        style = {"edgecolor": "C3", "linestyle": "--"} if boxes[part].is_cycle else {"edgecolor": "C0"}
        frame = {"boxstyle": "round,pad=0.35", "facecolor": "white", "linewidth": 0.9, **style}
        axes.text(x, y, boxes[part].text, fontsize=8, ha="center", va="center", linespacing=1.35, bbox=frame, zorder=2)


def _notes(layers: Layers, width: float) -> str:
    group = layers.groups[0]
    direction = group.direction_text.lower() or "direction not stated"
    count = len(layers.groups)
    text = (
        f"{group.metric_label} ({unit(group.unit_text)}), {direction}; {len(layers.labels)} methods in {count} "
        f"comparison group{'' if count == 1 else 's'}, each of one configuration. The best stand on top. An arrow "
        "leads from the better method to the worse: solid where it is better in every group that the two share, "
        "dashed where in most of them. Arrows that follow from others are left out."
    )
    if any(len(part) > 1 for part in layers.parts):
        text += " In a dashed frame are methods that cycles join: each beats some other there, and is beaten."
    return textwrap.fill(text, int(width * 13))
