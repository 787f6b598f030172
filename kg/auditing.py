"""What an audit of a claim asks a graph for: see ``kg.claims`` for what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kg.claims import Audit, Facts, audit
from kg.comparison import Leaderboard
from kg.errors import Misuse, UnknownName
from kg.knowledge_graph import KnowledgeGraph
from kg.vocabulary import BK

__all__ = ["audit_of"]


def audit_of(graph: KnowledgeGraph, method: str, benchmark: str, metric: str = "") -> list[Audit]:
    """Return an audit for each metric of a benchmark on which a method has scores, or for the one named.

    Raises ``UnknownName`` and ``AmbiguousName``, and ``Misuse`` where the method has no score there.
    """
    board = graph.find(benchmark, BK.Benchmark)
    found = _method_on(graph, method, board)
    boards = _boards_of(graph, found, board, metric)
    if not boards:
        others = [each.metric_label for each in _boards_of(graph, found, board)] if metric else []
        there = f" under the metric {metric}. It has scores under: {'; '.join(others)}" if others else ""
        raise Misuse(f"{method} has no score on {benchmark}{there}.")
    claims = list(graph.query("provenance/claims-of-a-method", method=found))
    results = list(graph.query("provenance/results-of-a-method", method=found))
    return [_audit(graph, found, each, claims, results) for each in boards]


def _boards_of(graph: KnowledgeGraph, method: str, board: str, metric: str = "") -> list[Leaderboard]:
    """Return the leaderboards of a benchmark on which a method has scores."""
    return [
        each
        for each in graph.standings(board, metric)
        if any(standing.method == method for table in each.tables for standing in table.standings)
    ]


def _method_on(graph: KnowledgeGraph, name: str, board: str) -> str:
    """Return the method of a name that has results on a benchmark; where it has none, say on which it has some."""
    try:
        return graph.find(name, BK.Method, benchmark=board)
    except UnknownName as unknown:
        try:
            method = graph.find(name, BK.Method)
        except UnknownName:
            raise unknown from None
        boards = dict.fromkeys(
            row.benchmarkLabel for row in graph.query("provenance/benchmarks-of-a-method", method=method)
        )
        there = "; ".join(map(str, boards)) or "none"
        raise Misuse(f"{name} has no score on that benchmark. It has scores on: {there}.") from None


def _audit(
    graph: KnowledgeGraph, method: str, board: Leaderboard, claims: Sequence[Any], results: Sequence[Any]
) -> Audit:
    given: dict[str, Any] = {"benchmark": board.benchmark, "metric": board.metric}
    own = [each for table in board.tables for each in table.standings if each.method == method]
    nodes = {method, board.benchmark, board.metric, *(each.result for each in own)}
    return audit(
        Facts(
            method=method,
            method_label=own[0].method_label or method,
            board=board,
            places=list(graph.query("provenance/places-of-scores", **given)),
            statements=list(graph.query("provenance/statements-of-a-leaderboard", **given)),
            claims=claims,
            results=results,
            findings=graph.findings_about(nodes, [(board.benchmark, board.metric)]),
        )
    )
