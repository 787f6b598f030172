"""Fresh processes and what they need: seconds, and the memory of the process and those it starts."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["CPU", "KG", "NotMeasured", "Ran", "Stopwatch", "pages_of", "run", "task", "triple_of"]

ROOT = Path(__file__).parents[2]
KG = (sys.executable, "-m", "kg")
"""The command line of the project."""

CPU = "BENCHKG_CPU_SECONDS"
"""Set in the environment, this counts what processors spend: for a machine that does other things as well."""

_SIZES = re.compile(r"^(VmRSS|VmHWM):\s+(\d+) kB$", re.MULTILINE)
_OFTEN = 0.02  # seconds between two looks at the memory


class NotMeasured(Exception):
    """A point that cannot be measured; the message says why."""


class Stopwatch:
    """The seconds inside a ``with`` block: those of the clock, or of this process where ``CPU`` is set."""

    def __enter__(self):
        self._clock = time.process_time if CPU in os.environ else time.perf_counter
        self._started = self._clock()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = self._clock() - self._started


@dataclass(frozen=True, slots=True)
class Ran:
    """What a process took: whole seconds, MB of itself and of what it started, and what it said."""

    seconds: float
    output: str
    own_mb: float
    """The peak resident memory of the process itself."""
    tree_mb: float = 0.0
    """The greatest sum of the resident memory of all its processes at one moment; where it was watched."""
    worker_mb: float = 0.0
    """The peak of the greatest process that it started; where it was watched."""
    said: dict[str, Any] = field(default_factory=dict)
    """What a task returned."""


def run(command: Sequence[str | Path], *, watched: bool = False, codes: Sequence[int] = (0,), timeout: float) -> Ran:
    """Run a command to its end in the checkout; raise ``NotMeasured`` where it fails or takes too long."""
    words = [str(word) for word in command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    environment.pop("KG_STORE", None)
    # The modules of an installed package are compiled, and so are those of the baselines.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complaints:
        started = time.perf_counter()
        process = subprocess.Popen(words, cwd=ROOT, env=environment, stdout=said, stderr=complaints)
        watch = _Watch(process.pid) if watched else None
        late = threading.Timer(timeout, process.kill)
        late.start()
        # wait4 instead of wait: it tells the peak memory of this one process.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = usage.ru_utime + usage.ru_stime if CPU in os.environ else time.perf_counter() - started
        in_time = late.is_alive()
        late.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if watch:
            watch.stop()
        said.seek(0)
        complaints.seek(0)
        output, errors = said.read().decode(errors="replace"), complaints.read().decode(errors="replace")
    if not in_time:
        raise NotMeasured(f"{_short(words)} took more than {timeout:.0f} s")
    if process.returncode not in codes:
        last = next((line for line in reversed(errors.splitlines()) if line.strip()), "")
        raise NotMeasured(f"{_short(words)} ended with {process.returncode}: {last}")
    return Ran(
        seconds=seconds,
        output=output,
        own_mb=watch.own_mb if watch else usage.ru_maxrss / 1024,
        tree_mb=watch.tree_mb if watch else 0.0,
        worker_mb=watch.worker_mb if watch else 0.0,
    )


def task(function: Callable[..., dict[str, Any]], *arguments: object, timeout: float, watched: bool = False) -> Ran:
    """Call a function of a module in a fresh process; what it returns, a JSON object, is in ``said``."""
    words = [sys.executable, "-m", "tests.benchmarks.processes", function.__module__, function.__name__]
    ran = run([*words, *map(str, arguments)], timeout=timeout, watched=watched)
    return Ran(ran.seconds, ran.output, ran.own_mb, ran.tree_mb, ran.worker_mb, json.loads(ran.output.splitlines()[-1]))


def pages_of(folder: str | Path) -> list[Path]:
    """Return the pages below a folder, in the order of their names."""
    return sorted(Path(folder).rglob("*.md"))


def triple_of(line: str) -> tuple[str, str, str]:
    """Return the terms of an N-Triples line ``s p o .`` whose subject and predicate are IRIs."""
    subject, predicate, value = line.removesuffix(" .").split(" ", 2)
    return subject, predicate, value


def _short(words: Sequence[str]) -> str:
    return " ".join(Path(word).name if word.startswith("/") else word for word in words[:8])


class _Watch:
    """Looks at the resident memory of a process and all below it, until it is stopped."""

    def __init__(self, pid: int) -> None:
        if not Path(f"/proc/{pid}/statm").exists():
            raise NotMeasured("the memory of several processes is read from /proc, which is not here")
        self._pid = pid
        self._peaks: defaultdict[int, int] = defaultdict(int)
        self._tree = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(_OFTEN):
            total = 0
            for pid in self._family(self._pid):
                now, peak = _resident(pid)
                self._peaks[pid] = max(self._peaks[pid], peak)
                total += now
            self._tree = max(self._tree, total)

    def _family(self, pid: int) -> list[int]:
        found = [pid]
        for thread in _threads(pid):
            for child in _read(f"{thread}/children").split():
                found += self._family(int(child))
        return found

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    @property
    def own_mb(self) -> float:
        return self._peaks[self._pid] / 1e6

    @property
    def tree_mb(self) -> float:
        return self._tree / 1e6

    @property
    def worker_mb(self) -> float:
        return max((size for pid, size in self._peaks.items() if pid != self._pid), default=0) / 1e6


def _threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # the process has ended
        return []


def _read(path: str) -> str:
    try:
        return Path(path).read_text("ascii")
    except OSError:  # the same
        return ""


def _resident(pid: int) -> tuple[int, int]:
    """Return the bytes of memory that a process has now and has had at most; 0 where it has ended."""
    found = dict(_SIZES.findall(_read(f"/proc/{pid}/status")))
    return int(found.get("VmRSS", 0)) * 1024, int(found.get("VmHWM", 0)) * 1024


if __name__ == "__main__":
    module, name, *rest = sys.argv[1:]
    print(json.dumps(getattr(importlib.import_module(module), name)(*rest)))  # noqa: T201 - how a task answers
