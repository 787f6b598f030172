"""One section of a sota2 page: the lines of one recorded result while they are being read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache

from kg.model import Lines, Paper, Result, Text

__all__ = ["CONFIGURATION", "IMPLEMENTATION", "VALUE", "Section", "paper_at", "split_configuration"]

CONFIGURATION = "Recorded evaluation configuration: "
IMPLEMENTATION = "Implementation"
VALUE = "Result ID: "
_REPORTING = "Reporting paper"
_SENTENCE_END = "."
_REPRODUCTION = ". This record "
_ORIGIN = "Method origin paper"
_JSON = json.JSONDecoder()
_REMEMBERED = 4_096  # configurations come again and again


def paper_at(url: str | None) -> Paper | None:
    """Return the paper at an address: its id is the last segment of the path, without ``.md``."""
    if url is None:
        return None
    path = url.partition("?")[0].partition("#")[0]
    return Paper(path.rsplit("/", 1)[-1].removesuffix(".md"), url)


@lru_cache(_REMEMBERED)
def split_configuration(line: str) -> tuple[str | None, str | None]:
    """Part a section's last line into the configuration and what it says of reproduction.

    JSON ends where its grammar says, since a string in it may hold the words of the sentence after it.
    """
    if not line.startswith(CONFIGURATION):
        return None, line
    text = line.removeprefix(CONFIGURATION)
    try:
        end = _JSON.raw_decode(text)[1]
    except (ValueError, RecursionError):
        end = -1
    if end < 0 or not text.startswith(_SENTENCE_END, end):
        end = text.rfind(_REPRODUCTION)
    if end >= 0:
        return text[:end], text[end:].removeprefix(_SENTENCE_END).strip() or None
    return text.removesuffix("."), None


@dataclass(slots=True)
class Section:
    """The lines of one result while they are being read."""

    heading: Text
    last: int
    metric: str = ""
    value: str = ""
    identifier: str | None = None
    links: dict[str, str] = field(default_factory=dict)
    implementations: list[str] = field(default_factory=list)
    configuration: str | None = None
    reproduction: str | None = None

    @property
    def lines(self) -> Lines:
        """The lines from the heading to the last that states something."""
        return Lines(self.heading.lines.first, self.last)

    def is_past(self, part: str) -> bool:
        """Tell whether the section has this part already, or has its last line, the configuration."""
        if self.configuration is not None or self.reproduction is not None:
            return True
        return part in self.links or (part == VALUE and self.identifier is not None)

    def result(self) -> Result:
        """Return what the section says, without the table row."""
        return Result(
            identifier=self.identifier or "",
            label=self.heading.text,
            metric=self.metric,
            value=self.value,
            reporting_paper=paper_at(self.links.get(_REPORTING)),
            origin_paper=paper_at(self.links.get(_ORIGIN)),
            implementations=tuple(sorted(self.implementations)),
            configuration=self.configuration,
            reproduction=self.reproduction,
            lines=self.lines,
            row=None,
        )
