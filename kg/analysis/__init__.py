"""Views of the knowledge graph, measures over them, and the files other tools read.

A view is a ``Network`` of arrays, which measures are quick on, and a networkx graph for users.
"""

from __future__ import annotations

from kg.analysis.contests import Contests, contests
from kg.analysis.evaluations import Coverage, Influence, coverage, influence
from kg.analysis.gaps import Missing, Saturation, missing, saturation
from kg.analysis.graphs import from_networkx, to_networkx, view
from kg.analysis.measures import MEASURES, Measured, Ranking, measure, projection
from kg.analysis.networks import VIEWS, Form, Group, Network
from kg.analysis.orders import Cycle, Layers, Stability, cycles, layers, stability
from kg.analysis.ranks import RANKS, Ranked, borda, bradley_terry, copeland
from kg.analysis.reading import Reader, network
from kg.analysis.tables import Table
from kg.analysis.writing import FORMATS, write_graph

__all__ = [
    "FORMATS",
    "MEASURES",
    "RANKS",
    "VIEWS",
    "Contests",
    "Coverage",
    "Cycle",
    "Form",
    "Group",
    "Influence",
    "Layers",
    "Measured",
    "Missing",
    "Network",
    "Ranked",
    "Ranking",
    "Reader",
    "Saturation",
    "Stability",
    "Table",
    "borda",
    "bradley_terry",
    "contests",
    "copeland",
    "coverage",
    "cycles",
    "from_networkx",
    "influence",
    "layers",
    "measure",
    "missing",
    "network",
    "projection",
    "saturation",
    "stability",
    "to_networkx",
    "view",
    "write_graph",
]
