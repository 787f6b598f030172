"""One side of a comparison of two graphs: what the catalogue's queries say of a graph, in dictionaries.

Each query reads the graph once, and nothing here asks a second time: the work grows as the graph does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from kg.vocabulary import BK

__all__ = ["Board", "Place", "Score", "Side", "joined", "side_of"]


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a state of a page.

    ``page`` is its address, ``lines`` an RFC 5147 fragment, empty for the page as a whole; ``snapshot`` is the
    IRI of the state, ``sha256`` the hash of its bytes.
    """

    page: str
    lines: str
    snapshot: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Score:
    """A value of a result on a metric: the numbers and the texts that its places state, and those places."""

    identifier: str
    values: frozenset[Decimal]
    texts: frozenset[str]
    quotations: frozenset[str]

    @property
    def text(self) -> str:
        """The value as printed, twice where two places print different numbers."""
        return joined(self.texts)


@dataclass(frozen=True, slots=True)
class Board:
    """A metric and its benchmark, and how many results and pages its pages count; None where they do not."""

    benchmark: str
    benchmark_label: str
    label: str
    loaded: int | None
    total: int | None
    page_count: int | None
    pages_read: int


@dataclass(frozen=True, slots=True)
class Side:
    """What a comparison needs of one graph, by the IRIs of metrics, results and other nodes; ``side_of`` makes one."""

    boards: Mapping[str, Board] = field(default_factory=dict)
    pages: Mapping[tuple[str, str, int], str] = field(default_factory=dict)
    snapshots: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    scores: Mapping[tuple[str, str], Score] = field(default_factory=dict)
    facts: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    quoted: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    def places(self, quotations: Iterable[str]) -> tuple[Place, ...]:
        """Return where some quotations are, sorted; a snapshot is the whole of its page."""
        found = set()
        for quotation in quotations:
            snapshot, _, lines = quotation.partition("#")
            page, sha256 = self.snapshots.get(snapshot, ("", ""))
            found.add(Place(page, lines, snapshot, sha256))
        return tuple(sorted(found, key=_in_order))

    def stating(self, metrics: Iterable[str], *properties: str) -> set[str]:
        """Return the quotations of pages of some metrics that state one of some properties; of no property, a list."""
        quoted = (self.quoted.get(metric, {}) for metric in metrics)
        return {place for each in quoted for property_ in properties for place in each.get(property_, ())}


def _in_order(place: Place) -> tuple[str, str, list[int], str]:
    numbers = place.lines.removeprefix("line=").split(",")
    return place.page, place.snapshot, [int(each) for each in numbers if each.isdecimal()], place.lines


def side_of(rows: Callable[[str], Iterable[Any]]) -> Side:
    """Return what a comparison needs of a graph; ``rows`` answers a query of the catalogue, such as ``graph.query``."""
    scores: dict[tuple[str, str], tuple[set[str], set[Decimal], set[str], set[str]]] = {}
    for row in rows("difference/scores"):
        identifiers, values, texts, places = scores.setdefault(
            (str(row.metric), str(row.result)), (set(), set(), set(), set())
        )
        identifiers.add(str(row.identifier or ""))
        if isinstance(row.value, Decimal):
            values.add(row.value)
        texts.add(str(row.valueText or ""))
        places.add(str(row.quotation or ""))
    names: dict[str, str] = {}
    for row in rows("difference/names"):
        names.setdefault(str(row.node), str(row.name))
    facts: dict[str, dict[str, dict[str, str]]] = {}
    for row in rows("difference/facts"):
        stated = facts.setdefault(str(row.node), {}).setdefault(row.fact, {})
        statement, name = str(row.statement), names.get(str(row.statement), "")
        if row.fact == "configuration" and statement == _UNREADABLE:  # two texts that nobody can read are two
            statement = name = f"{_STATUSES[statement]} ({names.get(str(row.node), '')})"
        stated[statement] = name or _STATUSES.get(statement, statement)
    quoted: dict[str, dict[str, set[str]]] = {}
    for row in rows("difference/places"):
        quoted.setdefault(str(row.node), {}).setdefault(f"<{row.states}>" if row.states else "", set()).add(
            str(row.quotation)
        )
    sources = list(rows("provenance/sources"))
    return Side(
        boards={str(row.metric): _board(row, facts.get(row.metric, {})) for row in rows("provenance/coverage")},
        pages={(str(row.page), str(row.metric or ""), _number(row.pageNumber)): str(row.snapshot) for row in sources},
        snapshots={str(row.snapshot): (str(row.page), str(row.sha256 or "")) for row in sources},
        scores={
            key: Score(min(ids), frozenset(values), frozenset(texts), frozenset(places - {""}))
            for key, (ids, values, texts, places) in scores.items()
        },
        facts=facts,
        quoted={node: {states: frozenset(places) for states, places in each.items()} for node, each in quoted.items()},
    )


def _number(value: object) -> int:
    """Return the number of a page, as far as what is stated is one."""
    return value if isinstance(value, int) else 1


def _board(row: Any, stated: Collection[str]) -> Board:  # noqa: ANN401 - a row of the catalogue
    """Return a leaderboard; the sums of ``provenance/coverage`` count where a page states such a number alone."""

    def count(name: str, number: object) -> int | None:
        return number if name in stated and isinstance(number, int) else None

    return Board(
        benchmark=str(row.benchmark),
        benchmark_label=row.benchmarkLabel or "",
        label=row.metricLabel or "",
        loaded=count("results loaded", row.loaded),
        total=count("results in total", row.total),
        page_count=count("pages in total", row.pageCount),
        pages_read=row.pagesRead,
    )


_UNREADABLE = BK.Unreadable[1:-1]
_STATUSES = {
    _UNREADABLE: "unreadable",
    BK.NotRecorded[1:-1]: "not recorded",
    BK.ReproductionNotAsserted[1:-1]: "not asserted",
    BK.Reproduced[1:-1]: "reproduced",
    BK.ReproductionFailed[1:-1]: "failed",
}


def joined(texts: Iterable[str]) -> str:
    """Return several statements as one text, in the order of texts."""
    return " | ".join(sorted(texts))
