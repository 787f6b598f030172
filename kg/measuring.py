"""Views, measures and plots of a store: which question of the catalogue each is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from kg import catalogue
from kg.errors import Misuse
from kg.rows import Rows
from kg.store import Store
from kg.vocabulary import BK

if TYPE_CHECKING:
    from kg.analysis import Network, Ranking, Table

__all__ = ["MEASURES", "PLOTTED", "analyse", "drawn", "network", "of_network", "of_results"]

MEASURES = MappingProxyType(
    {
        "degree": "everything",
        "components": "everything",
        "pagerank": "everything",
        "copeland": "beats",
        "borda": "beats",
        "bradley-terry": "beats",
        "cycles": "beats",
        "stability": "beats",
        "influence": "",
        "coverage": "",
        "missing": "",
        "saturation": "",
    }
)
"""The measures, and over which view each is: the first three over any, the last four over the results themselves."""

_OF_NODES = ("degree", "components", "pagerank")
PLOTTED = ("stability", "copeland", "borda", "bradley-terry", "cycles")
"""The measures that have a plot: of the first the ranks by configuration, of the others who beats whom."""

_STANDINGS, _EVALUATIONS = "comparison/standings-of-every-group", "provenance/evaluations-of-methods"
_DIRECTIONS = "quality/direction-in-doubt"
_DOUBTS = "quality/origin-equals-reporting-everywhere"

_NAMED = 2

Ask = Callable[[str, Mapping[str, str]], Rows]


def network(store: Store, view: str, given: Mapping[str, str] | None = None) -> Network:
    """Return a view of a store as arrays; ``given`` are values of the parameters of its query.

    Raises ``Misuse`` for an unknown view, and for a parameter that it does not take.
    """
    from kg import analysis

    if view not in analysis.VIEWS:
        raise Misuse(f"There is no view {view!r}; there are {', '.join(analysis.VIEWS)}.")
    query = catalogue.get(f"graph/{view}")
    if given and not query.parameters:
        raise Misuse(f"The view {view!r} is not narrowed by {' and '.join(given)}: leave it out, or take 'beats'.")
    # All relations are found faster in the lines of the graph than by a query, which looks up each term.
    reader = analysis.Reader(view, whole=view == "everything")
    stream = cast("BinaryIO", reader)  # of all that a file can do, it is written to
    if view == "everything":
        store.write_lines(stream, graphs=False)
    else:
        store.write_answer(query.text, stream, query.bind(dict(given or {})))
    return reader.network()


def view_of(name: str, view: str) -> str:
    """Return the view that a measure is over: the one asked for, else its own; none where it is over the results.

    Raises ``Misuse`` for an unknown measure, and for a view that it is not over.
    """
    if name not in MEASURES:
        raise Misuse(f"there is no measure {name!r}; choose one of {', '.join(sorted(MEASURES))}")
    own = MEASURES[name]
    if view and view != own and name not in _OF_NODES:
        raise Misuse(f"{name} is measured over {f'the view {own!r}' if own else 'the results'}, not {view!r}.")
    return view or own


def of_network(name: str, over: Network, settings: Mapping[str, Any]) -> Ranking | Table[Any]:
    """Return a measure of a view; raises ``Misuse`` for a setting that it does not take."""
    from kg import analysis

    if name in _OF_NODES:
        _check(name, settings)
        return analysis.measure(name, over)
    if name == "cycles":
        _check(name, settings, "longest")
        return analysis.cycles(over, **settings)
    if name == "stability":
        _check(name, settings)
        return analysis.stability(over)
    _check(name, settings, "replicates", "seed", *(["prior"] if name == "bradley-terry" else []))
    return analysis.RANKS[name](over, **settings)


def of_results(ask: Ask, name: str, given: Mapping[str, str], settings: Mapping[str, Any]) -> Table[Any]:
    """Return a measure of the results; raises ``Misuse`` for what it cannot be narrowed to, or does not take."""
    from kg import analysis

    _check(name, settings, *(["top"] if name == "saturation" else []))
    if name == "saturation":
        return analysis.saturation(ask(_STANDINGS, given), **settings)
    if "metric" in given or (given and name != "missing"):
        raise Misuse(f"{name} is not measured by {' and '.join(given)}: leave it out.")
    rows = ask(_EVALUATIONS, {})
    if name == "missing":
        return analysis.missing(ask(_STANDINGS, given), rows, benchmark=given.get("benchmark", ""))
    doubted = frozenset(row.benchmark for row in ask(_DOUBTS, {}))
    return (analysis.influence if name == "influence" else analysis.coverage)(rows, doubted)


def _check(name: str, settings: Mapping[str, Any], *allowed: str) -> None:
    for setting in settings:
        if setting not in allowed:
            takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
            raise Misuse(f"{name} has no setting {setting!r}; {takes}.")


def analyse(
    store: Store, ask: Ask, name: str, view: str | Network, *, given: Mapping[str, str], settings: Mapping[str, Any]
) -> Ranking | Table[Any]:
    """Return a measure of a store: a ranking of the nodes of a view, or a table.

    ``given`` narrows it to a benchmark and a metric (IRIs). Raises ``Misuse`` for an unknown measure, view or
    setting, and for a view or narrowing that it does not take.
    """
    over = view_of(name, view if isinstance(view, str) else view.name)
    if not over:
        return of_results(ask, name, given, settings)
    measured = of_network(name, network(store, over, given) if isinstance(view, str) else view, settings)
    if over == "beats":
        measured.notes += _doubts(ask, given)
    return measured


def _doubts(ask: Ask, given: Mapping[str, str]) -> tuple[str, ...]:
    """Return what casts doubt on who is better, in words."""
    names = sorted({f"{row.metricLabel} of {row.benchmarkLabel}" for row in ask(_DIRECTIONS, given)})
    if not names:
        return ()
    more = f", and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (f"In doubt is the recorded direction of {', '.join(names[:_NAMED])}{more}: see `kg validate`.",)


def drawn(store: Store, ask: Ask, name: str, given: Mapping[str, str], form: str) -> bytes:
    """Return the plot of a measure of one metric; raises ``Misuse`` where it has none, or there are several metrics."""
    from kg import plotting

    if name not in PLOTTED:
        raise Misuse(f"{name} has no plot; {', '.join(PLOTTED)} have.")
    if form not in plotting.FORMATS:
        raise Misuse(f"{form!r} is no format of plots; use one of {', '.join(plotting.FORMATS)}.")
    if name != "stability":
        from kg import analysis

        return plotting.draw_beats(analysis.layers(network(store, "beats", given)), form)
    rows = ask(_STANDINGS, given)
    metrics = {(row.benchmark, row.metric) for row in rows}
    if len(metrics) > 1:
        raise Misuse(f"A plot is of one metric of a benchmark, and there are {len(metrics)}: name both.")
    columns = [
        plotting.Column(configuration, _places(list(those)))
        for (configuration, _), those in groupby(rows, key=lambda row: (row.configuration, row.group))
    ]
    about = rows[0] if rows else None
    return plotting.draw_ranks(
        columns,
        benchmark=about.benchmarkLabel if about else "",
        metric=about.metricLabel if about else "",
        unit_text=about.unitText if about else "",
        direction_text=about.directionText if about else "",
        form=form,
    )


def _places(rows: list[Any]) -> list[Any]:
    from kg.plotting import Place

    lower = rows[0].direction == BK.LowerIsBetter[1:-1]

    def rank(value: Any) -> int:  # noqa: ANN401 - a Decimal
        better = [other for other in rows if (other.value < value if lower else other.value > value)]
        return len(better) + 1

    return [Place(row.method, row.methodLabel, rank(row.value), format(row.value, "f")) for row in rows]
