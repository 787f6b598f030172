"""``kg query`` and ``kg queries``: the catalogue of questions, and any other SPARQL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kg import catalogue
from kg.catalogue import Query
from kg.cli.limits import answer_within, check_limit
from kg.cli.options import DEFAULT_STORE, TABLES, Quiet, StoreOption, TableForm, form_of, format_option, open_store
from kg.cli.output import is_quiet, say, write, written_to
from kg.cli.tables import as_json, fields, print_records, print_rows, truth
from kg.errors import Misuse
from kg.export import Format, serialize
from kg.knowledge_graph import KnowledgeGraph
from kg.rows import Rows

__all__ = ["add_to"]

ROW_FORMATS = ("table", "md", "csv", "tsv", "json", "xml")
TRUTH_FORMATS = ("table", "json", "xml")
_NAMED = 3
"""How many leaderboards are named that were not read as a whole; of more there is a question."""


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command(no_args_is_help=True)(query)
    app.command()(queries)


def query(
    name: Annotated[
        str,
        typer.Argument(
            help="A query of the catalogue (see `kg queries`), a file of SPARQL, or - for standard input.",
            metavar="NAME|FILE",
        ),
    ],
    parameters: Annotated[
        list[str] | None, typer.Option("--param", "-p", help="A parameter; repeat for more.", metavar="NAME=VALUE")
    ] = None,
    form: Annotated[
        str | None,
        format_option(
            f"Rows: {', '.join(ROW_FORMATS)}; the answer of an ASK: {', '.join(TRUTH_FORMATS)}; a graph: "
            f"{', '.join(Format)}. Else that of the suffix of -o, else a table or Turtle."
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.", metavar="FILE")] = None,
    store: StoreOption = DEFAULT_STORE,
    allow_service: Annotated[bool, typer.Option("--allow-service", help="Let SERVICE ask other endpoints.")] = False,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Stop the query after so many seconds.", metavar="SECONDS")
    ] = None,
    _quiet: Quiet = False,
) -> None:
    """Ask a question of the catalogue, or any SPARQL query.

    Nodes are given by label, source id, the last part of their IRI, or IRI.

    Example: kg query comparison/leaderboard -p benchmark=... -p metric="Near-OOD AUROC"
    """
    pairs = [_pair(text) for text in parameters or []]
    values = dict(pairs)
    if len(values) < len(pairs):
        raise Misuse("--param gives one name twice; a parameter has one value.")
    check_limit(time_limit)
    with open_store(store) as graph:
        text = _text(name)
        answer = answer_within(time_limit, lambda: graph.query(text, allow_service=allow_service, **values))
        with written_to(output):
            _write(answer, form, output, graph.prefixes)
        if text.startswith("comparison/"):
            _tell_what_is_incomplete(answer, graph)


def _tell_what_is_incomplete(rows: Rows, graph: KnowledgeGraph) -> None:
    """Say which leaderboards of an answer were not read as a whole: its best is the best of what was read."""
    if is_quiet() or not rows or "metric" not in rows.columns:
        return
    found = graph.incomplete({row.metric for row in rows})
    for row in found[:_NAMED]:
        pages = f"; {row.pages} of {row.pageCount} pages" if row.pageCount else ""
        board = f"{row.metricLabel or row.metric} on {row.benchmarkLabel or row.benchmark}"
        say(f"Not complete: {board} has {row.scores} of {row.resultsTotal} recorded results{pages}.")
    if len(found) > _NAMED:
        say(f"Not complete either: {len(found) - _NAMED} more; `kg query quality/leaderboards-incomplete` lists them.")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise Misuse(f"--param {text!r}: write it as name=value.")
    if name == "allow_service":
        raise Misuse("--param allow_service: no question has it; --allow-service is an option of its own.")
    return name, value


def _text(name: str) -> str:
    """Return what to ask: the text of a file or of standard input, else the name of a query."""
    path = Path(name)
    if name != "-" and not _is_file(name):
        return name
    try:
        return (sys.stdin.buffer.read() if name == "-" else path.read_bytes()).decode()
    except OSError as error:
        raise Misuse(f"{path}: cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        raise Misuse(f"{path}: is not UTF-8 text.") from error


def _is_file(name: str) -> bool:
    """Tell whether a name is that of a file of SPARQL: by its form, else because there is one and no such query."""
    if "{" in name:
        return False
    if name.startswith(("./", "../", "/")) or name.endswith((".rq", ".sparql")):
        return True
    try:
        return Path(name).is_file() and name not in {each.name for each in catalogue.list_queries()}
    except OSError:
        return False


def _write(answer: Any, form: str | None, output: Path | None, prefixes: dict[str, str]) -> None:  # noqa: ANN401
    if isinstance(answer, Rows):
        print_rows(answer, form_of(form, output, ROW_FORMATS, "table"), prefixes)
        if not answer:
            say("No rows.")
    elif isinstance(answer, bool):
        write(truth(answer, form_of(form, output, TRUTH_FORMATS, "table")))
    else:
        chosen = Format(form_of(form, output, tuple(Format), Format.TTL))
        # Only \n ends a line: a literal may hold what else Python takes for a line end.
        lines = [line for line in answer.serialize(format="nt").split("\n") if line]
        write(serialize(lines, chosen, prefixes).decode())


def queries(
    name: Annotated[str | None, typer.Argument(help="A query or a group to describe.", metavar="[NAME]")] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the SPARQL of the query.")] = False,
    form: TableForm = None,
) -> None:
    """List the questions of the catalogue, or describe one; -f json gives all that is known of them."""
    chosen = form_of(form, None, TABLES, "table")
    if name is None or name in catalogue.groups():
        listed = catalogue.list_queries(name or "")
        if chosen == "json":
            write(as_json([_described(each) for each in listed]))
        else:
            print_records(("query", "asks for"), [(each.name, each.summary) for each in listed], chosen, {})
        return
    found = catalogue.get(name)
    if text:
        write(found.text)
        return
    if chosen == "json":
        write(as_json(_described(found)))
        return
    if chosen != "table":
        raise Misuse(f"One query is described in sentences or as json, not as {chosen}.")
    lines = [f"{found.name}: {found.summary}"]
    if found.description:
        lines += ["", found.description]
    if found.severity:
        lines += ["", f"Severity: {found.severity}", f"Mend: {found.mend}"]
    for title, items in (
        (
            "Parameters",
            [
                (each.name, f"{each.type}, {'required' if each.required else 'optional'}", each.meaning)
                for each in found.parameters
            ],
        ),
        ("Columns", [(each.name, each.type, each.meaning) for each in found.columns]),
    ):
        if items:
            lines += ["", f"{title}:", *(f"  {name} ({kind}): {meaning}" for name, kind, meaning in items)]
    for example in found.examples:
        given = "".join(f' -p {key}="{value}"' for key, value in example.items())
        lines += ["", f"Example: kg query {found.name}{given}"]
    write("\n".join(lines) + "\n")


def _described(query: Query) -> dict[str, object]:
    """Return what the header of a query says, for programs; classes as IRIs without brackets."""
    said = fields(query)
    del said["text"]
    said["parameters"] = [{**fields(each), "nodeClass": each.node_class[1:-1]} for each in query.parameters]
    return said
