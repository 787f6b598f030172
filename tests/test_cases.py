"""Each case folder: the page, the graph and the problems that it gives, and the way back from the graph.

Beside them the list of the odd pages and questions from outside the repository, with the tests that hold each.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pyoxigraph
import pytest

from kg import sources
from kg.export import Format, serialize
from kg.mapping import to_view_graph
from kg.model import Reading
from kg.restoring import to_pages
from kg.sources.sota2 import FURNITURE
from kg.vocabulary import prefixes

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/*/page.md"))
TABLE = (CASES / "README.md").read_text(encoding="utf-8")
QUOTED = re.compile(r"/snapshot/[0-9a-f]+#line=([0-9]+),([0-9]+)>")


class Covered(NamedTuple):
    """A case from outside the repository: what it is about, and what holds it or why nothing does yet."""

    kind: str
    tests: tuple[str, ...] = ()
    """Tests, ``module.name``, of the kind of fault beyond the one example; its own is called after the case."""
    reason: str = ""
    """Why nothing holds it yet, or what of it waits."""


HELD = {"pages", "identity", "numbers", "dates", "coverage", "Turtle", "SHACL", "SPARQL", "networks"}
"""The kinds of which every case has tests."""
ELSEWHERE = {"fetching", "sources", "server"}
"""The kinds of which a case may wait, or have its tests anywhere."""
OUTSIDE = {
    "00-control": Covered(
        "pages",
        (
            "test_cases.test_a_case_gives_its_graph_and_its_problems",
            "test_cases.test_every_line_is_a_fact_furniture_or_a_problem",
        ),
    ),
    "01-pipe-in-method": Covered("pages", ("test_case_laws.test_any_name_with_bars_is_one_method_with_one_value",)),
    "03-plus-minus-value": Covered(
        "numbers", ("test_case_laws.test_any_value_with_a_spread_is_ranked_by_its_value_and_keeps_its_spread",)
    ),
    "05-conflicting-rows-same-method": Covered(
        "identity",
        (
            "test_case_laws.test_every_two_values_of_one_method_and_configuration_are_a_conflict",
            "test_queries.test_conflicting_results_both_stay_and_are_named",
        ),
    ),
    "07-slug-collision-names": Covered(
        "identity", ("test_case_laws.test_any_two_names_are_two_methods_in_every_order",)
    ),
    "09-iri-hostile-names": Covered(
        "Turtle",
        (
            "test_case_laws.test_any_name_comes_back_from_turtle_and_stands_in_no_iri",
            "test_export.test_any_text_survives_turtle_in_both_libraries",
        ),
    ),
    "12-nan-value": Covered(
        "numbers",
        (
            "test_case_laws.test_what_is_no_finite_number_has_no_value_and_the_others_load",
            "test_case_laws.test_what_is_no_json_is_reported_and_makes_no_group",
        ),
    ),
    "13-partial-page": Covered(
        "coverage",
        (
            "test_several_views.test_all_pages_of_a_metric_add_up_to_its_total",
            "test_several_views.test_a_page_of_several_that_was_not_read_is_told",
            "test_several_views.test_pages_that_do_not_add_up_to_the_total_are_a_finding",
            "test_several_views.test_the_best_of_pages_not_all_read_comes_with_what_is_missing",
        ),
    ),
    "15-partial-and-impossible-dates": Covered(
        "dates",
        (
            "test_case_laws.test_a_date_is_as_precise_as_printed_or_text",
            "test_case_laws.test_dates_of_any_precision_are_sorted_and_filtered_without_an_error",
        ),
    ),
    "18-decimal-forms": Covered("numbers", ("test_case_laws.test_any_two_spellings_of_a_number_are_one_exact_value",)),
    "21-pwc-metric-strings-and-bad-row": Covered("sources", reason="pages of Papers with Code are not read yet"),
    "22-hf-yaml-implicit-types": Covered("sources", reason="cards of Hugging Face are not read yet"),
    "24-same-page-twice": Covered(
        "Turtle",
        (
            "test_pipeline.test_hash_seed_order_and_workers_change_no_byte",
            "test_page_laws.test_a_new_result_changes_its_own_lines_and_the_snapshot_alone",
            "test_store.test_the_outcome_depends_neither_on_order_nor_on_the_number_of_updates",
        ),
    ),
    "27-empty-board-passes-validation": Covered(
        "SHACL",
        (
            "test_validation.test_an_empty_graph_does_not_merely_conform",
            "test_validation.test_a_misspelt_class_is_named",
            "test_validation.test_a_class_or_property_that_nothing_here_knows_is_named",
        ),
    ),
    "28-order-and-filter-over-mixed-values": Covered(
        "SPARQL",
        (
            "test_case_laws.test_numbers_are_ranked_as_numbers_and_nothing_else_is",
            "test_case_laws.test_texts_among_the_values_of_any_turtle_are_a_violation_and_never_ranked",
        ),
    ),
    "30-endpoint-reads-files-and-calls-out": Covered(
        "SPARQL",
        (
            "test_catalogue.test_what_calls_out_is_refused",
            "test_catalogue.test_the_clause_is_named",
            "test_catalogue.test_what_passes_calls_nothing",
        ),
        "the default graph that a request names: there is no endpoint yet",
    ),
    "32-slow-queries": Covered(
        "SPARQL",
        (
            "test_limits.test_a_query_of_any_form_stops_at_its_limit",
            "test_limits.test_ctrl_c_stops_a_query_that_the_database_evaluates",
        ),
        "the status and the next request: there is no endpoint yet",
    ),
    "33-retry-after-forms": Covered(
        "fetching",
        (
            "test_fetching_cases.test_the_waits_that_servers_ask_for",
            "test_fetching.test_a_date_in_retry_after_is_waited_for",
        ),
    ),
    "35-compressed-and-endless-bodies": Covered(
        "fetching",
        (
            "test_fetching_cases.test_bodies_that_are_packed_small_or_never_end",
            "test_fetching.test_a_bomb_and_an_endless_body_leave_the_memory_flat",
        ),
    ),
    "37-robots-bom-wildcard-longest-match": Covered(
        "fetching",
        (
            "test_fetching_cases.test_rules_for_robots",
            "test_fetching.test_what_robots_may_not_fetch_is_not_fetched",
            "test_fetching.test_without_an_answer_about_robots_nothing_is_fetched",
        ),
    ),
    "40-networkx-view-and-graphml": Covered(
        "networks",
        (
            "test_analysis.test_no_relation_between_nodes_is_lost",
            "test_analysis.test_a_literal_is_no_node_even_where_the_query_gives_it",
            "test_analysis.test_every_exporter_takes_a_view",
        ),
    ),
}


def names_in(module: str) -> set[str]:
    tree = ast.parse((CASES.parent / f"{module}.py").read_bytes())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_case_from_outside_is_listed(shared):
    assert {path.name for path in (shared / "cases").iterdir() if path.is_dir()} == OUTSIDE.keys()


@pytest.mark.parametrize("case", OUTSIDE)
def test_a_case_from_outside_has_tests_or_waits_for_a_reason(case):
    kind, tests, reason = OUTSIDE[case]
    assert kind in HELD | ELSEWHERE
    own = f"test_{case.replace('-', '_')}"
    assert (own in names_in("test_shared_cases")) == (kind in HELD)
    assert tests or kind in ELSEWHERE, f"a case about {kind} has tests"
    assert tests or reason
    for module, name in (test.split(".") for test in tests):
        assert name in names_in(module), f"{module}.{name}"


def read(folder: Path) -> Reading:
    return sources.parse((folder / "page.md").read_bytes(), "page.md")


def rows_of(heading: str) -> dict[str, list[str]]:
    """Return the rows of the table under a heading of the README, by their first cell."""
    section = TABLE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in section.splitlines() if line.startswith("| `")]
    return {cells[0].strip().strip("`"): [cell.strip() for cell in cells[1:]] for cells in rows}


@pytest.fixture(params=FOLDERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def folder(request) -> Path:
    return request.param


def test_a_case_gives_its_graph_and_its_problems(folder, golden):
    reading = read(folder)
    golden(folder / "problems.txt", "".join(f"{problem}\n" for problem in reading.problems))
    if reading.page is None:
        assert not (folder / "graph.ttl").exists(), "a page that is not read has no graph"
    else:
        lines = to_view_graph(reading.page).lines
        golden(folder / "graph.ttl", serialize(lines, Format.TTL, prefixes()).decode())


def test_the_golden_graph_holds_the_lines_of_the_page(folder):
    page = read(folder).page
    if page is None:
        return
    triples = pyoxigraph.parse((folder / "graph.ttl").read_bytes(), pyoxigraph.RdfFormat.TURTLE)
    assert {f"{quad.triple} ." for quad in triples} == {
        f"{quad.triple} ."
        for quad in pyoxigraph.parse("\n".join(to_view_graph(page).lines), pyoxigraph.RdfFormat.N_TRIPLES)
    }


def test_a_page_comes_back_from_its_graph(folder):
    page = read(folder).page
    assert to_pages(to_view_graph(page).lines if page else []) == ([page] if page else [])


def test_every_line_is_a_fact_furniture_or_a_problem(folder):
    reading = read(folder)
    assert reading.page or any(problem.severity == "error" for problem in reading.problems)
    if reading.page is None:
        return
    quoted = {
        number
        for line in to_view_graph(reading.page).lines
        for first, last in QUOTED.findall(line)
        for number in range(int(first) + 1, int(last) + 1)
    }
    lines = (folder / "page.md").read_bytes().removeprefix(b"\xef\xbb\xbf").decode(errors="replace").split("\n")
    left = {number: line for number, line in enumerate(lines, 1) if number not in quoted}
    assert not {number: line for number, line in left.items() if not FURNITURE.fullmatch(line.rstrip("\r"))}


def test_a_page_that_differs_from_the_clean_one_is_listed():
    assert list(rows_of("Cases")) == sorted(f"{path.parent.name}/{path.name}" for path in FOLDERS)


def test_no_two_cases_are_one_page():
    counts = Counter((path / "page.md").read_bytes() for path in FOLDERS)
    assert set(counts.values()) == {1}


def test_every_code_has_a_case_and_a_row():
    found = {}
    for problem in (problem for path in FOLDERS for problem in read(path).problems):
        assert found.setdefault(problem.code, problem.severity) == problem.severity, problem.code
    assert {code: cells[0] for code, cells in rows_of("Problems").items()} == found


def test_every_code_in_the_sources_has_a_row():
    codes = set()
    for module in (Path(sources.__file__).parent).glob("*.py"):
        for call in ast.walk(ast.parse(module.read_bytes())):
            if isinstance(call, ast.Call) and isinstance(call.args[0] if call.args else None, ast.Constant):
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                if name in {"error", "warning", "Problem"}:
                    codes.add(call.args[0].value)
    assert codes
    assert codes <= set(rows_of("Problems"))


def test_the_shared_pages_come_back_from_their_graphs(shared):
    read_from = [*(shared / "seeds").glob("*.txt"), *(shared / "cases").glob("*/input.md")]
    readings = {path: sources.parse(path.read_bytes(), path.name) for path in read_from}
    assert [path.parent.name for path, reading in readings.items() if reading.page is None] == [
        "22-hf-yaml-implicit-types"
    ]
    for path, reading in readings.items():
        if reading.page:
            assert to_pages(to_view_graph(reading.page).lines) == [reading.page], path


def test_our_copies_of_the_real_pages_keep_their_facts(shared, cases):
    """The copies differ from the originals in one line: the description, which is in our own words."""
    originals = sorted((shared / "seeds").glob("*.txt"))
    copies = [
        cases / "sota2" / name / "page.md" for name in ("out-of-distribution-detection", "selective-classification")
    ]
    for original, copy in zip(originals, copies, strict=True):
        pairs = zip(original.read_text().split("\n"), copy.read_text().split("\n"), strict=True)
        differing = [number for number, (one, other) in enumerate(pairs, 1) if one != other]
        assert differing == [sources.parse(copy.read_bytes(), copy.name).page.description.lines.first]
