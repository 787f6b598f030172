"""``kg leaderboard``, ``kg compare`` and ``kg trace``: the questions asked most, answered for people."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Annotated, Any

import typer

from kg.cli.options import DEFAULT_STORE, TABLES, Quiet, StoreOption, TableForm, TextForm, form_of, open_store
from kg.cli.output import write
from kg.cli.tables import as_json, print_records, shown
from kg.comparison import CLAIMS, Comparison, Leaderboard, Like, Unlike
from kg.rows import Rows

__all__ = ["add_to"]

_PERCENT = "PERCENT"
_COLUMNS = ("rank", "method", "value", "claim", "reported in", "date", "result")


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("leaderboard", no_args_is_help=True)(print_leaderboard)
    app.command(no_args_is_help=True)(compare)
    app.command(no_args_is_help=True)(trace)


def print_leaderboard(
    benchmark: Annotated[str, typer.Argument(help="A benchmark: its name, the last part of its address, or its IRI.")],
    metric: Annotated[str, typer.Option("--metric", "-m", help="One metric; else each that has scores.")] = "",
    form: TableForm = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Rank the recorded results of a benchmark: a table a configuration, never across.

    Example: kg leaderboard "Corrosion Grading on RustPlates-2 (val)" --metric "Macro F1"
    """
    chosen = form_of(form, None, TABLES, "table")
    with open_store(store) as graph:
        boards = graph.leaderboard(benchmark, metric)
    if chosen == "json":
        write(as_json([{**dataclasses.asdict(board), "coverage": board.coverage} for board in boards]))
    elif chosen in {"csv", "tsv"}:
        rows = [
            (board.benchmark_label, board.metric_label, board.unit, table.configuration or "", *_cells(standing))
            for board in boards
            for table in board.tables
            for standing in table.standings
        ]
        print_records(("benchmark", "metric", "unit", "configuration", *_COLUMNS), rows, chosen, {})
    else:
        for place, board in enumerate(boards):
            write("\n" if place else "")
            _show_leaderboard(board, chosen)


def _cells(standing: Any) -> tuple[object, ...]:  # noqa: ANN401 - kg.comparison.Standing
    value = standing.text if standing.unranked is None else f"{standing.text} ({standing.unranked})"
    date = "" if standing.date is None else str(standing.date)
    return standing.rank, standing.label, value, standing.claim, _key(standing.paper), date, standing.identifier


def _key(address: str | None) -> str:
    return address.rsplit("/", 1)[-1] if address else "not recorded"


def _show_leaderboard(board: Leaderboard, form: str) -> None:
    mark = "# " if form == "md" else ""
    write(f"{mark}{shown(f'{board.metric_label} on {board.benchmark_label}', {})}\n")
    if board.unit or board.direction:
        write(f"{shown(f'{board.unit}, {board.direction}', {})}\n")
    for table in board.tables:
        write(f"\n{mark and '#'}{mark}{_settings(table.configuration, table.group)}\n\n")
        print_records(_COLUMNS, [_cells(standing) for standing in table.standings], form, {})
    write(f"\n{board.coverage}\n")
    if len(board.tables) > 1:
        write("Each table has one configuration; ranks of different tables are not comparable.\n")
    _show_caveats(board.caveats)


def _show_caveats(caveats: Iterable[str]) -> None:
    lines = [f"- {shown(caveat, {})}\n" for caveat in caveats]
    if lines:
        write("Caveats:\n" + "".join(lines))


def _settings(configuration: str | None, group: str | None) -> str:
    """Return a configuration as people read it: ``Backbone: ResNet-50; Tuning Method: ...``."""
    if configuration is None:
        return "No configuration recorded: compared with nothing"
    try:
        settings = json.loads(configuration, parse_float=str, parse_int=str)
        text = "; ".join(
            f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in settings.items()
        )
    except (ValueError, AttributeError, RecursionError):
        text = configuration
    return shown(text if group else f"{text} (not fully recorded: compared with nothing)", {})


def compare(
    methods: Annotated[
        list[str],
        typer.Argument(help="Two or more methods: name, last part of the IRI, or IRI.", metavar="METHOD METHOD..."),
    ],
    benchmark: Annotated[str, typer.Option("--benchmark", "-b", help="Only on this benchmark.")] = "",
    form: TextForm = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Compare methods pair by pair: the difference where scores are alike, else what differs or is unknown.

    Example: kg compare Larch Quill
    """
    chosen = form_of(form, None, ("text", "json"), "text")
    with open_store(store) as graph:
        found = graph.compare(*methods, benchmark=benchmark)
    if chosen == "json":
        write(as_json([{**dataclasses.asdict(pair), "verdict": pair.verdict} for pair in found]))
        return
    for place, comparison in enumerate(found):
        write("\n" if place else "")
        write("".join(f"{line}\n" for line in _told(comparison)))
        _show_caveats(comparison.caveats)


def _told(comparison: Comparison) -> Iterator[str]:
    one, other = shown(comparison.label, {}), shown(comparison.other_label, {})
    yield f"{one} and {other}: {comparison.verdict}"
    boards = {(pair.benchmark, pair.metric) for pair in comparison.like}
    boards |= {(pair.benchmark, pair.metric) for pair in comparison.unlike}
    for benchmark, metric in sorted(boards, key=str):
        yield ""
        yield shown(f"{metric or 'any metric'} on {benchmark}", {})
        for like in comparison.like:
            if (like.benchmark, like.metric) == (benchmark, metric):
                yield f"  {_difference(like, one, other)}"
        for unlike in comparison.unlike:
            if (unlike.benchmark, unlike.metric) == (benchmark, metric):
                yield f"  {_why_not(unlike, one, other)}"
    if not boards:
        yield "They share no benchmark with scores."


def _difference(like: Like, one: str, other: str) -> str:
    unit = "percentage points" if like.unit == _PERCENT else shown(like.unit, {})
    sign = "+" if like.difference > 0 else ""
    verdict = f"{one} is better" if like.difference > 0 else f"{other} is better" if like.difference < 0 else "equal"
    return (
        f"{sign}{like.difference:f} {unit}: {verdict} ({_number(like.value, like.spread)} against "
        f"{_number(like.other_value, like.other_spread)}; {shown(like.direction, {}).lower()}) "
        f"under {_settings(like.configuration, 'group')}"
    )


def _number(value: Decimal, spread: Decimal | None) -> str:
    return f"{value:f}" if spread is None else f"{value:f} ± {spread:f}"


def _why_not(unlike: Unlike, one: str, other: str) -> str:
    verdict = "unknown" if unlike.reason.startswith(("unknown", "no conf", "unreadable")) else "not comparable"
    parts = [f"{key.removeprefix('/')}: {_setting(mine)} | {_setting(yours)}" for key, mine, yours in unlike.differs]
    who = {"first": one, "second": other}.get(unlike.side, "")
    if unlike.reason in {"other benchmark", "other metric"}:
        why = f"only {who} has scores here ({unlike.reason})"
    else:
        why = f"{unlike.reason}{who and f' ({who})'}" + (f" - {'; '.join(parts)}" if parts else "")
    values = " and ".join(text for text in (unlike.text, unlike.other_text) if text)
    return shown(f"{verdict}: {why}" + (f"  [{values}]" if values else ""), {})


def _setting(value: object) -> str:
    text = "none" if value is None else f"{value:f}" if isinstance(value, Decimal) else str(value)
    return "not recorded" if text.endswith("#NotRecorded") else text


def trace(
    result: Annotated[str, typer.Argument(help="A result: its id or IRI.", metavar="RESULT")],
    form: TextForm = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Follow a number to its page, lines, text as printed, snapshot hash, papers and configuration.

    Example: kg trace b121e11df112051240ced5a3
    """
    chosen = form_of(form, None, ("text", "json", "csv", "tsv"), "text")
    with open_store(store) as graph:
        found = graph.trace(result)
        if chosen == "text":
            write("".join(f"{line}\n" for line in _traced(found.rows)))
            _show_caveats(found.caveats)
        elif chosen == "json":
            write(
                as_json(
                    {"rows": found.rows.to_dicts(), "problems": found.problems.to_dicts(), "caveats": found.caveats}
                )
            )
        else:
            write(found.rows.text(chosen))


def _lines(fragment: str) -> str:
    first, last = fragment.removeprefix("line=").split(",")
    return f"line {last}" if int(last) == int(first) + 1 else f"lines {int(first) + 1}-{last}"


def _traced(rows: Rows) -> Iterator[str]:
    row = rows[0]
    yield shown(f"{row.methodLabel} on {row.benchmarkLabel}", {})
    facts = {
        "result": f"{row.identifier}  <{row.result}>",
        "claim": f"{CLAIMS.get(row.claim or '', 'not known')} of the reporting paper, as recorded",
        "reported in": row.reportedIn or "not recorded",
        "method from": row.originPaper or "not recorded",
        "configuration": row.configurationText or "not recorded",
        "result date": row.resultDate or "not recorded",
        "reproduction": (row.reproductionStatus or "not recorded").rsplit("#", 1)[-1],
    }
    links = dict.fromkeys((it.recordedUrl, it.codeRepository) for it in rows if it.recordedUrl)
    if links:
        facts["implementation"] = "; ".join(
            recorded if repaired in {None, recorded} else f"{repaired} (recorded as {recorded})"
            for recorded, repaired in links
        )
    yield from (f"  {name + ':':<16}{shown(value, {})}" for name, value in facts.items())
    for score in dict.fromkeys(it.score for it in rows):
        places = [it for it in rows if it.score == score]
        first = places[0]
        value = "no single number" if first.value is None else _number(first.value, first.spread)
        direction = first.directionText or "no direction"
        yield shown(f"  {first.metricLabel}: {value} {first.unitText or ''} ({direction})", {})
        for place in dict.fromkeys((it.page, it.lines, it.rowIndex, it.text, it.sha256, it.modified) for it in places):
            page, lines, row_index, text, sha256, modified = place
            what = f"row {row_index} of the table" if row_index else "its section"
            yield shown(f"    {text!r} in {what}, {_lines(lines)} of {page}", {})
            state = modified.isoformat().replace("+00:00", "Z") if modified else "no recorded time"
            yield f"      state of {state}, SHA-256 {sha256}"
