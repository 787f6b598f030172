"""Addresses as text: one spelling each, without what must not travel, and what of a site they name."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from kg.errors import Misuse

__all__ = ["Credentials", "Origin", "absolute", "given", "is_selected", "markdown_twin", "origin", "page_address"]

_PORTS = {"http": 80, "https": 443}
_SAFE = "!$&'()*+,;=:@/?%-._~"
_TWIN = re.compile(r"/(?:sota|paper)/[^/.][^/]*\Z")
_DOT = re.compile("%2e", re.IGNORECASE)
_PAGE = re.compile(r"(?:^|&)page=[^&]*")


class Origin(NamedTuple):
    """Scheme, host and port (RFC 6454): what credentials and rules for robots belong to."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{'' if self.port == _PORTS[self.scheme] else f':{self.port}'}"


class Credentials(NamedTuple):
    """A user name and a password, and the one origin that they may be sent to."""

    origin: Origin
    user: str
    password: str


def given(url: str) -> tuple[str, Credentials | None]:
    """Return the address that a user gave in its one spelling, and the credentials that stood in it.

    Raises ``Misuse`` for what is no http(s) address.

    >>> given("HTTPS://me:secret@Example.org:443/research/llms.txt#top")[0]
    'https://example.org/research/llms.txt'
    """
    parts = _split(url)
    found = None if parts is None else _spelt(parts)
    if parts is None or found is None:
        raise Misuse(f"{url!r} is no http(s) address; give the whole of one, with scheme and host.")
    if parts.username is None:
        return found, None
    return found, Credentials(origin(found), unquote(parts.username), unquote(parts.password or ""))


def absolute(url: str, page: str) -> str | None:
    """Return the address that a link on a page leads to; None where that is none of http(s).

    Fragments name a part of a page, and credentials in a link are nobody's: both are left out.

    >>> absolute("/research/sota/a b.md?metric=F1#top", "https://example.org/llms.txt")
    'https://example.org/research/sota/a%20b.md?metric=F1'
    """
    try:
        parts = _split(urljoin(page, url.strip()))
    except ValueError:
        return None
    return None if parts is None else _spelt(parts)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in _PORTS and parts.hostname else None


def _spelt(parts: SplitResult) -> str | None:
    try:
        host = (
            (parts.hostname or "").encode("idna").decode() if not (parts.hostname or "").isascii() else parts.hostname
        )
    except UnicodeError:
        return None
    if not host or re.search(r"[^A-Za-z0-9.:_-]", host):
        return None
    place = Origin(parts.scheme, host.lower(), parts.port or _PORTS[parts.scheme])
    # Dots that lead upwards are followed here, however they are written: what is asked about is what is asked for.
    path = quote(urlsplit(urljoin(f"{place}/", _DOT.sub(".", parts.path) or "/")).path, safe=_SAFE)
    query = f"?{quote(parts.query, safe=_SAFE)}" if parts.query else ""
    return f"{place}{path}{query}"


def origin(url: str) -> Origin:
    """Return the origin of an address in its one spelling."""
    parts = urlsplit(url)
    return Origin(parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme])


def markdown_twin(url: str) -> str:
    """Return the address of the Markdown of a benchmark's or paper's page, given that or the one of its HTML.

    >>> markdown_twin("https://example.org/research/sota/sorting-on-shells?metric=F1")
    'https://example.org/research/sota/sorting-on-shells.md?metric=F1'
    """
    path, mark, query = url.partition("?")
    if _TWIN.search(path) and not path.endswith((".md", ".txt")):
        return f"{path}.md{mark}{query}"
    return url


def page_address(url: str, number: int) -> str:
    """Return the address of another page of a leaderboard: the same, with ``page`` in its query.

    >>> page_address("https://example.org/a.md?metric=F1", 2), page_address("https://example.org/a.md?page=1", 2)
    ('https://example.org/a.md?metric=F1&page=2', 'https://example.org/a.md?page=2')
    """
    path, _, query = url.partition("?")
    kept = _PAGE.sub("", query).strip("&")
    return f"{path}?{kept}{'&' * bool(kept)}page={number}"


def is_selected(url: str, patterns: tuple[str, ...]) -> bool:
    """Tell whether an address, or the last part of its path without ``.md``, matches one of the patterns, if any.

    >>> is_selected("https://example.org/sota/on-shells.md?metric=F1", ("*/sota/*",))
    True
    >>> is_selected("https://example.org/sota/on-shells.md?metric=F1", ("on-*",))
    True
    """
    last = url.partition("?")[0].rsplit("/", 1)[-1].removesuffix(".md")
    return not patterns or any(fnmatchcase(url, it) or fnmatchcase(last, it) for it in patterns)
