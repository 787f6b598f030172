"""Ranks of methods over the view ``beats``: Copeland, Borda and Bradley-Terry, with intervals by bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from kg.analysis.contests import Contests, contests
from kg.analysis.networks import Network, Places
from kg.analysis.strengths import maximum_exists, strengths
from kg.analysis.tables import Table, many
from kg.errors import Misuse

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray

__all__ = ["RANKS", "Ranked", "borda", "bradley_terry", "copeland"]

Graph: TypeAlias = "Network | nx.Graph[Any]"
_Numbers: TypeAlias = "NDArray[np.float64]"

_DIGITS = 9  # fewer than the order of summing changes: equal methods come out equal
_AT_ONCE = 4_000_000  # numbers of a bootstrap held at a time
REPLICATES = 1000
FITTED_REPLICATES = 200  # each is an estimate of its own, which takes longer than a count
_FEW = 10  # groups
_SHARE = 95  # per cent of the replicates that lie within an interval


class Ranked(NamedTuple):
    """A method's place.

    ``rank`` is 1 + how many methods of its component have a greater ``value``; None for a method that is
    compared with no other. Ranks of two components say nothing about each other. ``low`` and ``high`` bound the
    value in 95 % of the samples; None without a bootstrap, and for a method of one group, of which samples tell
    nothing. ``wins``, ``ties`` and ``losses`` count comparisons in ``groups`` comparison groups with ``opponents``
    methods.
    """

    component: int
    rank: int | None
    value: float | None
    low: float | None
    high: float | None
    label: str
    node: str
    groups: int
    opponents: int
    wins: int
    ties: int
    losses: int


def copeland(graph: Graph, *, replicates: int = REPLICATES, seed: int = 1) -> Table[Ranked]:
    """Rank by how many methods a method beats in most groups they share, less those that beat it so.

    A pair that is even over its groups counts for neither. Source: A. H. Copeland, A reasonable social welfare
    function (1951); D. G. Saari and V. R. Merlin, The Copeland method, Economic Theory 8 (1996). Limits: a
    method that meets few others can neither gain nor lose much, so within one component values are alike only
    where ``opponents`` are; by how much a method is better does not count.

    ``graph`` is the view ``beats`` or a part of it. ``replicates`` is the number of bootstrap samples (0 for
    none), drawn with ``seed``: the same graph gives the same numbers. Raises ``Misuse`` for another view.
    """
    return _ranked(contests(graph), _copeland, replicates, seed)


def borda(graph: Graph, *, replicates: int = REPLICATES, seed: int = 1) -> Table[Ranked]:
    """Rank by the mean over groups of the share of methods that a method beats there, a tie counting half.

    Within one group with k methods that is the Borda count divided by k - 1: 1 for the best, 0 for the last.
    Source: J.-C. de Borda, Mémoire sur les élections au scrutin (1781); for groups of unequal size, the
    shares are averaged, each group counting once. Limits: a method that takes part only where the field is
    weak gains by it. Parameters, and what is raised, are those of ``copeland``.
    """
    return _ranked(contests(graph), _borda, replicates, seed)


def bradley_terry(
    graph: Graph, *, prior: float = 0.5, replicates: int = FITTED_REPLICATES, seed: int = 1
) -> Table[Ranked]:
    """Rank by strengths under which one method beats another with probability 1 / (1 + exp(-difference)).

    The value is the log-strength; its mean is 0 in each component. Sources: R. A. Bradley and M. E. Terry, Rank
    analysis of incomplete block designs I, Biometrika 39 (1952); D. R. Hunter, MM algorithms for generalized
    Bradley-Terry models, Annals of Statistics 32 (2004), for when the estimate exists. A tie is half a win for
    each. Each pair that meets anywhere is given ``prior`` wins either way besides, which keeps strengths finite
    where one part of the methods never loses to the rest; with ``prior=0`` the estimate is that of maximum
    likelihood, and ``Misuse`` is raised where there is none.

    Limits: comparisons of one group are counted as if they were independent, which they are not, so only the
    bootstrap over groups tells how sure a strength is. It takes a while for hundreds of methods: 200 samples are
    drawn where the others draw 1000. Other parameters are those of ``copeland``.
    """
    met = contests(graph)
    if prior < 0:
        raise Misuse(f"the prior must be 0 or more, not {prior}")
    exists = maximum_exists(met)
    if not exists and not prior:
        raise Misuse(
            "the maximum-likelihood estimate does not exist: some methods never lose to the others of their component; "
            "give a prior above 0"
        )
    if prior:
        notes = [f"Each pair that meets is given {prior:g} wins either way besides what the groups say."]
    else:
        notes = ["Maximum likelihood: a sample of the groups may have none, so there is no bootstrap."]
        replicates = 0
    if not exists:
        notes.append("Without that prior some strengths would have no bound: some methods never lose to the others.")
    values = partial(_bradley_terry, prior=prior, start=strengths(met, np.ones(len(met.groups)), prior))
    return _ranked(met, values, replicates, seed, notes)


RANKS: MappingProxyType[str, Callable[..., Table[Ranked]]] = MappingProxyType(
    {"borda": borda, "bradley-terry": bradley_terry, "copeland": copeland}
)
"""The ranks by name; each takes the view ``beats``."""


def _copeland(met: Contests, counts: _Numbers) -> _Numbers:
    """Return the value of each method (row) for each way (column) of counting the groups."""
    from scipy.sparse import csr_array

    sign = np.sign((met.ahead - met.behind) @ counts)
    pairs, ones = np.arange(len(met.first)), np.ones(len(met.first))
    shape = (len(met.nodes), len(met.first))
    gains = csr_array((ones, (met.first, pairs)), shape=shape) - csr_array((ones, (met.second, pairs)), shape=shape)
    found: _Numbers = gains @ sign
    return found


def _borda(met: Contests, counts: _Numbers) -> _Numbers:
    taken = met.member @ counts
    found: _Numbers = np.divide(met.points @ counts, taken, out=np.zeros_like(taken), where=taken > 0)
    return found


def _bradley_terry(met: Contests, counts: _Numbers, *, prior: float, start: _Numbers) -> _Numbers:
    return np.stack([strengths(met, column, prior, start) for column in counts.T], axis=1)


def _ranked(
    met: Contests,
    values: Callable[[Contests, _Numbers], _Numbers],
    replicates: int,
    seed: int,
    notes: Sequence[str] = (),
) -> Table[Ranked]:
    if replicates < 0:
        raise Misuse(f"the number of replicates must be 0 or more, not {replicates}")
    counted = len(met.groups)
    value = np.round(values(met, np.ones((counted, 1)))[:, 0], _DIGITS) if met.nodes else np.zeros(0)
    low, high = _intervals(met, values, replicates, seed) if replicates and counted > 1 else (None, None)
    said = [_over(met), *notes]
    if low is None:
        said.append("There are no intervals: they need two comparison groups and a bootstrap.")
    else:
        drawn = f"{replicates} samples of the {counted} groups, drawn with seed {seed}"
        rough = " They are rough: the groups are few." if counted < _FEW else ""
        said.append(f"Intervals hold {_SHARE} % of {drawn}; a method of one group has none.{rough}")
    rows = _rows(met, value, low, high)
    return Table(Ranked, sorted(rows, key=lambda row: (row.component, row.rank or 0, row.node)), said)


def _rows(met: Contests, value: _Numbers, low: _Numbers | None, high: _Numbers | None) -> list[Ranked]:
    wins, ties, losses, opponents = _counted(met)
    groups = np.asarray(met.member.sum(axis=1)).astype(np.intp)
    ranks = _within(met.component, value)

    def bound(numbers: _Numbers | None, place: int) -> float | None:
        return None if numbers is None or groups[place] < 2 or np.isnan(numbers[place]) else float(numbers[place])

    return [
        Ranked(
            component=int(met.component[place]),
            rank=int(ranks[place]) if opponents[place] else None,
            value=float(value[place]) + 0.0 if opponents[place] else None,
            low=bound(low, place),
            high=bound(high, place),
            label=label,
            node=node,
            groups=int(groups[place]),
            opponents=int(opponents[place]),
            wins=int(wins[place]),
            ties=int(ties[place]),
            losses=int(losses[place]),
        )
        for place, (node, label) in enumerate(zip(met.nodes, met.labels, strict=True))
    ]


def _counted(met: Contests) -> tuple[Places, Places, Places, Places]:
    """Return the wins, ties, losses and opponents of each method."""
    size = len(met.nodes)
    ahead, behind, level = (np.asarray(part.sum(axis=1)).astype(np.intp) for part in (met.ahead, met.behind, met.level))
    totals = tuple(np.zeros(size, dtype=np.intp) for _ in range(4))
    for ends, won, lost in ((met.first, ahead, behind), (met.second, behind, ahead)):
        for total, part in zip(totals, (won, level, lost, np.ones_like(level)), strict=True):
            np.add.at(total, ends, part)
    wins, ties, losses, opponents = totals
    return wins, ties, losses, opponents


def _within(component: Places, value: _Numbers) -> Places:
    """Return the rank of each value in its component: 1 + how many are greater."""
    ranks = np.empty(len(value), dtype=np.intp)
    for number in np.unique(component):
        inside = np.flatnonzero(component == number)
        ranks[inside] = 1 + len(inside) - np.searchsorted(np.sort(value[inside]), value[inside], side="right")
    return ranks


def _intervals(
    met: Contests, values: Callable[[Contests, _Numbers], _Numbers], replicates: int, seed: int
) -> tuple[_Numbers, _Numbers]:
    """Return the bounds of each method's value by the percentile bootstrap (B. Efron, 1979), groups being drawn.

    A sample without any group of a method says nothing of it.
    """
    counted = len(met.groups)
    draws = np.random.default_rng(seed).multinomial(counted, np.full(counted, 1 / counted), size=replicates)
    found = np.empty((len(met.nodes), replicates))
    step = max(2, _AT_ONCE // max(len(met.first), 1))
    bounds = [*range(0, max(replicates - 1, 1), step), replicates]
    for begin, end in pairwise(bounds):
        counts = draws[begin:end].T.astype(np.float64)
        found[:, begin:end] = np.where(met.member @ counts > 0, values(met, counts), np.nan)
    outside = (100 - _SHARE) / 2
    known = ~np.isnan(found).all(axis=1)
    low, high = np.full(len(found), np.nan), np.full(len(found), np.nan)
    if known.any():
        low[known], high[known] = np.nanpercentile(found[known], [outside, 100 - outside], axis=1)
    return np.round(low, _DIGITS) + 0.0, np.round(high, _DIGITS) + 0.0


def _over(met: Contests) -> str:
    """Return in words over what a rank is, and what is not connected."""
    metrics = len({(group.benchmark, group.metric) for group in met.groups})
    text = (
        f"Over {many(len(met.groups), 'comparison group')} of {many(metrics, 'metric')}, "
        f"{many(len(met.nodes), 'method')}."
    )
    numbers, sizes = np.unique(met.component, return_counts=True)
    alone = int((sizes == 1).sum())
    if (parts := len(numbers) - alone) > 1:
        text += f" {parts} components share no comparison: ranks are within each."
    if alone:
        text += f" {many(alone, 'method')} without a rank: compared with no other."
    return text
