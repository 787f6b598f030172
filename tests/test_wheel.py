"""The wheel stands alone: built from the sdist, installed elsewhere, it builds a graph and answers from it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "tests/cases/sota2/out-of-distribution-detection/page.md"
BENCHMARK = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"


def run(*command: object, folder: Path) -> str:
    """Run a command away from the checkout and return what it prints; what it complains of is in the failure."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "KG_STORE"}}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=kept, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def wheel(folder) -> Path:
    """The wheel, built from the sdist, which is therefore complete."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", ROOT, folder=folder)
    return next((folder / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def environment(folder, wheel) -> Path:
    """The folder of programs of a new environment with nothing in it but the wheel and what it requires."""
    venv.create(folder / "environment", with_pip=True)
    programs = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--no-compile", wheel, folder=folder)
    return programs


def test_the_wheel_holds_the_files_that_lie_beside_the_package(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    beside = [path for name in ("queries", "shapes") for path in (ROOT / name).rglob("*") if path.is_file()]
    assert len(beside) > 10
    assert {f"kg/_data/{path.relative_to(ROOT).as_posix()}" for path in beside} <= held
    assert {"kg/ontology.ttl", "kg/py.typed"} <= held
    assert not [name for name in held if name.startswith(("queries/", "shapes/", "tests/"))]


def test_an_installed_wheel_builds_and_answers(folder, environment):
    where = run(environment / "python", "-c", "import kg; print(kg.__file__)", folder=folder).strip()
    assert Path(where).is_relative_to(folder / "environment")
    run(environment / "kg", "build", PAGE, "-o", "graph.ttl", folder=folder)
    assert (folder / "graph.ttl").read_bytes().startswith(b"@prefix")
    parameters = "-p", f"benchmark={BENCHMARK}", "-p", "metric=Near-OOD AUROC"
    answer = run(environment / "kg", "query", "comparison/leaderboard", *parameters, "-f", "csv", folder=folder)
    rows = list(csv.DictReader(answer.splitlines()))
    assert len(rows) == 10
    assert {row["value"] for row in rows if row["rank"] == "1"} == {"78.22", "78.17"}
    assert "comparison/leaderboard" in run(environment / "kg", "queries", folder=folder)
    run(environment / "kg", "validate", folder=folder)
