"""Networks as networkx graphs, which is what users receive, and networkx graphs as networks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kg.analysis.networks import Form, Group, Network, Places, camel
from kg.analysis.reading import network
from kg.terms import Triple

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["View", "from_networkx", "to_networkx", "view"]

View: TypeAlias = "nx.Graph[str]"


def to_networkx(network: Network) -> View:
    """Return a network as a networkx graph: a MultiDiGraph, a DiGraph or a Graph, by its form.

    Nodes carry ``label`` and ``kind``. Edges carry ``relation``, which is also the key of one of several
    between two nodes, and ``weight`` where they have one. Those of ``beats`` are keyed by their comparison
    group: ``relation`` is ``beats`` or ``ties``, ``difference`` is in the unit of the metric, and the fields of
    ``Group`` tell what the group is. Every attribute is a string or a number, so that each exporter of networkx
    takes the graph as it is.
    """
    import networkx as nx

    form = network.form
    graph: View = (nx.MultiDiGraph if form.parallel else nx.DiGraph if form.directed else nx.Graph)(name=network.name)
    for node, label, kind in zip(network.nodes, network.labels, network.kinds, strict=True):
        graph.add_node(node, label=label, kind=kind)
    if form.compared:
        _add_comparisons(graph, network)
        return graph
    order = _order(network)
    ends = ([network.nodes[place] for place in part[order].tolist()] for part in (network.sources, network.targets))
    names = [network.properties[number] for number in network.relations[order].tolist()]
    for source, target, name, weight in zip(*ends, names, network.weights[order].tolist(), strict=True):
        weighted = {"weight": int(weight) if weight.is_integer() else weight} if form.weighted else {}
        parallel = {"key": name} if form.parallel else {}
        graph.add_edge(source, target, relation=name, **parallel, **weighted)
    return graph


def _add_comparisons(graph: View, network: Network) -> None:
    assert network.differences is not None
    about = [{camel(field): text for field, text in group._asdict().items()} for group in network.groups]
    order = _order(network)
    parts = (network.sources, network.targets, network.relations, network.weights, network.differences)
    for source, target, number, weight, difference in zip(*(part[order].tolist() for part in parts), strict=True):
        graph.add_edge(
            network.nodes[source],
            network.nodes[target],
            key=network.properties[number],
            relation="beats" if difference > 0 else "ties",
            weight=int(weight),
            difference=difference,
            **about[number],
        )


def _order(network: Network) -> Places:
    """Return the places of the edges in an order that only they decide: that of N-Triples lines, or of their ends."""
    if not network.form.parallel:
        return np.lexsort((network.targets, network.sources))
    as_terms = sorted(range(len(network.nodes)), key=lambda place: f"{network.nodes[place]}>")
    ranks = np.empty(len(network.nodes), dtype=np.intp)
    ranks[as_terms] = np.arange(len(network.nodes))
    return np.lexsort((ranks[network.targets], network.relations, ranks[network.sources]))


def from_networkx(graph: nx.Graph[Any]) -> Network:
    """Return a networkx graph as a network; edges without a ``weight`` weigh 1.

    A graph whose edges have a ``group`` and a ``difference`` is taken for one of comparisons: the view
    ``beats``, or what is left of it.
    """
    nodes = sorted(graph)
    compared = _is_compared(graph)
    places = {node: place for place, node in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    sources, targets = (np.array([places[edge[end]] for edge in edges], dtype=np.intp) for end in (0, 1))
    told = {str(data["group"]): data for *_, data in edges} if compared else {}
    numbers = {group: number for number, group in enumerate(sorted(told))}
    if compared:
        relations = np.array([numbers[str(data["group"])] for *_, data in edges], dtype=np.intp)
        differences = np.array([data["difference"] for *_, data in edges], dtype=np.float64)
    else:
        relations, differences = np.zeros(len(edges), dtype=np.intp), None
    return Network(
        name=str(graph.name),
        form=Form(graph.is_directed(), graph.is_multigraph(), weighted=True, compared=compared),
        nodes=nodes,
        labels=[graph.nodes[node].get("label", "") for node in nodes],
        kinds=[graph.nodes[node].get("kind", "") for node in nodes],
        sources=sources,
        targets=targets,
        weights=np.array([data.get("weight", 1) for *_, data in edges], dtype=np.float64),
        relations=relations,
        properties=list(numbers) if compared else ("",),
        differences=differences,
        groups=[_group(told[group]) for group in numbers],
    )


def _is_compared(graph: nx.Graph[Any]) -> bool:
    every = [data for *_, data in graph.edges(data=True)]
    told = all({"group", "difference"} <= data.keys() for data in every)
    return graph.is_directed() and told and (bool(every) or str(graph.name) == "beats")


def _group(told: Mapping[str, Any]) -> Group:
    return Group(*(str(told.get(camel(field), "")) for field in Group._fields))


def view(name: str, triples: Iterable[Triple]) -> View:
    """Return a networkx graph of the triples that the CONSTRUCT of the same name gives; see ``network``.

    >>> from kg.vocabulary import BK
    >>> tern, paper = "<https://example.org/tern>", "<https://example.org/paper>"
    >>> graph = view("everything", [(tern, BK.originPaper, paper), (tern, BK.reportedIn, paper)])
    >>> sorted(key for *_, key in graph.edges(keys=True))
    ['originPaper', 'reportedIn']
    """
    return to_networkx(network(name, triples))
