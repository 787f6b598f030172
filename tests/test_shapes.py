"""Every shape says who it is and what to do, finds a target, and is failed by an example a constraint."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyoxigraph
import pyshacl
import pytest
from rdflib import RDF, SH, BNode, Graph, URIRef
from rdflib.collection import Collection

from kg.mapping import to_view_graph
from kg.resources import directory, ontology
from kg.sources import parse
from kg.validation import load_shapes, merge, validate
from kg.vocabulary import BKS

FILES = sorted(directory("shapes").glob("*.ttl"))
EXAMPLES = Path(__file__).parent / "shapes"
PASSING = EXAMPLES / "passing.ttl"
PREFIXES = "".join(line for line in PASSING.read_text().splitlines(keepends=True) if line.startswith("@prefix"))

CONSTRAINTS = {
    SH["and"]: "And",
    SH["class"]: "Class",
    SH.datatype: "Datatype",
    SH.equals: "Equals",
    SH["in"]: "In",
    SH.maxCount: "MaxCount",
    SH.minCount: "MinCount",
    SH.minLength: "MinLength",
    SH.nodeKind: "NodeKind",
    SH["not"]: "Not",
    SH["or"]: "Or",
    SH.pattern: "Pattern",
}
OTHER_TERMS = {
    SH.alternativePath,
    SH.flags,
    SH.inversePath,
    SH.message,
    SH.path,
    SH.property,
    SH.severity,
    SH.targetClass,
    SH.targetSubjectsOf,
}


def triples(turtle: str) -> set[str]:
    """Return Turtle as N-Triples lines, each literal as it is written."""
    return {
        f"{it.subject} {it.predicate} {it.object} ."
        for it in pyoxigraph.parse(turtle.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    }


@dataclass(frozen=True)
class Example:
    shape: str
    constraints: frozenset[str]
    about: str
    also: frozenset[str]
    without: str
    with_: str

    @property
    def graph(self) -> list[str]:
        return sorted(
            (triples(PASSING.read_text()) - triples(PREFIXES + self.without)) | triples(PREFIXES + self.with_)
        )


EXAMPLE = re.compile(
    r"#: (?P<constraints>[A-Z][A-Za-z, ]*): (?P<about>.+)\n(?:#: also (?P<also>.+)\n)?"
    r"(?:# without\n(?P<without>(?:[^#\n].*\n)+))?(?:# with\n(?P<with>(?:[^#\n].*\n)+))?"
)


def read_examples(file: Path) -> list[Example]:
    text = file.read_text()
    head = f"# bks:{file.stem}\n"
    assert text.startswith(head), f"{file} does not name its shape"
    found = list(EXAMPLE.finditer(text))
    assert "".join([head, *(f"\n{it.group()}" for it in found)]) == text, f"{file} is not of the form the README shows"
    return [
        Example(
            file.stem,
            frozenset(it["constraints"].split(", ")),
            it["about"],
            frozenset(it["also"].split(", ") if it["also"] else ()),
            it["without"] or "",
            it["with"] or "",
        )
        for it in found
    ]


ALL = [example for file in sorted(EXAMPLES.glob("*/*.ttl")) for example in read_examples(file)]


@pytest.fixture(scope="module")
def shapes():
    return load_shapes(directory("shapes"))


@pytest.fixture(scope="module")
def written() -> Graph:
    """All shapes as they are written."""
    graph = Graph()
    for file in FILES:
        graph.parse(file)
    return graph


def name(shape: URIRef) -> str:
    return str(shape).removeprefix(BKS.namespace)


def every(graph: Graph) -> set[URIRef]:
    return {*graph.subjects(RDF.type, SH.NodeShape), *graph.subjects(RDF.type, SH.PropertyShape)}


def members(graph: Graph, shape: URIRef) -> set[URIRef]:
    """Return the shapes that a shape is made of."""
    lists = (Collection(graph, head) for how in (SH["or"], SH["and"]) for head in graph.objects(shape, how))
    return {member for found in lists for member in found} | set(graph.objects(shape, SH["not"]))


def constraints(graph: Graph, shape: URIRef) -> set[str]:
    return {CONSTRAINTS[property_] for property_ in graph.predicates(shape) if property_ in CONSTRAINTS}


def test_the_passing_graph_passes(shapes):
    report = validate(triples(PASSING.read_text()), shapes)
    assert not report.findings
    assert not report.without_target
    assert not report.unknown_terms


@pytest.mark.parametrize("example", ALL, ids=lambda it: f"{it.shape}: {it.about}")
def test_an_example_fails_its_shape(example, shapes):
    passing = triples(PASSING.read_text())
    assert triples(PREFIXES + example.without) <= passing, "it takes out what is not there"
    assert not triples(PREFIXES + example.with_) & passing, "it puts in what is there"
    report = validate(example.graph, shapes)
    found = {it.component.removesuffix("ConstraintComponent") for it in report.findings if it.shape == example.shape}
    assert example.constraints <= found
    assert {it.shape for it in report.findings} == {example.shape, *example.also}
    assert report.focus_counts[example.shape] > 0


def test_each_constraint_has_an_example(shapes, written):
    checked = set(shapes.checked_by)
    wanted = {
        (name(shape), constraint)
        for shape in every(written)
        if name(shape) in checked
        for constraint in constraints(written, shape)
    }
    assert {(it.shape, constraint) for it in ALL for constraint in it.constraints} == wanted


def test_a_shape_that_no_target_reaches_is_a_member_of_one_that_has_an_example(shapes, written):
    """An example that fails a ``sh:or`` fails each of its members."""
    checked = set(shapes.checked_by)
    reached = {shape for shape in every(written) if name(shape) in checked}
    waiting = set(reached)
    while waiting:
        inner = members(written, waiting.pop()) - reached
        reached |= inner
        waiting |= inner
    assert reached == every(written)


def test_each_member_of_a_conjunction_is_failed_by_an_example_of_its_own(written):
    """A member of ``sh:and`` fails alone in one of the examples, so that none of them could be left out."""
    for shape in written.subjects(SH["and"]):
        (head,) = written.objects(shape, SH["and"])
        failed = set()
        for example in (it for it in ALL if it.shape == name(shape)):
            data = Graph().parse(data="\n".join(example.graph), format="nt")
            for member in Collection(written, head):
                alone = Graph()
                for triple in written.triples((member, None, None)):
                    alone.add(triple)
                for predicate in (SH.targetClass, SH.targetSubjectsOf):
                    for target in written.objects(shape, predicate):
                        alone.add((member, predicate, target))
                if not pyshacl.validate(data, shacl_graph=alone)[0]:
                    failed.add(member)
        assert failed == set(Collection(written, head))


@pytest.mark.parametrize("file", FILES, ids=lambda it: it.stem)
def test_a_file_holds_one_class_and_needs_no_other(file):
    graph = Graph().parse(file)
    shapes = every(graph)
    main = URIRef(f"{BKS.namespace}{file.stem}")
    assert main in shapes, "the file is named after its node shape"
    assert len(set(graph.objects(None, SH.targetClass))) == 1
    assert len(list(graph.objects(main, SH.targetClass))) == 1
    assert all(name(shape).startswith(file.stem) for shape in shapes)
    needed = {inner for shape in shapes for inner in (*members(graph, shape), *graph.objects(shape, SH.property))}
    assert needed <= shapes


def test_every_shape_has_an_iri_a_severity_and_a_message_in_words(shapes, written):
    checked = set(shapes.checked_by)
    named = every(written) | set(written.objects(None, SH.property))
    assert not [shape for shape in named if isinstance(shape, BNode)]
    for shape in named:
        assert name(shape) != str(shape), f"{shape} is in another namespace"
        (severity,) = written.objects(shape, SH.severity)
        assert severity in {SH.Violation, SH.Warning}
        (message,) = written.objects(shape, SH.message)
        assert re.fullmatch(r"[A-Z].* .*\.", str(message))
        assert severity == SH.Violation or name(shape) in checked, "a member that is a warning cannot fail in pyshacl"
        if name(shape) in checked and constraints(written, shape):
            assert re.search(r"[.;:,] \w", str(message)), f"{message!r} does not say how to mend it"


def test_the_shapes_use_core_constraints_only(written):
    used = {predicate for predicate in written.predicates() if str(predicate).startswith(SH._NS)}
    assert used <= {*CONSTRAINTS, *OTHER_TERMS}


def test_every_shape_finds_a_target(shapes):
    counts = validate(triples(PASSING.read_text()), shapes).focus_counts
    # Its own example gives a target to a shape for what no page without a warning has.
    assert {shape for shape, count in counts.items() if not count} == {"result-paper-or-status"}


def stock(data: Graph, written: Graph) -> tuple[bool, set[tuple[str, str, str]]]:
    """Return the verdict and the findings of pyshacl as anybody calls it."""
    conforms, report, _ = pyshacl.validate(data, shacl_graph=written, allow_warnings=True)
    return conforms, {
        (
            name(report.value(it, SH.sourceShape)),
            str(report.value(it, SH.sourceConstraintComponent)).removeprefix(SH._NS),
            str(report.value(it, SH.focusNode)),
        )
        for it in report.objects(None, SH.result)
    }


def agree(lines: list[str], shapes, written: Graph) -> None:
    report = validate(lines, shapes)
    conforms, found = stock(Graph().parse(data="\n".join(lines), format="nt"), written)
    assert conforms == report.conforms
    assert found == {(it.shape, it.component, it.focus) for it in report.findings}


FIRST = {example.shape: example for example in reversed(ALL)}
# Some of the plain ones, and all whose members pyshacl judges one by one.
COMPARED = [
    example
    for number, example in enumerate(FIRST.values())
    if example.shape != "result" and (number % 8 == 0 or example.constraints & {"And", "Equals", "Or"})
]


@pytest.mark.parametrize("example", COMPARED, ids=lambda it: it.shape)
def test_stock_pyshacl_finds_the_same(example, shapes, written):
    agree(example.graph, shapes, written)


def seeds(cases: Path) -> list[list[str]]:
    folder = cases / "sota2"
    pages = [folder / name / "page.md" for name in ("out-of-distribution-detection", "selective-classification")]
    return [list(to_view_graph(parse(page.read_bytes(), page.name).page)) for page in pages]


def test_the_seeds_pass_view_by_view_and_merged(cases, shapes, written):
    views = seeds(cases)
    report = merge(validate(view, shapes) for view in views)
    assert not report.findings
    assert not report.without_target
    assert report.focus_counts["result"] == 21
    whole = sorted({line for view in views for line in view})
    agree(whole, shapes, written)


def test_the_terms_of_the_ontology_change_no_verdict(cases, shapes):
    whole = sorted({line for view in seeds(cases) for line in view})
    before = validate(whole, shapes)
    after = validate([*whole, *triples(ontology().decode())], shapes)
    assert after.findings == before.findings
    assert after.focus_counts == before.focus_counts


@pytest.mark.skipif(sys.platform == "win32", reason="the command in the README is one for a shell")
def test_the_command_in_the_readme_runs(tmp_path):
    example = FIRST["result-method"]
    text = (directory("shapes") / "README.md").read_text()
    (command,) = re.findall(r"```sh\n(.*)\n```", text)
    for lines, code in ((sorted(triples(PASSING.read_text())), 0), (example.graph, 1)):
        graph = tmp_path / "graph.ttl"
        graph.write_text("\n".join(lines))
        here = command.replace("shapes/", f"{directory('shapes')}/").replace("graph.ttl", str(graph))
        here = here.replace("pyshacl", f"{sys.executable} -m pyshacl")
        ran = subprocess.run(["bash", "-c", here], capture_output=True, text=True, check=False)
        assert ran.returncode == code, ran.stdout + ran.stderr
