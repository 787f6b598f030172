"""Who reports whose numbers: the influence of papers, and how many methods others have evaluated too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kg.analysis.tables import Table, many
from kg.terms import lexical
from kg.vocabulary import BK

__all__ = ["Coverage", "Influence", "coverage", "influence"]

_OWN, _OTHERS = lexical(BK.OwnMethod), lexical(BK.OthersMethod)
_REPRODUCED, _FAILED = lexical(BK.Reproduced), lexical(BK.ReproductionFailed)


class Influence(NamedTuple):
    """How many other papers report numbers of the methods that come from a paper.

    ``papers`` other papers report ``results`` results of ``methods`` of its methods; ``papers_without`` and
    ``results_without`` leave out the benchmarks whose pages give every result's paper as the method's origin.
    ``own_results`` are those that the paper reports itself, ``own_results_without`` likewise. ``label`` is the
    paper's id in its source.
    """

    papers: int
    papers_without: int
    results: int
    results_without: int
    methods: int
    own_results: int
    own_results_without: int
    label: str
    node: str


@dataclass(slots=True)
class _Counts:
    label: str = ""
    papers: set[str] = field(default_factory=set)
    papers_without: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)
    results: int = 0
    results_without: int = 0
    own: int = 0
    own_without: int = 0


def influence(rows: Iterable[Any], doubted: Collection[str] = ()) -> Table[Influence]:
    """Count for each paper the other papers that report results of the methods it introduced.

    It is the in-degree of the view ``papers`` without loops, in the sense of citation indices (E. Garfield,
    Citation indexes for science, Science 122 (1955)), counting evaluations instead of citations. ``rows`` are
    those of ``provenance/evaluations-of-methods``, ``doubted`` the benchmarks of
    ``quality/origin-equals-reporting-everywhere``.

    Limits: it counts what the pages record, and a paper may copy a number from another; whether it ran the
    method anew, no page says. Where pages give each result's paper as the origin of all its methods, the true
    origins get nothing.
    """
    papers: defaultdict[str, _Counts] = defaultdict(_Counts)
    for row in rows:
        if row.originPaper is None or row.claim not in {_OWN, _OTHERS}:
            continue
        counts, clear = papers[row.originPaper], row.benchmark not in doubted
        counts.label = row.originPaperId or counts.label
        if row.claim == _OWN:
            counts.own += row.results
            counts.own_without += row.results * clear
        elif row.reportedIn:
            counts.papers.add(row.reportedIn)
            counts.methods.add(row.method)
            counts.results += row.results
            if clear:
                counts.papers_without.add(row.reportedIn)
                counts.results_without += row.results
    found = [
        Influence(
            papers=len(it.papers),
            papers_without=len(it.papers_without),
            results=it.results,
            results_without=it.results_without,
            methods=len(it.methods),
            own_results=it.own,
            own_results_without=it.own_without,
            label=it.label or node.rsplit("/", 1)[-1],
            node=node,
        )
        for node, it in papers.items()
    ]
    reported = sum(it.papers > 0 for it in found)
    said = [f"Methods of {reported} of {many(len(found), 'origin paper')} are reported by other papers."]
    said += _doubts(doubted)
    return Table(Influence, sorted(found, key=lambda it: (-it.papers, -it.results, it.node)), said)


class Coverage(NamedTuple):
    """How many methods have numbers from a paper other than their own.

    ``scope`` says which benchmarks count. Of ``methods``, ``by_others`` have a result that another paper
    reports, ``own_only`` none but of their own paper, and of the rest it is ``unknown``; ``share`` is ``by_others``
    of ``methods``. ``reproduced`` and ``failed`` of ``results`` are those whose record says so of a reproduction.
    """

    scope: str
    methods: int
    by_others: int
    own_only: int
    unknown: int
    share: float | None
    results: int
    reproduced: int
    failed: int


def coverage(rows: Iterable[Any], doubted: Collection[str] = ()) -> Table[Coverage]:
    """Count the methods with numbers from a paper other than their own.

    Source: the distinction of own and re-evaluated baselines after J. Pineau et al., Improving reproducibility in
    machine learning research, JMLR 22 (2021), as far as pages record it. Limits: a number in another paper
    may be copied, so none is called reproduced unless its reproduction status is; a name and an origin paper
    are one method, so a method under two names is two. Parameters are those of ``influence``; with doubted
    benchmarks there is a second row without them.
    """
    every = list(rows)
    found = [_coverage("all benchmarks", every)]
    if doubted:
        clear = [row for row in every if row.benchmark not in doubted]
        found.append(_coverage("without benchmarks where origin equals reporting paper everywhere", clear))
    asserted = found[0].reproduced + found[0].failed
    said = ["No record says anything of a reproduction." if not asserted else f"{asserted} records tell of one."]
    return Table(Coverage, found, [*said, *_doubts(doubted)])


def _coverage(scope: str, rows: Sequence[Any]) -> Coverage:
    claims: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        claims[row.method].add(row.claim or "")
    others = sum(_OTHERS in its for its in claims.values())
    own = sum(its == {_OWN} for its in claims.values())
    return Coverage(
        scope=scope,
        methods=len(claims),
        by_others=others,
        own_only=own,
        unknown=len(claims) - others - own,
        share=round(others / len(claims), 9) if claims else None,
        results=sum(row.results for row in rows),
        reproduced=sum(row.results for row in rows if row.reproductionStatus == _REPRODUCED),
        failed=sum(row.results for row in rows if row.reproductionStatus == _FAILED),
    )


def _doubts(doubted: Collection[str]) -> list[str]:
    if not doubted:
        return []
    where = f"On {many(len(doubted), 'benchmark')} the pages give every result's reporting paper as the method's origin"
    return [f"{where}, also of methods that cannot all be its own: figures are given with and without them."]
