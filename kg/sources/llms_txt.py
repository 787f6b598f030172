"""Indexes of a site for programs: ``llms.txt``, a title, a quote, and sections of links (https://llmstxt.org).

Prose between them is no fault. What the Markdown means is read by markdown-it, so that a link in a block of code,
or an address with brackets in it, is what it is elsewhere.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["Index", "IndexLink", "can_parse", "parse"]

_LINK_IN_LIST = re.compile(rb"^[ \t]*[-*+] +\[[^\n]*\]\([^\n]+\)", re.MULTILINE)
_TITLE = re.compile(rb"\s*# \S")


class IndexLink(NamedTuple):
    """A link of an index: its text, its address as written, and the heading of its section or ``""``."""

    label: str
    url: str
    section: str


class Index(NamedTuple):
    """What an index says: its title, its summary (the quote under the title), and its links in order."""

    title: str
    summary: str
    links: tuple[IndexLink, ...]


def can_parse(data: bytes) -> bool:
    """Tell whether this is Markdown with a title and a list of links; pages of benchmarks and papers are so too."""
    bare = data.removeprefix(codecs.BOM_UTF8)
    return bool(_TITLE.match(bare) and _LINK_IN_LIST.search(bare))


def parse(data: bytes) -> Index:
    r"""Return what an index says.

    >>> parse(b"# Shells\n\n> All boards.\n\n## Boards\n\n- [Sorting](/sota/sorting.md): 12 results\n").links
    (IndexLink(label='Sorting', url='/sota/sorting.md', section='Boards'),)
    """
    from markdown_it import MarkdownIt

    text = data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    title = summary = section = ""
    links: list[IndexLink] = []
    heading, quoted = "", 0
    for token in MarkdownIt("commonmark").parse(text):
        if token.type in {"blockquote_open", "blockquote_close"}:
            quoted += token.nesting
        elif token.type in {"heading_open", "heading_close"}:
            heading = token.tag if token.nesting > 0 else ""
        elif token.type == "inline":
            if heading == "h1":
                title = title or token.content
            elif heading:
                section = token.content
            elif quoted and not section:
                summary = summary or token.content
            links += (IndexLink(label, url, section) for label, url in _links(token.children or []))
    return Index(title, summary, tuple(links))


def _links(children: Iterable[Token]) -> Iterator[tuple[str, str]]:
    """Yield the text and the address of each link of a paragraph."""
    label, url = "", ""
    for child in children:
        if child.type == "link_open":
            label, url = "", str(child.attrs.get("href", ""))
        elif child.type == "link_close":
            yield label, url
            url = ""
        elif url:
            label += child.content
