"""A knowledge graph of machine-learning benchmark results: like compared with like, each number traced to its line."""

from __future__ import annotations

from kg.api import build
from kg.api import open_graph as open  # noqa: A004 - kg.open reads best
from kg.errors import AmbiguousName, BenchkgError, Misuse, NothingRead, StoreError, UnknownName
from kg.knowledge_graph import KnowledgeGraph
from kg.rows import IRI, Rows

__all__ = [
    "IRI",
    "AmbiguousName",
    "BenchkgError",
    "KnowledgeGraph",
    "Misuse",
    "NothingRead",
    "Rows",
    "StoreError",
    "UnknownName",
    "build",
    "open",
]
