"""``kg leaderboard``, ``kg compare`` and ``kg trace``: the questions asked most, answered for people."""

from __future__ import annotations

import typer

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
