"""What validation found: frozen records, their order, and the SHACL report made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kg.terms import literal
from kg.vocabulary import BKS, SH, prefixes

__all__ = ["Finding", "Quotation", "Report", "Severity", "merge", "report_graph"]

Severity = Literal["violation", "warning", "info"]
_ORDER = {"violation": 0, "warning": 1, "info": 2}


class Quotation(NamedTuple):
    """Lines of a snapshot (its IRI), first and last included, counted from 1."""

    snapshot: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One constraint that one focus node does not meet.

    ``shape`` is the local name of the shape, ``focus`` the IRI of the node (or ``_:`` and the label
    of a blank node), ``path`` a SPARQL property path with prefixed names, empty for a node shape;
    ``values`` are the terms that are wrong, as N-Triples text, empty where something is missing.
    ``component`` is the SHACL constraint component without namespace. ``quotations`` are the lines
    that the focus node was read from, ``page`` the address of their page.
    """

    severity: Severity
    shape: str
    focus: str
    path: str
    values: tuple[str, ...]
    component: str
    message: str
    page: str = ""
    quotations: tuple[Quotation, ...] = ()

    def __str__(self) -> str:
        lines = ", ".join(dict.fromkeys(map(str, self.quotations)))
        place = f" ({lines} of {self.page})" if lines else f" ({self.page})" if self.page else ""
        return f"{self.severity}: {self.message} [{self.shape}] {self.focus}{place}"

    @property
    def order(self) -> tuple[object, ...]:
        """What findings are sorted by: the worst first, then by shape and focus node."""
        return (_ORDER[self.severity], self.shape, self.focus, self.component, self.values, self.page, self.quotations)


@dataclass(frozen=True, slots=True)
class Report:
    """What validation found in one graph, or in several (see ``merge``).

    ``findings`` are sorted, the worst first. ``focus_counts`` says for each shape how many nodes it
    checked; a node that several graphs state counts once a graph. ``without_target`` are the shapes
    for a class of which no graph has a node, other than those that a clean page has none for.
    ``unknown_terms`` are IRIs used as class, or as one of our properties, that no vocabulary knows.
    """

    findings: tuple[Finding, ...] = ()
    focus_counts: Mapping[str, int] = field(default_factory=dict)
    without_target: tuple[str, ...] = ()
    unknown_terms: tuple[str, ...] = ()
    graphs: int = 1

    @property
    def conforms(self) -> bool:
        """Whether there is no violation; warnings do not count."""
        return not self.violations

    @property
    def violations(self) -> tuple[Finding, ...]:
        """The findings that keep something out."""
        return tuple(finding for finding in self.findings if finding.severity == "violation")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that are shown and keep nothing out."""
        return tuple(finding for finding in self.findings if finding.severity != "violation")


def merge(reports: Iterable[Report]) -> Report:
    """Return one report on all graphs; what is kept grows with the findings, not with the graphs.

    Findings that are equal in all, lines included, are kept once. A shape is without a target where
    it found none in any graph.
    """
    findings: set[Finding] = set()
    counts: Counter[str] = Counter()
    unknown: set[str] = set()
    missed: Counter[str] = Counter()
    graphs = 0
    for report in reports:
        findings.update(report.findings)
        counts.update(report.focus_counts)
        unknown.update(report.unknown_terms)
        missed.update(report.without_target)
        graphs += report.graphs
    return Report(
        findings=tuple(sorted(findings, key=lambda it: it.order)),
        focus_counts=dict(sorted(counts.items())),
        without_target=tuple(sorted(shape for shape in missed if not counts[shape])),
        unknown_terms=tuple(sorted(unknown)),
        graphs=graphs,
    )


def report_graph(report: Report) -> str:
    """Return the SHACL validation report as Turtle, with the quoted lines of each result beside it.

    ``sh:conforms`` is false where there is any result, a warning too, as the SHACL specification
    has it (section 3.6.1.1); ``Report.conforms`` asks for violations alone.

    >>> print(report_graph(Report()).splitlines()[-2])
    [] a sh:ValidationReport ;
    """
    known = {**prefixes(), "bks": BKS.namespace, "sh": SH.namespace}
    head = "".join(f"@prefix {name}: <{namespace}> .\n" for name, namespace in sorted(known.items()))
    results = "".join(f" ;\n    sh:result {result}" for finding in report.findings for result in _results(finding))
    return f"{head}\n[] a sh:ValidationReport ;\n    sh:conforms {'false' if report.findings else 'true'}{results} .\n"


def _results(finding: Finding) -> Iterator[str]:
    for value in finding.values or ("",):
        parts = [
            "a sh:ValidationResult",
            f"sh:resultSeverity sh:{finding.severity.capitalize()}",
            f"sh:sourceShape bks:{finding.shape}",
            f"sh:sourceConstraintComponent sh:{finding.component}",
            f"sh:focusNode {finding.focus if finding.focus.startswith('_:') else f'<{finding.focus}>'}",
            f"sh:resultMessage {literal(finding.message)}",
        ]
        if finding.path:
            parts.append(f"sh:resultPath {_turtle_path(finding.path)}")
        if value:
            parts.append(f"sh:value {value}")
        parts.extend(f"prov:wasQuotedFrom <{at.snapshot}#line={at.first - 1},{at.last}>" for at in finding.quotations)
        yield "[ " + " ;\n        ".join(parts) + " ]"


def _turtle_path(path: str) -> str:
    """Return a SPARQL property path of names, ``^``, ``/`` and ``|`` as a SHACL path."""
    if "|" in path:
        return f"[ sh:alternativePath ( {path.replace('|', ' ')} ) ]"
    steps = [f"[ sh:inversePath {step[1:]} ]" if step.startswith("^") else step for step in path.split("/")]
    return steps[0] if len(steps) == 1 else f"( {' '.join(steps)} )"
