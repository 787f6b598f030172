"""A site on this machine: a real HTTP server of made pages, with validators, that misbehaves on demand.

A fault is a function that answers one request; ``Site.faults`` holds those of each address in order, and what comes
after the last of them is answered as it should be.
"""

from __future__ import annotations

import gzip
import hashlib
import socket
import struct
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import quote

from tests.benchmarks.collection import benchmark
from tests.benchmarks.pages import _places, _text

MARKDOWN = "text/markdown; charset=utf-8"
_PUBLIC = "https://www.sota2.com/research"


@dataclass(frozen=True)
class Asked:
    """A request as the server got it."""

    path: str
    headers: dict[str, str]
    at: float


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    site: Site

    def handle_error(self, *_: object) -> None:
        """Say nothing: connections that break are what is tested."""


class Handler(BaseHTTPRequestHandler):
    """Answers as the pages of the site say, or as a fault does."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        site = self.server.site
        with site.lock:
            site.asked.append(Asked(self.path, dict(self.headers.items()), time.monotonic()))
            faults = site.faults[self.path]
            fault = faults.popleft() if faults else None
        if fault:
            fault(self)
        else:
            self.page()

    def page(self) -> None:
        """Answer as it should be."""
        site = self.server.site
        body = site.pages.get(self.path)
        if body is None:
            self.answer(404, b"There is no such page.\n")
            return
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        dated = formatdate(site.modified.get(self.path, 1_770_000_000), usegmt=True)
        validators = {"ETag": tag, "Last-Modified": dated} if site.validators else {}
        unchanged = self.headers.get("If-None-Match") == tag or (
            "If-None-Match" not in self.headers and self.headers.get("If-Modified-Since") == dated
        )
        if unchanged and validators:
            self.answer(304, **validators)
            return
        self.answer(200, body, **validators, **{"Content-Type": site.types.get(self.path, MARKDOWN)})

    def answer(self, status: int, body: bytes = b"", /, length: int | None = None, **fields: str) -> None:
        """Answer with a status, a body and fields; ``length`` is what is said of the body, where that is not true."""
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if status != 304:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    @property
    def body(self) -> bytes:
        """What should be answered."""
        return self.server.site.pages.get(self.path, b"")

    def hang_up(self) -> None:
        """Cut the connection, as a router does that loses its power."""
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


Fault = Callable[[Handler], None]


@dataclass
class Site:
    """Pages by address (path and query), what was asked, and the faults to come."""

    base: str = ""
    pages: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    modified: dict[str, float] = field(default_factory=dict)
    validators: bool = True
    faults: defaultdict[str, deque[Fault]] = field(default_factory=lambda: defaultdict(deque))
    asked: list[Asked] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, path: str) -> str:
        return f"{self.base}{path}"

    def fail(self, path: str, *faults: Fault) -> None:
        self.faults[path].extend(faults)

    def paths(self) -> list[str]:
        """Return the addresses that were asked for, but for the rules for robots."""
        return [each.path for each in self.asked if each.path != "/robots.txt"]

    def forget(self) -> None:
        self.asked.clear()

    # What it shows

    def add_benchmark(self, number: int, *, seed: int = 1) -> list[str]:
        """Add a made benchmark: each metric, each page, each paper; return the addresses of its pages."""
        drawn = benchmark(seed, number)
        stem = f"/research/sota/{drawn.slug}.md"
        added = []
        for place in _places(drawn):
            metric = f"?metric={quote(drawn.metrics[place.metric].name)}"
            text = _text(drawn, place, "", -1).replace(_PUBLIC, f"{self.base}/research").encode()
            address = f"{stem}{metric}" + (f"&page={place.page + 1}" if place.page else "")
            self.pages[address] = text
            if place.page == 0 and place.metric == 0:
                self.pages[stem] = text
                address = stem
            added.append(address)
        for result in drawn.results:
            for paper in {result.paper, result.origin} - {"", "Not recorded"}:
                self.pages.setdefault(f"/research/paper/{paper}.md", self.paper(paper))
        return added

    def paper(self, identifier: str) -> bytes:
        """Return the page of a paper."""
        return (
            f"# On the Measure of {identifier}\n\n"
            f"Source: [On the Measure of {identifier}](<{self.base}/research/paper/{identifier}>)\n\n"
            f"Collection index: [llms.txt](<{self.base}/research/llms.txt>)\n\n"
            "Data updated: 2026-02-26T05:53:35.707Z\n\n"
            f"[arXiv](<https://arxiv.org/abs/2401.{int(identifier, 16) % 99999:05d}>)\n\n"
            f"DOI: [10.5555/{identifier}](<https://doi.org/10.5555/{identifier}>)\n\n"
            f"[Code](<https://github.com/shells/{identifier}>)\n"
        ).encode()

    def add_index(self, path: str = "/research/llms.txt", *, more: str = "") -> str:
        """Add an index of the benchmarks there are, every other one by the address of its HTML; return its URL."""
        stems = [it for it in self.pages if it.startswith("/research/sota/") and "?" not in it]
        links = [
            f"- [{stem}]({self.base}{stem if number % 2 else stem.removesuffix('.md')}): a benchmark"
            for number, stem in enumerate(stems)
        ]
        text = "\n".join(
            (
                "# Shells",
                "",
                "> All that was measured of shells.",
                "",
                "Read this first.",
                "",
                "## Benchmarks",
                "",
                *links,
            )
        )
        self.pages[path] = f"{text}\n\nAnd that is all.\n{more}".encode()
        self.types[path] = "text/plain; charset=utf-8"
        return self.url(path)


@contextmanager
def running(site: Site | None = None) -> Iterator[Site]:
    """Run a site on a free port of this machine."""
    site = site or Site()
    server = _Server(("127.0.0.1", 0), Handler)
    server.site = site
    site.base = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# Faults


def status(code: int, **fields: str) -> Fault:
    """Answer with a status and nothing else."""
    return lambda handler: handler.answer(code, b"", **fields)


def moved(location: str, code: int = 302) -> Fault:
    return lambda handler: handler.answer(code, Location=location)


def truncated(handler: Handler) -> None:
    """Promise the whole page, and hang up after half of it."""
    handler.answer(200, handler.body[: len(handler.body) // 2], length=len(handler.body), Content_Type=MARKDOWN)
    handler.close_connection = True


def shortened(handler: Handler) -> None:
    """Promise half a page, and give that."""
    half = handler.body[: len(handler.body) // 2]
    handler.answer(200, half, Content_Type=MARKDOWN)


def too_short_a_length(handler: Handler) -> None:
    """Promise half a page, and give all of it."""
    handler.answer(200, handler.body, length=len(handler.body) // 2, Content_Type=MARKDOWN)


def slow(handler: Handler) -> None:
    """Give a page byte by byte."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(handler.body)))
    handler.end_headers()
    with suppress(OSError):
        for byte in handler.body:
            handler.wfile.write(bytes([byte]))
            time.sleep(0.05)
    handler.close_connection = True


def bomb(handler: Handler) -> None:
    """Give a gigabyte in a megabyte."""
    piece = gzip.compress(bytes(1 << 20))
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Content-Type", "text/markdown")
    handler.send_header("Content-Length", str(len(piece) * 1024))
    handler.end_headers()
    with suppress(OSError):
        for _ in range(1024):
            handler.wfile.write(piece)
    handler.close_connection = True


def endless(handler: Handler) -> None:
    """Give line after line."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/markdown")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    rows = b"| x | 1 | y | z |\n" * 4096
    with suppress(OSError):
        for _ in count():
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(rows), rows))
    handler.close_connection = True


def cut(handler: Handler) -> None:
    """Break the connection in the middle of the page."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(handler.body)))
    handler.end_headers()
    handler.wfile.write(handler.body[: len(handler.body) // 3])
    handler.hang_up()


def html(handler: Handler) -> None:
    handler.answer(200, b"<!DOCTYPE html><title>Moved</title>", Content_Type="text/html; charset=utf-8")
