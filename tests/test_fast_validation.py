"""The compiled shapes find what pyshacl finds, and pyshacl is asked wherever they cannot tell."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from pyshacl.graph_abstraction import DataGraph
from test_hostile_pages import PAGES, edited
from test_shapes import ALL, PASSING, triples

from kg import vocabulary
from kg.api import open_graph
from kg.errors import Misuse
from kg.mapping import to_view_graph
from kg.rdflib_graph import to_rdflib
from kg.resources import directory
from kg.sources import parse
from kg.terms import literal
from kg.validation import checking, load_shapes, reference, validate
from kg.validation.check import Result
from kg.validation.checking import screen, validate_with_pyshacl
from kg.validation.constraints import DATATYPES, NODE_KINDS
from kg.validation.described import local_name
from kg.validation.index import Index, Undecided, split
from kg.validation.shapes import Shapes
from kg.vocabulary import BK, RDF, RDFS, SCHEMA, SH, UNIT, XSD, Vocabulary

EXAMPLES = Path(__file__).parent / "shapes"
KNOWN = tuple(f"<{its.namespace}" for its in vars(vocabulary).values() if isinstance(its, Vocabulary))
SUBCLASS_OF = f"<{RDFS.namespace}subClassOf>"
# fmt: off
CLASSES = (
    BK.Benchmark, BK.BenchmarkPage, BK.CollectionIndex, BK.ComparisonGroup, BK.Configuration, BK.EvaluationDataset,
    BK.Implementation, BK.Method, BK.Metric, BK.PageSnapshot, BK.Paper, BK.Problem, BK.Quotation, BK.Result, BK.Score,
    BK.Task, SCHEMA.PropertyValue,
)
ODD = (
    literal(""), literal("a\nb"), literal("{\n}"), literal("é\u0301 ſ"), literal("x", XSD.string),
    literal('\x00 \\ " ]'), literal("x") + "@en", literal("x") + "@EN", literal("a", "<https://example.org/datatype>"),
    literal(" a  b ", f"<{XSD.namespace}token>"), literal("a\tb", f"<{XSD.namespace}normalizedString>"),
    r'"\u0041"', r'"a\u00e9"', literal("0123456789abcdef01234567\n"), literal("0123456789abcdef01234567"),
    *(literal(text, XSD.integer) for text in ("abc", "007", "+7", "-0", "9" * 5000, "\uff11\uff12", " 12")),
    *(literal(text, XSD.decimal) for text in ("NaN", "1e5", "7.", ".5", "12 ", "100.50", "-3", "101")),
    *(literal(text, XSD.boolean) for text in ("1", "TRUE")), literal("INF", f"<{XSD.namespace}double>"),
    *(literal(text, XSD.date) for text in ("2026-02-30", "2024-02-29", "99999-13-01", "2024-05-06Z")),
    *(literal(text, XSD.dateTime) for text in ("2023-02-29T00:00:00Z", "2024-05-06", "2024-05-06T24:00:00Z")),
    literal("2024-05-06T10:00:00.123+14:30", XSD.dateTime),
    literal("0000", XSD.gYear), literal("abcd", XSD.gYear), literal("2024-13", XSD.gYearMonth),
    "<https://example.org/nothing>", "_:nobody", BK.NotRecorded, BK.Unreadable, BK.TestSplit, BK.Reproduced,
    UNIT.PERCENT, UNIT.UNITLESS,
)
# fmt: on


@pytest.fixture(scope="module")
def shapes():
    return load_shapes(directory("shapes"))


WHOLE = sorted(triples(PASSING.read_text()))
GRAPHS = [example.graph for example in ALL]
"""Each fails one shape, or a few."""


def short(page: list[str]) -> list[str]:
    """Return a page with the first of its results alone."""
    sections = [place for place, line in enumerate(page) if line.startswith("### ")]
    if len(sections) < 2 or "## Recorded results" not in page:
        return page
    head = page.index("## Recorded results")
    rows = [place for place in range(head, sections[0]) if page[place].startswith("| ")]
    # The first three are the head of the table, a line of dashes, and the row of the first result.
    rest = {*rows[3:], *range(sections[1], len(page) - 2)}
    kept = [line for place, line in enumerate(page) if place not in rest]
    return [re.sub(r"^(\| Results loaded \|) [0-9]+ of", r"\1 1 of", line) for line in kept]


def views(count: int, chance: random.Random) -> Iterator[list[str]]:
    """Yield what damaged pages come to, the view of every other one damaged once more."""
    pages = [short(page) for page in PAGES]
    while count:
        lines = chance.choice(pages)
        for _ in range(chance.randrange(3)):
            lines = edited(lines, chance)
        page = parse("\n".join(lines).encode(), "page.md").page
        if page is not None:
            view = list(to_view_graph(page))
            yield damaged(view, chance) if count % 2 else view
            count -= 1


def damaged(lines: list[str], chance: random.Random) -> list[str]:
    """Return a graph with a few triples dropped, added, or given another subject, property, value or class."""
    found = list(lines)
    terms = [split(line) for line in lines]
    nodes, properties, values = (sorted({triple[place] for triple in terms}) for place in range(3))
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        place = chance.randrange(len(found))
        subject, predicate, value = split(found[place])
        new = [
            (),
            ((subject, predicate, value), (subject, predicate, chance.choice((*values, *ODD)))),
            ((subject, predicate, chance.choice(ODD)),),
            ((subject, predicate, chance.choice(nodes)),),
            ((subject, chance.choice(properties), value),),
            ((chance.choice(nodes), predicate, value),),
            ((subject, predicate, value), (chance.choice(nodes), RDF.type, chance.choice(CLASSES))),
            (
                (f"<https://example.org/{place}>", SUBCLASS_OF, chance.choice(CLASSES)),
                (chance.choice(nodes), RDF.type, f"<https://example.org/{place}>"),
            ),
        ]
        found[place : place + 1] = [f"{' '.join(triple)} ." for triple in chance.choice(new)]
        if not chance.randrange(10):
            found = [line for line in found if not line.startswith(f"{subject} ")]
        found = found or lines
    return sorted(set(found))


def apart(lines: Iterable[str], number: int) -> list[str]:
    """Return a graph with other nodes, so that it shares none with graphs of other numbers."""

    def renamed(term: str) -> str:
        if term.startswith("<http") and not term.startswith(KNOWN):
            return term.replace("://", f"://{number}.", 1)
        return term.replace("_:", f"_:{number}.", 1) if term.startswith("_:") else term

    found = []
    for line in lines:
        subject, predicate, value = split(line)
        found.append(f"{renamed(subject)} {predicate} {renamed(value)} .")
    return found


def compared(results: Iterable[Result]) -> set[tuple[str, str, str, frozenset[str]]]:
    return {(it.shape, it.focus, it.component, frozenset(it.values)) for it in results}


def of_pyshacl(graphs: Mapping[int, list[str]], shapes) -> Mapping[int, set[tuple]]:
    """Return what pyshacl finds in each of some graphs that share no node, from one run over all of them."""
    merged = (split(line) for lines in graphs.values() for line in lines)
    found = defaultdict(set)
    for result in compared(reference.results(merged, shapes.reference)):
        found[int(re.search(r"(?:://|^_:)([0-9]+)[.]", result[1])[1])].add(result)
    return found


def check(graphs: Iterable[list[str]], shapes) -> tuple[int, int, set[tuple[str, str]]]:
    """Compare the screen with pyshacl on graphs; return how many were decided, how many not, and what was found."""
    graphs = [apart(lines, number) for number, lines in enumerate(graphs)]
    decided = undecided = 0
    kinds = set()
    for start in range(0, len(graphs), 100):
        some = dict(enumerate(graphs[start : start + 100], start))
        expected = of_pyshacl(some, shapes)
        for number, lines in some.items():
            try:
                found = compared(screen(Index(lines), shapes))
            except Undecided:
                undecided += 1
            else:
                assert found == expected[number], "\n".join(lines)
                decided += 1
                kinds |= {(shape, component) for shape, _, component, _ in found}
    return decided, undecided, kinds


def test_on_two_thousand_damaged_graphs_the_screen_finds_what_pyshacl_finds(shapes):
    """pyshacl takes a hundred graphs at once, which share no node: else this would take minutes."""
    chance = random.Random(4)
    changed = (damaged(chance.choice((WHOLE, *GRAPHS)), chance) for _ in range(700))
    decided, undecided, kinds = check([*GRAPHS, *changed, *views(1000, chance)], shapes)
    assert decided + undecided > 2000
    assert undecided < decided / 20
    assert kinds >= {(it.shape, f"{name}ConstraintComponent") for it in ALL for name in it.constraints}


SMALL = f"""
@prefix : <https://example.org/shapes#> .
@prefix bk: <{BK.namespace}> .
@prefix sh: <{SH.namespace}> .
"""
CONSTRAINTS = (
    *(f"sh:nodeKind sh:{kind}" for kind in NODE_KINDS),
    *(f"sh:datatype {datatype}" for datatype in sorted(DATATYPES)),
    "sh:class bk:Method",
    "sh:class bk:Method , bk:Paper",
    "sh:in ( bk:NotRecorded bk:Unreadable )",
    "sh:in ()",
    'sh:pattern "^h"',
    'sh:pattern "A.B$" ; sh:flags "ims"',
    "sh:minLength 0",
    "sh:minLength 2",
    "sh:and ( :one :two )",
    "sh:or ( :one :two )",
    "sh:not :two",
)
OF_VALUES = ("sh:minCount 0", "sh:minCount 2", "sh:maxCount 0", "sh:maxCount 1", "sh:equals bk:concerns")
PATHS = (
    "bk:states",
    "[ sh:inversePath bk:states ]",
    "[ sh:alternativePath ( bk:states bk:concerns ) ]",
    "( bk:states bk:concerns )",
    "( [ sh:inversePath bk:concerns ] [ sh:inversePath bk:states ] bk:states )",
    "[ sh:alternativePath ( ( bk:states bk:concerns ) [ sh:inversePath bk:states ] ) ]",
)
TARGETS = (
    "sh:targetClass bk:Method",
    "sh:targetClass bk:Method , bk:Paper",
    "sh:targetSubjectsOf bk:states , bk:concerns",
)
NODES = (*(f"<https://example.org/{name}>" for name in "abcd"), "_:a", "_:b")
VALUES = (
    *NODES, BK.NotRecorded, BK.Unreadable, BK.Method,
    literal("ab"), literal("A\nb"), literal("a"), literal("ab") + "@en", literal("ab", XSD.string),
    literal("true", XSD.boolean), literal("2024-02-29", XSD.date), literal("2024-02-29T23:59:59.5Z", XSD.dateTime),
    literal("+.5", XSD.decimal), literal("2024", XSD.gYear), literal("2024-12", XSD.gYearMonth),
    literal("-007", XSD.integer),
)  # fmt: skip


def numbered() -> Iterator[tuple[str, str]]:
    for number, constraint in enumerate(CONSTRAINTS):
        yield f"node-{number}", f"a sh:NodeShape ; {TARGETS[number % 3]} ; {constraint}"
    for number, (path, constraint) in enumerate(itertools.product(PATHS, (*CONSTRAINTS, *OF_VALUES))):
        yield f"property-{number}", f"a sh:PropertyShape ; {TARGETS[number % 3]} ; sh:path {path} ; {constraint}"


def small_shapes() -> str:
    """Return a shape for each constraint on nodes, and one for each on the values of each path."""
    shapes = (f":{name} {said} ." for name, said in numbered())
    parts = (
        ":one a sh:PropertyShape ; sh:path bk:concerns ; sh:maxCount 1 ; sh:nodeKind sh:IRI .",
        ":two a sh:NodeShape ; sh:class bk:Paper ; sh:property :three .",
        ":three a sh:PropertyShape ; sh:path ( bk:states bk:concerns ) ; sh:equals bk:states .",
        ":inside a sh:NodeShape ; sh:targetClass bk:Paper ; sh:property :one , :three .",
    )
    return SMALL + "\n".join((*parts, *shapes))


def loaded(folder: Path, text: str) -> Shapes:
    (folder / "shapes.ttl").write_text(text)
    return load_shapes(folder)


def small_graph(chance: random.Random) -> list[str]:
    below = "<https://example.org/below>"
    found = {
        (chance.choice(NODES), chance.choice((BK.states, BK.concerns)), chance.choice(VALUES))
        for _ in range(chance.randrange(12))
    }
    if not chance.randrange(8):
        found.add((chance.choice(NODES), BK.states, chance.choice(ODD)))
    found |= {
        (chance.choice(NODES), RDF.type, chance.choice((BK.Method, BK.Paper, below)))
        for _ in range(chance.randrange(5))
    }
    if chance.randrange(2):
        found |= {(below, SUBCLASS_OF, f"{below[:-1]}-too>"), (f"{below[:-1]}-too>", SUBCLASS_OF, BK.Method)}
    return sorted(f"{' '.join(triple)} ." for triple in found)


def test_each_constraint_finds_what_pyshacl_finds_on_each_path(tmp_path):
    shapes = loaded(tmp_path, small_shapes())
    assert not shapes.unscreened
    chance = random.Random(5)
    decided, undecided, kinds = check((small_graph(chance) for _ in range(60)), shapes)
    assert undecided < decided / 10
    failed = [said for name, said in numbered() if name in {shape for shape, _ in kinds}]
    for asked in {*CONSTRAINTS, *OF_VALUES} - {"sh:minLength 0", "sh:minCount 0"}:
        assert any(said.endswith(f" {asked}") for said in failed), f"nothing failed {asked}"
    for path in PATHS:
        assert any(f"sh:path {path} ;" in said for said in failed), f"nothing failed on {path}"


OTHERS = {
    "sh:closed true": "sh:closed",
    "sh:deactivated true": "sh:deactivated",
    "sh:xone ( :one :two )": "sh:xone",
    "sh:property [ sh:path bk:states ; sh:maxCount 1 ]": "sh:property of what has no IRI",
    "sh:or ( [ sh:nodeKind sh:IRI ] )": "sh:or of what has no IRI",
    "sh:not :again": "a shape that is part of itself",
    "sh:not :one , :two": "sh:not more than once in one shape",
    "sh:datatype bk:Method": f"sh:datatype {BK.Method}",
    'sh:in ( "a" )': "sh:in with what is no IRI",
    "sh:minLength 01.0": "a number written",
    "sh:path bk:states ; sh:uniqueLang true": "sh:uniqueLang",
    "sh:path bk:states ; sh:lessThan bk:concerns": "sh:lessThan",
    "sh:path bk:states ; sh:property :one": "sh:property of a property shape",
    "sh:path [ sh:inversePath ( bk:states bk:concerns ) ] ; sh:minCount 1": "sh:inversePath of a path",
}
PARTS = ":one a sh:NodeShape ; sh:nodeKind sh:IRI . :two a sh:NodeShape ; sh:class bk:Paper ."


@pytest.mark.parametrize(("asked", "why"), OTHERS.items(), ids=OTHERS)
def test_a_shape_that_is_not_compiled_is_named_with_the_reason(tmp_path, caplog, asked, why):
    shapes = loaded(tmp_path, f"{SMALL} {PARTS} :again a sh:NodeShape ; sh:targetClass bk:Task ; {asked} .")
    ((name, reason),) = shapes.unscreened.items()
    assert name == "again"
    assert reason.startswith(why)
    (warned,) = caplog.messages
    assert warned == f"A graph with a target of again is checked by pyshacl, at a fiftieth of the speed: {reason}."


@pytest.mark.parametrize(
    "said",
    [
        ":more a sh:NodeShape ; sh:targetNode bk:NotRecorded ; sh:nodeKind sh:Literal .",
        ":more a sh:NodeShape ; sh:targetObjectsOf bk:states ; sh:nodeKind sh:Literal .",
        "bk:Task a sh:NodeShape , <http://www.w3.org/2000/01/rdf-schema#Class> ; sh:nodeKind sh:Literal .",
    ],
    ids=["targetNode", "targetObjectsOf", "Class"],
)
def test_shapes_with_other_targets_leave_every_graph_to_pyshacl(tmp_path, caplog, said):
    shapes = loaded(tmp_path, f"{SMALL} {said}")
    assert shapes.beyond
    assert caplog.messages == [
        f"Every graph is checked by pyshacl, at a fiftieth of the speed: shapes use {shapes.beyond}."
    ]
    node = "<https://example.org/a>"
    report = validate([f"{node} {RDF.type} {BK.Task} .", f"{node} {BK.states} {node} ."], shapes)
    assert [it.component for it in report.findings] == ["NodeKindConstraintComponent"]


@pytest.fixture
def asked(monkeypatch) -> list[int]:
    """How many triples each graph has that pyshacl was asked about."""
    sizes = []
    results = reference.results

    def counting(found, shapes):
        triples = list(found)
        sizes.append(len(triples))
        return results(triples, shapes)

    monkeypatch.setattr(reference, "results", counting)
    return sizes


def test_a_shape_that_is_not_compiled_sends_only_the_graphs_with_a_target_to_pyshacl(tmp_path, asked):
    unordered = ":last sh:targetClass bk:Task ; sh:path bk:states ; sh:lessThan bk:concerns ; sh:severity sh:Warning ."
    shapes = loaded(tmp_path, f"{SMALL} {unordered} :plain sh:targetClass bk:Paper ; sh:nodeKind sh:IRI .")
    node = "<https://example.org/a>"
    two = [f"{node} {BK.states} {literal('2', XSD.integer)} .", f"{node} {BK.concerns} {literal('1', XSD.integer)} ."]
    assert not validate([*two, f"{node} {RDF.type} {BK.Paper} ."], shapes).findings
    assert not asked
    (finding,) = validate([*two, f"{node} {RDF.type} {BK.Task} ."], shapes).findings
    assert (finding.shape, finding.component, finding.path) == ("last", "LessThanConstraintComponent", "bk:states")
    assert asked == [3]


def test_every_shape_of_the_project_is_compiled(shapes):
    """Else it would be in ``unscreened``, and every page with a node of its class be checked at pyshacl's speed."""
    assert not shapes.unscreened
    assert not shapes.beyond
    checked = {check.name for target in shapes.targeted.values() for check in target.checks}
    assert checked == set(shapes.checked_by)


SCORE = "<https://w3id.org/benchkg/id/sota2/score/a>"
CHANGES = {
    "clean": ("", False),
    "a warning": (f"{SCORE} {BK.value} {literal('81.6', XSD.decimal)} .", False),
    "a violation": (f"{SCORE} {BK.metric} {SCORE} .", True),
    "a number that only rdflib can read": (f"{SCORE} {BK.value} {literal('1e5', XSD.decimal)} .", True),
    "two languages that rdflib takes for one": (f"{SCORE} {BK.disclaimer} {literal('x')}@EN .", False),
    "a subclass": (f"<https://example.org/x> {SUBCLASS_OF} {BK.Score} .", False),
    "an instance of a subclass": (
        f"<https://example.org/x> {SUBCLASS_OF} {BK.Score} .\n_:y {RDF.type} <https://example.org/x> .",
        True,
    ),
    "a term that nothing knows": (f"{SCORE} <https://w3id.org/benchkg/ns#vlaue> {literal('1')} .", False),
    "a blank node": (f"_:a {RDF.type} {BK.Result} .", True),
}


@pytest.mark.parametrize(("change", "is_asked"), CHANGES.values(), ids=CHANGES)
def test_the_report_is_the_one_that_pyshacl_gives(shapes, asked, change, is_asked):
    graph = [*WHOLE, *change.splitlines()]
    report = validate(graph, shapes)
    assert bool(asked) == is_asked
    assert report == validate_with_pyshacl(graph, shapes)
    assert report.focus_counts == focus_counts(graph, shapes)


def focus_counts(graph: list[str], shapes: Shapes) -> dict[str, int]:
    """Count the focus nodes of each shape as pyshacl finds them."""
    data = DataGraph.from_rdflib(to_rdflib(map(split, graph)))
    counts = {
        local_name(f"<{shape.node}>"): len(shape.focus_nodes(data)) for shape in shapes.reference.shapes if shape.node
    }
    return {name: counts[name] for name in shapes.checked_by}


def test_validate_says_the_same_with_pyshacl_alone(tmp_path, monkeypatch):
    file = tmp_path / "graph.nt"
    file.write_text("\n".join([*WHOLE, CHANGES["a warning"][0]]))
    found = [open_graph(file).validate()]

    def undecided(*_):
        raise Undecided("not in this test")

    monkeypatch.setattr(checking, "screen", undecided)
    found.append(open_graph(file).validate())
    assert found[0].report.warnings
    assert found[0] == found[1]


def test_neither_pyshacl_nor_rdflib_is_loaded_before_a_violation(tmp_path):
    """A process that validates pages without one is as quick to start as if there were neither."""
    (tmp_path / "warning.nt").write_text("\n".join([*WHOLE, CHANGES["a warning"][0]]))
    (tmp_path / "violation.nt").write_text("\n".join([*WHOLE, CHANGES["a violation"][0]]))
    code = """
import sys
from pathlib import Path
from kg.resources import directory
from kg.validation import load_shapes, validate

shapes = load_shapes(directory("shapes"))
for file in sys.argv[1:]:
    report = validate(Path(file).read_text().splitlines(), shapes)
    print(len(report.findings), report.conforms, sorted({"pyshacl", "rdflib"}.intersection(sys.modules)))
"""
    files = [str(tmp_path / name) for name in ("warning.nt", "violation.nt")]
    done = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["1 True []", "3 False ['pyshacl', 'rdflib']"]


def test_a_file_that_is_no_turtle_is_misuse(tmp_path):
    with pytest.raises(Misuse, match=r"shapes\.ttl is no Turtle: "):
        loaded(tmp_path, "bks:x a")


def test_a_path_of_another_kind_is_misuse(tmp_path):
    with pytest.raises(Misuse, match="a path with zeroOrMorePath"):
        loaded(
            tmp_path, f"{SMALL} :a sh:targetClass bk:Task ; sh:path [ sh:zeroOrMorePath bk:states ] ; sh:minCount 1 ."
        )
