"""Fetching: a page, a benchmark with all its metrics, pages and papers, or a collection, into an archive.

``fetch`` is a run from one address. What it knows of pages it has from the archive, whose bytes are the only copy;
what it learns it writes there, page by page, so that it may be stopped at any moment and gone on with.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from kg.archive import Archive
from kg.fetching.addresses import given, markdown_twin, origin
from kg.fetching.client import Client, Request
from kg.fetching.connecting import private_addresses
from kg.fetching.crawl import Crawl
from kg.fetching.links import Kind
from kg.fetching.report import Came, Failure, Page, Planned, Report, Tally
from kg.fetching.settings import Bounds, Manners

__all__ = ["Bounds", "Came", "Failure", "Kind", "Manners", "Page", "Planned", "Report", "Request", "Tally", "fetch"]


def fetch(
    url: str,
    archive: Path,
    bounds: Bounds | None = None,
    manners: Manners | None = None,
    *,
    dry: bool = False,
    told: Callable[[Request], None] = lambda _: None,
    moved: Callable[[Tally], None] = lambda _: None,
) -> Report:
    """Fetch an http(s) address, and what it leads to within ``bounds``, into the archive in a folder.

    An index (``llms.txt``) leads to benchmarks, a benchmark to its metrics, its further pages and its papers. With
    ``dry`` only the start is asked for, nothing is written, and the report has the plan. ``told`` hears of every
    request, ``moved`` of every step. Raises ``Misuse`` for what is no such address,
    ``ArchiveError`` where the archive cannot be read or written; a page that cannot be had is a failure
    of the report.
    """
    start, credentials = given(url)
    start = markdown_twin(start)
    bounds, manners = bounds or Bounds(), manners or Manners()
    crawl = Crawl(start, Archive(archive), bounds, manners, dry=dry, told=told, moved=moved)

    async def run() -> Report:
        place = origin(start)
        allowed = await private_addresses(place.host, place.port)
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}-{os.getpid()}-{secrets.token_hex(3)}"
        async with Client(manners, allowed=allowed, credentials=credentials, told=crawl.request_made) as client:
            return await crawl.run(client, name)

    return _in_a_loop(run)


def _in_a_loop(run: Callable[[], Coroutine[None, None, Report]]) -> Report:
    """Run to the end; where a loop runs already, as in a notebook, in a thread beside it."""
    try:
        asyncio.get_running_loop()
        is_running = True
    except RuntimeError:
        is_running = False
    if not is_running:
        return asyncio.run(run())
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(lambda: asyncio.run(run())).result()
