"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["replacing"]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` when the block ends without an error.

    Until then, and after an error, whatever was at ``path`` stays as it was. The file is made
    in the same folder, since only there is a rename one step.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "graph.ttl") as file:
    ...     _ = file.write(b"# empty")
    >>> [found.name for found in folder.iterdir()]
    ['graph.ttl']
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
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
