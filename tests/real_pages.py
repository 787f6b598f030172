"""Our copies of the two real pages, and what they give."""

from __future__ import annotations

from pathlib import Path

CASES = Path(__file__).parent / "cases" / "sota2"
REAL = [CASES / name / "page.md" for name in ("out-of-distribution-detection", "selective-classification")]
COUNTS = {
    "pages": 2,
    "benchmarks": 2,
    "tasks": 2,
    "datasets": 2,
    "metrics": 5,
    "methods": 16,
    "papers": 9,
    "implementations": 3,
    "configurations": 3,
    "comparison_groups": 3,
    "results": 21,
    "scores": 21,
}
