"""The embedded store of all current views; see :class:`Store`."""

from __future__ import annotations

from kg.store.answers import Answer, Solutions
from kg.store.embedded import Store
from kg.store.states import Superseded, UpdateReport, ViewState

__all__ = ["Answer", "Solutions", "Store", "Superseded", "UpdateReport", "ViewState"]
