"""Building again: one page of many changed, or none."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.bench import BUILT, Bench, Point, median, ratios
from tests.benchmarks.processes import Stopwatch, pages_of
from tests.benchmarks.rows import AtMost, Row

__all__ = ["POINTS"]

_VALUE = re.compile(r"(?<=: )([0-9.]+)(?=(?: ± [0-9.]+)?\. Result ID)")
_UPDATED = re.compile(r"^Data updated: .*$", re.MULTILINE)


def changed(text: str, time: int) -> str:
    """Return a page in a later state: another value in its first section, and the time of the change.

    The table keeps the old value, so the page has an error more, as a half-corrected page has.
    """
    text = _UPDATED.sub(f"Data updated: 2027-01-01T{time // 3600:02d}:{time // 60 % 60:02d}:{time % 60:02d}Z", text)
    return _VALUE.sub(f"{time % 100}.125", text, count=1)


class _Changing:
    """A store of which one page after the other changes."""

    def __init__(self, bench: Bench, pages: int) -> None:
        self.bench = bench
        self.pages = pages
        self.paths = pages_of(bench.collection(pages))
        self.store = bench.scratch(f"changing-{pages}")
        shutil.copytree(bench.store(pages), self.store)
        self.times = 0

    def change(self) -> float:
        """Change a page and return the seconds of the build that takes it in."""
        self.times += 1
        path = self.paths[self.times * 7919 % self.pages]
        later = self.bench.folder / "changed.md"
        later.write_bytes(changed(path.read_bytes().decode(), self.times).encode())
        return self.bench.kg("build", later, "--store", self.store, "-q", codes=BUILT).seconds


def _measure_change(bench: Bench) -> Iterable[Row]:
    large = bench.size(10_000)
    small = max(1, large // 10)
    few, many = _Changing(bench, small), _Changing(bench, large)
    many.change()
    few.change()
    below, above = bench.interleaved(few.change, many.change)
    full = bench.built[large].seconds
    note = f"{median(above):.2f} s; the full build took {full:.1f} s"
    yield Row(
        "change",
        f"one changed page in a store of {large}",
        "the full build",
        [seconds / full for seconds in above],
        AtMost(0.01),
        note=note if large == 10_000 else f"{note}; the gate is meant for 10000 pages",
        raw={"pages": large, "change s": above, "full s": full},
    )
    yield Row(
        "change",
        f"one changed page in a store of {large}",
        f"in one of {small}",
        ratios(above, below),
        AtMost(2),
        note=f"{median(above):.2f} s against {median(below):.2f} s",
        raw={"pages": [small, large], "small s": below, "large s": above},
    )
    for store in (few.store, many.store):
        shutil.rmtree(store)


def hashing(folder: str) -> dict[str, Any]:
    """Start the command line, then read and hash every page: what a build of nothing new cannot spare."""
    import kg.cli  # noqa: F401 - only to have it loaded

    with Stopwatch() as watch:
        for path in pages_of(folder):
            hashlib.sha256(path.read_bytes()).hexdigest()
    return {"seconds": watch.seconds}


def _measure_nothing_changed(bench: Bench) -> Iterable[Row]:
    pages = bench.size(10_000)
    folder, store = bench.collection(pages), bench.store(pages)
    before = _files(store)
    above, below = bench.interleaved(
        lambda: bench.build(pages, store).seconds,
        partial(lambda: bench.task(hashing, folder).seconds),
    )
    same = _files(store) == before
    yield Row(
        "unchanged",
        f"building {pages} pages again of which none has changed",
        "importing kg.cli, then reading and hashing the pages",
        ratios(above, below),
        AtMost(2),
        note=f"{median(above):.2f} s against {median(below):.2f} s",
        why="" if same else "the build changed files of the store",
        raw={"pages": pages, "build s": above, "hash s": below},
    )


def _files(store: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in store.rglob("*") if path.is_file()}


POINTS = (
    Point("change", "one changed page, against the full build and a smaller store", _measure_change),
    Point("unchanged", "nothing changed, against reading and hashing the pages", _measure_nothing_changed),
)
