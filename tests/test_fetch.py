"""Reading one page over HTTP, from a server on this machine that can misbehave."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import kg
from kg.errors import FetchError, NothingRead
from kg.fetch import fetch

PAGE = (Path(__file__).parent / "cases" / "sota2" / "clean" / "page.md").read_bytes()


class Site(BaseHTTPRequestHandler):
    """Answers by path, each with one habit."""

    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        getattr(self, f"on_{self.path.strip('/').split('/')[0]}", self.on_missing)()

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def on_page(self) -> None:
        self.answer(200, PAGE, Content_Type="text/markdown; charset=utf-8")

    def on_zipped(self) -> None:
        self.answer(200, gzip.compress(PAGE), Content_Encoding="gzip")

    def on_moved(self) -> None:
        self.answer(302, Location="/page")

    def on_loop(self) -> None:
        self.answer(302, Location="/loop")

    def on_away(self) -> None:
        self.answer(302, Location="file:///etc/hostname")

    def on_bomb(self) -> None:
        self.answer(200, gzip.compress(b"\0" * 5_000_000), Content_Encoding="gzip")

    def on_endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(100):
                self.wfile.write(b"# more\n")
                time.sleep(0.05)
        except OSError:
            return

    def on_missing(self) -> None:
        self.answer(404)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("path", ["page", "zipped", "moved"])
def test_a_page_comes_as_its_bytes(site, path):
    assert fetch(f"{site}/{path}") == PAGE


@pytest.mark.parametrize(
    ("path", "why"),
    [("gone", "404"), ("loop", "redirected more than"), ("away", "neither http nor https"), ("bomb", "larger than")],
)
def test_what_is_no_page_is_refused_with_the_reason(site, path, why):
    with pytest.raises(FetchError, match=why):
        fetch(f"{site}/{path}", max_bytes=1_000_000)


def test_an_answer_that_never_ends_is_given_up(site):
    before = time.monotonic()
    with pytest.raises(FetchError, match="no whole answer within"):
        fetch(f"{site}/endless", seconds=0.5)
    assert time.monotonic() - before < 3


def test_a_server_that_is_not_there_is_an_error_in_words():
    with pytest.raises(FetchError, match="could not be fetched"):
        fetch("http://127.0.0.1:9/page")


def test_a_fetched_page_is_the_page_of_the_file(site, tmp_path):
    path = tmp_path / "page.md"
    path.write_bytes(PAGE)
    graphs = [kg.build([source]).to_rdflib() for source in (f"{site}/page", path)]
    assert set(graphs[0]) == set(graphs[1])


def test_one_page_that_cannot_be_fetched_keeps_out_no_other(site):
    graph = kg.build([f"{site}/gone", f"{site}/page"])
    assert [problem.code for problem in graph.report.problems] == ["not-fetched"]
    assert graph.report.exit_code == 3
    assert graph.info()["pages"] == 1


def test_nothing_fetched_is_told_from_nothing_read(site):
    with pytest.raises(NothingRead) as caught:
        kg.build([f"{site}/gone"])
    assert caught.value.exit_code == 3
