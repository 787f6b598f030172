"""Shapes, queries and the ontology are found in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib

from kg import resources

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["shapes", "queries"])
def test_in_a_checkout_they_lie_beside_the_package(name: str):
    assert resources.directory(name) == ROOT / name


def test_in_a_wheel_they_lie_inside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "shapes").mkdir()
    (tmp_path / "kg" / "_data" / "shapes").mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "kg")
    assert resources.directory("shapes") == tmp_path / "kg" / "_data" / "shapes"


def test_the_ontology_has_no_blank_node_since_it_is_stored_and_exported_byte_for_byte():
    nodes = rdflib.Graph().parse(data=resources.ontology(), format="turtle").all_nodes()
    assert nodes
    assert not [node for node in nodes if isinstance(node, rdflib.BNode)]
