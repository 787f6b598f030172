"""The scores table: one row a score, with the names and keys of all that it belongs to, for whole-graph questions.

A question about every benchmark reads the graph once here and then columns alone: the table is a
polars DataFrame (https://docs.pola.rs, extra ``parquet``) that sorts, groups and goes to a Parquet
file. It is made from the lines of the graph, property by property: joining columns takes a
fraction of the time in which a store looks up each fact of each score.
"""

from __future__ import annotations

from kg.scores.answers import best, comparable_counts
from kg.scores.building import COLUMNS, table
from kg.scores.parquet import join_parquet, read_parquet, write_parquet
from kg.scores.statements import Source

__all__ = [
    "COLUMNS",
    "Source",
    "best",
    "comparable_counts",
    "join_parquet",
    "read_parquet",
    "table",
    "write_parquet",
]
