"""How long it takes until a command begins its work."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks import processes
from tests.benchmarks.bench import Bench, Point, median, ratios
from tests.benchmarks.rows import AtMost, Row

__all__ = ["POINTS"]

_PAGES = Path(__file__).parents[1] / "cases" / "sota2"
_REAL = [_PAGES / name / "page.md" for name in ("out-of-distribution-detection", "selective-classification")]
_QUESTION = ("provenance/results-of-a-paper", "-p", "paper=68fa78a61e209131cea79954")


def _measure_start(bench: Bench) -> Iterable[Row]:
    store = bench.scratch("seeds")
    bench.kg("build", *_REAL, "--store", store, "-q")
    bare = (sys.executable, "-c", "import typer, pyoxigraph")
    commands = {"kg --help": ("--help",), "kg query on two pages": ("query", *_QUESTION, "--store", store)}
    for name, words in commands.items():
        above, below = bench.interleaved(
            lambda words=words: bench.kg(*words).seconds,
            lambda: processes.run(bare, timeout=bench.timeout).seconds,
            pairs=2 * bench.pairs,
        )
        yield Row(
            "start",
            name,
            "importing typer and pyoxigraph",
            ratios(above, below),
            AtMost(2),
            note=f"{1000 * median(above):.0f} ms against {1000 * median(below):.0f} ms",
            raw={"kg s": above, "imports s": below},
        )


POINTS = (Point("start", "kg --help and kg query, against importing typer and pyoxigraph", _measure_start),)
