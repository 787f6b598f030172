"""The claim that a method is best, taken apart into sentences that each name where they come from.

Nothing here says that a method is the best: the best recorded score of one configuration is that and
no more. Ranks, claims and findings are those of the catalogue's queries; the sentences count and name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kg.comparison import CLAIMS, Leaderboard, Standing, Table
from kg.quality import QualityFinding, first_line
from kg.vocabulary import BK

__all__ = ["TOPICS", "Audit", "Evidence", "Facts", "Sentence", "audit"]

TOPICS = {
    "best": "Is it the best recorded?",
    "unlike": "With whom can it be compared?",
    "same-paper": "Which papers do the numbers come from?",
    "claim": "Whose method is it?",
    "coverage": "How complete is the leaderboard?",
    "caveat": "What does the page say of itself?",
    "finding": "What casts doubt on it?",
}
"""What the sentences of an audit are about, in their order, as questions."""

_NAMED = 12  # methods that a sentence names; the evidence has all
_REPRODUCTION = {
    BK.Reproduced[1:-1]: "the page says that it was independently reproduced",
    BK.ReproductionFailed[1:-1]: "the page says that an independent reproduction failed",
    BK.ReproductionNotAsserted[1:-1]: "the page asserts no independent reproduction",
    BK.NotRecorded[1:-1]: "the page says nothing of reproduction",
    BK.Unreadable[1:-1]: "what the page says of reproduction is not understood",
}
_WHY = {
    "no configuration recorded": "it has no recorded configuration, so it is like nothing",
    "unknown settings": "some of its settings are recorded as unknown, so nobody can say what it is like",
    "unreadable configuration": "its configuration cannot be read, so nobody can say what it is like",
    "unknown direction or unit": "the metric's direction or unit is not known, so nothing is ranked by it",
    "pages disagree": "pages, or two places of one, disagree about it",
    "no single number": "it is no single number",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place that a sentence rests on: lines of one state of a page (``lines`` is an RFC 5147 fragment).

    ``node`` is the result, leaderboard or page that is spoken of; ``quotation`` is the IRI of the place. What the graph
    does not say is None.
    """

    node: str
    page: str | None = None
    lines: str | None = None
    quotation: str | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One thing that can be said about the claim: ``topic`` is one of TOPICS."""

    topic: str
    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """What becomes of the claim that a method is best on one metric of a benchmark."""

    method: str
    method_label: str
    benchmark: str
    benchmark_label: str
    metric: str
    metric_label: str
    unit_text: str
    direction_text: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What an audit is made of: a leaderboard, and rows of the catalogue about it.

    Of ``queries/provenance``, ``places`` are rows of ``places-of-scores``, ``statements`` of
    ``statements-of-a-leaderboard``, ``claims`` of ``claims-of-a-method``, ``results`` of ``results-of-a-method``.
    """

    method: str
    method_label: str
    board: Leaderboard
    places: Sequence[Any]
    statements: Sequence[Any]
    claims: Sequence[Any]
    results: Sequence[Any]
    findings: Sequence[QualityFinding]


def audit(facts: Facts) -> Audit:
    """Return the sentences about a method on one leaderboard."""
    board = facts.board
    made = _Sentences(facts)
    return Audit(
        method=facts.method,
        method_label=facts.method_label,
        benchmark=board.benchmark,
        benchmark_label=board.benchmark_label,
        metric=board.metric,
        metric_label=board.metric_label,
        unit_text=board.unit_text,
        direction_text=board.direction_text,
        sentences=(
            *made.of_ranks(),
            *made.of_unlike(),
            *made.of_papers(),
            *made.of_claims(),
            *made.of_coverage(),
            *made.of_caveats(),
            *made.of_findings(),
        ),
    )


class _Sentences:
    """The sentences of one audit, by topic."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.name = facts.method_label
        self.tables = facts.board.tables
        self.standings = [standing for table in self.tables for standing in table.standings]
        self.own = [standing for standing in self.standings if standing.method == facts.method]
        self._places: dict[str, list[Evidence]] = {}
        for row in facts.places:
            place = Evidence(row.result, row.page, row.lines, row.quotation, row.sha256)
            self._places.setdefault(row.result, []).append(place)
        self._stated: dict[tuple[str, str], tuple[str, ...]] = {}
        for row in facts.results:
            for fact in ("claim", "reportedIn", "reproductionStatus"):
                said = self._stated.get((row.result, fact), ())
                if (value := getattr(row, fact)) is not None and value not in said:
                    self._stated[row.result, fact] = tuple(sorted((*said, value)))

    def _of(self, standings: Iterable[Standing]) -> tuple[Evidence, ...]:
        """Return where the scores of some standings were read."""
        results = dict.fromkeys(standing.result for standing in standings)
        return tuple(place for result in results for place in self._places.get(result, [Evidence(result)]))

    def _by(self, fact: str) -> list[tuple[tuple[str, ...], list[Standing]]]:
        """Return the method's scores by all that is stated of their results about a fact: several where in dispute."""
        found: dict[tuple[str, ...], list[Standing]] = {}
        for standing in self.own:
            found.setdefault(self._stated.get((standing.result, fact), ()), []).append(standing)
        return list(found.items())

    # Ranks

    def of_ranks(self) -> Iterable[Sentence]:
        """Yield under which configurations the method has the best recorded score, and under which not."""
        elsewhere = []
        for table in self.tables:
            ranked = [standing for standing in table.standings if standing.rank is not None]
            own = [standing for standing in ranked if standing.method == self.facts.method]
            if own:
                yield self._rank(table, ranked, own)
            elif ranked:
                elsewhere.append(ranked)
        for standing in self.own:
            if standing.rank is None:
                why = _WHY.get(standing.unranked or "", standing.unranked or "")
                text = f"{self.name}'s {standing.value_text} is ranked against nothing: {why}."
                yield Sentence("best", text, self._of([standing]))
        if elsewhere:
            scores = sum(map(len, elsewhere))
            text = (
                f"Under {_count(len(elsewhere), 'other configuration')} with {_count(scores, 'ranked score')} "
                f"{self.name} has none: the record does not say how it would do there."
            )
            yield Sentence("best", text, self._of(standing for ranked in elsewhere for standing in ranked))

    def _rank(self, table: Table, ranked: Sequence[Standing], own: Sequence[Standing]) -> Sentence:
        best = own[0]
        leading = [standing for standing in ranked if standing.rank == 1]
        under, of = f"Under {table.configuration}", f"of {_count(len(ranked), 'ranked score')}"
        others = [standing for standing in leading if standing.method != self.facts.method]
        beside = [it for it in ranked if it.rank == best.rank and it.method != self.facts.method]
        if len(ranked) == len(own):
            text = f"{under} {self.name} is alone, with {best.value_text}: there is no rival to be better than."
            return Sentence("best", text, self._of(own))
        if best.rank == 1 and not others:
            text = f"{under} {self.name} has the best recorded {of}: {best.value_text}."
        elif best.rank == 1:
            text = f"{under} {self.name} shares the best recorded {of}, {best.value_text}, with {_names(others)}."
        else:
            place = f"shares number {best.rank} with {_names(beside)}, at" if beside else f"is number {best.rank} with"
            text = (
                f"{under} {self.name} does not have the best recorded {of}: it {place} {best.value_text}, and "
                f"{_names(others)} {_have(others)} {leading[0].value_text}."
            )
        return Sentence("best", text, self._of([best, *leading, *beside]))

    # Likeness

    def of_unlike(self) -> Iterable[Sentence]:
        """Yield how many methods there are numbers like for like with, and with which there are none."""
        alike = {
            standing.method
            for table in self.tables
            if any(it.rank is not None and it.method == self.facts.method for it in table.standings)
            for standing in table.standings
            if standing.rank is not None
        } - {self.facts.method}
        others = {standing.method for standing in self.standings} - {self.facts.method}
        apart = [it for it in self.standings if it.method in others - alike]
        if alike:
            like = [it for it in self.standings if it.method in alike and it.rank is not None]
            text = f"There are like-for-like numbers with {len(alike)} of {_count(len(others), 'other method')} here."
            yield Sentence("unlike", text, self._of(like))
        if apart:
            text = (
                f"There is no like-for-like number with {_count(len(others - alike), 'method')}: {_names(apart)}. "
                f"Whether {self.name} is better than those is not known from this leaderboard."
            )
            yield Sentence("unlike", text, self._of(apart))
        if not others:
            yield Sentence(
                "unlike",
                "No other method has a score here, so there is nothing to compare it with.",
                self._of(self.own),
            )

    def of_papers(self) -> Iterable[Sentence]:
        """Yield which rivals' numbers come from the paper that reports the method's."""
        for papers, own in self._by("reportedIn"):
            if len(papers) != 1:
                text = f"Which paper reports {_values(own)} of {self.name} is not recorded."
                if papers:
                    text = (
                        f"Pages, or two places of one, disagree about which paper reports {_values(own)} of "
                        f"{self.name}: {' or '.join(map(_key, papers))}."
                    )
                yield Sentence("same-paper", text, self._of(own))
                continue
            (paper,) = papers
            groups = {
                table.group for table in self.tables for it in table.standings if it in own and it.rank is not None
            }
            rivals = [
                standing
                for table in self.tables
                if table.group in groups
                for standing in table.standings
                if standing.method != self.facts.method and standing.rank is not None
            ]
            same = [standing for standing in rivals if standing.reported_in == paper]
            text = f"The paper {_key(paper)} reports {_values(own)} of {self.name}"
            if not rivals:
                text += ", and there is no rival's number like for like."
            elif len(same) == len(rivals) == 1:
                text += ", and the only rival's number like for like: it does not rest on a second paper."
            elif len(same) == len(rivals):
                text += (
                    f", and all {len(rivals)} numbers of rivals like for like: none of these rests on a second paper."
                )
            else:
                elsewhere = {standing.reported_in for standing in rivals if standing.reported_in != paper}
                text += (
                    f", and {len(same)} of {_count(len(rivals), 'number')} of rivals like for like; the others come "
                    f"from {_count(len(elsewhere), 'other record')} of who reports them."
                )
            yield Sentence("same-paper", text, self._of([*own, *rivals]))

    # What is recorded about the method

    def of_claims(self) -> Iterable[Sentence]:
        """Yield whose method it is, as recorded, and what is said of reproduction."""
        for claims, own in self._by("claim"):
            what = {
                "own method": "the one that the method comes from: it reports its own method",
                "another's method": "not the one that the method comes from; no page says whether it ran the method",
            }.get(_only(tuple(CLAIMS.get(claim, "") for claim in claims)))
            if len(claims) > 1:
                text = (
                    f"Whether {_values(own)} is reported by the method's own paper is in dispute: pages, or two places "
                    f"of one, state {' and '.join(CLAIMS.get(claim, claim) for claim in claims)}."
                )
            elif what:
                text = f"The paper that reports {_values(own)} is, as recorded, {what}."
            else:
                text = f"Whether {_values(own)} is reported by the method's own paper is not recorded."
            yield Sentence("claim", text, self._of(own))
        for statuses, own in self._by("reproductionStatus"):
            said = _REPRODUCTION.get(_only(statuses), "no status of reproduction is recorded")
            if len(statuses) > 1:
                said = "pages, or two places of one, disagree about reproduction"
            yield Sentence("claim", f"Of {_values(own)} {said}.", self._of(own))
        yield self._everywhere()

    def _everywhere(self) -> Sentence:
        """Return how many results the method has in the whole graph, by claim, with and without boards in doubt."""
        claims = self.facts.claims

        def told(column: str) -> str:
            counts = {CLAIMS.get(row.claim, ""): getattr(row, column) for row in claims}
            total, own, others = sum(counts.values()), counts.get("own method", 0), counts.get("another's method", 0)
            text = f"{_count(total, 'result')}: {own} recorded as reported by its own paper, {others} by another's"
            return f"{text}, {total - own - others} of which that is not known" if total > own + others else text

        text = f"In the whole graph {self.name} has {told('results')}"
        if any(row.undoubted != row.results for row in claims):
            text += (
                "; without the leaderboards on which every result is recorded as its paper's own "
                f"(origin-equals-reporting-everywhere) {told('undoubted')}"
            )
        results = self.facts.results
        places = (Evidence(row.result, row.page, row.lines, row.quotation, row.sha256) for row in results)
        return Sentence("claim", f"{text}.", tuple(dict.fromkeys(places)))

    # What is recorded about the leaderboard

    def _printed(self, kind: str) -> dict[str, tuple[Evidence, ...]]:
        """Return what the pages print of one kind with its places, once where several print the same."""
        found: dict[str, tuple[Evidence, ...]] = {}
        rows = [row for row in self.facts.statements if row.kind == kind]
        for row in sorted(rows, key=lambda row: (row.page or "", first_line(row.lines))):
            place = Evidence(self.facts.board.metric, row.page, row.lines, row.quotation, row.sha256)
            found[row.text] = (*found.get(row.text, ()), place)
        return found

    def of_coverage(self) -> Iterable[Sentence]:
        """Yield how complete the leaderboard is, by our count and in the words of its pages."""
        places = self._counted() or (Evidence(self.facts.board.metric),)
        yield Sentence("coverage", f"{self.facts.board.coverage[0].upper()}{self.facts.board.coverage[1:]}.", places)
        for text, places in self._printed("coverage").items():
            yield Sentence("coverage", f"The page says: {text}", places)

    def _counted(self) -> tuple[Evidence, ...]:
        return tuple(place for places in self._printed("results loaded").values() for place in places)

    def of_caveats(self) -> Iterable[Sentence]:
        """Yield what the pages say that limits what their results mean, once where all say the same."""
        for text, places in self._printed("disclaimer").items():
            yield Sentence("caveat", text, places)

    def of_findings(self) -> Iterable[Sentence]:
        """Yield the quality findings that touch the method's scores or the leaderboard."""
        for finding in self.facts.findings:
            row = finding.row
            places = [
                Evidence(self.facts.board.metric, row.get(page), row.get(lines), row.get(quotation))
                for page, lines, quotation in (
                    ("page", "lines", "quotation"),
                    ("otherPage", "otherLines", "otherQuotation"),
                )
                if row.get(page)
            ]
            if not any(place.lines for place in places):  # it is about the leaderboard as a whole: its counts and rows
                places = [*self._counted(), *self._of(self.standings)]
            yield Sentence("finding", str(finding), tuple(places))
        if not self.facts.findings:
            yield Sentence("finding", "No quality query finds anything that touches it.", self._of(self.own))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _only(values: Sequence[str]) -> str:
    """Return the one value there is; empty without one, and where there are several."""
    return values[0] if len(values) == 1 else ""


def _names(standings: Iterable[Standing]) -> str:
    names = list(dict.fromkeys((standing.method, standing.method_label) for standing in standings))
    shown = [label for _, label in names[:_NAMED]]
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _have(standings: Sequence[Standing]) -> str:
    return "has" if len({standing.method for standing in standings}) == 1 else "have"


def _values(standings: Iterable[Standing]) -> str:
    return " and ".join(dict.fromkeys(standing.value_text for standing in standings))


def _key(address: str) -> str:
    return address.rsplit("/", 1)[-1]
