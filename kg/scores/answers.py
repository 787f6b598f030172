"""Whole-graph questions answered from the scores table, as the queries of the same names answer them from the graph."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from kg.terms import lexical
from kg.vocabulary import BK

__all__ = ["best", "comparable_counts"]

_NAMES = ("benchmarkLabel", "benchmark", "metricLabel", "metric")
_BEST = (
    *("benchmark", "benchmarkLabel", "metric", "metricLabel", "configuration", "group", "ranked"),
    *("value", "valueExact", "unitText", "directionText", "method", "methodLabel", "result", "claim", "reportedIn"),
)


def best(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the best scores of every benchmark, metric and configuration: the answer of ``best-of-every-benchmark``.

    A row a best score, several where they share the best value; ``ranked`` is the number of scores of
    the group that are ranked, ``valueExact`` the value. The best of what is recorded, and of no more.
    """
    sign = pl.when(pl.col("direction") == lexical(BK.LowerIsBetter)).then(-1.0).otherwise(1.0)
    merit = pl.col("value") * sign
    found = scores.filter("ranked").with_columns(pl.len().over("group").alias("ranked"))
    found = found.filter(merit == merit.max().over("group"))
    found = _exactly(found, sign)
    return found.select(*_BEST).sort(*_NAMES, "configuration", "group", "methodLabel", "method", "result")


def _exactly(found: pl.DataFrame, sign: pl.Expr) -> pl.DataFrame:
    """Leave out of rows with the best double those whose value is not the best to the last digit."""
    doubtful = found.filter(pl.col("valueExact").n_unique().over("group") > 1).with_columns(sign.alias("sign"))
    best_of: dict[str, Decimal] = {}
    merits = [Decimal(row["valueExact"]) * int(row["sign"]) for row in doubtful.iter_rows(named=True)]
    for group, merit in zip(doubtful["group"], merits, strict=True):
        best_of[group] = max(merit, best_of.get(group, merit))
    pairs = zip(doubtful["group"], merits, doubtful["score"], strict=True)
    worse = [score for group, merit, score in pairs if merit < best_of[group]]
    return found.filter(~pl.col("score").is_in(worse))


def comparable_counts(scores: pl.DataFrame) -> pl.DataFrame:
    """Return how many pairs of scores can be compared like for like: the answer of ``pairs-of-every-group``.

    A row a comparison group with at least two scores that may be ranked: their number, ``methods``
    and ``pairs``, k * (k - 1) / 2.
    """
    count = pl.len().cast(pl.Int64)
    found = (
        scores.filter("ranked")
        .group_by("group")
        .agg(
            pl.col(*_NAMES, "configuration").first(),  # those of a group are one
            count.alias("ranked"),
            pl.col("method").n_unique().cast(pl.Int64).alias("methods"),
            (count * (count - 1) // 2).alias("pairs"),
        )
        .filter(pl.col("ranked") > 1)
    )
    return found.select(*_NAMES, "configuration", "group", "ranked", "methods", "pairs").sort(
        *_NAMES, "configuration", "group"
    )
