"""SHACL property paths over an indexed graph (https://www.w3.org/TR/shacl/#property-paths).

The same path is the same function, so that shapes share what it leads to.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kg.validation.index import Columns, Path

__all__ = ["alternative", "inverse", "sequence", "step"]


@cache
def step(property_: str) -> Path:
    """Follow a property."""
    return lambda index: index.columns(property_)


@cache
def inverse(path: Path) -> Path:
    """Go a path backwards."""
    return lambda index: path(index)[::-1]


@cache
def alternative(*paths: Path) -> Path:
    """Follow each of some paths."""
    return lambda index: _columns(pair for path in paths for pair in zip(*path(index), strict=True))


@cache
def sequence(*paths: Path) -> Path:
    """Follow one path after the other."""
    *first, last = paths
    if not first:
        return last
    before = sequence(*first)
    return lambda index: _columns(
        (node, far)
        for node, value in zip(*before(index), strict=True)
        for far in index.related(last).values.get(value, ())
    )


def _columns(pairs: Iterable[tuple[str, str]]) -> Columns:
    once = set(pairs)
    return [node for node, _ in once], [value for _, value in once]
