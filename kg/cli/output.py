"""Where words go: data to standard output, talk to standard error."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from decimal import Decimal
from pathlib import Path
from typing import Self
from xml.etree import ElementTree as ET

from rich.box import ASCII, SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from kg.files import replacing
from kg.model import Problem, Severity
from kg.rows import IRI, Rows, compact
from kg.vocabulary import SPARQL_RESULTS

__all__ = [
    "Progress",
    "as_json",
    "markdown",
    "plain",
    "print_records",
    "print_rows",
    "print_table",
    "say",
    "set_quiet",
    "show_problems",
    "shown",
    "truth",
    "write",
    "written_to",
]

_WIDE = 100_000
_quiet = False


def set_quiet(quiet: bool) -> None:  # noqa: FBT001 - the value is the argument
    """Keep talk to errors and warnings."""
    global _quiet  # noqa: PLW0603 - one process, one command line
    _quiet = quiet


def _console(stderr: bool = False) -> Console:  # noqa: FBT001 - the value is the argument
    stream = sys.stderr if stderr else sys.stdout
    # A table that is not read on a terminal is not cut to the width of one.
    width = None if stream.isatty() else _WIDE
    return Console(file=stream, width=width, highlight=False, markup=False, soft_wrap=True, emoji=False)


def plain(text: str) -> str:
    r"""Return a text without what would move the cursor or hide words on a terminal.

    >>> plain("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(
        character if character.isprintable() or character == "\n" else character.encode("unicode_escape").decode()
        for character in text
    )


def say(message: str, *, style: str = "", always: bool = False) -> None:
    """Say something to the person at the terminal; that nobody can hear it stops nothing."""
    if always or not _quiet:
        with suppress(OSError):
            _console(stderr=True).print(plain(message), style=style or None)


def write(text: str) -> None:
    """Write data to standard output as it is."""
    sys.stdout.write(text)


def show_problems(problems: Iterable[Problem], *, limit: int = 50) -> None:
    """Say each problem on a line, the worst first; beyond ``limit`` they are counted."""
    ordered = sorted(problems, key=lambda it: (it.severity is not Severity.ERROR, it.file, it.lines, it.code))
    for problem in ordered[:limit]:
        error = problem.severity is Severity.ERROR
        say(str(problem), style="red" if error else "yellow", always=True)
    if len(ordered) > limit:
        say(f"... and {len(ordered) - limit} more; `kg validate -f json` lists all.", always=True)


class Progress:
    """A bar on a terminal while something long goes on; nothing elsewhere.

    ``count`` says how many steps there are, ``advance`` that one is done.
    """

    def __init__(self, what: str) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        shown = not _quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._bar = Bar(*columns, console=_console(stderr=True), transient=True, disable=not shown)
        self._task = self._bar.add_task(what, total=None)

    def count(self, total: int) -> None:
        """Say how many steps there are."""
        self._bar.update(self._task, total=total)

    def advance(self) -> None:
        """Say that a step is done."""
        self._bar.advance(self._task)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


@contextmanager
def written_to(output: Path | None) -> Iterator[None]:
    """Send what is written in the block to a file, which appears whole or not at all."""
    if output is None or str(output) == "-":
        yield
        return
    text = io.StringIO(newline="")
    with redirect_stdout(text):
        yield
    with replacing(output) as file:
        file.write(text.getvalue().encode())


def shown(value: object, prefixes: Mapping[str, str]) -> str:
    """Return a value as people read it: IRIs with prefixes, nothing for what is unbound."""
    if value is None:
        return ""
    if isinstance(value, IRI):
        return compact(value, prefixes)
    if isinstance(value, bool):
        return "true" if value else "false"
    return plain(format(value, "f") if isinstance(value, Decimal) else str(value))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], prefixes: Mapping[str, str]) -> None:
    """Print a table for people; numbers stand right."""
    rows = [list(row) for row in rows]
    table = Table(box=SIMPLE_HEAD if sys.stdout.isatty() else ASCII, pad_edge=False, show_edge=False)
    for place, column in enumerate(columns):
        numbers = all(isinstance(row[place], int | Decimal | None) for row in rows)
        table.add_column(column, justify="right" if numbers and rows else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(shown(value, prefixes)) for value in row))
    _console().print(table)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[object]], prefixes: Mapping[str, str]) -> str:
    """Return a Markdown table; a bar or a line end in a text cannot break it."""

    def line(cells: Iterable[str]) -> str:
        return (
            "| "
            + " | ".join(cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ") for cell in cells)
            + " |"
        )

    lines = [line(columns), line(["---"] * len(columns))]
    lines += [line(shown(value, prefixes) for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def print_rows(rows: Rows, form: str, prefixes: Mapping[str, str]) -> None:
    """Write the rows of an answer in a format of the command line."""
    if form == "table":
        print_table(rows.columns, rows, prefixes)
    elif form == "md":
        write(markdown(rows.columns, rows, prefixes))
    else:
        write(rows.text(form))


def truth(answer: bool, form: str) -> str:  # noqa: FBT001 - the value is the argument
    """Return the answer of an ASK: a word, or the SPARQL 1.1 results formats ``json`` and ``xml``."""
    word = "true" if answer else "false"
    if form == "json":
        return as_json({"head": {}, "boolean": answer})
    if form == "xml":
        root = ET.Element("sparql", xmlns=SPARQL_RESULTS)
        ET.SubElement(root, "head")
        ET.SubElement(root, "boolean").text = word
        ET.indent(root)
        return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
    return f"{word}\n"


def print_records(
    columns: Sequence[str], rows: Sequence[Sequence[object]], form: str, prefixes: Mapping[str, str]
) -> None:
    """Write rows that are no answer of a query: as a table, Markdown, CSV, TSV, or JSON with an object a row."""
    if form == "table":
        print_table(columns, rows, prefixes)
    elif form == "md":
        write(markdown(columns, rows, prefixes))
    elif form == "json":
        write(as_json([dict(zip(columns, row, strict=True)) for row in rows]))
    else:
        table = csv.writer(sys.stdout, delimiter="," if form == "csv" else "\t", lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)


def as_json(value: object) -> str:
    """Return a record or a mapping as JSON text; decimals are numbers as printed, never rounded."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n"
