"""Writing what a store holds: the canonical N-Quads against ``sort``, Turtle against rdflib's."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks import processes
from tests.benchmarks.bench import Bench, Point, median, ratios
from tests.benchmarks.processes import Ran, Stopwatch, triple_of
from tests.benchmarks.rows import AtLeast, AtMost, Row

__all__ = ["POINTS"]


def shuffling(lines: str, output: str) -> dict[str, Any]:
    """Write lines in an order that no sort finds done already."""
    found = Path(lines).read_bytes().splitlines(keepends=True)
    random.Random(1).shuffle(found)
    Path(output).write_bytes(b"".join(found))
    return {"lines": len(found)}


def _measure_canonical(bench: Bench) -> Iterable[Row]:
    pages = bench.size(10_000)
    store, quads, shuffled = bench.store(pages), bench.scratch("export.nq"), bench.scratch("shuffled.nq")
    bench.kg("export", "--store", store, "-o", quads)
    lines = bench.task(shuffling, quads, shuffled).said["lines"]
    place = bench.scratch("sorted.nq")
    # LC_ALL inside the command: byte by byte is the order of canonical N-Quads.
    sort = ("env", "LC_ALL=C", "sort", "-u", "-T", bench.folder, "-o", place, shuffled)
    above, below = bench.interleaved(
        lambda: bench.kg("export", "--store", store, "-o", quads).seconds,
        lambda: processes.run(sort, timeout=bench.timeout).seconds,
    )
    same = quads.read_bytes() == place.read_bytes()
    for path in (quads, shuffled, place):
        path.unlink()
    yield Row(
        "canonical",
        f"kg export of {pages} pages as N-Quads ({lines:,} lines)",
        "sort -u of the same lines",
        ratios(above, below),
        AtMost(1.5),
        note=f"{median(above):.1f} s against {median(below):.1f} s, {'the same bytes' if same else 'OTHER BYTES'}",
        why="" if same else "the export is not what sort -u gives",
        raw={"pages": pages, "lines": lines, "export s": above, "sort s": below},
    )


def rdflib_turtle(triples: str, output: str) -> dict[str, Any]:
    """Write N-Triples as Turtle with rdflib; reading them is not counted."""
    from kg.rdflib_graph import to_rdflib
    from kg.vocabulary import prefixes

    graph = to_rdflib(map(triple_of, Path(triples).read_text(encoding="utf-8").split("\n")[:-1]))
    for prefix, namespace in prefixes().items():
        graph.bind(prefix, namespace, override=True, replace=True)
    with Stopwatch() as watch:
        graph.serialize(output, format="turtle", encoding="utf-8")
    return {"seconds": watch.seconds, "triples": len(graph)}


def our_turtle(store: str, output: str) -> dict[str, Any]:
    """Write a store as Turtle; opening it is counted."""
    import kg

    with Stopwatch() as watch, kg.open(store) as graph:
        graph.export(output)
    return {"seconds": watch.seconds, "bytes": Path(output).stat().st_size}


def _measure_turtle(bench: Bench) -> Iterable[Row]:
    pages = bench.size(400)
    store, triples, turtle = bench.store(pages), bench.folder / "turtle.nt", bench.scratch("turtle.ttl")
    bench.kg("export", "--store", store, "-o", triples)
    theirs, ours, whole = bench.interleaved(
        lambda: bench.task(rdflib_turtle, triples, turtle).said["seconds"],
        lambda: bench.task(our_turtle, store, turtle).said["seconds"],
        lambda: bench.kg("export", "--store", store, "-o", turtle).seconds,
    )
    yield Row(
        "turtle",
        f"rdflib's Turtle of {pages} pages from its graph",
        "ours from the store",
        ratios(theirs, ours),
        AtLeast(20),
        note=f"{median(theirs):.1f} s against {median(ours):.2f} s; kg export as a whole process {median(whole):.2f} s",
        raw={"pages": pages, "rdflib s": theirs, "ours s": ours, "whole process s": whole},
    )


def _measure_turtle_memory(bench: Bench) -> Iterable[Row]:
    small, large = bench.size(2_500), bench.size(12_500)
    if small == large:
        small = large // 4
    turtle = bench.scratch("memory.ttl")
    runs: dict[int, list[Ran]] = {small: [], large: []}

    def peak(pages: int) -> float:
        runs[pages].append(bench.kg("export", "--store", bench.store(pages), "-o", turtle, watched=True))
        return runs[pages][-1].tree_mb

    for pages in (small, large):
        bench.store(pages)
    below, above = bench.interleaved(partial(peak, small), partial(peak, large), pairs=min(3, bench.pairs), seconds=60)
    size = turtle.stat().st_size / 1e6
    turtle.unlink()
    yield Row(
        "turtle-memory",
        f"peak memory of kg export as Turtle at {large} pages",
        f"at {small}",
        ratios(above, below),
        AtMost(1.5),
        note=f"{median(below):.0f} MB and {median(above):.0f} MB for {size:.0f} MB of Turtle",
        raw={"pages": [small, large], "small MB": below, "large MB": above},
    )


POINTS = (
    Point("canonical", "canonical N-Quads, against sort -u of the same lines", _measure_canonical),
    Point("turtle", "rdflib's Turtle, against ours", _measure_turtle),
    Point("turtle-memory", "peak memory of the Turtle export, as pages grow", _measure_turtle_memory),
)
