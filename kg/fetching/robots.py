"""What a site lets robots fetch: robots.txt as RFC 9309 reads it."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

__all__ = ["MAX_BYTES", "Rules", "rules_from"]

MAX_BYTES = 512 * 1024
"""How much of a robots.txt is read; RFC 9309, section 2.5, asks for 500 KiB at least."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one site: those of its file, or all or nothing; ``reason`` says why nothing may be fetched."""

    parsed: Protego | None = None
    reason: str = ""

    def allows(self, url: str, agent: str) -> bool:
        """Tell whether the robot with this product token may fetch an address."""
        if self.reason:
            return False
        return self.parsed is None or self.parsed.can_fetch(url, agent)

    def delay(self, agent: str) -> float:
        """Return the seconds that are to lie between two requests, 0 where the site does not say."""
        if self.parsed is None:
            return 0.0
        rate = self.parsed.request_rate(agent)
        paced = rate.seconds / rate.requests if rate and rate.requests else 0.0
        return max(float(self.parsed.crawl_delay(agent) or 0), paced)


def rules_from(status: int, data: bytes) -> Rules:
    r"""Return the rules that an answer for robots.txt states: there are none where it says that there is no file.

    A server that cannot answer for now (5xx, 429) allows nothing for now (RFC 9309, section 2.3.1.4).

    >>> rules = rules_from(200, b"\xef\xbb\xbfUser-agent: *\nDisallow: /a\nAllow: /a/b\n")
    >>> rules.allows("https://example.org/a/c", "benchkg"), rules.allows("https://example.org/a/b/c", "benchkg")
    (False, True)
    """
    if status == 200:
        from protego import Protego

        return Rules(Protego.parse(data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")))
    if 400 <= status < 500 and status != 429:
        return Rules()
    return Rules(reason=f"its robots.txt was answered with {status}, so nothing is to be fetched for now")
