"""The command line: ``kg``. See ``kg --help``."""

from __future__ import annotations

from kg.cli.main import main

__all__ = ["main"]
