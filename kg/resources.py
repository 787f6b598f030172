"""The files that come with the code: shapes, queries and the ontology.

Shapes and queries lie beside the package in a checkout, where people read them, and inside it in
a wheel. They are real files in both, so that they have paths that other tools can be given.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Literal

__all__ = ["directory", "ontology", "version"]

_PACKAGE = Path(__file__).resolve().parent


def directory(name: Literal["shapes", "queries"]) -> Path:
    """Return the folder of the shapes or of the queries.

    >>> directory("shapes").name
    'shapes'
    """
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


def ontology() -> bytes:
    """Return the ontology of the project's own terms, as Turtle."""
    return (_PACKAGE / "ontology.ttl").read_bytes()


def version() -> str:
    """Return the version of the installed package; "unknown" where only its files are there."""
    try:
        return installed_version("benchkg")
    except PackageNotFoundError:
        return "unknown"
