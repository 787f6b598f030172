"""Pages with results of any names, values and settings, written in the format of the site."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_CLEAN = (Path(__file__).parent / "cases" / "sota2" / "clean" / "page.md").read_text(encoding="utf-8")
_ROW = "| Alder | 91.3 | Not recorded | d41f8e6b20c97a5381be604f |"
_SETTINGS = '{"Backbone":"ConvNeXt-T","Image Size":"320","Training":"Frozen"}'
METRIC = "Balanced Accuracy"
BOARD = "leaf-disease-grading-on-orchardleaves-val"


class Written(NamedTuple):
    """A result as a page prints it."""

    method: str
    value: str
    date: str = "Not recorded"
    settings: str = _SETTINGS


def result_id(place: int) -> str:
    """Return the id of the result at a place of a written page, counted from 0."""
    return f"{place:024x}"


def written_page(results: list[Written], value_in_row: str = "") -> bytes:
    """Return a page of these results; ``value_in_row`` is what all rows of the table print instead of the value."""
    head, _, rest = _CLEAN.partition(_ROW)
    section = "### Alder" + rest.partition("### Alder")[2].partition("### Alder")[0]
    end = "Page 1 of 1." + rest.partition("Page 1 of 1.")[2]
    rows, sections = [], []
    for place, each in enumerate(results):
        cells = each.method.replace("|", "\\|"), value_in_row or each.value, each.date
        rows.append(_ROW.replace("| Alder | 91.3 | Not recorded |", f"| {' | '.join(cells)} |"))
        text = section.replace("### Alder", f"### {each.method}").replace(_SETTINGS, each.settings)
        old, new = ("91.3. Result ID: 5d0c9a41e7b23f6680ac1e95", f"{each.value}. Result ID: {result_id(place)}")
        sections.append(text.replace(old, new))
    head = head.replace("4 of 4", f"{len(results)} of {len(results)}")
    return "\n".join([f"{head}{chr(10).join(rows)}\n", "".join(sections) + end]).encode()
