"""How long to wait: for a turn at a host, and before a page is asked for again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["Turns", "retry_after"]

_SECONDS = re.compile(r"[0-9]+\Z")


def retry_after(value: str | None, date: str | None, now: datetime) -> float | None:
    """Return the seconds that a Retry-After field asks to wait (RFC 9110, section 10.2.3); None where it asks nothing.

    A time counts from the server's own clock where the answer has a ``date``, else from ``now``.

    >>> now = datetime(2026, 3, 4, 9, tzinfo=UTC)
    >>> [retry_after(value, None, now) for value in ("Wed, 04 Mar 2026 09:00:07 GMT", "2", "soon")]
    [7.0, 2.0, None]
    """
    text = (value or "").strip()
    if _SECONDS.match(text):
        return float(text[:18])
    until = _time(text)
    if until is None:
        return None
    return (until - (_time(date or "") or now)).total_seconds()


def _time(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


class Turns:
    """The requests to one host: so many at once, and so many seconds between the beginnings of two."""

    def __init__(self, connections: int, interval: float, time: Callable[[], float]) -> None:
        self._open = asyncio.Semaphore(connections)
        self.interval = interval
        self._time = time
        self._next = 0.0

    async def __aenter__(self) -> None:
        """Wait for a turn."""
        await self._open.acquire()
        try:
            now = self._time()
            begin = max(now, self._next)
            self._next = begin + self.interval
            if begin > now:
                await asyncio.sleep(begin - now)
        except BaseException:
            self._open.release()
            raise

    async def __aexit__(self, *_: object) -> None:
        """Give the turn back."""
        self._open.release()
