"""The scores table of a store: written beside a large build, read where it was, else made.

A store on a disk is taken some benchmarks at a time, so that memory does not grow with it: all that
the rows of a benchmark say is stated by the pages of that benchmark, unless a result stands on the
pages of two.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kg.errors import Misuse
from kg.resources import code_digest
from kg.terms import lexical
from kg.vocabulary import BK

if TYPE_CHECKING:
    import polars as pl

    from kg.store import Store

__all__ = ["scores_of", "write_beside"]

_VIEWS_AT_ONCE = 1_000


def scores_of(store: Store) -> pl.DataFrame:
    """Return the scores table of a store (``kg.scores.COLUMNS``); raises Misuse where polars is missing."""
    try:
        from kg import scores
    except ModuleNotFoundError as error:
        if error.name != "polars":
            raise
        raise Misuse("The scores table needs polars: pip install 'benchkg[parquet]'.") from error
    if store.path is None:
        return scores.table(partial(store.write_lines, graphs=False))
    kept = _place(store)
    if kept and kept.is_file():
        return scores.read_parquet(kept)
    with tempfile.TemporaryDirectory(prefix="kg-scores-") as folder:
        return scores.read_parquet(_written(store, Path(folder)))


def write_beside(store: Store) -> None:
    """Write the scores table of a store that is being written beside its data, where polars is there."""
    try:
        import polars as pl  # noqa: F401 - an extra
    except ModuleNotFoundError:
        return
    if place := _place(store):
        with tempfile.TemporaryDirectory(prefix="scores-", dir=place.parent) as folder:
            _written(store, Path(folder)).replace(place)


def _place(store: Store) -> Path | None:
    """Return where the table lies; other code may say something else in it, so its name would be another."""
    return store.beside(f"scores-{code_digest()[:16]}.parquet")


def _written(store: Store, folder: Path) -> Path:
    """Write the table of a store on a disk into a folder, part by part and then as one file, and return that."""
    from kg import scores

    target = folder / "scores.parquet"
    parts: list[Path] = []
    results: list[pl.Series] = []
    for views in _ranges(store):
        table = scores.table(partial(store.write_views, views))
        parts.append(folder / f"part-{len(parts)}.parquet")
        scores.write_parquet(table, parts[-1])
        results.append(table["result"].unique().hash())
    if not parts or _have_common(results):
        scores.write_parquet(scores.table(partial(store.write_lines, graphs=False)), target)
    else:
        scores.join_parquet(parts, target)
    return target


def _have_common(columns: Sequence[pl.Series]) -> bool:
    """Tell whether a value stands in several columns, each of which has it once."""
    import polars as pl

    return not pl.concat(columns).is_unique().all()


def _ranges(store: Store) -> Iterator[list[str]]:
    """Yield the views of some benchmarks after the other, in the order of benchmarks."""
    defined = reversed(store.match(None, BK.definedFor, None))
    benchmarks = {lexical(metric): lexical(benchmark) for metric, _, benchmark in defined}
    views: defaultdict[str, list[str]] = defaultdict(list)
    for state in store.views():
        views[benchmarks.get(state.series, "")].append(state.graph)
    taken: list[str] = []
    for _, its in sorted(views.items()):
        taken += its
        if len(taken) >= _VIEWS_AT_ONCE:
            yield taken
            taken = []
    if taken:
        yield taken
