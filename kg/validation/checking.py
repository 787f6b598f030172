"""One graph against the shapes."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator

from kg import vocabulary
from kg.terms import lexical
from kg.validation import reference
from kg.validation.check import Result, results
from kg.validation.findings import Finding, Report
from kg.validation.index import Index, Undecided, certain, split
from kg.validation.places import Places
from kg.validation.shapes import Shapes
from kg.vocabulary import BK, Vocabulary

__all__ = ["screen", "validate", "validate_with_pyshacl"]

_LOG = logging.getLogger(__name__)
_KNOWN = frozenset(
    getattr(terms, name) for terms in vars(vocabulary).values() if isinstance(terms, Vocabulary) for name in terms.names
)


def validate(lines: Iterable[str], shapes: Shapes) -> Report:
    """Check one graph, given as N-Triples lines that each end in a space and a full stop, against shapes.

    The graph is that of one view, or of several merged; nothing is inferred, but instances of a
    subclass that the graph itself declares count as those of the class, as SHACL has it.

    The compiled shapes find what is wrong. Where that is a violation, or they cannot decide, pyshacl
    says what is wrong instead: the report is always the one that ``validate_with_pyshacl`` returns.
    """
    lines = list(lines)
    index = Index(lines)
    try:
        found = screen(index, shapes)
        if any(shapes.severities[result.shape] == "violation" for result in found):
            raise Undecided("there is a violation")
    except Undecided as why:
        _LOG.debug("pyshacl is asked: %s", why)
        return validate_with_pyshacl(lines, shapes)
    return _report(found, index, lines, shapes)


def validate_with_pyshacl(lines: Iterable[str], shapes: Shapes) -> Report:
    """Check one graph against shapes with pyshacl alone, which takes some fifty times as long."""
    lines = list(lines)
    return _report(reference.results(map(split, lines), shapes.reference), Index(lines), lines, shapes)


def screen(index: Index, shapes: Shapes) -> list[Result]:
    """Return what the compiled shapes find wrong with a graph; raises ``Undecided``."""
    if shapes.beyond:
        raise Undecided(f"the shapes use {shapes.beyond}")
    found: dict[tuple[str, str, str], set[str]] = {}
    for name, target in shapes.targeted.items():
        focus = target.nodes(index)
        if not focus:
            continue
        if target.checks is None:
            raise Undecided(f"the shape {name} uses {target.why}")
        for *which, values in results(target.checks, index, focus):
            # A shape may ask for two classes, and may be the property shape of several shapes.
            found.setdefault((which[0], which[1], which[2]), set()).update(map(certain, values))
    return [Result(*which, values) for which, values in found.items()]


def _report(found: Collection[Result], index: Index, lines: Iterable[str], shapes: Shapes) -> Report:
    focus = {name: len(target.nodes(index)) for name, target in shapes.targeted.items()}
    return Report(
        findings=tuple(sorted(_findings(found, shapes, lines), key=lambda it: it.order)) if found else (),
        focus_counts={name: focus[with_target] for name, with_target in shapes.checked_by.items()},
        without_target=tuple(sorted(shape for shape in shapes.expected if not focus[shape])),
        unknown_terms=tuple(sorted(_unknown_terms(index))),
    )


def _findings(found: Iterable[Result], shapes: Shapes, lines: Iterable[str]) -> Iterator[Finding]:
    places = Places(map(split, lines))
    for shape, focus, component, values in found:
        path = shapes.paths.get(shape, "")
        yield Finding(
            severity=shapes.severities[shape],
            shape=shape,
            focus=focus if focus.startswith("_:") else lexical(focus),
            path=path,
            # The value of a node shape is the focus node itself.
            values=tuple(sorted(values)) if path else (),
            component=component,
            message=shapes.messages[shape],
            **places.of(focus, shapes.mentioned[shape]),
        )


def _unknown_terms(index: Index) -> Iterator[str]:
    own = f"<{BK.namespace}"
    for term in (*index.classes, *(it for it in index.properties if it.startswith(own))):
        if term not in _KNOWN and term.startswith("<"):
            yield lexical(term)
