"""``kg export``, ``kg info``, ``kg prefixes`` and ``kg analyse``: the graph as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kg.cli.options import DEFAULT_STORE, TABLES, BaseOption, Quiet, StoreOption, TableForm, form_of, open_store
from kg.cli.output import as_json, markdown, print_records, print_table, say, write
from kg.export import Format
from kg.identifiers import check_base
from kg.vocabulary import DEFAULT_BASE, prefixes

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(export)
    app.command()(info)
    app.command("prefixes")(print_prefixes)
    app.command(no_args_is_help=True)(analyse)


def export(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write to this file (- is standard output).", metavar="FILE")
    ] = Path("-"),
    form: Annotated[
        Format | None, typer.Option("--format", "-f", help="The format; else that of the suffix, else Turtle.")
    ] = None,
    meta: Annotated[
        bool, typer.Option("--meta", help="Add what depends on the clock: runs and the pages they read.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Write the graph in an RDF format; the same graph gives the same bytes."""
    with open_store(store) as graph:
        graph.export(output, form or "", meta=meta)
        if str(output) != "-":
            say(f"Wrote {len(graph)} triples to {output}.")


def info(
    form: TableForm = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Count what the graph holds: pages, results, scores and the rest."""
    chosen = form_of(form, None, TABLES, "table")
    with open_store(store) as graph:
        counts = graph.info()
        if chosen == "json":
            write(as_json(counts))
            return
        rows = [(kind.replace("_", " "), count) for kind, count in counts.items()]
        if chosen == "md":
            write(markdown(("kind", "count"), rows, {}))
        else:
            print_table(("kind", "count"), rows, {})


def print_prefixes(
    form: Annotated[str, typer.Option("--format", "-f", help="sparql, ttl or json.")] = "sparql",
    base: BaseOption = DEFAULT_BASE,
) -> None:
    """Print the prefixes of the graph, to paste into a query or a Turtle file."""
    chosen = form_of(form, None, ("sparql", "ttl", "json"), "sparql")
    check_base(base)
    names = prefixes(base)
    if chosen == "json":
        write(as_json(names))
        return
    head, end = ("PREFIX", "") if chosen == "sparql" else ("@prefix", " .")
    write("".join(f"{head} {prefix}: <{namespace}>{end}\n" for prefix, namespace in names.items()))


def analyse(
    measure: Annotated[str, typer.Argument(help="degree, components or pagerank.", metavar="MEASURE")],
    view: Annotated[
        str, typer.Option("--view", help="The networkx view: everything, methods-benchmarks or papers.")
    ] = "everything",
    graph_file: Annotated[
        Path | None, typer.Option("--graph", help="Write the view too: .graphml, .gexf or .json.", metavar="FILE")
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many rows to print.")] = 20,
    form: TableForm = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Measure the nodes of a networkx view of the graph.

    Example: kg analyse pagerank --view papers --graph papers.graphml
    """
    from kg import analysis  # it imports networkx, which takes a while

    chosen = form_of(form, None, TABLES, "table")
    with open_store(store) as graph:
        network = graph.to_networkx(view)
        measured = analysis.measure(measure, network)
        if graph_file:
            analysis.write_graph(network, graph_file)
            say(f"Wrote {network.number_of_nodes()} nodes and {network.number_of_edges()} edges to {graph_file}.")
        rows = [(each.value, each.kind, each.label, each.node) for each in measured[:top]]
        print_records(("value", "kind", "label", "node"), rows, chosen, graph.prefixes)
        if len(measured) > top and chosen == "table":
            say(f"{top} of {len(measured)} nodes; --top prints more.")
