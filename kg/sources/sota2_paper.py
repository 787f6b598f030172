"""Pages of papers of sota2, as far as they say something: title, address, updated time, arXiv, DOI, links to code.

Nothing is known of their form but that of their address, so that every line which is none of these is reported with
its text, and what a page does not say is not there.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re

from kg.model import Lines, Link, PaperPage, Reading, Snapshot, Text
from kg.sources.lines import Gatherer, split_lines
from kg.sources.sections import paper_at
from kg.values import Unreadable, is_linkable, read_time

__all__ = ["can_parse", "parse"]

_ADDRESS = r"(?:\[(?P<text>[^\n]*)\]\()?<?(?P<url>[^<>()\s]+)>?\)?"
_SOURCE = re.compile(rf"Source: {_ADDRESS}\Z")
_INDEX = re.compile(rf"Collection index: {_ADDRESS}\Z")
_UPDATED = re.compile(r"(?:Data updated|Updated): (.*)\Z")
_NAMED = re.compile(r"(?:\*\*)?(?P<name>[A-Za-z() ]{1,30})(?::\*\*|\*\*:|:) +(?P<rest>.+)")
_LINK = re.compile(r"\[(?P<label>[^\n]*?)\]\(<?(?P<url>[^<>()\s]+)>?\)\.?\Z|<?(?P<bare>[^<>\[\]\s]+?)>?\.?\Z")
_ARXIV = re.compile(
    r"(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv:)?"
    r"(?P<id>[0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7}(?:v[0-9]+)?)(?:\.pdf)?\Z",
    re.IGNORECASE,
)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(?P<id>10\.[0-9]{4,9}/\S+)\Z", re.IGNORECASE)
_CODE_HOST = re.compile(r"https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/[^/]+/[^/]+")
_OF_CODE = {"code", "github", "gitlab", "implementation", "official code", "official implementation", "repository"}
_ITSELF = {"abstract", "link", "paper", "pdf"}
_NAMES = {
    "arXiv": {"arxiv", "arxiv id", "arxiv abstract", "arxiv pdf", *_ITSELF},
    "doi": {"doi", "publisher", *_ITSELF},
    "code": {"source code", *_OF_CODE},
}
"""What the link of a line has to be called to be one of the paper itself: others may lead to what it cites."""

_PAPER_SOURCE = re.compile(rb"^Source: [^\n]*/paper/[^\n]+$", re.MULTILINE)
_OF_BENCHMARK = re.compile(rb"^(?:\| Scope \||## Recorded results)", re.MULTILINE)


def can_parse(data: bytes) -> bool:
    """Tell by its content whether this is a page of a paper: it says that its address is one, and has no results."""
    bare = data.removeprefix(codecs.BOM_UTF8)
    return not _OF_BENCHMARK.search(bare) and bool(_PAPER_SOURCE.search(bare))


def parse(data: bytes, file: str) -> Reading:
    """Read a page; what cannot be taken is a problem, never an exception."""
    return _Reader(data, file).read()


class _Reader:
    """One pass over the lines of a page."""

    def __init__(self, data: bytes, file: str) -> None:
        self.data = data
        self.file = file
        self.found = Gatherer(file)
        self.lines = split_lines(data, self.found)
        self.title: Text | None = None
        self.page: Link | None = None
        self.collection: Link | None = None
        self.updated: Text | None = None
        self.arxiv: dict[str, Link] = {}
        self.dois: dict[str, Link] = {}
        self.code: dict[str, Link] = {}
        self.unknown: list[int] = []

    def read(self) -> Reading:
        for number, raw in enumerate(self.lines, 1):
            line = raw.strip(" \t")
            if line and not (self._once(line, number) or self._identifier(line, number)):
                self.unknown.append(number)
        self._report_unknown()
        whole = Lines(1, max(1, len(self.lines)))
        if self.title is None:
            self.found.error("no-title", "the page of a paper lacks a title line (# Title); add it", whole)
        paper = paper_at(self.page.url) if self.page and is_linkable(self.page.url) else None
        if self.page and not (paper and paper.identifier):
            self.found.error(
                "bad-source-address",
                f"the source {json.dumps(self.page.url, ensure_ascii=False)} is no http(s) address of a paper, "
                "so the page has no identity; correct it",
                self.page.lines,
            )
        elif self.page is None:
            self.found.error("no-source", "the page lacks a line Source: [title](<address>); add it", whole)
        if self.updated is None:
            self.found.warning(
                "no-updated-time",
                "the page does not say when its data were updated, so it replaces no other state of it; add it",
                whole,
            )
        else:
            try:
                read_time(self.updated.text)
            except Unreadable as error:
                self.found.warning(
                    "unreadable-time",
                    f"the updated time {self.updated.text!r} {error}; correct it",
                    self.updated.lines,
                )
        problems = self.found.in_order()
        if self.title is None or self.page is None or not (paper and paper.identifier):
            return Reading(self.file, None, problems)
        page = PaperPage(
            source="sota2",
            snapshot=Snapshot(hashlib.sha256(self.data).hexdigest(), len(self.data)),
            identifier=paper.identifier,
            title=self.title,
            page=self.page,
            collection=self.collection,
            updated=self.updated,
            arxiv=tuple(self.arxiv.values()),
            dois=tuple(self.dois.values()),
            code=tuple(self.code.values()),
            problems=problems,
        )
        return Reading(self.file, None, problems, "\n".join((*self.lines, "")), page)

    def _once(self, line: str, number: int) -> bool:
        """Take a line that a page has once; a second of its kind is not understood."""
        at = Lines(number, number)
        if line.startswith("# ") and self.title is None and (text := self.found.clean(line[2:], at)):
            self.title = Text(text, at)
        elif self.page is None and (found := _SOURCE.match(line)):
            self.page = Link(self.found.clean(found["text"] or "", at), found["url"], at)
        elif self.collection is None and (found := _INDEX.match(line)):
            self.collection = Link(self.found.clean(found["text"] or "", at), found["url"], at)
        elif self.updated is None and (found := _UPDATED.match(line)):
            self.updated = Text(self.found.clean(found[1], at), at)
        else:
            return False
        return True

    def _identifier(self, line: str, number: int) -> bool:
        """Take a line that is nothing but a link or an identifier, called what those of the paper itself are."""
        line = line.removeprefix("- ").removeprefix("* ")
        named = _NAMED.match(line)
        found = _LINK.match(named["rest"] if named else line)
        if found is None:
            return False
        name, url, at = named["name"] if named else "", found["url"] or found["bare"], Lines(number, number)
        called = (name or found["label"] or "").strip().lower()
        said = {called} if called else set()
        address = url if "://" in url else ""
        itself = {url.lower(), url.lower().partition("://")[2]}
        for scheme, form, taken in (("arXiv", _ARXIV, self.arxiv), ("doi", _DOI, self.dois)):
            if identifier := form.match(url):
                # Without a name, the identifier itself has to say what it is.
                own = {identifier["id"].lower(), f"{scheme}:{identifier['id']}".lower(), *itself}
                if not said <= own | _NAMES[scheme] or (not said and url == identifier["id"]):
                    return False
                taken.setdefault(identifier["id"], Link(identifier["id"], address, at))
                return True
        if address and said <= itself | _NAMES["code"] and (said & _NAMES["code"] or _CODE_HOST.match(url)):
            self.code.setdefault(url, Link(name, url, at))
            return True
        return False

    def _report_unknown(self) -> None:
        """Report the lines that were not understood, those that follow one another as one."""
        groups: list[list[int]] = []
        for number in self.unknown:
            if groups and number == groups[-1][-1] + 1:
                groups[-1].append(number)
            else:
                groups.append([number])
        for group in groups:
            text = "\n".join(self.lines[number - 1] for number in group)
            self.found.warning(
                "unknown-line",
                "this says nothing that is read of a paper; its text is kept with the problem",
                Lines(group[0], group[-1]),
                text=text,
            )
