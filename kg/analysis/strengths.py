"""Strengths of methods that explain who beats whom: the Bradley-Terry model, fitted by Newton's method."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kg.analysis.contests import Contests

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["maximum_exists", "strengths"]

_Numbers: TypeAlias = "NDArray[np.float64]"

_STEPS = 100
_TOLERANCE = 1e-11  # of the gradient, relative to the number of comparisons of a method
_OF_SAMPLES = 1e-6  # samples are far more apart than that
_DENSE = 150  # methods; above it, iterations are cheaper than elimination


def maximum_exists(met: Contests) -> bool:
    """Tell whether the likelihood has a greatest value within each component.

    It has one where each method can be reached from each other by going from winners to losers, a tie being
    a way in both directions (L. R. Ford, American Mathematical Monthly 64 (1957); Hunter (2004), assumption 1).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    size = len(met.nodes)
    if not size:
        return True
    forward = np.asarray((met.ahead + met.level).sum(axis=1)) > 0
    back = np.asarray((met.behind + met.level).sum(axis=1)) > 0
    sources = np.concatenate((met.first[forward], met.second[back]))
    targets = np.concatenate((met.second[forward], met.first[back]))
    wins = csr_array((np.ones(len(sources)), (sources, targets)), shape=(size, size))
    strong = connected_components(wins, directed=True, connection="strong")[0]
    return bool(strong == len(np.unique(met.component)))


def strengths(met: Contests, counts: _Numbers, prior: float, start: _Numbers | None = None) -> _Numbers:
    """Return the log-strength of each method, of mean 0 in each component, where group g counts ``counts[g]`` times.

    ``start`` are the strengths of the whole, from which those of a sample are found more quickly and less exactly.
    The log-likelihood is concave, and Newton's steps, halved while they do not raise it, find where it is
    greatest. Raises ``ArithmeticError`` where it does not settle.
    """
    won = (met.ahead + 0.5 * met.level) @ counts + prior
    lost = (met.behind + 0.5 * met.level) @ counts + prior
    theta, tolerance = (np.zeros(len(met.nodes)), _TOLERANCE) if start is None else (start.copy(), _OF_SAMPLES)

    def likelihood(values: _Numbers) -> float:
        lead = values[met.first] - values[met.second]
        return float(-(won @ np.logaddexp(0, -lead) + lost @ np.logaddexp(0, lead)))

    games = won + lost
    reach = max(float(_summed(met, games, games).max(initial=0)), 1.0)
    now = likelihood(theta)
    for _ in range(_STEPS):
        lead = theta[met.first] - theta[met.second]
        chance = 1 / (1 + np.exp(-lead))
        gradient = _summed(met, won - games * chance, games * chance - won)
        if np.abs(gradient).max(initial=0) <= tolerance * reach:
            return _centred(met, theta)
        step = _solved(met, games * chance * (1 - chance), gradient)
        length = 1.0
        while length > 1e-6 and (after := likelihood(theta + length * step)) < now - 1e-12 * abs(now):
            length /= 2
        theta = theta + length * step
        now = after
    raise ArithmeticError(f"strengths do not settle within {_STEPS} steps")


def _summed(met: Contests, to_first: _Numbers, to_second: _Numbers) -> _Numbers:
    size = len(met.nodes)
    sums = np.bincount(met.first, to_first, size) + np.bincount(met.second, to_second, size)
    return np.asarray(sums, dtype=np.float64)


def _centred(met: Contests, theta: _Numbers) -> _Numbers:
    means = np.bincount(met.component, theta) / np.maximum(np.bincount(met.component), 1)
    return theta - means[met.component]


def _solved(met: Contests, weights: _Numbers, gradient: _Numbers) -> _Numbers:
    """Return the Newton step: the curvature is the Laplacian of the pairs, which leaves each component's mean free."""
    from scipy.linalg import solve
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import cg

    size = len(met.nodes)
    ends = np.concatenate((met.first, met.second)), np.concatenate((met.second, met.first))
    diagonal = _summed(met, weights, weights)
    if size <= _DENSE:
        matrix = (met.component[:, None] == met.component[None, :]).astype(np.float64)
        matrix[ends] -= np.concatenate((weights, weights))  # no pair comes twice
        matrix[np.arange(size), np.arange(size)] += diagonal
        return np.asarray(solve(matrix, gradient, assume_a="pos", overwrite_a=True, check_finite=False))
    places = np.arange(size)
    scale = 1 / np.sqrt(np.maximum(diagonal, 1e-300))
    matrix = csr_array(
        (
            np.concatenate((-weights * scale[met.first] * scale[met.second],) * 2 + (np.ones(size),)),
            (np.concatenate((ends[0], places)), np.concatenate((ends[1], places))),
        ),
        shape=(size, size),
    )
    step, _ = cg(matrix, gradient * scale, rtol=1e-10, maxiter=10 * size)
    return np.asarray(step * scale, dtype=np.float64)
