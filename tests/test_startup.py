"""A command loads what it needs and no more, means what it did, and can be interrupted while it loads."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.box import ASCII
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.main import get_command
from typer.testing import CliRunner

import kg
from kg.cli import commands, tables
from kg.cli.app import app

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "tests" / "cases" / "sota2" / "out-of-distribution-detection" / "page.md"
BOARD = "Out-of-Distribution Detection on ImageNet-1K ResNet-50 (test)"
QUESTION = ["query", "comparison/leaderboard", "-p", f"benchmark={BOARD}", "-p", "metric=Near-OOD AUROC"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENVIRONMENT.pop("KG_STORE", None)

# What takes longer to import than most questions take to answer.
HEAVY = {
    *("asyncio", "concurrent.futures", "httpx", "importlib.metadata", "multiprocessing", "networkx", "numpy", "pandas"),
    *("pydantic", "pyshacl", "rdflib", "rfc8785", "rich.console", "rich.table", "scipy", "slugify", "text_unidecode"),
    "typer.rich_utils",
}
ENDED = "import atexit, json, sys; atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the store of one page."""
    made = tmp_path_factory.mktemp("user")
    kg.build([PAGE], store=made / "kg-store").close()
    return made


def python(code: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=ENVIRONMENT,
        timeout=60,
    )


def loaded(code: str, *arguments: str, folder: Path) -> set[str]:
    """Return the modules that were imported when the code had run."""
    done = python(f"{ENDED}; {code}", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["query", "--help"],
        QUESTION,
        ["query", "SELECT * { ?s ?p ?o } LIMIT 1", "-f", "csv"],
        ["leaderboard", BOARD],
        ["compare", "PLF", "VRA"],
        ["trace", "6998ed525698665ec451df8a"],
        ["info"],
        ["queries"],
        ["fetch", "--help"],
    ],
    ids=" ".join,
)
def test_a_command_loads_no_library_that_it_does_not_need(arguments, folder):
    assert not loaded("import kg.cli; kg.cli.main()", *arguments, folder=folder) & HEAVY


def test_what_is_looked_for_is_there_where_it_is_needed(folder):
    command = "analyse", "pagerank", "--view", "papers"
    found = loaded("import kg.cli; kg.cli.main()", *command, folder=folder)
    assert found & HEAVY & {"networkx", "numpy", "scipy"} == {"numpy", "scipy"}
    found = loaded("import kg.cli; kg.cli.main()", *command, "--graph", "papers.gexf", folder=folder)
    assert "networkx" in found


def test_the_help_needs_no_graph(folder):
    found = loaded("import kg.cli; kg.cli.main()", "--help", folder=folder)
    assert "typer" in found
    assert not found & {"pyoxigraph", "kg.knowledge_graph", "kg.cli.catalogue"}


def test_importing_the_package_loads_no_library(folder):
    found = loaded("import kg; assert set(kg.__all__) <= set(dir(kg))", folder=folder)
    assert not found & {*HEAVY, "typer", "pyoxigraph"}
    assert {name for name in found if name.split(".")[0] == "kg"} == {"kg"}


@pytest.mark.parametrize("name", kg.__all__)
def test_each_public_name_is_there_when_asked_for(name):
    assert callable(getattr(kg, name))


def test_no_other_name_is_there():
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        _ = kg.opne


# What the help says


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_the_help_of_all_begins_the_help_of_each(name):
    first = get_command(app).commands[name].help.split("\n\n")[0]
    assert " ".join(first.split()) == commands.COMMANDS[name].sentence
    told = CliRunner().invoke(app, ["--help"]).output
    assert f"{name} {commands.COMMANDS[name].sentence}" in " ".join(told.split())


def test_the_help_lists_every_command_of_every_module():
    offered = set()
    for module in {listed.module for listed in commands.COMMANDS.values()}:
        part = typer.Typer()
        __import__(f"kg.cli.{module}", fromlist=["add_to"]).add_to(part)
        offered |= {(module, each.name or each.callback.__name__) for each in part.registered_commands}
    assert {(listed.module, name) for name, listed in commands.COMMANDS.items()} == offered


def test_a_misspelt_command_is_answered_with_near_ones():
    assert "Did you mean 'leaderboard'?" in CliRunner().invoke(app, ["leaderbord"]).output


# What the words of a command line mean


class _Colour(StrEnum):
    RED = "red"


def _echo(  # noqa: PLR0917 - typer makes arguments of them
    name: Annotated[str, typer.Argument()],
    paths: Annotated[list[Path] | None, typer.Argument()] = None,
    words: Annotated[list[str] | None, typer.Option("--word")] = None,
    path: Annotated[Path, typer.Option("--path", envvar="ECHO_PATH")] = Path("default"),
    other: Annotated[Path | None, typer.Option("--other")] = None,
    colour: Annotated[_Colour | None, typer.Option("--colour")] = None,
    number: Annotated[int, typer.Option("--number", min=1)] = 3,
    flag: Annotated[bool, typer.Option("--flag")] = False,
) -> None:
    typer.echo(repr((name, paths, words, path, other, colour, number, flag)))


@pytest.mark.parametrize(
    "arguments",
    [
        ["a"],
        ["", "x", "y"],
        ["a", "--word", "one", "--word", "two", "--path", "p", "--other", "-"],
        ["a", "--colour", "red", "--number", "7", "--flag"],
        ["a", "--colour", "blue"],
        ["a", "--number", "0"],
        ["a", "--number", "seven"],
        ["a", "--path", "n" * 5000],
        ["a", "--path", "{locked}"],
        ["a", "{locked}"],
        [],
        ["a", "--path"],
    ],
)
def test_values_are_read_as_typer_reads_them(arguments, tmp_path, monkeypatch):
    locked = tmp_path / "locked"
    locked.touch()
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != locked)
    given_ = [argument.replace("{locked}", str(locked)) for argument in arguments]
    told = []
    for cls in (None, commands._Command):
        part = typer.Typer(rich_markup_mode=None, add_completion=False)
        part.command("echo", cls=cls)(_echo)
        run = CliRunner().invoke(part, given_, env={"ECHO_PATH": "from the environment"})
        told.append((run.exit_code, run.output))
    assert told[0] == told[1]
    assert ("not readable" in told[1][1]) is ("{locked}" in arguments)


# Tables


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.tuples(
            st.lists(st.text(st.sampled_from("ab c"), min_size=1), min_size=width, max_size=width),
            st.lists(
                st.lists(
                    st.none() | st.integers() | st.decimals(-9, 9, places=1) | st.text(st.sampled_from("aé∆名😀 -|")),
                    min_size=width,
                    max_size=width,
                )
            ),
        )
    )
)
def test_a_table_is_the_one_that_rich_draws(table):
    columns, rows = table
    drawn = Table(box=ASCII, pad_edge=False, show_edge=False, padding=(0, 1))
    for place, column in enumerate(columns):
        numbers = rows and all(isinstance(row[place], int | Decimal | None) for row in rows)
        drawn.add_column(column, justify="right" if numbers else "left")
    for row in rows:
        drawn.add_row(*(Text(tables.shown(value, {})) for value in row))
    expected, printed = io.StringIO(), io.StringIO()
    Console(file=expected, width=10_000, color_system=None, markup=False, emoji=False).print(drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", printed)
        tables.print_table(columns, rows, {})
    assert printed.getvalue().split("\n") == expected.getvalue().split("\n")


# Ctrl-C


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize(
    "module", ["signal", "typer", "typer.core", "kg.cli.app", "kg.cli.catalogue", "pyoxigraph", "kg.rows"]
)
def test_an_interrupt_while_modules_load_is_no_traceback(module, folder):
    interrupting = f"""
import os, signal, sys
sys.modules.pop({module!r}, None)
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
import kg.cli
kg.cli.main()
"""
    done = python(interrupting, *QUESTION, folder=folder)
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout == ""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_an_interrupt_that_is_ignored_stays_so(folder):
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); import os, kg.cli; "
    code += "os.kill(os.getpid(), signal.SIGINT); kg.cli.main()"
    done = python(code, *QUESTION, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "ASH" in done.stdout
