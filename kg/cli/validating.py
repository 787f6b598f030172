"""``kg validate``: what the shapes and the quality queries find, in words, JSON or a SHACL report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kg.cli.options import DEFAULT_STORE, Quiet, StoreOption, form_of, format_option, open_store
from kg.cli.output import is_quiet, plain, write
from kg.cli.tables import as_json, shown
from kg.knowledge_graph import KnowledgeGraph, Validation
from kg.validation import report_graph

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(validate)


def validate(
    files: Annotated[
        list[Path] | None, typer.Argument(help="RDF files; without any, the store is checked.", metavar="[FILE...]")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on warnings, on shapes without a target and on unknown terms too.")
    ] = False,
    form: Annotated[str | None, format_option("text, json, ttl (the SHACL report); else text.")] = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Check a graph against the SHACL shapes, then ask the quality queries of it.

    Exit code 1 where there are violations.
    """
    chosen = form_of(form, None, ("text", "json", "ttl"), "text")
    failed = False
    for path in files or [store]:
        with open_store(path) as graph:
            found = graph.validate()
            _print(found, chosen, str(path), graph)
        report = found.report
        failed |= bool(report.violations)
        failed |= strict and bool(report.findings or report.without_target or report.unknown_terms)
    raise typer.Exit(int(failed))


def _print(found: Validation, form: str, name: str, graph: KnowledgeGraph) -> None:
    report = found.report
    if form == "ttl":
        write(report_graph(report))
        return
    if form == "json":
        write(
            as_json(
                {
                    "graph": name,
                    "conforms": report.conforms,
                    "findings": report.findings,
                    "focusNodes": report.focus_counts,
                    "withoutTarget": report.without_target,
                    "unknownTerms": report.unknown_terms,
                    "quality": found.quality,
                }
            )
        )
        return
    for finding in report.findings:
        write(plain(f"{finding}\n"))
    for doubt in found.quality:
        cells = (
            f"{column}: {shown(value, graph.prefixes)}" for column, value in doubt.row.items() if value is not None
        )
        write(plain(f"{doubt.severity}: {doubt.summary} [{doubt.query}] {'; '.join(cells)}\n  {doubt.mend}\n"))
    _summarise(found, name)


def _summarise(found: Validation, name: str) -> None:
    report = found.report
    counts = report.focus_counts
    # The shapes of a class carry its name: "metric" and "metric-label" check the same nodes.
    classes = [shape for shape in counts if not any(shape.startswith(f"{other}-") for other in counts)]
    rows = [
        (head, counts[head], sum(shape == head or shape.startswith(f"{head}-") for shape in counts)) for head in classes
    ]
    if not is_quiet():
        write(f"{name}: {len(counts)} shapes of {len(classes)} classes of nodes.\n")
        write("".join(f"  {head:<18}{nodes:>8} nodes{shapes:>5} shapes\n" for head, nodes, shapes in rows))
        if report.without_target:
            write(f"warning: these shapes found nothing to check: {', '.join(report.without_target)}.\n")
        if report.unknown_terms:
            write(f"warning: these terms are in no vocabulary of this graph: {', '.join(report.unknown_terms)}.\n")
        if report.conforms and report.without_target:
            write("A verdict on nothing is no verdict: --strict fails on it.\n")
    verdict = "conforms" if report.conforms else "does not conform"
    write(
        f"{name} {verdict}: {len(report.violations)} violations, {len(report.warnings)} warnings, "
        f"{len(found.quality)} quality findings.\n"
    )
