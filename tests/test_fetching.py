"""Fetching from a site on this machine: what is followed, what each fault of a server comes to, what is kept."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import re
import time
import tracemalloc
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path

import pytest
from fetch_site import (
    Fault,
    Handler,
    Site,
    bomb,
    cut,
    endless,
    html,
    moved,
    running,
    shortened,
    slow,
    status,
    too_short_a_length,
    truncated,
)
from hypothesis import given
from hypothesis import strategies as st

import kg
from kg.archive import Archive
from kg.errors import ArchiveError, Misuse, NothingRead
from kg.fetching import Bounds, Came, Kind, Manners, Report, fetch
from kg.fetching.addresses import absolute, origin
from kg.fetching.connecting import is_public
from kg.fetching.links import links_of
from kg.visits import journals, visits
from tests.benchmarks.collection import benchmark

QUICK = Manners(rate=10_000, first_wait=0.01, page_seconds=20)
MANY = 1  # a benchmark of four metrics, on one page each
SEVERAL = next(number for number in range(200) if benchmark(1, number).page_count > 2)
PAPERS = Bounds(papers=False)


@pytest.fixture
def site():
    with running() as made:
        yield made


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def stem(number: int) -> str:
    return f"/research/sota/{benchmark(1, number).slug}.md"


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def held(archive: Path) -> set[bytes]:
    """Return the pages that an archive has, each of which is whole."""
    kept = Archive(archive)
    return {kept.get(path.name) for path in (archive / "objects").glob("??/*") if not path.name.startswith(".")}


def came(report: Report) -> Counter[str]:
    return Counter(str(page.came) for page in report.pages)


# What is followed


def test_a_benchmark_comes_with_its_metrics_pages_and_papers(site: Site, archive: Path):
    pages = site.add_benchmark(SEVERAL)
    assert any("&page=3" in page for page in pages)
    report = fetch(site.url(stem(SEVERAL)), archive, manners=QUICK)
    assert not report.failures
    # The page without a metric in its address is that of its first metric, which is not asked for a second time.
    own = next(page for page, text in site.pages.items() if "?" in page and text == site.pages[stem(SEVERAL)])
    assert sorted(site.paths()) == sorted(set(site.pages) - {own})
    assert held(archive) == set(site.pages.values())
    assert {page.kind for page in report.pages} == {Kind.BENCHMARK, Kind.PAPER}


def test_a_collection_comes_from_its_index_also_by_the_addresses_of_html(site: Site, archive: Path):
    for number in range(4):
        site.add_benchmark(number)
    report = fetch(site.add_index(), archive, manners=QUICK)
    assert not report.failures
    assert held(archive) == set(site.pages.values())
    assert Counter(page.kind for page in report.pages)[Kind.INDEX] == 1


def test_the_html_address_of_a_benchmark_may_be_given(site: Site, archive: Path):
    site.add_benchmark(0)
    report = fetch(site.url(stem(0).removesuffix(".md")), archive, Bounds(depth=0), QUICK)
    assert [page.url for page in report.pages] == [site.url(stem(0))]


def test_what_leads_elsewhere_is_told_and_not_followed(site: Site, archive: Path):
    site.add_benchmark(0)
    index = site.add_index(
        more="- [code](https://github.com/a/b)\n- [about](/about)\n- [mail](mailto:a@b)\n"
        "```\n- [no](/research/sota/no.md)\n```\n"
    )
    report = fetch(index, archive, PAPERS, QUICK)
    assert report.passed == (site.url("/about"),)
    assert report.elsewhere == 2
    assert not report.failures


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (Bounds(depth=0), {"index"}),
        (Bounds(depth=1), {"index", "benchmark"}),
        (Bounds(papers=False), {"index", "benchmark"}),
        (Bounds(only=("*/paper/*",)), {"index"}),
        (Bounds(only=("*/sota/*", "nothing")), {"index", "benchmark"}),
        (Bounds(), {"index", "benchmark", "paper"}),
    ],
    ids=str,
)
def test_bounds_hold(site: Site, archive: Path, bounds: Bounds, expected: set[str]):
    site.add_benchmark(0)
    site.add_benchmark(1)
    report = fetch(site.add_index(), archive, bounds, QUICK)
    assert {str(page.kind) for page in report.pages} == expected


def test_no_more_pages_are_asked_for_than_allowed(site: Site, archive: Path):
    site.add_benchmark(0)
    report = fetch(site.add_index(), archive, Bounds(max_pages=3), QUICK)
    assert len(report.pages) == len(site.paths()) == 3
    assert report.beyond > 0


def test_a_pattern_may_be_the_last_part_of_an_address(site: Site, archive: Path):
    site.add_benchmark(0)
    site.add_benchmark(1)
    report = fetch(site.add_index(), archive, Bounds(only=(benchmark(1, 1).slug,)), QUICK)
    assert {page.url for page in report.pages if page.kind is Kind.BENCHMARK} == {
        page for page in map(site.url, site.paths()) if benchmark(1, 1).slug in page
    }


def test_a_dry_run_asks_for_the_first_page_and_writes_nothing(site: Site, archive: Path):
    site.add_benchmark(0)
    site.add_benchmark(1)
    index = site.add_index()
    report = fetch(index, archive, manners=QUICK, dry=True)
    assert site.paths() == ["/research/llms.txt"]
    assert not archive.exists()
    assert [(it.what, it.kind, it.depth) for it in report.plan] == [
        ("fetch", "index", 0),
        *[("fetch", "benchmark", 1)] * 2,
    ]
    fetch(index, archive, manners=QUICK)
    before, site.asked[:] = files(archive), []
    report = fetch(index, archive, manners=QUICK, dry=True)
    assert {it.what for it in report.plan} == {"check"}
    assert {it.url for it in report.plan} == {page.url for page in fetch(index, archive, manners=QUICK).pages}
    assert {path: data for path, data in files(archive).items() if path in before} == before


def test_an_answer_that_is_another_page_than_asked_for_stops_the_further_ones(site: Site, archive: Path):
    site.add_benchmark(SEVERAL)
    for address in list(site.pages):
        if "&page=" in address:
            site.pages[address] = site.pages[address.partition("&page=")[0]]
    report = fetch(site.url(stem(SEVERAL)), archive, PAPERS, QUICK)
    asked = [path for path in site.paths() if "&page=" in path]
    assert asked
    assert all(path.endswith("&page=2") for path in asked)
    assert {failure.url for failure in report.failures} == set(map(site.url, asked))
    assert all("page 2 was asked for and the answer says it is page 1" in it.reason for it in report.failures)
    assert report.exit_code == 3


def test_a_metric_that_is_linked_to_another_benchmark_hides_nothing(site: Site, archive: Path):
    for number in (0, 1):
        site.add_benchmark(number)
    own = re.search(rb"\(<([^<>]*\?metric=[^<>]*)>\)", site.pages[stem(0)])
    assert own
    site.pages[stem(0)] = site.pages[stem(0)].replace(own[1], site.url(stem(1)).encode())
    report = fetch(site.add_index(), archive, PAPERS, QUICK)
    assert not report.failures
    assert site.pages[stem(1)] in held(archive)


@given(st.binary(max_size=200), st.sampled_from(["", "a.md", "/x?y#z"]))
def test_whatever_a_page_says_its_links_are_of_its_site(data: bytes, more: str):
    home = origin("https://example.org/")
    link = data.decode(errors="replace").replace("\n", "")
    for text in (
        f"# T\n\n- [x](<{link}>)\n- [y]({more}{link})\n",
        f"# T\n\n| Scope | Recorded value |\n- [F1](<{more}{link}>): x; unit: y.\nPage 1 of 3.\n",
        f"# T\n\n| Scope | Recorded value |\n[Reporting paper](<{link}>)\n",
    ):
        for found in links_of(text.encode(), "https://example.org/a.md", home).pages:
            assert found.url.startswith("https://example.org/")
            assert found.url.isascii()
            assert found.url.isprintable()
            assert " " not in found.url
            assert absolute(found.url, "https://example.org/") == found.url


def test_names_that_try_to_leave_the_folder_name_nothing_in_it(site: Site, archive: Path):
    names = [
        "../../../../etc/cron.d/x.md",
        "..%2f..%2fx.md",
        "%2e%2e/x.md",
        "a%00b.md",
        "C%3A%5Cx.md",
        f"/{'n' * 3000}.md",
    ]
    site.pages["/research/llms.txt"] = b"# Names\n\n" + b"".join(b"- [x](<%s>)\n" % it.encode() for it in names)
    fetch(site.url("/research/llms.txt"), archive, manners=QUICK)
    asked = site.paths()
    assert "/etc/cron.d/x.md" in asked
    assert len(asked) == len(names) + 1
    for path in asked[1:]:
        site.pages[path] = site.paper(hashlib.sha256(path.encode()).hexdigest()[:24])
    report = fetch(site.url("/research/llms.txt"), archive, manners=QUICK)
    assert len(report.pages) == len(names) + 1
    assert {path.relative_to(archive).parts[0] for path in files(archive)} == {"objects", "visits"}
    assert set(archive.parent.iterdir()) == {archive}


def test_what_is_no_address_is_misuse(archive: Path):
    for url in (
        "ftp://example.org/x",
        "example.org",
        "http://",
        "http://[::1/x",
        "file:///etc/passwd",
        "http://a:b:c/",
    ):
        with pytest.raises(Misuse, match="is no http"):
            fetch(url, archive)
    assert not archive.exists()


# Faults that pass


@pytest.mark.parametrize(
    "faults",
    [
        [status(429)],
        [status(429, Retry_After="1")],
        [status(429, Retry_After=format_datetime(datetime.now(UTC) - timedelta(1), usegmt=True))],
        [status(408)],
        [status(500), status(502), status(503), status(504)],
        [truncated],
        [shortened],
        [too_short_a_length],
        [cut],
        [cut, status(503), truncated],
    ],
    ids=["429", "seconds", "past date", "408", "burst", "truncated", "shortened", "short length", "cut", "several"],
)
def test_a_fault_that_passes_costs_a_few_more_requests(site: Site, archive: Path, faults: list[Fault]):
    site.add_benchmark(0)
    site.fail(stem(0), *faults)
    report = fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    assert not report.failures
    assert held(archive) == {site.pages[stem(0)]}
    # What is left over of a body that was too long spoils the next answer on its connection.
    spoilt = too_short_a_length in faults
    assert len(faults) + 1 <= len(site.paths()) <= len(faults) + 1 + spoilt


def test_a_date_in_retry_after_is_waited_for(site: Site, archive: Path):
    site.add_benchmark(0)

    def later(handler: Handler) -> None:
        status(503, Retry_After=format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True))(handler)

    site.fail(stem(0), later)
    fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    first, second = (each.at for each in site.asked if each.path == stem(0))
    assert 0.9 < second - first < 5


# Faults that stay


@pytest.mark.parametrize(
    ("fault", "why", "requests"),
    [
        (status(404), "404: it is not there", 1),
        (status(410), "410: it is not there", 1),
        (status(403), "answered 403", 1),
        (status(451), "answered 451", 1),
        (status(204), "answered 204", 1),
        (status(304), "answered 304", 1),
        (status(429, Retry_After="86400"), "asks to wait 86400 seconds", 1),
        (status(503), "answered 503 .*tried 5 times", 5),
        (truncated, "connection failed", 5),
        (shortened, "ends before its end", 5),
        (cut, "connection failed", 5),
        (moved("/research/sota/x.md"), "redirected more than 5 times", 6),
        (moved("file:///etc/hostname"), "neither http nor https", 1),
        (moved("http://10.1.2.3/x.md"), "10.1.2.3 lies at 10.1.2.3, which is no public address", 1),
        (moved("http://169.254.169.254/latest/meta-data"), "169.254.169.254, which is no public address", 1),
        (moved("http://[::ffff:10.0.0.1]/x.md"), "10.0.0.1, which is no public address", 1),
        (moved("http://127.0.0.2:1/x.md"), "127.0.0.2, which is no public address", 1),
        (html, "is HTML where Markdown was expected", 1),
        (bomb, "larger than 8 MiB", 1),
        (endless, "larger than 8 MiB", 1),
    ],
)
def test_a_fault_that_stays_is_told_and_nothing_of_it_is_kept(
    site: Site, archive: Path, fault: Fault, why: str, requests: int
):
    site.pages["/research/sota/x.md"] = site.paper("0" * 24).replace(b"/paper/", b"/sota/")
    site.add_benchmark(0)
    if fault in (truncated, shortened, cut):
        site.pages["/research/sota/x.md"] = site.pages[stem(0)]
    site.pages["/research/llms.txt"] = b"# T\n\n- [x](/research/sota/x.md)\n- [ok](%s)\n" % stem(0).encode()
    site.fail("/research/sota/x.md", *[fault] * 10)
    report = fetch(site.url("/research/llms.txt"), archive, Bounds(depth=1), QUICK)
    (failure,) = report.failures
    assert failure.url == site.url("/research/sota/x.md")
    assert failure.linked_from == site.url("/research/llms.txt")
    assert re.search(why, failure.reason), failure.reason
    assert report.exit_code == 3
    assert site.paths().count("/research/sota/x.md") == requests
    assert held(archive) == {site.pages["/research/llms.txt"], site.pages[stem(0)]}


def test_a_slow_body_is_given_up_after_the_time_of_a_page(site: Site, archive: Path):
    site.add_benchmark(0)
    site.fail(stem(0), *[slow] * 5)
    before = time.monotonic()
    report = fetch(site.url(stem(0)), archive, Bounds(depth=0), Manners(rate=1000, page_seconds=0.5))
    assert "no whole answer within 0.5 seconds" in report.failures[0].reason
    assert time.monotonic() - before < 4
    assert site.paths() == [stem(0)]


def test_a_server_that_does_not_answer_is_told(archive: Path):
    report = fetch("http://127.0.0.1:9/x.md", archive, manners=QUICK)
    assert "connection failed" in report.failures[0].reason


def test_a_host_that_is_not_known_is_told_at_once(archive: Path):
    report = fetch("http://nowhere.invalid/x.md", archive, manners=QUICK)
    assert "no address is known of the host nowhere.invalid" in report.failures[0].reason


def test_a_bomb_and_an_endless_body_leave_the_memory_flat(site: Site, archive: Path):
    site.pages["/research/llms.txt"] = b"# T\n\n- [a](/a.md)\n- [b](/b.md)\n"
    site.fail("/a.md", bomb)
    site.fail("/b.md", endless)
    tracemalloc.start()
    try:
        report = fetch(site.url("/research/llms.txt"), archive, manners=QUICK)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(report.failures) == 2
    assert most < 64 << 20


@pytest.mark.parametrize(
    ("media_type", "body", "why"),
    [
        ("application/json", b"{}", "is application/json"),
        ("image/png", b"\x89PNG", "is image/png"),
        ("text/plain", b"\n<!doctype HTML>\n<p>", "is HTML"),
        ("text/plain; charset=klingon", b"# T", "charset 'klingon'"),
        ("text/plain; charset=utf-16", b"\xff", "charset 'utf-16'"),
        ("text/markdown", b" \n", "is empty"),
    ],
)
def test_what_is_no_markdown_is_told(site: Site, archive: Path, media_type: str, body: bytes, why: str):
    site.pages["/x.md"], site.types["/x.md"] = body, media_type
    report = fetch(site.url("/x.md"), archive, manners=QUICK)
    assert why in report.failures[0].reason
    assert not (archive / "objects").exists()


def test_a_charset_is_respected(site: Site, archive: Path):
    text = site.paper("0" * 24).decode().replace("Measure", "Maß")
    site.pages["/x.md"], site.types["/x.md"] = text.encode("latin-1"), "text/markdown; charset=ISO-8859-1"
    fetch(site.url("/x.md"), archive, manners=QUICK)
    assert held(archive) == {text.encode()}


def test_packed_pages_come_as_they_were(site: Site, archive: Path):
    site.add_benchmark(0)
    body = site.pages[stem(0)]

    def packed(handler: Handler) -> None:
        whole = gzip.compress(body[:500]) + gzip.compress(body[500:])
        handler.answer(200, whole, Content_Encoding="gzip", Content_Type="text/markdown")

    def half(handler: Handler) -> None:
        handler.answer(200, gzip.compress(body)[:-20], Content_Encoding="gzip", Content_Type="text/markdown")

    site.fail(stem(0), half, packed)
    assert not fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK).failures
    assert held(archive) == {body}


# Where requests go, and with what


def test_redirects_are_followed_and_links_count_from_where_they_end(site: Site, archive: Path):
    site.add_benchmark(MANY)
    site.fail("/old/a.md", moved(stem(MANY), 301))
    report = fetch(site.url("/old/a.md"), archive, PAPERS, QUICK)
    assert not report.failures
    assert len(report.pages) == len(benchmark(1, MANY).metrics)


def test_the_site_that_the_start_leads_to_is_followed(site: Site, archive: Path):
    with running() as other:
        other.add_benchmark(0)
        other.add_index()
        site.fail("/llms.txt", *[moved(other.url("/research/llms.txt"))] * 2)
        for bounds, how in ((Bounds(), "new"), (Bounds(), "unchanged"), (Bounds(max_age=3600), "kept")):
            report = fetch(site.url("/llms.txt"), archive, bounds, QUICK)
            assert not report.failures
            assert came(report) == {how: len(set(other.pages.values()))}


def test_credentials_go_to_their_own_site_alone(site: Site, archive: Path):
    with running() as other:
        other.pages["/x.md"] = other.paper("0" * 24)
        site.add_benchmark(0)
        site.pages["/research/llms.txt"] = b"# T\n\n- [x](/x.md)\n- [ok](%s)\n" % stem(0).encode()
        site.fail("/x.md", moved(other.url("/x.md")))
        start = site.url("/research/llms.txt").replace("http://", "http://me:secret%20word@")
        report = fetch(start, archive, Bounds(depth=1), QUICK)
        assert not report.failures
        assert {each.headers.get("Authorization") for each in site.asked} == {"Basic bWU6c2VjcmV0IHdvcmQ="}
        assert other.paths() == ["/x.md"]
        assert not [each for each in other.asked if "Authorization" in each.headers or "Cookie" in each.headers]
    assert not [path for path, data in files(archive).items() if b"secret" in data]


def test_cookies_are_not_kept(site: Site, archive: Path):
    site.add_benchmark(0)
    site.fail(stem(0), moved(stem(0)))
    site.faults[stem(0)][0] = lambda handler: handler.answer(302, Location=stem(0), Set_Cookie="a=b")
    fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    assert not [each for each in site.asked if "Cookie" in each.headers]


def test_the_user_agent_names_the_product_and_its_page(site: Site, archive: Path):
    fetch(site.url("/x.md"), archive, manners=QUICK)
    assert {each.headers["User-Agent"].split("/")[0] for each in site.asked} == {"benchkg"}
    assert "(+https://" in site.asked[0].headers["User-Agent"]


def test_no_address_but_those_checked_is_connected_to(site: Site, archive: Path, monkeypatch: pytest.MonkeyPatch):
    """A name that means a public address when it is looked up first, and this machine ever after."""
    answers = iter(["93.184.216.34"])
    port = int(site.base.rsplit(":", 1)[1])

    async def rebinding(*_: object, **__: object):
        return [(2, 1, 6, "", (next(answers, "127.0.0.1"), port))]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", rebinding)
    report = fetch(f"http://rebinding.example:{port}/x.md", archive, manners=QUICK)
    assert "lies at 127.0.0.1, which is no public address" in report.failures[0].reason
    assert not site.asked


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",  # noqa: S104
        "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
        "64:ff9b::10.0.0.1", "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
)
def test_addresses_that_are_public(address: str):
    assert is_public(address)


def test_four_connections_a_host_and_the_rate_hold(site: Site, archive: Path):
    for number in range(3):
        site.add_benchmark(number)
    open_now, most = [0], [0]

    def counted(handler: Handler) -> None:
        with site.lock:
            open_now[0] += 1
            most[0] = max(most[0], open_now[0])
        time.sleep(0.05)
        with site.lock:
            open_now[0] -= 1
        handler.page()

    for path in site.pages:
        site.fail(path, counted)
    fetch(site.add_index(), archive, manners=QUICK)
    assert most[0] == 4
    site.forget()
    fetch(site.url("/research/llms.txt"), archive, Bounds(max_pages=6), Manners(rate=20))
    times = [each.at for each in site.asked]
    assert len(times) == 7
    assert times[-1] - times[0] >= 0.05 * 6 * 0.9


# robots.txt


def test_what_robots_may_not_fetch_is_not_fetched(site: Site, archive: Path):
    site.add_benchmark(0)
    site.pages["/robots.txt"] = "\ufeffUser-agent: *\nDisallow: /research/paper/\n".encode()
    report = fetch(site.url(stem(0)), archive, manners=QUICK)
    assert report.failures
    assert all("/paper/" in failure.url and "robots.txt" in failure.reason for failure in report.failures)
    assert not [path for path in site.paths() if "/paper/" in path]
    assert [each.path for each in site.asked].count("/robots.txt") == 1


def test_without_an_answer_about_robots_nothing_is_fetched(site: Site, archive: Path):
    site.add_benchmark(0)
    site.fail("/robots.txt", *[status(503)] * 9)
    report = fetch(site.url(stem(0)), archive, manners=QUICK)
    assert "robots.txt was answered with 503" in report.failures[0].reason
    assert site.paths() == []


def test_robots_are_asked_about_at_the_end_of_a_redirect_too(site: Site, archive: Path):
    with running() as other:
        other.pages["/robots.txt"] = b"User-agent: benchkg\nDisallow: /\n"
        site.fail("/x.md", moved(other.url("/x.md")))
        report = fetch(site.url("/x.md"), archive, manners=QUICK)
        assert f"the robots.txt of {other.base} forbids it" in report.failures[0].reason
        assert other.paths() == []


def test_a_crawl_delay_is_kept(site: Site, archive: Path):
    site.add_benchmark(0)
    site.pages["/robots.txt"] = b"User-agent: *\nCrawl-delay: 0.3\n"
    fetch(site.url(stem(0)), archive, Bounds(max_pages=3), QUICK)
    times = [each.at for each in site.asked if each.path != "/robots.txt"]
    assert all(after - before > 0.28 for before, after in pairwise(times))


# The second time


def test_unchanged_pages_cost_a_304_and_no_parse(site: Site, archive: Path, monkeypatch: pytest.MonkeyPatch):
    site.add_benchmark(SEVERAL)
    start = site.url(stem(SEVERAL))
    first = fetch(start, archive, manners=QUICK)
    before = files(archive / "objects")
    site.forget()
    monkeypatch.setattr("kg.sources.parse", lambda *_: pytest.fail("a page was parsed"))
    monkeypatch.setattr("kg.sources.sota2.parse", lambda *_: pytest.fail("a page was parsed"))
    second = fetch(start, archive, manners=QUICK)
    assert came(second) == {"unchanged": len(first.pages)}
    assert second.received == 0
    assert files(archive / "objects") == before
    assert all("If-None-Match" in it.headers and "If-Modified-Since" in it.headers for it in site.asked[1:])


def test_a_site_without_validators_gives_its_pages_again_and_no_second_copy(site: Site, archive: Path):
    site.validators = False
    site.add_benchmark(0)
    fetch(site.url(stem(0)), archive, manners=QUICK)
    before = files(archive / "objects")
    assert set(came(fetch(site.url(stem(0)), archive, manners=QUICK))) == {"unchanged"}
    assert files(archive / "objects") == before


def test_a_changed_page_is_a_new_snapshot_and_the_old_one_stays(site: Site, archive: Path):
    site.add_benchmark(0)
    old = site.pages[stem(0)]
    fetch(site.url(stem(0)), archive, PAPERS, QUICK)
    site.pages[stem(0)] = new = old.replace(b"Data updated: 2026-01", b"Data updated: 2026-02")
    assert came(fetch(site.url(stem(0)), archive, PAPERS, QUICK))["changed"] == 1
    assert {old, new} <= held(archive)


def test_an_etag_that_changed_for_the_same_bytes_is_no_change(site: Site, archive: Path):
    site.add_benchmark(0)
    fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    site.fail(stem(0), lambda it: it.answer(200, it.body, ETag='"other"', Content_Type="text/markdown"))
    assert came(fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)) == {"unchanged": 1}
    fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    assert site.asked[-1].headers["If-None-Match"] == '"other"'


def test_a_page_that_is_gone_is_recorded_and_stays(site: Site, archive: Path):
    site.add_benchmark(0)
    start = site.url(stem(0))
    fetch(start, archive, manners=QUICK)
    paper = next(path for path in site.pages if "/paper/" in path)
    del site.pages[paper]
    report = fetch(start, archive, manners=QUICK)
    assert [page.url for page in report.that_came(Came.GONE)] == [site.url(paper)]
    assert (report.failures, report.exit_code) == ((), 0)
    assert site.paper(paper[-27:-3]) in held(archive)
    assert [visit.status for visit in visits(archive) if visit.url == site.url(paper)] == [200, 404]
    site.pages[paper] = site.paper(paper[-27:-3])
    assert came(fetch(start, archive, manners=QUICK))["gone"] == 0


def test_pages_of_an_allowed_age_are_not_asked_for(site: Site, archive: Path):
    site.add_benchmark(0)
    start = site.url(stem(0))
    first = fetch(start, archive, manners=QUICK)
    site.forget()
    report = fetch(start, archive, Bounds(max_age=3600), QUICK)
    assert came(report) == {"kept": len(first.pages)}
    assert site.asked == []
    fetch(start, archive, Bounds(max_age=1e-6), QUICK)
    assert len(site.paths()) == len(first.pages)


def test_a_damaged_page_of_the_archive_is_fetched_again(site: Site, archive: Path):
    site.add_benchmark(0)
    fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    (path,) = (archive / "objects").glob("??/*")
    os.truncate(path, 100)
    site.forget()
    fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    assert "If-None-Match" not in site.asked[-1].headers
    assert held(archive) == {site.pages[stem(0)]}


# Stopped, and gone on with


def test_a_run_whose_time_is_up_is_gone_on_with(site: Site, archive: Path):
    for number in range(3):
        site.add_benchmark(number)
    index = site.add_index()
    report = fetch(index, archive, Bounds(seconds=0.5), Manners(rate=30))
    assert report.left > 0
    assert report.exit_code == 3
    had = {page.url for page in report.pages}
    assert had
    site.forget()
    report = fetch(index, archive, manners=QUICK)
    assert not had & set(map(site.url, site.paths())), "what was there was asked for again"
    assert held(archive) == set(site.pages.values())
    assert report.exit_code == 0
    site.forget()
    assert "kept" not in came(fetch(index, archive, manners=QUICK)), "a run that came to its end begins anew"


def test_half_a_line_of_a_journal_states_nothing_and_a_bad_line_is_named(site: Site, archive: Path):
    site.add_benchmark(0)
    fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    (journal,) = (archive / "visits").iterdir()
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-30])
    (run,) = journals(archive)
    assert (len(run.visits), run.ended) == (1, False)
    journal.write_bytes(whole + b"{half\n")
    with pytest.raises(ArchiveError, match=rf"{journal.name}:4: is no record of a fetch"):
        fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)


def test_the_journal_has_the_validators_of_each_snapshot(site: Site, archive: Path):
    site.add_benchmark(0)
    fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)
    (visit,) = visits(archive)
    assert visit.sha256 == hashlib.sha256(site.pages[stem(0)]).hexdigest()
    assert visit.etag == f'"{visit.sha256[:16]}"'
    assert visit.last_modified.endswith("GMT")
    assert visit.media_type == "text/markdown"


def test_an_archive_that_cannot_be_written_says_so(site: Site, tmp_path: Path):
    site.add_benchmark(0)
    (tmp_path / "archive").write_text("a file")
    with pytest.raises(ArchiveError, match="Cannot write to the archive"):
        fetch(site.url(stem(0)), tmp_path / "archive", manners=QUICK)


def test_it_runs_where_a_loop_runs_already(site: Site, archive: Path):
    site.add_benchmark(0)

    async def notebook() -> Report:
        return fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK)

    assert len(asyncio.run(notebook()).pages) == 1


# Building


def quick(url: str, archive: Path) -> Report:
    return fetch(url, archive, manners=QUICK)


def test_building_an_address_takes_what_it_leads_to(site: Site, tmp_path: Path):
    site.add_benchmark(SEVERAL)
    with kg.build([site.url(stem(SEVERAL))], store=tmp_path / "store", fetch=quick) as graph:
        assert graph.report.exit_code == 0
        drawn = benchmark(1, SEVERAL)
        assert graph.info()["scores"] == len(drawn.results) * len(drawn.metrics)
        rows = graph.query(
            "SELECT (COUNT(?title) AS ?titles) { ?paper a <https://w3id.org/benchkg/ns#Paper> ; "
            "<http://purl.org/dc/terms/title> ?title }"
        )
        assert rows[0].titles == graph.info()["papers"] > 0
    site.forget()
    with kg.build([site.url(stem(SEVERAL))], store=tmp_path / "store", fetch=quick) as graph:
        update = graph.report.update
        assert (update.added, update.replaced) == ((), ())
        assert len(update.unchanged) == len(graph.report.read)


def test_a_build_from_an_archive_tells_what_is_of_no_known_kind(site: Site, tmp_path: Path):
    site.add_benchmark(0)
    index = site.add_index(more="\n- [notes](/notes.md)\n")
    site.pages["/notes.md"] = b"Nothing of the kind.\n"
    report = fetch(index, tmp_path / "store-archive", manners=QUICK)
    assert [page.url for page in report.unknown] == [site.url("/notes.md")]
    with kg.build(store=tmp_path / "store") as graph:
        assert set(graph.report.skipped) == {index, site.url("/notes.md")}
        assert graph.report.exit_code == 0
    with kg.build([tmp_path / "store-archive"]) as graph:
        assert len(graph.report.skipped) == 2


def test_one_page_that_cannot_be_fetched_keeps_out_no_other(site: Site):
    site.add_benchmark(0)
    graph = kg.build([site.url("/gone.md"), site.url(stem(0))], fetch=quick)
    assert [problem.code for problem in graph.report.problems] == ["not-fetched"]
    assert graph.report.exit_code == 3
    assert graph.info()["pages"] == len(benchmark(1, 0).metrics) * benchmark(1, 0).page_count


def test_nothing_fetched_is_told_from_nothing_read(site: Site):
    with pytest.raises(NothingRead) as caught:
        kg.build([site.url("/gone.md")], fetch=quick)
    assert caught.value.exit_code == 3


def test_a_fetched_page_is_the_page_of_the_file(site: Site, tmp_path: Path):
    site.add_benchmark(0)
    path = tmp_path / "page.md"
    path.write_bytes(site.pages[stem(0)])
    one = kg.build([site.url(stem(0))], fetch=lambda url, to: fetch(url, to, Bounds(depth=0), QUICK))
    assert set(one.to_rdflib()) == set(kg.build([path]).to_rdflib())


def test_history_takes_no_paper_and_no_index_for_a_damaged_page(site: Site, tmp_path: Path):
    site.add_benchmark(0)
    fetch(site.add_index(), tmp_path / "store-archive", manners=QUICK)
    with kg.build(store=tmp_path / "store") as graph:
        history = kg.history_of(graph, benchmark(1, 0).slug, archive=tmp_path / "store-archive")
    assert history.caveats == ()
    assert history.boards


def test_the_log_has_each_request(site: Site, archive: Path):
    site.add_benchmark(0)
    site.fail(stem(0), status(503))
    told = []
    report = fetch(site.url(stem(0)), archive, Bounds(depth=0), QUICK, told=told.append)
    assert [(each.url.removeprefix(site.base), each.status) for each in told] == [
        ("/robots.txt", 404),
        (stem(0), 503),
        (stem(0), 200),
    ]
    assert told[1].error.startswith("the server answered 503")
    assert report.requests == 3
    assert json.dumps(told[2].bytes) == str(len(site.pages[stem(0)]))
