"""Graphs of scores made by hand: who scored what in which comparison group, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kg.knowledge_graph import KnowledgeGraph
from kg.store import Store
from kg.terms import decimal, lexical, literal, ntriples
from kg.vocabulary import BK, QUDT, RDF, RDFS, UNIT, Vocabulary

EX = Vocabulary("https://example.org/", "")

Scores = Mapping[str, Mapping[str, "float | int | Sequence[float | int]"]]


def node(name: str) -> str:
    """The term of a node with this name."""
    return f"<{EX.namespace}{name}>"


def address(name: str) -> str:
    """Its IRI."""
    return lexical(node(name))


def scored(
    scores: Scores, *, lower: bool = False, of: Mapping[str, str] | None = None, percent: bool = True
) -> KnowledgeGraph:
    """A graph of the scores of methods (several in a sequence) by comparison group, all of one metric of one benchmark.

    ``of`` names the benchmark of a group that is of another one.
    """
    boards = {group: (of or {}).get(group, "board") for group in scores}
    triples = []
    for board in sorted(set(boards.values())):
        metric, direction = node(f"{board}-metric"), BK.LowerIsBetter if lower else BK.HigherIsBetter
        triples += [
            (node(board), RDF.type, BK.Benchmark),
            (node(board), RDFS.label, literal(board.title())),
            (metric, RDF.type, BK.Metric),
            (metric, RDFS.label, literal("Accuracy")),
            (metric, BK.definedFor, node(board)),
            (metric, BK.direction, direction),
            (metric, BK.directionText, literal("Lower is better" if lower else "Higher is better")),
            (metric, QUDT.hasUnit, UNIT.PERCENT if percent else UNIT.UNITLESS),
            (metric, BK.unitText, literal("PERCENT" if percent else "SCALAR")),
        ]
    for group, those in scores.items():
        settings, metric = node(f"{group}-settings"), node(f"{boards[group]}-metric")
        triples += [
            (node(group), RDF.type, BK.ComparisonGroup),
            (node(group), BK.benchmark, node(boards[group])),
            (node(group), BK.metric, metric),
            (node(group), BK.configuration, settings),
            (settings, BK.canonicalJson, literal(f'{{"Setting":"{group}"}}')),
        ]
        for method, values in those.items():
            triples += [(node(method), RDF.type, BK.Method), (node(method), RDFS.label, literal(method))]
            for number, value in enumerate(values if isinstance(values, Sequence) else [values]):
                result, score = (node(f"{kind}-{group}-{method}-{number}") for kind in ("result", "score"))
                triples += [
                    (result, RDF.type, BK.Result),
                    (result, BK.method, node(method)),
                    (result, BK.benchmark, node(boards[group])),
                    (result, BK.score, score),
                    (score, BK.metric, metric),
                    (score, BK.comparisonGroup, node(group)),
                    (score, BK.value, decimal(str(value))),
                ]
    return KnowledgeGraph(Store.from_rdf("\n".join(ntriples(triples)).encode(), "nt"))
