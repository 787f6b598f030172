"""Answer queries with rdflib alone, as somebody does who has the Turtle and not this package.

Standard input is JSON: ``{"graphs": {name: file}, "questions": [[graph, query file, {variable: [kind, text]}]]}``.
Standard output is JSON: for each question its variables and rows; a term is ``null`` or ``[kind, text, datatype]``.
A CONSTRUCT has no variables, and its triples as rows, in no order.
"""

from __future__ import annotations

import json
import sys

import rdflib


def as_term(kind: str, text: str) -> rdflib.term.Node:
    return rdflib.URIRef(text) if kind == "iri" else rdflib.Literal(text)


def as_json(term: rdflib.term.Node | None) -> list[str] | None:
    if term is None:
        return None
    if isinstance(term, rdflib.Literal):
        return ["literal", str(term), str(term.datatype or rdflib.XSD.string)]
    return ["iri", str(term), ""]


def main() -> None:
    asked = json.load(sys.stdin)
    graphs = {name: rdflib.Graph().parse(file, format="turtle") for name, file in asked["graphs"].items()}
    answers = []
    for graph, file, bindings in asked["questions"]:
        with open(file, encoding="utf-8") as text:  # noqa: PTH123 - nothing but rdflib and the standard library
            bound = {name: as_term(*term) for name, term in bindings.items()}
            found = graphs[graph].query(text.read(), initBindings=bound)
        answers.append([[str(name) for name in found.vars or ()], [[as_json(term) for term in row] for row in found]])
    assert "kg" not in sys.modules
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
