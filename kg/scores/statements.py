"""The statements of a graph that the scores table needs, as columns, taken from its lines as they are written."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO, RawIOBase
from typing import TYPE_CHECKING, BinaryIO

import polars as pl

from kg.terms import lexical
from kg.vocabulary import BK, PROV, QUDT, RDFS

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Facts", "Source", "Statements"]

Source = Callable[[BinaryIO], object]
"""Writes the lines of a graph to a stream: canonical N-Triples, each ended by a line feed, in any order and any number
of times."""

_FACTS = {
    "score": BK.score,
    "metric": BK.metric,
    "value": BK.value,
    "valueText": BK.valueText,
    "spread": BK.spread,
    "group": BK.comparisonGroup,
    "quotation": PROV.wasQuotedFrom,
    "benchmark": BK.benchmark,
    "method": BK.method,
    "settings": BK.configuration,
    "configurationText": BK.configurationText,
    "configurationStatus": BK.configurationStatus,
    "reportedIn": BK.reportedIn,
    "reportedInStatus": BK.reportedInStatus,
    "claim": BK.claim,
    "resultDate": BK.resultDate,
    "reproductionStatus": BK.reproductionStatus,
    "canonicalJson": BK.canonicalJson,
    "originPaper": BK.originPaper,
    "task": BK.task,
    "dataset": BK.dataset,
    "split": BK.split,
    "direction": BK.direction,
    "directionText": BK.directionText,
    "unit": QUDT.hasUnit,
    "unitText": BK.unitText,
    "page": PROV.specializationOf,
    "pageNumber": BK.pageNumber,
    "label": RDFS.label,
}
_CHUNK = 1 << 24  # bytes of lines taken at a time
_AHEAD = 2  # chunks that the source may be ahead of the columns
_LEXICAL = r'^"(.*)"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?$'


class Statements(RawIOBase):
    """A stream that keeps of the lines written to it those that the table needs, as columns."""

    def __init__(self) -> None:
        self._pending: list[bytes] = []
        self._size = 0
        self._columns: list[Future[pl.DataFrame]] = []
        # polars lets go of the interpreter, so that the source goes on writing meanwhile.
        self._threads = ThreadPoolExecutor(1)

    def writable(self) -> bool:
        """Tell that it can be written to."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Take bytes, which need not end with a line."""
        taken = bytes(data)
        self._pending.append(taken)
        self._size += len(taken)
        if self._size >= _CHUNK:
            self._take()
        return len(taken)

    def _take(self) -> None:
        whole, end, rest = b"".join(self._pending).rpartition(b"\n")
        self._pending, self._size = [rest], len(rest)
        if end:
            self._columns.append(self._threads.submit(_needed, whole))
        for columns in self._columns[-_AHEAD - 1 : -_AHEAD]:
            columns.result()

    def facts(self) -> pl.DataFrame:
        """Return ``fact``, ``subject`` and ``value`` of all that was written."""
        self.write(b"\n")
        self._take()
        return pl.concat([columns.result() for columns in self._columns])

    def close(self) -> None:
        """Drop what has not been taken."""
        self._threads.shutdown(cancel_futures=True)
        super().close()


def _needed(lines: bytes) -> pl.DataFrame:
    """Return the statements with a property that the table needs; values are texts without type."""
    names = {property_: fact for fact, property_ in _FACTS.items()}
    fields = ("subject", "property", "value")
    parts = pl.read_lines(BytesIO(lines))["line"].str.splitn(" ", 3).struct.rename_fields(list(fields)).struct.unnest()
    kept = parts.filter(pl.col("property").is_in(list(names))).with_columns(pl.col("value").str.strip_suffix(" ."))
    value = pl.col("value")
    kept = kept.select(
        pl.col("property").replace_strict(names, return_dtype=pl.Enum(list(_FACTS))).alias("fact"),
        pl.col("subject").str.slice(1, pl.col("subject").str.len_chars() - 2),
        pl.when(value.str.starts_with("<"))
        .then(value.str.strip_prefix("<").str.strip_suffix(">"))
        .when(value.str.contains("\\", literal=True))
        .then(value)
        .otherwise(value.str.extract(_LEXICAL)),
    )
    escaped = kept["value"].filter(kept["value"].str.starts_with('"') & kept["value"].str.contains("\\", literal=True))
    return kept.with_columns(pl.col("value").replace({term: lexical(term) for term in escaped.unique()}))


class Facts:
    """The statements of a graph by property."""

    def __init__(self, statements: pl.DataFrame) -> None:
        parts = statements.partition_by("fact", as_dict=True, include_key=False)
        self._all = {str(fact): pairs for (fact,), pairs in parts.items()}
        self._none = statements.clear().select("subject", "value")

    def every(self, fact: str, subject: str, value: str) -> pl.DataFrame:
        """Return all statements of a property under these names, one as often as it was written."""
        return self._all.get(fact, self._none).select(pl.col("subject").alias(subject), pl.col("value").alias(value))

    def first(self, fact: str, subject: str, value: str = "") -> pl.DataFrame:
        """Return one value a subject: the first of several, in the order of texts."""
        name = value or fact
        return self.every(fact, subject, name).group_by(subject).min()

    def several(self, subject: str, *facts: str) -> pl.DataFrame:
        """Return the subjects that state more than one value of these properties, taken together."""
        stated = pl.concat([self.every(fact, subject, "value") for fact in facts])
        return stated.group_by(subject).agg(pl.col("value").n_unique()).filter(pl.col("value") > 1).select(subject)
