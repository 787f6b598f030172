"""What a query gives, in terms as N-Triples text, so that no caller depends on the database's own objects."""

from __future__ import annotations

from dataclasses import dataclass

import pyoxigraph

from kg.terms import Triple

__all__ = ["Answer", "Solutions", "answer"]


@dataclass(frozen=True, slots=True)
class Solutions:
    """The rows of a SELECT: one N-Triples term a variable, None where it is unbound."""

    variables: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


Answer = Solutions | bool | tuple[Triple, ...]
"""The rows of a SELECT, the truth of an ASK, or the triples of a CONSTRUCT or DESCRIBE, sorted, each once."""


def answer(result: pyoxigraph.QuerySolutions | pyoxigraph.QueryBoolean | pyoxigraph.QueryTriples) -> Answer:
    """Return the whole answer that the database would give piece by piece."""
    if isinstance(result, pyoxigraph.QueryBoolean):
        return bool(result)
    if isinstance(result, pyoxigraph.QueryTriples):
        return tuple(sorted({(str(t.subject), str(t.predicate), str(t.object)) for t in result}))
    rows = tuple(tuple(None if node is None else str(node) for node in row) for row in result)
    return Solutions(tuple(variable.value for variable in result.variables), rows)
