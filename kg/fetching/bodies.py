"""Bodies as they come: unpacked piece by piece up to a size, and taken for text by what the server says they are."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterator

__all__ = ["NotText", "TooLarge", "Unpacked", "media_type", "text_of"]

_PIECE = 64 * 1024
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_TEXT = frozenset({"", "application/octet-stream", "application/markdown", "application/x-markdown"})
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)


class TooLarge(Exception):
    """A body has more decoded bytes than a page may have."""


class NotText(Exception):
    """A body is no text of a page; the message says what it is."""


class Unpacked:
    """A body while it comes: ``add`` takes what came over the wire, ``data`` is what it stands for."""

    def __init__(self, encoding: str, most: int) -> None:
        coding = encoding.strip().lower()
        if coding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise NotText(f"is packed as {encoding!r}, which was not asked for")
        self._packed = coding not in {"", "identity"}
        self._inflating = zlib.decompressobj(_GZIP_OR_ZLIB) if self._packed else None
        self._most = most
        self.data = bytearray()

    def add(self, raw: bytes) -> None:
        """Take a piece; raises ``TooLarge`` as soon as the whole is, and ``zlib.error`` where it cannot be unpacked."""
        for piece in self._pieces(raw):
            self.data += piece
            if len(self.data) > self._most:
                raise TooLarge

    def _pieces(self, raw: bytes) -> Iterator[bytes]:
        if self._inflating is None:
            yield raw
            return
        while raw:
            yield self._inflating.decompress(raw, _PIECE)
            raw = self._inflating.unconsumed_tail
            if self._inflating.eof:  # a packed body may have several members
                raw = self._inflating.unused_data
                if raw:
                    self._inflating = zlib.decompressobj(_GZIP_OR_ZLIB)

    @property
    def is_whole(self) -> bool:
        """Whether the packed body came to its end."""
        return self._inflating is None or self._inflating.eof


def media_type(content_type: str) -> str:
    """Return the media type alone, in small letters."""
    return content_type.partition(";")[0].strip().lower()


def text_of(data: bytes, content_type: str) -> bytes:
    """Return a body as UTF-8; one in UTF-8 comes back as it is, whether its bytes are right or not.

    Raises ``NotText`` for HTML, for other media than text, and for a charset that is not known or does not fit.

    >>> text_of("é".encode("latin-1"), "text/markdown; charset=ISO-8859-1").decode()
    'é'
    """
    kind = media_type(content_type)
    if kind in {"text/html", "application/xhtml+xml"} or _HTML.match(data.removeprefix(codecs.BOM_UTF8)[:4096]):
        raise NotText("is HTML where Markdown was expected")
    if kind not in _TEXT and not kind.startswith("text/"):
        raise NotText(f"is {kind} where Markdown was expected")
    stated = _CHARSET.search(content_type)
    if stated is None:
        return data
    try:
        name = codecs.lookup(stated[1]).name
        return data if name in {"utf-8", "ascii"} else data.decode(name).encode()
    except (LookupError, UnicodeError, AttributeError) as error:
        raise NotText(f"cannot be read in its charset {stated[1]!r} ({error})") from error
