"""Which state of a view is the current one: a decision on plain records, without a database.

A view is one page of a leaderboard. Its states are ordered by the time the page states and then
by the hash of its bytes, and the last is current, whatever the order of reading. A view that lies
beyond the page count of a newer view of the same leaderboard is retired.

The outcome depends neither on the order of the views nor on how they are spread over updates, as
long as a leaderboard that has shrunk does not grow again: a page retired by a state that was itself
replaced since comes back when its source is read again, and not before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kg.model import ViewGraph

__all__ = ["Superseded", "UpdateReport", "ViewState", "decide"]


@dataclass(frozen=True, slots=True)
class ViewState:
    """One state of one view; ``graph`` and ``series`` are IRIs, ``modified`` is empty without a time."""

    graph: str
    series: str
    page_number: int
    page_count: int | None
    modified: str
    sha256: str

    @classmethod
    def of(cls, view: ViewGraph) -> ViewState:
        """Return the state that a view's graph describes."""
        return cls(view.graph, view.series, view.page_number, view.page_count, view.modified, view.sha256)

    @property
    def age(self) -> tuple[str, str]:
        """The time and the hash: the greater is the later state.

        Canonical times compare as text once the Z is gone, which sorts after the point of a fraction.
        """
        return self.modified.removesuffix("Z"), self.sha256

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

    ``stored`` tells whether the store held it (and holds it no more), or refused it. ``file`` is
    where a refused state was read from.
    """

    view: ViewState
    by: ViewState
    reason: str
    stored: bool
    file: str = ""


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What became of each view handed to an update, each list sorted by view.

    ``added`` and ``replaced`` are current now; ``unchanged`` were so before (or were read twice).
    ``stale`` states are older than the current one and refused. ``tied`` states have the time of the
    current one and other bytes, and lost by their hash. ``retired`` views lie beyond a page count.
    """

    added: tuple[ViewGraph, ...] = ()
    replaced: tuple[ViewGraph, ...] = ()
    unchanged: tuple[ViewGraph, ...] = ()
    stale: tuple[Superseded, ...] = ()
    tied: tuple[Superseded, ...] = ()
    retired: tuple[Superseded, ...] = ()

    @property
    def dropped(self) -> tuple[str, ...]:
        """The graphs of the stored views that are retired."""
        return tuple(lost.view.graph for lost in self.retired if lost.stored)

    @property
    def changed(self) -> bool:
        """Whether any view of the store is another one than before."""
        return bool(self.added or self.replaced or self.dropped)


def _superseded(view: ViewState, by: ViewState, *, stored: bool = False, file: str = "") -> Superseded:
    if view.modified == by.modified:
        when = f"the same time ({by.modified})" if by.modified else "no time"
        reason = f"two states with {when} but different bytes, of which the hash decides"
    else:
        was = f"modified {view.modified}" if view.modified else "without a time"
        reason = f"{was}, older than the current state of {by.modified}"
    return Superseded(view, by, reason, stored, file)


def _retired(view: ViewState, by: ViewState, *, stored: bool = False, file: str = "") -> Superseded:
    reason = f"page {view.page_number} is beyond the {by.page_count} that the state of {by.modified} counts"
    return Superseded(view, by, reason, stored, file)


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


def _choose(views: Iterable[ViewGraph], held: Mapping[str, ViewState]) -> tuple[dict[str, ViewGraph], list[ViewGraph]]:
    """Return the latest view of each graph, where the store holds no later one, and all others."""
    groups = defaultdict(list)
    for view in views:
        groups[view.graph].append(view)
    chosen: dict[str, ViewGraph] = {}
    others: list[ViewGraph] = []
    for graph, group in sorted(groups.items()):
        group.sort(key=lambda view: (ViewState.of(view).age, view.lines))
        if graph not in held or held[graph].age <= ViewState.of(group[-1]).age:
            chosen[graph] = group.pop()
        others += group
    return chosen, others


def decide(views: Iterable[ViewGraph], stored: Iterable[ViewState], holds: Callable[[ViewGraph], bool]) -> UpdateReport:
    """Return what an update with the views does.

    ``stored`` are the current states of the views given and of all views of their series.
    ``holds`` tells whether the store has exactly the triples of a view: where the state is the
    same and the triples are not, the page is read in another way now, and the view is replaced.
    """
    held = {state.graph: state for state in stored}
    chosen, others = _choose(views, held)
    current = held | {graph: ViewState.of(view) for graph, view in chosen.items()}
    retirers = _retirers(current)
    retired = [_retired(held[graph], by, stored=True) for graph, by in sorted(retirers.items()) if graph in held]
    retired += [
        _retired(current[graph], retirers[graph], file=view.file)
        for graph, view in chosen.items()
        if graph in retirers and not _is(view, held.get(graph))
    ]
    kept = [view for graph, view in chosen.items() if graph not in retirers]
    same = {view.graph for view in kept if _is(view, held.get(view.graph)) and holds(view)}
    replaced = [view for view in kept if view.graph in held and view.graph not in same]
    lost = [
        _superseded(held[view.graph], current[view.graph], stored=True)
        for view in replaced
        if view.modified == held[view.graph].modified and not _is(view, held[view.graph])
    ]
    lost += [
        _superseded(ViewState.of(view), current[view.graph], file=view.file)
        for view in others
        if not _is(view, current[view.graph])
    ]
    return UpdateReport(
        added=tuple(view for view in kept if view.graph not in held),
        replaced=tuple(replaced),
        unchanged=(
            *(view for view in kept if view.graph in same),
            *(view for view in others if _is(view, current[view.graph])),
        ),
        stale=tuple(one for one in lost if one.view.modified != one.by.modified),
        tied=tuple(one for one in lost if one.view.modified == one.by.modified),
        retired=tuple(retired),
    )


def _is(view: ViewGraph, state: ViewState | None) -> bool:
    """Tell whether a view is read from the bytes of this state."""
    return state is not None and ViewState.of(view).age == state.age
