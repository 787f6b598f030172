"""``kg leaderboard``: the scores of a benchmark, ranked like with like, or pooled where that is asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import typer

from kg.cli.options import DEFAULT_STORE, TABLES, Quiet, StoreOption, TableForm, form_of, open_store
from kg.cli.output import write
from kg.cli.tables import as_json, camel, fields, print_records, settings, show_caveats, shown
from kg.comparison import Leaderboard, Pool, Standing, Table
from kg.errors import Misuse
from kg.vocabulary import BK

__all__ = ["add_to"]

_MOST = 20  # changes of places that are told one by one
# The columns of tables for people, and the fields that fill them; one without a value in a table is left out.
_COLUMNS = {
    "rank": "rank",
    "method": "method_label",
    "value": "value_text",
    "ignored": "ignored",
    "unranked": "unranked",
    "claim": "claim",
    "reported in": "reported_in",
    "date": "result_date",
    "result": "identifier",
}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("leaderboard", no_args_is_help=True)(print_leaderboard)


def print_leaderboard(
    benchmark: Annotated[str, typer.Argument(help="A benchmark: its name, the last part of its address, or its IRI.")],
    metric: Annotated[str, typer.Option("--metric", "-m", help="One metric; else each that has scores.")] = "",
    pool: Annotated[
        list[str] | None,
        typer.Option(
            "--pool",
            help="Rank as if these settings did not matter, and show which methods change places: names or JSON "
            "pointers. This compares unlike with unlike.",
            metavar="KEY[,KEY]",
        ),
    ] = None,
    form: TableForm = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Rank the recorded results of a benchmark: a table a configuration, never across.

    Example: kg leaderboard "Corrosion Grading on RustPlates-2 (val)" --metric "Macro F1"

    Example: kg leaderboard rustplates-2-val --pool Backbone
    """
    chosen = form_of(form, None, TABLES, "table")
    with open_store(store) as graph:
        boards = graph.leaderboard(benchmark, metric, pool=_keys(pool))
    if chosen == "json":
        write(as_json([{**fields(board), "coverage": board.coverage} for board in boards]))
    elif chosen in {"csv", "tsv"}:
        columns = list(dict.fromkeys([*_of_board, *_of_table, *(field.name for field in dataclasses.fields(Standing))]))
        columns = [*columns, "pooled"] if pool else [column for column in columns if column != "ignored"]
        print_records([camel(column) for column in columns], list(_standings(boards, columns)), chosen, {})
    else:
        for place, board in enumerate(boards):
            write("\n" if place else "")
            _show_leaderboard(board, chosen)


def _keys(pool: list[str] | None) -> list[str]:
    """Return the settings to ignore; raises Misuse for one without a name, which would pool nothing in silence."""
    if pool and not all(key.strip(" ,") for key in pool):
        raise Misuse("--pool needs the name of a setting, such as Backbone.")
    return pool or []


_of_board = ("benchmark", "benchmark_label", "metric", "metric_label", "unit_text", "direction_text")
_of_table = ("configuration", "group")


def _standings(boards: Iterable[Leaderboard], columns: Sequence[str]) -> Iterator[list[object]]:
    """Yield each score with the fields of its leaderboard and its table."""
    for board in boards:
        for table in board.tables:
            for standing in table.standings:
                yield [
                    _pooled(board)
                    if column == "pooled"
                    else getattr(board if column in _of_board else table if column in _of_table else standing, column)
                    for column in columns
                ]


def _pooled(board: Leaderboard) -> str:
    """Return the settings that a leaderboard ignores, as JSON pointers with blanks between."""
    return " ".join(board.pooled.keys) if board.pooled else ""


def _show_leaderboard(board: Leaderboard, form: str) -> None:
    mark, apart = ("# ", "\n") if form == "md" else ("", "")
    write(f"{mark}{shown(f'{board.metric_label} on {board.benchmark_label}', {})}\n")
    if board.unit_text or board.direction_text:
        write(f"{apart}{shown(f'{board.unit_text}, {board.direction_text}', {})}\n")
    if board.pooled:
        write(f"{apart}{_warning(board.pooled)}\n")
    for table in board.tables:
        is_pool = any(standing.ignored is not None for standing in table.standings)
        heading = _left(table, board.pooled) if is_pool else settings(table.configuration, table.group)
        write(f"\n{mark and '#'}{mark}{heading}\n")
        papers = {standing.reported_in for standing in table.standings}
        rows = [[_cell(standing, field) for field in _COLUMNS.values()] for standing in table.standings]
        kept = [
            place
            for place, column in enumerate(_COLUMNS)
            if any(row[place] not in {None, ""} for row in rows) and (column != "reported in" or len(papers) > 1)
        ]
        if len(papers) == 1:
            write(f"{apart}Reported in: {_key(*papers)}\n")
        write("\n")
        print_records([list(_COLUMNS)[place] for place in kept], [[row[at] for at in kept] for row in rows], form, {})
    if board.pooled:
        write("".join(_told(board.pooled, board.unit_text, form)))
    write(f"\n{shown(board.coverage, {})}\n")
    if len(board.tables) > 1:
        scope = "is pooled, or has one configuration" if board.pooled else "has one configuration"
        write(f"{apart}Each table {scope}; ranks of different tables are not comparable.\n")
    show_caveats(board.caveats, form)


def _named(keys: Iterable[str]) -> str:
    return shown(", ".join(key.removeprefix("/") for key in keys), {})


def _warning(pool: Pool) -> str:
    return f"POOLED: ranked as if {_named(pool.keys)} did not matter. Unlike is ranked with unlike here."


def _left(table: Table, pool: Pool | None) -> str:
    """Return what the scores of a pooled table have in common, and what is ignored."""
    keys = _named(pool.keys if pool else ())
    if table.configuration == "{}":
        return f"Pooled over {keys}, which is all that their configurations record"
    return f"{settings(table.configuration, 'pooled')} (pooled over {keys})"


def _told(pool: Pool, unit: str, form: str) -> Iterator[str]:
    """Yield, in lines, which pairs of methods change places, and how many pairs have no other order than this one."""
    unit = "" if unit == "SCALAR" else f" {shown(unit, {})}"
    yield "\n## What pooling changes\n\n" if form == "md" else "\n"
    pairs = f"{pool.pairs} pair{'s' * (pool.pairs != 1)} of methods ranked here"
    if pool.unlike:
        yield (
            f"Of {pairs}, {pool.unlike} can be compared under none of these configurations: pooling alone decides "
            "their order.\n"
        )
    elif pool.pairs:
        yield f"Of {pairs}, each can also be compared under one of these configurations.\n"
    count = len(pool.reversals)
    if not count:
        yield "\n" if form == "md" else ""
        yield "No pair comes the other way round where the two can be compared.\n"
        return
    yield "\n" if form == "md" else ""
    yield f"{count} time{'s' * (count != 1)} a pair comes the other way round where the two can be compared:\n"
    yield "\n" if form == "md" else ""
    for each in pool.reversals[:_MOST]:
        one, other = shown(each.method_label, {}), shown(each.other_label, {})
        yield (
            f"- {one} ({each.value:f}) before {other} ({each.other_value:f}) here; {other} is better under "
            f"{settings(each.configuration, each.group)}: {each.like_other_value:f} against {each.like_value:f}{unit}\n"
        )
    if count > _MOST:
        yield f"- and {count - _MOST} more; -f json has all\n"


_SHORT = {BK.OwnMethod[1:-1]: "own", BK.OthersMethod[1:-1]: "other"}


def _cell(standing: Standing, field: str) -> object:
    """Return what a table for people shows of a score, as short as it can be told."""
    value = getattr(standing, field)
    if field == "ignored":
        return settings(value, "pooled") if value is not None else None
    if field == "claim":
        return _SHORT.get(value or "", "unknown")
    return _key(value) if field == "reported_in" else value


def _key(address: str | None) -> str:
    return address.rsplit("/", 1)[-1] if address else "not recorded"
