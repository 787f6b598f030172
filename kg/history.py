"""What became of scores over the states of their pages: pure functions of what was current at each moment.

A moment is a leaderboard as it was once a state of one of its pages had come. Moments are compared in order of the
time that the page states; when a page was read plays no part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

__all__ = ["Apart", "Board", "History", "Moment", "Place", "Point", "Reading", "Series", "State", "boards", "states"]

RECORDED, GONE, UNREADABLE = "recorded", "gone", "unreadable"


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a state of a page: ``lines`` is an RFC 5147 fragment, ``modified`` empty where the page has no time."""

    page: str
    lines: str
    sha256: str
    modified: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A score as it was read: ``value`` is in the metric's unit, ``value_text`` as printed; nodes are IRIs.

    ``rank`` is its place under its configuration, None where it has none, and ``unranked`` says why.
    """

    result: str
    identifier: str
    method: str
    method_label: str
    value_text: str
    value: Decimal | None
    spread: Decimal | None
    configuration: str | None
    group: str | None
    reported_in: str | None
    origin_paper: str | None
    rank: int | None
    unranked: str | None
    places: tuple[Place, ...]

    @property
    def latest(self) -> tuple[Place, ...]:
        """The places on the newest state of a page that states the score."""
        age = max((place.modified.removesuffix("Z"), place.sha256) for place in self.places)
        return tuple(it for it in self.places if (it.modified.removesuffix("Z"), it.sha256) == age)


@dataclass(frozen=True, slots=True)
class Moment:
    """The leaderboard of a metric as it was at a time (canonical ``xsd:dateTime``, empty without one).

    ``sources`` are the places of the states that came then, without lines. ``mentioned`` are the ids
    of results that the current states of its pages hold though no score could be read of them.
    """

    at: str
    benchmark: str
    benchmark_label: str
    metric: str
    metric_label: str
    unit_text: str
    direction_text: str
    readings: tuple[Reading, ...]
    coverage: str
    sources: tuple[Place, ...]
    mentioned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class State:
    """One state of a score, from the first to the last of the states of pages that show it.

    ``presence`` is "recorded", "gone" (the newer states of its pages have it no more) or
    "unreadable" (they have its id, and no score could be read). ``changed`` says in what it differs from the state
    before. Times are those that the pages state, None without one. ``page``, ``lines`` (one RFC 5147 fragment or more,
    with spaces between) and ``sha256`` are where it was first seen; for a score that is gone, where it is missing.
    """

    benchmark: str
    benchmark_label: str
    metric: str
    metric_label: str
    unit_text: str
    direction_text: str
    result: str
    identifier: str
    presence: str
    changed: tuple[str, ...]
    first_updated: str | None
    last_updated: str | None
    first_retrieved: str | None
    value: Decimal | None
    value_text: str | None
    spread: Decimal | None
    method: str | None
    method_label: str | None
    configuration: str | None
    group: str | None
    reported_in: str | None
    origin_paper: str | None
    page: str | None
    lines: str | None
    sha256: str | None
    coverage: str


@dataclass(frozen=True, slots=True)
class Point:
    """The best score under one configuration from one time to another; ``value`` is None where there is none.

    ``results``, ``methods`` and ``method_labels`` are those that share the first rank, in one order.
    """

    first_updated: str | None
    last_updated: str | None
    first_retrieved: str | None
    value: Decimal | None
    value_text: str | None
    results: tuple[str, ...]
    methods: tuple[str, ...]
    method_labels: tuple[str, ...]
    page: str | None
    lines: str | None
    sha256: str | None
    scores: int
    coverage: str


@dataclass(frozen=True, slots=True)
class Series:
    """The best recorded score over time under one configuration: of one comparison group, and of no other."""

    configuration: str
    group: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """How many scores had no rank for a reason, at most at one time, and so are best of nothing."""

    reason: str
    scores: int
    first_updated: str | None
    last_updated: str | None


@dataclass(frozen=True, slots=True)
class Board:
    """One metric of a benchmark: a series a configuration, and what is in no series."""

    benchmark: str
    benchmark_label: str
    metric: str
    metric_label: str
    unit_text: str
    direction_text: str
    series: tuple[Series, ...]
    apart: tuple[Apart, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The states of a result's or a method's scores, or the best of a benchmark's: ``kind`` says of what.

    ``snapshots`` is how many states of pages were compared; ``caveats`` say what could not be.
    """

    kind: str
    node: str
    states: tuple[State, ...]
    boards: tuple[Board, ...]
    snapshots: int
    caveats: tuple[str, ...] = ()


def states(moments: Iterable[Moment], results: Collection[str], retrieved: dict[str, str]) -> tuple[State, ...]:
    """Return the states of the scores of some results (IRIs), score by score, the oldest first.

    ``retrieved`` says when a state of a page, by its SHA-256, was first read.
    """
    by_metric: dict[str, list[Moment]] = {}
    for moment in moments:
        by_metric.setdefault(moment.metric, []).append(moment)
    found: list[State] = []
    for metric in sorted(by_metric):
        for result in sorted(results):
            found += _of_score(by_metric[metric], result, retrieved)
    return tuple(found)


def _of_score(moments: Sequence[Moment], result: str, retrieved: dict[str, str]) -> Iterator[State]:
    before: State | None = None
    for moment in moments:
        reading = next((each for each in moment.readings if each.result == result), None)
        if reading is None and before is None:
            continue
        state = _recorded(moment, reading, retrieved) if reading else _missing(moment, before, retrieved)
        if before is None:
            before = replace(state, changed=("first",))
            continue
        changed = _changed(before, state)
        if changed:
            yield before
            before = replace(state, changed=changed)
        elif state.last_updated:
            before = replace(before, last_updated=state.last_updated)
    if before:
        yield before


def _recorded(moment: Moment, reading: Reading, retrieved: dict[str, str]) -> State:
    places = reading.latest
    return State(
        *_head(moment),
        result=reading.result,
        identifier=reading.identifier,
        presence=RECORDED,
        changed=(),
        first_updated=places[0].modified or None,
        last_updated=places[0].modified or None,
        first_retrieved=retrieved.get(places[0].sha256),
        value=reading.value,
        value_text=reading.value_text,
        spread=reading.spread,
        method=reading.method,
        method_label=reading.method_label,
        configuration=reading.configuration,
        group=reading.group,
        reported_in=reading.reported_in,
        origin_paper=reading.origin_paper,
        page=places[0].page,
        lines=" ".join(place.lines for place in places),
        sha256=places[0].sha256,
        coverage=moment.coverage,
    )


def _missing(moment: Moment, before: State | None, retrieved: dict[str, str]) -> State:
    assert before is not None
    # The page that had it says so itself where a state of it came; else it is a page count that says so.
    source = next((it for it in moment.sources if it.page == before.page), moment.sources[0])
    return State(
        *_head(moment),
        result=before.result,
        identifier=before.identifier,
        presence=UNREADABLE if before.identifier in moment.mentioned else GONE,
        changed=(),
        first_updated=moment.at or None,
        last_updated=moment.at or None,
        first_retrieved=retrieved.get(source.sha256),
        value=None,
        value_text=None,
        spread=None,
        method=None,
        method_label=None,
        configuration=None,
        group=None,
        reported_in=None,
        origin_paper=None,
        page=source.page,
        lines=None,
        sha256=source.sha256,
        coverage=moment.coverage,
    )


def _head(moment: Moment) -> tuple[str, str, str, str, str, str]:
    return (
        moment.benchmark,
        moment.benchmark_label,
        moment.metric,
        moment.metric_label,
        moment.unit_text,
        moment.direction_text,
    )


_FIELDS = {
    "reporting paper": "reported_in",
    "origin paper": "origin_paper",
    "method": "method_label",
    "unit": "unit_text",
    "direction": "direction_text",
}


def _changed(before: State, state: State) -> tuple[str, ...]:
    """Return in what a state differs from the one before it, in words."""
    if before.presence != state.presence:
        return (state.presence if state.presence != RECORDED else "back",)
    if state.presence != RECORDED:
        return ()
    changed = []
    if (before.value, before.spread) != (state.value, state.spread) or (
        state.value is None and before.value_text != state.value_text
    ):
        changed.append("value")
    elif before.value_text != state.value_text:
        changed.append("text")
    # Of one comparison group are those of one configuration, whatever the order in which its keys are printed.
    if before.configuration != state.configuration or before.group != state.group:
        changed.append("configuration")
    changed += [word for word, field in _FIELDS.items() if getattr(before, field) != getattr(state, field)]
    return tuple(changed)


def boards(moments: Iterable[Moment], retrieved: dict[str, str]) -> tuple[Board, ...]:
    """Return the best recorded score over time of each metric, a series a configuration, the oldest first."""
    by_metric: dict[str, list[Moment]] = {}
    for moment in moments:
        by_metric.setdefault(moment.metric, []).append(moment)
    return tuple(_board(by_metric[metric], retrieved) for metric in sorted(by_metric))


def _board(moments: Sequence[Moment], retrieved: dict[str, str]) -> Board:
    groups = {
        reading.group: reading.configuration or ""
        for moment in moments
        for reading in moment.readings
        if reading.group and reading.rank
    }
    series = [
        Series(configuration, group, tuple(_points(moments, group, retrieved)))
        for group, configuration in sorted(groups.items(), key=lambda it: (it[1], it[0]))
    ]
    return Board(*_head(moments[-1]), series=tuple(series), apart=tuple(_apart(moments)))


def _points(moments: Sequence[Moment], group: str, retrieved: dict[str, str]) -> Iterator[Point]:
    before: Point | None = None
    for moment in moments:
        point = _point(moment, group, retrieved)
        if before is None and point.value is None:
            continue  # the configuration is of a later time
        if before and _same_best(before, point):
            before = replace(before, last_updated=point.last_updated or before.last_updated)
            continue
        if before:
            yield before
        before = point
    if before:
        yield before


def _point(moment: Moment, group: str, retrieved: dict[str, str]) -> Point:
    members = [reading for reading in moment.readings if reading.group == group and reading.rank]
    best = sorted((it for it in members if it.rank == 1), key=lambda it: (it.method_label, it.result))
    places = best[0].latest if best else moment.sources[:1]
    return Point(
        first_updated=moment.at or None,
        last_updated=moment.at or None,
        first_retrieved=retrieved.get(places[0].sha256),
        value=best[0].value if best else None,
        value_text=best[0].value_text if best else None,
        results=tuple(it.result for it in best),
        methods=tuple(it.method for it in best),
        method_labels=tuple(it.method_label for it in best),
        page=places[0].page,
        lines=" ".join(place.lines for place in places) or None,
        sha256=places[0].sha256,
        scores=len(members),
        coverage=moment.coverage,
    )


def _same_best(one: Point, other: Point) -> bool:
    def told(point: Point) -> tuple[object, ...]:
        return point.value, point.value_text, point.results, point.methods, point.scores, point.coverage

    return told(one) == told(other)


def _apart(moments: Sequence[Moment]) -> Iterator[Apart]:
    reasons = sorted({it.unranked for moment in moments for it in moment.readings if it.unranked})
    for reason in reasons:
        counts = [(moment, sum(it.unranked == reason for it in moment.readings)) for moment in moments]
        times = [moment.at or None for moment, count in counts if count]
        yield Apart(reason, max(count for _, count in counts), times[0], times[-1])
