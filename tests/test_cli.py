"""The command line as its users meet it: exit codes, data on standard output and talk on standard error."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "cases" / "sota2"
REAL = [str(CASES / name / "page.md") for name in ("out-of-distribution-detection", "selective-classification")]
FIRST = "Out-of-Distribution Detection on ImageNet-1K ResNet-50 (test)"


def kg(*arguments: object, folder: Path, **options) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    environment.pop("KG_STORE", None)
    command = [sys.executable, "-m", "kg", *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, cwd=folder, env=environment, timeout=120, check=False, **options)
    done = subprocess.CompletedProcess(command, run.returncode, run.stdout.decode(), run.stderr.decode())
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the store of the two real pages."""
    made = tmp_path_factory.mktemp("user")
    done = kg("build", *REAL, "-o", "graph.ttl", folder=made)
    assert done.returncode == 0
    assert done.stdout == ""
    assert "Read 2 pages" in done.stderr
    return made


@pytest.fixture(params=["store", "Turtle"])
def graph(request, folder) -> list[str]:
    """The options that name the graph: every answer is the same over the store and over its Turtle."""
    return ["--store", str(folder / ("kg-store" if request.param == "store" else "graph.ttl"))]


def test_validation_of_the_real_pages_exits_with_0(folder, graph):
    assert kg("validate", *graph, folder=folder).returncode == 0


def test_the_version_is_data(folder):
    assert kg("--version", folder=folder).stdout.strip()


def test_info_counts_under_the_documented_names(folder, graph):
    counts = json.loads(kg("info", "-f", "json", *graph, folder=folder).stdout)
    kinds = (
        "pages benchmarks tasks datasets metrics methods papers implementations configurations comparison_groups "
        "results scores triples"
    )
    assert list(counts) == kinds.split()
    assert list(counts.values())[:-1] == [2, 2, 2, 2, 5, 16, 9, 3, 3, 3, 21, 21]


def test_a_leaderboard_has_a_table_a_configuration_and_says_how_complete_it_is(folder, graph):
    done = kg("leaderboard", FIRST, "--metric", "Near-OOD AUROC", *graph, folder=folder)
    assert done.returncode == 0
    assert "10 of 10 recorded results; not a claim about the world" in done.stdout
    tables = done.stdout.split("Tuning Method: ")[1:]
    ranks = [[line.split("|")[:2] for line in table.splitlines() if "PLF" in line] for table in tables]
    assert {table.splitlines()[0]: row[0][0].strip() for table, row in zip(tables, ranks, strict=True)} == {
        "OpenOOD Tuning (OpenImage-O)": "4",
        "Proposed tuning without OOD data": "2",
    }


def test_a_comparison_gives_signed_differences_with_unit_and_configuration(folder, graph):
    done = kg("compare", "PLF", "VRA", *graph, folder=folder)
    assert done.returncode == 0
    assert "+2.79 percentage points" in done.stdout
    assert "-0.93 percentage points" in done.stdout
    pairs = json.loads(kg("compare", "PLF", "VRA", "-f", "json", *graph, folder=folder).stdout)
    assert [like["difference"] for like in pairs[0]["like"]] == ["-0.93", "2.79"]


def test_methods_without_a_common_benchmark_are_never_subtracted(folder, graph):
    done = kg("compare", "PLF", "Energy", *graph, folder=folder)
    assert done.returncode == 0
    assert "not comparable" in done.stdout
    assert "percentage points" not in done.stdout


def test_a_trace_leads_to_the_lines(folder, graph):
    done = kg("trace", "6998ed525698665ec451df8a", *graph, folder=folder)
    assert done.returncode == 0
    lines = Path(REAL[0]).read_text().splitlines()
    row = next(number for number, line in enumerate(lines, 1) if line.startswith("| ASH | 78.22"))
    assert f"line {row} of https://www.sota2.com/research/sota/" in done.stdout
    assert "78.22" in done.stdout


@pytest.mark.parametrize("form", ["table", "md", "csv", "tsv", "json", "xml"])
def test_each_row_format_holds_each_row(folder, graph, form):
    done = kg("query", "provenance/inventory", "-f", form, *graph, folder=folder)
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("comparison_groups", "implementations", "21"))


def test_a_query_file_and_standard_input_are_asked_alike(folder, graph):
    text = "SELECT (COUNT(*) AS ?n) WHERE { ?result a <https://w3id.org/benchkg/ns#Result> }"
    (folder / "count.rq").write_text(text)
    answers = [
        kg("query", "count.rq", "-f", "csv", *graph, folder=folder),
        kg("query", "-", "-f", "csv", *graph, folder=folder, input=text.encode()),
    ]
    assert {answer.stdout for answer in answers} == {"n\r\n21\r\n"}


@pytest.mark.parametrize("form", ["ttl", "nt", "nq", "trig", "jsonld", "xml"])
def test_a_graph_is_written_in_every_format_the_same_each_time(folder, form):
    query = "CONSTRUCT { ?s <https://example.org/p> ?l } WHERE { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?l }"
    made = [kg("query", query, "-f", form, folder=folder).stdout for _ in range(2)]
    assert made[0] == made[1]
    assert "Near-OOD AUROC" in made[0]


def test_the_answer_of_an_ask_is_a_word_or_sparql_results(folder):
    (folder / "ask").write_text("ASK { ?result a <https://w3id.org/benchkg/ns#Result> }")
    assert kg("query", "ask", folder=folder).stdout == "true\n"
    assert json.loads(kg("query", "./ask", "-f", "json", folder=folder).stdout) == {"head": {}, "boolean": True}
    assert "<boolean>true</boolean>" in kg("query", "ask", "-f", "xml", folder=folder).stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["build", "no-such-page.md"], 2, "no such file"),
        (["build", "http://127.0.0.1:9/page.md"], 3, "fetched"),
        (["build", REAL[0], "--base", "not an address"], 2, "--base"),
        (["build", REAL[0], "-o", "graph.docx"], 2, "format"),
        (["build", REAL[0], "-f", "nt"], 2, "-o"),
        (["build", REAL[0], "-o", "no-such-folder/graph.ttl", "--store", "unmade"], 2, "no-such-folder"),
        (["build", REAL[0], "--store", "graph.ttl"], 2, "is a file"),
        (["query", "comparison/leaderbord"], 2, "comparison/leaderboard"),
        (["query", "comparison/leaderboard", "-p", "benchmark"], 2, "name=value"),
        (["query", "comparison/leaderboard", "-p", f"benchmark={FIRST}"], 2, "metric"),
        (["query", "SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"], 2, "SERVICE"),
        (["query", "SELECT * WHERE { ?s"], 2, "well formed"),
        (["query", "./no-such-file"], 2, "no-such-file: cannot be read"),
        (["query", "provenance/inventory", "-f", "docx"], 2, "docx"),
        (["leaderboard", "Outof Distribution"], 2, "no benchmark"),
        (["compare", "KNN", "PLF"], 2, "2 methods"),
        (["compare", "PLF"], 2, "two methods"),
        (["trace", "6998ed525698665ec451df8b0"], 2, "did you mean"),
        (["export", "-f", "docx"], 2, "docx"),
        (["validate", "no-such.ttl"], 2, "no-such.ttl"),
        (["analyse", "fame"], 2, "pagerank"),
        (["info", "--store", "nowhere"], 2, "nowhere"),
        (["no-such-command"], 2, "no-such-command"),
    ],
)
def test_misuse_is_told_in_words_with_the_exit_code(folder, arguments, code, said):
    done = kg(*arguments, folder=folder)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert done.stdout == ""


def test_a_command_without_what_it_needs_shows_its_help(folder):
    done = kg("remove", folder=folder)
    assert done.returncode == 2
    assert "NAME" in done.stderr
    assert done.stdout == ""


def test_a_build_without_a_source_or_an_archive_says_what_it_needs(tmp_path):
    done = kg("build", folder=tmp_path)
    assert done.returncode == 2
    assert "Build from pages first" in done.stderr
    assert "--archive" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_errors_while_the_rest_loads_exit_with_1(tmp_path):
    done = kg("build", CASES / "value-differs" / "page.md", REAL[0], folder=tmp_path)
    assert done.returncode == 1
    assert "value-disagrees" in done.stderr
    assert json.loads(kg("info", "-f", "json", folder=tmp_path).stdout)["pages"] == 2


def test_an_empty_board_is_no_bare_verdict_and_fails_when_strict(tmp_path):
    assert kg("build", CASES / "empty-board" / "page.md", folder=tmp_path).returncode == 0
    done = kg("validate", folder=tmp_path)
    assert done.returncode == 0
    assert "found nothing to check: " in done.stdout
    assert kg("validate", "--strict", folder=tmp_path).returncode == 1


def test_an_export_is_the_same_each_time_and_reads_back(folder):
    made = [kg("export", "-f", "nq", folder=folder).stdout for _ in range(2)]
    assert made[0] == made[1] != ""
    (folder / "again.nq").write_text(made[0])
    assert kg("export", "--store", "again.nq", "-f", "nq", folder=folder).stdout == made[0]


def test_a_second_build_of_the_same_pages_changes_nothing(folder):
    pointer = (folder / "kg-store" / "current").read_text()
    done = kg("build", *REAL, folder=folder)
    assert "2 unchanged" in done.stderr
    assert (folder / "kg-store" / "current").read_text() == pointer


def test_each_state_that_gives_way_is_a_warning_of_its_page_and_counted(tmp_path):
    page = (CASES / "clean" / "page.md").read_text(encoding="utf-8")
    for name, text in {
        "first.md": page,
        "tied.md": page + "\n",
        "stale.md": page.replace("Data updated: 2026", "Data updated: 2025"),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    kg("build", "first.md", folder=tmp_path)
    said = kg("build", "stale.md", folder=tmp_path).stderr
    assert "stale.md: warning: modified 2025-" in said
    assert "kept is the state stored before" in said
    assert "[stale]" in said
    assert "Read 1 page into kg-store: 1 stale." in said
    said = kg("build", "tied.md", "stale.md", folder=tmp_path).stderr
    assert "tied.md: warning: two states with the same time" in said
    assert 'Give the corrected page a later "Data updated" time [tied]' in said
    assert ", 1 stale, 1 tied." in said or ": 1 stale, 1 tied." in said


def test_what_the_shapes_doubt_is_told_with_its_line(tmp_path):
    said = kg("build", CASES / "outside-percent" / "page.md", folder=tmp_path).stderr
    assert "page.md:35: warning: A value in percent lies outside 0 to 100." in said
    assert "[score-percentage]" in said


def test_the_keys_of_every_answer_are_the_columns_of_the_queries(folder):
    boards = json.loads(kg("leaderboard", FIRST, "-f", "json", folder=folder).stdout)
    asked = ["query", "comparison/leaderboard", "-p", f"benchmark={FIRST}", "-p", "metric=Near-OOD AUROC", "-f", "csv"]
    columns = kg(*asked, folder=folder).stdout.splitlines()[0].split(",")
    standing = boards[0]["tables"][0]["standings"][0]
    assert set(standing) - {"ignored"} <= set(columns)  # no query pools
    assert standing["value"] == "78.17"
    pair = json.loads(kg("compare", "PLF", "VRA", "-f", "json", folder=folder).stdout)[0]
    assert pair["like"][0]["benchmark"] == boards[0]["benchmark"] != pair["like"][0]["benchmarkLabel"] == FIRST
    head = kg("leaderboard", FIRST, "-f", "csv", folder=folder).stdout.splitlines()[0].split(",")
    assert set(head) <= {*columns, "benchmarkLabel", "metricLabel"}
    traced = json.loads(kg("trace", "6998ed525698665ec451df8a", "-f", "json", folder=folder).stdout)
    assert traced["rows"][0]["modified"] == "2026-02-26T05:53:35.707Z"


@pytest.mark.parametrize("form", ["text", "md", "csv", "tsv", "json"])
def test_what_is_told_can_be_had_in_each_format(folder, form):
    assert "78.08" in kg("compare", "PLF", "VRA", "-f", form, folder=folder).stdout
    traced = kg("trace", "6998ed525698665ec451df8a", "-f", form, folder=folder).stdout
    assert ("independent reproduction not asserted" if form in {"text", "md"} else "ReproductionNotAsserted") in traced


def test_validation_ends_with_the_verdict_and_has_a_line_a_class(folder):
    lines = kg("validate", folder=folder).stdout.splitlines()
    assert lines[-1].startswith("kg-store conforms: 0 violations")
    assert [line.split() for line in lines if line.startswith("  metric ")] == [
        ["metric", "5", "nodes", "15", "shapes"],
    ]
    assert " shapes" not in kg("validate", "-q", folder=folder).stdout


def test_all_nodes_are_measured_as_data_and_a_cut_table_says_so(folder):
    assert kg("analyse", "degree", "-f", "csv", folder=folder).stdout.count("\n") > 100
    assert "20 of " in kg("analyse", "degree", folder=folder).stderr


def on_a_terminal(*arguments: str, folder: Path, columns: int) -> str:
    """Return what is shown on a terminal of some width."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "KG_STORE"}}
    environment = {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "kg", *arguments]
    shown = b""
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=folder, env=environment):
        os.close(theirs)
        with suppress(OSError):  # a terminal that nobody has open any more
            while part := os.read(ours, 65536):
                shown += part
    os.close(ours)
    return shown.decode().replace("\r", "")


def test_a_narrow_terminal_breaks_no_id(folder):
    text = on_a_terminal("leaderboard", FIRST, "-m", "Near-OOD AUROC", folder=folder, columns=80)
    assert "   1  ASH     78.17  own    6998ed525698665ec451df89\n" in text
    assert "\x1b" not in text
    asked = ["query", "comparison/leaderboard", "-p", f"benchmark={FIRST}", "-p", "metric=Near-OOD AUROC"]
    assert "\nidentifier: 6998ed525698665ec451df89\n" in on_a_terminal(*asked, folder=folder, columns=80)


@pytest.mark.parametrize("form", ["table", "md"])
def test_a_text_of_several_lines_stays_in_its_row(folder, form):
    done = kg("query", 'SELECT ?text WHERE { BIND("one\\ntwo" AS ?text) }', "-f", form, folder=folder)
    assert "one⏎two" in done.stdout


def test_statements_are_counted_as_they_are_written(folder):
    for name, *options in (("count.nt",), ("count.nq",), ("meta.nq", "--meta")):
        said = kg("export", "-o", name, *options, folder=folder).stderr
        written = (folder / name).read_text(encoding="utf-8").count("\n")
        assert said == f"Wrote {written} {'quads' if name.endswith('nq') else 'triples'} to {name}.\n"


@pytest.mark.parametrize(
    "command", ["build", "query", "info", "leaderboard", "compare", "trace", "analyse", "validate"]
)
def test_the_help_of_a_command_lists_its_formats(folder, command):
    done = kg(command, "-h", folder=folder, env={"COLUMNS": "200"})
    assert "-f" in done.stdout
    assert "json" in done.stdout
    assert ("-o" in done.stdout.replace("-ou", "")) is (command in {"build", "query"})


def test_quiet_says_nothing_when_all_is_well(tmp_path):
    done = kg("build", *REAL, "-q", folder=tmp_path)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_reader_that_has_seen_enough_is_no_error(folder):
    command = f"{sys.executable} -m kg export -f nt | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


@pytest.mark.parametrize("view", ["everything", "beats", "methods-benchmarks", "papers"])
@pytest.mark.parametrize("suffix", ["graphml", "gexf", "json", "cyjs"])
def test_views_are_measured_and_written(folder, tmp_path, graph, view, suffix):
    target = tmp_path / f"view.{suffix}"
    done = kg("analyse", "pagerank", "--view", view, "--graph", target, "-f", "csv", *graph, folder=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("value,kind,label,node\n")
    assert target.stat().st_size > 1000
