"""The next generation of a store, made from the current one when the first change comes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyoxigraph

from kg.store.generations import KEPT, REBUILD, Generations, explained
from kg.store.graphs import base_of

__all__ = ["Draft", "drafting"]


class Draft:
    """A generation in the making; ``current`` is the published one, or an empty database where there is none.

    One made ``anew`` begins with nothing; ``base`` is that of the published one all the same, None where there is none.
    """

    def __init__(self, generations: Generations, *, anew: bool) -> None:
        self._generations = generations
        self.path = generations.draft()
        self._before = generations.current()
        self._database: pyoxigraph.Store | None = None
        with explained(generations.path, "open", REBUILD):
            self.current = pyoxigraph.Store.read_only(str(self._before)) if self._before else pyoxigraph.Store()
            self.base = base_of(self.current)
        if anew:
            self._before, self.current = None, pyoxigraph.Store()

    def database(self) -> pyoxigraph.Store:
        """Return the database to be changed.

        It begins as a copy of the current one. What RocksDB has written is never changed, so the copy
        is made of hard links and costs a few milliseconds at any size, where the disk has such links.
        """
        if self._database is None:
            if self._before:
                self.current.backup(self.path)
            self._database = pyoxigraph.Store(self.path)
        return self._database

    def publish(self) -> None:
        """Make the draft, if there is one, the current generation; the database is closed before."""
        if self._database is not None:
            with explained(self._generations.path, "write to", KEPT):
                self._database.flush()
                self._database = None
                self._generations.publish(self.path)
                self._generations.clean()

    def discard(self) -> None:
        """Delete the draft unless it is current by now."""
        self._database = None
        if self.path != self._generations.current():
            shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def drafting(path: Path, *, anew: bool = False) -> Iterator[Draft]:
    """Be the one writer of a store: what the block does to the draft is published when it ends without an error.

    Nobody else may hold the draft's database any more when the block ends. Raises StoreBusy while
    another process writes.
    """
    generations = Generations(path)
    with generations.writing():
        draft = Draft(generations, anew=anew)
        try:
            yield draft
            draft.publish()
        finally:
            draft.discard()
