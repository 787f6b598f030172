"""Where words go: data to standard output, talk to standard error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Literal, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from kg.errors import Misuse
from kg.files import replacing
from kg.model import Problem, Severity

__all__ = [
    "Progress",
    "check_writable",
    "console",
    "is_quiet",
    "plain",
    "say",
    "set_quiet",
    "show_problems",
    "write",
    "written_to",
]

_WIDE = 100_000
_quiet = False


def set_quiet(quiet: bool) -> None:  # noqa: FBT001 - the value is the argument
    """Keep talk to errors and warnings."""
    global _quiet  # noqa: PLW0603 - one process, one command line
    _quiet = quiet


def is_quiet() -> bool:
    """Tell whether talk is kept to errors and warnings."""
    return _quiet


def console(stderr: bool = False) -> Console:  # noqa: FBT001 - the value is the argument
    """Return what writes to standard output, or to standard error, as wide as its terminal."""
    stream = sys.stderr if stderr else sys.stdout
    # A table that is not read on a terminal is not cut to the width of one.
    width = None if stream.isatty() else _WIDE
    # Without colours there is no bold and no dim either.
    colors: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    return Console(
        file=stream,
        width=width,
        color_system=colors,
        highlight=False,
        markup=False,
        soft_wrap=True,
        emoji=False,
    )


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
            console(stderr=True).print(plain(message), style=style or None)


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
        say(
            f"... and {len(ordered) - limit} more; `kg query provenance/problems` has those of loaded pages.",
            always=True,
        )


class Progress:
    """A bar on a terminal while something long goes on; nothing elsewhere.

    ``count`` says how many steps there are, ``advance`` that one is done.
    """

    def __init__(self, what: str) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        shown = not _quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._bar = Bar(*columns, console=console(stderr=True), transient=True, disable=not shown)
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


def check_writable(path: Path) -> None:
    """Raise ``Misuse`` where a file cannot be written, before the work that leads to it."""
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir():
        raise Misuse(f"Cannot write {path}: it is a folder. Name a file in it.")
    if not folder.is_dir():
        raise Misuse(f"Cannot write {path}: there is no folder {folder}. Make it, or choose another place.")
    if not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        raise Misuse(f"Cannot write {path}: it is not allowed there. Choose another place.")


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
