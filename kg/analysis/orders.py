"""Where the orders of comparison groups do not fit together: intransitive cycles, and ranks that change."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kg.analysis.contests import Contests, contests
from kg.analysis.networks import Group, Network
from kg.analysis.tables import Table, many
from kg.errors import Misuse

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Cycle", "Layers", "Stability", "cycles", "layers", "majority", "stability"]

_MOST = 1000


class Cycle(NamedTuple):
    """Methods each of which beats the next in most groups that the two share, and the last the first.

    ``nodes`` are their IRIs and ``methods`` their names, from the least IRI on; ``margin`` is the least
    majority along the cycle, in groups; ``groups`` counts the comparison groups that any of its steps stands on.
    """

    length: int
    methods: str
    margin: int
    groups: int
    nodes: str


def majority(met: Contests) -> tuple[Any, Any, Any, Any]:
    """Return pairs, winners, losers and margins: of each pair that is not even, who is ahead in most of its groups."""
    lead = np.asarray((met.ahead - met.behind).sum(axis=1)).astype(np.intp)
    pairs = np.flatnonzero(lead)
    forward = lead[pairs] > 0
    first, second = met.first[pairs], met.second[pairs]
    return pairs, np.where(forward, first, second), np.where(forward, second, first), np.abs(lead[pairs])


def cycles(graph: Network | nx.Graph[Any], *, longest: int = 3) -> Table[Cycle]:
    """Find intransitive cycles: A beats B, B beats C and C beats A, each in most groups that the two share.

    Sources: the Marquis de Condorcet's paradox (1785); D. B. Johnson, Finding all the elementary circuits of a
    directed graph, SIAM Journal on Computing 4 (1975), as ``networkx.simple_cycles`` has it. Limits: one group
    orders its methods, so cycles come from putting groups together; those longer than ``longest`` are not
    listed, but methods that lie on any cycle are counted in the notes; at most 1000 are listed. Raises
    ``Misuse`` for another view than ``beats``.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if longest < 3:
        raise Misuse(f"a cycle has at least 3 methods, not {longest}")
    met = contests(graph)
    pairs, winners, losers, margins = majority(met)
    size = len(met.nodes)
    found: list[Cycle] = []
    within = 0
    if size:
        wins = csr_array((np.ones(len(winners)), (winners, losers)), shape=(size, size))
        part = connected_components(wins, directed=True, connection="strong")[1]
        within = int((np.bincount(part)[part] > 1).sum())
        inside = part[winners] == part[losers]
        steps = {
            (winner, loser): (pair, margin)
            for winner, loser, pair, margin in zip(
                *(each[inside].tolist() for each in (winners, losers, pairs, margins)), strict=True
            )
        }
        found = _listed(met, steps, longest)
    over = f"Over {many(len(met.groups), 'comparison group')} and {many(size, 'method')}"
    said = [f"{over}: {many(within, 'method')} on some cycle."]
    if len(found) > _MOST:
        said.append(f"Only the first {_MOST} cycles are listed; narrow the groups to see the others.")
    elif within and not found:
        said.append(f"No cycle has {longest} methods or fewer; look for longer ones.")
    found = found[:_MOST]
    return Table(Cycle, sorted(found, key=lambda it: (it.length, -it.margin, it.nodes)), said)


def _listed(met: Contests, steps: dict[tuple[int, int], tuple[int, int]], longest: int) -> list[Cycle]:
    if not steps:
        return []
    import networkx as nx

    found = []
    for nodes in nx.simple_cycles(nx.DiGraph(sorted(steps)), length_bound=longest):
        start = nodes.index(min(nodes))
        turned = nodes[start:] + nodes[:start]
        walked = list(zip(turned, [*turned[1:], turned[0]], strict=True))
        rows = [steps[step][0] for step in walked]
        stood = np.unique((met.ahead + met.behind)[rows].tocoo().col)
        found.append(
            Cycle(
                length=len(turned),
                methods=" > ".join(met.labels[node] for node in [*turned, turned[0]]),
                margin=min(steps[step][1] for step in walked),
                groups=len(stood),
                nodes=" ".join(met.nodes[node] for node in turned),
            )
        )
        if len(found) > _MOST:
            break
    return found


class Stability(NamedTuple):
    """How alike two configurations order the methods that both have scores of.

    ``tau`` is Kendall's tau-b, 1 for the same order and -1 for the reverse; None where fewer than two methods
    are in both groups, or one group has all of them equal. ``swapped`` of ``pairs`` pairs stand the other way round.
    """

    tau: float | None
    methods: int
    pairs: int
    swapped: int
    benchmark_label: str
    metric_label: str
    configuration: str
    other_configuration: str
    benchmark: str
    metric: str
    group: str
    other_group: str


def stability(graph: Network | nx.Graph[Any]) -> Table[Stability]:
    """Return Kendall's tau-b for each two configurations under which a metric of a benchmark was measured.

    Source: M. G. Kendall, The treatment of ties in ranking problems, Biometrika 33 (1945);
    ``scipy.stats.kendalltau``. Limits: only methods with scores under both count, and of few methods tau takes
    few values, so ``methods`` is given; nothing is pooled, and no test of significance is made. Raises
    ``Misuse`` for another view than ``beats``.
    """
    met = contests(graph)
    series: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, group in enumerate(met.groups):
        series[group.benchmark, group.metric].append(number)
    points, member = met.points.tocsc(), met.member.tocsc()
    rows = []
    for numbers in series.values():
        those = {number: _of(points, member, number) for number in numbers}
        in_order = sorted(numbers, key=lambda it: (met.groups[it].configuration, met.groups[it].group))
        rows += [_stability(met, one, other, those) for one, other in combinations(in_order, 2)]
    several = sum(len(numbers) > 1 for numbers in series.values())
    known = f"{several} of {many(len(series), 'metric')} compared under more than one configuration"
    said = [f"{many(len(rows), 'pair')} of comparison groups: {known}."]
    order = sorted(
        rows,
        key=lambda it: (it.benchmark_label, it.benchmark, it.metric_label, it.metric, it.group, it.other_group),
    )
    return Table(Stability, order, said)


def _of(points: Any, member: Any, number: int) -> dict[int, float]:  # noqa: ANN401 - scipy has no types
    """Return the share of the others that each method of a group beats, which orders them as the group does."""
    nodes = member.indices[member.indptr[number] : member.indptr[number + 1]].tolist()
    begin, end = points.indptr[number], points.indptr[number + 1]
    return dict.fromkeys(nodes, 0.0) | dict(
        zip(points.indices[begin:end].tolist(), points.data[begin:end].tolist(), strict=True)
    )


def _stability(met: Contests, one: int, other: int, those: dict[int, dict[int, float]]) -> Stability:
    from scipy.stats import kendalltau

    both = sorted(those[one].keys() & those[other].keys())
    left, right = (np.array([those[number][node] for node in both]) for number in (one, other))
    apart = len(both) > 1 and len(set(left)) > 1 and len(set(right)) > 1
    signs = np.sign(left[:, None] - left[None, :]) * np.sign(right[:, None] - right[None, :])
    first, second = met.groups[one], met.groups[other]
    return Stability(
        tau=round(float(kendalltau(left, right, variant="b").statistic), 9) if apart else None,
        methods=len(both),
        pairs=len(both) * (len(both) - 1) // 2,
        swapped=int((signs < 0).sum()) // 2,
        benchmark_label=first.benchmark_label,
        metric_label=first.metric_label,
        configuration=first.configuration,
        other_configuration=second.configuration,
        benchmark=first.benchmark,
        metric=first.metric,
        group=first.group,
        other_group=second.group,
    )


class Layers(NamedTuple):
    """The methods of ``beats`` in layers, for a drawing: each part is beaten, if at all, from layers above its own.

    A part is a method, or the methods that cycles join: places in ``labels``. ``layers`` hold places in ``parts``,
    the best first. ``edges`` are those that no way through other parts makes needless: above, below, and
    whether each better method is better in every group that it shares with the worse.
    """

    labels: tuple[str, ...]
    groups: tuple[Group, ...]
    parts: tuple[tuple[int, ...], ...]
    layers: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int, bool], ...]


def layers(graph: Network | nx.Graph[Any]) -> Layers:
    """Put the methods in layers by who beats whom in most groups that the two share.

    A strong component is one part, and stands as deep as the longest chain of winners above it
    (``networkx.topological_generations``); edges are those of the transitive reduction (A. V. Aho, M. R. Garey and
    J. D. Ullman, SIAM Journal on Computing 1 (1972)). Raises ``Misuse`` for another view than ``beats``.
    """
    import networkx as nx

    met = contests(graph)
    pairs, winners, losers, margins = majority(met)
    shared = np.asarray((met.ahead + met.behind + met.level).sum(axis=1))[pairs]
    won: nx.DiGraph[int] = nx.DiGraph()
    won.add_nodes_from(range(len(met.nodes)))
    steps = list(zip(winners.tolist(), losers.tolist(), strict=True))
    won.add_edges_from(sorted(steps))
    components = sorted(tuple(sorted(nodes)) for nodes in nx.strongly_connected_components(won))
    place = {node: number for number, nodes in enumerate(components) for node in nodes}
    always: dict[tuple[int, int], bool] = {}
    for (above, below), sure in zip(steps, (margins == shared).tolist(), strict=True):
        step = place[above], place[below]
        always[step] = always.get(step, True) and sure
    whole: nx.DiGraph[int] = nx.DiGraph()
    whole.add_nodes_from(range(len(components)))
    whole.add_edges_from(sorted((above, below) for above, below in always if above != below))
    return Layers(
        labels=tuple(met.labels),
        groups=tuple(met.groups),
        parts=tuple(components),
        layers=tuple(tuple(sorted(parts)) for parts in nx.topological_generations(whole)),
        edges=tuple((*step, always[step]) for step in sorted(nx.transitive_reduction(whole).edges)),
    )
