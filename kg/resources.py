"""The files that come with the code: shapes, queries and the ontology.

Shapes and queries lie beside the package in a checkout, where people read them, and inside it in
a wheel. They are real files in both, so that they have paths that other tools can be given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal

__all__ = ["code_digest", "digest", "directory", "ontology", "version"]

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
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    try:
        return installed_version("benchkg")
    except PackageNotFoundError:
        return "unknown"


def digest(files: Iterable[Path]) -> str:
    """Return 16 hex digits of the SHA-256 of files, by name and content, in whatever order they are given."""
    content = hashlib.sha256()
    for file in sorted(files):
        data = file.read_bytes()
        content.update(f"{file.name} {len(data)}\n".encode() + data)
    return content.hexdigest()[:16]


@cache
def code_digest() -> str:
    """Return what tells this state of the package's code from any other: what another code read is read anew.

    It covers all modules and the release of the library that spells names in ASCII, not only what
    reads pages: to read once too often costs a moment, to read once too seldom keeps a fault.
    """
    from importlib.metadata import version as installed_version

    return f"{digest(_PACKAGE.rglob('*.py'))}-{installed_version('text-unidecode')}"
