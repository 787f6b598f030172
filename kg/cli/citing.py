"""``kg cite``: one score as a nanopublication, or its sources as BibTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kg import api
from kg.cli.options import DEFAULT_STORE, Quiet, StoreOption, form_of, format_option, open_store
from kg.cli.output import check_writable, write, written_to
from kg.export import Format, serialize
from kg.vocabulary import NP

__all__ = ["add_to"]

FORMATS = ("trig", "nq", "jsonld", "bibtex")
_BIBTEX = "bibtex"
_SUFFIXES = {".bib": _BIBTEX, ".json": "jsonld"}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(no_args_is_help=True)(cite)


def cite(
    result: Annotated[str, typer.Argument(help="A result: its id or IRI.", metavar="RESULT")],
    metric: Annotated[str, typer.Option("--metric", "-m", help="Which score, where the result has several.")] = "",
    form: Annotated[str | None, format_option(f"{', '.join(FORMATS)}; else by the suffix of -o, else trig.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file (- is standard output).", metavar="FILE")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    archive: Annotated[
        Path | None,
        typer.Option(
            "--archive", help="Knows when pages were retrieved; else the one beside the store.", metavar="FOLDER"
        ),
    ] = None,
    _quiet: Quiet = False,
) -> None:
    """Write one score as a nanopublication, or its sources as BibTeX.

    The nanopublication asserts the score with its method, benchmark, configuration and papers, and says in which
    lines of which state of a page it stands. It has no licence, since the pages name none.

    Example: kg cite b121e11df112051240ced5a3 -o score.trig
    """
    suffix = _SUFFIXES.get(output.suffix.lower(), "") if output else ""
    chosen = form_of(form or suffix or None, output, FORMATS, "trig")
    if output and str(output) != "-":
        check_writable(output)
    with open_store(store) as graph:
        found = api.cite(graph, result, metric=metric, archive=archive or f"{store}-archive")
        prefixes = graph.prefixes | {"np": NP.namespace}
    with written_to(output):
        if chosen == _BIBTEX:
            write(found.bibtex)
        else:
            write(serialize(found.nanopublication, Format(chosen), dict(sorted(prefixes.items()))).decode())
