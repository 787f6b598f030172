"""Validation against pyshacl, on the same views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.benchmarks.bench import Bench, Point, median, ratios
from tests.benchmarks.processes import Stopwatch, pages_of, triple_of
from tests.benchmarks.rows import AtLeast, Row

__all__ = ["POINTS"]


def _views(folder: str) -> list[tuple[str, ...]]:
    from kg.mapping import to_view_graph
    from kg.sources import parse

    pages = (parse(path.read_bytes(), str(path)).page for path in pages_of(folder))
    return [tuple(to_view_graph(page).lines) for page in pages if page]


def with_pyshacl(folder: str) -> dict[str, Any]:
    """Validate all views as one graph with pyshacl, which takes half as long as one after the other."""
    import pyshacl

    from kg.rdflib_graph import to_rdflib
    from tests.benchmarks.obvious import shapes

    views, read = _views(folder), shapes()
    with Stopwatch() as watch:
        graph = to_rdflib(triple_of(line) for lines in views for line in lines)
        pyshacl.validate(graph, shacl_graph=read)
    return {"seconds": watch.seconds, "views": len(views)}


def with_ours(folder: str) -> dict[str, Any]:
    """Validate one view after the other, as a build does."""
    from kg import validation
    from kg.resources import directory

    views, shapes = _views(folder), validation.load_shapes(directory("shapes"))
    validation.validate(views[0], shapes)  # what is made once a process is made
    with Stopwatch() as watch:
        for lines in views:
            validation.validate(lines, shapes)
    return {"seconds": watch.seconds, "views": len(views)}


def _measure_validator(bench: Bench) -> Iterable[Row]:
    pages = bench.size(250)
    folder = bench.collection(pages)
    theirs, ours = bench.interleaved(
        lambda: bench.task(with_pyshacl, folder).said["seconds"],
        lambda: bench.task(with_ours, folder).said["seconds"],
    )
    yield Row(
        "validator",
        f"pyshacl on the views of {pages} pages as one graph",
        "the validation of a build, view by view",
        ratios(theirs, ours),
        AtLeast(40),
        note=f"{pages / median(theirs):.0f} against {pages / median(ours):.0f} pages/s",
        raw={"pages": pages, "pyshacl s": theirs, "ours s": ours},
    )


POINTS = (Point("validator", "pyshacl, against the validation of a build", _measure_validator),)
