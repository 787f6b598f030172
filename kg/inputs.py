"""What the words after ``kg build`` mean: files, folders, patterns, addresses and standard input.

Nothing found here enters an IRI: a path or an address fetched says where bytes came from, and what
they are is read from the bytes.
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kg.errors import BenchkgError, Misuse

__all__ = ["Input", "find", "read"]

MAX_BYTES = 32 * 1024 * 1024
"""The size beyond which a file or an answer is taken for no benchmark page."""

_ADDRESS = ("http://", "https://")
_PATTERN = "*?["


@dataclass(frozen=True, slots=True)
class Input:
    """One thing to read: a path, an address, or ``-`` for standard input.

    ``sought`` is False for what merely lay in a folder that was named: it may be something else
    than a page without that being a fault. ``archived`` is the SHA-256 of bytes in an archive, where
    they are to be read from there.
    """

    name: str
    sought: bool = True
    archived: str = ""

    @property
    def is_address(self) -> bool:
        """Whether it has to be fetched."""
        return self.name.startswith(_ADDRESS)


def find(sources: Iterable[str]) -> list[Input]:
    """Return every input that the sources name, each once: sorted within a folder or a pattern.

    Raises ``Misuse`` for a path that does not exist and for a pattern that matches nothing.

    >>> find(["https://www.sota2.com/research/sota/x.md", "-"])[0].is_address
    True
    """
    found: dict[str, Input] = {}
    for source in sources:
        for item in _expand(source):
            known = found.get(item.name)
            if known is None or (item.sought and not known.sought):
                found[item.name] = item
    return list(found.values())


def _expand(source: str) -> Iterator[Input]:
    path = Path(source)
    if not source:
        raise Misuse("An empty name is no file or folder; write . for the folder you are in.")
    if source == "-" or source.startswith(_ADDRESS):
        yield Input(source)
    elif "://" in source:
        raise Misuse(f"{source}: only http and https addresses can be fetched.")
    elif _is(path.is_dir):
        yield from _files(path / "objects" if _is_archive(path) else path)
    elif _is(path.exists):
        yield Input(source)
    elif any(sign in source for sign in _PATTERN):
        matches = sorted(glob.glob(source, recursive=True))  # noqa: PTH207 - the pattern may be absolute
        if not matches:
            raise Misuse(f"{source}: the pattern matches no file.")
        for match in matches:
            yield from _expand(match)
    else:
        raise Misuse(f"{source}: no such file or folder.")


def _is(test: Callable[[], bool]) -> bool:
    try:
        return test()
    except (OSError, ValueError):  # a name too long, or with a character no path has
        return False


def _files(folder: Path) -> list[Input]:
    """Return the files below a folder that are not hidden, by path; a folder that cannot be listed is one of them."""
    found: list[Input] = []
    unlisted: list[OSError] = []
    for place, folders, files in os.walk(folder, onerror=unlisted.append):
        folders[:] = [name for name in folders if not (name.startswith(".") or _is_our_own(Path(place, name)))]
        paths = (Path(place, name) for name in files if not name.startswith("."))
        found += (Input(str(path), sought=False) for path in paths if _is(path.is_file))
    found += (Input(str(error.filename)) for error in unlisted)
    return sorted(found, key=lambda item: item.name)


def _is_our_own(folder: Path) -> bool:
    """Tell whether a folder is a store, or an archive: the pages in it are read when it is asked for itself."""
    is_store = _is((folder / "generations").is_dir) and _is((folder / "current").is_file)
    return is_store or _is_archive(folder)


def _is_archive(folder: Path) -> bool:
    return _is((folder / "objects").is_dir) and _is((folder / "retrievals").is_dir)


def read(item: Input) -> bytes:
    """Return the bytes of a file or of standard input; raise ``BenchkgError`` where they cannot be had."""
    try:
        if item.name == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(item.name).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BenchkgError(f"{item.name}: cannot be read ({error.strerror or error}).") from error
    if len(data) > MAX_BYTES:
        raise BenchkgError(f"{item.name}: is larger than {MAX_BYTES >> 20} MiB, so it is no benchmark page.")
    return data
