"""Asking for one address until there is an answer: retries, redirects, validators, and every limit that holds."""

from __future__ import annotations

import asyncio
import logging
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Self, TypeVar

from kg.fetching import robots
from kg.fetching.addresses import Credentials, Origin, absolute, origin
from kg.fetching.bodies import NotText, TooLarge, Unpacked, media_type, text_of
from kg.fetching.connecting import ForbiddenAddress, UnknownHost, transport
from kg.fetching.robots import Rules, rules_from
from kg.fetching.settings import Manners
from kg.fetching.waiting import Turns, retry_after
from kg.resources import version
from kg.terms import lexical, moment
from kg.visits import Visit
from kg.vocabulary import PRODUCT_PAGE

if TYPE_CHECKING:
    import httpx

__all__ = ["AGENT", "Answer", "Client", "Failed", "Request"]

AGENT = "benchkg"
"""The product token that a robots.txt names (RFC 9309, section 2.2.1)."""

_REDIRECTS = 5
_OK, _NOT_MODIFIED = 200, 304
_GONE = frozenset({404, 410})
_MOVED = frozenset({301, 302, 303, 307, 308})
_PASSING = frozenset({408, 429})
_CONDITIONS = frozenset({"if-none-match", "if-modified-since"})
_DRAINED = 64 * 1024
_Made = TypeVar("_Made")


def _distrust(error: BaseException | None) -> str:
    """Return what is wrong with a certificate where that is what an error comes from, else nothing."""
    import ssl

    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message
        error = error.__cause__ or error.__context__
    return ""


class Failed(Exception):
    """An address gave no page; the message says why, without naming the address."""


class _NoWay(Failed):
    """There is no address that may be connected to."""


class _Again(Exception):
    """A request failed for a reason that may pass; ``wait`` are the seconds that the server asked for, if it did."""

    def __init__(self, reason: str, wait: float | None = None, status: int = 0) -> None:
        super().__init__(reason)
        self.wait = wait
        self.status = status


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an address: with status 200 the text as UTF-8, else (304, 404, 410) nothing but that."""

    status: int
    final: str
    data: bytes = b""
    etag: str = ""
    last_modified: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it went, for the log: ``seconds`` is how long it took, ``bytes`` are decoded ones."""

    at: str
    url: str
    status: int | None
    bytes: int
    seconds: float
    error: str = ""


@dataclass(slots=True)
class _Body:
    """What is to be taken of a body: up to ``most`` bytes, of which more are a fault unless it may be ``cut``."""

    most: int
    cut: bool = False


class Client:
    """The door to the network for one run; ``async with`` opens and closes it.

    ``allowed`` are the addresses that are no public ones and may be connected to all the same. ``through`` takes the
    place of the network, and ``now`` that of the clock.
    """

    def __init__(
        self,
        manners: Manners,
        *,
        allowed: frozenset[str] = frozenset(),
        credentials: Credentials | None = None,
        told: Callable[[Request], None] = lambda _: None,
        through: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        import httpx

        logging.getLogger("stamina").addHandler(logging.NullHandler())  # that something is tried again is no warning
        self._manners = manners
        self._credentials = credentials
        self._told = told
        self._now = now
        self._turns: dict[tuple[str, int], Turns] = {}
        self._rules: dict[Origin, asyncio.Task[Rules]] = {}
        self._http = httpx.AsyncClient(
            transport=through or transport(allowed, manners.connections),
            timeout=manners.step_seconds,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            trust_env=False,
            headers={
                "User-Agent": f"{AGENT}/{version()} (+{PRODUCT_PAGE})",
                "Accept": "text/markdown, text/plain;q=0.9, */*;q=0.1",
                "Accept-Encoding": "gzip",
            },
        )

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._rules.values():
            task.cancel()
        await asyncio.gather(*self._rules.values(), return_exceptions=True)
        await self._http.__aexit__(None, None, None)

    async def get(
        self, url: str, before: Visit | None = None, is_whole: Callable[[bytes], bool] = lambda _: True
    ) -> Answer:
        """Return what an address answers; raises ``Failed`` where that is no page.

        With ``before``, the answer may be 304: that what came then is what would come now. What ``is_whole``
        refuses is taken for the beginning of a page, and asked for again.
        """
        headers: dict[str, str] = {}
        if before and before.etag:
            headers["If-None-Match"] = before.etag
        if before and before.last_modified:
            headers["If-Modified-Since"] = before.last_modified

        async def once() -> Answer:
            answer = await self._followed(url, headers)
            if answer.status == _OK and not is_whole(answer.data):
                raise _Again("the page ends before its end: results that it says it has are missing")
            return answer

        return await self._retried(once)

    async def rules(self, place: Origin) -> Rules:
        """Return what a site lets robots fetch; it is asked once a run."""
        if place not in self._rules:
            self._rules[place] = asyncio.create_task(self._asked_rules(place))
        return await asyncio.shield(self._rules[place])

    async def _asked_rules(self, place: Origin) -> Rules:
        last = [0]
        try:
            rules = rules_from(*await self._retried(lambda: self._robots(place, last)))
        except Failed as error:
            # What the server said counts more than that it said it again and again.
            why = str(error) if isinstance(error, _NoWay) else f"its robots.txt could not be fetched: {error}"
            rules = rules_from(last[0], b"") if last[0] else Rules(reason=why)
        turns = self._turns_at(place)
        turns.interval = max(turns.interval, rules.delay(AGENT))
        return rules

    async def _robots(self, place: Origin, last: list[int]) -> tuple[int, bytes]:
        """Return the answer for robots.txt, and note its status even where it is to be asked for again."""
        url = f"{place}/robots.txt"
        last[0] = 0
        for _ in range(_REDIRECTS + 1):
            try:
                answer, moved = await self._exchange(url, {}, _Body(robots.MAX_BYTES, cut=True))
            except _Again as error:
                last[0] = error.status
                raise
            if moved is None:
                return answer.status, answer.data
            url = moved
        return 404, b""  # RFC 9309, section 2.3.1.2: what lies beyond five redirects is not there

    async def _retried(self, once: Callable[[], Awaitable[_Made]]) -> _Made:
        import stamina

        manners = self._manners

        def wait(error: Exception) -> bool | float:
            if not isinstance(error, _Again):
                return False
            return error.wait if error.wait and error.wait > 0 else True

        try:
            async for attempt in stamina.retry_context(
                on=wait,
                attempts=manners.attempts,
                timeout=None,
                wait_initial=manners.first_wait,
                wait_max=manners.longest_wait,
                wait_jitter=manners.first_wait,
            ):
                with attempt:
                    return await once()
        except _Again as error:
            raise Failed(f"{error}, also when tried {manners.attempts} times") from error
        raise AssertionError("an attempt returns or raises")

    async def _followed(self, url: str, headers: Mapping[str, str]) -> Answer:
        """Return the answer at the end of the redirects, each of which the rules of its site must allow."""
        for _ in range(_REDIRECTS + 1):
            rules = await self.rules(origin(url))
            if not rules.allows(url, AGENT):
                place = origin(url)
                raise Failed(f"{place}: {rules.reason}" if rules.reason else f"the robots.txt of {place} forbids it")
            answer, moved = await self._exchange(url, headers, _Body(self._manners.max_bytes))
            if moved is None:
                return answer
            url = moved
        raise Failed(f"was redirected more than {_REDIRECTS} times")

    async def _exchange(self, url: str, headers: Mapping[str, str], body: _Body) -> tuple[Answer, str | None]:
        """Make one request; return the answer, and the address it leads on to if it is a redirect."""
        async with self._turns_at(origin(url)):
            at, begun = lexical(moment(self._now())), time.perf_counter()
            status: int | None = None
            size = 0
            told = ""
            try:
                async with asyncio.timeout(self._manners.page_seconds):
                    response = await self._sent(url, headers)
                    try:
                        status = response.status_code
                        answer, moved = await self._taken(response, url, body)
                        size = len(answer.data)
                    finally:
                        await response.aclose()
            except (_Again, Failed) as error:
                told = str(error)
                raise
            except TimeoutError as error:
                told = f"no whole answer within {self._manners.page_seconds:g} seconds"
                raise Failed(told) from error
            except (ForbiddenAddress, UnknownHost) as error:
                told = str(error)
                raise _NoWay(told) from error
            except Exception as error:
                told = str(error) or type(error).__name__
                raise self._meant(error) from error
            finally:
                self._told(Request(at, url, status, size, round(time.perf_counter() - begun, 4), told))
        return answer, moved

    async def _sent(self, url: str, headers: Mapping[str, str]) -> httpx.Response:
        import httpx

        mine = self._credentials
        entry = httpx.BasicAuth(mine.user, mine.password) if mine and mine.origin == origin(url) else None
        request = self._http.build_request("GET", url, headers=dict(headers))
        return await self._http.send(request, stream=True, auth=entry, follow_redirects=False)

    async def _taken(self, response: httpx.Response, url: str, body: _Body) -> tuple[Answer, str | None]:
        """Return what a response says, its body read if it has one that is wanted."""
        status, fields = response.status_code, response.headers
        if status == _OK:
            content_type = fields.get("Content-Type", "")
            data = await self._read(response, body)
            if not body.cut:
                data = text_of(data, content_type)
            validators = fields.get("ETag", ""), fields.get("Last-Modified", "")
            return Answer(status, url, data, *validators, media_type(content_type)), None
        await self._drain(response)
        if status in _MOVED and "Location" in fields:
            moved = absolute(fields["Location"], url)
            if moved is None:
                raise Failed("leads to an address that is neither http nor https")
            return Answer(status, url), moved
        if status in _GONE or (body.cut and 400 <= status < 500 and status not in _PASSING):
            return Answer(status, url), None
        if status == _NOT_MODIFIED and not _CONDITIONS.isdisjoint(response.request.headers):
            return Answer(status, url), None
        if status in _PASSING or status >= 500:
            raise self._put_off(response)
        raise Failed(f"the server answered {status} {response.reason_phrase}".rstrip())

    def _put_off(self, response: httpx.Response) -> _Again | Failed:
        status = response.status_code
        reason = f"the server answered {status} {response.reason_phrase}".rstrip()
        wait = retry_after(response.headers.get("Retry-After"), response.headers.get("Date"), self._now())
        if wait is not None and wait > self._manners.longest_wait:
            return Failed(
                f"{reason} and asks to wait {wait:.0f} seconds, "
                f"longer than the {self._manners.longest_wait:g} that are waited; try again after that"
            )
        return _Again(reason, wait, status)

    async def _read(self, response: httpx.Response, body: _Body) -> bytes:
        unpacked = Unpacked(response.headers.get("Content-Encoding", ""), body.most)
        try:
            async for raw in response.aiter_raw():
                unpacked.add(raw)
        except TooLarge as error:
            if body.cut:
                return bytes(unpacked.data[: body.most])
            raise Failed(f"the answer is larger than {body.most / (1 << 20):g} MiB, so it is no page") from error
        if not unpacked.is_whole:
            raise _Again("the packed answer ends before its end")
        return bytes(unpacked.data)

    @staticmethod
    async def _drain(response: httpx.Response) -> None:
        """Read a short body that nobody wants, so that the connection can be used again."""
        size = 0
        async for raw in response.aiter_raw():
            size += len(raw)
            if size > _DRAINED:
                return

    @staticmethod
    def _meant(error: Exception) -> Exception:
        """Return what an error of the libraries means here; one that they should not raise is itself."""
        import httpx

        said = str(error) or type(error).__name__
        if isinstance(error, NotText):
            return Failed(f"the answer {said}")
        if isinstance(error, zlib.error):
            return _Again(f"the answer cannot be unpacked ({said})")
        if isinstance(error, httpx.TimeoutException):
            return _Again("the server did not answer in time")
        if why := _distrust(error):
            return _NoWay(f"its certificate cannot be trusted ({why})")
        if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
            return _Again(f"the connection failed ({said})")
        if isinstance(error, httpx.HTTPError | httpx.InvalidURL | UnicodeError):
            return Failed(f"could not be asked for ({said})")
        return error

    def _turns_at(self, place: Origin) -> Turns:
        key = place.host, place.port
        if key not in self._turns:
            loop = asyncio.get_running_loop()
            self._turns[key] = Turns(self._manners.connections, 1 / self._manners.rate, loop.time)
        return self._turns[key]
