"""Plots as SVG and PNG (extra ``plot``): what is plotted being the same, so are the bytes."""

from __future__ import annotations

from kg.plotting.beats import draw_beats
from kg.plotting.figures import FORMATS
from kg.plotting.history import draw
from kg.plotting.ranks import Column, Place, draw_ranks

__all__ = ["FORMATS", "Column", "Place", "draw", "draw_beats", "draw_ranks"]
