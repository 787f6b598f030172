"""The ontology defines every term the code uses, and no other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, SH, BNode, Graph, URIRef
from rdflib.collection import Collection

from kg.resources import directory, ontology
from kg.vocabulary import BK

CLOSED_LISTS = {
    "claim": {"Claim"},
    "direction": {"Direction"},
    "originPaperStatus": {"RecordStatus"},
    "reproductionStatus": {"ReproductionStatus"},
    "severity": {"Severity"},
    "split": {"Split"},
    "urlRepair": {"UrlRepair"},
}


def term(name: str) -> URIRef:
    return URIRef(getattr(BK, name)[1:-1])


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph().parse(data=ontology(), format="turtle")


@pytest.fixture(scope="module")
def shapes() -> Graph:
    graph = Graph()
    for file in directory("shapes").glob("*.ttl"):
        graph.parse(file)
    return graph


def test_the_ontology_and_the_vocabulary_have_the_same_terms(graph):
    defined = {str(subject).removeprefix(BK.namespace) for subject in graph.subjects()} - {""}
    assert defined == BK.names


@pytest.mark.parametrize("name", sorted(BK.names))
def test_a_term_is_explained(graph, name):
    node = term(name)
    (label,) = graph.objects(node, RDFS.label)
    (comment,) = graph.objects(node, RDFS.comment)
    assert label.language == comment.language == "en"
    assert re.fullmatch(r"[A-Z].*\.", str(comment))
    assert list(graph.objects(node, RDFS.isDefinedBy)) == [URIRef(BK.namespace)]
    types = set(graph.objects(node, RDF.type))
    own = {type_ for type_ in types if str(type_).startswith(BK.namespace)}
    assert len(types & {OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty}) == (
        1 if own <= {term("DerivedProperty")} else 0
    )
    assert all((type_, RDF.type, OWL.Class) in graph for type_ in own)
    assert (term("DerivedProperty") in types) == ("Derived" in str(comment)), "a derived property gives its rule"


def test_what_the_design_calls_derived_is_typed_so(graph):
    derived = {str(it).removeprefix(BK.namespace) for it in graph.subjects(RDF.type, term("DerivedProperty"))}
    assert derived == {
        "baseDatasetName",
        "canonicalJson",
        "claim",
        "comparisonGroup",
        "scoresRead",
        "split",
        "splitText",
        "urlRepair",
    }


def test_the_header_has_the_version_of_the_package(graph):
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    (header,) = graph.subjects(RDF.type, OWL.Ontology)
    assert str(graph.value(header, OWL.versionInfo)) == project["version"]


def test_there_is_no_blank_node(graph):
    assert not [node for triple in graph for node in triple if isinstance(node, BNode)]


def test_nothing_becomes_a_target_by_being_a_subclass(graph, shapes):
    targets = set(shapes.objects(None, SH.targetClass)) | set(shapes.objects(None, SH["class"]))
    assert not targets & set(graph.objects(None, RDFS.subClassOf))


def test_nothing_is_inferred_from_the_use_of_a_property(graph):
    assert not list(graph.triples((None, RDFS.domain, None)))
    assert not list(graph.triples((None, RDFS.range, None)))


@pytest.mark.parametrize("name", CLOSED_LISTS)
def test_the_closed_lists_of_the_shapes_are_the_individuals(graph, shapes, name):
    allowed = {
        frozenset(Collection(shapes, head))
        for shape in shapes.subjects(SH.path, term(name))
        if list(shapes.subjects(SH.property, shape))
        for head in shapes.objects(shape, SH["in"])
    }
    individuals = {it for class_ in CLOSED_LISTS[name] for it in graph.subjects(RDF.type, term(class_))}
    assert allowed == {frozenset(individuals)}


def test_each_class_of_individuals_has_some(graph):
    classes = {"Claim", "Direction", "RecordStatus", "ReproductionStatus", "Severity", "Split", "UrlRepair"}
    assert all(list(graph.subjects(RDF.type, term(name))) for name in classes)
