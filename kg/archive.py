"""Every page that was read, kept as the bytes it had: a folder that only grows.

``objects/ab/ab12...`` holds the bytes with that SHA-256, ``retrievals/*.jsonl`` say when each was
read and where it came from, one file a run, and ``visits/*.jsonl`` what each fetch was answered (``kg.visits``).
Nothing is ever rewritten. Bytes come under their name only when they are whole, and are checked against it
whenever they are read, so that half a file is never taken for a page.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from kg.errors import ArchiveError
from kg.files import replacing
from kg.visits import visits

__all__ = ["Archive", "Retrieval", "is_archive"]

_HEX = frozenset("0123456789abcdef")
_SPACE = "See to the space and the permissions there, and try again."


@dataclass(frozen=True, slots=True)
class Retrieval:
    """That some bytes were read: when, and where they came from.

    ``sha256`` and ``byte_size`` are those of the bytes; ``retrieved`` is a canonical ``xsd:dateTime``.
    ``url`` is the address fetched, empty for a local file; ``name`` is what the input was called then,
    for messages alone. ``media_type`` is as the server stated it, empty where nobody did.
    """

    sha256: str
    byte_size: int
    retrieved: str
    url: str = ""
    media_type: str = ""
    name: str = ""


def is_archive(folder: Path) -> bool:
    """Tell whether a folder is an archive, whose files are not to be taken for pages that lie about."""
    return (folder / "objects").is_dir() and (folder / "retrievals").is_dir()


def _sync_folder(folder: Path) -> None:
    """Have the names in a folder written to the disk, where the system can do that."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class Archive:
    """The archive in a folder, which is made when the first bytes come."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._objects = path / "objects"
        self._retrievals = path / "retrievals"

    def put(self, sha256: str, data: bytes, *, synced: bool = False) -> bool:
        """Keep the bytes with a SHA-256, and tell whether they are new here; what is there already is left as it is.

        With ``synced`` they are on the disk before they have their name, and the name before this returns.
        """
        path = self._object(sha256)
        with self._explained("write to"):
            # A file of another length is one that a lost power supply cut short.
            if path.exists() and path.stat().st_size == len(data):
                return False
            self._retrievals.mkdir(parents=True, exist_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f".{sha256}.{os.getpid()}.{threading.get_ident()}")
            try:
                with new.open("wb") as file:
                    file.write(data)
                    if synced:
                        file.flush()
                        os.fsync(file.fileno())
                new.replace(path)
                if synced:
                    _sync_folder(path.parent)
            except BaseException:
                with suppress(OSError):
                    new.unlink()
                raise
        return True

    def get(self, sha256: str) -> bytes:
        """Return the bytes with a SHA-256; raises ArchiveError where they are missing or damaged."""
        with self._explained("read"):
            data = self._object(sha256).read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ArchiveError(
                f"The archive {self.path} is damaged: {self._object(sha256)} holds other bytes than its name says. "
                "Delete that file, and read the page again."
            )
        return data

    def record(self, retrievals: Iterable[Retrieval], run: str) -> None:
        """Write down what a run read; ``run`` names it, and no other run has that name."""
        lines = [json.dumps(asdict(each), ensure_ascii=False, sort_keys=True) for each in retrievals]
        if lines:
            with self._explained("write to"):
                self._retrievals.mkdir(parents=True, exist_ok=True)
                with replacing(self._retrievals / f"{run}.jsonl") as file:
                    file.write(("\n".join(lines) + "\n").encode())

    def retrievals(self) -> Iterator[Retrieval]:
        """Yield every retrieval on record, run by run in the order of their names; those of fetches come last.

        Raises ArchiveError where there is no archive, or a record that cannot be read.
        """
        self._check()
        for path in sorted(self._retrievals.glob("*.jsonl")):
            with self._explained("read"):
                lines = path.read_bytes().splitlines()
            for number, line in enumerate(lines, start=1):
                try:
                    yield Retrieval(**json.loads(line))
                except (ValueError, TypeError) as error:
                    raise ArchiveError(
                        f"{path}:{number}: is no record of a retrieval ({error}). Correct or delete the line."
                    ) from error
        for visit in visits(self.path):
            if visit.sha256:
                yield Retrieval(visit.sha256, visit.byte_size, visit.at, visit.url, visit.media_type)

    def first_retrievals(self) -> dict[str, Retrieval | None]:
        """Return the SHA-256 of all bytes that are here, sorted, each with its first retrieval.

        None stands where none is on record: a run that was killed leaves bytes without one.
        """
        self._check()
        first: dict[str, Retrieval] = {}
        for each in self.retrievals():
            if each.sha256 not in first or each.retrieved < first[each.sha256].retrieved:
                first[each.sha256] = each
        with self._explained("read"):
            found = sorted(path.name for path in self._objects.glob("??/*") if _HEX.issuperset(path.name))
        return {sha256: first.get(sha256) for sha256 in found}

    def _check(self) -> None:
        if not is_archive(self.path):
            raise ArchiveError(
                f"There is no archive at {self.path}. Build from pages first, or name another with --archive."
            )

    def _object(self, sha256: str) -> Path:
        if len(sha256) != hashlib.sha256().digest_size * 2 or not _HEX.issuperset(sha256):
            raise ArchiveError(f"{sha256!r} is no SHA-256, so the archive {self.path} has no bytes of that name.")
        return self._objects / sha256[:2] / sha256

    @contextmanager
    def _explained(self, task: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            mend = _SPACE if task == "write to" else "Read the page again to have it back."
            raise ArchiveError(f"Cannot {task} the archive {self.path}: {error}. {mend}") from error
