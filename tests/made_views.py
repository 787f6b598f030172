"""View graphs made by hand, as small as the store's rules allow, for tests that need many states of a page."""

from __future__ import annotations

import hashlib

from kg.identifiers import Identifiers
from kg.model import ViewGraph
from kg.terms import integer, lexical, literal, ntriples
from kg.vocabulary import BK, DCT, RDF, RDFS, XSD

_NODES = Identifiers("sota2")


def made_view(
    *texts: str,
    metric: str = "accuracy",
    page: int = 1,
    count: int | None = 1,
    time: str = "2026-01-01T00:00:00Z",
    also: tuple[str, ...] = (),
) -> ViewGraph:
    """One state of one view; each text is a result that views share when they have the same text.

    ``also`` are further lines, for a page that is read in another way than before.
    """
    sha256 = hashlib.sha256(repr((texts, metric, page, count, time)).encode()).hexdigest()
    snapshot = _NODES.node("snapshot", sha256[:16])
    series = _NODES.node("metric", metric)
    triples = [
        (snapshot, RDF.type, BK.PageSnapshot),
        (snapshot, BK.sha256, literal(sha256)),
        (snapshot, BK.metric, series),
        (snapshot, BK.pageNumber, integer(page)),
        (series, RDF.type, BK.Metric),
    ]
    if count is not None:
        triples.append((snapshot, BK.pageCount, integer(count)))
    if time:
        triples.append((snapshot, DCT.modified, literal(time, XSD.dateTime)))
    for text in texts:
        result = _NODES.node("result", text)
        triples += [(result, RDF.type, BK.Result), (result, RDFS.label, literal(f"result {text}"))]
    return ViewGraph(
        graph=lexical(_NODES.node("view", f"{metric}-{page}")),
        series=lexical(series),
        page_number=page,
        page_count=count,
        modified=time,
        sha256=sha256,
        lines=tuple(sorted({*ntriples(triples), *also})),
        file=f"{metric}-{page}.md",
    )


def result(text: str) -> str:
    """The term of the result with this text."""
    return _NODES.node("result", text)
