"""Pages of sota2: Markdown with a scope table, a list of metrics, a results table and a section a result.

Every line becomes a fact, is furniture (``FURNITURE``), or is reported. The page states a fact of a
result twice, in the table and in its section; both are read, and ``kg.sources.joining`` brings them
together.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re

from kg.model import BenchmarkPage, Lines, Link, Metric, Reading, Result, Scope, Snapshot, TableRow, Text
from kg.sources import strict
from kg.sources.checks import check_page, check_results
from kg.sources.grammar import (
    COLUMNS,
    FURNITURE,
    LINK,
    METRIC,
    NO_PARAGRAPH,
    PAGING,
    RULE,
    SCOPE_HEAD,
    SCOPE_ROWS,
    begins_disclaimers,
    description,
)
from kg.sources.joining import bring_together
from kg.sources.lines import Gatherer, split_lines
from kg.sources.sections import CONFIGURATION, IMPLEMENTATION, VALUE, Section, split_configuration
from kg.values import is_linkable

__all__ = ["FURNITURE", "can_parse", "parse"]

_MARKER = re.compile(
    rb"^(# |Source: \[|\| Scope \||\| Dataset \(including any stated split\) \||## Recorded results)", re.MULTILINE
)
_ENOUGH_MARKERS = 2
_HEAD_LINES = (
    (re.compile(r"# (.*)\Z"), "title", "title"),
    (re.compile(rf"Source: {LINK}\Z"), "page", "source"),
    (re.compile(rf"Collection index: {LINK}\Z"), "collection", "collection index"),
    (re.compile(r"Data updated: (.*)\Z"), "updated", "updated time"),
)
_SECTION_LINK = re.compile(r"\[(Reporting paper|Method origin paper|Implementation)\]\(<([^<>]*)>\)\Z")
_VALUE = re.compile(r"(?P<metric>.+): (?P<value>[^:]*)\. Result ID: (?P<id>.*)\.\Z")
_VALUE_REST = re.compile(r"(?P<value>.*)\. Result ID: (?P<id>.*)\.\Z")
_REPRODUCTION = re.compile(r"This record .*\Z")
_CELL = re.compile(r"(?<!\\)\|")
_METRIC = re.compile(rf"{METRIC}\Z")
_NO_PAGE = ("no-title", "no-source", "no-metric", "bad-source-address")


def can_parse(data: bytes) -> bool:
    """Tell by its content whether this is a sota2 page, also a damaged one."""
    if b"\n| Scope |" in data:
        return True
    found = {match[1] for match in _MARKER.finditer(data.removeprefix(codecs.BOM_UTF8))}
    return b"| Scope |" in found or (b"Source: [" in found and len(found) >= _ENOUGH_MARKERS)


def parse(data: bytes, file: str) -> Reading:
    """Read a page; one bad result never loses the page, and nothing is lost without a problem."""
    return strict.read(data, file) or _Reader(data, file).read()


class _Reader:
    """One pass over the lines of a page, then the joins and checks that need all of it."""

    def __init__(self, data: bytes, file: str) -> None:
        self.data = data
        self.file = file
        self.found = Gatherer(file)
        self.lines = split_lines(data, self.found)
        self.title: Text | None = None
        self.page: Link | None = None
        self.collection: Link | None = None
        self.updated: Text | None = None
        self.paragraphs: list[Text] = []
        self.disclaimers: list[Text] = []
        self.scope: dict[str, Text] = {}
        self.metrics: list[Metric] = []
        self.value_column: Text | None = None
        self.ruled = False
        self.columns = False
        self.rows: list[TableRow] = []
        self.row_count = 0
        self.sections: list[Section] = []
        self.paging: tuple[int, int, Lines] | None = None

    # Reading line by line

    def read(self) -> Reading:
        place = self._head
        number = 0
        while number < len(self.lines):
            line = self.lines[number].rstrip(" \t")
            number += 1
            at = Lines(number, number)
            if line == "## Metrics":
                place, self.ruled = self._metric_line, False
            elif line == "## Recorded results":
                place, self.ruled = self._table_line, False
            elif FURNITURE.fullmatch(line) and not (self.ruled and RULE.fullmatch(line)):
                self.ruled = line != SCOPE_HEAD and (self.ruled or bool(RULE.fullmatch(line)))
            elif line.startswith("### "):
                self.sections.append(Section(Text(self.found.clean(line[4:], at), at), number))
                place = self._section_line
            elif not (place(line, at) or self._paging_line(line, at)):
                self._unknown(line, at)
        return self._finish()

    def _unknown(self, line: str, at: Lines) -> None:
        self.found.warning(
            "unknown-line", "this line is no part of a benchmark page; remove it or correct its wording", at, text=line
        )

    def _repeated(self, line: str, at: Lines, first: Lines, what: str) -> bool:
        self.found.warning(
            "repeated-line", f"the page states its {what} twice ({first} was taken); remove one", at, first, text=line
        )
        return True

    def _head(self, line: str, at: Lines) -> bool:
        if line.startswith("|"):
            return self._scope_row(line, at)
        for pattern, attribute, what in _HEAD_LINES:
            if found := pattern.match(line):
                if known := getattr(self, attribute):
                    return self._repeated(line, at, known.lines, what)
                text = self.found.clean(found[1], at)
                setattr(self, attribute, Text(text, at) if pattern.groups == 1 else Link(text, found[2], at))
                return True
        if line.startswith(NO_PARAGRAPH) or (self.scope and PAGING.match(line)):
            return False
        self._paragraph(line, at)
        return True

    def _paragraph(self, line: str, at: Lines) -> None:
        text = Text(self.found.clean(line, at), at)
        if self.scope or self.disclaimers or begins_disclaimers(text.text):
            self.disclaimers.append(text)
        else:
            self.paragraphs.append(text)

    def _cells(self, line: str, at: Lines) -> list[str] | None:
        """Return the cells of a table row (https://github.github.com/gfm/#tables-extension-), None if it is torn."""
        parts = _CELL.split(line)
        if len(parts) < 3 or parts[0].strip() or parts[-1].strip():
            return None
        return [self.found.clean(part.replace("\\|", "|"), at) for part in parts[1:-1]]

    def _scope_row(self, line: str, at: Lines) -> bool:
        cells = self._cells(line, at)
        if cells is None or len(cells) != 2 or cells[0] not in SCOPE_ROWS:
            self.found.warning(
                "unknown-scope-row",
                f"this row of the scope table is not known; the known ones are {', '.join(SCOPE_ROWS)}",
                at,
                text=line,
            )
            return True
        name = SCOPE_ROWS[cells[0]]
        if name in self.scope:
            return self._repeated(line, at, self.scope[name].lines, f"scope row {cells[0]}")
        self.scope[name] = Text(cells[1], at)
        return True

    def _metric_line(self, line: str, at: Lines) -> bool:
        found = _METRIC.match(line)
        if found is None:
            return False
        name, direction, unit = (self.found.clean(found[part], at) for part in (1, 3, 4))
        same = next((metric for metric in self.metrics if metric.name == name), None)
        if same:
            return self._repeated(line, at, same.lines, f"metric {name}")
        self.metrics.append(Metric(name, found[2], direction, unit, at))
        return True

    def _table_line(self, line: str, at: Lines) -> bool:
        if not line.startswith("|"):
            return False
        cells = self._cells(line, at)
        if not self.columns and cells and len(cells) == COLUMNS and cells[0] == "Method":
            if [cells[2], cells[3]] != ["Result date", "Report paper"]:
                return False
            self.columns, self.value_column = True, Text(cells[1], at)
            return True
        self.row_count += 1
        if not self.columns or cells is None or len(cells) != COLUMNS:
            why = (
                f"has {len(cells or [])} cells, not {COLUMNS}; write a bar inside a cell as \\|"
                if self.columns
                else "stands under no known table head (| Method | METRIC | Result date | Report paper |); correct it"
            )
            self.found.error("bad-row", f"this row of the results table {why}", at, text=line)
            return True
        label, value, date, paper = cells
        self.rows.append(TableRow(self.row_count, label, value, date, paper, at))
        return True

    def _section_line(self, line: str, at: Lines) -> bool:
        if found := _SECTION_LINK.match(line):
            section = self._section_of(found[1], at)
            if found[1] != IMPLEMENTATION:
                section.links[found[1]] = found[2]
            elif found[2] in section.implementations:
                return self._repeated(line, at, section.lines, "implementation")
            else:
                section.implementations.append(found[2])
        elif line.startswith(CONFIGURATION) or _REPRODUCTION.match(line):
            section = self._section_of(CONFIGURATION, at)
            section.configuration, section.reproduction = split_configuration(line)
        elif value := self._value_parts(line):
            section = self._section_of(VALUE, at)
            section.metric, section.value, section.identifier = (self.found.clean(part, at) for part in value)
        else:
            return False
        section.last = at.last
        return True

    def _section_of(self, part: str, at: Lines) -> Section:
        """Return the section that a line belongs to: a new one where the last cannot have that part any more.

        That one's heading is missing. Its lines must not pass for those of the result before it.
        """
        if self.sections[-1].is_past(part):
            self.found.error(
                "no-heading",
                "a section begins here without its heading (### METHOD), so its method is not known; add it",
                at,
            )
            self.sections.append(Section(Text("", at), at.last))
        return self.sections[-1]

    def _value_parts(self, line: str) -> tuple[str, str, str] | None:
        """Return the metric, the value and the result id of a section's value line."""
        metric = self.scope["metric"].text if "metric" in self.scope else ""
        if metric and line.startswith(f"{metric}: "):
            found = _VALUE_REST.match(line, len(metric) + 2)
            return (metric, found["value"], found["id"]) if found else None
        found = _VALUE.match(line)
        return (found["metric"], found["value"], found["id"]) if found else None

    def _paging_line(self, line: str, at: Lines) -> bool:
        found = PAGING.match(line)
        if found is None:
            return False
        if self.paging:
            return self._repeated(line, at, self.paging[2], "page number")
        self.paging = (int(found[1]), int(found[2]), at)
        if found[3]:
            self.disclaimers.append(Text(self.found.clean(found[3], at), at))
        return True

    # What needs the whole page

    def _finish(self) -> Reading:
        whole = Lines(1, max(1, len(self.lines)))
        missing = [
            (self.title and self.title.text, "no-title", "a title line (# Benchmark)"),
            (self.page, "no-source", "a line Source: [title](<address>)"),
            ("metric" in self.scope and self.scope["metric"].text, "no-metric", "a Metric row in its scope table"),
        ]
        for present, code, what in missing:
            if not present:
                self.found.error(code, f"the page lacks {what}, so nobody can say what it shows; add it", whole)
        if self.page and not is_linkable(self.page.url):
            self.found.error(
                "bad-source-address",
                f"the source {json.dumps(self.page.url, ensure_ascii=False)} is no http(s) address, "
                "so the page has no identity; correct it",
                self.page.lines,
            )
        if any(problem.code in _NO_PAGE for problem in self.found.problems):
            return Reading(self.file, None, tuple(self.found.problems))
        assert self.title
        assert self.page
        results = self._results()
        page = BenchmarkPage(
            source="sota2",
            snapshot=Snapshot(hashlib.sha256(self.data).hexdigest(), len(self.data)),
            title=self.title,
            page=self.page,
            collection=self.collection,
            updated=self.updated,
            description=description(self.paragraphs),
            disclaimers=tuple(self.disclaimers),
            scope=Scope(**self.scope),
            metrics=tuple(self.metrics),
            value_column=self.value_column,
            results=tuple(results),
            page_number=self.paging[0] if self.paging else None,
            page_count=self.paging[1] if self.paging else None,
            paging=self.paging[2] if self.paging else None,
        )
        check_page(page, self.found, whole)
        check_results(page, self.found)
        problems = self.found.in_order()
        return Reading(self.file, page._replace(problems=problems), problems, "\n".join((*self.lines, "")))

    def _text_of(self, lines: Lines) -> str:
        return "\n".join(self.lines[lines.first - 1 : lines.last])

    def _results(self) -> list[Result]:
        sections = []
        for section in self.sections:
            if section.identifier:
                sections.append(section.result())
            else:
                self.found.error(
                    "no-result-id",
                    f'the section "{section.heading.text}" states no value with a result id '
                    f'("METRIC: VALUE. Result ID: ID."), so its result cannot be identified; add the line',
                    section.lines,
                    text=self._text_of(section.lines),
                )
        return bring_together(sections, self.rows, self.found, self._text_of)
