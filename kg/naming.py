"""Names in one graph: from what people call a node, or the pages of a benchmark, to IRIs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from kg.lookup import Named, resolve, unbracketed
from kg.rows import Rows, is_local
from kg.store import Store
from kg.terms import iri, lexical
from kg.vocabulary import BK, FOAF, RDF, prefixes

__all__ = ["Names"]

_CLASS_WORDS = MappingProxyType(
    {
        BK.Benchmark: "benchmark",
        BK.Metric: "metric",
        BK.Method: "method",
        BK.Paper: "paper",
        BK.Result: "result",
        BK.Task: "task",
        BK.EvaluationDataset: "dataset",
    }
)
"""The classes whose nodes can be asked for by name, and what people call them."""


class Names:
    """The names of the nodes of a store; ``ask`` answers a query of the catalogue by its name.

    All that looks a name up raises ``UnknownName`` and ``AmbiguousName``.
    """

    def __init__(self, store: Store, ask: Callable[[str, Mapping[str, str]], Rows]) -> None:
        self._store = store
        self._ask = ask

    def find(self, name: str, node_class: str, benchmark: str = "") -> str:
        """Return the IRI of the node of a class that a name means; ``benchmark`` narrows it to that benchmark's."""
        given = self.expanded(unbracketed(name))
        return resolve(given, self._named(given, node_class, benchmark), _CLASS_WORDS[node_class])

    def views_of(self, name: str) -> list[str]:
        """Return the IRIs of the views that a name means: of a benchmark all, else the one of that name."""
        given = self.expanded(unbracketed(name))
        states = self._store.views()
        if found := [state.graph for state in states if given in {state.graph, state.graph.rpartition("/")[2]}]:
            return found
        board = iri(self.find(name, BK.Benchmark))
        metrics = {lexical(metric) for metric, _, _ in self._store.match(None, BK.definedFor, board)}
        return [state.graph for state in states if state.series in metrics]

    def expanded(self, name: str) -> str:
        """Return the IRI of a prefixed name, as the tables print it; any other text as it is."""
        prefix, colon, local = name.partition(":")
        namespace = prefixes(self._store.base).get(prefix)
        return f"{namespace}{local}" if colon and namespace and is_local(local) else name

    def _named(self, name: str, node_class: str, benchmark: str) -> list[Named]:
        """Return the nodes that a name may mean: by index where it is written to the letter, else all of the class."""
        if "://" in name and _is_linkable(name):
            nodes = {iri(name), *(subject for subject, _, _ in self._store.match(None, FOAF.page, iri(name)))}
            known = sorted(node for node in nodes if self._store.match(node, RDF.type, node_class))
            return [Named(lexical(node), page=name) for node in known]
        given = {"class": lexical(node_class), "name": name}
        together: dict[str, list[Any]] = {}
        for row in self._ask("lookup/nodes-by-name", given):
            if not benchmark or row.benchmark in {None, benchmark}:
                together.setdefault(row.node, []).append(row)
        if together:
            return [_named(node, rows) for node, rows in together.items()]
        rows = self._ask("lookup/nodes-of-class", {"class": lexical(node_class)})
        named = (Named(row.node, row.label or "", row.identifier or "") for row in rows)
        return [node for node in named if not benchmark or self._is_of(node.iri, benchmark)]

    def _is_of(self, node: str, benchmark: str) -> bool:
        """Tell whether a metric or result belongs to a benchmark, or a method has results on it; others always do."""
        if self._store.match(iri(node), BK.definedFor) or self._store.match(iri(node), BK.benchmark):
            about = ((iri(node), BK.definedFor), (iri(node), BK.benchmark))
            return any(self._store.match(*each, iri(benchmark)) for each in about)
        results = [result for result, _, _ in self._store.match(None, BK.method, iri(node))]
        return not results or any(self._store.match(result, BK.benchmark, iri(benchmark)) for result in results)


def _named(node: str, rows: Sequence[Any]) -> Named:
    """Return a node with the words that tell it from others of its name."""
    origins = sorted({row.originPaper.rsplit("/", 1)[-1] for row in rows if row.originPaper})
    benchmarks = sorted({row.benchmarkLabel for row in rows if row.benchmarkLabel})
    parts = [f"origin paper {' and '.join(origins)}"] if origins else []
    if benchmarks:
        more = f" and {len(benchmarks) - 1} more" if len(benchmarks) > 1 else ""
        parts.append(f"on {benchmarks[0]}{more}")
    return Named(node, rows[0].label or "", rows[0].identifier or "", where="; ".join(parts))


def _is_linkable(address: str) -> bool:
    from kg.values import is_linkable

    return is_linkable(address)
