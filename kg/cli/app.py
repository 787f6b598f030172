"""The ``kg`` command: its root, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from kg.cli import INTERRUPTED
from kg.cli.commands import Commands
from kg.cli.output import say, show_problems
from kg.errors import BenchkgError, NothingRead

__all__ = ["app", "run"]

app = typer.Typer(
    name="kg",
    cls=Commands,
    help="A knowledge graph of benchmark results: like is compared with like, and each number traced to its line.",
    epilog="Exit codes: 0 done, 1 findings (errors while the rest loaded), 2 misuse or nothing read, 3 fetch failed.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # drawing boxes would take as long as all the rest together
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer hands it so
    if wanted:
        from kg.resources import version

        typer.echo(version())
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Set what all commands share."""


_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))


def _replace_closed_streams() -> None:
    """Put something in the place of each standard stream that is closed: the next file opened must not get its number.

    Reading or writing data there fails, as on a full disk; talk goes nowhere.
    """
    for number, (name, mode, access) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, access)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for good


def _discard_output() -> None:
    """Send what is still to be written nowhere: the interpreter must not complain when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run() -> None:
    """Run the command line and exit with its code."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # The graph is UTF-8 whatever the terminal is; what it cannot show is escaped, not a crash.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="")
    try:
        try:
            app()
        except SystemExit as end:
            # The library that reads the arguments ends with 1 where a pipe broke.
            if isinstance(end.__context__, BrokenPipeError):
                raise end.__context__ from None
            raise
        finally:
            sys.stdout.flush()
    except BenchkgError as error:
        if isinstance(error, NothingRead):
            show_problems(error.problems)
        say(f"Error: {error}", style="red", always=True)
        raise SystemExit(error.exit_code) from None
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _discard_output()
        raise SystemExit(0) from None
    except OSError as error:
        # Files and stores have their own messages; what is left is the output that cannot be written.
        _discard_output()
        say(f"Error: cannot go on: {error.strerror or error}.", style="red", always=True)
        raise SystemExit(BenchkgError.exit_code) from None
    except KeyboardInterrupt:
        say("Interrupted; what was there before is as it was.", always=True)
        raise SystemExit(INTERRUPTED) from None
    except MemoryError:
        say("Error: there is not enough memory for this; build into a store and ask smaller questions.", always=True)
        raise SystemExit(BenchkgError.exit_code) from None
