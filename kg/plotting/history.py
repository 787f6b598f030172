"""The best recorded score over time as a plot."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from kg.errors import Misuse
from kg.plotting.figures import figure, parts, saved, settings, settled, unit

if TYPE_CHECKING:
    from kg.history import Board, Point, Series

__all__ = ["draw"]

_WIDTH = 8.0  # inches
_AXES_HEIGHT = 3.0
_LINE_HEIGHT = 0.19
_TITLE_HEIGHT, _TIMES_HEIGHT = 0.75, 0.65
_CHARACTERS = 96  # of the small print, across the whole width
_MARKERS = "osD^vPX*<>"
_LINE_STYLES = ("-", "--", "-.", ":")


def draw(boards: Sequence[Board], form: str) -> bytes:
    """Return a plot as ``svg`` or ``png``: for each metric an axis with its unit and direction, a line a configuration.

    A line goes on from the time of one state of the page to that of the next. Raises Misuse where matplotlib
    is missing, or no state with a time has a best score under a configuration.
    """
    shown = [(board, lines) for board in boards if (lines := [it for it in board.series if _dated(it)])]
    if not shown:
        raise Misuse(
            "There is nothing to plot: no state with a time has a ranked score under a recorded configuration."
        )
    texts = [[_legend(line) for line in lines] for _, lines in shown]
    small = [
        _wrapped(f"The best of what the pages read record: {board.series[0].points[-1].coverage}.")
        for board, _ in shown
    ]
    below = [
        _TIMES_HEIGHT + _LINE_HEIGHT * sum(text.count("\n") + 1.1 for text in (*legend, note))
        for legend, note in zip(texts, small, strict=True)
    ]
    height = sum(_TITLE_HEIGHT + _AXES_HEIGHT + each for each in below)
    with settled():
        drawn = figure(_WIDTH, height)
        top = height
        for (board, lines), legend, note, room in zip(shown, texts, small, below, strict=True):
            top -= _TITLE_HEIGHT
            box = (0.11, (top - _AXES_HEIGHT) / height, 0.85, _AXES_HEIGHT / height)
            axes = drawn.add_axes(box)
            _fill(axes, board, lines, legend)
            top -= _AXES_HEIGHT + room
            drawn.text(0.02, (top + 0.08) / height, note, fontsize=8, color="0.35", va="bottom")
        return saved(drawn, form)


def _dated(series: Series) -> list[Point]:
    return [point for point in series.points if point.first_updated]


def _fill(axes: Any, board: Board, lines: Sequence[Series], legend: Sequence[str]) -> None:  # noqa: ANN401 - matplotlib's
    from matplotlib.dates import AutoDateLocator, DateFormatter

    for place, (line, label) in enumerate(zip(lines, legend, strict=True)):
        times, values = _steps(_dated(line))
        # Lines that lie upon each other are told apart by their strokes and marks.
        axes.plot(
            times,
            values,
            drawstyle="steps-post",
            marker=_MARKERS[place % len(_MARKERS)],
            markersize=6,
            linestyle=_LINE_STYLES[place % len(_LINE_STYLES)],
            label=label,
        )
    points = [point for line in lines for point in _dated(line)]
    first, last = min(_time(it.first_updated) for it in points), max(_time(it.last_updated) for it in points)
    margin = max((last - first) / 20, timedelta(days=1))
    axes.set_xlim(first - margin, last + margin)
    axes.margins(y=0.15)
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.xaxis.set_major_locator(AutoDateLocator(minticks=3, maxticks=6))  # type: ignore[no-untyped-call]
    form = "%Y-%m-%d" if last - first > timedelta(days=6) else "%m-%d %H:%M"
    axes.xaxis.set_major_formatter(DateFormatter(form))  # type: ignore[no-untyped-call]
    axes.grid(visible=True, color="0.9")
    axes.set_axisbelow(True)
    axes.set_xlabel("Data updated (UTC)")
    direction = board.direction_text.lower() or "direction not stated"
    axes.set_ylabel(textwrap.fill(f"{board.metric_label} ({unit(board.unit_text)})", 34) + f"\n{direction}")
    axes.set_title(textwrap.fill(f"Best recorded score over time: {board.benchmark_label}", 72), fontsize=11)
    axes.legend(
        loc="upper left", bbox_to_anchor=(-0.1, -0.19), fontsize=8, frameon=False, borderaxespad=0, alignment="left"
    )


def _steps(points: Sequence[Point]) -> tuple[list[datetime], list[float]]:
    """Return where a line begins, changes and ends; what is no longer there is a gap."""
    times, values = [], []
    for point in points:
        value = float("nan") if point.value is None else float(point.value)
        times.append(_time(point.first_updated))
        values.append(value)
    if points[-1].last_updated != points[-1].first_updated:
        times.append(_time(points[-1].last_updated))
        values.append(values[-1])
    return times, values


def _time(text: str | None) -> datetime:
    assert text is not None
    return datetime.fromisoformat(text)


def _legend(series: Series) -> str:
    """Return a configuration as a legend tells it, broken between words."""
    return _wrapped(parts(settings(series.configuration)))


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _CHARACTERS)
