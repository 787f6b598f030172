"""Answers on standard output: tables for people, and the formats of data."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import zip_longest

from kg.cli.output import plain, styled, write
from kg.rows import IRI, Rows, compact
from kg.vocabulary import SPARQL_RESULTS

__all__ = [
    "as_json",
    "camel",
    "fields",
    "lexical",
    "marked",
    "print_records",
    "print_rows",
    "print_table",
    "settings",
    "show_caveats",
    "shown",
    "truth",
]

_READABLE = 16  # the least that a column of texts is narrowed to
_BOUNDLESS = 1 << 30
_MARKS = re.compile(r"[\\`*\[\]<>|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")  # what Markdown reads as more than itself
_AT_START = re.compile(r"\A(\s*)(?:([#+=-])|([0-9]+)([.)])(?=\s|\Z))")


def shown(value: object, prefixes: Mapping[str, str]) -> str:
    """Return a value as people read it, on one line: IRIs with prefixes, nothing for what is unbound."""
    if value is None:
        return ""
    if isinstance(value, IRI):
        return compact(value, prefixes)
    if isinstance(value, bool):
        return "true" if value else "false"
    return plain(lexical(value)).replace("\n", "⏎")


def marked(text: str) -> str:
    r"""Return a text on one line of Markdown, where it stands for itself: no emphasis, link, HTML or heading.

    Backslash escapes are those of https://spec.commonmark.org/0.31.2/#backslash-escapes. An underscore within a word
    is none of emphasis, and an ampersand without a semicolon no entity; both stay, so that addresses do.

    >>> marked("<b> [x](y) snake_case _z_ R&D &lt;"), marked("# 1"), marked("1. a"), marked("1.5")
    ('\\<b\\> \\[x\\](y) snake_case \\_z\\_ R&D \\&lt;', '\\# 1', '1\\. a', '1.5')
    """
    return _AT_START.sub(_escaped_start, _MARKS.sub(r"\\\g<0>", shown(text, {})))


def _escaped_start(found: re.Match[str]) -> str:
    blanks, mark, number, point = found.groups(default="")
    return f"{blanks}{number}\\{mark or point}"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], prefixes: Mapping[str, str]) -> None:
    """Print a table for people; numbers stand right.

    On a terminal that is too narrow for it, cells are broken between words alone; where that is not
    enough, each row is printed as lines of ``column: value``.
    """
    rows = [list(row) for row in rows]
    cells = [[shown(value, prefixes) for value in row] for row in rows]
    terminal = sys.stdout.isatty()
    bar, crossing, line = ("  ", "──", "─") if terminal else (" | ", "-+-", "-")
    # A table that is not read on a terminal is not cut to the width of one.
    room = shutil.get_terminal_size().columns if terminal else _BOUNDLESS
    widths = _widths([list(columns), *cells], room - len(bar) * (len(columns) - 1))
    if widths is None:
        write("\n".join(_record(columns, row) for row in cells))
        return
    right = [
        bool(rows) and all(isinstance(row[at], int | Decimal | None) for row in rows) for at in range(len(columns))
    ]
    for text in _broken(columns, widths, right, bar):
        write(f"{styled(text, 'bold', sys.stdout)}\n")
    write(f"{crossing.join(line * width for width in widths)}\n")
    for row in cells:
        write("".join(f"{text}\n" for text in _broken(row, widths, right, bar)))


def _broken(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], bar: str) -> Iterator[str]:
    """Yield the lines of a row whose cells are broken to the widths of their columns."""
    columns = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for parts in zip_longest(*columns, fillvalue=""):
        blanks = [" " * (width - _cells(part)) for part, width in zip(parts, widths, strict=True)]
        yield bar.join(
            blank + part if to_right else part + blank
            for part, blank, to_right in zip(parts, blanks, right, strict=True)
        )


def _wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of at most so many cells, broken between words."""
    lines = [""]
    for word in re.findall(r"\s*\S+\s*", text):
        if _cells((lines[-1] + word).rstrip()) <= width:
            lines[-1] += word
        else:
            lines[-1] = lines[-1].rstrip()
            lines.append(word)
    return [*lines[:-1], lines[-1].rstrip()]


def _widths(cells: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return how wide each column is to be so that no word is broken; None where there is no room for that."""
    columns = list(zip(*cells, strict=True))
    widths = [max(map(_cells, column)) for column in columns]
    if sum(widths) <= room:
        return widths
    # A text may be broken between words, but not into a column of single words.
    least = [
        min(width, max(_READABLE if any(" " in text for text in column) else 0, *_words(column)))
        for width, column in zip(widths, columns, strict=True)
    ]
    if sum(least) > room:
        return None
    while sum(widths) > room:
        place = max(range(len(widths)), key=lambda at: widths[at] - least[at])
        widths[place] -= 1
    return widths


def _cells(text: str) -> int:
    """Return how many cells of a terminal a printable text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _words(texts: Iterable[str]) -> list[int]:
    return [0, *(_cells(word) for text in texts for word in text.split(" "))]


def _record(columns: Sequence[str], cells: Sequence[str]) -> str:
    return "".join(f"{column}: {cell}\n" for column, cell in zip(columns, cells, strict=True) if cell)


def _markdown(columns: Sequence[str], rows: Iterable[Sequence[object]], prefixes: Mapping[str, str]) -> str:
    """Return a Markdown table; a bar in a text cannot break it."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells) + " |"

    lines = [line(columns), line(["---"] * len(columns))]
    lines += [line(shown(value, prefixes) for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def print_rows(rows: Rows, form: str, prefixes: Mapping[str, str]) -> None:
    """Write the rows of an answer in a format of the command line."""
    if form == "table":
        print_table(rows.columns, rows, prefixes)
    elif form == "md":
        write(_markdown(rows.columns, rows, prefixes))
    else:
        write(rows.text(form))


def truth(answer: bool, form: str) -> str:  # noqa: FBT001 - the value is the argument
    """Return the answer of an ASK: a word, or the SPARQL 1.1 results formats ``json`` and ``xml``."""
    word = "true" if answer else "false"
    if form == "json":
        return as_json({"head": {}, "boolean": answer})
    if form == "xml":
        from xml.etree import ElementTree as ET

        root = ET.Element("sparql", xmlns=SPARQL_RESULTS)
        ET.SubElement(root, "head")
        ET.SubElement(root, "boolean").text = word
        ET.indent(root)
        return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
    return f"{word}\n"


def print_records(
    columns: Sequence[str], rows: Sequence[Sequence[object]], form: str, prefixes: Mapping[str, str]
) -> None:
    """Write rows that are no answer of a query: as a table, Markdown, CSV, TSV, or JSON with an object a row."""
    if form == "table":
        print_table(columns, rows, prefixes)
    elif form == "md":
        write(_markdown(columns, rows, prefixes))
    elif form == "json":
        write(as_json([dict(zip(columns, row, strict=True)) for row in rows]))
    else:
        table = csv.writer(sys.stdout, delimiter="," if form == "csv" else "\t", lineterminator="\n")
        table.writerow(columns)
        table.writerows([lexical(value) for value in row] for row in rows)


def lexical(value: object) -> str:
    """Return a value as the formats of data hold it: decimals exactly, and times in UTC as the graph has them.

    >>> lexical(datetime.fromisoformat("2026-02-26T05:53:35.707000+00:00")), lexical(Decimal("1E-7"))
    ('2026-02-26T05:53:35.707Z', '0.0000001')
    """
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value.isoformat()
        whole, point, fraction = value.astimezone(UTC).replace(tzinfo=None).isoformat().partition(".")
        return f"{whole}{point}{fraction.rstrip('0')}Z"
    return "" if value is None else str(value)


def as_json(value: object, *, indent: int | None = 2) -> str:
    """Return a value as JSON text, the fields of records in camelCase.

    Decimals and times are strings, as the graph has them: a JSON number would be read as a rounded one.
    """
    return json.dumps(_json(value), ensure_ascii=False, indent=indent, default=lexical) + "\n"


def _json(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return {name: _json(each) for name, each in fields(value).items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): _json(each) for key, each in value.items()}
    return [_json(each) for each in value] if isinstance(value, list | tuple) else value


def fields(record: object) -> dict[str, object]:
    """Return the fields of a record, named as the queries name their columns."""
    assert dataclasses.is_dataclass(record)
    return {camel(field.name): getattr(record, field.name) for field in dataclasses.fields(record)}


def camel(name: str) -> str:
    """Return the name of a field as the queries name their columns.

    >>> camel("other_value")
    'otherValue'
    """
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def settings(configuration: str | None, group: str | None) -> str:
    """Return a configuration as people read it: ``Backbone: ResNet-50; Tuning Method: ...``."""
    if configuration is None:
        return "No configuration recorded: compared with nothing"
    try:
        read = json.loads(configuration, parse_float=str, parse_int=str)
        text = "; ".join(
            f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in read.items()
        )
    except (ValueError, AttributeError, RecursionError):
        text = configuration
    return shown(text if group else f"{text} (not fully recorded: compared with nothing)", {})


def show_caveats(caveats: Iterable[str], form: str = "text") -> None:
    """Write what casts doubt on an answer, a line a finding."""
    lines = [f"- {shown(caveat, {})}\n" for caveat in caveats]
    if lines:
        write(("\n## Caveats\n\n" if form == "md" else "Caveats:\n") + "".join(lines))
