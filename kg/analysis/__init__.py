"""Views of the knowledge graph, measures over them, and the files other tools read.

A view is a ``Network`` of arrays, which measures are quick on, and a networkx graph for users.
"""

from __future__ import annotations

from kg.analysis.graphs import from_networkx, to_networkx, view
from kg.analysis.measures import MEASURES, Measured, Ranking, measure, projection
from kg.analysis.networks import VIEWS, Form, Network
from kg.analysis.reading import Reader, network
from kg.analysis.writing import write_graph

__all__ = [
    "MEASURES",
    "VIEWS",
    "Form",
    "Measured",
    "Network",
    "Ranking",
    "Reader",
    "from_networkx",
    "measure",
    "network",
    "projection",
    "to_networkx",
    "view",
    "write_graph",
]
