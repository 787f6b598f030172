"""The scores table as a Parquet file (https://parquet.apache.org/docs/file-format/)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import polars as pl

from kg.errors import Misuse
from kg.files import replacing
from kg.scores.building import COLUMNS

__all__ = ["join_parquet", "read_parquet", "write_parquet"]

_ROW_GROUP = 1 << 16


def write_parquet(scores: pl.DataFrame, target: Path | BinaryIO) -> None:
    """Write a scores table to a Parquet file, which appears whole or not at all, or to an open stream.

    The same table gives the same bytes with the same version of polars.
    """
    if isinstance(target, Path):
        with replacing(target) as stream:
            write_parquet(scores, stream)
        return
    scores.write_parquet(target, compression="zstd", row_group_size=_ROW_GROUP, statistics=True)


def join_parquet(parts: Sequence[Path], target: Path) -> None:
    """Write the rows of Parquet files of scores tables into one, in order; all of them need not fit into memory."""
    rows = pl.scan_parquet(list(parts))
    rows.sink_parquet(target, compression="zstd", row_group_size=_ROW_GROUP, maintain_order=True)


def read_parquet(path: Path) -> pl.DataFrame:
    """Return the scores table that ``write_parquet`` wrote; raises Misuse where the file is none."""
    try:
        scores = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise Misuse(f"{path}: is no scores table that can be read ({error}).") from error
    if missing := [column for column in COLUMNS if column not in scores.columns]:
        raise Misuse(f"{path}: is no scores table; it has no column {missing[0]!r}.")
    return scores
