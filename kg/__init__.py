"""A knowledge graph of machine-learning benchmark results: like compared with like, each number traced to its line."""

from __future__ import annotations

# Type checkers take this for true. Nothing is imported here, so that Ctrl-C finds nothing that is half loaded.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from kg.api import audit, build, cite, diff, fetch, history_of, remove
    from kg.api import open_graph as open  # noqa: A004 - kg.open reads best
    from kg.errors import AmbiguousName, ArchiveError, BenchkgError, Misuse, NothingRead, StoreError, UnknownName
    from kg.knowledge_graph import KnowledgeGraph
    from kg.rows import IRI, Rows

__all__ = [
    "IRI",
    "AmbiguousName",
    "ArchiveError",
    "BenchkgError",
    "KnowledgeGraph",
    "Misuse",
    "NothingRead",
    "Rows",
    "StoreError",
    "UnknownName",
    "audit",
    "build",
    "cite",
    "diff",
    "fetch",
    "history_of",
    "open",
    "remove",
]

_ELSEWHERE = {
    "IRI": "rows",
    "KnowledgeGraph": "knowledge_graph",
    "Rows": "rows",
    "audit": "api",
    "build": "api",
    "cite": "api",
    "diff": "api",
    "fetch": "api",
    "history_of": "api",
    "open": "api",
    "remove": "api",
}


def __getattr__(name: str) -> object:
    """Return a name of ``__all__``, whose module is imported when it is first asked for.

    The command line imports this package too, and ``kg --help`` needs nothing of it.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"kg.{_ELSEWHERE.get(name, 'errors')}")
    globals()[name] = value = getattr(module, "open_graph" if name == "open" else name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
