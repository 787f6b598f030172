"""What a benchmark page says, before any RDF: the whole domain in records that never change.

Every text is as printed (names are NFC, invisible characters removed and reported). Nothing here
knows Markdown, IRIs or the network; a source fills these records and the mapping reads them. What a
page holds by the dozen is a named tuple, which is made in a fraction of the time of a data class.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

__all__ = [
    "NOT_RECORDED",
    "BenchmarkPage",
    "Lines",
    "Link",
    "Metric",
    "Paper",
    "PaperPage",
    "Problem",
    "Reading",
    "Result",
    "Scope",
    "Severity",
    "Snapshot",
    "TableRow",
    "Text",
    "ViewGraph",
]


NOT_RECORDED = "Not recorded"
"""What a page prints where it states that it does not know."""


class Severity(StrEnum):
    """How much a problem matters: an error takes something out of the answers, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Lines(NamedTuple):
    """A range of lines of a page, both ends included, counted from 1."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}-{self.last}"


class Text(NamedTuple):
    """A text of the page and where it stands."""

    text: str
    lines: Lines


class Link(NamedTuple):
    """A labelled link and where it stands; the URL is kept byte for byte."""

    label: str
    url: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class Problem:
    """Something on a page that could not be taken as it stands, and how to mend it.

    ``code`` is one of those listed in ``tests/cases/README.md``. ``lines`` names every place
    concerned, in order. ``text`` is what stands there, where no other
    record keeps it; ``result`` is the id of the result concerned. ``file`` is where the page was
    read from; it is for messages alone and takes no part in equality, nor in the graph.
    """

    code: str
    severity: Severity
    message: str
    lines: tuple[Lines, ...]
    text: str = ""
    result: str = ""
    file: str = field(default="", compare=False)

    def __str__(self) -> str:
        place = f"{self.file}:{self.lines[0].first}" if self.lines else self.file
        return f"{place}: {self.severity}: {self.message} [{self.code}]"


class Snapshot(NamedTuple):
    """One state of a page: the SHA-256 of its bytes (64 hex digits) and their number."""

    sha256: str
    byte_size: int


class Scope(NamedTuple):
    """The scope table: what the whole page applies to, one text a row; None where the row is missing.

    ``loaded`` reads "10 of 37": the results on this page, and those the leaderboard has.
    """

    task: Text | None = None
    dataset: Text | None = None
    metric: Text | None = None
    unit: Text | None = None
    direction: Text | None = None
    loaded: Text | None = None
    coverage: Text | None = None


class Metric(NamedTuple):
    """A metric that the page lists for its benchmark."""

    name: str
    url: str
    direction: str
    unit: str
    lines: Lines


class TableRow(NamedTuple):
    """One row of the results table; ``index`` is its order on the page from 1, not a rank."""

    index: int  # type: ignore[assignment]  # it hides the method of tuples, which no row needs
    label: str
    value: str
    date: str
    paper: str
    lines: Lines


class Paper(NamedTuple):
    """A paper by the source's own id, and the address the page gives for it."""

    identifier: str
    url: str


class Result(NamedTuple):
    """One recorded row with its section: a method under a configuration, scored on the page's metric.

    ``row`` is None where the section has no row in the table. ``metric`` is the metric the section
    names. A paper is None where the section has no such link; ``configuration`` and
    ``reproduction`` are None where it has no such text. ``implementations`` are URLs as recorded.
    """

    identifier: str
    label: str
    metric: str
    value: str
    reporting_paper: Paper | None
    origin_paper: Paper | None
    implementations: tuple[str, ...]
    configuration: str | None
    reproduction: str | None
    lines: Lines
    row: TableRow | None


class BenchmarkPage(NamedTuple):
    """Everything a benchmark page says; ``problems`` says what could not be taken as it stands.

    ``disclaimers`` are paragraphs. ``page_number`` and ``page_count`` are None, with ``paging``,
    where the page does not say "Page x of y". ``value_column`` is the head of the table's column
    of values.
    """

    source: str
    snapshot: Snapshot
    title: Text
    page: Link
    collection: Link | None
    updated: Text | None
    description: Text | None
    disclaimers: tuple[Text, ...]
    scope: Scope
    metrics: tuple[Metric, ...]
    value_column: Text | None
    results: tuple[Result, ...]
    page_number: int | None
    page_count: int | None
    paging: Lines | None
    problems: tuple[Problem, ...] = ()

    def without(self, results: Collection[str], metrics: Collection[str], why: Iterable[Problem]) -> BenchmarkPage:
        """Return the page without some results (by id) and listed metrics (by name), and with the reasons."""
        problems = (*self.problems, *why)
        return self._replace(
            results=tuple(result for result in self.results if result.identifier not in results),
            metrics=tuple(metric for metric in self.metrics if metric.name not in metrics),
            problems=tuple(sorted(problems, key=lambda it: (it.lines, it.code, it.message))),
        )


class PaperPage(NamedTuple):
    """Everything a paper's page says; ``problems`` holds the lines that were not understood.

    ``identifier`` is the source's id of the paper. The labels of ``arxiv`` and ``dois`` are the bare identifiers,
    their URLs and those of ``code`` as recorded, ``""`` where the page prints no address.
    """

    source: str
    snapshot: Snapshot
    identifier: str
    title: Text
    page: Link
    collection: Link | None
    updated: Text | None
    arxiv: tuple[Link, ...]
    dois: tuple[Link, ...]
    code: tuple[Link, ...]
    problems: tuple[Problem, ...] = ()


class Reading(NamedTuple):
    """What came of reading one input: a page of a benchmark or of a paper, or neither and the problems that say why.

    ``whole`` is the input, each of its lines ended by LF: what is kept out later can still be shown.
    """

    file: str
    page: BenchmarkPage | None
    problems: tuple[Problem, ...]
    whole: str = ""
    paper: PaperPage | None = None

    @property
    def text(self) -> tuple[str, ...]:
        """The lines of the input."""
        return tuple(self.whole.split("\n")[:-1])

    def quote(self, lines: Lines) -> str:
        """Return some lines as they stand in the input."""
        return "\n".join(self.text[lines.first - 1 : lines.last])


@dataclass(frozen=True, slots=True)
class ViewGraph:
    """The triples of one view: a named graph that states every node it mentions.

    ``graph`` is the graph's IRI. ``series`` is the IRI of the metric, which all pages of one
    leaderboard share. ``modified`` is the page's updated time as canonical ``xsd:dateTime``, or
    empty; ``sha256`` the hash of its bytes. ``lines`` are N-Triples lines, sorted, each once,
    without line ends.
    """

    graph: str
    series: str
    page_number: int
    page_count: int | None
    modified: str
    sha256: str
    lines: tuple[str, ...] = field(repr=False)
    problems: tuple[Problem, ...] = ()
    file: str = ""

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)
