"""SHACL over one graph at a time, in words a person can act on."""

from __future__ import annotations

from kg.validation.checking import validate
from kg.validation.culprits import Culprits, culprits
from kg.validation.findings import Finding, Quotation, Report, merge, report_graph
from kg.validation.shapes import Shapes, load_shapes

__all__ = [
    "Culprits",
    "Finding",
    "Quotation",
    "Report",
    "Shapes",
    "culprits",
    "load_shapes",
    "merge",
    "report_graph",
    "validate",
]
