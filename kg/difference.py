"""What is different between two graphs: facts, not lines; a pure comparison of the rows of the catalogue.

A page whose rows come in another order, or whose time alone has moved on, makes no difference. What is
compared of a graph is read once, into dictionaries: the work grows as the graphs do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kg.sides import Board, Place, Side, joined
from kg.vocabulary import BK, DCT, FOAF

__all__ = ["KINDS", "Change", "Difference", "Loss", "difference"]

KINDS = {
    "page-gone": "page gone",
    "page-new": "new page",
    "metric-removed": "metric no longer listed",
    "metric-added": "metric listed anew",
    "benchmark-changed": "benchmark changed",
    "metric-changed": "metric changed",
    "coverage-changed": "coverage changed",
    "score-removed": "removed",
    "score-added": "added",
    "score-changed": "changed",
    "method-renamed": "method renamed",
    "result-changed": "result changed",
}
"""The kinds of change in the order they are told, and what they are called."""

_OF_BENCHMARK = {"name": DCT.title, "description": DCT.description, "task": BK.task, "dataset": BK.dataset}
_OF_METRIC = {"address": FOAF.page, "direction": BK.directionText, "unit": BK.unitText}
_OF_COVERAGE = {"coverage": BK.coverageText, "disclaimer": BK.disclaimer}
_COUNTS = {
    "results loaded": ("loaded", BK.resultsLoaded),
    "results in total": ("total", BK.resultsLoaded),
    "pages in total": ("page_count", BK.pageNumber),
}
_LISTED = ""  # the place of a metric in a list of metrics states no property
_OF_RESULT = (
    *("benchmark", "method", "origin paper", "reporting paper", "configuration"),
    *("result date", "reproduction", "implementation"),
)
# Two numbers of one result are better or worse only where these stayed as they were.
_ALIKE = ("benchmark", "method", "configuration")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; ``kind`` is one of ``KINDS``, and what it does not concern is empty.

    ``old`` and ``new`` are what the two sides state, as printed where it is printed. ``verdict`` is ``better``,
    ``worse`` or ``equal`` where both are numbers of one result, method and configuration, and the metric's direction
    and unit are known and the same; else empty. ``benchmark``, ``metric`` and ``result`` are IRIs.
    """

    kind: str
    benchmark: str = ""
    benchmark_label: str = ""
    metric: str = ""
    metric_label: str = ""
    result: str = ""
    identifier: str = ""
    method_label: str = ""
    fact: str = ""
    old: str = ""
    new: str = ""
    verdict: str = ""
    old_places: tuple[Place, ...] = ()
    new_places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """A leaderboard that lost rows: ``gone`` results of ``old`` are not among the ``new``, or it counts fewer in all.

    ``old_total`` and ``new_total`` are how many results the pages say that there are; None where they do not.
    """

    benchmark: str
    benchmark_label: str
    metric: str
    metric_label: str
    gone: int
    old: int
    new: int
    old_total: int | None
    new_total: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """All that is different, sorted by benchmark, metric and kind; false where nothing is.

    ``lost`` are the leaderboards that lost rows. ``moved`` are pages, once each, that have other bytes on the two
    sides and state the same, such as those whose time of update alone has changed: no difference.
    """

    changes: tuple[Change, ...] = ()
    lost: tuple[Loss, ...] = ()
    moved: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether anything is different."""
        return bool(self.changes or self.lost)


def difference(old: Side, new: Side) -> Difference:
    """Return what is different in ``new`` when it is held against ``old``.

    The other way round gives the same with everything turned: added for removed, better for worse.

    >>> bool(difference(Side(), Side()))
    False
    """
    told = _Telling(old, new)
    changes = [*told.pages(), *told.metrics(), *told.benchmarks(), *told.scores(), *told.results()]
    order = {kind: place for place, kind in enumerate(KINDS)}
    changes.sort(
        key=lambda it: (
            *(it.benchmark_label, it.benchmark, it.metric_label, it.metric, order[it.kind]),
            *(it.method_label, it.result, it.fact, it.old, it.new),
        )
    )
    return Difference(tuple(changes), tuple(told.lost()), tuple(told.moved(changes)))


class _Telling:
    """The two sides of one comparison."""

    def __init__(self, old: Side, new: Side) -> None:
        self.old = old
        self.new = new
        self.boards = {**old.boards, **new.boards}

    def _about(self, metric: str) -> dict[str, Any]:
        """Return which leaderboard a change is about."""
        board = self.boards.get(metric)
        if board is None:
            return {"metric": metric}
        return {
            "benchmark": board.benchmark,
            "benchmark_label": board.benchmark_label,
            "metric": metric,
            "metric_label": board.label,
        }

    def _where(self, old: Collection[str], new: Collection[str]) -> dict[str, Any]:
        return {"old_places": self.old.places(old), "new_places": self.new.places(new)}

    def pages(self) -> Iterator[Change]:
        """Yield the pages that one side alone has."""
        for kind, side, other in (("page-gone", self.old, self.new), ("page-new", self.new, self.old)):
            for key in side.pages.keys() - other.pages.keys():
                page, metric, number = key
                said, snapshot = f"{page}, page {number}", [side.pages[key]]
                gone = side is self.old
                where = self._where(snapshot if gone else [], [] if gone else snapshot)
                yield Change(kind, **self._about(metric), old=said * gone, new=said * (not gone), **where)

    def metrics(self) -> Iterator[Change]:
        """Yield metrics that one side alone lists, and what the two sides state differently of a metric."""
        for metric in self.old.boards.keys() ^ self.new.boards.keys():
            kind = "metric-removed" if metric in self.old.boards else "metric-added"
            yield Change(kind, **self._about(metric), **self._stated([metric], _LISTED))
        for metric in self.old.boards.keys() & self.new.boards.keys():
            about, boards = self._about(metric), (self.old.boards[metric], self.new.boards[metric])
            for name, property_ in _OF_METRIC.items():
                for old, new in self._fact(metric, name):
                    where = self._stated([metric], _LISTED, property_)
                    yield Change("metric-changed", **about, fact=name, old=old, new=new, **where)
            # That a page is gone, or new, says all that its counts could say.
            if all(board.pages_read for board in boards):
                yield from self._coverage(metric, *boards)

    def _coverage(self, metric: str, before: Board, after: Board) -> Iterator[Change]:
        stated = [(name, property_, self._fact(metric, name)) for name, property_ in _OF_COVERAGE.items()]
        for name, (count, property_) in _COUNTS.items():
            numbers = [getattr(board, count) for board in (before, after)]
            one, other = ("" if number is None else str(number) for number in numbers)
            stated.append((name, property_, [(one, other)] if one != other else []))
        for name, property_, pairs in stated:
            for old, new in pairs:
                where = self._stated([metric], property_)
                yield Change("coverage-changed", **self._about(metric), fact=name, old=old, new=new, **where)

    def benchmarks(self) -> Iterator[Change]:
        """Yield what the two sides state differently of a benchmark that both have."""
        metrics: dict[str, list[str]] = {}
        for metric, board in self.boards.items():
            metrics.setdefault(board.benchmark, []).append(metric)
        shared = {it.benchmark for it in self.old.boards.values()} & {it.benchmark for it in self.new.boards.values()}
        for benchmark in shared:
            label = self.boards[metrics[benchmark][0]].benchmark_label
            for name, property_ in _OF_BENCHMARK.items():
                for old, new in self._fact(benchmark, name):
                    where = self._stated(metrics[benchmark], property_)
                    yield Change("benchmark-changed", benchmark, label, fact=name, old=old, new=new, **where)

    def _fact(self, node: str, name: str) -> list[tuple[str, str]]:
        """Return what both sides state of a fact, as texts, if that is not the same."""
        before, after = (side.facts.get(node, {}).get(name, {}) for side in (self.old, self.new))
        return [_apart(before, after)] if before.keys() != after.keys() else []

    def _stated(self, metrics: Collection[str], *properties: str) -> dict[str, Any]:
        return self._where(*(side.stating(metrics, *properties) for side in (self.old, self.new)))

    def _of_result(self, side: Side, result: str) -> dict[str, Mapping[str, str]]:
        """Return what a side states of a result, its method by name and by origin paper."""
        stated = dict(side.facts.get(result, {}))
        methods = stated.get("method", {})
        stated["method"] = {label: label for label in methods.values()}
        origins = [side.facts.get(method, {}).get("origin paper", {}) for method in methods]
        stated["origin paper"] = {key: text for each in origins for key, text in each.items()}
        return stated

    def scores(self) -> Iterator[Change]:
        """Yield the scores that one side alone has, and those that are printed differently."""
        for metric, result in self.old.scores.keys() | self.new.scores.keys():
            before, after = self.old.scores.get((metric, result)), self.new.scores.get((metric, result))
            if before and after and before.texts == after.texts:
                continue
            kind = "score-changed" if before and after else "score-removed" if before else "score-added"
            yield Change(
                kind,
                **self._about(metric),
                **self._row(metric, result),
                old=before.text if before else "",
                new=after.text if after else "",
                verdict=self._verdict(metric, result) if before and after else "",
            )

    def _row(self, metric: str, result: str) -> dict[str, Any]:
        """Return which result of a leaderboard a change is about, and where both sides state it."""
        sides = [(side, side.scores.get((metric, result))) for side in (self.old, self.new)]
        labels = [joined(side.facts.get(result, {}).get("method", {}).values()) for side, _ in sides]
        known = [score for _, score in sides if score]
        return {
            "result": result,
            "identifier": known[-1].identifier,
            "method_label": labels[1] or labels[0],
            **self._where(*(score.quotations if score else () for _, score in sides)),
        }

    def _verdict(self, metric: str, result: str) -> str:
        before, after = self.old.scores[metric, result], self.new.scores[metric, result]
        one, other = self._of_result(self.old, result), self._of_result(self.new, result)
        if any(one.get(name, {}).keys() != other.get(name, {}).keys() for name in _ALIKE):
            return ""
        ways: list[str] = []
        for name in ("direction term", "unit term", "direction", "unit"):
            was, now = (side.facts.get(metric, {}).get(name, {}).keys() for side in (self.old, self.new))
            if len(was) != 1 or was != now:
                return ""
            ways += was
        if ways[0] not in _SIGNS or len(before.values) != 1 or len(after.values) != 1:
            return ""
        gain = (min(after.values) - min(before.values)) * _SIGNS[ways[0]]
        return "better" if gain > 0 else "worse" if gain < 0 else "equal"

    def results(self) -> Iterator[Change]:
        """Yield what the two sides state differently of a result that both have, on each metric that both score."""
        for metric, result in self.old.scores.keys() & self.new.scores.keys():
            before, after = self._of_result(self.old, result), self._of_result(self.new, result)
            changed = [name for name in _OF_RESULT if before.get(name, {}).keys() != after.get(name, {}).keys()]
            for name in changed:
                old, new = _apart(before.get(name, {}), after.get(name, {}))
                kind = "method-renamed" if name == "method" else "result-changed"
                yield Change(kind, **self._about(metric), **self._row(metric, result), fact=name, old=old, new=new)

    def lost(self) -> list[Loss]:
        """Return the leaderboards that lost rows, by name."""
        rows: dict[str, list[set[str]]] = {}
        for place, side in enumerate((self.old, self.new)):
            for metric, result in side.scores:
                rows.setdefault(metric, [set(), set()])[place].add(result)
        found = []
        for metric, board in self.old.boards.items():
            old, new = rows.get(metric, [set(), set()])
            after = self.new.boards.get(metric)
            one, other = board.total, after.total if after else None
            if old - new or (one is not None and other is not None and other < one):
                about, gone = self._about(metric), len(old - new)
                found.append(Loss(**about, gone=gone, old=len(old), new=len(new), old_total=one, new_total=other))
        return sorted(found, key=lambda it: (it.benchmark_label, it.benchmark, it.metric_label, it.metric))

    def moved(self, changes: Iterable[Change]) -> list[str]:
        """Return the pages with other bytes and without a change of their benchmark and metric."""
        touched = {(it.benchmark, it.metric) for it in changes}
        found = set()
        for key in self.old.pages.keys() & self.new.pages.keys():
            about = self._about(key[1])
            places = {(about.get("benchmark", ""), key[1]), (about.get("benchmark", ""), "")}
            if self.old.pages[key] != self.new.pages[key] and not places & touched:
                found.add(key[0])
        return sorted(found)


_SIGNS = {BK.HigherIsBetter[1:-1]: 1, BK.LowerIsBetter[1:-1]: -1}


def _apart(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, str]:
    """Return two sets of statements as text; what is called the same on both sides is told by its IRI."""
    old, new = joined(before.values()), joined(after.values())
    return (old, new) if old != new else (joined(before), joined(after))
