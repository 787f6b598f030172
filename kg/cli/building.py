"""``kg build``: from pages to a validated store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from kg import api
from kg.cli.fetching import (
    DEPTH,
    MAX_PAGES,
    RATE,
    DepthOption,
    Fetching,
    LogOption,
    MaxAgeOption,
    MaxPagesOption,
    NoPapersOption,
    OnlyOption,
    RateOption,
    TimeLimitOption,
)
from kg.cli.graphs import export_to
from kg.cli.options import DEFAULT_STORE, Quiet
from kg.cli.output import Progress, check_writable, say, show_problems
from kg.errors import Misuse
from kg.export import Format
from kg.model import Lines, Problem, Severity
from kg.pipeline import BuildReport
from kg.store import Superseded, ViewState
from kg.vocabulary import DEFAULT_BASE

__all__ = ["add_to"]

_NAMED = 5


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(build)


def build(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, quoted patterns, http(s) addresses, or - for standard input; else the archive.",
            metavar="[SOURCE...]",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the whole graph to this file as well (- is standard output).", metavar="FILE"
        ),
    ] = None,
    form: Annotated[
        Format | None, typer.Option("--format", "-f", help="The format of -o; else that of its suffix, else ttl.")
    ] = None,
    store: Annotated[
        Path,
        typer.Option(
            "--store",
            envvar="KG_STORE",
            help="The folder of the store; it is made where there is none.",
            metavar="FOLDER",
        ),
    ] = DEFAULT_STORE,
    archive: Annotated[
        Path | None,
        typer.Option(
            "--archive",
            help="The folder that keeps every page read; else the one beside the store, such as kg-store-archive.",
            metavar="FOLDER",
        ),
    ] = None,
    as_of: Annotated[
        str,
        typer.Option(
            "--as-of",
            help="Make the store anew from states updated by the end of a day, as 2026-02-26.",
            metavar="DAY",
        ),
    ] = "",
    retrieved_by: Annotated[
        str,
        typer.Option(
            "--retrieved-by", help="Make the store anew from states first read by the end of a day.", metavar="DAY"
        ),
    ] = "",
    base: Annotated[
        str | None,
        typer.Option("--base", help=f"The base of every IRI; else that of the store, or {DEFAULT_BASE}", metavar="IRI"),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", min=0, help="Processes that read pages; 0 decides by their number.")
    ] = 0,
    depth: DepthOption = DEPTH,
    max_pages: MaxPagesOption = MAX_PAGES,
    only: OnlyOption = None,
    no_papers: NoPapersOption = False,
    rate: RateOption = RATE,
    max_age: MaxAgeOption = 0.0,
    time_limit: TimeLimitOption = 0.0,
    log: LogOption = None,
    _quiet: Quiet = False,
) -> None:
    """Read benchmark pages, validate them and load them into a store.

    Pages are those of sota2 in Markdown: a benchmark under one metric, as `.md` addresses give them.
    Other files of a folder are passed over. An address is fetched with what it leads to, as `kg fetch` does.

    What the store holds already stays; a newer state of a page replaces the older one, an older one
    is refused. A result that violates a shape is kept out and named, and the rest loads.

    Every page read is kept in an archive. Without SOURCE the store is made anew from it, as of today or of a past day.

    Example: kg build pages/ -o graph.ttl

    Example: kg build --as-of 2026-02-26 --store kg-february
    """
    if form and not output:
        raise Misuse("--format is that of the file of --output: name one with -o, or leave -f out.")
    if store.is_file():
        raise Misuse(
            f"--store {store} is a file, and a store is a folder. To write the graph to a file, use -o {store}."
        )
    shape = _checked(output, form) if output else None
    fetching = Fetching(
        depth, max_pages, tuple(only or ()), not no_papers, rate, max_age, time_limit, log, tells_failures=False
    )
    with Progress("Reading pages") as progress:
        graph = api.build(
            sources or [],
            store=store,
            archive=archive,
            as_of=as_of,
            retrieved_by=retrieved_by,
            base=base,
            workers=workers,
            fetch=fetching,
            moved=progress.advance,
            counted=progress.count,
        )
    with graph:
        assert graph.report is not None
        _tell(graph.report, store, as_of)
        if output and shape:
            export_to(graph, output, shape)
        raise typer.Exit(graph.report.exit_code)


def _checked(output: Path, form: Format | None) -> Format:
    """Return the format of the output, before any work is done for a file that cannot be written."""
    if str(output) == "-":
        return form or Format.TTL
    check_writable(output)
    return form or Format.of(output)


def _tell(report: BuildReport, store: Path, as_of: str) -> None:
    show_problems([*report.problems, *_superseded(report), *_findings(report)])
    if report.skipped:
        named = ", ".join(report.skipped[:_NAMED])
        more = f" and {len(report.skipped) - _NAMED} more" if len(report.skipped) > _NAMED else ""
        say(f"Passed over {len(report.skipped)} files that are no benchmark pages: {named}{more}.")
    update = report.update
    unread = [outcome for outcome in report.outcomes if outcome.view is None and not outcome.skipped]
    parts = [
        f"{len(group)} {word}"
        for group, word in (
            (update.added, "new"),
            (update.replaced, "replaced"),
            (update.unchanged, "unchanged"),
            (update.stale, "stale"),
            (update.tied, "tied"),
            (update.retired, "retired"),
            (update.beyond, f"not of {as_of} or before"),
            (unread, "not loaded"),
        )
        if group
    ]
    pages = len(report.read)
    say(f"Read {pages} page{'s' * (pages != 1)} into {store}: {', '.join(parts)}.")
    if as_of:
        say(f"{store} holds the state of {as_of} now; `kg build` without a source makes it that of today again.")


def _superseded(report: BuildReport) -> Iterator[Problem]:
    """Yield each state that another one took the place of as a warning: why, what was kept, and the mend."""
    files = {state: state.file for state in report.read}
    update = report.update
    for code, states in (("stale", update.stale), ("tied", update.tied), ("retired", update.retired)):
        for lost in states:
            file = lost.view.file or files.get(lost.by, lost.view.graph)
            yield Problem(code, Severity.WARNING, f"{lost.reason}; {_outcome(code, lost, files)}", (), file=file)


def _outcome(code: str, lost: Superseded, files: dict[ViewState, str]) -> str:
    """Say what became of a state and the one that stands in its place, and what to do."""
    if code == "retired":
        done = "it is no longer in the store" if lost.stored else "it is not stored"
        return f"{done}. If the leaderboard still has that page, read all its pages anew"
    place = files.get(lost.by, "")
    kept = f"kept is {f'that of {place}' if place else 'the state stored before'}"
    if code == "stale":
        return f"{kept}. Leave the older page out, or read the current one"
    if lost.stored:
        kept = "kept is this one, not the state stored before"
    return f'{kept}. Give the corrected page a {"later " if lost.view.modified else ""}"Data updated" time'


def _findings(report: BuildReport) -> Iterator[Problem]:
    """Yield what the shapes found and kept nothing out for; the rest is among the problems."""
    for outcome in report.outcomes:
        for finding in outcome.findings:
            violation = finding.severity == "violation"
            if outcome.view or not violation:
                severity = Severity.ERROR if violation else Severity.WARNING
                lines = tuple(Lines(at.first, at.last) for at in finding.quotations)
                yield Problem(finding.shape, severity, finding.message, lines, file=outcome.file)
