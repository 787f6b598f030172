"""The stack that anybody would build first: one rdflib graph, pyshacl over all of it, rdflib's Turtle.

    python -m tests.benchmarks.obvious FOLDER OUT

Pages are read and mapped by the project's own functions, so that both stacks state the same triples.
Nothing here is made slow on purpose: terms are made once, triples are added in one go, and the
shapes are those of ``shapes/`` as they stand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pyshacl
import rdflib

from kg.mapping import to_view_graph
from kg.rdflib_graph import to_rdflib
from kg.resources import directory
from kg.sources import parse
from tests.benchmarks.processes import triple_of

__all__ = ["build", "shapes"]


def shapes() -> rdflib.Graph:
    """Return the shapes as rdflib reads them."""
    graph = rdflib.Graph()
    for path in sorted(directory("shapes").glob("*.ttl")):
        graph.parse(path, format="turtle")
    return graph


def _lines(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.md")):
        page = parse(path.read_bytes(), str(path)).page
        if page is not None:
            yield from to_view_graph(page).lines


def build(folder: Path, output: Path) -> bool:
    """Write the pages below a folder as Turtle, and tell whether they conform."""
    graph = to_rdflib(triple_of(line) for line in _lines(folder))
    conforms, _, _ = pyshacl.validate(graph, shacl_graph=shapes())
    graph.serialize(output, format="turtle", encoding="utf-8")
    return bool(conforms)


def main() -> None:
    """Build as the command line says."""
    folder, output = map(Path, sys.argv[1:])
    sys.stdout.write(f"conforms: {build(folder, output)}\n")


if __name__ == "__main__":
    main()
