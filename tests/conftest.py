"""What all tests share: the flag that rewrites goldens, and where inputs from outside the repository lie."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]

# Parsing and mapping take longer in a process that has just begun: a deadline would find that and nothing else.
settings.register_profile(
    "benchkg", parent=settings.get_profile("ci" if "CI" in os.environ else "default"), deadline=None
)
settings.load_profile("benchkg")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-goldens",
        action="store_true",
        help="write what the code gives now as what tests expect; read the diff",
    )


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder with one folder a case."""
    return ROOT / "tests" / "cases"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The inputs from outside the repository: the folder ``shared`` beside the checkout, or ``$BENCHKG_SHARED``.

    Tests of them are skipped where there are none, and fail where ``CI`` is set.
    """
    folder = Path(os.environ.get("BENCHKG_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        why = f"the shared inputs are not at {folder}; set BENCHKG_SHARED to their folder"
        pytest.fail(why) if "CI" in os.environ else pytest.skip(why)
    return folder


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a golden file, or write it there under ``--rewrite-goldens``."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--rewrite-goldens"):
            path.write_text(text, encoding="utf-8", newline="")
        assert path.is_file(), f"{path} is missing; run pytest --rewrite-goldens and read what it writes"
        assert text == path.read_bytes().decode()

    return compare
