"""Leaderboards that ignore some settings on purpose, and what that does to the order of like with like.

A pooled rank is no statement of the graph: it is what comes of taking scores for comparable that
are not. So the answer names what it ignores, shows it beside each score, and lists every pair of
methods that comes the other way round where the two may be compared.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from difflib import get_close_matches
from itertools import combinations
from typing import Any

from kg.comparison import Leaderboard, Pool, Reversal, Standing, Table
from kg.errors import UnknownName
from kg.values import read_configuration
from kg.vocabulary import BK, DIRECTIONS

__all__ = ["pool"]


def pool(boards: Sequence[Leaderboard], keys: Sequence[str]) -> list[Leaderboard]:
    """Return leaderboards whose scores are ranked together where they differ in some settings alone.

    ``keys`` are names of settings at the top of a configuration, or RFC 6901 pointers (``/Backbone/Depth``), of which
    one text may hold several with commas between; one of an object stands for all in it. What has no rank among its
    like has none here. Where two methods are held against each other, the best recorded score of each counts. Raises
    ``UnknownName`` for a key that no configuration of the leaderboards has.
    """
    there = sorted({pointer for board in boards for table in board.tables for pointer in _pointers(_read(table))})
    pointers = tuple(dict.fromkeys(pointer for key in keys for pointer in _pointers_of(key, there)))
    return [_pooled(board, pointers) for board in boards]


def _read(table: Table) -> Mapping[str, Any]:
    """Return the configuration of a table, if scores can be compared under it."""
    return json.loads(table.configuration) if table.group and table.configuration else {}


def _pointers(settings: object, above: str = "") -> Iterator[str]:
    """Yield the RFC 6901 pointers to all members of an object and of the objects in it."""
    if isinstance(settings, Mapping):
        for key, value in settings.items():
            pointer = f"{above}/{key.replace('~', '~0').replace('/', '~1')}"
            yield pointer
            yield from _pointers(value, pointer)


def _pointers_of(keys: str, there: Sequence[str]) -> list[str]:
    """Return the pointers of one key, which may have a comma in it, or of several with commas between."""
    try:
        return [_pointer(keys, there)]
    except UnknownName:
        if "," not in keys:
            raise
        return [_pointer(key.strip(), there) for key in keys.split(",") if key.strip()]


def _pointer(key: str, there: Sequence[str]) -> str:
    """Return the pointer that a key means: the name of a setting at the top, or a pointer."""
    named = f"/{key.replace('~', '~0').replace('/', '~1')}"
    if named in there:
        return named
    if key in there:
        return key
    names = [pointer.removeprefix("/") for pointer in there]
    near = tuple(get_close_matches(key, names))
    known = ", ".join(names) if names else "none: no score has a configuration that it may be compared under"
    raise UnknownName(f"no configuration has the setting {key!r}; the settings are {known}", near)


def _split(settings: Mapping[str, Any], pointers: Iterable[str]) -> tuple[str, str]:
    """Return the canonical JSON of what is left of a configuration, and of what is taken out of it by pointer."""
    left = json.loads(json.dumps(settings))
    taken: dict[str, Any] = {}
    for pointer in pointers:
        *path, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        inside = left
        for part in path:
            inside = inside.get(part) if isinstance(inside, dict) else None
        if isinstance(inside, dict) and last in inside:
            taken[pointer.removeprefix("/")] = inside.pop(last)
    return _canonical(left), _canonical(taken)


def _canonical(settings: Mapping[str, Any]) -> str:
    found = read_configuration(json.dumps(settings))
    return found.canonical if found else "{}"


def _pooled(board: Leaderboard, pointers: tuple[str, ...]) -> Leaderboard:
    sign = -1 if DIRECTIONS.get(board.direction_text) == BK.LowerIsBetter else 1
    together: defaultdict[str, list[Table]] = defaultdict(list)
    unranked: list[Table] = []
    for table in board.tables:
        ranked = [standing for standing in table.standings if standing.rank is not None]
        if others := tuple(standing for standing in table.standings if standing.rank is None):
            unranked.append(replace(table, standings=others))
        if ranked:
            left, ignored = _split(_read(table), pointers)
            shown = tuple(replace(standing, ignored=ignored) for standing in ranked)
            together[left].append(replace(table, standings=shown))
    pooled = [(left, alike, _rank(alike, sign)) for left, alike in sorted(together.items())]
    pairs = met = 0
    reversals: list[Reversal] = []
    for _, alike, standings in pooled:
        best = _best_of_methods(standings, sign)
        like = [(table, _best_of_methods(table.standings, sign)) for table in alike]
        pairs += len(best) * (len(best) - 1) // 2
        met += len({pair for _, its in like for pair in combinations(sorted(its), 2)})
        reversals += _reversals(best, like, sign)
    return replace(
        board,
        tables=(*(Table(left, None, standings) for left, _, standings in pooled), *unranked),
        pooled=Pool(pointers, pairs, pairs - met, tuple(reversals)),
    )


def _value(standing: Standing) -> Decimal:
    assert standing.value is not None, "what has a rank has a value"
    return standing.value


def _merit(standing: Standing, sign: int) -> Decimal:
    return sign * _value(standing)


def _rank(alike: Iterable[Table], sign: int) -> tuple[Standing, ...]:
    """Return the standings of tables together, best first, each with 1 + the number of those that are better."""
    standings = [standing for table in alike for standing in table.standings]
    standings.sort(key=lambda it: (-_merit(it, sign), it.method_label, it.identifier, it.result))
    found: list[Standing] = []
    for place, standing in enumerate(standings, 1):
        rank = found[-1].rank if found and found[-1].value == standing.value else place
        found.append(replace(standing, rank=rank))
    return tuple(found)


def _best_of_methods(standings: Iterable[Standing], sign: int) -> dict[str, Standing]:
    """Return the best of the standings of each method."""
    best: dict[str, Standing] = {}
    for standing in standings:
        known = best.setdefault(standing.method, standing)
        if _merit(standing, sign) > _merit(known, sign):
            best[standing.method] = standing
    return best


def _reversals(
    best: Mapping[str, Standing], like: Iterable[tuple[Table, Mapping[str, Standing]]], sign: int
) -> Iterator[Reversal]:
    """Yield the pairs of methods that come in one order in a pool, and in the other where they may be compared."""
    for table, its in like:
        for pair in combinations(its.values(), 2):
            other, one = sorted(pair, key=lambda it: _merit(it, sign))  # the second is better, unless they are equal
            first, second = best[other.method], best[one.method]
            if _merit(one, sign) > _merit(other, sign) and _merit(first, sign) > _merit(second, sign):
                yield Reversal(
                    method=first.method,
                    method_label=first.method_label,
                    other=second.method,
                    other_label=second.method_label,
                    value=_value(first),
                    other_value=_value(second),
                    result=first.result,
                    other_result=second.result,
                    configuration=table.configuration or "",
                    group=table.group or "",
                    like_value=_value(other),
                    like_other_value=_value(one),
                )
