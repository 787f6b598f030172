"""What the page of a paper states: of the paper its title, its identifiers elsewhere and its code, and of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from kg import identifiers as keys
from kg.mapping.nodes import Quoting, typed
from kg.mapping.pages import collection_index
from kg.mapping.problems import problem_nodes
from kg.mapping.results import implementation
from kg.model import Link, PaperPage, ViewGraph
from kg.terms import Node, canonical, iri, lexical, literal, stated
from kg.values import is_linkable
from kg.vocabulary import BK, DCT, DEFAULT_BASE, FOAF, PROV, SCHEMA

__all__ = ["to_paper_graph"]

_PAPER = typed(BK.Paper, SCHEMA.ScholarlyArticle)
_PAGE = typed(BK.PaperPage, FOAF.Document)
_SNAPSHOT = typed(BK.PaperSnapshot, PROV.Entity)


def to_paper_graph(page: PaperPage, base: str = DEFAULT_BASE, file: str = "") -> ViewGraph:
    """Return the named graph of the page of a paper: its IRI, its state and its triples."""
    nodes = Quoting(page, base)
    paper = keys.source_key("paper", page.identifier)
    found = chain(
        _paper(nodes, page, nodes.ids.node("paper", paper)),
        _document(nodes, page, nodes.ids.node("paper", paper)),
        _snapshot(nodes, page),
        *(problem_nodes(nodes, problem) for problem in page.problems),
    )
    return ViewGraph(
        graph=lexical(nodes.ids.node("view", keys.named_key("view", "paper", paper))),
        series="",
        page_number=1,
        page_count=None,
        modified=nodes.updated,
        sha256=page.snapshot.sha256,
        lines=tuple(canonical(found)),
        problems=page.problems,
        file=file,
    )


def _paper(nodes: Quoting, page: PaperPage, paper: str) -> Iterator[Node]:
    statements = [
        *_PAPER,
        f"{DCT.identifier} {literal(page.identifier)}",
        f"{DCT.title} {literal(page.title.text)}",
    ]
    yield nodes.quote_stating(DCT.title, page.title.lines)
    for scheme, links in (("arXiv", page.arxiv), ("doi", page.dois)):
        for link in links:
            statements += _identified(scheme, link)
            yield nodes.quote_stating(SCHEMA.identifier, link.lines)
    for link in page.code:
        code = implementation(nodes.ids, link.url, page.page.url)
        statements.append(f"{BK.implementation} {code[0]}")
        yield code
        yield nodes.quote_stating(BK.implementation, link.lines)
    yield stated(paper, statements)


def _identified(scheme: str, link: Link) -> Iterable[str]:
    """State an identifier of the paper under a scheme, and the address that the page prints for it."""
    yield f"{SCHEMA.identifier} {literal(f'{scheme}:{link.label}')}"
    if is_linkable(link.url):
        yield f"{SCHEMA.sameAs} {iri(link.url)}"


def _document(nodes: Quoting, page: PaperPage, paper: str) -> Iterator[Node]:
    statements = [*_PAGE, f"{FOAF.primaryTopic} {paper}"]
    differs = page.page.label != page.title.text
    yield nodes.quote_stating(FOAF.page, page.page.lines, page.page.label if differs else None)
    if page.collection and is_linkable(page.collection.url):
        index = collection_index(page.collection.url, page.collection.label)
        statements.append(f"{DCT.isPartOf} {index[0]}")
        yield index
        yield nodes.quote_stating(DCT.isPartOf, page.collection.lines)
    yield stated(iri(page.page.url), statements)


def _snapshot(nodes: Quoting, page: PaperPage) -> Iterator[Node]:
    statements, quotations = nodes.state(page)
    yield from quotations
    yield stated(nodes.snapshot, [*_SNAPSHOT, *statements])
