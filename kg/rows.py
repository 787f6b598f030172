"""Rows of an answer as Python values, and as text in the formats that SPARQL users know."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

from kg.errors import Misuse
from kg.terms import lexical
from kg.vocabulary import SPARQL_RESULTS, XSD

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["IRI", "Rows", "compact", "data_frame", "is_local", "value_of"]

_DATATYPE = re.compile(r'"\^\^(<[^>]*>)\Z')
_LANGUAGE = re.compile(r'"@([A-Za-z0-9-]+)\Z')
_LOCAL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?\Z")

Term = str | None
Value = Any


class IRI(str):
    """An IRI among the values of a row; a plain ``str`` there is a literal."""

    __slots__ = ()


def _datatype(term: str) -> str:
    found = _DATATYPE.search(term)
    return found[1] if found else ""


def value_of(term: Term) -> Value:
    """Return a term as a Python value: IRI, str, Decimal, int, bool, date, datetime; None where it is unbound.

    A year or a month stays the text it is, since Python has no such date; so does a literal of
    another type, and one whose text is not of its type.

    >>> value_of('"10.32"^^<http://www.w3.org/2001/XMLSchema#decimal>')
    Decimal('10.32')
    >>> value_of("<https://w3id.org/benchkg/id/>")
    'https://w3id.org/benchkg/id/'
    """
    if term is None:
        return None
    text = lexical(term)
    if term.startswith("<"):
        return IRI(text)
    try:
        match _datatype(term):
            case XSD.decimal:
                return Decimal(text)
            case XSD.integer:
                return int(text)
            case XSD.boolean:
                return text in {"true", "1"}
            case XSD.date:
                return date.fromisoformat(text)
            case XSD.dateTime:
                return datetime.fromisoformat(text)
            case _:
                return text
    except (ValueError, ArithmeticError):
        return text


def is_local(text: str) -> bool:
    """Tell whether a text can follow a prefix in Turtle and SPARQL without escapes."""
    return bool(_LOCAL.match(text))


def compact(address: str, prefixes: Mapping[str, str]) -> str:
    """Return an IRI as a prefixed name where a prefix fits, else in angle brackets.

    >>> compact("https://w3id.org/benchkg/ns#Result", {"bk": "https://w3id.org/benchkg/ns#"})
    'bk:Result'
    """
    for prefix, namespace in prefixes.items():
        if address.startswith(namespace) and _LOCAL.match(address[len(namespace) :]):
            return f"{prefix}:{address[len(namespace) :]}"
    return f"<{address}>"


def data_frame(columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> pd.DataFrame:
    """Return rows as a DataFrame; raises ``Misuse`` where pandas (extra ``pandas``) is missing."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise Misuse("DataFrames need pandas: pip install 'benchkg[pandas]'.") from error
    return pd.DataFrame.from_records([tuple(row) for row in rows], columns=list(columns))


@lru_cache
def _row(columns: tuple[str, ...]) -> type[Any]:
    """Return the named tuple of some columns; to make it takes longer than to fill a few."""
    return namedtuple("Row", columns, rename=True)  # noqa: PYI024 - columns vary


class Rows(Sequence[Any]):
    """The rows of a SELECT, in the order of the answer; each is a named tuple of Python values.

    ``columns`` are the names of the variables; ``terms`` the same rows as N-Triples terms.

    >>> rows = Rows(("label",), [('"KNN"',)])
    >>> rows[0].label, len(rows)
    ('KNN', 1)
    """

    def __init__(self, columns: Sequence[str], terms: Iterable[tuple[Term, ...]]) -> None:
        self.columns = tuple(columns)
        self.terms = tuple(terms)
        row = _row(self.columns)
        self._rows = tuple(row(*map(value_of, terms)) for terms in self.terms)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Any: ...  # noqa: ANN401 - the columns vary
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<Rows {len(self)} x {', '.join(self.columns)}>"

    def to_dicts(self) -> list[dict[str, Value]]:
        """Return each row as a dict of column to value."""
        return [dict(zip(self.columns, row, strict=True)) for row in self._rows]

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a DataFrame (extra ``pandas``); decimals stay ``Decimal``, unbound is None."""
        return data_frame(self.columns, self)

    def text(self, form: str) -> str:
        """Return the rows as ``csv``, ``tsv``, ``json`` or ``xml``: the SPARQL 1.1 results formats.

        (https://www.w3.org/TR/sparql11-results-csv-tsv/, https://www.w3.org/TR/sparql11-results-json/,
        https://www.w3.org/TR/rdf-sparql-XMLres/)
        """
        return {"csv": self._csv, "tsv": self._tsv, "json": self._json, "xml": self._xml}[form]()

    def _csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(self.columns)
        writer.writerows(["" if term is None else lexical(term) for term in terms] for terms in self.terms)
        return out.getvalue()

    def _tsv(self) -> str:
        lines = ["\t".join(f"?{column}" for column in self.columns)]
        lines += ["\t".join("" if term is None else term for term in terms) for terms in self.terms]
        return "\n".join(lines) + "\n"

    def _bindings(self) -> Iterator[Iterator[tuple[str, dict[str, str]]]]:
        for terms in self.terms:
            pairs = zip(self.columns, terms, strict=True)
            yield ((column, _described(term)) for column, term in pairs if term is not None)

    def _json(self) -> str:
        bindings = [dict(binding) for binding in self._bindings()]
        answer = {"head": {"vars": list(self.columns)}, "results": {"bindings": bindings}}
        return json.dumps(answer, ensure_ascii=False, indent=2) + "\n"

    def _xml(self) -> str:
        from xml.etree import ElementTree as ET

        root = ET.Element("sparql", xmlns=SPARQL_RESULTS)
        head = ET.SubElement(root, "head")
        for column in self.columns:
            ET.SubElement(head, "variable", name=column)
        results = ET.SubElement(root, "results")
        for binding in self._bindings():
            result = ET.SubElement(results, "result")
            for column, node in binding:
                value = node.pop("value")
                kind = node.pop("type")
                child = ET.SubElement(ET.SubElement(result, "binding", name=column), kind, node)
                child.text = value
        ET.indent(root)
        return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _described(term: str) -> dict[str, str]:
    """Return a term as the SPARQL results formats describe it."""
    if term.startswith("<"):
        return {"type": "uri", "value": lexical(term)}
    if term.startswith("_:"):
        return {"type": "bnode", "value": term[2:]}
    described = {"type": "literal", "value": lexical(term)}
    if datatype := _datatype(term):
        described["datatype"] = datatype[1:-1]
    elif language := _LANGUAGE.search(term):
        described["xml:lang"] = language[1]
    return described
