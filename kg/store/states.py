"""Which state of a view is the current one: a decision on plain records, without a database.

A view is one page of a leaderboard. Its states are ordered by the time the page states and then
by the hash of its bytes, and the last is current, whatever the order of reading. A view that lies
beyond the page count of a newer view of the same leaderboard is retired.

The outcome depends neither on the order of the views nor on how they are spread over updates, as
long as a leaderboard that has shrunk does not grow again: a page retired by a state that was itself
replaced since comes back when its source is read again, and not before.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kg.terms import utf8

if TYPE_CHECKING:
    from kg.model import ViewGraph

__all__ = ["Superseded", "UpdateReport", "ViewState", "decide"]

_DIGITS = 32  # 128 bits, as the database itself tells terms apart


@dataclass(frozen=True, slots=True)
class ViewState:
    """One state of one view; ``graph`` and ``series`` are IRIs, ``modified`` is empty without a time.

    ``sha256`` is the hash of the page's bytes, ``digest`` that of what was read from them: the view's
    triples. ``file`` is where they were read from, for messages alone.
    """

    graph: str
    series: str
    page_number: int
    page_count: int | None
    modified: str
    sha256: str
    digest: str
    file: str = field(default="", compare=False)

    @classmethod
    def of(cls, view: ViewGraph, text: bytes | None = None) -> ViewState:
        """Return the state that a view's graph describes; ``text`` are its lines as UTF-8, where they are at hand."""
        content = hashlib.sha256(f"{view.graph}\n".encode())
        content.update(utf8(view.lines) if text is None else text)
        return cls(
            graph=view.graph,
            series=view.series,
            page_number=view.page_number,
            page_count=view.page_count,
            modified=view.modified,
            sha256=view.sha256,
            digest=content.hexdigest()[:_DIGITS],
            file=view.file,
        )

    @property
    def age(self) -> tuple[str, str]:
        """The time and the hash: the greater is the later state.

        Canonical times compare as text once the Z is gone, which sorts after the point of a fraction.
        """
        return self.modified.removesuffix("Z"), self.sha256

    def is_of(self, until: str) -> bool:
        """Tell whether the page was updated by the end of a day in UTC; any state is where no day is given.

        >>> ViewState("", "", 1, 1, "2026-02-26T23:59:59.5Z", "", "").is_of("2026-02-26")
        True
        """
        return not until or (bool(self.modified) and self.modified.partition("T")[0] <= until)

    def retires(self, other: ViewState) -> bool:
        """Tell whether this state says, later than the other, that there is no such page any more.

        A page count below the page's own number says nothing, so that one misprint removes nothing.
        """
        if self.page_count is None or self.series != other.series or not self.series:
            return False
        return self.age[0] > other.age[0] and max(self.page_count, self.page_number) < other.page_number


@dataclass(frozen=True, slots=True)
class Superseded:
    """A state that is not current because of another one, and why.

    ``stored`` tells whether the store held it (and holds it no more), or refused it.
    """

    view: ViewState
    by: ViewState
    reason: str
    stored: bool


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What became of each view handed to an update, each list sorted by view.

    ``added`` and ``replaced`` are current now; ``unchanged`` were so before (or were read twice).
    ``stale`` states are older than the current one and refused. ``tied`` states have the time of the
    current one and other bytes, and lost by their hash. ``retired`` views lie beyond a page count.
    ``beyond`` states are later than the day asked for, or have no time.
    """

    added: tuple[ViewState, ...] = ()
    replaced: tuple[ViewState, ...] = ()
    unchanged: tuple[ViewState, ...] = ()
    stale: tuple[Superseded, ...] = ()
    tied: tuple[Superseded, ...] = ()
    retired: tuple[Superseded, ...] = ()
    beyond: tuple[ViewState, ...] = ()

    @property
    def dropped(self) -> tuple[str, ...]:
        """The graphs of the stored views that are retired."""
        return tuple(lost.view.graph for lost in self.retired if lost.stored)

    @property
    def changed(self) -> bool:
        """Whether any view of the store is another one than before."""
        return bool(self.added or self.replaced or self.dropped)


def _superseded(view: ViewState, by: ViewState, *, stored: bool = False) -> Superseded:
    if view.modified == by.modified:
        when = f"the same time ({by.modified})" if by.modified else "no time"
        reason = f"two states with {when} but different bytes, of which the hash decides"
    else:
        was = f"modified {view.modified}" if view.modified else "without a time"
        reason = f"{was}, older than the current state of {by.modified}"
    return Superseded(view, by, reason, stored)


def _retired(view: ViewState, by: ViewState, *, stored: bool = False) -> Superseded:
    reason = f"page {view.page_number} is beyond the {by.page_count} that the state of {by.modified} counts"
    return Superseded(view, by, reason, stored)


def _retirers(current: Mapping[str, ViewState]) -> dict[str, ViewState]:
    """Return the graph of each view that is retired, and the latest state that retires it."""
    series = defaultdict(list)
    for state in current.values():
        series[state.series].append(state)
    return {
        state.graph: max(by, key=lambda other: other.age)
        for states in series.values()
        for state in states
        if (by := [other for other in states if other.retires(state)])
    }


def _choose(states: Iterable[ViewState], held: Mapping[str, ViewState]) -> tuple[dict[str, ViewState], list[ViewState]]:
    """Return the latest state of each view, where the store holds no later one, and all others."""
    groups = defaultdict(list)
    for state in states:
        groups[state.graph].append(state)
    chosen: dict[str, ViewState] = {}
    others: list[ViewState] = []
    for graph, group in sorted(groups.items()):
        group.sort(key=lambda state: (state.age, state.digest))
        if graph not in held or held[graph].age <= group[-1].age:
            chosen[graph] = group.pop()
        others += group
    return chosen, others


def decide(incoming: Iterable[ViewState], stored: Iterable[ViewState]) -> UpdateReport:
    """Return what an update with some states does.

    ``stored`` are the current states of the same views and of all other views of their series. Where
    the state is the same and its triples are not, the page is read in another way now, and the
    view is replaced.
    """
    held = {state.graph: state for state in stored}
    chosen, others = _choose(incoming, held)
    current = held | chosen
    retirers = _retirers(current)
    retired = [_retired(held[graph], by, stored=True) for graph, by in sorted(retirers.items()) if graph in held]
    retired += [
        _retired(state, retirers[graph])
        for graph, state in chosen.items()
        if graph in retirers and not _same_page(state, held.get(graph))
    ]
    kept = [state for graph, state in chosen.items() if graph not in retirers]
    same = {state.graph for state in kept if state == held.get(state.graph)}
    replaced = [state for state in kept if state.graph in held and state.graph not in same]
    lost = [
        _superseded(held[state.graph], state, stored=True)
        for state in replaced
        if state.modified == held[state.graph].modified and not _same_page(state, held[state.graph])
    ]
    lost += [
        _superseded(state, current[state.graph]) for state in others if not _same_page(state, current[state.graph])
    ]
    return UpdateReport(
        added=tuple(state for state in kept if state.graph not in held),
        replaced=tuple(replaced),
        unchanged=(
            *(state for state in kept if state.graph in same),
            *(it for it in others if it.graph not in retirers and _same_page(it, current[it.graph])),
        ),
        stale=tuple(one for one in lost if one.view.modified != one.by.modified),
        tied=tuple(one for one in lost if one.view.modified == one.by.modified),
        retired=tuple(retired),
    )


def _same_page(state: ViewState, other: ViewState | None) -> bool:
    """Tell whether two states were read from the same bytes."""
    return other is not None and state.age == other.age
