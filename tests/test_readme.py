"""Everything the README shows is run as it stands there, and prints what stands beneath it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fetch_site import running

from kg.cli import commands

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHELL = [text for language, text in BLOCKS if language == "sh"]
COMMANDS = re.findall(r"^\| `(kg [^`]+)` \|", README, re.MULTILINE)


@pytest.fixture
def stands_beneath(request) -> Callable[[int, str], None]:
    """Compare what a block prints with the text beneath it, or write it there under ``--rewrite-goldens``."""

    def compare(number: int, printed: str) -> None:
        language, text = BLOCKS[number + 1]
        assert language == "text"
        if request.config.getoption("--rewrite-goldens"):
            path, block = ROOT / "README.md", f"```{BLOCKS[number][0]}\n{BLOCKS[number][1]}```\n\n```text\n"
            path.write_text(path.read_text(encoding="utf-8").replace(block + text, block + printed), encoding="utf-8")
        else:
            assert printed == text

    return compare


def run(command: list[str], folder: Path) -> str:
    """Run a program as a reader without a terminal sees it: what it prints and what it says, in one."""
    kept = {name: value for name, value in os.environ.items() if name not in {"KG_STORE", "COLUMNS"}}
    done = subprocess.run(
        command, cwd=folder, env=kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return re.sub(r"[ \t]+$", "", done.stdout, flags=re.MULTILINE)


def run_shell(text: str, folder: Path) -> str:
    """Run the ``kg`` commands of a block of shell with the ``kg`` of this environment."""
    commands = [shlex.split(line.removesuffix(" &&")) for line in text.splitlines()]
    programs = Path(sys.executable).parent
    own = [[str(programs / "kg"), *command[1:]] for command in commands if command[0] == ".venv/bin/kg"]
    return "".join(run(command, folder) for command in own)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A folder that looks like the checkout, to leave files in."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "tests").symlink_to(ROOT / "tests")
    return folder


@pytest.fixture(scope="module")
def first(checkout) -> str:
    """What the first command prints; the others of the README work on what it leaves behind."""
    return run_shell(SHELL[0], checkout)


def test_the_first_command_prints_what_the_readme_says(first, stands_beneath):
    stands_beneath(BLOCKS.index(("sh", SHELL[0])), first)


def test_the_second_command_is_what_continuous_integration_runs():
    assert SHELL[1].splitlines()[-1].strip() == ".venv/bin/pytest"
    assert "README.md" in (ROOT / ".ci/run").read_text()


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("number", [n for n, block in enumerate(BLOCKS) if block[0] == "sparql"])
def test_sparql(number, checkout, stands_beneath):
    (checkout / "question.rq").write_text(BLOCKS[number][1], encoding="utf-8")
    assert BLOCKS[number + 1][0] == "sh"
    stands_beneath(number + 1, run_shell(BLOCKS[number + 1][1], checkout))


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("number", [n for n, block in enumerate(BLOCKS) if block[0] == "python"])
def test_python(number, checkout, stands_beneath):
    stands_beneath(number, run([sys.executable, "-c", BLOCKS[number][1]], checkout))


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_the_table_runs(command, checkout):
    with running() as site:
        site.add_benchmark(0)
        site.add_index()
        command = command.replace("https://www.sota2.com", site.base)
        _runs(command, checkout)


def _runs(command: str, checkout: Path) -> None:
    said = run([str(Path(sys.executable).parent / "kg"), *shlex.split(command)[1:]], checkout)
    assert said.strip()
    assert "No rows." not in said


def test_the_table_has_every_command():
    assert {shlex.split(command)[1] for command in COMMANDS} == set(commands.COMMANDS)


def test_each_place_in_the_house_is_there():
    house = README.split("\n## The house\n")[1].split("\n## ")[0]
    places = [place for row in re.findall(r"^\| (`.*?`) \|", house, re.MULTILINE) for place in row.split(", ")]
    assert places
    assert not [place for place in places if not (ROOT / place.strip("`")).exists()]


def test_each_kind_of_user_has_an_example():
    assert [language for language, _ in BLOCKS].count("sparql") >= 1
    scripts = [text for language, text in BLOCKS if language == "python"]
    assert [("import kg" in text, "import rdflib" in text) for text in scripts[:2]] == [(False, True), (True, False)]
