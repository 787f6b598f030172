"""A run: from the address it starts at along the links of pages, until all are in the archive or told why not."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from kg.archive import Archive
from kg.errors import ArchiveError
from kg.fetching.addresses import Origin, is_selected, origin
from kg.fetching.client import Answer, Client, Failed, Request
from kg.fetching.links import Kind, Link, Links, is_cut_short, kind_of, links_of
from kg.fetching.report import Came, Failure, Page, Planned, Report, Tally
from kg.fetching.settings import Bounds, Manners
from kg.terms import lexical, moment
from kg.visits import Journal, Known, Visit, known

__all__ = ["Crawl"]

_OK, _NOT_MODIFIED = 200, 304
_WORKERS = 2  # tasks a connection: one may wait for its turn while another is asked
_EVER = 1e9  # seconds
_LARGE = 64 * 1024  # bytes: an index beyond that takes so long to read that other pages should not wait for it
_RESUMED_WITHIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Task:
    """A link to follow: how many links lie between it and the start, and the page that has it."""

    link: Link
    depth: int
    linked_from: str = ""


@dataclass(frozen=True, slots=True)
class _Had:
    """What the archive has of an address: the bytes as they came then, and the visit that brought them."""

    data: bytes
    known: Known


class Crawl:
    """One run from one address; ``dry`` asks for the start alone, writes nothing, and tells what it would do."""

    def __init__(
        self,
        start: str,
        archive: Archive,
        bounds: Bounds,
        manners: Manners,
        *,
        dry: bool = False,
        told: Callable[[Request], None] = lambda _: None,
        moved: Callable[[Tally], None] = lambda _: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._start = start
        self._archive = archive
        self._bounds = bounds
        self._manners = manners
        self._dry = dry
        self._told = told
        self._moved = moved
        self._now = now
        self._began = now()
        self._home: Origin = origin(start)
        self._known, self._done = known(archive.path, start, self._time(self._began - _RESUMED_WITHIN))
        self._tally = Tally()
        self._requests = 0
        self._seen: set[str] = set()
        self._waiting: deque[_Task] = deque()
        self._pages: dict[str, Page] = {}
        self._failures: dict[str, Failure] = {}
        self._passed: set[str] = set()
        self._elsewhere: set[str] = set()
        self._beyond: set[str] = set()
        self._plan: list[Planned] = []

    @staticmethod
    def _time(at: datetime) -> str:
        return lexical(moment(at))

    async def run(self, client: Client, run: str) -> Report:
        """Follow the links until none is left, or the time of the run is up; ``run`` names its journal."""
        begun = time.monotonic()
        self._offer(_Task(Link(self._start, Kind.UNKNOWN), 0))
        running: set[asyncio.Task[None]] = set()
        writing = nullcontext() if self._dry else Journal(self._archive.path, run, self._start, self._time(self._began))
        with writing as journal:
            try:
                async with asyncio.timeout(self._bounds.seconds or None):
                    await self._follow_all(client, journal, running)
                if journal:
                    journal.end(self._time(self._now()))
            except TimeoutError:
                pass
            finally:
                left = len(self._waiting) + len(running)
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)
        return Report(
            start=self._start,
            pages=tuple(self._pages[url] for url in sorted(self._pages)),
            failures=tuple(self._failures[url] for url in sorted(self._failures)),
            passed=tuple(sorted(self._passed)),
            beyond=len(self._beyond - self._seen),
            elsewhere=len(self._elsewhere),
            left=left,
            requests=self._requests,
            received=self._tally.received,
            seconds=time.monotonic() - begun,
            plan=tuple(self._plan),
        )

    async def _follow_all(self, client: Client, journal: Journal | None, running: set[asyncio.Task[None]]) -> None:
        most = self._manners.connections * _WORKERS
        while self._waiting or running:
            while self._waiting and len(running) < most:
                running.add(asyncio.create_task(self._follow(client, journal, self._waiting.popleft())))
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            running -= done
            for task in done:
                task.result()

    def request_made(self, request: Request) -> None:
        """Count a request."""
        self._requests += 1
        self._tally.received += request.bytes
        self._told(request)
        self._moved(self._tally)

    # One page

    async def _follow(self, client: Client, journal: Journal | None, task: _Task) -> None:
        url = task.link.url
        had = self._had(url)
        try:
            if self._dry and task.depth:
                await self._planned(task, had)
            elif self._is_kept(url, had):
                await self._keep(task, had)
            else:
                await self._ask(client, journal, task, had)
        except Failed as error:
            self._failures[url] = Failure(url, str(error), task.linked_from)
            self._tally.failed += 1
        self._tally.done += 1
        self._moved(self._tally)

    def _had(self, url: str) -> _Had | None:
        """Return what the archive has of an address; what is missing or damaged there is as good as never fetched."""
        found = self._known.get(url)
        if found is None or not found.page.sha256:
            return None
        with suppress(ArchiveError):
            return _Had(self._archive.get(found.page.sha256), found)
        return None

    def _is_kept(self, url: str, had: _Had | None) -> bool:
        """Tell whether an address need not be asked for: it was since, or its age is allowed."""
        found = self._known.get(url)
        if found is None or not (had or found.gone):
            return False
        if url in self._done:
            return True
        oldest = self._began - timedelta(seconds=min(self._bounds.max_age, _EVER))
        return self._bounds.max_age > 0 and datetime.fromisoformat(found.checked) >= oldest

    async def _keep(self, task: _Task, had: _Had | None) -> None:
        gone = self._known[task.link.url].gone
        if had is None:
            raise Failed("it is not there (404 or 410, as it was answered before)")
        self._arrive(task, had.known.page.final)
        await self._have(task, had.known.page, had.data, Came.GONE if gone else Came.KEPT)

    def _arrive(self, task: _Task, final: str) -> None:
        """Take the site that the start leads to, after redirects, for the one to be followed."""
        if task.depth == 0 and final:
            self._home = origin(final)

    async def _planned(self, task: _Task, had: _Had | None) -> None:
        url, asked = task.link.url, "check" if had else "fetch"
        kind = task.link.kind
        if had:
            kind = kind_of(had.data)
            self._lead_on(task, await self._links(had.data, had.known.page.final or url))
        self._plan.append(Planned("keep" if self._is_kept(url, had) else asked, url, kind, task.depth))

    async def _ask(self, client: Client, journal: Journal | None, task: _Task, had: _Had | None) -> None:
        url = task.link.url
        answer = await client.get(url, had.known.page if had else None, lambda data: not is_cut_short(data))
        at = self._time(self._now())
        self._arrive(task, answer.final)
        if answer.status == _NOT_MODIFIED and had:
            self._write(journal, Visit(url, at, answer.status))
            await self._have(task, had.known.page, had.data, Came.UNCHANGED)
        elif answer.status == _OK:
            await self._take(journal, task, had, answer, at)
        else:
            self._write(journal, Visit(url, at, answer.status))
            if had is None:
                raise Failed(f"the server answered {answer.status}: it is not there")
            await self._have(task, had.known.page, had.data, Came.GONE)

    @staticmethod
    def _write(journal: Journal | None, visit: Visit) -> None:
        if journal:
            journal.add(visit)

    async def _take(self, journal: Journal | None, task: _Task, had: _Had | None, answer: Answer, at: str) -> None:
        """Put a page into the archive, whole, and then write down that it is there."""
        url, data = task.link.url, answer.data
        if not data.strip():
            raise Failed("the answer is empty")
        links = await self._links(data, answer.final)
        self._check_number(task, links)
        sha256 = hashlib.sha256(data).hexdigest()
        visit = Visit(
            url=url,
            at=at,
            status=_OK,
            sha256=sha256,
            byte_size=len(data),
            etag=answer.etag,
            last_modified=answer.last_modified,
            media_type=answer.media_type,
            final="" if answer.final == url else answer.final,
        )
        if journal:
            # The archive writes to the disk, and other pages need not wait for it.
            await asyncio.shield(asyncio.to_thread(self._archive.put, sha256, data, synced=True))
            journal.add(visit)
        came = Came.NEW
        if had:
            came = Came.UNCHANGED if had.known.page.sha256 == sha256 else Came.CHANGED
        await self._have(task, visit, data, came, links)

    async def _links(self, data: bytes, url: str) -> Links:
        if len(data) < _LARGE:
            return links_of(data, url, self._home)
        return await asyncio.to_thread(links_of, data, url, self._home)

    @staticmethod
    def _check_number(task: _Task, links: Links) -> None:
        asked = task.link.number
        if asked and links.number != asked:
            said = f"it is page {links.number}" if links.number else "nothing of its number"
            raise Failed(
                f"page {asked} was asked for and the answer says {said}, so the further pages of this "
                "leaderboard cannot be had by their number"
            )

    async def _have(self, task: _Task, visit: Visit, data: bytes, came: Came, links: Links | None = None) -> None:
        """Count a page that the archive has, and offer what it leads to."""
        url = task.link.url
        kind = kind_of(data)
        self._pages[url] = Page(url, visit.sha256, kind, came, sought=task.depth == 0)
        if self._dry:
            self._plan.append(Planned("check" if self._had(url) else "fetch", url, kind, 0))
        if came is not Came.GONE:
            self._lead_on(task, links or await self._links(data, visit.final or url))

    # What it leads to

    def _lead_on(self, task: _Task, links: Links) -> None:
        if links.same:
            self._seen.add(links.same)
        self._passed.update(links.passed)
        self._elsewhere.update(links.elsewhere)
        for link in links.pages:
            # All further pages of a leaderboard lie one link from its first, though each tells of the next alone.
            step = 0 if link.number and task.link.number else 1
            self._offer(_Task(link, task.depth + step, task.link.url))

    def _offer(self, task: _Task) -> None:
        link, bounds = task.link, self._bounds
        if link.url in self._seen:
            return
        if task.depth and not bounds.papers and link.kind is Kind.PAPER:
            return
        if task.depth and link.kind is not Kind.INDEX and not is_selected(link.url, bounds.only):
            return
        if task.depth > bounds.depth or self._tally.found >= bounds.max_pages:
            self._beyond.add(link.url)
            return
        self._seen.add(link.url)
        self._tally.found += 1
        self._waiting.append(task)
