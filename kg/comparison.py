"""Answers that compare: leaderboards and pairs of methods, as records made from the rows of the catalogue.

Ranks and differences are those of the queries; nothing is ranked or subtracted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from kg.vocabulary import BK

__all__ = [
    "CLAIMS",
    "Comparison",
    "Leaderboard",
    "Like",
    "Pool",
    "Reversal",
    "Setting",
    "Standing",
    "Table",
    "Unlike",
    "leaderboard",
    "like_rows",
    "unlike_rows",
]

CLAIMS = {
    BK.OwnMethod[1:-1]: "own method",
    BK.OthersMethod[1:-1]: "another's method",
    BK.ClaimUnknown[1:-1]: "not known",
}
"""What the claim of a result says in words: whose method its reporting paper reports, as recorded."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One score on a leaderboard; ``rank`` is None where it cannot be ranked, and ``unranked`` says why.

    ``value`` is in the metric's unit; ``value_text`` is as printed. ``result``, ``method``, ``claim`` (see
    ``CLAIMS``), ``reported_in`` and ``origin_paper`` are IRIs; ``identifier`` is the source's id of the result.
    ``ignored`` is the part of its configuration that a pooled leaderboard ignores (canonical JSON), else None.
    """

    rank: int | None
    method: str
    method_label: str
    value: Decimal | None
    value_text: str
    spread: Decimal | None
    claim: str | None
    reported_in: str | None
    origin_paper: str | None
    result_date: object
    result: str
    identifier: str
    unranked: str | None
    ignored: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The scores of one configuration (canonical JSON, or as printed; None where none is recorded), best first.

    On a pooled leaderboard the configuration is what the scores still have in common; ``group`` is then the key of
    no comparison group, and None.
    """

    configuration: str | None
    group: str | None
    standings: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Reversal:
    """Two methods of a pooled table whose order is the other way round where they may be compared.

    ``value`` and ``result`` are those of the best recorded score of the one that pooling puts first, ``other_value``
    and ``other_result`` of the other. ``like_value`` and ``like_other_value`` are the best of the two under
    ``configuration``, where the other one is better.
    """

    method: str
    method_label: str
    other: str
    other_label: str
    value: Decimal
    other_value: Decimal
    result: str
    other_result: str
    configuration: str
    group: str
    like_value: Decimal
    like_other_value: Decimal


@dataclass(frozen=True, slots=True)
class Pool:
    """What a pooled leaderboard ignores, and what comes of it: no pooled order is one of like with like.

    ``keys`` are JSON pointers into the configurations. Of the ``pairs`` of methods that some table ranks, ``unlike``
    may be compared under no configuration: pooling alone decides their order.
    """

    keys: tuple[str, ...]
    pairs: int
    unlike: int
    reversals: tuple[Reversal, ...]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """One metric of one benchmark: a table a configuration, how complete it is, and what casts doubt on it.

    ``loaded`` of ``total`` results, as the pages count them; both None where they do not. ``pooled`` is None where
    like is ranked with like alone.
    """

    benchmark: str
    benchmark_label: str
    metric: str
    metric_label: str
    unit_text: str
    direction_text: str
    tables: tuple[Table, ...]
    scores: int
    loaded: int | None
    total: int | None
    pages_read: int
    page_count: int | None
    caveats: tuple[str, ...] = ()
    pooled: Pool | None = None

    @property
    def nodes(self) -> set[str]:
        """The IRIs that it is about: the benchmark, the metric, and the results and methods that it ranks or lists."""
        standings = [each for table in self.tables for each in table.standings]
        return {self.benchmark, self.metric, *(node for each in standings for node in (each.result, each.method))}

    @property
    def coverage(self) -> str:
        """How complete the leaderboard is, in a sentence that claims no more than is recorded."""
        if not self.pages_read:
            return "no page of this metric was read, so none of its results is known here"
        if not self.total and not self.loaded and self.scores:
            known = f"{self.scores} recorded results; how many there are is not stated"
        elif self.scores == self.loaded:
            known = f"{self.loaded} of {self.total} recorded results"
        else:
            known = f"{self.scores} results read, where the pages show {self.loaded} of {self.total} recorded results"
        pages = (
            f"; {self.pages_read} of {self.page_count} pages read" if (self.page_count or 1) > self.pages_read else ""
        )
        return f"{known}{pages}; not a claim about the world"


def _standing(row: Any) -> Standing:  # noqa: ANN401 - a row of the catalogue
    return Standing(
        rank=row.rank,
        method=row.method,
        method_label=row.methodLabel or "",
        value=row.value,
        value_text=row.valueText or "",
        spread=row.spread,
        claim=row.claim,
        reported_in=row.reportedIn,
        origin_paper=row.originPaper,
        result_date=row.resultDate,
        result=row.result,
        identifier=row.identifier or "",
        unranked=row.unranked,
    )


def leaderboard(
    coverage: Any,  # noqa: ANN401 - a row of the catalogue
    rows: Sequence[Any],
    unit: str,
    direction: str,
) -> Leaderboard:
    """Return a leaderboard from its row of ``provenance/coverage`` and the rows of ``comparison/leaderboard``.

    ``unit`` and ``direction`` are those of the metric as printed.
    """
    tables = tuple(
        Table(configuration, group, tuple(map(_standing, members)))
        for (configuration, group), members in groupby(rows, key=lambda row: (row.configuration, row.group))
    )
    return Leaderboard(
        benchmark=coverage.benchmark,
        benchmark_label=coverage.benchmarkLabel or "",
        metric=coverage.metric,
        metric_label=coverage.metricLabel or "",
        unit_text=unit,
        direction_text=direction,
        tables=tables,
        scores=coverage.scores,
        loaded=coverage.loaded,
        total=coverage.total,
        pages_read=coverage.pagesRead,
        page_count=coverage.pageCount,
    )


@dataclass(frozen=True, slots=True)
class Like:
    """Two scores that may be compared: same benchmark, metric, unit, direction and configuration.

    ``difference`` is in the metric's unit, above zero where the first is better. ``beyond_spreads`` tells whether it
    exceeds the sum of the two spreads; None where one of them is not recorded.
    """

    benchmark: str
    benchmark_label: str
    metric: str
    metric_label: str
    group: str
    configuration: str
    value: Decimal
    other_value: Decimal
    difference: Decimal
    unit_text: str
    direction_text: str
    spread: Decimal | None
    other_spread: Decimal | None
    result: str
    other_result: str
    claim: str | None
    other_claim: str | None
    beyond_spreads: bool | None

    @property
    def certainty(self) -> str:
        """Whether the difference exceeds what is printed after the plus-minus signs, and how that was decided.

        A page does not say what a spread is (a standard deviation, an error, a range), so this is no test of
        significance: the difference is held against the sum of both spreads.
        """
        if self.spread is None or self.other_spread is None:
            lacking = [
                name for name, spread in (("first", self.spread), ("second", self.other_spread)) if spread is None
            ]
            which = "either value" if len(lacking) > 1 else f"the {lacking[0]} value"
            return (
                f"no spread is recorded for {which}, so it cannot be known whether the difference exceeds the spreads"
            )
        total = (
            f"the sum of both spreads, {self.spread:f} + {self.other_spread:f} = {self.spread + self.other_spread:f}"
        )
        return f"the difference {'exceeds' if self.beyond_spreads else 'does not exceed'} {total}"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting (a JSON pointer) in which two scores differ: the first's value and the second's, None without one."""

    key: str
    setting: object
    other_setting: object


@dataclass(frozen=True, slots=True)
class Unlike:
    """Two scores that may not be compared (or one that has no counterpart), and why.

    ``reason`` is one of those of ``comparison/why-not-comparable``. ``differs`` are the settings
    concerned. ``side`` is "first" or "second" where one of
    the two lacks something, else empty.
    """

    benchmark: str | None
    benchmark_label: str | None
    metric: str | None
    metric_label: str | None
    reason: str
    side: str
    differs: tuple[Setting, ...]
    value_text: str | None
    other_value_text: str | None
    result: str | None
    other_result: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two methods, pair of scores by pair of scores; ``caveats`` are the findings that touch them."""

    method: str
    method_label: str
    other: str
    other_label: str
    like: tuple[Like, ...]
    unlike: tuple[Unlike, ...]
    caveats: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Return "comparable", "not comparable" or "unknown", by the best that any pair of scores gives."""
        if self.like:
            return "comparable"
        unknown = {
            "unknown setting",
            "no configuration recorded",
            "unreadable configuration",
            "unknown direction or unit",
        }
        return "unknown" if any(pair.reason in unknown for pair in self.unlike) else "not comparable"


def like_rows(rows: Iterable[Any]) -> tuple[Like, ...]:
    """Return the rows of ``comparison/comparable-pairs`` as records."""
    return tuple(
        Like(
            benchmark=row.benchmark,
            benchmark_label=row.benchmarkLabel,
            metric=row.metric,
            metric_label=row.metricLabel,
            group=row.group,
            configuration=row.configuration,
            value=row.value,
            other_value=row.otherValue,
            difference=row.difference,
            unit_text=row.unitText,
            direction_text=row.directionText,
            spread=row.spread,
            other_spread=row.otherSpread,
            result=row.result,
            other_result=row.otherResult,
            claim=row.claim,
            other_claim=row.otherClaim,
            beyond_spreads=row.beyondSpreads,
        )
        for row in rows
    )


def unlike_rows(rows: Iterable[Any]) -> tuple[Unlike, ...]:
    """Return the rows of ``comparison/why-not-comparable`` as records, the settings of one pair together."""

    def pair(row: Any) -> tuple[object, ...]:  # noqa: ANN401
        return row.benchmark, row.metric, row.result or "", row.otherResult or "", row.reason, row.side or ""

    return tuple(_unlike(list(members)) for _, members in groupby(sorted(rows, key=pair), key=pair))


def _unlike(rows: Sequence[Any]) -> Unlike:
    row = rows[0]
    return Unlike(
        benchmark=row.benchmark,
        benchmark_label=row.benchmarkLabel,
        metric=row.metric,
        metric_label=row.metricLabel,
        reason=row.reason,
        side=row.side or "",
        differs=tuple(Setting(each.key, each.setting, each.otherSetting) for each in rows if each.key is not None),
        value_text=row.valueText,
        other_value_text=row.otherValueText,
        result=row.result,
        other_result=row.otherResult,
    )
