"""What each fetch asked for and what was answered: one journal a run, written line by line, that only grows.

A journal begins with where its run started and ends with a line that says that it came to its end. The journal of
a run that was killed lacks that line; what it had fetched counts for the run that takes up its work. A
last line without a line end was being written when the power went, and states nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from kg.errors import ArchiveError

__all__ = ["FOLDER", "Journal", "Known", "Visit", "journals", "known", "visits"]

FOLDER = "visits"
"""The folder of the journals in an archive."""

_OK, _NOT_MODIFIED, _GONE = 200, 304, frozenset({404, 410})


@dataclass(frozen=True, slots=True)
class Visit:
    """One address asked for, and the answer.

    ``at`` is a canonical ``xsd:dateTime``; ``status`` the HTTP status. With 200 come the bytes that entered the
    archive: ``sha256`` and ``byte_size``, the validators ``etag`` and ``last_modified`` as the server stated them
    (RFC 9110, section 8.8), its ``media_type``, and ``final``, the address after redirects where that is another.
    """

    url: str
    at: str
    status: int
    sha256: str = ""
    byte_size: int = 0
    etag: str = ""
    last_modified: str = ""
    media_type: str = ""
    final: str = ""


_FIELDS = frozenset(field.name for field in fields(Visit))


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an address: the last answer with bytes, when it last held true, and whether it is gone now."""

    page: Visit
    checked: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """A journal: where and when its run began, what it saw, and whether it came to its end."""

    start: str
    began: str
    visits: tuple[Visit, ...]
    ended: bool


class Journal:
    """The journal of one run, open for writing; nobody else writes into that file."""

    def __init__(self, folder: Path, run: str, start: str, began: str) -> None:
        self._path = folder / FOLDER / f"{run}.jsonl"
        self._head = {"began": began, "start": start}
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("xb", buffering=0)
        except OSError as error:
            raise self._unwritable(error) from error
        self._line(self._head)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()

    def add(self, visit: Visit) -> None:
        """Write down an answer; what it says came into the archive is there already."""
        self._line({name: value for name, value in asdict(visit).items() if value})

    def end(self, at: str) -> None:
        """Write down that nothing is left to be asked for."""
        self._line({"ended": at})
        try:
            if self._file:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritable(error) from error

    def _line(self, record: Mapping[str, object]) -> None:
        assert self._file is not None
        try:
            self._file.write(f"{json.dumps(record, ensure_ascii=False, sort_keys=True)}\n".encode())
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> ArchiveError:
        return ArchiveError(
            f"Cannot write to the archive: {self._path}: {error.strerror or error}. "
            "See to the space and the permissions there, and try again."
        )


def journals(archive: Path) -> Iterator[_Run]:
    """Yield every journal of an archive in the order of their names, which is that of their beginnings.

    Raises ArchiveError for a whole line that is no record.
    """
    for path in sorted((archive / FOLDER).glob("*.jsonl")):
        try:
            whole, _, _ = path.read_bytes().rpartition(b"\n")
        except OSError as error:
            raise ArchiveError(f"Cannot read the archive: {path}: {error.strerror or error}.") from error
        head: dict[str, object] = {}
        ended = False
        found: list[Visit] = []
        for number, line in enumerate(whole.split(b"\n") if whole else (), start=1):
            try:
                record = json.loads(line)
                if number == 1:
                    head = {name: str(record[name]) for name in ("start", "began")}
                elif "ended" in record:
                    ended = True
                else:
                    found.append(Visit(**{name: value for name, value in record.items() if name in _FIELDS}))
            except (ValueError, TypeError, KeyError) as error:
                raise ArchiveError(
                    f"{path}:{number}: is no record of a fetch ({error}). Correct or delete the line."
                ) from error
        yield _Run(str(head.get("start", "")), str(head.get("began", "")), tuple(found), ended)


def visits(archive: Path) -> Iterator[Visit]:
    """Yield every answer of every run."""
    for run in journals(archive):
        yield from run.visits


def known(archive: Path, start: str, since: str) -> tuple[dict[str, Known], frozenset[str]]:
    """Return what is known of each address, and the addresses that a run from ``start`` need not ask for again.

    Those are what runs from there fetched, or found unchanged or gone, that were cut off after ``since``: a
    canonical time.
    """
    found: dict[str, Known] = {}
    done: set[str] = set()
    for run in journals(archive):
        if run.start == start and run.ended:
            done.clear()
        for visit in run.visits:
            _learn(found, visit)
            if run.start == start and not run.ended and _age(visit.at) >= _age(since):
                done.add(visit.url)
    return found, frozenset(done)


def _age(time: str) -> str:
    """Return a canonical time so that texts are ordered as their times are."""
    return time.removesuffix("Z")


def _learn(found: dict[str, Known], visit: Visit) -> None:
    before = found.get(visit.url)
    if before and _age(visit.at) < _age(before.checked):
        return
    if visit.status == _OK and visit.sha256:
        found[visit.url] = Known(visit, visit.at)
    elif visit.status == _NOT_MODIFIED and before:
        found[visit.url] = Known(before.page, visit.at)
    elif visit.status in _GONE:
        found[visit.url] = Known(before.page if before else visit, visit.at, gone=True)
