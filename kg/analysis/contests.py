"""The view ``beats`` as what ranks are counted from: pairs of methods, and who is ahead in which comparison group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kg.analysis.graphs import from_networkx
from kg.analysis.networks import Group, Network, Places
from kg.errors import Misuse

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Contests", "contests", "numbered"]


@dataclass(frozen=True, slots=True, eq=False)
class Contests:
    """Who meets whom in which comparison group, and how it ends.

    ``first[p]`` and ``second[p]`` are the places in ``nodes`` of the methods of pair number p. ``ahead``,
    ``behind`` and ``level`` are sparse matrices with a row a pair and a column a group: 1 where the first of
    the pair is better, worse, or as good. ``points`` has a row a method and a column a group: its share of
    those it meets there that it beats, a tie counting half; ``member`` is 1 where it meets any.
    ``component`` numbers the parts that no comparison joins, from 1, the largest first.
    """

    nodes: Sequence[str]
    labels: Sequence[str]
    groups: Sequence[Group]
    first: Places
    second: Places
    ahead: Any
    behind: Any
    level: Any
    points: Any
    member: Any
    component: Places


def contests(graph: Network | nx.Graph[Any]) -> Contests:
    """Return what the view ``beats``, or a part of it, says of each pair; raises ``Misuse`` for another view."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    network = graph if isinstance(graph, Network) else from_networkx(graph)
    if network.differences is None:
        raise Misuse(f"only the view 'beats' tells which method beats which; {network.name or 'this'!r} does not")
    apart = network.sources != network.targets
    sources, targets, groups = (part[apart] for part in (network.sources, network.targets, network.relations))
    tied = network.differences[apart] == 0
    size, columns = len(network.nodes), len(network.groups)
    lower, upper = np.minimum(sources, targets), np.maximum(sources, targets)
    keys, pair = np.unique(lower * size + upper, return_inverse=True)

    def counted(rows: Places, chosen: Any, height: int) -> Any:  # noqa: ANN401 - scipy has no types
        ones = np.ones(int(chosen.sum()))
        return csr_array((ones, (rows[chosen], groups[chosen])), shape=(height, columns))

    every = np.ones(len(sources), dtype=np.bool_)
    met = counted(sources, every, size) + counted(targets, every, size)
    won = counted(sources, ~tied, size) + 0.5 * (counted(sources, tied, size) + counted(targets, tied, size))
    member = met.copy()
    member.data = np.ones_like(member.data)
    shares = met.copy()
    shares.data = 1 / shares.data
    joined = csr_array((np.ones(len(keys)), (keys // max(size, 1), keys % max(size, 1))), shape=(size, size))
    component = connected_components(joined, directed=False)[1] if size else np.zeros(0, dtype=np.intp)
    return Contests(
        nodes=network.nodes,
        labels=network.labels,
        groups=network.groups,
        first=keys // max(size, 1),
        second=keys % max(size, 1),
        ahead=counted(pair, ~tied & (sources == lower), len(keys)),
        behind=counted(pair, ~tied & (sources == upper), len(keys)),
        level=counted(pair, tied, len(keys)),
        points=won * shares,
        member=member,
        component=numbered(component),
    )


def numbered(component: Places) -> Places:
    """Number components from 1: the largest first, of equal ones that with the first node."""
    _, first, place, size = np.unique(component, return_index=True, return_inverse=True, return_counts=True)
    numbers = np.empty(len(first), dtype=np.intp)
    numbers[np.lexsort((first, -size))] = np.arange(1, len(first) + 1)
    return numbers[place]
