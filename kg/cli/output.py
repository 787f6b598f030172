"""Where words go: data to standard output, talk to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, Self, TextIO

from kg.errors import Misuse

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from kg.model import Problem

__all__ = [
    "Progress",
    "check_writable",
    "is_quiet",
    "plain",
    "say",
    "set_quiet",
    "show_problems",
    "styled",
    "write",
    "written_to",
]

Style = Literal["", "bold", "red", "yellow"]
# https://ecma-international.org/publications-and-standards/standards/ecma-48/, 8.3.117
_CODES = MappingProxyType({"": "0", "bold": "1", "red": "31", "yellow": "33"})
_quiet = False


def set_quiet(quiet: bool) -> None:  # noqa: FBT001 - the value is the argument
    """Keep talk to errors and warnings."""
    global _quiet  # noqa: PLW0603 - one process, one command line
    _quiet = quiet


def is_quiet() -> bool:
    """Tell whether talk is kept to errors and warnings."""
    return _quiet


def styled(text: str, style: Style, stream: TextIO) -> str:
    """Return a text in a style, for a terminal that knows styles and a person who wants them; else as it is."""
    able = stream.isatty() and os.environ.get("TERM") not in {"dumb", "unknown"} and not os.environ.get("NO_COLOR")
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if able and text and style else text


def plain(text: str) -> str:
    r"""Return a text without what would move the cursor or hide words on a terminal.

    >>> plain("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(
        character if character.isprintable() or character == "\n" else character.encode("unicode_escape").decode()
        for character in text
    )


def say(message: str, *, style: Style = "", always: bool = False) -> None:
    """Say something to the person at the terminal; that nobody can hear it stops nothing."""
    if always or not _quiet:
        with suppress(OSError):
            sys.stderr.write(f"{styled(plain(message), style, sys.stderr)}\n")
            sys.stderr.flush()


def write(text: str) -> None:
    """Write data to standard output as it is."""
    sys.stdout.write(text)


def show_problems(problems: Iterable[Problem], *, limit: int = 50) -> None:
    """Say each problem on a line, the worst first; beyond ``limit`` they are counted."""
    from kg.model import Severity  # a command without problems does not need the domain

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

    ``count`` says how many steps there are, and shows the bar; ``advance`` says that some are done.
    """

    def __init__(self, what: str) -> None:
        self._bar: Bar | None = None
        if _quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        # Without colours there is no bold and no dim either.
        screen = Console(stderr=True, color_system=None if os.environ.get("NO_COLOR") else "auto")
        self._bar = Progress(*columns, console=screen, transient=True)
        self._task = self._bar.add_task(what, total=None)

    def count(self, total: int) -> None:
        """Say how many steps there are."""
        if self._bar:
            self._bar.start()
            self._bar.update(self._task, total=total)

    def advance(self, steps: int = 1) -> None:
        """Say that some steps are done."""
        if self._bar:
            self._bar.advance(self._task, steps)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
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
    text = StringIO(newline="")
    with redirect_stdout(text):
        yield
    from kg.files import replacing

    with replacing(output) as file:
        file.write(text.getvalue().encode())
