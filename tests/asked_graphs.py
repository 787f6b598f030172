"""The graphs that the queries of the catalogue are asked of in tests, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kg import catalogue, sources
from kg.catalogue import Query
from kg.mapping import to_view_graph
from kg.store import Solutions, Store
from kg.terms import lexical

HERE = Path(__file__).parent
SEEDS = ("out-of-distribution-detection", "selective-classification")
BASE = "https://w3id.org/benchkg/id/sota2/"
OOD = f"{BASE}benchmark/out-of-distribution-detection-on-imagenet-1k-resnet-50-test"
NEAR = f"{BASE}metric/near-ood-auroc-89e713d330"
SELECTIVE = f"{BASE}benchmark/selective-classification-on-imagenet-v2-original-test"
METRIC_A = f"{BASE}metric/metric-a-5ebb1270f1"
PLF, VRA, ASH = f"{BASE}method/plf-1b8e2da93f", f"{BASE}method/vra-51bec6d260", f"{BASE}method/ash-51df582852"
MSP = f"{BASE}method/msp-2985ca488a"

# Graphs on which two engines are asked everything: the real pages with a second metric, and pages with odd facts.
GRAPHS = {
    "seeds": (*SEEDS, "far-ood-auroc", "clean"),
    "several pages": ("first-page-of-several", "second-page-of-several"),
    "empty": (),
    **{
        name: (name,)
        for name in (
            "configuration-unknown-keys",
            "conflicting-rows",
            "direction-disagrees",
            "first-page-of-several",
            "loaded-count-differs",
            "other-dates",
            "papers-missing",
            "several-implementations",
            "spread-spellings",
            "value-differs",
        )
    },
}
QUERIES = {query.name: query for query in catalogue.list_queries()}
SELECTS = {name: query for name, query in QUERIES.items() if query.columns}

Row = tuple[str | None, ...]


@cache
def store(cases: tuple[str, ...]) -> Store:
    pages = [sources.parse((HERE / "cases/sota2" / case / "page.md").read_bytes(), case).page for case in cases]
    made = Store.in_memory()
    made.update([to_view_graph(page) for page in pages if page])
    return made


def rows(query: Query, cases: tuple[str, ...], values: Mapping[str, str] | None = None) -> list[Row]:
    """Rows of a SELECT; parameters that are not given stay unbound, as in a tool into which the text is pasted."""
    typed = {each.name: each.type for each in query.parameters}
    bound = {name: catalogue.TYPES[typed[name]](value) for name, value in (values or {}).items()}
    answer = store(cases).query(query.text, bound)
    assert isinstance(answer, Solutions)
    return list(answer.rows)


def dicts(name: str, cases: tuple[str, ...] = SEEDS, /, **values: str) -> list[dict[str, str | None]]:
    query = QUERIES[name]
    names = [column.name for column in query.columns]
    found = rows(query, cases, values)
    return [dict(zip(names, (term and lexical(term) for term in row), strict=True)) for row in found]


def values_of(query: Query, cases: tuple[str, ...]) -> list[dict[str, str]]:
    """The first and last values that the unbound query gives for all parameters together."""
    names = [column.name for column in query.columns]
    places = [names.index(parameter.name) for parameter in query.parameters]
    found = [row for row in rows(query, cases) if all(row[place] for place in places)]
    taken = [tuple(row[place] or "" for place in places) for row in (*found[:1], *found[-1:])]
    return [
        {parameter.name: lexical(term) for parameter, term in zip(query.parameters, terms, strict=True)}
        for terms in dict.fromkeys(taken)
    ]
