"""Questions about one thing, which must not take longer where the store is larger."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.benchmarks.bench import Bench, Point, median, ratios
from tests.benchmarks.rows import AtMost, Row

__all__ = ["POINTS"]

_SAMPLES = Path(__file__).parent / "questions"
_QUESTIONS = {
    "leaderboard": ("comparison/leaderboard", "boards"),
    "trace": ("provenance/trace", "results"),
    "comparable-pairs": ("comparison/comparable-pairs", "methods"),
}
"""The questions of the catalogue by what they are called here, and the sample that each is asked about."""

_MILLISECONDS = 10.0


def sampling(store: str) -> dict[str, Any]:
    """Draw what to ask about from a store: for each question a list of parameters."""
    import kg

    with kg.open(store) as graph:
        return {
            name: graph.query((_SAMPLES / f"{sample}.rq").read_text(encoding="utf-8")).to_dicts()
            for name, (_, sample) in _QUESTIONS.items()
        }


def asking(store: str, sample: str) -> dict[str, Any]:
    """Ask each question about all of its sample, once to warm up and once for the milliseconds."""
    import kg

    told: dict[str, Any] = {}
    asked = json.loads(Path(sample).read_text(encoding="utf-8"))
    with kg.open(store) as graph:
        for name, (question, _) in _QUESTIONS.items():
            found = sum(len(graph.query(question, **given)) for given in asked[name])
            assert found >= len(asked[name]), f"{question} has no answers"
            times = []
            for given in asked[name]:
                started = time.perf_counter()
                graph.query(question, **given)
                times.append(1_000 * (time.perf_counter() - started))
            told[name] = {"median": statistics.median(times), "worst": max(times), "rows": found, "asked": len(times)}
        told["triples"] = len(graph)
    return told


def _measure_asking(bench: Bench) -> Iterable[Row]:
    large = bench.size(12_500)
    small = max(1, large // 5)
    sample = bench.folder / "sample.json"
    sample.write_text(json.dumps(bench.task(sampling, bench.store(small)).said), encoding="utf-8")
    bench.store(large)
    told: dict[int, list[dict[str, Any]]] = {small: [], large: []}

    def ask(pages: int) -> float:
        told[pages].append(bench.task(asking, bench.store(pages), sample).said)
        return sum(told[pages][-1][name]["median"] for name in _QUESTIONS)

    bench.interleaved(lambda: ask(small), lambda: ask(large))
    sizes = {pages: found[0]["triples"] for pages, found in told.items()}
    for name, (question, _) in _QUESTIONS.items():
        below, above = ([each[name]["median"] for each in found] for found in told.values())
        last = told[large][-1][name]
        yield Row(
            "questions",
            f"{name} at {sizes[large] / 1e6:.2f} M triples",
            "",
            above,
            AtMost(_MILLISECONDS),
            unit="ms",
            note=f"{last['asked']} asked, {last['rows']} rows, the slowest {last['worst']:.1f} ms",
            raw={"question": question, "runs": [each[name] for each in told[large]]},
        )
        yield Row(
            "questions",
            f"{name} at {sizes[large] / 1e6:.2f} M triples",
            f"at {sizes[small] / 1e6:.2f} M",
            ratios(above, below),
            AtMost(2),
            note=f"{median(above):.2f} ms against {median(below):.2f} ms",
            raw={"small ms": below, "large ms": above},
        )


POINTS = (Point("questions", "leaderboard, trace and comparable pairs, as the store grows", _measure_asking),)
