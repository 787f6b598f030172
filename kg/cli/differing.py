"""``kg diff``: what is different between two graphs, or between two days of one."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from kg import api
from kg.cli.options import DEFAULT_STORE, TEXTS, Quiet, TextForm, form_of
from kg.cli.output import say, show_problems, styled, write
from kg.cli.tables import as_json, camel, print_records, shown
from kg.difference import KINDS, Change, Difference, Loss
from kg.knowledge_graph import KnowledgeGraph
from kg.quality import line_range
from kg.sides import Place

__all__ = ["add_to"]

_NAMED = 3
_MARKUP = re.compile(r"([\\`*_{}\[\]<#|~&!])")
_COLUMNS = [field.name for field in dataclasses.fields(Change)]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(no_args_is_help=True)(diff)


def diff(
    old: Annotated[str, typer.Argument(help="The older: a store, an RDF file, or a day, as 2026-02-26.", metavar="A")],
    new: Annotated[str, typer.Argument(help="The newer: the same.", metavar="B")],
    form: TextForm = None,
    store: Annotated[
        Path,
        typer.Option(
            "--store", envvar="KG_STORE", help="The store whose archive knows the days named.", metavar="FOLDER"
        ),
    ] = DEFAULT_STORE,
    archive: Annotated[
        Path | None,
        typer.Option("--archive", help="That archive; else the one beside the store.", metavar="FOLDER"),
    ] = None,
    _quiet: Quiet = False,
) -> None:
    """Compare two graphs, or two days of one: what was added, removed or changed.

    Facts are compared, not lines: another order of rows or a later time of update is no difference. A day stands
    for the pages of the archive as they were at its end. Exit code 1 says that there are differences.

    Example: kg diff 2026-02-26 kg-store
    """
    chosen = form_of(form, None, TEXTS, "text")
    with _opened(old, store, archive) as before, _opened(new, store, archive) as after:
        found = api.diff(before, after)
    if chosen == "json":
        write(
            as_json({"old": old, "new": new, **{name: getattr(found, name) for name in ("lost", "changes", "moved")}})
        )
    elif chosen in {"csv", "tsv"}:
        for loss in found.lost:
            say(_loss(loss), style="red", always=True)
        print_records([camel(column) for column in _COLUMNS], [_flat(change) for change in found.changes], chosen, {})
    else:
        told = _markdown if chosen == "md" else _text
        write("".join(f"{line}\n" for line in told(found, f"{old} -> {new}")))
    if found:
        raise typer.Exit(1)


def _opened(source: str, store: Path, archive: Path | None) -> KnowledgeGraph:
    """Open a side; what could not be read of a day is said, since its rows would seem to be missing there."""
    graph = api.open_state(source, store=store, archive=archive, workers=0)
    if graph.report:
        show_problems(graph.report.errors)
    return graph


def _flat(change: Change) -> list[object]:
    """Return a change as a row; places are IRIs of quotations, with a blank between them."""
    values = [getattr(change, column) for column in _COLUMNS]
    return [" ".join(map(_quotation, value)) if isinstance(value, tuple) else value for value in values]


def _quotation(place: Place) -> str:
    return f"{place.snapshot}#{place.lines}" if place.lines else place.snapshot


def _loss(loss: Loss) -> str:
    said = f"{loss.gone} of {loss.old} results gone, {loss.new} now" if loss.gone else f"{loss.new} results as before"
    if loss.old_total is not None and loss.new_total is not None and loss.new_total < loss.old_total:
        said += f"; the pages count {loss.new_total} in all where they counted {loss.old_total}"
    return f"LOST ROWS: {loss.metric_label} on {loss.benchmark_label}: {said}"


def _summary(found: Difference) -> str:
    if not found:
        return "no differences"
    kinds = Counter(change.kind for change in found.changes)
    total = len(found.changes)
    counted = ", ".join(f"{kinds[kind]} {name}" for kind, name in KINDS.items() if kind in kinds)
    return f"{total} difference{'s' * (total != 1)} ({counted})"


def _moved(found: Difference) -> Iterator[str]:
    """Yield the one line about pages that are no difference."""
    if found.moved:
        more = len(found.moved) - _NAMED
        named = "; ".join(found.moved[:_NAMED]) + (f"; and {more} more" if more > 0 else "")
        pages = len(found.moved)
        yield f"Other bytes and the same facts, so no difference: {pages} page{'s' * (pages != 1)} ({named})"


def _text(found: Difference, sides: str) -> Iterator[str]:
    yield from (styled(shown(_loss(loss), {}), "red", sys.stdout) for loss in found.lost)
    yield shown(f"{sides}: {_summary(found)}", {})
    for benchmark, of_benchmark in _grouped(found.changes, "benchmark"):
        yield ""
        yield shown(benchmark or "no benchmark", {})
        for metric, changes in _grouped(of_benchmark, "metric"):
            yield f"  {shown(metric or 'the benchmark itself', {})}"
            for change in changes:
                yield f"    {shown(_said(change), {})}"
                yield from (f"      {name}: {shown(place, {})}" for name, place in _places(change))
    if found.moved:
        yield ""
    yield from (shown(line, {}) for line in _moved(found))


def _markdown(found: Difference, sides: str) -> Iterator[str]:
    """Yield the lines of a Markdown document, in which no name is taken for markup (https://spec.commonmark.org)."""
    for loss in found.lost:
        yield f"**{_literally(_loss(loss))}**"
        yield ""
    yield f"# {_literally(sides)}"
    yield ""
    yield _literally(f"{_summary(found)}.")
    for benchmark, of_benchmark in _grouped(found.changes, "benchmark"):
        yield ""
        yield f"## {_literally(benchmark or 'no benchmark')}"
        for metric, changes in _grouped(of_benchmark, "metric"):
            yield ""
            yield f"### {_literally(metric or 'the benchmark itself')}"
            yield ""
            for change in changes:
                yield f"- {_literally(_said(change))}"
                yield from (f"  - {name}: {_literally(place)}" for name, place in _places(change))
    for line in _moved(found):
        yield ""
        yield _literally(line)


def _literally(text: str) -> str:
    return _MARKUP.sub(r"\\\1", shown(text, {}))


def _grouped(changes: Iterable[Change], kind: str) -> Iterator[tuple[str, list[Change]]]:
    """Yield the name of each benchmark, or metric, with its changes; two of one name stay two."""
    for _, group in groupby(changes, key=lambda it: getattr(it, kind)):
        found = list(group)
        yield getattr(found[0], f"{kind}_label") or getattr(found[0], kind), found


def _said(change: Change) -> str:
    """Return a change as a sentence."""
    told = KINDS[change.kind]
    old, new = change.old or "not stated", change.new or "not stated"
    match change.kind:
        case "score-added" | "score-removed":
            told = f"{told}: {change.method_label} {change.new or change.old}"
        case "score-changed":
            verdict = {"": "", "equal": " (equal as numbers)"}.get(change.verdict, f" ({change.verdict})")
            told = f"{told}: {change.method_label} {old} -> {new}{verdict}"
        case "method-renamed":
            told = f"{told}: {old} -> {new}"
        case "page-gone" | "page-new":
            told = f"{told}: {change.old or change.new}"
        case "result-changed":
            told = f"{told}: {change.method_label}, {change.fact}: {old} -> {new}"
        case "benchmark-changed" | "metric-changed" | "coverage-changed":
            told = f"{told}: {change.fact}: {old} -> {new}"
    return f"{told}  [result {change.identifier or change.result}]" if change.result else told


def _places(change: Change) -> Iterator[tuple[str, str]]:
    """Yield where the two sides state what a change is about: the lines on each page, and its state."""
    for name, places in (("before", change.old_places), ("after", change.new_places)):
        for (page, snapshot), group in groupby(places, key=lambda it: (it.page, it.snapshot)):
            lines = ", ".join(filter(None, (line_range(place.lines) for place in group)))
            state = f"state {snapshot.rpartition('/')[2]}"
            yield name, f"{lines} of {page or 'an unknown page'} ({state})" if lines else f"{page} ({state})"
