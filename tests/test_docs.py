"""What the documents list is what the code has: problem codes, terms, and the keys and columns of answers."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kg import catalogue, scores
from kg.cli.tables import camel
from kg.history import Apart
from kg.validation import Finding

ROOT = Path(__file__).parents[1]


def section(path: str, heading: str) -> str:
    """Return the text between a heading of the second level and the next one."""
    return (ROOT / path).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]


def first_cells(text: str) -> list[str]:
    """Return what stands as code in the first cell of each row of the tables of a text."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def constants(tree: ast.AST) -> set[object]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def test_the_problems_of_a_build_are_those_of_the_code():
    modules = [ast.parse((ROOT / "kg" / name).read_bytes()) for name in ("parts.py", "pipeline.py")]
    calls = [node for module in modules for node in ast.walk(module) if isinstance(node, ast.Call)]
    named = [call.args[0] for call in calls if getattr(call.func, "id", "") in {"Problem", "_unread"}]
    codes = {name.value for name in named if isinstance(name, ast.Constant)}
    assert codes
    listed = set(first_cells(section("tests/cases/README.md", "Problems of a build")))
    assert codes <= listed
    assert listed - codes <= constants(ast.parse((ROOT / "kg/cli/building.py").read_bytes()))


@pytest.mark.parametrize("path", ["README.md", "docs/analysis.md", "docs/answers.md", "docs/decisions.md"])
def test_each_term_that_a_document_names_is_in_the_ontology(path):
    named = set(re.findall(r"\bbk:(\w+)", (ROOT / path).read_text(encoding="utf-8")))
    known = set(re.findall(r"^bk:(\w+) a ", (ROOT / "kg/ontology.ttl").read_text(encoding="utf-8"), re.MULTILINE))
    assert named
    assert named <= known


ANSWERS = {
    "leaderboard": ["selective-classification-on-imagenet-v2-original-test"],
    "compare": ["PLF", "VRA"],
    "audit": ["PLF", "-b", "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"],
    "trace": ["6998ed525698665ec451df89"],
    "history": ["6998ed525698665ec451df89"],
    "validate": [],
    "info": [],
    "analyse": ["pagerank"],
}
# Objects whose keys are the columns of a query or the names of shapes, which have their lists elsewhere.
OPEN = ("rows", "problems", "focusNodes", "quality[].row")


def keys_of(value: object, path: str = "") -> Iterator[str]:
    """Yield where each value of a JSON answer stands: ``[].tables[].group``."""
    if path in OPEN:
        return
    if isinstance(value, dict):
        for key, each in value.items():
            here = f"{path}.{key}" if path else key
            yield here
            yield from keys_of(each, here)
    elif isinstance(value, list):
        for each in value:
            yield from keys_of(each, f"{path}[]")


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    """A store with the two real pages."""
    folder = tmp_path_factory.mktemp("store") / "kg-store"
    pages = [
        ROOT / "tests/cases/sota2" / name for name in ("out-of-distribution-detection", "selective-classification")
    ]
    asked(folder, "build", *map(str, pages))
    return folder


def asked(store: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "kg", *arguments, "--store", str(store)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", ANSWERS)
def test_the_keys_of_each_answer_are_those_in_its_document(command, store):
    answer = json.loads(asked(store, command, *ANSWERS[command], "-f", "json"))
    found = set(keys_of(answer))
    if command == "history":
        best = json.loads(asked(store, command, "selective-classification-on-imagenet-v2-original-test", "-f", "json"))
        found |= set(keys_of(best)) | {f"boards[].apart[].{field}" for field in map(camel, Apart.__dataclass_fields__)}
    if command == "leaderboard":
        board = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"
        found |= set(keys_of(json.loads(asked(store, command, board, "--pool", "Tuning Method", "-f", "json"))))
    if command == "validate":
        assert not answer["findings"]
        found |= {f"findings[].{field}" for field in Finding.__dataclass_fields__}
    assert sorted(first_cells(section("docs/answers.md", f"kg {command}"))) == sorted(found)


@pytest.mark.parametrize("command", [command for command in ANSWERS if command not in {"audit", "validate"}])
def test_the_columns_of_each_answer_are_those_in_its_document(command, store):
    columns = asked(store, command, *ANSWERS[command], "-f", "csv").splitlines()[0]
    assert re.findall(r"```csv\n(.*)\n```", section("docs/answers.md", f"kg {command}")) == [columns]


def test_the_keys_of_the_questions_are_those_in_their_document():
    def listed(*arguments: str) -> str:
        command = [sys.executable, "-m", "kg", "queries", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    every = json.loads(listed("-f", "json"))
    assert [each["name"] for each in every] == [query.name for query in catalogue.list_queries()]
    found = {key for key in keys_of(every) if not key.startswith("[].examples[]")}
    assert sorted(first_cells(section("docs/answers.md", "kg queries"))) == sorted(found)
    assert json.loads(listed("trace", "-f", "json")) == next(
        each for each in every if each["name"] == "provenance/trace"
    )
    columns = listed("-f", "csv").splitlines()[0]
    assert re.findall(r"```csv\n(.*)\n```", section("docs/answers.md", "kg queries")) == [columns]


def test_the_columns_of_the_scores_table_are_those_in_its_document():
    text = section("docs/answers.md", "The scores table")
    described = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", text, re.MULTILINE)
    schema = scores.table(lambda stream: stream.write(b"")).schema
    assert described == [(name, str(schema[name]), meaning) for name, meaning in scores.COLUMNS.items()]


def test_a_trace_has_the_columns_of_its_queries(store):
    answer = json.loads(asked(store, "trace", *ANSWERS["trace"], "-f", "json"))
    assert [*answer["rows"][0]] == [column.name for column in catalogue.get("provenance/trace").columns]
