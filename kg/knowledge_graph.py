"""The object that users hold: one graph, however it came about, and the questions it answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from kg import catalogue, measuring
from kg.catalogue import Parameter, Query
from kg.errors import Misuse
from kg.naming import Names
from kg.quality import QualityFinding
from kg.resources import directory
from kg.rows import Rows
from kg.store import Solutions, Store
from kg.terms import Triple, iri, lexical
from kg.vocabulary import BK, RDFS, prefixes

if TYPE_CHECKING:
    import networkx as nx
    import polars as pl
    import rdflib

    from kg import validation
    from kg.analysis import Network, Ranking, Table
    from kg.comparison import Comparison, Leaderboard
    from kg.pipeline import BuildReport

__all__ = ["KnowledgeGraph", "QualityFinding", "Trace", "Validation"]

_INVENTORY = "provenance/inventory"
_ASKED_SINGLY = 50  # metrics


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a result was read: rows of ``provenance/trace`` and ``provenance/problems``, and what casts doubt on it."""

    rows: Rows
    problems: Rows
    caveats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Validation:
    """What the shapes and the quality queries found."""

    report: validation.Report
    quality: tuple[QualityFinding, ...]


class KnowledgeGraph:
    """A knowledge graph of benchmark results; ``kg.build`` and ``kg.open`` give one.

    ``report`` says what came of the build that made it, None where it was opened.
    """

    def __init__(self, store: Store, report: BuildReport | None = None) -> None:
        self._store = store
        self._names = Names(store, self._rows)
        self.report = report

    @property
    def base(self) -> str:
        """The base of the IRIs of this graph."""
        return self._store.base

    @property
    def prefixes(self) -> dict[str, str]:
        """Prefix to namespace, as the Turtle export declares them."""
        return prefixes(self.base)

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Return the number of triples that ``export`` writes."""
        (row,) = self._rows("lookup/size")
        return int(row.triples)

    def __repr__(self) -> str:
        """Say how much there is in the graph."""
        counts = self.info()
        return f"<KnowledgeGraph: {counts['pages']} pages, {counts['results']} results, {counts['triples']} triples>"

    # Questions

    def query(self, query: str, /, *, allow_service: bool = False, **parameters: object) -> Any:  # noqa: ANN401 - by the form
        """Answer a query of the catalogue (``"comparison/leaderboard"``) or any SPARQL text.

        A SELECT gives ``Rows``, an ASK a bool, a CONSTRUCT or DESCRIBE an ``rdflib.Graph``. Nodes may
        be given by label, source id, the last part of the IRI, or IRI. Raises ``Misuse`` for a query
        that is not well formed, reaches out (FROM, SERVICE unless allowed) or writes, and for a
        missing or unknown parameter; ``UnknownName`` and ``AmbiguousName`` for names.
        """
        answer = self._answer(
            query, {name: str(value) for name, value in parameters.items()}, allow_service=allow_service
        )
        if isinstance(answer, Solutions):
            return Rows(answer.variables, answer.rows)
        return answer if isinstance(answer, bool) else self._rdflib(answer)

    def _answer(self, query: str, parameters: Mapping[str, str], *, allow_service: bool = False) -> Any:  # noqa: ANN401
        if _is_sparql(query):
            if parameters:
                raise Misuse("Parameters go with a query of the catalogue; write the values into the SPARQL text.")
            from kg.guard import guard

            guard(query, allow_service=allow_service)
            return self._store.query(query)
        found = catalogue.get(query)
        found.check(parameters)
        nodes = [each for each in found.parameters if each.node_class and each.name in parameters]
        # What a metric is called is clear only within its benchmark.
        nodes.sort(key=lambda each: each.node_class != BK.Benchmark)
        iris = {each.name for each in found.parameters if each.type == "iri"}
        values = {name: self._names.expanded(value) if name in iris else value for name, value in parameters.items()}
        for each in nodes:
            values[each.name] = self._node(each, values[each.name], values)
        return self._store.query(found.text, found.bind(values))

    def _node(self, parameter: Parameter, name: str, values: Mapping[str, str]) -> str:
        within = values.get("benchmark", "") if parameter.node_class != BK.Benchmark else ""
        return self.find(name, parameter.node_class, benchmark=within)

    def find(self, name: str, node_class: str = BK.Method, *, benchmark: str = "") -> str:
        """Return the IRI of the node of a class (a term of ``kg.vocabulary.BK``) that a name means.

        ``benchmark``, an IRI, narrows metrics, methods and results to those of that benchmark. Raises
        ``UnknownName`` and ``AmbiguousName``.
        """
        return self._names.find(name, node_class, benchmark)

    def views_of(self, name: str) -> list[str]:
        """Return the IRIs of the views that a name means: of a benchmark all, else the one of that name.

        Raises ``UnknownName`` and ``AmbiguousName``.
        """
        return self._names.views_of(name)

    def _rows(self, name: str, parameters: Mapping[str, str] | None = None) -> Rows:
        query = catalogue.get(name)
        answer = self._store.query(query.text, query.bind(dict(parameters or {})))
        assert isinstance(answer, Solutions)
        return Rows(answer.variables, answer.rows)

    def incomplete(self, metrics: set[str]) -> list[Any]:
        """Return the rows of ``quality/leaderboards-incomplete`` for those of some metrics (IRIs) that lack results."""
        # One after the other is quick; beyond some dozens it is quicker to ask about the whole graph.
        asked = [{"metric": metric} for metric in sorted(metrics)] if len(metrics) <= _ASKED_SINGLY else [{}]
        rows = [row for given in asked for row in self._rows("quality/leaderboards-incomplete", given)]
        return [row for row in rows if row.metric in metrics and row.scores < row.resultsTotal]

    def leaderboard(self, benchmark: str, metric: str = "", *, pool: Sequence[str] = ()) -> list[Leaderboard]:
        """Return the leaderboard of a metric, or of each metric that has scores where none is named.

        Scores are ranked within one configuration alone; ``caveats`` are the quality findings that
        touch the leaderboard. ``pool`` names settings to ignore, by name or RFC 6901 pointer: see ``kg.pooling``.
        """
        boards = [replace(board, caveats=self._caveats_of(board)) for board in self.standings(benchmark, metric)]
        if not pool:
            return boards
        from kg.pooling import pool as pooled

        return pooled(boards, [pool] if isinstance(pool, str) else pool)

    def standings(self, benchmark: str, metric: str = "") -> list[Leaderboard]:
        """Return what ``leaderboard`` does without the caveats, which take most of its time."""
        board = self.find(benchmark, BK.Benchmark)
        given = {"metric": self.find(metric, BK.Metric, benchmark=board)} if metric else {"benchmark": board}
        every = list(self._rows("provenance/coverage", given))
        return [self._leaderboard(row) for row in [row for row in every if row.scores] or every]

    def _leaderboard(self, coverage: Any) -> Leaderboard:  # noqa: ANN401 - a row
        from kg.comparison import leaderboard

        rows = self._rows("comparison/leaderboard", {"benchmark": coverage.benchmark, "metric": coverage.metric})
        metric = iri(coverage.metric)
        unit, direction = (self._texts(metric, property_) for property_ in (BK.unitText, BK.directionText))
        return leaderboard(coverage, rows, unit, direction)

    def _caveats_of(self, board: Leaderboard) -> tuple[str, ...]:
        return tuple(self._caveats(board.nodes, [(board.benchmark, board.metric)], listed=True))

    def _texts(self, node: str, property_: str) -> str:
        """Return what a node states, all of it where places disagree."""
        return " | ".join(lexical(text) for _, _, text in self._store.match(node, property_))

    def _caveats(self, nodes: set[str], boards: Iterable[tuple[str, str]], *, listed: bool = False) -> list[str]:
        """Return the quality findings about some nodes and leaderboards in words: see ``findings_about``."""
        return list(map(str, self.findings_about(nodes, boards, listed=listed)))

    def findings_about(
        self, nodes: set[str], boards: Iterable[tuple[str, str]], *, listed: bool = False
    ) -> list[QualityFinding]:
        """Return the quality findings about some nodes (IRIs) and leaderboards (benchmark, metric), each once.

        ``listed`` adds what is missing from the benchmarks: metrics without a score.
        """
        boards = list(boards)
        found: dict[str, QualityFinding] = {}
        for query in catalogue.list_queries("quality"):
            takes = {parameter.name for parameter in query.parameters}
            if takes >= {"benchmark", "metric"}:
                asked = [{"benchmark": benchmark, "metric": metric} for benchmark, metric in boards]
            elif "metric" in takes:
                asked = [{"metric": metric} for _, metric in boards]
            elif "benchmark" in takes:
                asked = [{"benchmark": benchmark} for benchmark, _ in boards] if listed else []
            elif "name" in takes:
                asked = [{"name": name} for name in self._names_of_several(nodes)]
            elif "node" in takes:
                asked = [
                    {"node": node} for node in sorted(nodes) if self._rows("lookup/disputed-facts", {"node": node})
                ]
            else:
                continue
            for given in asked:
                found.update((str(each), each) for each in self._findings(query, given) if each.touches & nodes)
        return list(found.values())

    def _names_of_several(self, nodes: Iterable[str]) -> list[str]:
        """Return the names of those nodes that other methods have too."""
        labels = {label for node in nodes for _, _, label in self._store.match(iri(node), RDFS.label)}
        named = {label: [node for node, _, _ in self._store.match(None, RDFS.label, label)] for label in labels}
        methods = {
            label: [node for node in those if self._store.match(node, BK.originPaper)] for label, those in named.items()
        }
        return sorted(lexical(label) for label, those in methods.items() if len(those) > 1)

    def compare(self, *methods: str, benchmark: str = "") -> list[Comparison]:
        """Compare methods pair by pair: what is alike with the difference, what is not and why.

        A method beside itself gives its scores under different configurations. ``benchmark`` narrows
        the comparison to one. Raises ``Misuse`` for fewer than two methods.
        """
        if len(methods) < 2:
            raise Misuse("A comparison needs at least two methods.")
        board = self.find(benchmark, BK.Benchmark) if benchmark else ""
        found = [self.find(method, BK.Method, benchmark=board) for method in methods]
        return [self._compare(one, other, board) for one, other in combinations(found, 2)]

    def _compare(self, one: str, other: str, board: str) -> Comparison:
        from kg.comparison import Comparison, like_rows, unlike_rows

        given = {"method": one, "other": other} | ({"benchmark": board} if board else {})
        like, unlike = (
            list(self._rows(f"comparison/{name}", given)) for name in ("comparable-pairs", "why-not-comparable")
        )
        if one == other:  # each pair comes in both orders then
            unlike = [row for row in unlike if row.otherResult is None or row.result < row.otherResult]
        rows = [*like, *unlike]
        boards = sorted({(row.benchmark, row.metric) for row in rows if row.benchmark and row.metric})
        nodes = {one, other, *(node for row in rows for node in (row.result, row.otherResult, row.metric) if node)}
        return Comparison(
            method=one,
            method_label=self._label(one),
            other=other,
            other_label=self._label(other),
            like=like_rows(like),
            unlike=unlike_rows(unlike),
            caveats=tuple(self._caveats(nodes, boards)),
        )

    def _label(self, node: str) -> str:
        return min((lexical(label) for _, _, label in self._store.match(iri(node), RDFS.label)), default=node)

    def trace(self, result: str) -> Trace:
        """Return where each score of a result was read: page, lines, text, snapshot, papers, configuration."""
        given = {"result": self.find(result, BK.Result)}
        rows = self._rows("provenance/trace", given)
        nodes = {given["result"], *(node for row in rows for node in (row.metric, row.method, row.score) if node)}
        boards = sorted({(row.benchmark, row.metric) for row in rows if row.benchmark and row.metric})
        caveats = self._caveats(nodes, boards)
        return Trace(rows, self._rows("provenance/problems-of-a-result", given), tuple(caveats))

    def info(self) -> dict[str, int]:
        """Return how many nodes of each kind the graph has, and the number of triples that ``export`` writes."""
        counts = {row.kind: row.count for row in self._rows(_INVENTORY)}
        return {**counts, "triples": len(self)}

    # What is wrong

    def validate(self) -> Validation:
        """Check the graph against the shapes, view by view, and ask the quality queries of all of it.

        A graph without views, such as one opened from Turtle, is checked as a whole.
        """
        from kg import validation

        shapes = validation.load_shapes(directory("shapes"))
        views = self._store.views()
        graphs = (self._store.view_lines(view.graph) for view in views) if views else [self._store.triples()]
        report = validation.merge(validation.validate(lines, shapes) for lines in graphs)
        return Validation(report, self.quality())

    def quality(self) -> tuple[QualityFinding, ...]:
        """Return what the queries of ``queries/quality/`` find: each row of each is a finding."""
        return tuple(each for query in catalogue.list_queries("quality") for each in self._findings(query))

    def _findings(self, query: Query, given: Mapping[str, str] | None = None) -> Iterator[QualityFinding]:
        for row in self._rows(query.name, given).to_dicts():
            yield QualityFinding(query.name, query.severity, query.summary, query.mend, row)

    # The graph elsewhere

    def to_rdflib(self) -> rdflib.Graph:
        """Return the triples as an ``rdflib.Graph`` with the project's prefixes bound."""
        return self._rdflib(self._store.match())

    def _rdflib(self, triples: Iterable[Triple]) -> rdflib.Graph:
        from kg.rdflib_graph import to_rdflib

        graph = to_rdflib(triples)
        for prefix, namespace in self.prefixes.items():
            graph.bind(prefix, namespace, override=True, replace=True)
        return graph

    def export(self, target: str | Path, form: str = "", *, meta: bool = False) -> int:
        """Write the graph to a file, in the format of its suffix unless one is given; return the number of statements.

        ``-`` is standard output. The same graph gives the same bytes. ``meta`` adds what depends on the clock.
        """
        from kg import export
        from kg.export import Format

        path = Path(target)
        shape = Format(form) if form else Format.of(path) if str(target) != "-" else Format.TTL
        lines = partial(self._store.write_lines, graphs=shape.holds_graphs, meta=meta)
        return export.write(lines, path, shape, self.prefixes)

    def scores(self) -> pl.DataFrame:
        """Return the scores table, a row a score with labels and keys, as a polars DataFrame: see ``kg.scores``.

        Raises ``Misuse`` where polars (extra ``parquet``) is missing.
        """
        from kg.tabulating import scores_of

        return scores_of(self._store)

    def network(self, view: str = "everything", *, benchmark: str = "", metric: str = "") -> Network:
        """Return a view as arrays, which measures are quick on: see ``kg.analysis``.

        ``benchmark`` and ``metric`` narrow ``beats`` to the comparison groups of one.
        """
        return measuring.network(self._store, view, self._narrowed(benchmark, metric))

    def to_networkx(self, view: str = "everything", *, benchmark: str = "", metric: str = "") -> nx.Graph[str]:
        """Return a networkx view, one of ``kg.analysis.VIEWS``; node ids are IRIs."""
        from kg import analysis

        return analysis.to_networkx(self.network(view, benchmark=benchmark, metric=metric))

    def analyse(
        self,
        measure: str,
        view: str | Network = "",
        *,
        benchmark: str = "",
        metric: str = "",
        settings: Mapping[str, Any] | None = None,
    ) -> Ranking | Table[Any]:
        """Return a measure: of each node of a view, the greatest first, or a table with notes of what it is over.

        ``degree``, ``components`` and ``pagerank`` take any view, by name or as ``network`` gives it. ``copeland``,
        ``borda``, ``bradley-terry``, ``cycles`` and ``stability`` are over ``beats``; ``influence``, ``coverage``,
        ``missing`` and ``saturation`` over the results. ``benchmark`` and ``metric`` narrow what is measured;
        ``settings`` are the keyword arguments of the function of that name in ``kg.analysis``.
        """
        return measuring.analyse(
            self._store, self._rows, measure, view, given=self._narrowed(benchmark, metric), settings=settings or {}
        )

    def plot(self, measure: str, *, benchmark: str = "", metric: str = "", form: str = "svg") -> bytes:
        """Return a plot of one metric as ``svg`` or ``png`` (extra ``plot``).

        ``stability`` gives the ranks by configuration, ``copeland``, ``borda``, ``bradley-terry`` and ``cycles`` who
        beats whom. Raises ``Misuse`` for another measure, and where the graph has several metrics and none is named.
        """
        return measuring.drawn(self._store, self._rows, measure, self._narrowed(benchmark, metric), form)

    def _narrowed(self, benchmark: str, metric: str) -> dict[str, str]:
        given = {"benchmark": self.find(benchmark, BK.Benchmark)} if benchmark else {}
        return given | ({"metric": self.find(metric, BK.Metric, **given)} if metric else {})


def _is_sparql(query: str) -> bool:
    return "{" in query or "\n" in query
