"""Networks as networkx graphs, which is what users receive, and networkx graphs as networks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kg.analysis.networks import Form, Network, Places
from kg.analysis.reading import network
from kg.terms import Triple

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["View", "from_networkx", "to_networkx", "view"]

View: TypeAlias = "nx.Graph[str]"


def to_networkx(network: Network) -> View:
    """Return a network as a networkx graph: a MultiDiGraph, a DiGraph or a Graph, by its form.

    Nodes carry ``label`` and ``kind``. Edges carry ``relation``, which is also the key of one of several
    between two nodes, and ``weight`` where they have one. Every attribute is a string or a number, so
    that each exporter of networkx takes the graph as it is.
    """
    import networkx as nx

    form = network.form
    graph: View = (nx.MultiDiGraph if form.parallel else nx.DiGraph if form.directed else nx.Graph)(name=network.name)
    for node, label, kind in zip(network.nodes, network.labels, network.kinds, strict=True):
        graph.add_node(node, label=label, kind=kind)
    order = _order(network)
    ends = ([network.nodes[place] for place in part[order].tolist()] for part in (network.sources, network.targets))
    names = [network.properties[number] for number in network.relations[order].tolist()]
    for source, target, name, weight in zip(*ends, names, network.weights[order].tolist(), strict=True):
        weighted = {"weight": int(weight) if weight.is_integer() else weight} if form.weighted else {}
        parallel = {"key": name} if form.parallel else {}
        graph.add_edge(source, target, relation=name, **parallel, **weighted)
    return graph


def _order(network: Network) -> Places:
    """Return the places of the edges in an order that only they decide: that of N-Triples lines, or of their ends."""
    if not network.form.parallel:
        return np.lexsort((network.targets, network.sources))
    as_terms = sorted(range(len(network.nodes)), key=lambda place: f"{network.nodes[place]}>")
    ranks = np.empty(len(network.nodes), dtype=np.intp)
    ranks[as_terms] = np.arange(len(network.nodes))
    return np.lexsort((ranks[network.targets], network.relations, ranks[network.sources]))


def from_networkx(graph: nx.Graph[Any]) -> Network:
    """Return a networkx graph as a network; edges without a ``weight`` weigh 1."""
    nodes = sorted(graph)
    places = {node: place for place, node in enumerate(nodes)}
    edges = list(graph.edges(data="weight", default=1))
    sources, targets = (np.array([places[edge[end]] for edge in edges], dtype=np.intp) for end in (0, 1))
    return Network(
        name=str(graph.name),
        form=Form(graph.is_directed(), graph.is_multigraph(), weighted=True),
        nodes=nodes,
        labels=[graph.nodes[node].get("label", "") for node in nodes],
        kinds=[graph.nodes[node].get("kind", "") for node in nodes],
        sources=sources,
        targets=targets,
        weights=np.array([edge[2] for edge in edges], dtype=np.float64),
        relations=np.zeros(len(edges), dtype=np.intp),
        properties=("",),
    )


def view(name: str, triples: Iterable[Triple]) -> View:
    """Return a networkx graph of the triples that the CONSTRUCT of the same name gives; see ``network``.

    >>> from kg.vocabulary import BK
    >>> tern, paper = "<https://example.org/tern>", "<https://example.org/paper>"
    >>> graph = view("everything", [(tern, BK.originPaper, paper), (tern, BK.reportedIn, paper)])
    >>> sorted(key for *_, key in graph.edges(keys=True))
    ['originPaper', 'reportedIn']
    """
    return to_networkx(network(name, triples))
