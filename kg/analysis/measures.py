"""Measures over networks, on sparse matrices: the cost is that of the edges, not of an object for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from kg.analysis.contests import numbered
from kg.analysis.graphs import from_networkx
from kg.analysis.networks import Form, Network, Places, named
from kg.errors import Misuse
from kg.rows import data_frame

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["MEASURES", "Measured", "Ranking", "measure", "projection"]

_DAMPING = 0.85
_TOLERANCE = 1e-12  # of each node, as networkx has it
_STEPS = 1000
_OF_BEATS = (
    "The walk goes from the better method to the worse, over all comparison groups at once: PageRank is high for what "
    "is beaten. For ranks, take borda, bradley-terry or copeland."
)
_DIGITS = 9  # more than a table shows, and fewer than the order of summing changes: equal nodes come out equal


class Measured(NamedTuple):
    """One node's value: a number of relations, the number of its component, or a PageRank (all sum to 1)."""

    node: str
    label: str
    kind: str
    value: int | float


def _matrix(network: Network) -> Any:  # noqa: ANN401 - scipy has no types
    """Return the weights as a sparse matrix with a row a node that is led to and a column a node that leads there."""
    from scipy.sparse import csr_array

    ends = network.targets, network.sources
    weights = network.weights
    if not network.form.directed:
        ends = np.concatenate(ends), np.concatenate(ends[::-1])
        weights = np.concatenate((weights, weights))
    return csr_array((weights, ends), shape=(len(network.nodes), len(network.nodes)))


def _degree(network: Network) -> Places:
    """Count the relations of each node, in both directions and parallel ones each."""
    size = len(network.nodes)
    return np.bincount(network.sources, minlength=size) + np.bincount(network.targets, minlength=size)


def _components(network: Network) -> Places:
    """Number the weakly connected components from 1, the largest first, of equal ones that with the least IRI."""
    from scipy.sparse.csgraph import connected_components

    return numbered(connected_components(_matrix(network), connection="weak")[1])


def _pagerank(network: Network) -> NDArray[np.float64]:
    """Rank by the random walk of Page, Brin, Motwani and Winograd (1999), damping 0.85, along weights.

    From a node that leads nowhere the walk goes on at any node. It is the power iteration of
    ``networkx.pagerank`` with a tolerance of 1e-12 a node.
    """
    matrix = _matrix(network)
    size = len(network.nodes)
    given = matrix.sum(axis=0)
    nowhere = given == 0
    given[nowhere] = 1
    matrix.data /= given[matrix.indices]
    rank = np.full(size, 1 / size)
    for _ in range(_STEPS):
        lost = rank[nowhere].sum() / size
        following = _DAMPING * (matrix @ rank + lost) + (1 - _DAMPING) / size
        change = np.abs(following - rank).sum()
        rank = following
        if change < size * _TOLERANCE:
            rounded: NDArray[np.float64] = np.round(rank, _DIGITS)
            return rounded
    raise ArithmeticError(f"PageRank does not settle within {_STEPS} steps")


MEASURES = MappingProxyType({"components": _components, "degree": _degree, "pagerank": _pagerank})
"""The measures by name; each gives every node of a view a number."""


class Ranking(Sequence[Measured]):
    """The nodes of a network by their value: a row a node, made when it is asked for.

    Rows come largest first (components: smallest number first), those of equal value by IRI.
    """

    columns = Measured._fields

    def __init__(self, network: Network, values: NDArray[Any], *, ascending: bool, notes: Sequence[str] = ()) -> None:
        self.notes = tuple(notes)
        self._network = network
        self._values = values
        self._order = np.argsort(values if ascending else -values, kind="stable")

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Measured: ...
    @overload
    def __getitem__(self, index: slice) -> list[Measured]: ...
    def __getitem__(self, index: int | slice) -> Measured | list[Measured]:
        if isinstance(index, slice):
            return list(self._rows(self._order[index]))
        return next(self._rows(self._order[[index]]))

    def __iter__(self) -> Iterator[Measured]:
        return self._rows(self._order)

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a DataFrame (extra ``pandas``)."""
        return data_frame(self.columns, self)

    def _rows(self, places: Places) -> Iterator[Measured]:
        columns = (self._network.nodes, self._network.labels, self._network.kinds)
        numbers = places.tolist()
        return map(Measured, *(map(column.__getitem__, numbers) for column in columns), self._values[places].tolist())


def measure(name: str, graph: Network | nx.Graph[Any]) -> Ranking:
    """Return the measure of every node.

    ``graph`` is a network or a networkx graph. An edge from a node to itself counts in no measure: that
    a paper reports its own method says nothing about its place among others. Raises ``Misuse`` for a
    name that is not in ``MEASURES``.

    >>> import networkx as nx
    >>> [(row.node, row.value) for row in measure("degree", nx.Graph([("a", "b"), ("b", "c")]))]
    [('b', 2), ('a', 1), ('c', 1)]
    """
    taken = named(MEASURES, "measure", name)
    network = graph if isinstance(graph, Network) else from_networkx(graph)
    values = taken(_without_loops(network)) if network.nodes else np.zeros(0)
    notes = [_OF_BEATS] if network.form.compared and name == "pagerank" else []
    return Ranking(network, values, ascending=name == "components", notes=notes)


def _without_loops(network: Network) -> Network:
    kept = network.sources != network.targets
    if kept.all():
        return network
    parts = {part: getattr(network, part)[kept] for part in ("sources", "targets", "weights", "relations")}
    if network.differences is not None:
        parts["differences"] = network.differences[kept]
    return replace(network, **parts)


def projection(network: Network, kind: str) -> Network:
    """Return the nodes of one kind, joined where they share neighbours; the weight is how many they share.

    That is the weighted projection of a bipartite graph (``networkx.bipartite.weighted_projected_graph``):
    of ``methods-benchmarks``, methods with the number of benchmarks that both have results on. Raises
    ``Misuse`` for a kind that the network has not, and where an edge does not join that kind to another.
    """
    from scipy.sparse import csr_array, triu

    ours = np.array([each == kind for each in network.kinds], dtype=np.bool_)
    if not ours.any():
        raise Misuse(f"there is no node of kind {kind!r}; there are {', '.join(sorted(set(network.kinds)))}")
    begins = ours[network.sources]
    if (begins == ours[network.targets]).any():
        raise Misuse(f"only edges between {kind!r} and other nodes can be projected; {network.name!r} has others")
    places = np.flatnonzero(ours)
    ends = (
        (np.cumsum(ours) - 1)[np.where(begins, network.sources, network.targets)],
        np.where(begins, network.targets, network.sources),
    )
    joined = csr_array((np.ones(len(begins), dtype=np.int32), ends), shape=(len(places), len(network.nodes)))
    joined.data[:] = 1
    shared = triu(joined @ joined.T, k=1).tocoo()
    return Network(
        name=f"{network.name}: {kind}",
        form=Form(directed=False, parallel=False, weighted=True),
        nodes=[network.nodes[place] for place in places.tolist()],
        labels=[network.labels[place] for place in places.tolist()],
        kinds=[kind] * len(places),
        sources=shared.row.astype(np.intp),
        targets=shared.col.astype(np.intp),
        weights=shared.data.astype(np.float64),
        relations=np.zeros(shared.nnz, dtype=np.intp),
        properties=("shared",),
    )
