"""The folder of a store: generations that never change once published, and a pointer to the current one.

``current`` names a folder under ``generations``. Every change is prepared in a new folder and
published by replacing that one file, so a reader never sees a folder being written, and a process
killed at any moment leaves either the old state or the new one. Whoever reads a generation holds a
shared lock on its folder; the next writer deletes the generations that nobody holds. The locks are
those of the operating system (``flock``), which end with the process however it ends.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kg.errors import StoreBusy, StoreError

__all__ = ["Generations", "Held", "explained"]

_NAME = re.compile(r"[0-9]{8}\Z")
_ATTEMPTS, _PAUSE = 50, 0.02  # times, seconds: a reader starts again when a writer publishes under its hands
BUILD = "Run `kg build` first, or name another with --store."
REBUILD = "If it is damaged, delete the folder and run `kg build` again."
KEPT = "The store is as it was; see to the space and the permissions there, and try again."


@contextmanager
def explained(path: Path, task: str, mend: str) -> Iterator[None]:
    """Turn what the system or the database refuses into a StoreError that names the path and the mend.

    The database reports damage as RuntimeError, everything else about files as OSError.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        raise StoreError(f"Cannot {task} the store {path}: {error}. {mend}") from error


class Held:
    """A generation with a shared lock on it, until this object is closed or gone."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._close = weakref.finalize(self, os.close, descriptor)

    @property
    def name(self) -> str:
        """The generation's name; a later one is greater."""
        return self.path.name

    def close(self) -> None:
        """Let go of the generation; a second time does nothing."""
        self._close()


def _lock(path: Path, *, shared: bool) -> int | None:
    """Return the descriptor of a folder now locked, or None if another holds a lock against it."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
    except ImportError as error:
        raise OSError(f"folders cannot be locked here ({error})") from error
    descriptor = os.open(path, os.O_RDONLY)
    try:
        flock(descriptor, (LOCK_SH if shared else LOCK_EX) | LOCK_NB)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            return None
        if isinstance(error, OSError):
            raise OSError(f"folders cannot be locked here ({error})") from error
        raise
    return descriptor


def _sync(path: Path) -> None:
    """Have what was written to a file or folder reach the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Generations:
    """The folder of one store."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = path / "generations"
        self._pointer = path / "current"

    def current(self) -> Path | None:
        """Return the current generation's folder, or None where nothing was published yet."""
        try:
            name = self._pointer.read_text("ascii").strip()
        except FileNotFoundError:
            return None
        except UnicodeDecodeError:
            name = ""
        if not _NAME.match(name):
            raise StoreError(f"The store {self.path} is damaged: {self._pointer} names no generation. {REBUILD}")
        return self._folder / name

    def hold(self) -> Held:
        """Return the current generation, held against deletion.

        Raises StoreError where there is no store, or none that can be read.
        """
        with explained(self.path, "open", REBUILD):
            if not self.path.is_dir():
                raise StoreError(f"There is no store at {self.path}. {BUILD}")
            for _ in range(_ATTEMPTS):
                path = self.current()
                if path is None:
                    raise StoreError(f"{self.path} holds no store. {BUILD}")
                try:
                    descriptor = _lock(path, shared=True)
                except FileNotFoundError:
                    descriptor = None
                if descriptor is not None:
                    held = Held(path, descriptor)
                    # What is current is never deleted, so a lock taken while it still is one holds for good.
                    if self.current() == path:
                        return held
                    held.close()
                time.sleep(_PAUSE)
        raise StoreError(f"The store {self.path} is damaged: its current generation is missing. {REBUILD}")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the one writer of the store, which is made where there is none; leftovers are deleted.

        Raises StoreBusy at once while another process writes, StoreError where the folder is not fit.
        """
        with explained(self.path, "write to", KEPT):
            if self.path.is_dir() and not self._folder.is_dir() and any(self.path.iterdir()):
                raise StoreError(f"{self.path} is no store and not empty. Name another folder with --store.")
            made = not self.path.exists()
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor = _lock(self._folder, shared=False)
        if descriptor is None:
            raise StoreBusy(f"Another process is writing to the store {self.path}. Try again when it is done.")
        try:
            self.clean()
            yield
        finally:
            os.close(descriptor)
            self._forget_nothing_stored(made)

    def _forget_nothing_stored(self, made: bool) -> None:  # noqa: FBT001 - whether the folder was made just now
        """Leave no empty store behind where the first build failed."""
        if made and not self._pointer.exists():
            with suppress(OSError):
                self._folder.rmdir()
                self.path.rmdir()

    def draft(self) -> Path:
        """Return the path of a new generation, which does not exist yet."""
        numbers = [int(path.name) for path in self._folder.iterdir() if _NAME.match(path.name)]
        return self._folder / f"{max(numbers, default=0) + 1:08}"

    def publish(self, draft: Path) -> None:
        """Make a finished generation the current one: all of it is on the disk before the pointer names it."""
        for path in draft.iterdir():
            _sync(path)
        _sync(draft)
        _sync(self._folder)
        new = self._pointer.with_suffix(".new")
        new.write_text(f"{draft.name}\n", "ascii")
        _sync(new)
        new.replace(self._pointer)
        _sync(self.path)

    def clean(self) -> None:
        """Delete every generation that is neither current nor held by a reader."""
        keep = self.current()
        for path in self._folder.iterdir():
            if path == keep:
                continue
            try:
                descriptor = _lock(path, shared=False)
            except OSError:
                continue
            if descriptor is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(descriptor)
