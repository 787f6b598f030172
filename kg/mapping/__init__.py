"""From what a page says to the triples that state it.

One generator a kind of node yields nodes: a subject, and the lines of N-Triples that state something of
it. A quotation repeats a text only where it differs from what the node it belongs to states, so that a
page can be read back whole (``kg.restoring``) without saying everything twice.
"""

from __future__ import annotations

from itertools import chain

from kg.mapping.nodes import Nodes, forget
from kg.mapping.pages import page_nodes
from kg.mapping.papers import to_paper_graph
from kg.mapping.results import result_nodes
from kg.model import BenchmarkPage, ViewGraph
from kg.terms import canonical, lexical
from kg.vocabulary import DEFAULT_BASE

__all__ = ["to_paper_graph", "to_view_graph"]

_LARGE = 64 * 1024  # bytes: a page beyond that may hold texts too long to be kept by the thousand


def to_view_graph(page: BenchmarkPage, base: str = DEFAULT_BASE, file: str = "") -> ViewGraph:
    """Return the named graph of what a page shows: its IRI, its state and its triples."""
    nodes = Nodes(page, base)
    view = ViewGraph(
        graph=lexical(nodes.graph),
        series=lexical(nodes.viewed_metric),
        page_number=page.page_number or 1,
        page_count=page.page_count,
        modified=nodes.updated,
        sha256=page.snapshot.sha256,
        lines=tuple(canonical(chain(page_nodes(nodes), result_nodes(nodes)))),
        problems=page.problems,
        file=file,
    )
    if page.snapshot.byte_size > _LARGE:
        forget()
    return view
