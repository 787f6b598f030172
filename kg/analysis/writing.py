"""Views as files that other tools read."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from kg.analysis.graphs import View
from kg.analysis.networks import named
from kg.files import replacing

__all__ = ["FORMATS", "write_graph"]


def _write_graphml(graph: View, file: BinaryIO) -> None:
    import networkx as nx

    if graph.is_multigraph():
        # networkx writes the key as the id of an edge, but an id may stand only once in an XML file.
        graph = graph.copy()
        for number, (*_, attributes) in enumerate(graph.edges(data=True)):
            attributes["id"] = f"e{number}"
    nx.write_graphml_xml(graph, file, edge_id_from_attribute="id" if graph.is_multigraph() else None)


def _write_gexf(graph: View, file: BinaryIO) -> None:
    import networkx as nx

    nx.write_gexf(graph, file)


def _write_json(graph: View, file: BinaryIO) -> None:
    import networkx as nx

    file.write(json.dumps(nx.node_link_data(graph, edges="edges"), ensure_ascii=False, indent=1).encode() + b"\n")


def _write_cytoscape(graph: View, file: BinaryIO) -> None:
    import networkx as nx

    file.write(json.dumps(nx.cytoscape_data(graph), ensure_ascii=False, indent=1).encode() + b"\n")


_WRITERS = MappingProxyType(
    {"cyjs": _write_cytoscape, "gexf": _write_gexf, "graphml": _write_graphml, "json": _write_json}
)
FORMATS = tuple(_WRITERS)
"""The formats of graph files: Cytoscape JSON, GEXF, GraphML and node-link JSON; each is a suffix too."""


def write_graph(graph: View, path: Path, form: str = "") -> None:
    """Write a view to a file, whole or not at all, in a format of ``FORMATS``: by name, else by the suffix.

    Raises ``Misuse`` for another one, and where the file cannot be written.
    """
    suffix = path.suffix.lower().removeprefix(".")
    writer = named(_WRITERS, "graph format", form) if form else named(_WRITERS, "graph format for the suffix", suffix)
    with replacing(path) as file:
        writer(graph, file)
