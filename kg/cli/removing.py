"""``kg remove``: pages out of a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kg import api
from kg.cli.options import DEFAULT_STORE, Quiet
from kg.cli.output import say, write
from kg.errors import Misuse

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(no_args_is_help=True)(remove)


def remove(
    names: Annotated[
        list[str], typer.Argument(help="Benchmarks, or views by their IRI or its last part.", metavar="NAME...")
    ],
    store: Annotated[
        Path, typer.Option("--store", envvar="KG_STORE", help="The folder of the store.", metavar="FOLDER")
    ] = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Take pages out of a store: all of a benchmark, or one view.

    What other pages state too stays. The archive keeps the pages: a page that is built again is there again,
    and so is everything in a store that is made anew.

    Example: kg remove selective-classification-on-imagenet-v2-original-test
    """
    if store.is_file():
        raise Misuse(f"--store {store} is a file; pages can be taken out of a store alone, which is a folder.")
    gone = api.remove(store, *names)
    write("".join(f"{view}\n" for view in gone))
    say(f"Removed {len(gone)} view{'s' * (len(gone) != 1)} from {store}.")
