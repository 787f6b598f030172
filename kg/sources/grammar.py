"""How a page of sota2 is written: the lines that both its readers look for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kg.model import Lines, Text

__all__ = [
    "COLUMNS",
    "FURNITURE",
    "LINK",
    "METRIC",
    "NO_PARAGRAPH",
    "PAGING",
    "RULE",
    "SCOPE_HEAD",
    "SCOPE_ROWS",
    "begins_disclaimers",
    "description",
]

SCOPE_HEAD = "| Scope | Recorded value |"
RULE = re.compile(r"(?:\| ?:?-+:? ?)+\|")
FURNITURE = re.compile(rf"\s*|{re.escape(SCOPE_HEAD)}|{RULE.pattern}|## Metrics|## Recorded results")
"""The lines that carry no fact: blank ones, the heads and rules of tables, two headings.

A table has one rule; a further line of that form is a row whose cells are dashes.
"""

LINK = r"\[(.*)\]\(<([^<>\n]*)>\)"
METRIC = rf"- {LINK}: (.*); unit: (.*)\."
PAGING = re.compile(r"Page ([1-9][0-9]{0,8}) of ([1-9][0-9]{0,8})\.(?: (.*))?\Z")
NO_PARAGRAPH = ("#", "- ", "[", "Source:", "Collection index:", "Data updated:")
SCOPE_ROWS = {
    "Task": "task",
    "Dataset (including any stated split)": "dataset",
    "Metric": "metric",
    "Unit": "unit",
    "Direction": "direction",
    "Results loaded": "loaded",
    "Coverage": "coverage",
}
COLUMNS = 4
_DISCLAIMER = re.compile(r"A research result applies |Evaluation settings may differ |The best result recorded here ")


def begins_disclaimers(paragraph: str) -> bool:
    """Tell whether a paragraph of the head is a disclaimer, as are all that follow it, and no description."""
    return bool(_DISCLAIMER.match(paragraph))


def description(paragraphs: Sequence[Text]) -> Text | None:
    """Return the paragraphs before the disclaimers as one text, its paragraphs apart by their blank lines."""
    if not paragraphs:
        return None
    text, (first, last) = paragraphs[0]
    for paragraph in paragraphs[1:]:
        text += "\n" * (paragraph.lines.first - last) + paragraph.text
        last = paragraph.lines.last
    return Text(text, Lines(first, last))
