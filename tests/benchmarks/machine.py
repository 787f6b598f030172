"""What the numbers of a run depend on besides the code: the machine and the versions of libraries."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["described"]

_LIBRARIES = (
    "benchkg", "pyoxigraph", "rdflib", "pyshacl", "shacl", "networkx", "scipy", "numpy", "polars", "duckdb", "typer",
)  # fmt: skip


def _found(path: str, pattern: str) -> str:
    try:
        found = re.search(pattern, Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return ""
    return found[1].strip() if found else ""


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def described() -> dict[str, str]:
    """Return what the machine is, how busy it is, and which libraries there are."""
    memory = int(_found("/proc/meminfo", r"^MemTotal:\s+(\d+) kB") or 0)
    return {
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "processor": _found("/proc/cpuinfo", r"^model name\s*: (.*)") or platform.processor(),
        "memory": f"{memory / 1024**2:.0f} GiB" if memory else "unknown",
        "system": f"{platform.system()} {platform.release()}",
        "load before": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "Python": platform.python_version(),
        **{library: _version(library) for library in _LIBRARIES},
    }
