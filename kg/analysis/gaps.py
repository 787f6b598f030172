"""What the comparison groups leave open: comparisons that are missing, and benchmarks with little room left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import combinations
from typing import Any, NamedTuple

from kg.analysis.tables import Table, many
from kg.errors import Misuse
from kg.terms import lexical
from kg.vocabulary import BK, UNIT

__all__ = ["Missing", "Saturation", "missing", "saturation"]


class Missing(NamedTuple):
    """Two methods that a benchmark has results of, and that no comparison group of it holds both.

    Running method ``run`` under the settings of ``group`` would settle this pair, and ``settles`` pairs of this
    benchmark in all; 0 where neither has a score that may be compared, so that it takes more than one run.
    ``reason`` is ``other groups`` or ``no comparable score``.
    """

    settles: int
    benchmark_label: str
    method_label: str
    other_label: str
    reason: str
    run_label: str
    metric_label: str
    configuration: str
    benchmark: str
    method: str
    other: str
    run: str
    group: str


def missing(standings: Iterable[Any], results: Iterable[Any], *, benchmark: str = "") -> Table[Missing]:
    """List the pairs that share a benchmark and no comparison group, first what one run would settle most of.

    ``standings`` are rows of ``comparison/standings-of-every-group``, ``results`` of
    ``provenance/evaluations-of-methods``; ``benchmark`` is an IRI where only one is asked for. Of the runs that
    would settle a pair the one that settles most pairs is given, of equal ones the first by IRI. It is a count on
    the graph of comparisons, with no source but its definition. Limits: it does not know what a run costs, nor
    whether it is possible; pairs of one benchmark with groups of different metrics count as missing too.
    """
    boards: defaultdict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    told: dict[str, Any] = {}
    for row in standings:
        boards[row.benchmark][row.group].add(row.method)
        told[row.group] = row
    methods: defaultdict[str, set[str]] = defaultdict(set)
    labels: dict[str, str] = {}
    for row in results:
        if not benchmark or row.benchmark == benchmark:
            methods[row.benchmark].add(row.method)
            labels[row.method] = row.methodLabel or row.method
    names = {row.benchmark: row.benchmarkLabel for row in told.values()}
    found: list[Missing] = []
    pairs = bare = 0
    for board, those in methods.items():
        pairs += len(those) * (len(those) - 1) // 2
        bare += len(those) - len(set().union(*boards[board].values()) & those)
        found += _missing((board, names.get(board, "")), those, boards[board], told, labels)
    said = [f"{len(found)} of {many(pairs, 'pair')} on {many(len(methods), 'benchmark')} share no comparison group."]
    if bare:
        said.append(
            f"Methods on a benchmark without any score that may be compared: {bare}; "
            "`kg query comparison/leaderboard` says why."
        )
    order = sorted(found, key=lambda it: (-it.settles, it.benchmark_label, it.benchmark, it.run, it.method, it.other))
    return Table(Missing, order, said)


def _missing(
    board: tuple[str, str], methods: set[str], groups: dict[str, set[str]], told: dict[str, Any], labels: dict[str, str]
) -> Iterator[Missing]:
    of: defaultdict[str, set[str]] = defaultdict(set)
    met: defaultdict[str, set[str]] = defaultdict(set)
    for group, those in groups.items():
        for method in those:
            of[method].add(group)
            met[method] |= those

    def runs(method: str, other: str) -> Iterator[tuple[int, str, str]]:
        for group in of[other]:
            yield -len(groups[group] - met[method] - {method}), method, group

    for method, other in combinations(sorted(methods), 2):
        if other in met[method]:
            continue
        settles, run, group = min([*runs(method, other), *runs(other, method)], default=(0, "", ""))
        row = told.get(group)
        yield Missing(
            settles=-settles,
            benchmark_label=board[1],
            method_label=labels[method],
            other_label=labels[other],
            reason="other groups" if of[method] and of[other] else "no comparable score",
            run_label=labels[run] if run else "",
            metric_label=row.metricLabel if row else "",
            configuration=row.configuration if row else "",
            benchmark=board[0],
            method=method,
            other=other,
            run=run,
            group=group,
        )


class Saturation(NamedTuple):
    """How much room the best recorded scores of a comparison group leave.

    Numbers are in the metric's unit and exact: ``lead`` is how far the best is ahead of the second,
    ``spread`` how far the first is from the last of the ``top`` best methods; None where there is but one.
    ``bound`` is the best value that there can be and ``gap`` how far the best is from it, below 0 where
    a record goes beyond it; None where the unit has no bound.
    """

    gap: Decimal | None
    bound: Decimal | None
    best: Decimal
    lead: Decimal | None
    spread: Decimal | None
    top: int
    methods: int
    unit_text: str
    best_label: str
    benchmark_label: str
    metric_label: str
    configuration: str
    benchmark: str
    metric: str
    group: str


def saturation(standings: Iterable[Any], *, top: int = 5) -> Table[Saturation]:
    """Return for each comparison group how near its best scores lie to each other and to the bound.

    Source: S. Ott et al., Mapping global dynamics of benchmark creation and saturation in artificial
    intelligence, Nature Communications 13 (2022). ``standings`` are rows of
    ``comparison/standings-of-every-group``. Limits: only a percentage has a bound here (100 where higher is better,
    0 where lower is); a bound is what the unit allows, and noise in the labels may keep every method from it; the
    best is the best of what the pages record. Nothing is pooled.
    """
    if top < 2:
        raise Misuse(f"the spread of the top needs at least 2 methods, not {top}")
    groups: defaultdict[str, list[Any]] = defaultdict(list)
    for row in standings:
        groups[row.group].append(row)
    found = [_saturation(rows, top) for rows in groups.values()]
    bounded = sum(it.gap is not None for it in found)
    said = [f"{many(len(found), 'comparison group')}, {bounded} with a unit that has a bound."]
    order = sorted(found, key=lambda it: (it.gap is None, it.gap, it.benchmark_label, it.metric_label, it.group))
    return Table(Saturation, order, said)


def _saturation(rows: list[Any], top: int) -> Saturation:
    lower = rows[0].direction == lexical(BK.LowerIsBetter)
    values = sorted((row.value for row in rows), reverse=not lower)
    bound = (Decimal(0) if lower else Decimal(100)) if rows[0].unit == lexical(UNIT.PERCENT) else None
    best = values[0]
    last = values[min(top, len(values)) - 1]
    return Saturation(
        gap=None if bound is None else best - bound if lower else bound - best,
        bound=bound,
        best=best,
        lead=abs(best - values[1]) if len(values) > 1 else None,
        spread=abs(best - last) if len(values) > 1 else None,
        top=min(top, len(values)),
        methods=len(values),
        unit_text=rows[0].unitText,
        best_label=", ".join(sorted(row.methodLabel for row in rows if row.value == best)),
        benchmark_label=rows[0].benchmarkLabel,
        metric_label=rows[0].metricLabel,
        configuration=rows[0].configuration,
        benchmark=rows[0].benchmark,
        metric=rows[0].metric,
        group=rows[0].group,
    )
