"""Reading a page, mapping it to text, and doing both in two processes: each against what no program can spare."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import Any

from kg.mapping import to_view_graph
from kg.parts import Page, part_of
from kg.readers import readers
from kg.sources import parse
from kg.terms import utf8
from tests.benchmarks.bench import Bench, Point, ratios
from tests.benchmarks.processes import Stopwatch, pages_of
from tests.benchmarks.rows import AtMost, Row

__all__ = ["POINTS"]

_SLICE = 32


def hashing(folder: str) -> dict[str, Any]:
    """Read, decode and hash every page."""
    paths = pages_of(folder)
    with Stopwatch() as watch:
        for path in paths:
            data = path.read_bytes()
            data.decode()
            hashlib.sha256(data).hexdigest()
    return {"seconds": watch.seconds}


def reading(folder: str) -> dict[str, Any]:
    """Read every page into the records of the model."""
    paths = pages_of(folder)
    with Stopwatch() as watch:
        read = sum(parse(path.read_bytes(), str(path)).page is not None for path in paths)
    assert read == len(paths)
    return {"seconds": watch.seconds}


def _text_of(path: Path) -> bytes:
    page = parse(path.read_bytes(), str(path)).page
    assert page
    return utf8(to_view_graph(page).lines) + b"\n"


def texts(folder: str, output: str) -> dict[str, Any]:
    """Write the triples of every page as N-Triples, page by page."""
    paths = pages_of(folder)
    size = 0
    with Stopwatch() as watch, Path(output).open("wb") as file:
        for path in paths:
            size += file.write(_text_of(path))
    return {"seconds": watch.seconds, "bytes": size}


def copying(folder: str, text: str, output: str) -> dict[str, Any]:
    """Read every page, and write as many bytes as their triples are, in as many parts."""
    paths = pages_of(folder)
    data = Path(text).read_bytes()
    part = -(-len(data) // len(paths))
    parts = [data[start : start + part] for start in range(0, len(data), part)]
    with Stopwatch() as watch, Path(output).open("wb") as file:
        for path, written in zip(paths, parts, strict=True):
            path.read_bytes()
            file.write(written)
    return {"seconds": watch.seconds}


def _measure_reading(bench: Bench) -> Iterable[Row]:
    pages = bench.size(10_000)
    folder = bench.collection(pages)
    above, below = bench.interleaved(
        lambda: bench.task(reading, folder).said["seconds"],
        lambda: bench.task(hashing, folder).said["seconds"],
    )
    yield Row(
        "reading",
        f"reading {pages} pages into records",
        "read + decode + SHA-256",
        ratios(above, below),
        AtMost(6),
        raw={"pages": pages, "reading s": above, "hashing s": below},
    )


def _measure_text(bench: Bench) -> Iterable[Row]:
    pages = bench.size(2_000)
    folder, text, copy = bench.collection(pages), bench.scratch("text.nt"), bench.scratch("copy.nt")
    sizes: list[int] = []

    def ours() -> float:
        ran = bench.task(texts, folder, text)
        sizes.append(ran.said["bytes"])
        return ran.said["seconds"]

    above, below = bench.interleaved(ours, lambda: bench.task(copying, folder, text, copy).said["seconds"])
    copy.unlink()
    yield Row(
        "text",
        f"{pages} pages to N-Triples text ({sizes[-1] / 1e6:.0f} MB)",
        "reading the pages and writing as many bytes",
        ratios(above, below),
        AtMost(15),
        raw={"pages": pages, "bytes": sizes[-1], "text s": above, "copy s": below},
    )


def validated(folder: str, workers: str) -> dict[str, Any]:
    """Read, map and validate every page in so many processes, slice by slice, as a build does, but load nothing."""
    paths = pages_of(folder)
    views = 0
    with Stopwatch() as watch, readers(int(workers)) as pool:
        pages = (Page(str(path), path.read_bytes()) for path in paths)
        under_way = []
        while slice_ := list(islice(pages, _SLICE)):
            under_way.append(pool.submit(part_of, slice_))
        for future in under_way:
            part, outcomes = future.result()
            views += len(part.records)
            assert all(outcome.view for outcome in outcomes)
    assert views == len(paths)
    return {"seconds": watch.seconds}


def _measure_two_processes(bench: Bench) -> Iterable[Row]:
    pages = bench.size(2_000)
    folder = bench.collection(pages)
    above, below = bench.interleaved(
        lambda: bench.task(validated, folder, 2).said["seconds"],
        lambda: bench.task(validated, folder, 1).said["seconds"],
    )
    yield Row(
        "two-processes",
        f"{pages} pages read, mapped and validated in two processes, their start included",
        "in one",
        ratios(above, below),
        AtMost(0.65),
        note=f"{pages / min(chain(above, below)):.0f} pages/s at best",
        raw={"pages": pages, "two s": above, "one s": below},
    )


POINTS = (
    Point("reading", "a page read, against its bytes read, decoded and hashed", _measure_reading),
    Point("text", "pages to N-Triples text, against reading and writing the same bytes", _measure_text),
    Point("two-processes", "the work of the workers in two processes, against one", _measure_two_processes),
)
