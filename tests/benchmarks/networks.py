"""Measures over a million edges against scipy's sparse matrices alone, and how long a view takes to make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.benchmarks.bench import Bench, Point, median, ratios
from tests.benchmarks.processes import Stopwatch
from tests.benchmarks.rows import AtMost, Row

__all__ = ["POINTS"]

_EDGES = 1_100_000  # drawn; a million are left when equal ones are one
_EDGES_A_PAGE = 110
_DAMPING = 0.85


def _drawn(edges: int) -> tuple[Any, Any, Any, int]:
    """Draw edges from methods to benchmarks, some of which have many: sources, targets, weights, and how many nodes."""
    import numpy as np

    draw = np.random.default_rng(1)
    methods, benchmarks = edges // 6 + 2, edges // 40 + 2
    sources = (methods ** draw.random(edges)).astype(np.intp) - 1
    targets = methods + draw.integers(0, benchmarks, edges)
    drawn = np.unique(np.stack((sources, targets)), axis=1)
    drawn = drawn[:, draw.permutation(drawn.shape[1])]
    return drawn[0], drawn[1], draw.integers(1, 5, drawn.shape[1]).astype(np.float64), methods + benchmarks


def _network(sources: Any, targets: Any, weights: Any, nodes: int, methods: int, *, directed: bool) -> Any:
    import numpy as np

    from kg.analysis import Form, Network

    names = [f"https://example.org/{number:07d}" for number in range(nodes)]
    return Network(
        name="made",
        form=Form(directed=directed, parallel=False, weighted=True),
        nodes=names,
        labels=names,
        kinds=["Method"] * methods + ["Benchmark"] * (nodes - methods),
        sources=sources,
        targets=targets,
        weights=weights,
        relations=np.zeros(len(sources), dtype=np.intp),
        properties=("benchmark",),
    )


def our_pagerank(edges: str) -> dict[str, Any]:
    """Rank all nodes with the project's measure, and list the first twenty."""
    import scipy.sparse  # noqa: F401 - loading it is not what is measured

    from kg.analysis import measure

    sources, targets, weights, nodes = _drawn(int(edges))
    network = _network(sources, targets, weights, nodes, int(sources.max()) + 1, directed=True)
    with Stopwatch() as watch:
        first = measure("pagerank", network)[:20]
    return {"seconds": watch.seconds, "first": [each.value for each in first]}


def scipy_pagerank(edges: str) -> dict[str, Any]:
    """Rank all nodes with a sparse matrix and nothing around it, as precisely, and list the first twenty."""
    import numpy as np
    from scipy.sparse import csr_array

    sources, targets, weights, nodes = _drawn(int(edges))
    with Stopwatch() as watch:
        matrix = csr_array((weights, (targets, sources)), shape=(nodes, nodes))
        given = matrix.sum(axis=0)
        nowhere = given == 0
        matrix.data /= np.where(nowhere, 1, given)[matrix.indices]
        rank, before = np.full(nodes, 1 / nodes), np.zeros(nodes)
        while np.abs(rank - before).sum() >= nodes * 1e-12:
            before = rank
            rank = _DAMPING * (matrix @ rank + rank[nowhere].sum() / nodes) + (1 - _DAMPING) / nodes
        order = np.argsort(-np.round(rank, 9), kind="stable")[:20]
        first = [float(rank[place]) for place in order]
    return {"seconds": watch.seconds, "first": first}


def our_projection(edges: str) -> dict[str, Any]:
    """Project methods with the project's function."""
    import scipy.sparse  # noqa: F401 - loading it is not what is measured

    from kg.analysis import projection

    sources, targets, weights, nodes = _drawn(int(edges))
    network = _network(sources, targets, weights, nodes, int(targets.min()), directed=False)
    with Stopwatch() as watch:
        found = projection(network, "Method")
    return {"seconds": watch.seconds, "shared": len(found.sources), "weight": float(found.weights.sum())}


def scipy_projection(edges: str) -> dict[str, Any]:
    """Project methods with a sparse matrix and nothing around it."""
    import numpy as np
    from scipy.sparse import csr_array, triu

    sources, targets, _, nodes = _drawn(int(edges))
    with Stopwatch() as watch:
        ends = (sources, targets - targets.min())
        joined = csr_array((np.ones(len(sources), dtype=np.int32), ends), shape=(targets.min(), nodes - targets.min()))
        found = triu(joined @ joined.T, k=1).tocoo()
    return {"seconds": watch.seconds, "shared": found.nnz, "weight": float(found.data.sum())}


def _alike(one: Any, other: Any) -> bool:
    """Tell whether two answers are the same but for the order of summing."""
    if isinstance(one, list):
        return len(one) == len(other) and all(abs(a - b) < 2e-9 for a, b in zip(one, other, strict=True))
    return bool(one == other)


def _measure_networks(bench: Bench) -> Iterable[Row]:
    for name, ours, theirs, edges in (
        ("PageRank", our_pagerank, scipy_pagerank, _EDGES),
        ("projection on methods", our_projection, scipy_projection, _EDGES // 5),
    ):
        asked = min(edges, bench.pages * _EDGES_A_PAGE)
        told: dict[str, Any] = {}

        def seconds(function: Any, edges: int, told: dict[str, Any] = told) -> float:
            told[function.__name__] = bench.task(function, edges).said
            return told[function.__name__].pop("seconds")

        above, below = bench.interleaved(
            lambda run=seconds, ours=ours, edges=asked: run(ours, edges),
            lambda run=seconds, theirs=theirs, edges=asked: run(theirs, edges),
        )
        mine, other = told[ours.__name__], told[theirs.__name__]
        same = all(_alike(mine[key], other[key]) for key in other)
        yield Row(
            "networks",
            f"{name} over {asked:,} edges drawn, matrix included",
            "scipy alone",
            ratios(above, below),
            AtMost(3),
            note=f"{median(above):.2f} s against {median(below):.2f} s",
            why="" if same else f"the answers differ: {mine} and {other}",
            raw={"ours s": above, "scipy s": below},
        )


def viewing(store: str) -> dict[str, Any]:
    """Make the view of every relation from a store, then rank its nodes."""
    import kg
    from kg.analysis import measure

    with kg.open(store) as graph:
        with Stopwatch() as making:
            network = graph.network("everything")
        with Stopwatch() as ranking:
            measure("pagerank", network)[:20]
    return {"making": making.seconds, "ranking": ranking.seconds, "edges": len(network.sources)}


def _measure_view(bench: Bench) -> Iterable[Row]:
    pages = bench.size(2_500)
    store = bench.store(pages)
    told: list[dict[str, Any]] = []

    def making() -> float:
        told.append(bench.task(viewing, store).said)
        return told[-1]["making"]

    (seconds,) = bench.interleaved(making)
    yield Row(
        "networks",
        f"the view of every relation of {pages} pages, {told[-1]['edges']:,} edges, as arrays",
        "",
        seconds,
        unit="s",
        note=f"PageRank of it {median([each['ranking'] for each in told]):.2f} s",
        raw={"runs": told},
    )


def _measure(bench: Bench) -> Iterable[Row]:
    yield from _measure_networks(bench)
    yield from _measure_view(bench)


POINTS = (Point("networks", "PageRank and projection, against scipy alone", _measure),)
