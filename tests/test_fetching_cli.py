"""``kg fetch`` and ``kg build URL`` as their users meet them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fetch_site import Site, running, status
from test_cli import kg, on_a_terminal

from tests.benchmarks.collection import benchmark

FAST = ("--rate", "5000")
INDEX = "/research/llms.txt"


@pytest.fixture
def site():
    with running() as made:
        made.add_benchmark(0)
        made.add_benchmark(1)
        made.add_index()
        yield made


def test_a_collection_is_fetched_built_and_fetched_again(site: Site, tmp_path: Path):
    done = kg("fetch", site.url(INDEX), *FAST, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    unique = len(set(site.pages.values()))
    assert f"into kg-store-archive: {unique} new (" in done.stderr
    done = kg("build", site.url(INDEX), *FAST, folder=tmp_path)
    assert done.returncode == 0
    assert f"{unique} unchanged (" in done.stderr
    assert f"Read {unique - 1} pages into kg-store: {unique - 1} new." in done.stderr
    done = kg("build", site.url(INDEX), *FAST, folder=tmp_path)
    assert f"{unique - 1} unchanged." in done.stderr
    titles = kg("query", "provenance/papers", "-f", "json", folder=tmp_path).stdout
    rows = json.loads(titles)["results"]["bindings"]
    assert rows
    assert all(row["title"]["value"].startswith("On the Measure of ") for row in rows)


def test_what_failed_is_named_with_its_reason_and_the_rest_stays(site: Site, tmp_path: Path):
    stem = f"/research/sota/{benchmark(1, 1).slug}.md"
    del site.pages[stem]
    done = kg("fetch", site.url(INDEX), *FAST, "--quiet", folder=tmp_path)
    assert done.returncode == 3
    assert done.stderr == (
        f"{site.url(stem)}: the server answered 404: it is not there (linked from {site.url(INDEX)})\n"
    )
    done = kg("build", site.url(INDEX), *FAST, folder=tmp_path)
    assert done.returncode == 3
    assert done.stderr.count("the server answered 404") == 1
    assert "[not-fetched]" in done.stderr
    assert "new" in done.stderr


def test_what_is_gone_of_no_kind_or_elsewhere_is_told(site: Site, tmp_path: Path):
    site.add_index(more="- [n](/n.md)\n- [about](/about)\n- [code](https://github.com/a/b)\n")
    site.pages["/n.md"] = b"Nothing.\n"
    kg("fetch", site.url(INDEX), *FAST, "--depth", "1", folder=tmp_path)
    stem = f"/research/sota/{benchmark(1, 1).slug}.md"
    del site.pages[stem]
    done = kg("fetch", site.url(INDEX), *FAST, "--depth", "1", folder=tmp_path)
    assert done.returncode == 0
    assert f"1 gone (404 or 410); their last state is kept: {site.url(stem)}." in done.stderr
    assert f"1 of no known kind; they are kept and nothing is read from them: {site.url('/n.md')}." in done.stderr
    assert f"they were not followed: {site.url('/about')}." in done.stderr
    assert "1 links lead to other sites" in done.stderr
    assert "links lie beyond --depth" in done.stderr


def test_a_dry_run_prints_the_plan(site: Site, tmp_path: Path):
    done = kg("fetch", site.url(INDEX), "--dry-run", folder=tmp_path)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0] == ["fetch", "index", "0", site.url(INDEX)]
    assert [row[:3] for row in rows[1:]] == [["fetch", "benchmark", "1"]] * 2
    assert list(tmp_path.iterdir()) == []


def test_the_log_is_a_line_of_json_a_request(site: Site, tmp_path: Path):
    site.fail(INDEX, status(503))
    kg("fetch", site.url(INDEX), *FAST, "--depth", "0", "--log", "log.jsonl", folder=tmp_path)
    kg("fetch", site.url(INDEX), *FAST, "--depth", "0", "--log", "log.jsonl", folder=tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["status"] for line in lines] == [404, 503, 200, 404, 304]
    assert set(lines[0]) == {"at", "url", "status", "bytes", "seconds", "error"}
    done = kg("fetch", site.url(INDEX), *FAST, "--depth", "0", "--log", "-", folder=tmp_path)
    assert [json.loads(line)["status"] for line in done.stdout.splitlines()] == [404, 304]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["nonsense"], "is no http(s) address"),
        (["https://example.org/x", "--rate", "0"], "--rate 0 is no number"),
        (["https://example.org/x", "--rate", "nan"], "--rate nan is no number"),
        (["https://example.org/x", "--depth", "-1"], "--depth -1 bounds nothing"),
        (["https://example.org/x", "--max-pages", "0"], "--max-pages 0 bounds nothing"),
        (["https://example.org/x", "--max-age", "nan"], "--max-age nan bounds nothing"),
        (["https://example.org/x", "--time-limit", "-1"], "--time-limit -1 bounds nothing"),
        (["https://example.org/x", "--log", "missing/log.jsonl"], "there is no folder"),
        (["https://example.org/x", "--archive", "file"], "is a file, and an archive is a folder"),
    ],
)
def test_misuse_is_told_before_anything_is_asked(options: list[str], why: str, tmp_path: Path):
    (tmp_path / "file").touch()
    done = kg("fetch", *options, folder=tmp_path)
    assert done.returncode == 2
    assert why in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_terminal_shows_how_far_it_is(site: Site, tmp_path: Path):
    shown = on_a_terminal("fetch", site.url(INDEX), "--rate", "40", folder=tmp_path, columns=100)
    assert "Fetching" in shown
    assert "pages/s" in shown
    assert "0 failed" in shown
    assert "Fetched " in shown
