"""Lines sorted byte by byte, each once, in memory that does not grow with their number.

Few lines are sorted here. Beyond that GNU sort does it where the machine has it: a program beside
this one, which keeps what does not fit into its memory in files. Elsewhere sorted runs are written
to files and merged, which takes several times as long and gives the same bytes. The order is that
of bytes, which in UTF-8 is that of code points.
"""

from __future__ import annotations

import heapq
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from kg.errors import Misuse

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Pieces", "Sorter", "gnu_sort"]

_PIECE = 1 << 20  # bytes that are handed on together
_SMALL = 2 << 20  # bytes: up to here, starting a program takes longer than the sorting
_MEMORY = 512 << 20  # bytes that the program may take: it takes what it needs of them, and files beyond
_RUN = 32 << 20  # bytes of the lines of a run; as objects they take three times as much
_AT_ONCE = 64  # runs merged at a time: each is an open file
_BATCH = 8192  # lines


class Pieces(io.RawIOBase):
    r"""A stream that hands on what is written to it in pieces of whole lines; the last comes with ``end``.

    >>> found = []
    >>> stream = Pieces(found.append)
    >>> _ = stream.write(b"one\ntw"), stream.write(b"o\n")
    >>> stream.end()
    >>> found
    [b'one\ntwo\n']
    """

    def __init__(self, take: Callable[[bytes], object]) -> None:
        self._take = take
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        """Tell that this is a stream to write to."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Take any part of the text."""
        part = bytes(data)
        self._parts.append(part)
        self._size += len(part)
        if self._size >= _PIECE:
            self._hand_on()
        return len(part)

    def _hand_on(self) -> None:
        text = b"".join(self._parts)
        end = text.rfind(b"\n") + 1
        self._parts, self._size = [text[end:]], len(text) - end
        if end:
            self._take(text[:end])

    def end(self) -> None:
        """Hand on what is left; raises ValueError where the last line has no end."""
        self._hand_on()
        if self._size:
            raise ValueError("the last line has no end")


@lru_cache(maxsize=1)
def gnu_sort() -> str | None:
    """Return the path of GNU sort, None where the machine has none; others lack options or order otherwise."""
    import shutil

    for name in ("sort", "gsort") if os.name == "posix" else ():
        program = shutil.which(name)
        with suppress(OSError):
            if program and b"GNU coreutils" in _version(program):
                return program
    return None


def _version(program: str) -> bytes:
    import subprocess

    command = [program, "--version"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout  # noqa: S603 - a path


class Sorter:
    r"""Takes pieces of whole lines and gives all of them back in order; temporary files lie in ``folder``.

    Raises Misuse where they cannot be written, or the program that sorts ends early.

    >>> import tempfile
    >>> with Sorter(Path(tempfile.gettempdir())) as sorter:
    ...     for piece in (b"b\nc\n", b"a\nb\n"):
    ...         sorter.add(piece)
    ...     list(sorter.chunks())
    [b'a\nb\nc\n']
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open = ExitStack()
        self._runs = _Runs(self._scratch)
        self._program: _Program | None = None

    def _scratch(self) -> Path:
        """Make a folder for temporary files, which goes with this object."""
        import tempfile

        with _explained(self._folder):
            made = tempfile.TemporaryDirectory(prefix=".kg-", dir=self._folder, ignore_cleanup_errors=True)
        return Path(self._open.enter_context(made))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, piece: bytes) -> None:
        """Take lines, each with its end."""
        if self._program is None and self._runs.size + len(piece) > _SMALL and (found := gnu_sort()):
            folder = self._scratch()
            self._program = self._open.enter_context(_Program(found, folder))
            for waiting in self._runs.take_back():
                self._program.add(waiting)
        (self._program or self._runs).add(piece)

    def chunks(self) -> Iterator[bytes]:
        """Yield the lines in order, each once, in chunks of whole lines; nothing can be added any more."""
        return (self._program or self._runs).chunks()


class _Program:
    """GNU sort at work: it reads while lines are added, and its answer is read while it merges."""

    def __init__(self, program: str, folder: Path) -> None:
        import subprocess

        self._folder = folder
        command = [program, "--unique", f"--buffer-size={_MEMORY}b", f"--temporary-directory={folder}"]
        command.append(f"--batch-size={_AT_ONCE}")
        with _explained(folder.parent):
            self._process = subprocess.Popen(  # noqa: S603 - a path and numbers, no shell
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "LC_ALL": "C"},  # by bytes, whatever the language of the user
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.terminate()  # it deletes its files then
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        self._process.wait()

    def add(self, piece: bytes) -> None:
        assert self._process.stdin
        left = memoryview(piece)
        try:
            while left:
                left = left[self._process.stdin.write(left) :]
        except BrokenPipeError:  # not that of the reader of our output, which means no harm
            raise self._failure() from None

    def chunks(self) -> Iterator[bytes]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        rest = b""
        while part := self._process.stdout.read(_PIECE):
            text = rest + part
            end = text.rfind(b"\n") + 1
            rest = text[end:]
            if end:
                yield text[:end]
        if self._process.wait():
            raise self._failure()

    def _failure(self) -> Misuse:
        import signal

        code = self._process.wait()
        assert self._process.stderr
        said = self._process.stderr.read().decode(errors="replace").strip().removeprefix("sort: ")
        return _told(self._folder.parent, said or (signal.strsignal(-code) if code < 0 else "") or f"exit code {code}")


class _Runs:
    """Lines in memory, and in files of sorted runs once there are more than one run may have."""

    def __init__(self, scratch: Callable[[], Path]) -> None:
        self._scratch = scratch
        self._folder: Path | None = None
        self._pieces: list[bytes] = []
        self._levels: list[list[Path]] = []
        self._made = 0
        self.size = 0

    def add(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self.size += len(piece)
        if self.size >= _RUN:
            self._keep(self._in_memory(), 0)

    def take_back(self) -> list[bytes]:
        pieces, self._pieces, self.size = self._pieces, [], 0
        return pieces

    def _in_memory(self) -> Iterator[bytes]:
        text = b"".join(self.take_back())
        return _joined(iter(sorted(set(text[:-1].split(b"\n"))))) if text else iter(())

    def _keep(self, chunks: Iterable[bytes], level: int) -> None:
        """Write a sorted run to a file; many runs of a level are merged to one of the next."""
        self._folder = self._folder or self._scratch()
        path = self._folder / f"run-{self._made}"
        self._made += 1
        with _explained(self._folder.parent), path.open("wb") as file:
            file.writelines(chunks)
        if level == len(self._levels):
            self._levels.append([])
        self._levels[level].append(path)
        if len(self._levels[level]) == _AT_ONCE:
            runs, self._levels[level] = self._levels[level], []
            self._keep(_merged(runs), level + 1)

    def chunks(self) -> Iterator[bytes]:
        if not self._levels:
            return self._in_memory()
        if self._pieces:
            self._keep(self._in_memory(), 0)
        return _merged([run for level in self._levels for run in level])


def _merged(runs: list[Path]) -> Iterator[bytes]:
    """Yield the lines of sorted files in order, each once; the files are deleted."""
    with ExitStack() as stack:
        files: list[BinaryIO] = [stack.enter_context(path.open("rb")) for path in runs]
        # Without their ends: a line that another one begins with comes before it, whatever follows there.
        lines = heapq.merge(*((line[:-1] for line in file) for file in files))
        yield from _joined(line for line, _ in groupby(lines))
    for path in runs:
        path.unlink()


def _joined(lines: Iterator[bytes]) -> Iterator[bytes]:
    while batch := list(islice(lines, _BATCH)):
        yield b"\n".join(batch) + b"\n"


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _told(folder, error.strerror or str(error)) from error


def _told(folder: Path, why: str) -> Misuse:
    return Misuse(f"Cannot sort the graph in {folder}: {why}. Make room, or let TMPDIR name another folder.")
