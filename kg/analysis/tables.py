"""Measures whose answer is a table: rows with named fields, and in words what they are over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from kg.analysis.networks import camel
from kg.rows import data_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "many"]

_Row = TypeVar("_Row", bound="tuple[Any, ...]")


class Table(Sequence[_Row], Generic[_Row]):
    """The rows of a measure in order, each a named tuple.

    ``columns`` are their fields as queries name their columns (``methodLabel``). ``notes`` are sentences: over
    how many comparison groups the rows are, what is connected with nothing, and what could not be measured.
    """

    def __init__(self, kind: type[_Row], rows: Iterable[_Row], notes: Iterable[str] = ()) -> None:
        self._rows = tuple(rows)
        self.columns: tuple[str, ...] = tuple(map(camel, kind._fields))  # type: ignore[attr-defined] # a named tuple
        self.notes = tuple(notes)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> _Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Row]: ...
    def __getitem__(self, index: int | slice) -> _Row | Sequence[_Row]:
        return self._rows[index]

    def __iter__(self) -> Iterator[_Row]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<Table {len(self)} x {', '.join(self.columns)}>"

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a DataFrame (extra ``pandas``)."""
        return data_frame(self.columns, self)


def many(number: int, what: str) -> str:
    """Return a number of things in words.

    >>> many(1, "method"), many(2, "method")
    ('1 method', '2 methods')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"
