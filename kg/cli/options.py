"""What several commands take, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from kg.api import open_graph
from kg.cli.output import set_quiet
from kg.errors import Misuse
from kg.knowledge_graph import KnowledgeGraph

__all__ = [
    "DEFAULT_STORE",
    "TABLES",
    "TEXTS",
    "BaseOption",
    "Quiet",
    "StoreOption",
    "TableForm",
    "TextForm",
    "form_of",
    "format_option",
    "open_store",
]

TABLES = ("table", "md", "csv", "tsv", "json")
"""The formats of answers that are a table."""
TEXTS = ("text", "md", "csv", "tsv", "json")
"""The formats of answers that are told in sentences."""


def format_option(said: str) -> Any:  # noqa: ANN401 - what typer takes
    """Return the option of a format, with the choices of its command in words."""
    return typer.Option("--format", "-f", help=said, metavar="FORMAT")


StoreOption = Annotated[
    Path,
    typer.Option(
        "--store", envvar="KG_STORE", help="The store: a folder that `kg build` made, or an RDF file.", metavar="PATH"
    ),
]
BaseOption = Annotated[str, typer.Option("--base", help="The base of every IRI.", metavar="IRI")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Say only what went wrong.", callback=lambda value: set_quiet(value) or value),
]
TableForm = Annotated[str | None, format_option(f"{', '.join(TABLES)}; else a table.")]
TextForm = Annotated[str | None, format_option(f"{', '.join(TEXTS)}; else text.")]

DEFAULT_STORE = Path("kg-store")


def form_of(given: str | None, output: Path | None, allowed: Sequence[str], default: str) -> str:
    """Return the format asked for: by name, else by the suffix of the output file, else the default.

    Raises ``Misuse`` for one that the answer cannot be written in.
    """
    suffix = output.suffix.removeprefix(".").lower() if output and str(output) != "-" else ""
    chosen = given or suffix or default
    if chosen not in allowed:
        raise Misuse(f"{chosen!r} is no format of this answer; use one of {', '.join(allowed)}.")
    return chosen


def open_store(path: Path) -> KnowledgeGraph:
    """Open the store or the RDF file that a command works on."""
    return open_graph(path)
