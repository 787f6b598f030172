"""The views as named graphs, for the queries that ask for GRAPH: made when the first one comes.

The store itself keeps no such graphs (``kg.store.records`` says why). What is made here is a second
database, in memory or in a temporary folder, which lives as long as the object.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path

import pyoxigraph
from pyoxigraph import RdfFormat

__all__ = ["Dataset"]

_IN_MEMORY = 64 << 20  # bytes of N-Quads: beyond, the database goes to a disk


class Dataset:
    """A database with all graphs of a store, which ``write_lines`` gives (see ``Store.write_lines``)."""

    def __init__(self, write_lines: Callable[..., None]) -> None:
        folder = Path(tempfile.mkdtemp(prefix="benchkg-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        lines = folder / "lines.nq"
        with lines.open("wb") as stream:
            write_lines(stream, graphs=True, meta=True)
        small = lines.stat().st_size <= _IN_MEMORY
        self.database = pyoxigraph.Store(None if small else folder / "database")
        self.database.bulk_load(path=lines, format=RdfFormat.N_QUADS)
        lines.unlink()
        if not small:
            self.database.optimize()
