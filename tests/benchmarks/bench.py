"""One run of the benchmark: its sizes, the pages and stores that its points share, and pairs of measurements."""

from __future__ import annotations

import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyoxigraph

from tests.benchmarks import processes
from tests.benchmarks.pages import write_pages
from tests.benchmarks.processes import KG, Ran
from tests.benchmarks.rows import Row

__all__ = ["BUILT", "Bench", "Point", "ratios"]

BUILT = (0, 1)
"""The exit codes of a build that loaded what it could: some of the odd pages have errors."""

_FREE = 3.0  # times what is about to be written


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the benchmark: ``measure`` yields a row for each thing it looks at."""

    name: str
    about: str
    measure: Callable[[Bench], Iterable[Row]]


@dataclass(slots=True)
class Bench:
    """The folder that a run works in, and how much it does.

    ``pages`` is the size of the largest collection: a point that asks for more gets that many.
    """

    folder: Path
    pages: int = 10_000
    pairs: int = 5
    workers: int = 2
    timeout: float = 3_600.0
    built: dict[int, Ran] = field(default_factory=dict)
    """The builds of the stores by their number of pages."""

    # What the points share

    def collection(self, count: int) -> Path:
        """Return a folder with the first pages of the collection; it is written where it is not there."""
        folder = self.folder / f"pages-{count}"
        if not folder.is_dir():
            self._need(count * 8_000 * _FREE)
            self.say(f"writing {count} pages")
            draft = folder.with_suffix(".draft")
            write_pages(draft, count)
            draft.rename(folder)
        return folder

    def store(self, count: int) -> Path:
        """Return a store of that many pages, built by this run."""
        store = self.folder / f"store-{count}"
        if count not in self.built:
            self.say(f"building a store of {count} pages")
            shutil.rmtree(store, ignore_errors=True)
            self.built[count] = self.build(count, store)
        return store

    def build(self, count: int, store: Path, *more: str | Path, watched: bool = False) -> Ran:
        """Build the first pages of the collection into a store with ``kg build``, in a process of its own."""
        self._need(count * 300_000 * _FREE)
        return self.kg(
            "build", self.collection(count), "--store", store, "--workers", str(self.workers), "-q", *more,
            watched=watched,
            codes=BUILT,
        )  # fmt: skip

    def kg(self, *words: str | Path, watched: bool = False, codes: Sequence[int] = (0,)) -> Ran:
        """Run the command line."""
        return processes.run((*KG, *words), watched=watched, codes=codes, timeout=self.timeout)

    def task(self, function: Callable[..., dict[str, Any]], *arguments: object, watched: bool = False) -> Ran:
        """Call a function in a fresh process."""
        return processes.task(function, *arguments, timeout=self.timeout, watched=watched)

    def scratch(self, name: str) -> Path:
        """Return a path at which nothing is."""
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
        return path

    def size(self, wanted: int) -> int:
        """Return a number of pages: the one wanted, or that of the largest collection where it is smaller."""
        return min(wanted, self.pages)

    def _need(self, size: float) -> None:
        free = shutil.disk_usage(self.folder).free
        if free < size:
            raise processes.NotMeasured(f"{size / 1e9:.1f} GB must be free on the disk, and {free / 1e9:.1f} GB are")

    # Measuring

    def interleaved(
        self, *variants: Callable[[], float], pairs: int = 0, seconds: float = 240.0
    ) -> tuple[list[float], ...]:
        """Measure variants in turn (A B A B ...) and return the values of each.

        As many turns as the run has pairs, or ``pairs``; fewer, but not under three, where they have
        taken longer than ``seconds``, and one where a single one takes five times as long.
        """
        found: tuple[list[float], ...] = tuple([] for _ in variants)
        started = time.perf_counter()
        for turn in range(pairs or self.pairs):
            for values, variant in zip(found, variants, strict=True):
                values.append(variant())
            self.say(f"  turn {turn + 1}: {', '.join(f'{values[-1]:.4g}' for values in found)}")
            spent = time.perf_counter() - started
            if spent > 5 * seconds or (turn >= 2 and spent > seconds):
                break
        return found

    def say(self, text: str) -> None:
        """Tell whoever waits what is going on."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def ratios(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """Return one ratio a pair."""
    return [one / other for one, other in zip(above, below, strict=True)]


def median(values: Sequence[float]) -> float:
    """Return the median, for notes."""
    return statistics.median(values)


def database_of(store: Path) -> pyoxigraph.Store:
    """Open the database of a store as it lies on the disk, to be read."""
    name = (store / "current").read_text("ascii").strip()
    assert re.fullmatch(r"\d+", name)
    return pyoxigraph.Store.read_only(str(store / "generations" / name))
