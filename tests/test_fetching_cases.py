"""The cases that are handed to the project: waits that servers ask for, bodies without end, rules for robots."""

from __future__ import annotations

import asyncio
import gzip
import json
import selectors
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from kg.archive import Archive
from kg.fetching import Bounds, Manners, Report
from kg.fetching.client import AGENT, Client
from kg.fetching.crawl import Crawl
from kg.fetching.robots import rules_from

HOST = "https://www.example.org"


class _Jumping(selectors.DefaultSelector):
    """A selector for which time passes only where somebody waits for it, and then at once."""

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0.0

    def select(self, timeout: float | None = None) -> list:
        found = super().select(0)
        if not found and timeout:
            self.passed += timeout
        return found


class FakeTime(asyncio.SelectorEventLoop):
    """A loop whose clock is moved by waiting."""

    def __init__(self) -> None:
        self.jumping = _Jumping()
        super().__init__(self.jumping)

    def time(self) -> float:
        return self.jumping.passed


def answer(status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> httpx.Response:
    """Return a response as a network gives it: its body is still to come."""
    return httpx.Response(status, headers=headers, stream=Stream(iter([body])))


class Exchanges(httpx.AsyncBaseTransport):
    """The replies of a case, in order for each address, with the time at which each was asked for."""

    def __init__(self, replies: dict[str, Iterator[httpx.Response]], loop: FakeTime) -> None:
        self.replies = replies
        self.loop = loop
        self.asked: defaultdict[str, list[float]] = defaultdict(list)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked[path].append(self.loop.time())
        return next(self.replies.get(path, iter(())), None) or answer(404)


class Stream(httpx.AsyncByteStream):
    """A body that comes in pieces, of which it counts those that were taken."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            self.taken += len(piece)
            yield piece


def run(paths: list[str], transport: Exchanges, loop: FakeTime, clock: datetime, archive: Path) -> Report:
    """Fetch an index of some addresses without a network."""
    index = "# Case\n\n" + "".join(f"- [{path}]({path})\n" for path in paths)
    transport.replies["/llms.txt"] = iter([answer(200, index.encode())])

    def now() -> datetime:
        return clock + timedelta(seconds=loop.time())

    async def fetched() -> Report:
        crawl = Crawl(f"{HOST}/llms.txt", Archive(archive), Bounds(depth=1), Manners(rate=1000), now=now)
        async with Client(Manners(rate=1000), told=crawl.request_made, through=transport, now=now) as client:
            return await crawl.run(client, "case")

    try:
        return loop.run_until_complete(fetched())
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def test_the_waits_that_servers_ask_for(shared: Path, tmp_path: Path):
    folder = shared / "cases" / "33-retry-after-forms"
    case = json.loads((folder / "input.json").read_text())
    replies: defaultdict[str, list[httpx.Response]] = defaultdict(list)
    for exchange in case["exchanges"]:
        reply = exchange["reply"]
        body = (folder / reply["body_file"]).read_bytes() if "body_file" in reply else b""
        replies[exchange["path"]].append(answer(reply["status"], body, reply.get("headers")))
    loop = FakeTime()
    transport = Exchanges({path: iter(each) for path, each in replies.items()}, loop)
    report = run(list(replies), transport, loop, datetime.fromisoformat(case["clock"]), tmp_path)
    waited = {path: times[1] - times[0] for path, times in transport.asked.items() if len(times) > 1}
    # The clock of the case moves on by the milliseconds between the requests of one run.
    assert waited["/a.md"] + transport.asked["/a.md"][0] == pytest.approx(7, abs=0.01)
    assert waited["/b.md"] == pytest.approx(2, abs=0.01)
    assert 0.4 < waited["/d.md"] < 2
    assert {path: len(times) for path, times in transport.asked.items()} == {
        "/robots.txt": 1, "/llms.txt": 1, "/a.md": 2, "/b.md": 2, "/c.md": 1, "/d.md": 2, "/e.md": 1,
    }  # fmt: skip
    assert {page.url.removeprefix(HOST) for page in report.pages} == {"/llms.txt", "/a.md", "/b.md", "/d.md"}
    reasons = {failure.url.removeprefix(HOST): failure.reason for failure in report.failures}
    assert set(reasons) == {"/c.md", "/e.md"}
    assert "86400 seconds" in reasons["/c.md"]
    assert "404" in reasons["/e.md"]


def test_bodies_that_are_packed_small_or_never_end(shared: Path, tmp_path: Path):
    folder = shared / "cases" / "35-compressed-and-endless-bodies"
    streams: dict[str, Stream] = {}
    replies: dict[str, Iterator[httpx.Response]] = {}
    for exchange in json.loads((folder / "input.json").read_text())["exchanges"]:
        path, reply = exchange["path"], exchange["reply"]
        if "gzip_of" in reply:
            made = reply["gzip_of"]
            piece = gzip.compress(made["repeat"].encode() * (1 << 20))
            streams[path] = Stream(iter([piece] * (made["count"] >> 20)))
        elif "chunks" in reply:
            line = reply["chunks"]["repeat"].encode() * 1024
            streams[path] = Stream(iter(lambda line=line: line, b""))
        else:
            streams[path] = Stream(iter([(folder / reply["body_file"]).read_bytes()]))
        headers = {name: value for name, value in reply.get("headers", {}).items() if name != "Transfer-Encoding"}
        replies[path] = iter([httpx.Response(reply["status"], headers=headers, stream=streams[path])])
    loop = FakeTime()
    report = run(list(replies), Exchanges(replies, loop), loop, datetime(2026, 1, 1, tzinfo=UTC), tmp_path)
    assert {failure.url.removeprefix(HOST) for failure in report.failures} == {"/bomb.md", "/endless.md"}
    assert all("larger than 8 MiB" in failure.reason for failure in report.failures)
    assert all(str(failure).startswith(failure.url) for failure in report.failures)
    assert streams["/endless.md"].taken < 9 << 20
    assert streams["/bomb.md"].taken < 1 << 20
    assert {page.url.removeprefix(HOST) for page in report.pages} == {"/llms.txt", "/ok.md"}
    assert len(list((tmp_path / "objects").glob("??/*"))) == 2


def test_rules_for_robots(shared: Path):
    folder = shared / "cases" / "37-robots-bom-wildcard-longest-match"
    text = (folder / "input.txt").read_bytes()
    assert text.startswith(b"\xef\xbb\xbf")
    case = json.loads((folder / "input.json").read_text())
    rules = rules_from(200, text)
    for expected in case["expect"]:
        assert rules.allows(f"{HOST}{expected['path']}", AGENT) is expected["allowed"], expected["path"]
    assert rules.delay(AGENT) == 2
    for expected in case["also"]:
        rules = rules_from(expected["robots_status"], b"")
        assert rules.allows(f"{HOST}{expected['path']}", AGENT) is expected["allowed"]
