"""``kg build``: from pages to a validated store."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from kg import api
from kg.cli.options import DEFAULT_STORE, Quiet, StoreOption
from kg.cli.output import Progress, say, show_problems
from kg.export import Format
from kg.pipeline import BuildReport
from kg.vocabulary import DEFAULT_BASE

__all__ = ["add_to"]

_NAMED = 5


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(no_args_is_help=True)(build)


def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, quoted patterns, http(s) addresses, or - for standard input.", metavar="SOURCE..."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the whole graph to this file as well (- is standard output).", metavar="FILE"
        ),
    ] = None,
    form: Annotated[
        Format | None, typer.Option("--format", "-f", help="The format of -o; else that of its suffix.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    base: Annotated[
        str | None,
        typer.Option("--base", help=f"The base of every IRI; else that of the store, or {DEFAULT_BASE}", metavar="IRI"),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", min=0, help="Processes that read pages; 0 decides by their number.")
    ] = 0,
    _quiet: Quiet = False,
) -> None:
    """Read benchmark pages, validate them and load them into a store.

    What the store holds already stays; a newer state of a page replaces the older one, an older one
    is refused. A result that violates a shape is kept out and named, and the rest loads.

    Example: kg build pages/ -o graph.ttl
    """
    if output and not form and str(output) != "-":
        Format.of(output)
    with Progress("Reading pages") as progress:
        graph = api.build(
            sources,
            store=store,
            base=base,
            workers=workers or _workers(len(sources)),
            moved=progress.advance,
            counted=progress.count,
        )
    with graph:
        assert graph.report is not None
        _tell(graph.report, store)
        if output:
            graph.export(output, form or "")
            if str(output) != "-":
                say(f"Wrote {len(graph)} triples to {output}.")
        raise typer.Exit(graph.report.exit_code)


def _workers(sources: int) -> int:
    """One process reads a few pages in less time than others take to start."""
    return 1 if sources < _MANY else os.cpu_count() or 1


_MANY = 64


def _tell(report: BuildReport, store: Path) -> None:
    show_problems(report.problems)
    for lost in (*report.update.stale, *report.update.tied, *report.update.retired):
        place = f"{lost.file}: " if lost.file else ""
        say(f"{place}{lost.view.graph}: {lost.reason}", style="yellow", always=True)
    findings = Counter((finding.shape, finding.message) for outcome in report.outcomes for finding in outcome.findings)
    for (shape, message), count in sorted(findings.items()):
        say(f"{count} x {message} [{shape}]", style="yellow")
    if report.skipped:
        named = ", ".join(report.skipped[:_NAMED])
        more = f" and {len(report.skipped) - _NAMED} more" if len(report.skipped) > _NAMED else ""
        say(f"Passed over {len(report.skipped)} files that are no benchmark pages: {named}{more}.")
    update = report.update
    parts = [
        f"{len(group)} {word}"
        for group, word in (
            (update.added, "new"),
            (update.replaced, "replaced"),
            (update.unchanged, "unchanged"),
            (update.stale, "older than what is there"),
            (update.retired, "retired"),
        )
        if group
    ]
    pages = len(report.read)
    say(f"Read {pages} page{'s' * (pages != 1)} into {store}: {', '.join(parts)}.")
