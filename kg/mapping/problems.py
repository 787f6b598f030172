"""What could not be taken as it stands: problems stay with the data of their page."""

from __future__ import annotations

from collections.abc import Iterator

from kg import identifiers as keys
from kg.mapping.nodes import Quoting, typed
from kg.model import Problem, Severity
from kg.terms import Node, literal, stated
from kg.vocabulary import BK, DCT, PROV

__all__ = ["problem_nodes"]

_PROBLEM = typed(BK.Problem)


def problem_nodes(nodes: Quoting, problem: Problem, concerns: str = "") -> Iterator[Node]:
    """Yield a problem and the lines it stands on; ``concerns`` is the result it is about, where the graph has that."""
    ranges = [f"{lines.first}-{lines.last}" for lines in problem.lines]
    digest = keys.hashed("problem", problem.code, nodes.snapshot_key, problem.message, problem.text, *ranges)
    statements = [
        *_PROBLEM,
        f"{BK.code} {literal(problem.code)}",
        f"{BK.severity} {BK.Error if problem.severity is Severity.ERROR else BK.Warning}",
        f"{BK.message} {literal(problem.message)}",
        f"{DCT.isPartOf} {nodes.snapshot}",
    ]
    if problem.text:
        statements.append(f"{BK.quotedText} {literal(problem.text)}")
    if concerns:
        statements.append(f"{BK.concerns} {concerns}")
    for lines in {*problem.lines}:
        statements.append(f"{PROV.wasQuotedFrom} {nodes.quotation(lines)}")
        yield nodes.quote(nodes.quotation(lines))
    yield stated(nodes.ids.node("problem", f"{keys.slug(problem.code)}-{digest}"), statements)
