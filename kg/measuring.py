"""Views and measures of a store: which question of the catalogue each is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from kg import catalogue
from kg.errors import Misuse
from kg.rows import Rows
from kg.store import Store

if TYPE_CHECKING:
    from kg.analysis import Network, Ranking, Table

__all__ = ["MEASURES", "analyse", "doubted", "network", "standings"]

MEASURES = (
    "degree",
    "components",
    "pagerank",
    "copeland",
    "borda",
    "bradley-terry",
    "cycles",
    "stability",
    "influence",
    "coverage",
    "missing",
    "saturation",
)
"""The measures by name; the first three are of the nodes of any view."""

_OF_NODES = MEASURES[:3]
_RANKS = MEASURES[3:6]
_STANDINGS, _EVALUATIONS = "comparison/standings-of-every-group", "provenance/evaluations-of-methods"
_DOUBTS = "quality/origin-equals-reporting-everywhere"

Ask = Callable[[str, Mapping[str, str]], Rows]


def network(store: Store, view: str, given: Mapping[str, str] | None = None) -> Network:
    """Return a view of a store as arrays; ``given`` are values of the parameters of its query.

    Raises ``Misuse`` for an unknown view, and for a parameter that it does not take.
    """
    from kg import analysis

    if view not in analysis.VIEWS:
        raise Misuse(f"There is no view {view!r}; there are {', '.join(analysis.VIEWS)}.")
    query = catalogue.get(f"graph/{view}")
    query.check(dict(given or {}))
    # All relations are found faster in the lines of the graph than by a query, which looks up each term.
    reader = analysis.Reader(view, whole=view == "everything")
    stream = cast("BinaryIO", reader)  # of all that a file can do, it is written to
    if view == "everything":
        store.write_lines(stream, graphs=False)
    else:
        store.write_answer(query.text, stream, query.bind(dict(given or {})))
    return reader.network()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A measure of a store: ``given`` narrows it to a benchmark and a metric (IRIs), ``settings`` are its own."""

    store: Store
    ask: Ask
    given: Mapping[str, str]
    settings: Mapping[str, Any]

    def of_nodes(self, name: str, view: str) -> Ranking:
        from kg import analysis

        self._settings(name)
        return analysis.measure(name, network(self.store, view, self.given))

    def of_beats(self, name: str) -> Table[Any]:
        from kg import analysis

        beats = network(self.store, "beats", self.given)
        if name == "cycles":
            return analysis.cycles(beats, **self._settings(name, "longest"))
        if name == "stability":
            self._settings(name)
            return analysis.stability(beats)
        priors = ("prior",) if name == "bradley-terry" else ()
        return analysis.RANKS[name](beats, **self._settings(name, "replicates", "seed", *priors))

    def of_results(self, name: str) -> Table[Any]:
        from kg import analysis

        if name == "saturation":
            return analysis.saturation(self.ask(_STANDINGS, self.given), **self._settings(name, "top"))
        self._settings(name)
        if "metric" in self.given or (self.given and name != "missing"):
            raise Misuse(f"{name} is not measured by {' and '.join(self.given)}: leave it out.")
        rows = self.ask(_EVALUATIONS, {})
        if name == "missing":
            benchmark = self.given.get("benchmark", "")
            return analysis.missing(self.ask(_STANDINGS, self.given), rows, benchmark=benchmark)
        measured = analysis.influence if name == "influence" else analysis.coverage
        return measured(rows, doubted(self.ask))

    def _settings(self, name: str, *allowed: str) -> dict[str, Any]:
        for setting in self.settings:
            if setting not in allowed:
                takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
                raise Misuse(f"{name} has no setting {setting!r}; {takes}.")
        return dict(self.settings)


def analyse(
    store: Store, ask: Ask, name: str, view: str, *, given: Mapping[str, str], settings: Mapping[str, Any]
) -> Ranking | Table[Any]:
    """Return a measure of ``MEASURES`` of a store: a ranking of the nodes of a view, or a table.

    Raises ``Misuse`` for an unknown measure, view or setting, and for a view or narrowing that it does not take.
    """
    if name not in MEASURES:
        raise Misuse(f"there is no measure {name!r}; choose one of {', '.join(sorted(MEASURES))}")
    asked = _Asked(store, ask, given, settings)
    if name in _OF_NODES:
        return asked.of_nodes(name, view or "everything")
    over = "beats" if name in {*_RANKS, "cycles", "stability"} else ""
    if view and view != over:
        raise Misuse(f"{name} is measured over {f'the view {over!r}' if over else 'the results'}, not {view!r}.")
    return asked.of_beats(name) if over else asked.of_results(name)


def standings(ask: Ask, given: Mapping[str, str]) -> Rows:
    """Return the best recorded score of each method in each comparison group."""
    return ask(_STANDINGS, given)


def doubted(ask: Ask) -> frozenset[str]:
    """Return the benchmarks on one of whose leaderboards origin equals reporting paper everywhere."""
    return frozenset(row.benchmark for row in ask(_DOUBTS, {}))
