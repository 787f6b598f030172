"""Fetching over TLS: HTTP/2 where the server speaks it, and no page from a server that cannot be trusted."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived

from kg.fetching import Manners, Request, fetch

QUICK = Manners(rate=1000, first_wait=0.01)
PAGE = f"# On Whelks\n\nSource: https://localhost/research/paper/{'0' * 24}\n".encode()

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="it makes the certificate")


class Speaker(asyncio.Protocol):
    """A server that speaks HTTP/2 and nothing else."""

    def __init__(self, spoken: list[str]) -> None:
        self.spoken = spoken
        self.http = H2Connection(config=H2Configuration(client_side=False))

    def connection_made(self, transport) -> None:
        self.transport = transport
        self.spoken.append(transport.get_extra_info("ssl_object").selected_alpn_protocol())
        self.http.initiate_connection()
        transport.write(self.http.data_to_send())

    def data_received(self, data: bytes) -> None:
        for event in self.http.receive_data(data):
            if isinstance(event, RequestReceived):
                if dict(event.headers)[b":path"] == b"/robots.txt":
                    self.http.send_headers(event.stream_id, [(":status", "404")], end_stream=True)
                else:
                    fields = [(":status", "200"), ("content-type", "text/markdown"), ("etag", '"x"')]
                    self.http.send_headers(event.stream_id, fields)
                    self.http.send_data(event.stream_id, PAGE, end_stream=True)
        self.transport.write(self.http.data_to_send())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    made = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-out", str(made[0]), "-keyout", str(made[1])]
    subprocess.run(command, check=True, capture_output=True)
    return made


@pytest.fixture
def server(certificate) -> Iterator[tuple[str, list[str]]]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    spoken: list[str] = []
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    made = loop.run_until_complete(loop.create_server(lambda: Speaker(spoken), "127.0.0.1", 0, ssl=context))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield f"https://localhost:{made.sockets[0].getsockname()[1]}/research/paper/x.md", spoken
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    made.close()
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_a_server_that_speaks_http_2_is_spoken_to_so(server, certificate, tmp_path, monkeypatch):
    url, spoken = server
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    report = fetch(url, tmp_path, manners=QUICK)
    assert [page.url for page in report.pages] == [url]
    assert spoken == ["h2"]


def test_a_certificate_that_cannot_be_trusted_is_told_at_once(server, tmp_path):
    told: list[Request] = []
    report = fetch(server[0], tmp_path, manners=QUICK, told=told.append)
    assert "its certificate cannot be trusted (self" in report.failures[0].reason
    assert len(told) == 1
