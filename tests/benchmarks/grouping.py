"""Questions about the whole graph: by groups against pairs, and from the scores table against polars alone."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.bench import Bench, Point, median, ratios
from tests.benchmarks.processes import Stopwatch
from tests.benchmarks.rows import AtMost, Row

__all__ = ["POINTS"]

_SAMPLES = Path(__file__).parent / "questions"
_GROUPED = {
    "the best of every benchmark": ("comparison/best-of-every-benchmark", "best-joined"),
    "like for like over everything": ("comparison/pairs-of-every-group", "pairs-joined"),
}
"""The questions of the catalogue, and what asks the same by joining scores with scores."""

_TIMES = 20


def asking(store: str, question: str) -> dict[str, Any]:
    """Ask a question of the catalogue, or a file, after something small to warm up."""
    import kg

    with kg.open(store) as graph:
        graph.query("comparison/leaderboard", **graph.query((_SAMPLES / "boards.rq").read_text("utf-8")).to_dicts()[0])
        with Stopwatch() as watch:
            rows = len(graph.query(Path(question).read_text("utf-8") if question.endswith(".rq") else question))
    return {"seconds": watch.seconds, "rows": rows}


def quality(store: str) -> dict[str, Any]:
    """Ask every quality query."""
    import kg

    with kg.open(store) as graph, Stopwatch() as watch:
        found = graph.quality()
    return {"seconds": watch.seconds, "rows": len(found)}


def _measure_grouped(bench: Bench) -> Iterable[Row]:
    pages = bench.size(1_000)
    store = bench.store(pages)
    told: dict[str, dict[str, Any]] = {}

    def ask(question: str) -> float:
        asked = _SAMPLES / f"{question}.rq" if "/" not in question else question
        told[question] = bench.task(asking, store, asked).said
        return told[question]["seconds"]

    for name, (question, joined) in _GROUPED.items():
        above, below = bench.interleaved(partial(ask, question), partial(ask, joined), pairs=min(3, bench.pairs))
        rows = {told[each]["rows"] for each in (question, joined)}
        yield Row(
            "grouped",
            f"{name} at {pages} pages, by groups",
            "the same with each pair made, under the same conditions",
            ratios(above, below),
            AtMost(0.25),
            note=f"{median(above):.2f} s against {median(below):.2f} s, {max(rows)} rows",
            why="" if len(rows) == 1 else f"the answers have different numbers of rows: {sorted(rows)}",
            raw={"question": question, "pages": pages, "grouped s": above, "joined s": below},
        )
    for name, function, *arguments in (
        ("joining scores with scores under no condition at all", asking, _SAMPLES / "bare-join.rq"),
        ("all quality queries", quality),
    ):
        said: dict[str, Any] = {}

        def seconds(
            function: Callable[..., dict[str, Any]] = function,
            arguments: list[Any] = arguments,
            said: dict[str, Any] = said,
        ) -> float:
            said.update(bench.task(function, store, *arguments).said)
            return said["seconds"]

        (taken,) = bench.interleaved(seconds, pairs=min(3, bench.pairs))
        yield Row("grouped", f"{name} at {pages} pages", "", taken, unit="s", note=f"{said['rows']} rows")


# The scores table


def _often(answer: Callable[[], Any]) -> dict[str, Any]:
    """Return the median seconds of an answer after the first, and how many rows it has."""
    rows = answer().height
    seconds = []
    for _ in range(_TIMES):
        started = time.perf_counter()
        answer()
        seconds.append(time.perf_counter() - started)
    return {"seconds": statistics.median(seconds), "rows": rows}


def our_best(table: str) -> dict[str, Any]:
    """Answer with the project's function from the file of the scores table."""
    from kg import scores

    return _often(lambda: scores.best(scores.read_parquet(Path(table))))


def polars_best(table: str) -> dict[str, Any]:
    """Answer with polars and nothing around it, from the same file."""
    import polars as pl

    lower = pl.col("direction").str.ends_with("LowerIsBetter")
    merit = pl.when(lower).then(-pl.col("value")).otherwise(pl.col("value"))
    names = ("benchmark", "metric", "configuration", "group", "method", "methodLabel", "result", "value")

    def answer() -> pl.DataFrame:
        scores = pl.scan_parquet(table).filter("ranked")
        return scores.filter(merit == merit.max().over("group")).select(names).sort(names[:3]).collect()

    return _often(answer)


def our_pairs(table: str) -> dict[str, Any]:
    """Count pairs like for like with the project's function."""
    from kg import scores

    return _often(lambda: scores.comparable_counts(scores.read_parquet(Path(table))))


def polars_pairs(table: str) -> dict[str, Any]:
    """Count pairs with polars and nothing around it."""
    import polars as pl

    names = ("benchmark", "metric", "configuration", "group")
    count = pl.len().cast(pl.Int64)

    def answer() -> pl.DataFrame:
        groups = pl.scan_parquet(table).filter("ranked").group_by(names).agg((count * (count - 1) // 2).alias("pairs"))
        return groups.filter(pl.col("pairs") > 0).sort(names).collect()

    return _often(answer)


def _measure_scores(bench: Bench) -> Iterable[Row]:
    pages = bench.size(10_000)
    store, table = bench.store(pages), bench.scratch("scores.parquet")
    (making,) = bench.interleaved(
        lambda: bench.kg("export", "--store", store, "-o", table).seconds, pairs=min(3, bench.pairs)
    )
    yield Row(
        "scores",
        f"kg export of the scores table of {pages} pages",
        "",
        making,
        unit="s",
        note=f"{table.stat().st_size / 1e6:.1f} MB of Parquet",
        raw={"pages": pages, "export s": making},
    )
    for name, ours, theirs in (
        ("the best of every benchmark", our_best, polars_best),
        ("like for like over everything", our_pairs, polars_pairs),
    ):
        rows: dict[str, int] = {}

        def seconds(answer: Callable[..., dict[str, Any]], rows: dict[str, int] = rows) -> float:
            said = bench.task(answer, table).said
            rows[answer.__name__] = said["rows"]
            return said["seconds"]

        above, below = bench.interleaved(
            lambda run=seconds, ours=ours: run(ours), lambda run=seconds, theirs=theirs: run(theirs)
        )
        same = len(set(rows.values())) == 1
        yield Row(
            "scores",
            f"{name} from the scores table, read from its file",
            "polars alone on the same file",
            ratios(above, below),
            AtMost(3),
            note=f"{1000 * median(above):.1f} ms against {1000 * median(below):.1f} ms, {max(rows.values())} rows",
            why="" if same else f"the answers have different numbers of rows: {rows}",
            raw={"ours s": above, "polars s": below},
        )


POINTS = (
    Point("grouped", "whole-graph questions by groups, against joining pairs", _measure_grouped),
    Point("scores", "questions to the scores table, against polars alone", _measure_scores),
)
