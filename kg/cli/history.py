"""``kg history``: what became of a score, and of the best of a benchmark, over the archived states of pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from kg import api
from kg.cli.options import DEFAULT_STORE, TEXTS, Quiet, StoreOption, TextForm, form_of, open_store
from kg.cli.output import Progress, check_writable, say, write
from kg.cli.tables import as_json, camel, fields, print_records, settings, shown
from kg.errors import Misuse
from kg.history import Board, History, Point, State

__all__ = ["add_to"]

_NOT_STATED = "not stated"
_OF_BOARD = ("benchmark", "benchmark_label", "metric", "metric_label", "unit_text", "direction_text")
_OF_SERIES = ("configuration", "group")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("history", no_args_is_help=True)(print_history)


def print_history(
    name: Annotated[str, typer.Argument(help="A result, a method or a benchmark.", metavar="RESULT|METHOD|BENCHMARK")],
    metric: Annotated[str, typer.Option("--metric", "-m", help="Only this metric.")] = "",
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the best of a benchmark to this file, .svg or .png.", metavar="FILE"),
    ] = None,
    form: TextForm = None,
    store: StoreOption = DEFAULT_STORE,
    archive: Annotated[
        Path | None,
        typer.Option("--archive", help="The archive of pages; else the one beside the store.", metavar="FOLDER"),
    ] = None,
    _quiet: Quiet = False,
) -> None:
    """Tell what became of a score, or of the best of a benchmark, over the states of pages in the archive.

    Of a result or a method: every state of its scores, with the time that the page states and where it was read.
    Of a benchmark: the best recorded score over time, configuration by configuration, never across.

    Example: kg history Larch --metric "Macro F1"
    """
    chosen = form_of(form, None, TEXTS, "text")
    drawn = plot.suffix.removeprefix(".").lower() if plot else ""
    if plot:
        from kg.plotting import FORMATS

        if drawn not in FORMATS:
            raise Misuse(f"A plot is written as .svg or .png; {plot.name!r} ends otherwise.")
        check_writable(plot)
    if archive is None and store.is_file():
        raise Misuse(f"{store} is a file and has no archive beside it; name one with --archive.")
    with open_store(store) as graph, Progress("Reading the past") as bar:
        found = api.history_of(
            graph, name, archive=archive or f"{store}-archive", metric=metric, moved=bar.advance, counted=bar.count
        )
    if plot:
        _draw(found, plot, drawn)
    if chosen == "json":
        write(as_json(found))
    elif chosen in {"csv", "tsv"}:
        _print_rows(found, chosen)
    else:
        write("".join(_told(found, chosen)))
        _print_tables(found, chosen)
    for caveat in found.caveats:
        say(caveat, style="yellow", always=True)
    if found.caveats:
        raise typer.Exit(1)


def _draw(found: History, plot: Path, form: str) -> None:
    from kg.files import replacing
    from kg.plotting import draw

    if found.kind != "benchmark":
        raise Misuse(
            f"A plot shows the best scores of a benchmark; {found.node} is a {found.kind}. Name its benchmark."
        )
    drawing = draw(found.boards, form)
    with replacing(plot) as file:
        file.write(drawing)
    say(f"Drew {plot}.")


def _print_rows(found: History, form: str) -> None:
    if found.kind == "benchmark":
        of_point = [field.name for field in dataclasses.fields(Point)]
        columns = [camel(name) for name in (*_OF_BOARD, *_OF_SERIES, *of_point)]
        rows = [
            [*(getattr(board, name) for name in _OF_BOARD), *(getattr(series, name) for name in _OF_SERIES)]
            + [_flat(getattr(point, name)) for name in of_point]
            for board in found.boards
            for series in board.series
            for point in series.points
        ]
    else:
        columns = [camel(field.name) for field in dataclasses.fields(State)]
        rows = [[_flat(value) for value in fields(state).values()] for state in found.states]
    print_records(columns, rows, form, {})


def _flat(value: object) -> object:
    return "; ".join(value) if isinstance(value, tuple) else value


def _told(found: History, form: str) -> Iterator[str]:
    mark = "# " if form == "md" else ""
    what = "The best recorded over time" if found.kind == "benchmark" else "Every state of its scores"
    label = next((it.benchmark_label for it in found.boards), found.node)
    if found.kind != "benchmark":
        label = next((it.method_label or "" for it in reversed(found.states) if it.method_label), found.node)
    yield f"{mark}{shown(label, {})}\n{mark and chr(10)}{what}, from {found.snapshots} archived states of pages.\n"


def _print_tables(found: History, form: str) -> None:
    for board in found.boards:
        _print_board(board, form)
    for score in dict.fromkeys((it.metric, it.result) for it in found.states):
        _print_score([it for it in found.states if (it.metric, it.result) == score], form)
    if not found.boards and not found.states:
        write("\nNo archived state of a page has a score of it.\n")


def _print_score(states: list[State], form: str) -> None:
    last = states[-1]
    mark = "## " if form == "md" else ""
    heads = (f"{last.metric_label} on {last.benchmark_label}", f"({last.unit_text}, {last.direction_text})")
    write(f"\n{mark}{shown(' '.join(heads), {})}\n{mark and chr(10)}Result {shown(last.identifier, {})}\n\n")
    columns = [
        "updated",
        "last seen",
        "value",
        "changed",
        "configuration",
        "reported in",
        "lines",
        "state",
        "first read",
    ]
    rows = [
        [
            *_times(state.first_updated, state.last_updated),
            state.value_text or state.presence,
            ", ".join(state.changed),
            settings(state.configuration, state.group) if state.presence == "recorded" else None,
            _key(state.reported_in),
            _ranges(state.lines),
            (state.sha256 or "")[:16],
            state.first_retrieved,
        ]
        for state in states
    ]
    _print(columns, rows, form)
    write(f"{mark and chr(10)}{shown(last.coverage, {})}\n")


def _print_board(board: Board, form: str) -> None:
    mark = "## " if form == "md" else ""
    write(f"\n{mark}{shown(f'{board.metric_label} ({board.unit_text}, {board.direction_text})', {})}\n")
    for series in board.series:
        write(f"\n{mark and '#'}{mark}{settings(series.configuration, series.group)}\n\n")
        covered = {point.coverage for point in series.points}
        columns = ["updated", "last seen", "best", "method", "result", "of", "lines", "state", "first read", "coverage"]
        rows = [
            [
                *_times(point.first_updated, point.last_updated),
                point.value_text or "none",
                ", ".join(point.method_labels),
                ", ".join(result.rsplit("/", 1)[-1] for result in point.results),
                point.scores,
                _ranges(point.lines),
                (point.sha256 or "")[:16],
                point.first_retrieved,
                point.coverage if len(covered) > 1 else None,
            ]
            for point in series.points
        ]
        _print(columns, rows, form)
        if len(covered) == 1:
            write(f"{mark and chr(10)}{shown(min(covered), {})}\n")
    if not board.series:
        write(f"{mark and chr(10)}No score has a rank under a recorded configuration, so nothing is the best.\n")
    for apart in board.apart:
        scores = f"{apart.scores} score{'s' * (apart.scores != 1)}"
        until = _times(apart.first_updated, apart.last_updated)
        write(f"\nIn no series: up to {scores} at a time ({apart.reason}), {until[0]} to {until[1]}.\n")
    if len(board.series) > 1:
        write("\nEach table has one configuration; the best of different tables are not comparable.\n")


def _print(columns: Sequence[str], rows: Sequence[Sequence[object]], form: str) -> None:
    """Print a table without the columns that are empty."""
    kept = [at for at in range(len(columns)) if any(row[at] not in {None, ""} for row in rows)]
    print_records([columns[at] for at in kept], [[row[at] for at in kept] for row in rows], _table(form), {})


def _table(form: str) -> str:
    return "table" if form == "text" else form


def _times(first: str | None, last: str | None) -> list[str]:
    return [first or _NOT_STATED, last or _NOT_STATED]


def _key(node: str | None) -> str:
    return node.rsplit("/", 1)[-1] if node else ""


def _ranges(lines: str | None) -> str:
    from kg.quality import line_range

    return ", ".join(line_range(each) for each in (lines or "").split()).replace("lines ", "").replace("line ", "")
