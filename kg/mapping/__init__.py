"""From what a page says to the triples that state it.

One generator a kind of node yields plain ``(subject, predicate, object)`` tuples of N-Triples text.
A quotation repeats a text only where it differs from what the node it belongs to states, so that a
page can be read back whole (``kg.restoring``) without saying everything twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from kg.mapping.nodes import updated_time
from kg.mapping.pages import PageMapper
from kg.mapping.results import ResultMapper
from kg.model import BenchmarkPage, ViewGraph
from kg.terms import Triple, lexical, ntriples
from kg.vocabulary import DEFAULT_BASE

__all__ = ["to_view_graph", "triples"]


def triples(page: BenchmarkPage, base: str = DEFAULT_BASE) -> Iterator[Triple]:
    """Yield every triple that states what a page says; some come more than once."""
    yield from PageMapper(page, base).triples()
    results = ResultMapper(page, base)
    for result in page.results:
        yield from results.triples(result)


def to_view_graph(page: BenchmarkPage, base: str = DEFAULT_BASE, file: str = "") -> ViewGraph:
    """Return the named graph of what a page shows: its IRI, its state and its triples."""
    nodes = PageMapper(page, base)
    return ViewGraph(
        graph=lexical(nodes.graph),
        series=lexical(nodes.metric(nodes.viewed)),
        page_number=page.page_number or 1,
        page_count=page.page_count,
        modified=updated_time(page),
        sha256=page.snapshot.sha256,
        lines=tuple(ntriples(triples(page, base))),
        problems=page.problems,
        file=file,
    )
