"""The queries of the catalogue asked with parameters, and of rdflib as of the store: the same rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
import rdflib
from asked_graphs import GRAPHS, HERE, QUERIES, SEEDS, SELECTS, rows, store, values_of

from kg.catalogue import Query
from kg.export import Format, serialize
from kg.resources import directory
from kg.terms import lexical
from kg.vocabulary import XSD, prefixes


@pytest.fixture(params=SELECTS.values(), ids=SELECTS)
def select(request) -> Query:
    return request.param


def test_a_bound_parameter_gives_the_rows_that_have_its_value(select):
    names = [column.name for column in select.columns]
    cases = next(cases for cases in GRAPHS.values() if rows(select, cases))
    every = rows(select, cases)
    for parameter in select.parameters:
        place = names.index(parameter.name)
        for term in dict.fromkeys(row[place] or "" for row in every):
            if not term or "@" in term.rpartition('"')[2]:
                continue  # none, or a name in some language, such as those of the vocabulary
            bound = rows(select, cases, {parameter.name: lexical(term)})
            assert bound == [row for row in every if row[place] == term]
        unknown = "no such thing" if parameter.type == "string" else "https://example.org/no-such-thing"
        assert rows(select, cases, {parameter.name: unknown}) == []


# Two engines


def compared(kind: str, text: str, datatype: str) -> object:
    """A term as what two engines must agree on: numbers and times by value, the rest by text."""
    if datatype in {lexical(XSD.decimal), lexical(XSD.integer)}:
        return Decimal(text)
    if datatype == lexical(XSD.dateTime):
        return datetime.fromisoformat(text)
    return kind, text


def of_store(term: str | None) -> object:
    if term is None:
        return None
    datatype = lexical(term[term.rindex('"^^') + 3 :]) if not term.startswith("<") and '"^^<' in term else ""
    return compared("iri" if term.startswith("<") else "literal", lexical(term), datatype)


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> list[tuple[str, str, list[object], list[object]]]:
    """For each graph, query and set of parameters: the rows of the store and those of rdflib over its Turtle."""
    folder = tmp_path_factory.mktemp("turtle")
    files, questions, expected = {}, [], []
    for name, cases in GRAPHS.items():
        files[name] = str(folder / f"{name}.ttl")
        Path(files[name]).write_bytes(serialize(store(cases).triples(), Format.TTL, prefixes()))
        for query in SELECTS.values():
            kinds = {parameter.name: parameter.type for parameter in query.parameters}
            unbound: list[dict[str, str]] = [] if any(each.required for each in query.parameters) else [{}]
            # On the seeds two sets of values; elsewhere one, and only where the query cannot do without.
            some = values_of(query, cases) if name == "seeds" else [] if unbound else values_of(query, cases)[:1]
            for values in (unbound + some) or [{}]:
                bound = {key: [kinds[key], value] for key, value in values.items()}
                questions.append([name, str(directory("queries") / f"{query.name}.rq"), bound])
                expected.append(
                    (name, query.name, [[of_store(term) for term in row] for row in rows(query, cases, values)])
                )
    done = subprocess.run(
        [sys.executable, HERE / "plain_rdflib.py"],
        input=json.dumps({"graphs": files, "questions": questions}),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    return [
        (graph, name, found, [[None if term is None else compared(*term) for term in row] for row in answer[1]])
        for (graph, name, found), answer in zip(expected, answers, strict=True)
    ]


def test_rdflib_over_the_turtle_gives_the_rows_of_the_store(both, select):
    asked = [(graph, found, answer) for graph, name, found, answer in both if name == select.name]
    assert {graph for graph, *_ in asked} == set(GRAPHS)
    for graph, found, answer in asked:
        assert answer == found, graph


@pytest.mark.parametrize("name", sorted(set(QUERIES) - set(SELECTS)))
def test_rdflib_makes_the_same_graph(name):
    # A blank node stands for one weighted edge: it is what is said of it.
    def edges(triples: Iterable[tuple[str, str, str]]) -> set[object]:
        said: dict[str, set[tuple[str, object]]] = {}
        for subject, relation, value in triples:
            said.setdefault(subject, set()).add((relation, of_store(value)))
        return {(frozenset(about), "" if node.startswith("_:") else node) for node, about in said.items()}

    for cases in (SEEDS, GRAPHS["empty"]):
        graph = rdflib.Graph().parse(data="\n".join(store(cases).triples()), format="nt")
        made = graph.query(QUERIES[name].text).graph
        assert made is not None
        found = store(cases).query(QUERIES[name].text)
        assert isinstance(found, tuple)
        assert edges(tuple(term.n3() for term in triple) for triple in made) == edges(
            (subject, relation, value.replace(f"^^{XSD.string}", "")) for subject, relation, value in found
        )
