"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from kg.errors import Misuse

__all__ = ["folder_beside", "replacing"]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    Until then, and after an error, whatever was at ``path`` stays as it was. The file is made
    in the same folder, since only there is a rename one step. A link stays, and the file it leads to
    is replaced; a pipe or a device is written into, since a file in its place would take it away
    from everybody. Raises ``Misuse`` where the system does not let it be written.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "graph.ttl") as file:
    ...     _ = file.write(b"# empty")
    >>> [found.name for found in folder.iterdir()]
    ['graph.ttl']
    """
    try:
        with _stream(path) if _is_no_file(path) else _new(Path(os.path.realpath(path))) as file:
            yield file
    except BrokenPipeError:  # whoever reads the pipe has seen enough, which is no fault of the path
        raise
    except OSError as error:
        raise Misuse(f"Cannot write {path}: {error.strerror or error}. Choose another place, or make room.") from error


def _is_no_file(path: Path) -> bool:
    """Tell whether something else than a file is there; a folder is, and cannot be written into."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


@contextmanager
def _stream(path: Path) -> Iterator[BinaryIO]:
    with path.open("wb") as file:
        yield file


@contextmanager
def _new(path: Path) -> Iterator[BinaryIO]:
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".kg-")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is its owner's alone; a file made by a command has the permissions of the umask.
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def folder_beside(path: Path | None) -> Path:
    """Return the folder for temporary files that go with a file, or with none.

    It is the one that the system or the user names (``TMPDIR``) where there is no file; else that of
    the file, which has room for what is written there, unless the user names another.
    """
    import tempfile

    if path is None or os.environ.get("TMPDIR") or _is_no_file(path):
        return Path(tempfile.gettempdir())
    return Path(os.path.realpath(path)).parent
