"""What a build keeps of the pages it reads: their bytes, and when and where they came from."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from kg.archive import Archive, Retrieval
from kg.inputs import Input
from kg.parts import Outcome
from kg.terms import lexical, moment

__all__ = ["Keeping"]


class Keeping:
    """The archive of a build, or none; ``started`` is when the build began, which is when it read what it reads."""

    def __init__(self, archive: Archive | None, started: datetime) -> None:
        self._archive = archive
        self._started = started.astimezone(UTC)
        self._new: list[Retrieval] = []

    def bytes_of(self, item: Input) -> bytes:
        """Return the bytes of an input that is in the archive; nothing where it is to be read elsewhere."""
        return self._archive.get(item.archived) if self._archive and item.archived else b""

    def keep(self, item: Input, data: bytes, outcome: Outcome) -> None:
        """Keep a page, also one that could not be loaded; but not what is no benchmark page."""
        if self._archive is None or item.archived or outcome.skipped:
            return
        if outcome.view is None and any(problem.code == "not-a-benchmark-page" for problem in outcome.problems):
            return
        sha256 = outcome.view.sha256 if outcome.view else hashlib.sha256(data).hexdigest()
        if self._archive.put(sha256, data):
            url, name = (item.name, "") if item.is_address else ("", item.name)
            self._new.append(Retrieval(sha256, len(data), lexical(moment(self._started)), url, name=name))

    def finish(self) -> None:
        """Write down what was new."""
        if self._archive:
            self._archive.record(self._new, f"{self._started:%Y%m%dT%H%M%S%fZ}")
