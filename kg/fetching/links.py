"""What a page leads to: from its bytes to addresses, by looking for the lines that hold them and nothing more.

Reading a page whole (``kg.sources``) takes many times as long, and a page that has not changed need not be read.
"""

from __future__ import annotations

import codecs
import re
from enum import StrEnum
from typing import NamedTuple

from kg.fetching.addresses import Origin, absolute, markdown_twin, origin, page_address
from kg.sources import llms_txt, sota2, sota2_paper
from kg.sources.grammar import METRIC

__all__ = ["Kind", "Link", "Links", "is_cut_short", "kind_of", "links_of"]

_SCOPE_METRIC = re.compile(r"^\| Metric \| (.*) \|[ \t]*\r?$", re.MULTILINE)
_METRICS = re.compile(rf"^{METRIC}[ \t]*\r?$", re.MULTILINE)
_PAPERS = re.compile(r"^\[(?:Reporting paper|Method origin paper)\]\(<([^<>\n]*)>\)[ \t]*\r?$", re.MULTILINE)
_PAGING = re.compile(r"^Page ([1-9][0-9]{0,8}) of ([1-9][0-9]{0,8})\.", re.MULTILINE)
_LOADED = re.compile(r"^\| Results loaded \| ([0-9]{1,9}) of [0-9]{1,9} \|", re.MULTILINE)
_RESULT = re.compile(r"^.*\. Result ID: .*\.[ \t]*\r?$", re.MULTILINE)


class Kind(StrEnum):
    """What a page is."""

    INDEX = "index"
    BENCHMARK = "benchmark"
    PAPER = "paper"
    UNKNOWN = "unknown"


class Link(NamedTuple):
    """A page to fetch, and what it should be; ``number`` is which page of its leaderboard, where that is asked for."""

    url: str
    kind: Kind
    number: int = 0


class Links(NamedTuple):
    """What a page leads to: pages to fetch, addresses of its site that are no such pages, and those of other sites.

    ``number`` is the number of the page itself as it says, 0 where it does not. ``same`` is another address under which
    the page is listed, or ``""``.
    """

    pages: tuple[Link, ...] = ()
    passed: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    number: int = 0
    same: str = ""


def kind_of(data: bytes) -> Kind:
    """Tell by its content what a page is."""
    if sota2_paper.can_parse(data):
        return Kind.PAPER
    if sota2.can_parse(data):
        return Kind.BENCHMARK
    return Kind.INDEX if llms_txt.can_parse(data) else Kind.UNKNOWN


def links_of(data: bytes, url: str, home: Origin) -> Links:
    """Return what a page leads to; ``url`` is its own address, and pages of the site ``home`` alone are fetched."""
    kind = kind_of(data)
    if kind is Kind.INDEX:
        return _sorted_out([(it.url, None) for it in llms_txt.parse(data).links], url, home)
    if kind is Kind.BENCHMARK:
        return _of_benchmark(_text(data), url, home)
    return Links()


def is_cut_short(data: bytes) -> bool:
    """Tell whether a benchmark page lacks its foot and results that it says it has: then only its beginning came."""
    if kind_of(data) is not Kind.BENCHMARK:
        return False
    text = _text(data)
    loaded = _LOADED.search(text)
    return not _PAGING.search(text) and (loaded is None or len(_RESULT.findall(text)) < int(loaded[1]))


def _text(data: bytes) -> str:
    return data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")


def _of_benchmark(text: str, url: str, home: Origin) -> Links:
    shown = _SCOPE_METRIC.search(text)
    paging = list(_PAGING.finditer(text))
    number, count = (int(paging[-1][1]), int(paging[-1][2])) if paging else (0, 0)
    found: list[tuple[str, Kind | None]] = []
    own = url
    for metric in _METRICS.finditer(text):
        link = absolute(metric[2], url) or ""
        if shown and metric[1] == shown[1].replace("\\|", "|") and _path(link) == _path(url):
            own = link
            if number <= 1:
                continue  # this page is what that address shows
        found.append((metric[2], Kind.BENCHMARK))
    found += [(it[1], Kind.PAPER) for it in _PAPERS.finditer(text)]
    links = _sorted_out(found, url, home)
    pages = links.pages
    if 0 < number < count and origin(own) == home:
        pages = (Link(page_address(own, number + 1), Kind.BENCHMARK, number + 1), *pages)
    return links._replace(pages=pages, number=number, same=own if number <= 1 else "")


def _path(url: str) -> str:
    return url.partition("?")[0]


def _sorted_out(found: list[tuple[str, Kind | None]], page: str, home: Origin) -> Links:
    pages: dict[str, Link] = {}
    passed: dict[str, None] = {}
    elsewhere: dict[str, None] = {}
    for written, kind in found:
        link = absolute(written, page)
        if link is None or origin(link) != home:
            elsewhere.setdefault(written)
            continue
        link = markdown_twin(link)
        path = _path(link)
        if kind or path.endswith((".md", "/llms.txt")):
            pages.setdefault(link, Link(link, kind or _by_path(path)))
        else:
            passed.setdefault(link)
    return Links(tuple(pages.values()), tuple(passed), tuple(elsewhere))


def _by_path(path: str) -> Kind:
    if path.endswith("/llms.txt"):
        return Kind.INDEX
    return Kind.PAPER if "/paper/" in path else Kind.BENCHMARK
