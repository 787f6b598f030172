"""A strict reader of sota2 pages: it reads those that are exactly in the form that the site prints.

Anything else, at its first sign, is left to the reader that decides about unusual pages
(``kg.sources.sota2``) and reads them from the start. Both give the same reading. Here whole parts
are matched at once and records are made of columns; lines are counted with the blocks, which stand
apart by one blank line.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import accumulate, count, repeat
from typing import Generic, NamedTuple, NoReturn, TypeVar

from kg.model import (
    NOT_RECORDED,
    BenchmarkPage,
    Lines,
    Link,
    Metric,
    Paper,
    Reading,
    Result,
    Scope,
    Snapshot,
    TableRow,
    Text,
)
from kg.sources.checks import (
    are_plain_dates,
    check_page,
    check_results,
    is_plain_metric,
    is_plain_page,
    is_plain_setting,
)
from kg.sources.grammar import NO_PARAGRAPH, PAGING, SCOPE_HEAD, SCOPE_ROWS, begins_disclaimers
from kg.sources.joining import bring_together
from kg.sources.lines import Gatherer, are_clean
from kg.sources.sections import CONFIGURATION, VALUE, paper_at, split_configuration
from kg.values import are_plain_numbers, is_linkable

__all__ = ["read"]

_BLOCKS = r"((?:.+\n\n)*?)"
_HEAD = re.compile(
    r"# (.+)\n\n"
    r"Source: \[(.+)>\)\n\n"
    r"(?:Collection index: \[(.+)>\)\n\n)?"
    r"(?:Data updated: (.+)\n\n)?"
    + _BLOCKS
    + rf"{re.escape(SCOPE_HEAD)}\n\| --- \| --- \|\n"
    + "".join(rf"\| {re.escape(name)} \| (.+) \|\n" for name in SCOPE_ROWS)
    + rf"\n{_BLOCKS}"
    rf"## Metrics\n\n{_BLOCKS}"
    r"## Recorded results\n\n"
    r"\| Method \| (.+) \| Result date \| Report paper \|\n\| --- \| --- \| --- \| --- \|\n((?:\| .+ \|\n)*)\n"
)
_SECTIONS = re.compile(
    rf"### (.+)\n\n(.+)\. {VALUE}([0-9A-Za-z_-]+)\.\n\n"
    r"(?:\[Reporting paper\]\(<(.+)\n\n)?"
    r"(?:\[Method origin paper\]\(<(.+)\n\n)?"
    r"((?:\[Implementation\]\(<.+\n\n)*)"
    rf"({CONFIGURATION}.+)\n\n"
)
_NO_PARAGRAPH = (*NO_PARAGRAPH, "|", "Page ")
_NO_VALUE = ("### ", CONFIGURATION, "This record ")  # how a line begins that states no value, whatever the metric
_REMEMBERED = 4_096

_Key = TypeVar("_Key")
_Read = TypeVar("_Read")
_Record = TypeVar("_Record", bound="tuple[object, ...]")


class _Unusual(Exception):
    """The page is not in the form that is read here."""


def read(data: bytes, file: str) -> Reading | None:
    """Read a page, or return None where it is not exactly in the usual form."""
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode()
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        return _Page(text, file).reading(Snapshot(hashlib.sha256(data).hexdigest(), len(data)))
    except (UnicodeDecodeError, _Unusual):
        return None


def _give_up() -> NoReturn:
    raise _Unusual


def _made(record: type[_Record], *columns: Iterable[object]) -> Iterator[_Record]:
    """Make records of columns, until one ends: what ``map(record, *columns)`` does in nearly twice the time."""
    return map(partial(tuple.__new__, record), zip(*columns, strict=False))


def _line(number: int) -> Lines:
    return Lines(number, number)


class _Memo(dict[_Key, _Read], Generic[_Key, _Read]):
    """What came of the texts read before, since pages repeat themselves; it is emptied when it is full."""

    def __init__(self, read: Callable[[_Key], _Read]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, text: _Key) -> _Read:
        if len(self) >= _REMEMBERED:
            self.clear()
        read = self[text] = self._read(text)
        return read


class _Code(NamedTuple):
    """The implementations that a section links to, and whether each can be linked to."""

    urls: tuple[str, ...]
    plain: bool


class _Setting(NamedTuple):
    """What the last line of a section says, and whether no check of it can find anything."""

    configuration: str | None
    reproduction: str | None
    plain: bool


def _link(text: str) -> tuple[str, str]:
    """Return label and URL of a Markdown link, given without its first bracket and its end."""
    label, middle, url = text.partition("](<")
    if not middle or "<" in url or ">" in url:
        _give_up()
    return label, url


def _paper(text: str | None) -> Paper | None:
    """Return the paper of a link, given from its URL on."""
    if text is None:
        return None
    url = text[:-2]
    paper = paper_at(url)
    if text[-2:] != ">)" or not is_linkable(url) or paper is None or paper.identifier == NOT_RECORDED:
        _give_up()
    return paper


def _code(blocks: str) -> _Code:
    """Read links to implementations: their URLs, in the order of their text."""
    links = blocks.split("\n\n")[:-1]
    urls = {_link(link[:-2])[1] for link in links}
    if len(urls) != len(links) or not all(link.endswith(">)") for link in links):
        _give_up()
    return _Code(tuple(sorted(urls)), all(map(is_linkable, urls)))


def _setting(line: str) -> _Setting:
    if line[-1] in " \t":
        _give_up()
    configuration, reproduction = split_configuration(line)
    return _Setting(configuration, reproduction, is_plain_setting(configuration, reproduction))


_papers = _Memo(_paper)
_repositories = _Memo(_code)
_settings = _Memo(_setting)


@lru_cache(_REMEMBERED)
def _metrics(bullets: str, place: int) -> tuple[tuple[Metric, ...], bool]:
    """Return the metrics listed from some line on, and whether no check of one can find anything.

    They are the same on all pages of a benchmark.
    """
    metrics: dict[str, Metric] = {}
    for bullet in bullets.split("\n\n")[:-1]:
        link, _, rest = bullet.partition(">): ")
        name, url = _link(link[3:])
        direction, between, unit = rest.rpartition("; unit: ")
        if bullet[:3] != "- [" or not between or unit[-1:] != "." or name in metrics:
            _give_up()
        if not are_clean([name, direction, unit[:-1]]):
            _give_up()
        metrics[name] = Metric(name, url, direction, unit[:-1], _line(place))
        place += 2
    return tuple(metrics.values()), all(map(is_plain_metric, metrics.values()))


@lru_cache(_REMEMBERED)
def _disclaimers(blocks: str, place: int) -> tuple[Text, ...]:
    """Return the disclaimers that begin at some line: the same on all pages."""
    texts = blocks.split("\n\n")[:-1]
    if not are_clean(texts) or any(text.startswith(_NO_PARAGRAPH) for text in texts):
        _give_up()
    return tuple(_made(Text, texts, map(_line, count(place, 2))))


@lru_cache(_REMEMBERED)
def _paging(line: str) -> tuple[int, int, str]:
    """Return the number of the page, their count, and what is said behind them."""
    paging = PAGING.match(line) or _give_up()
    note = paging[3] or ""
    if VALUE in line or paging[3] == "" or not are_clean([note]):
        _give_up()
    return int(paging[1]), int(paging[2]), note


def _cells(rows: str) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return the columns of a table of results that has no escaped bar and no empty cell."""
    if not rows:
        return [], [], [], []
    # A break between rows becomes a cell of its own, so that all cells stand in one list at equal distances.
    cells = rows[2:-3].replace(" |\n| ", " | \n | ").split(" | ")
    number = rows.count("\n")
    if (
        len(cells) != 5 * number - 1
        or rows.count("|") != 5 * number
        or cells[4::5].count("\n") != number - 1
        or "  " in rows
    ):
        _give_up()
    return cells[::5], cells[1::5], cells[2::5], cells[3::5]


class _Page:
    """One page while it is read: ``place`` is the line of the next block, ``texts`` are those that must be clean."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.found = Gatherer(file)
        self.place = 5
        self.texts: list[str] = []

    def reading(self, snapshot: Snapshot) -> Reading:
        """Read the page, and check it as any other is checked."""
        head = _HEAD.match(self.text) or _give_up()
        title, source, index, updated, above, *cells, below, bullets, column, rows = head.groups()
        label, url = _link(source)
        self.texts += (title, label, column, *cells)
        if "|" in "".join(cells) or not is_linkable(url):
            _give_up()
        collection = None if index is None else self._collection(index)
        data_updated = None if updated is None else self._text(updated)
        about, above = self._description(above)
        disclaimers = self._disclaimers(above)
        if disclaimers and not begins_disclaimers(disclaimers[0].text):
            _give_up()
        scope = Scope(*_made(Text, cells, map(_line, count(self.place + 2))))
        self.place += len(cells) + 3
        disclaimers += self._disclaimers(below)
        metrics, plain_metrics = _metrics(bullets, self.place + 2)
        self.place += 2 * len(metrics) + 4
        value_column = Text(column, _line(self.place))
        results, plain, paging = self._results(cells[2], rows, self.text[head.end() :])
        page_number, page_count, note = _paging(paging)
        if note:
            disclaimers += (Text(note, _line(self.place)),)
        if not are_clean(self.texts):
            _give_up()
        page = BenchmarkPage(
            source="sota2",
            snapshot=snapshot,
            title=Text(title, _line(1)),
            page=Link(label, url, _line(3)),
            collection=collection,
            updated=data_updated,
            description=about,
            disclaimers=disclaimers,
            scope=scope,
            metrics=metrics,
            value_column=value_column,
            results=results,
            page_number=page_number,
            page_count=page_count,
            paging=_line(self.place),
        )
        if not (plain_metrics and is_plain_page(page)):
            check_page(page, self.found, Lines(1, self.place))
        if not plain or column != cells[2]:
            check_results(page, self.found)
        problems = self.found.in_order()
        whole = self.text if self.text.endswith("\n") else f"{self.text}\n"
        return Reading(self.found.file, page._replace(problems=problems) if problems else page, problems, whole)

    def _text(self, text: str) -> Text:
        self.texts.append(text)
        self.place += 2
        return Text(text, _line(self.place - 2))

    def _collection(self, text: str) -> Link:
        label, url = _link(text)
        return Link(label, url, self._text(label).lines)

    def _description(self, blocks: str) -> tuple[Text | None, str]:
        """Return the first paragraph, if it is no disclaimer, and the others."""
        first, _, others = blocks.partition("\n\n")
        if not first or begins_disclaimers(first):
            return None, blocks
        if first.startswith(_NO_PARAGRAPH):
            _give_up()
        return self._text(first), others

    def _disclaimers(self, blocks: str) -> tuple[Text, ...]:
        disclaimers = _disclaimers(blocks, self.place)
        self.place += 2 * len(disclaimers)
        return disclaimers

    def _results(self, metric: str, rows: str, text: str) -> tuple[tuple[Result, ...], bool, str]:
        """Return the results, whether no check of one can find anything, and what follows the last."""
        labels, values, dates, row_papers = columns = _cells(rows)
        lines = range(self.place + 2, self.place + 2 + len(labels))
        table = [*_made(TableRow, count(1), *columns, _made(Lines, lines, lines))]
        parts = _SECTIONS.split(text)
        tail = parts.pop()
        between, headings, stated, identifiers, reporting, origins, links, last = (parts[part::8] for part in range(8))
        named = f"{metric}: "
        reported, originating = [*map(_papers.__getitem__, reporting)], [*map(_papers.__getitem__, origins)]
        agree = (
            headings == labels
            and stated == [f"{named}{value}" for value in values]
            and [paper.identifier if paper else NOT_RECORDED for paper in reported] == row_papers
        )
        said = values if agree else self._values(stated, named)
        if any(between) or len({*identifiers}) != len(identifiers) or named.startswith(_NO_VALUE):
            _give_up()
        repositories, settings = [*map(_repositories.__getitem__, links)], [*map(_settings.__getitem__, last)]
        lengths = [
            2 * ((one is not None) + (other is not None) + len(code.urls)) + 6
            for one, other, code in zip(reporting, origins, repositories, strict=True)
        ]
        starts = [*accumulate(lengths, initial=self.place + len(table) + 3)]
        self.place = starts[-1]
        results = tuple(
            _made(
                Result,
                identifiers,
                headings,
                repeat(metric),
                said,
                reported,
                originating,
                [code.urls for code in repositories],
                [setting.configuration for setting in settings],
                [setting.reproduction for setting in settings],
                _made(Lines, starts, [start - 2 for start in starts[1:]]),
                table if agree else repeat(None),
            )
        )
        once = {*dates}
        known = {*reported, *originating} - {None}
        plain = (
            agree
            and are_plain_numbers(values)
            and are_plain_dates(once)
            and all(code.plain for code in repositories)
            and all(setting.plain for setting in settings)
            and len({paper.identifier for paper in known if paper}) == len(known)
        )
        self.texts += {*labels, *row_papers}
        if not plain:  # plain ones are clean
            self.texts += (*values, *once)
        if not agree:
            self.texts += (*headings, *said)
            results = tuple(bring_together(results, table, self.found, self._quote))
        return results, plain, tail.removesuffix("\n")

    def _values(self, stated: list[str], named: str) -> list[str]:
        """Return the values that sections state, each behind the name of the metric."""
        values = [text.removeprefix(named) for text in stated]
        if not all(values) or [f"{named}{value}" for value in values] != stated:
            _give_up()
        return values

    def _quote(self, lines: Lines) -> str:
        return "\n".join(self.text.split("\n")[lines.first - 1 : lines.last])
