"""Which lines of which page a node was read from, and which results use it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import TypedDict

from kg.terms import Triple, lexical
from kg.validation.findings import Quotation
from kg.vocabulary import BK, DCT, FOAF, PROV, RDF

__all__ = ["Places"]

_USES = frozenset(
    (
        BK.comparisonGroup,
        BK.configuration,
        BK.implementation,
        BK.method,
        BK.originPaper,
        BK.parameter,
        BK.reportedIn,
        BK.score,
        PROV.wasQuotedFrom,
    )
)
"""The properties by which a result reaches the nodes that it alone, or it and other results, stand on."""

_STATED_AS = {
    BK.Benchmark: DCT.title,
    BK.BenchmarkPage: DCT.title,
    BK.CollectionIndex: DCT.isPartOf,
    BK.EvaluationDataset: BK.dataset,
    BK.Task: BK.task,
}
"""What the line that a node of the page was read from states, where no line states the wrong property itself."""


_RANGE = re.compile(r"<(?P<snapshot>[^#>]*)#line=(?P<before>[0-9]+),(?P<last>[0-9]+)>")


class _Where(TypedDict):
    page: str
    quotations: tuple[Quotation, ...]


class Places:
    """An index of one graph that answers where a node stands; all nodes are N-Triples terms."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._values: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._users: defaultdict[str, list[str]] = defaultdict(list)
        self._stated: defaultdict[str, list[str]] = defaultdict(list)
        for subject, predicate, value in triples:
            if not value.startswith('"'):
                self._values[subject, predicate].append(value)
            if predicate in _USES:
                self._users[value].append(subject)
            elif predicate == BK.states:
                self._stated[value].append(subject)

    def values(self, node: str, property_: str) -> list[str]:
        """Return the values of a property that are nodes."""
        return self._values.get((node, property_), [])

    def is_a(self, node: str, class_: str) -> bool:
        """Tell whether a node is of a class."""
        return class_ in self.values(node, RDF.type)

    def users(self, node: str, class_: str) -> list[str]:
        """Return the nodes of a class that are, or stand on, a node; sorted."""
        seen, waiting = {node}, [node]
        while waiting:
            for user in self._users.get(waiting.pop(), ()):
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
        return sorted(user for user in seen if self.is_a(user, class_))

    def of(self, node: str, properties: Collection[str]) -> _Where:
        """Return the lines that a node was read from, the lines that state some properties of it, and their page."""
        found = sorted({it for node_ in self._quotations(node, properties) for it in _lines(node_)})
        snapshots = {f"<{quotation.snapshot}>" for quotation in found} or {
            subject for (subject, property_) in self._values if property_ == PROV.specializationOf
        }
        pages = sorted({page for snapshot in snapshots for page in self.values(snapshot, PROV.specializationOf)})
        return {"page": lexical(pages[0]) if len(pages) == 1 else "", "quotations": tuple(found)}

    def _quotations(self, node: str, properties: Collection[str]) -> list[str]:
        if self.is_a(node, BK.Quotation):
            return [node]
        own = self.values(node, PROV.wasQuotedFrom)
        if results := self.users(node, BK.Result):
            return own or [line for result in results for line in self.values(result, PROV.wasQuotedFrom)]
        stated = [line for property_ in sorted(properties) for line in self._stated.get(f"<{property_}>", ())]
        if self.is_a(node, BK.Metric):
            # The page's own metric is stated twice: in the list, and in the table of what the page is about.
            viewed = {metric for snapshot in self._snapshots(stated) for metric in self.values(snapshot, BK.metric)}
            return own + (stated if node in viewed else [])
        if stated:
            return own + self._of_its_page(node, stated)
        defaults = [_STATED_AS[class_] for class_ in self.values(node, RDF.type) if class_ in _STATED_AS]
        return own or self._of_its_page(node, [it for each in defaults for it in self._stated.get(each, ())])

    def _of_its_page(self, node: str, quotations: list[str]) -> list[str]:
        """Return those quotations that stand on the page that a node is or has; all where none does."""
        pages = {node, *self.values(node, FOAF.page)}
        there = [
            quotation
            for quotation in quotations
            if not pages.isdisjoint(
                page for state in self._snapshots([quotation]) for page in self.values(state, PROV.specializationOf)
            )
        ]
        return there or quotations

    def _snapshots(self, quotations: Iterable[str]) -> set[str]:
        return {snapshot for quotation in quotations for snapshot in self.values(quotation, DCT.isPartOf)}


def _lines(quotation: str) -> Iterator[Quotation]:
    if found := _RANGE.fullmatch(quotation):
        yield Quotation(found["snapshot"], int(found["before"]) + 1, int(found["last"]))
