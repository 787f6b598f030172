"""The embedded store of all current views; see :class:`Store`."""

from __future__ import annotations

from kg.store.answers import Answer, Solutions
from kg.store.embedded import Store
from kg.store.records import Part, Record, Stamp, make_part
from kg.store.states import Superseded, UpdateReport, ViewState

__all__ = [
    "Answer",
    "Part",
    "Record",
    "Solutions",
    "Stamp",
    "Store",
    "Superseded",
    "UpdateReport",
    "ViewState",
    "make_part",
]
