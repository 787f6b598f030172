"""``kg analyse``: measures of the graph, with the view that they are over and plots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kg.cli.options import DEFAULT_STORE, TABLES, Quiet, StoreOption, TableForm, form_of, open_store
from kg.cli.output import check_writable, say
from kg.cli.tables import print_records, settings
from kg.errors import Misuse
from kg.measuring import MEASURES, PLOTTED, view_of
from kg.rows import IRI

if TYPE_CHECKING:
    from kg.analysis import Network, Ranking, Table
    from kg.knowledge_graph import KnowledgeGraph

__all__ = ["add_to"]

_TOP = 20
_NODES = frozenset({"benchmark", "group", "method", "metric", "node", "other", "otherGroup", "run"})
_FOR_PROGRAMS = frozenset({*_NODES - {"node"}, "nodes"})  # a person reads the labels beside them


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(no_args_is_help=True)(analyse)


def analyse(
    measure: Annotated[str, typer.Argument(help=f"{', '.join(MEASURES)}.", metavar="MEASURE")],
    view: Annotated[
        str,
        typer.Option("--view", help="Of degree, components and pagerank: the networkx view; else everything."),
    ] = "",
    benchmark: Annotated[
        str, typer.Option("--benchmark", "-b", help="Only this benchmark, of what is over comparison groups.")
    ] = "",
    metric: Annotated[str, typer.Option("--metric", "-m", help="Only this metric.")] = "",
    graph_file: Annotated[
        Path | None,
        typer.Option("--graph", help="Write the view too: .graphml, .gexf, .json or .cyjs.", metavar="FILE"),
    ] = None,
    graph_form: Annotated[
        str,
        typer.Option("--graph-format", help="graphml, gexf, json (node-link) or cyjs (Cytoscape); else by the suffix."),
    ] = "",
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help=f"Plot it too, as .svg or .png: {', '.join(PLOTTED)}.", metavar="FILE"),
    ] = None,
    replicates: Annotated[
        int | None,
        typer.Option("--replicates", min=0, help="Samples of the bootstrap over comparison groups; 0 for none."),
    ] = None,
    longest: Annotated[
        int | None, typer.Option("--longest", min=3, help="Of cycles: how many methods the longest listed has; else 3.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="What the samples are drawn with; else 1.")] = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top", min=1, help=f"How many rows to print; else {_TOP} of a table, and all as csv, tsv or json."
        ),
    ] = None,
    form: TableForm = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Measure the graph: nodes of a networkx view, ranks of methods, or what its comparison groups leave open.

    Measures of the nodes of a view:
    - degree: how many relations a node has, in both directions
    - components: the number of the connected part it lies in, the largest first
    - pagerank: how central it is by a random walk along relations; the sum is 1

    Measures of who beats whom like for like, over all comparison groups or those of --benchmark and --metric:
    - copeland: how many methods a method beats in most groups, less those that beat it
    - borda: the mean share of methods that it beats in a group
    - bradley-terry: log-strengths that explain who beats whom
    - cycles: A beats B, B beats C and C beats A
    - stability: Kendall's tau-b for each two configurations of a metric

    Measures of the results:
    - influence: how many other papers report numbers of a paper's methods
    - coverage: how many methods have numbers from a paper other than their own
    - missing: pairs that share a benchmark and no comparison group, and the run that would settle most
    - saturation: how near the best scores of a group lie to each other and to the bound

    Views:
    - everything: every relation between two nodes
    - beats: from the better method to the worse, one edge a comparison group
    - methods: methods that can be compared, weighted by the number of benchmarks
    - methods-benchmarks: methods and where they have results, weighted by number
    - datasets-tasks: datasets and what they are used for, weighted by the number of benchmarks
    - papers: from reporting papers to those that the methods come from, weighted

    Example: kg analyse pagerank --view papers --graph papers.graphml
    """
    chosen = form_of(form, None, TABLES, "table")
    over = view_of(measure, view)
    _check(measure, over, graph_file, plot)
    options = {"longest": longest, "replicates": replicates, "seed": seed}
    given = {name: value for name, value in options.items() if value is not None}
    with open_store(store) as graph:
        network = graph.network(over, benchmark=benchmark, metric=metric) if over else None
        measured = graph.analyse(measure, network or "", benchmark=benchmark, metric=metric, settings=given)
        _write(network, graph_file, graph_form)
        if plot:
            data = graph.plot(measure, benchmark=benchmark, metric=metric, form=plot.suffix.lower().removeprefix("."))
            from kg.files import replacing

            with replacing(plot) as file:
                file.write(data)
            say(f"Wrote the plot to {plot}.")
        _print(graph, measured, chosen, top)


def _check(measure: str, over: str, graph_file: Path | None, plot: Path | None) -> None:
    """Raise ``Misuse`` for what cannot be written, before the work that leads to it."""
    if graph_file:
        if not over:
            raise Misuse(f"{measure} is over the results and not over a view: leave out --graph.")
        check_writable(graph_file)
    if plot:
        if measure not in PLOTTED:
            raise Misuse(f"{measure} has no plot; {', '.join(PLOTTED)} have.")
        form_of(None, plot, ("svg", "png"), "no suffix")
        check_writable(plot)


def _write(network: Network | None, path: Path | None, form: str) -> None:
    if network and path:
        from kg import analysis

        analysis.write_graph(analysis.to_networkx(network), path, form)
        say(f"Wrote {len(network.nodes)} nodes and {len(network.sources)} edges to {path}.")


def _print(graph: KnowledgeGraph, measured: Ranking | Table[Any], form: str, top: int | None) -> None:
    for_people = form in {"table", "md"}
    shown = top or (_TOP if for_people else len(measured))
    names = list(measured.columns)
    of_nodes = "kind" in names
    if of_nodes:
        names.reverse()
    kept = [name for name in names if not (for_people and name in _FOR_PROGRAMS)]
    places = [measured.columns.index(name) for name in kept]
    short = for_people and not of_nodes
    rows = [
        [_cell(name, row[place], for_people=short) for name, place in zip(kept, places, strict=True)]
        for row in _first(measured, shown)
    ]
    print_records(kept, rows, form, graph.prefixes)
    for note in measured.notes:
        say(note)
    if len(measured) > shown and for_people:
        what = "nodes" if of_nodes else "rows"
        say(f"{shown} of {len(measured)} {what}; --top prints more.")


def _first(measured: Ranking | Table[Any], number: int) -> Iterable[Sequence[object]]:
    rows: Iterable[Sequence[object]] = measured[:number]
    return rows


def _cell(name: str, value: object, *, for_people: bool) -> object:
    if name in _NODES and isinstance(value, str):
        return IRI(value) if value else None
    if not for_people:
        return None if value == "" else value
    if name in {"configuration", "otherConfiguration"} and value:
        return settings(str(value), "group")
    if isinstance(value, float):
        return Decimal(f"{value:.6g}")
    return value
