"""Sorting lines that no memory holds: two roads to the same bytes, and what happens when one is blocked."""

from __future__ import annotations

import random
import signal
import stat
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg import sorting
from kg.errors import Misuse
from kg.sorting import Pieces, Sorter, gnu_sort

ROADS = ["memory", "files", "program"]
# Orders that code units, locales or line ends would change: beyond the BMP, below a line feed, one that begins another.
LINES = [
    "",
    "a",
    "a ",
    "a\t",
    "a\x01",
    "a b",
    "aa",
    "B",
    "b",
    "é",
    "ﬀ",
    "\U0001f600",
    "\uffff",
    "\u2028",
    "\r",
    "-",
    "_",
]


@pytest.fixture
def road(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have sorting take one road, with runs of few lines."""

    def take(name: str) -> None:
        if name == "program" and gnu_sort() is None:
            pytest.skip("there is no GNU sort")
        program = gnu_sort() if name == "program" else None
        monkeypatch.setattr(sorting, "gnu_sort", lambda: program)
        monkeypatch.setattr(sorting, "_SMALL", 0)
        monkeypatch.setattr(sorting, "_RUN", 1 << 30 if name == "memory" else 64)
        monkeypatch.setattr(sorting, "_AT_ONCE", 3)
        monkeypatch.setattr(sorting, "_BATCH", 5)

    return take


def ordered(lines: Iterable[str], folder: Path) -> bytes:
    with Sorter(folder) as sorter:
        for line in lines:
            sorter.add(f"{line}\n".encode())
        return b"".join(sorter.chunks())


def expected(lines: Iterable[str]) -> bytes:
    """Return what the order of code points gives."""
    return "".join(f"{line}\n" for line in sorted(set(lines))).encode()


@pytest.mark.parametrize("name", ROADS)
def test_lines_come_back_by_code_point_and_once(tmp_path, road, name):
    road(name)
    chance = random.Random(1)
    lines = [*LINES, *("".join(chance.choices(LINES, k=chance.randrange(6))) for _ in range(1000))] * 2
    chance.shuffle(lines)
    assert ordered(lines, tmp_path) == expected(lines)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ROADS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(lines=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))))
def test_any_lines_are_sorted_alike(tmp_path, road, name, lines):
    road(name)
    assert ordered(lines, tmp_path) == expected(lines)


@pytest.mark.parametrize("name", ROADS)
def test_nothing_sorts_to_nothing(tmp_path, road, name):
    road(name)
    assert ordered([], tmp_path) == b""


@pytest.mark.parametrize("name", ROADS)
def test_what_is_left_undone_leaves_no_file(tmp_path, road, name):
    road(name)
    with Sorter(tmp_path) as sorter:
        for number in range(1000):
            sorter.add(b"%d\n" % number)
        assert next(sorter.chunks()).startswith(b"0\n1\n10\n")
        assert bool(list(tmp_path.iterdir())) is (name != "memory")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["files", "program"])
def test_a_folder_that_is_not_there_is_named(tmp_path, road, name):
    road(name)
    with pytest.raises(Misuse, match=r"nowhere: No such file.*TMPDIR"):
        ordered(map(str, range(100)), tmp_path / "nowhere")


def test_a_program_that_is_killed_is_told_and_no_half_answer(tmp_path, road):
    road("program")
    with Sorter(tmp_path) as sorter:
        sorter.add(b"a\n")
        sorter._program._process.send_signal(signal.SIGKILL)
        with pytest.raises(Misuse, match="Killed"):
            sorter.add(b"b\n" * 1_000_000)
    with Sorter(tmp_path) as sorter:
        sorter.add(b"a\n" * 1000)
        sorter._program._process.send_signal(signal.SIGKILL)
        with pytest.raises(Misuse, match="Killed"):
            list(sorter.chunks())
    assert list(tmp_path.iterdir()) == []


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_what_the_program_says_is_passed_on(tmp_path, road, monkeypatch):
    road("files")
    full = script(
        tmp_path / "full", "cat >/dev/null; echo a; echo 'sort: write failed: x: No space left on device' >&2; exit 2"
    )
    monkeypatch.setattr(sorting, "gnu_sort", lambda: str(full))
    with pytest.raises(Misuse, match=rf"in {tmp_path}: write failed: x: No space left on device\. Make room"):
        ordered(["a"], tmp_path)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ({"sort": "sort (GNU coreutils) 9.4"}, "sort"),
        ({"sort": "2.3-Apple (168)", "gsort": "gsort (GNU coreutils) 9.5"}, "gsort"),
        ({"sort": "2.3-Apple (168)"}, None),
        ({"sort": "sort (uutils coreutils) 0.2.2"}, None),
        ({}, None),
    ],
)
def test_only_gnu_sort_is_taken(tmp_path, monkeypatch, names, found):
    for name, version in names.items():
        script(tmp_path / name, f"echo '{version}'")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gnu_sort.__wrapped__() == (found and str(tmp_path / found))


def test_the_program_takes_the_order_of_bytes_whatever_the_language(tmp_path, road, monkeypatch):
    road("program")
    locales = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    monkeypatch.setenv("LC_ALL", next((name for name in locales if "utf8" in name.lower()), "en_US.UTF-8"))
    assert ordered(LINES, tmp_path) == expected(LINES)


def test_pieces_end_where_lines_end(monkeypatch):
    monkeypatch.setattr(sorting, "_PIECE", 8)
    text = b"one\ntwo\nthree\nfour and five\n\n"
    for size in range(1, len(text) + 1):
        found: list[bytes] = []
        stream = Pieces(found.append)
        for at in range(0, len(text), size):
            stream.write(memoryview(text)[at : at + size])
        stream.end()
        assert b"".join(found) == text
        assert all(piece.endswith(b"\n") for piece in found)


def test_a_line_without_an_end_is_a_fault():
    stream = Pieces(lambda _: None)
    stream.write(b"a\nb")
    with pytest.raises(ValueError, match="no end"):
        stream.end()
