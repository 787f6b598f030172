"""From bytes to numbered lines of text, the same for every source that is read line by line.

Lines end with LF or CRLF and with nothing else (RFC 5147 counts them so), whatever Unicode calls
a line break. A byte order mark at the start is no part of the text.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Collection
from itertools import filterfalse

from kg.model import Lines, Problem, Severity

__all__ = ["Gatherer", "are_clean", "split_lines"]

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_BREAK = re.compile("[\t\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")  # white space to Unicode, though no end of a line here
_NONCHARACTER = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
_UNSEEN = re.compile("|".join(characters.pattern for characters in (_INVISIBLE, _BREAK, _NONCHARACTER)))


def are_clean(texts: Collection[str]) -> bool:
    r"""Tell of many texts at once whether ``Gatherer.clean`` returns each as it is; False calls for a closer look.

    >>> are_clean(["Δ-KNN", "84.6"]), are_clean(["KNN "]), are_clean(["K\u200bNN"]), are_clean(["re\u0301seau"])
    (True, False, False, False)
    """
    between = "|".join(("", *texts, ""))
    if not between.isprintable() or "| " in between or " |" in between:
        return False
    others = "|".join(filterfalse(str.isascii, texts))  # a bar composes with nothing
    return not others or (not _UNSEEN.search(others) and unicodedata.is_normalized("NFC", others))


class Gatherer:
    """The problems of one file, gathered while it is read; each has the file's name for messages."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._known: set[Problem] = set()

    def _add(self, severity: Severity, code: str, message: str, lines: tuple[Lines, ...], **about: str) -> None:
        problem = Problem(code, severity, message, tuple(sorted(set(lines))), file=self.file, **about)
        # A line may hold one fault twice, say in two cells: that is one thing to mend.
        if problem not in self._known:
            self._known.add(problem)
            self.problems.append(problem)

    def error(self, code: str, message: str, *lines: Lines, text: str = "", result: str = "") -> None:
        """Record what takes something out of the answers."""
        self._add(Severity.ERROR, code, message, lines, text=text, result=result)

    def warning(self, code: str, message: str, *lines: Lines, text: str = "", result: str = "") -> None:
        """Record what is kept as it stands but needs a look."""
        self._add(Severity.WARNING, code, message, lines, text=text, result=result)

    def in_order(self) -> tuple[Problem, ...]:
        """Return the problems by where they stand."""
        if not self.problems:
            return ()
        return tuple(sorted(self.problems, key=lambda problem: (problem.lines, problem.code, problem.message)))

    def clean(self, text: str, lines: Lines) -> str:
        """Return a name or other text in NFC, without invisible characters, which are reported.

        What breaks a line or a column elsewhere becomes a space, so that words stay apart.
        """
        text = text.strip(" \t")
        if text.isascii() and text.isprintable():
            return text
        visible = text
        if _UNSEEN.search(text):
            visible = _NONCHARACTER.sub("", _INVISIBLE.sub("", _BREAK.sub(" ", text)))
            found = sorted({f"U+{ord(character):04X}" for character in set(text) - set(visible)})
            self.warning(
                "invisible-character",
                f"a text holds invisible characters ({', '.join(found)}), which were removed; "
                f"type {visible.strip()!r} again on the page",
                lines,
            )
        return unicodedata.normalize("NFC", visible).strip()


def split_lines(data: bytes, gatherer: Gatherer) -> list[str]:
    r"""Return the lines of UTF-8 text; a byte that is not UTF-8 is shown as ``\xNN`` and reported."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError:
        lines = []
        for number, raw in enumerate(data.split(b"\n"), 1):
            try:
                lines.append(raw.decode())
            except UnicodeDecodeError as error:
                lines.append(raw.decode(errors="backslashreplace"))
                gatherer.error(
                    "not-utf8",
                    f"byte {error.start + 1} of the line is not UTF-8; save the page as UTF-8 and read it again",
                    Lines(number, number),
                    text=lines[-1].rstrip("\r"),
                )
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
