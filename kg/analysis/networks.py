"""Views of the knowledge graph as arrays: which nodes there are, and which edge leads from which to which.

Nodes are named by their IRI and have a label and a kind, two strings; literals and blank nodes are
never nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar, overload

from kg.errors import Misuse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VIEWS", "Form", "Group", "Network", "Places", "Texts", "Weights", "camel", "named"]

Places: TypeAlias = "NDArray[np.intp]"
"""Places in a sequence, counted from 0."""

Weights: TypeAlias = "NDArray[np.float64]"

_T = TypeVar("_T")


class Form(NamedTuple):
    """What kind of graph a view is.

    Two nodes of a ``parallel`` one may be joined by several edges, one a property; ``weighted`` edges
    count the results or benchmarks that they stand for. The edges of a ``compared`` one are comparisons, one a
    comparison group: a difference each, and the weight 1, or 0 for a tie.
    """

    directed: bool
    parallel: bool
    weighted: bool
    compared: bool = False


VIEWS = MappingProxyType(
    {
        # Which method beats which: better to worse, an edge a comparison group.
        "beats": Form(directed=True, parallel=True, weighted=True, compared=True),
        # Datasets and the tasks they are used for, by the number of benchmarks: no edge joins two of a kind.
        "datasets-tasks": Form(directed=False, parallel=False, weighted=True),
        # Every relation between two nodes.
        "everything": Form(directed=True, parallel=True, weighted=False),
        # Methods that share a comparison group, by the number of benchmarks on which they do.
        "methods": Form(directed=False, parallel=False, weighted=True),
        # Methods and the benchmarks they have results on: no edge joins two of a kind.
        "methods-benchmarks": Form(directed=False, parallel=False, weighted=True),
        # Reporting paper to origin paper, by the results of such methods. A paper that reports its own
        # methods has an edge to itself, which measures leave out.
        "papers": Form(directed=True, parallel=False, weighted=True),
    }
)
"""The views by name; the CONSTRUCT that each is made from has the same name."""


class Group(NamedTuple):
    """A comparison group: scores of one metric of one benchmark under one configuration.

    ``group``, ``benchmark`` and ``metric`` are IRIs; unit and direction are as printed; the configuration is
    canonical JSON.
    """

    group: str
    benchmark: str
    benchmark_label: str
    metric: str
    metric_label: str
    unit_text: str
    direction_text: str
    configuration: str


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A view as arrays.

    ``nodes`` are IRIs, sorted; ``labels`` and ``kinds`` are theirs, place by place. Edge number i leads
    from node ``sources[i]`` to node ``targets[i]`` by the property ``properties[relations[i]]`` (a local
    name, or the IRI where two would share one) and weighs ``weights[i]``. No edge comes twice; they are
    in no order.

    Where the edges are comparisons (``form.compared``), ``properties`` are the IRIs of the comparison groups,
    ``groups`` tells what each is, and ``differences[i]`` is by how much the source is better, in the unit of
    the metric: 0 for a tie, which is one edge.
    """

    name: str
    form: Form
    nodes: Sequence[str]
    labels: Sequence[str]
    kinds: Sequence[str]
    sources: Places
    targets: Places
    weights: Weights
    relations: Places
    properties: Sequence[str]
    differences: Weights | None = None
    groups: Sequence[Group] = ()


class Texts(Sequence[str]):
    """A text a node, made when it is asked for: of a million nodes, few are ever shown."""

    def __init__(self, nodes: Sequence[str], text: Callable[[str], str]) -> None:
        self._nodes = nodes
        self._text = text

    def __len__(self) -> int:
        return len(self._nodes)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return list(map(self._text, self._nodes[index])) if isinstance(index, slice) else self._text(self._nodes[index])

    def __iter__(self) -> Iterator[str]:
        return map(self._text, self._nodes)


def camel(field: str) -> str:
    """Return the name of a field as queries name their columns.

    >>> camel("benchmark_label")
    'benchmarkLabel'
    """
    first, *others = field.split("_")
    return first + "".join(map(str.capitalize, others))


def named(table: Mapping[str, _T], what: str, name: str) -> _T:
    """Return what a table has under a name; raises ``Misuse`` with the names it has where that is none of them."""
    if name not in table:
        raise Misuse(f"there is no {what} {name!r}; choose one of {', '.join(sorted(table))}")
    return table[name]
