"""The scores table made from statements: what each score, result, benchmark and metric states, joined."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import BinaryIO, cast

import polars as pl

from kg.scores.statements import Facts, Source, Statements
from kg.terms import lexical
from kg.vocabulary import BK

__all__ = ["COLUMNS", "table"]

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "score": "IRI of the score",
        "result": "IRI of its result, the recorded row",
        "benchmark": "IRI of the benchmark",
        "benchmarkLabel": "its name",
        "task": "name of the benchmark's task",
        "dataset": "name of its dataset, as printed",
        "split": "IRI of the dataset's split, where its name states one",
        "metric": "IRI of the metric",
        "metricLabel": "its name",
        "unitText": "the metric's unit as printed",
        "direction": "IRI of the direction in which the metric improves; none where the printed one is not known",
        "directionText": "the direction as printed",
        "method": "IRI of the method",
        "methodLabel": "its name",
        "value": "the value in the metric's unit, as the nearest double; none where there is no single number",
        "valueExact": "the same to the last digit, as text",
        "valueText": "the value as printed; two texts where places differ",
        "spread": "what is printed after the plus-minus sign, as the nearest double",
        "configuration": "the evaluation settings as canonical JSON, or as printed where they cannot be read",
        "configurationKey": "key of the settings: the last part of the configuration's IRI",
        "group": "IRI of the comparison group: same benchmark, metric and configuration",
        "reportedIn": "IRI of the reporting paper",
        "originPaper": "IRI of the paper that the method comes from",
        "claim": "IRI: whose method the reporting paper reports, as recorded",
        "resultDate": "the date of the result, as precise as recorded",
        "reproductionStatus": "IRI: what the page says of independent reproduction",
        "page": "address of the page that the score was read from",
        "pageNumber": "which page of the leaderboard that is",
        "lines": "the lines there, as an RFC 5147 fragment",
        "ranked": "whether the score may be ranked and compared within its group",
        "unranked": "why not, in the words of comparison/leaderboard",
    }
)
"""The columns of the table, in order, and what stands in them. All are texts but for ``value`` and ``spread``
(Float64), ``pageNumber`` (Int64) and ``ranked`` (Boolean). Where pages disagree, the first statement stands."""

_NOT_RECORDED = lexical(BK.NotRecorded)
_PLAIN_NUMBER = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$"


def table(lines: Source) -> pl.DataFrame:
    """Return the scores table of the graph whose lines a source writes: the columns of ``COLUMNS``.

    The rows are sorted by benchmark, metric, group and score.

    >>> table(lambda stream: stream.write(b"")).shape
    (0, 31)
    """
    with Statements() as statements:
        lines(cast("BinaryIO", statements))
        facts = statements.facts()
    return _table(Facts(facts))


def _table(facts: Facts) -> pl.DataFrame:
    scores = facts.every("score", "result", "score").unique("score", keep="first", maintain_order=False)
    scores = scores.join(_of_scores(facts), on="score", how="left")
    scores = scores.join(_of_results(facts), on="result", how="left")
    scores = scores.join(_of_benchmarks(facts), on="benchmark", how="left")
    scores = scores.join(_of_metrics(facts), on="metric", how="left")
    scores = scores.join(_places(facts, scores.select("score", "result")), on="score", how="left")
    disputed = pl.any_horizontal(pl.col("resultDisputed", "valueDisputed", "metricDisputed").fill_null(value=False))
    reason = (
        pl.when(pl.col("value").is_null())
        .then(pl.lit("no single number"))
        .when(pl.col("group").is_null() & pl.col("configurationStatus").is_null())
        .then(pl.lit("unknown settings"))
        .when(pl.col("group").is_null() & (pl.col("configurationStatus") == _NOT_RECORDED))
        .then(pl.lit("no configuration recorded"))
        .when(pl.col("group").is_null())
        .then(pl.lit("unreadable configuration"))
        .when(pl.col("direction").is_null() | pl.col("unit").is_null())
        .then(pl.lit("unknown direction or unit"))
        .when(disputed)
        .then(pl.lit("pages disagree"))
    )
    scores = scores.with_columns(reason.alias("unranked"))
    scores = scores.with_columns(pl.col("unranked").is_null().alias("ranked"))
    return scores.sort("benchmark", "metric", "group", "score", nulls_last=True).select(*COLUMNS)


def _of_scores(facts: Facts) -> pl.DataFrame:
    """Return what each score states of itself."""
    disputed = facts.several("score", "value").with_columns(pl.lit(value=True).alias("valueDisputed"))
    exact = pl.when(pl.col("valueDisputed").is_null() & pl.col("valueExact").str.contains(_PLAIN_NUMBER))
    texts = facts.every("valueText", "score", "valueText").group_by("score")
    printed = texts.agg(pl.col("valueText").min(), pl.col("valueText").max().alias("last"))
    last = pl.when(pl.col("last") != pl.col("valueText")).then(pl.lit(" | ") + pl.col("last")).otherwise(pl.lit(""))
    spreads = facts.every("spread", "score", "spread").with_columns(pl.col("spread").cast(pl.Float64, strict=False))
    return (
        facts.first("metric", "score")
        .join(facts.first("value", "score", "valueExact"), on="score", how="left")
        .join(disputed, on="score", how="left")
        .with_columns(exact.then(pl.col("valueExact")))
        .with_columns(pl.col("valueExact").cast(pl.Float64, strict=False).alias("value"))
        .join(printed.select("score", pl.col("valueText") + last), on="score", how="left")
        .join(spreads.group_by("score").min(), on="score", how="left")
        .join(facts.first("group", "score"), on="score", how="left")
    )


def _of_results(facts: Facts) -> pl.DataFrame:
    """Return what each result states, and whether pages disagree about it."""
    results = facts.every("score", "result", "score").select("result").unique()
    for fact in ("benchmark", "method", "settings", "configurationText", "configurationStatus", "reportedIn", "claim"):
        results = results.join(facts.first(fact, "result"), on="result", how="left")
    for fact in ("resultDate", "reproductionStatus"):
        results = results.join(facts.first(fact, "result"), on="result", how="left")
    known = facts.every("settings", "result", "settings").join(facts.first("canonicalJson", "settings"), on="settings")
    results = results.join(known.group_by("result").agg(pl.col("canonicalJson").min()), on="result", how="left")
    disputed = pl.concat(
        [
            facts.several("result", "benchmark"),
            facts.several("result", "method"),
            facts.several("result", "settings", "configurationStatus"),
            facts.several("result", "reportedIn", "reportedInStatus"),
        ]
    ).unique()
    return (
        results.join(disputed.with_columns(pl.lit(value=True).alias("resultDisputed")), on="result", how="left")
        .join(facts.first("label", "method", "methodLabel"), on="method", how="left")
        .join(facts.first("originPaper", "method"), on="method", how="left")
        .with_columns(
            pl.coalesce("canonicalJson", "configurationText").alias("configuration"),
            pl.col("settings").str.split("/").list.last().alias("configurationKey"),
        )
    )


def _of_benchmarks(facts: Facts) -> pl.DataFrame:
    """Return the name, task, dataset and split of each benchmark."""
    labels = facts.first("label", "node", "name")
    tasks = facts.first("task", "benchmark", "node").join(labels, on="node", how="left")
    datasets = facts.first("dataset", "benchmark", "node").join(labels, on="node", how="left")
    datasets = datasets.join(facts.first("split", "node", "split"), on="node", how="left")
    return (
        facts.first("label", "benchmark", "benchmarkLabel")
        .join(tasks.select("benchmark", pl.col("name").alias("task")), on="benchmark", how="left")
        .join(datasets.select("benchmark", pl.col("name").alias("dataset"), "split"), on="benchmark", how="left")
    )


def _of_metrics(facts: Facts) -> pl.DataFrame:
    """Return the name, unit and direction of each metric, and whether pages disagree about them."""
    disputed = pl.concat([facts.several("metric", "directionText"), facts.several("metric", "unitText")]).unique()
    metrics = facts.first("label", "metric", "metricLabel")
    for fact in ("unitText", "unit", "directionText", "direction"):
        metrics = metrics.join(facts.first(fact, "metric"), on="metric", how="left")
    return metrics.join(disputed.with_columns(pl.lit(value=True).alias("metricDisputed")), on="metric", how="left")


def _places(facts: Facts, scores: pl.DataFrame) -> pl.DataFrame:
    """Return the page and lines of each score: of its section, which its result quotes too, else of its first place."""
    places = scores.join(facts.every("quotation", "score", "quotation"), on="score")
    sections = places.join(facts.every("quotation", "result", "quotation"), on=["result", "quotation"], how="semi")
    section, anywhere = (found.group_by("score").agg(pl.col("quotation").min()) for found in (sections, places))
    parts = pl.col("quotation").str.splitn("#", 2).struct
    return (
        pl.concat([section, anywhere.join(section, on="score", how="anti")])
        .select("score", parts.field("field_0").alias("snapshot"), parts.field("field_1").alias("lines"))
        .join(facts.first("page", "snapshot"), on="snapshot", how="left")
        .join(facts.first("pageNumber", "snapshot"), on="snapshot", how="left")
        .with_columns(pl.col("pageNumber").cast(pl.Int64, strict=False))
    )
