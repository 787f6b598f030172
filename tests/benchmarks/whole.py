"""The whole pipeline, each time as a process of its own: against the obvious stack, its own size, and a raw load."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks import processes
from tests.benchmarks.bench import Bench, Point, median, ratios
from tests.benchmarks.processes import Ran, Stopwatch
from tests.benchmarks.rows import AtLeast, AtMost, Row
from tests.benchmarks.stages import texts

__all__ = ["POINTS"]

_MEMORY_OF_THE_WHOLE = 2_000.0  # MB at 50,000 pages


def _build(bench: Bench, pages: int, *more: str | Path, watched: bool = False) -> Ran:
    return bench.build(pages, bench.scratch("whole-store"), *more, watched=watched)


def _exported(bench: Bench) -> tuple[str | Path, ...]:
    return ("-o", bench.folder / "whole.nq")


def _measure_obvious(bench: Bench) -> Iterable[Row]:
    pages = bench.size(250)
    folder, turtle = bench.collection(pages), bench.folder / "obvious.ttl"
    stack = (sys.executable, "-m", "tests.benchmarks.obvious", folder, turtle)
    memory: list[float] = []

    def obvious() -> float:
        ran = processes.run(stack, timeout=bench.timeout)
        memory.append(ran.own_mb)
        return ran.seconds

    above, below = bench.interleaved(obvious, lambda: _build(bench, pages, *_exported(bench)).seconds)
    yield Row(
        "obvious",
        f"the obvious stack on {pages} pages (rdflib, pyshacl, rdflib Turtle)",
        "kg build to a store on disk, validated, optimised, exported as N-Quads",
        ratios(above, below),
        AtLeast(50),
        note=f"{median(above):.1f} s and {memory[-1]:.0f} MB against {median(below):.2f} s",
        raw={"pages": pages, "obvious s": above, "ours s": below, "obvious MB": memory},
    )


def _measure_scaling(bench: Bench) -> Iterable[Row]:
    largest = bench.size(4_000)
    steps = [(max(1, largest // 16), largest // 4), (largest // 4, largest)]
    if bench.pages > 10_000:
        steps.append((bench.pages // 4, bench.pages))
    for small, large in steps:
        below, above = bench.interleaved(
            *(partial(lambda pages: _build(bench, pages, *_exported(bench)).seconds, size) for size in (small, large))
        )
        yield Row(
            "scaling",
            f"kg build of {large} pages",
            f"of {small}",
            ratios(above, below),
            AtMost(4.5 * large / small / 4),
            note=f"{median(below):.1f} s and {median(above):.1f} s",
            raw={"pages": [small, large], "small s": below, "large s": above},
        )


def loading(text: str, store: str) -> dict[str, Any]:
    """Load N-Triples into a new database on disk, with nothing around it."""
    import pyoxigraph

    with Stopwatch() as watch:
        database = pyoxigraph.Store(store)
        database.bulk_load(path=text, format=pyoxigraph.RdfFormat.N_TRIPLES)
    with Stopwatch() as optimising:
        database.optimize()
    return {"seconds": watch.seconds, "optimising": optimising.seconds, "triples": len(database)}


def _measure_throughput(bench: Bench) -> Iterable[Row]:
    pages = bench.size(10_000)
    text = bench.scratch("load.nt")
    bench.task(texts, bench.collection(pages), text)
    loaded: list[dict[str, Any]] = []

    def raw() -> float:
        loaded.append(bench.task(loading, text, bench.scratch("raw-store")).said)
        return loaded[-1]["seconds"]

    ours, theirs = bench.interleaved(
        lambda: _build(bench, pages, *_exported(bench)).seconds, raw, pairs=min(3, bench.pairs)
    )
    text.unlink()
    triples = loaded[-1]["triples"]
    rates = [pages / seconds for seconds in ours]
    yield Row(
        "throughput",
        f"kg build of {pages} pages with canonical export",
        "",
        rates,
        AtLeast(250),
        unit="pages/s",
        note=f"{triples / median(ours):,.0f} distinct triples of pages a second",
        raw={"pages": pages, "triples": triples, "ours s": ours},
    )
    yield Row(
        "throughput",
        f"kg build of {pages} pages with canonical export",
        "one bulk load of the N-Triples of its pages",
        ratios(ours, theirs),
        AtMost(2.0),
        note=f"{median(ours):.1f} s against {median(theirs):.1f} s, and "
        f"{median([each['optimising'] for each in loaded]):.1f} s to optimise",
        raw={"ours s": ours, "load s": theirs, "loads": loaded},
    )


def _measure_memory(bench: Bench) -> Iterable[Row]:
    large = bench.pages
    small = large // 4
    for pages in (small, large):
        bench.collection(pages)
    runs: dict[int, list[Ran]] = {small: [], large: []}

    def peak(pages: int) -> float:
        runs[pages].append(_build(bench, pages, watched=True))
        return runs[pages][-1].worker_mb

    below, above = bench.interleaved(partial(peak, small), partial(peak, large), pairs=min(3, bench.pairs), seconds=60)
    yield Row(
        "memory",
        f"peak memory of a worker at {large} pages",
        f"at {small}",
        ratios(above, below),
        AtMost(1.2),
        note=f"{median(below):.0f} MB and {median(above):.0f} MB",
        raw={"pages": [small, large], "small MB": below, "large MB": above},
    )
    for pages, ran in runs.items():
        trees = [each.tree_mb for each in ran]
        yield Row(
            "memory",
            f"peak memory of all processes at {pages} pages",
            "",
            trees,
            AtMost(_MEMORY_OF_THE_WHOLE) if pages >= 50_000 else None,
            unit="MB",
            note=f"the first process alone {median([each.own_mb for each in ran]):.0f} MB",
            raw={"tree MB": trees, "first MB": [each.own_mb for each in ran]},
        )


POINTS = (
    Point("obvious", "the obvious stack, against the whole pipeline", _measure_obvious),
    Point("scaling", "four times the pages, against the pages", _measure_scaling),
    Point("throughput", "pages a second, and the pipeline against a raw bulk load", _measure_throughput),
    Point("memory", "peak memory of workers and of all processes, as pages grow", _measure_memory),
)
