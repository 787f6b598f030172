"""``python -m tests.benchmarks [POINT...]``: measure how fast the project is, and print a table."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.benchmarks import asking, changes, exports, grouping, machine, networks, stages, starting, validating, whole
from tests.benchmarks.bench import Bench, Point
from tests.benchmarks.processes import CPU, NotMeasured
from tests.benchmarks.rows import Row, as_json, as_line, as_table

__all__ = ["POINTS", "main", "measure"]

POINTS = {
    point.name: point
    for module in (starting, stages, validating, whole, exports, changes, asking, grouping, networks)
    for point in module.POINTS
}  # fmt: skip
"""Every point by name, in the order in which they are measured."""


def measure(points: Iterable[Point], bench: Bench) -> Iterator[Row]:
    """Measure points one after the other; one that cannot be measured gives a row that says why."""
    for point in points:
        bench.say(f"{point.name}: {point.about}")
        try:
            yield from point.measure(bench)
        except NotMeasured as error:
            yield Row(point.name, point.about, why=str(error))


def _asked(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Measure the project in ratios against stated baselines, in pairs of fresh processes.",
        epilog="Points: " + "; ".join(f"{point.name} ({point.about})" for point in POINTS.values()),
    )
    parser.add_argument("points", nargs="*", metavar="POINT", help="which points; all where none is named")
    parser.add_argument("--pages", type=int, default=10_000, help="the largest collection (10000)")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of runs a ratio (5)")
    parser.add_argument("--workers", type=int, default=2, help="processes of a build (2)")
    parser.add_argument("--timeout", type=float, default=3_600, metavar="SECONDS", help="for one process (3600)")
    parser.add_argument(
        "--cpu",
        action="store_true",
        help="count the seconds of processors, on a machine that does other things as well",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows and the machine to this file")
    parser.add_argument(
        "--folder", type=Path, help="work here and keep the pages for the next run; else a folder in /tmp"
    )
    asked = parser.parse_args(words)
    if unknown := [name for name in asked.points if name not in POINTS]:
        parser.error(f"no such point: {', '.join(unknown)}; there are {', '.join(POINTS)}")
    return asked


def main(words: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for; 1 where a point does not hold.

    After Ctrl-C the rows measured so far are printed and written.
    """
    asked = _asked(words)
    chosen = [POINTS[name] for name in asked.points] or list(POINTS.values())
    about = machine.described()
    if asked.cpu:
        os.environ[CPU] = "1"
        about["seconds"] = "of processors: ratios of one process to several mean nothing"
    settings = {"pages": asked.pages, "pairs": asked.pairs, "workers": asked.workers}
    rows: list[Row] = []
    ended = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder.resolve(), asked.pages, asked.pairs, asked.workers, asked.timeout)
        try:
            for row in measure(chosen, bench):
                rows.append(row)
                bench.say(f"  {as_line(row)}")
        except KeyboardInterrupt:
            ended = 130
    sys.stdout.write(as_table(rows) + "\n\n" + "".join(f"{name}: {text}\n" for name, text in about.items()))
    if asked.json:
        asked.json.write_text(as_json(rows, machine=about, settings=settings), encoding="utf-8")
    return ended or int(any(row.holds is False for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
