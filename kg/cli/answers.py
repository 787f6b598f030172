"""``kg compare`` and ``kg trace``: two questions asked often, answered for people."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated

import typer

from kg.cli.options import DEFAULT_STORE, TEXTS, Quiet, StoreOption, TextForm, form_of, open_store
from kg.cli.output import write
from kg.cli.tables import as_json, fields, lexical, print_records, settings, show_caveats, shown
from kg.comparison import CLAIMS, Comparison, Like, Unlike
from kg.quality import line_range
from kg.rows import Rows
from kg.vocabulary import BK

__all__ = ["add_to"]

_PERCENT = "PERCENT"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(no_args_is_help=True)(compare)
    app.command(no_args_is_help=True)(trace)


def _claim(claim: str | None) -> str:
    return CLAIMS.get(claim or "", "not known")


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
    chosen = form_of(form, None, TEXTS, "text")
    with open_store(store) as graph:
        found = graph.compare(*methods, benchmark=benchmark)
    if chosen == "json":
        write(as_json([_record(pair) for pair in found]))
        return
    if chosen in {"csv", "tsv"}:
        print_records(_PAIR, [_flat(pair, each) for pair in found for each in _pairs(pair)], chosen, {})
        return
    for place, comparison in enumerate(found):
        write("\n" if place else "")
        write("".join(f"{line}\n" for line in _told(comparison, chosen)))
        show_caveats(comparison.caveats, chosen)


_PAIR = (
    *("method", "methodLabel", "other", "otherLabel", "benchmark", "benchmarkLabel", "metric", "metricLabel"),
    *("group", "configuration", "value", "otherValue", "difference", "unitText", "directionText"),
    *(
        "spread",
        "otherSpread",
        "beyondSpreads",
        "certainty",
        "claim",
        "otherClaim",
        "reason",
        "side",
        "differs",
        "valueText",
        "otherValueText",
    ),
    *("result", "otherResult"),
)


def _record(comparison: Comparison) -> dict[str, object]:
    like = [{**fields(pair), "certainty": pair.certainty} for pair in comparison.like]
    return {**fields(comparison), "like": like, "verdict": comparison.verdict}


def _pairs(comparison: Comparison) -> list[Like | Unlike]:
    return [*comparison.like, *comparison.unlike]


def _flat(comparison: Comparison, pair: Like | Unlike) -> list[object]:
    """Return two scores as a row: a difference or, with the settings as JSON, the reason why there is none."""
    row = {**fields(comparison), **fields(pair), "certainty": pair.certainty if isinstance(pair, Like) else None}
    if row.get("differs"):
        row["differs"] = as_json(row["differs"], indent=None).strip()
    return [row.get(column) or None if column == "differs" else row.get(column) for column in _PAIR]


def _told(comparison: Comparison, form: str) -> Iterator[str]:
    mark, item = ("# ", "- ") if form == "md" else ("", "  ")
    one, other = shown(comparison.method_label, {}), shown(comparison.other_label, {})
    yield f"{mark}{one} and {other}: {comparison.verdict}"
    pairs = _pairs(comparison)
    boards = {(pair.benchmark_label, pair.metric_label, pair.benchmark, pair.metric) for pair in pairs}
    for benchmark, metric, *nodes in sorted(boards, key=str):
        yield ""
        head = f"{metric or 'any metric'} on {benchmark}"
        yield f"{mark and '#'}{mark}{shown(head, {})}"
        if mark:
            yield ""
        for pair in pairs:
            if [pair.benchmark, pair.metric] == nodes:
                told = _difference(pair, one, other) if isinstance(pair, Like) else _why_not(pair, one, other)
                yield f"{item}{told}"
    if not boards:
        yield "They share no benchmark with scores."


def _difference(like: Like, one: str, other: str) -> str:
    unit = "percentage points" if like.unit_text == _PERCENT else shown(like.unit_text, {})
    sign = "+" if like.difference > 0 else ""
    verdict = f"{one} is better" if like.difference > 0 else f"{other} is better" if like.difference < 0 else "equal"
    return (
        f"{sign}{like.difference:f} {unit}: {verdict} ({_number(like.value, like.spread)} against "
        f"{_number(like.other_value, like.other_spread)}; {shown(like.direction_text, {}).lower()}) "
        f"under {settings(like.configuration, 'group')}; {like.certainty}"
    )


def _number(value: Decimal, spread: Decimal | None) -> str:
    return f"{value:f}" if spread is None else f"{value:f} ± {spread:f}"


def _why_not(unlike: Unlike, one: str, other: str) -> str:
    verdict = "unknown" if unlike.reason.startswith(("unknown", "no conf", "unreadable")) else "not comparable"
    parts = [
        f"{each.key.removeprefix('/')}: {_setting(each.setting)} | {_setting(each.other_setting)}"
        for each in unlike.differs
    ]
    who = {"first": one, "second": other}.get(unlike.side, "")
    if unlike.reason in {"other benchmark", "other metric"}:
        why = f"only {who} has scores here ({unlike.reason})"
    else:
        why = f"{unlike.reason}{who and f' ({who})'}" + (f" - {'; '.join(parts)}" if parts else "")
    values = " and ".join(text for text in (unlike.value_text, unlike.other_value_text) if text)
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
    chosen = form_of(form, None, TEXTS, "text")
    with open_store(store) as graph:
        found = graph.trace(result)
        if chosen in {"text", "md"}:
            write("".join(f"{line}\n" for line in _traced(found.rows, chosen)))
            show_caveats(found.caveats, chosen)
        elif chosen == "json":
            write(
                as_json(
                    {"rows": found.rows.to_dicts(), "problems": found.problems.to_dicts(), "caveats": found.caveats}
                )
            )
        else:
            write(found.rows.text(chosen))


_REPRODUCTION = {
    BK.ReproductionNotAsserted[1:-1]: "independent reproduction not asserted",
    BK.Reproduced[1:-1]: "independently reproduced",
    BK.ReproductionFailed[1:-1]: "independent reproduction failed",
}


def _traced(rows: Rows, form: str) -> Iterator[str]:
    row = rows[0]
    mark, item, width = ("# ", "- ", 0) if form == "md" else ("", "  ", 16)
    yield f"{mark}{shown(f'{row.methodLabel} on {row.benchmarkLabel}', {})}"
    if mark:
        yield ""
    facts = {
        "result": f"{row.identifier}  <{row.result}>",
        "claim": f"{_claim(row.claim)}, as recorded",
        "reported in": row.reportedIn or "not recorded",
        "method from": row.originPaper or "not recorded",
        "configuration": row.configurationText or "not recorded",
        "result date": row.resultDate or "not recorded",
        "reproduction": _REPRODUCTION.get(row.reproductionStatus or "", "not recorded"),
    }
    links = dict.fromkeys((it.recordedUrl, it.codeRepository) for it in rows if it.recordedUrl)
    if links:
        facts["implementation"] = "; ".join(
            recorded if repaired in {None, recorded} else f"{repaired} (recorded as {recorded})"
            for recorded, repaired in links
        )
    yield from (f"{item}{name + ':':<{width}}{' ' if mark else ''}{shown(value, {})}" for name, value in facts.items())
    for score in dict.fromkeys(it.score for it in rows):
        places = [it for it in rows if it.score == score]
        first = places[0]
        value = "no single number" if first.value is None else _number(first.value, first.spread)
        direction = first.directionText or "no direction"
        scored = f"{first.metricLabel}: {value} {first.unitText or ''} ({direction})"
        yield f"{item}{shown(scored, {})}"
        for place in dict.fromkeys((it.page, it.lines, it.rowIndex, it.text, it.sha256, it.modified) for it in places):
            page, lines, row_index, text, sha256, modified = place
            what = f"row {row_index} of the table" if row_index else "its section"
            yield f"  {item}{shown(f'{text!r} in {what}, {line_range(lines)} of {page}', {})}"
            yield f"    {item}state of {lexical(modified) or 'no recorded time'}, SHA-256 {sha256}"
