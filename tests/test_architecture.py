"""The floors of the house, the one door for each library, and what may not stand in a Python string."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "kg").rglob("*.py"))

# From the ground up. A module imports from floors below its own and, inside a package, from that package.
FLOORS = (
    {"errors", "model"},
    {"files", "resources", "sorting", "values", "vocabulary"},
    {"agreement", "guard", "identifiers", "lookup", "terms", "visits"},
    {"rdflib_graph", "rows", "sources"},
    {"quality", "sides"},
    {
        "analysis",
        "archive",
        "catalogue",
        "citation",
        "comparison",
        "difference",
        "export",
        "history",
        "inputs",
        "mapping",
        "plotting",
        "restoring",
        "scores",
        "store",
        "validation",
    },
    {"claims", "fetching", "naming", "parts", "pooling", "readers"},
    {"keeping", "measuring", "tabulating"},
    {"knowledge_graph", "pipeline"},
    {"auditing", "past"},
    {"api"},
    {"cli"},
    {"__init__", "__main__"},
)
FLOOR = {module: number for number, floor in enumerate(FLOORS) for module in floor}

DOORS = {
    "httpcore": {"fetching"},
    "httpx": {"fetching"},
    "markdown_it": {"sources"},
    "matplotlib": {"plotting"},
    "networkx": {"analysis"},
    "numpy": {"analysis"},
    "pandas": {"rows"},
    "polars": {"scores", "tabulating"},
    "protego": {"fetching"},
    "pyoxigraph": {"export", "store", "validation"},
    "pyshacl": {"validation"},
    "rdflib": {"knowledge_graph", "rdflib_graph", "validation"},
    "rfc8785": {"identifiers", "values"},
    "rich": {"cli"},
    "scipy": {"analysis"},
    "slugify": {"identifiers"},
    "stamina": {"fetching"},
    "text_unidecode": {"identifiers"},
    "typer": {"cli"},
}
LATE = (
    "httpcore",
    "httpx",
    "markdown_it",
    "matplotlib",
    "networkx",
    "numpy",
    "pandas",
    "polars",
    "protego",
    "pyshacl",
    "rdflib",
    "scipy",
    "stamina",
)

SPARQL = re.compile(r"PREFIX\s+[\w-]*:|\b(?:SELECT|CONSTRUCT|ASK|WHERE|INSERT|DELETE)\b[^{}]*\{")
IRI = re.compile(r"\b(?:https?|urn|file):/{0,2}[a-z0-9]")
MOST_LINES = 400


def name_of(path: Path) -> str:
    """Return the module's place in the house: its name, or that of its package under kg."""
    return path.relative_to(ROOT / "kg").parts[0].removesuffix(".py")


class Import(NamedTuple):
    """A module imported by its full name; ``early`` with the module itself, ``for_types`` by type checkers alone."""

    name: str
    early: bool
    for_types: bool


def imports(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_bytes())
    late, for_types = set(), set()
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            late |= {id(inner) for inner in ast.walk(outer)}
        elif isinstance(outer, ast.If) and ast.unparse(outer.test) == "TYPE_CHECKING":
            for_types |= {id(inner) for inner in ast.walk(outer)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [f"{node.module}.{alias.name}" if node.module == "kg" else str(node.module) for alias in node.names]
        else:
            continue
        yield from (Import(name, id(node) not in late | for_types, id(node) in for_types) for name in names)


def strings(path: Path) -> Iterator[ast.Constant]:
    """Yield the strings of a module that are neither docstrings nor texts that stand alone."""
    tree = ast.parse(path.read_bytes())
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node


@pytest.fixture(params=MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def module(request) -> Path:
    return request.param


def test_imports_go_down_only(module):
    own = name_of(module)
    assert own in FLOOR, f"{own} has no floor yet: give it one in FLOORS"
    for imported in imports(module):
        package, _, rest = imported.name.partition(".")
        if package != "kg" or not rest:
            continue
        other = rest.split(".")[0]
        if own in (other, "__init__"):
            continue
        # A neighbour may be named in a signature; nothing of it is there when the module runs.
        below = FLOOR[other] < FLOOR[own] or (imported.for_types and FLOOR[other] == FLOOR[own])
        assert below, f"{module} imports kg.{other}, which is not below it"


def test_formats_do_not_import_each_other(module):
    formats = {"llms_txt", "sota2", "sota2_paper"}
    if module.parent.name == "sources" and module.stem in formats:
        used = {found.name.split(".")[2] for found in imports(module) if found.name.startswith("kg.sources.")}
        assert not used & (formats - {module.stem})


def test_each_library_has_one_door(module):
    for imported in imports(module):
        library = imported.name.split(".")[0]
        if library != "kg" and library not in sys.stdlib_module_names and not imported.for_types:
            assert name_of(module) in DOORS[library], f"{module} imports {library}, whose door is {DOORS[library]}"


def test_rdflib_is_imported_late(module):
    assert not [found for found in imports(module) if found.early and found.name.split(".")[0] in {"rdflib", "pyshacl"}]


def test_only_the_store_opens_a_store(module):
    if name_of(module) != "store":
        tree = ast.parse(module.read_bytes())
        names = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if node.module == "pyoxigraph"
        }
        names |= {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pyoxigraph"
        }
        assert "Store" not in names


def test_no_sparql_in_strings(module):
    assert not [f"line {node.lineno}: {node.value}" for node in strings(module) if SPARQL.search(node.value)]


def test_no_iris_in_strings_outside_the_vocabulary(module):
    if module.stem != "vocabulary":
        assert not [f"line {node.lineno}: {node.value}" for node in strings(module) if IRI.search(node.value)]


def test_modules_stay_readable(module):
    lines = len(module.read_bytes().splitlines())
    assert lines <= MOST_LINES, f"{module} has {lines} lines; would it be clearer as two rooms?"


def test_what_is_declared_is_what_is_imported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.match(r"[\w-]+", requirement)[0].lower() for requirement in project["dependencies"]}
    extras = project["optional-dependencies"]
    optional = {
        re.match(r"[\w-]+", each)[0].lower() for extra in ("pandas", "parquet", "plot") for each in extras[extra]
    }
    distributions = packages_distributions()
    libraries = {found.name.split(".")[0] for path in MODULES for found in imports(path) if not found.for_types}
    libraries -= {"kg", *sys.stdlib_module_names}
    imported = {distributions[library][0].lower() for library in libraries}
    assert imported - optional == declared


def test_the_command_line_starts_without_the_heavy_libraries():
    code = f"import sys, kg, kg.cli; print([name for name in {LATE!r} if name in sys.modules])"
    started = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert started.stdout.strip() == "[]"


def test_code_and_folder_never_share_a_name():
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    assert not folders & {name_of(path) for path in MODULES}
