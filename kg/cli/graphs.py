"""``kg export``, ``kg info`` and ``kg prefixes``: the graph as a whole."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kg.cli.options import (
    DEFAULT_STORE,
    TABLES,
    BaseOption,
    Quiet,
    StoreOption,
    TableForm,
    form_of,
    format_option,
    open_store,
)
from kg.cli.output import say, write
from kg.cli.tables import as_json, print_records
from kg.export import Format
from kg.identifiers import check_base
from kg.knowledge_graph import KnowledgeGraph
from kg.vocabulary import DEFAULT_BASE, prefixes

__all__ = ["add_to", "export_to"]

_PARQUET = "parquet"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(export)
    app.command()(info)
    app.command("prefixes")(print_prefixes)


def export(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write to this file (- is standard output).", metavar="FILE")
    ] = Path("-"),
    form: Annotated[
        str | None,
        format_option(f"{', '.join(Format)}; {_PARQUET} for the scores table. Else that of the suffix, else Turtle."),
    ] = None,
    meta: Annotated[
        bool, typer.Option("--meta", help="Add what depends on the clock: runs and the pages they read.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Write the graph in an RDF format, or its scores as a table; the same graph gives the same bytes.

    Examples: kg export -o graph.ttl; kg export -o scores.parquet
    """
    if (form or output.suffix.removeprefix(".").lower()) == _PARQUET:
        with open_store(store) as graph:
            _export_scores(graph, output)
        return
    shape = Format(form_of(form, None, (*Format, _PARQUET), Format.TTL)) if form or str(output) == "-" else None
    with open_store(store) as graph:
        export_to(graph, output, shape or Format.of(output), meta=meta)


def _export_scores(graph: KnowledgeGraph, output: Path) -> None:
    table = graph.scores()
    from kg.scores import write_parquet  # it is there once the table is

    write_parquet(table, sys.stdout.buffer if str(output) == "-" else output)
    if str(output) != "-":
        say(f"Wrote {table.height} scores to {output}.")


def export_to(graph: KnowledgeGraph, output: Path, form: Format, *, meta: bool = False) -> None:
    """Write a graph to a file (``-`` is standard output) and say how many statements it holds."""
    count = graph.export(output, form, meta=meta)
    if str(output) != "-":
        say(f"Wrote {count} {'quads' if form.holds_graphs else 'triples'} to {output}.")


def info(
    form: TableForm = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Count what the graph holds: pages, results, scores and the rest."""
    chosen = form_of(form, None, TABLES, "table")
    with open_store(store) as graph:
        counts = graph.info()
    if chosen == "json":
        write(as_json(counts))
        return
    print_records(("kind", "count"), list(counts.items()), chosen, {})


def print_prefixes(
    form: Annotated[str, typer.Option("--format", "-f", help="sparql, ttl or json.")] = "sparql",
    base: BaseOption = DEFAULT_BASE,
) -> None:
    """Print the prefixes of the graph, to paste into a query or a Turtle file."""
    chosen = form_of(form, None, ("sparql", "ttl", "json"), "sparql")
    check_base(base)
    names = prefixes(base)
    if chosen == "json":
        write(as_json(names))
        return
    head, end = ("PREFIX", "") if chosen == "sparql" else ("@prefix", " .")
    write("".join(f"{head} {prefix}: <{namespace}>{end}\n" for prefix, namespace in names.items()))
