"""Runs that are killed, interrupted or made at once, and one of two thousand pages on a bad day."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from fetch_site import Site, cut, running, shortened, status, truncated

from kg.archive import Archive
from kg.fetching import Manners, fetch
from kg.visits import journals

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
COLLECTION = 12
SOAK = 2_000


@pytest.fixture
def site():
    with running() as made:
        for number in range(COLLECTION):
            made.add_benchmark(number)
        made.add_index()
        yield made


def started(site: Site, archive: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kg", "fetch", site.url("/research/llms.txt"), "--archive", str(archive)]
    return subprocess.Popen([*command, *options], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)


def held(archive: Path) -> set[bytes]:
    """Return the pages that an archive has; one that is not whole is an error here."""
    kept = Archive(archive)
    return {kept.get(path.name) for path in (archive / "objects").glob("??/*") if not path.name.startswith(".")}


def until_asked(site: Site, count: int) -> None:
    deadline = time.monotonic() + 20
    while len(site.asked) < count:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_killed_at_random_moments_nothing_is_half_and_nothing_comes_twice(site: Site, tmp_path: Path):
    archive = tmp_path / "archive"
    chance = random.Random()
    for _ in range(4):
        before = len(site.asked)
        with started(site, archive, "--rate", "200") as run:
            until_asked(site, before + 8)
            time.sleep(chance.uniform(0, 0.1))
            run.kill()
            run.communicate()
        assert held(archive) <= set(site.pages.values())
    report = fetch(site.url("/research/llms.txt"), archive, manners=Manners(rate=10_000))
    assert not report.failures
    assert held(archive) == set(site.pages.values())
    # A page that was under way when its run was killed is asked for again; no other is.
    again = {path: count - 1 for path, count in Counter(site.paths()).items() if count > 1}
    assert sum(again.values()) <= 4 * 2 * Manners().connections
    assert [run.ended for run in journals(archive)] == [False] * 4 + [True]


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_interrupted_it_says_how_to_go_on(site: Site, tmp_path: Path):
    archive = tmp_path / "archive"
    with started(site, archive, "--rate", "50") as run:
        until_asked(site, 10)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=20)[1]
    assert run.returncode == 130
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    assert held(archive)


def test_two_runs_on_one_archive_do_not_harm_each_other(site: Site, tmp_path: Path):
    archive = tmp_path / "archive"
    runs = [started(site, archive, "--rate", "2000") for _ in range(2)]
    for run in runs:
        said = run.communicate(timeout=60)[1]
        assert run.returncode == 0, said
    assert held(archive) == set(site.pages.values())
    assert [run.ended for run in journals(archive)] == [True, True]
    assert not [path for path in archive.rglob(".*") if path.is_file()]


def test_two_thousand_pages_on_a_bad_day_and_none_is_lost(tmp_path: Path):
    draw = random.Random(5)
    with running() as site:
        number = 0
        while len(set(site.pages.values())) <= SOAK:
            site.add_benchmark(number)
            number += 1
        index = site.add_index()
        faults = (truncated, cut, shortened, status(429), status(500), status(503, Retry_After="1"), status(408))
        asked = [
            path
            for path, text in site.pages.items()
            if text != site.pages.get(path.partition("?")[0]) or "?" not in path
        ]
        for path in asked:
            # What is cut short shows on pages that say how many results they have.
            chosen = [it for it in faults if it is not shortened or "/sota/" in path]
            if draw.random() < 0.1:
                site.fail(path, *(draw.choice(chosen) for _ in range(draw.choice((1, 1, 2)))))
        site.fail("/robots.txt", status(503))
        faulty = sum(len(each) for each in site.faults.values())
        assert faulty > SOAK * 0.1
        report = fetch(index, tmp_path / "archive", manners=Manners(rate=10_000, first_wait=0.02))
        assert not report.failures
        assert not any(site.faults.values()), "some faults were never met"
        assert {page.url for page in report.pages} == set(map(site.url, asked))
        assert len(asked) > SOAK
        assert held(tmp_path / "archive") == set(site.pages.values())
