"""What the documents list is what the code has: problem codes, the keys of answers, the terms of the model."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def section(path: str, heading: str) -> str:
    """Return the text between a heading of the second level and the next one."""
    return (ROOT / path).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]


def first_cells(text: str) -> list[str]:
    """Return what stands as code in the first cell of each row of the tables of a text."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def test_the_problems_of_a_build_are_those_of_the_pipeline():
    tree = ast.parse((ROOT / "kg/pipeline.py").read_bytes())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call.args[0] for call in calls if getattr(call.func, "id", "") in {"Problem", "_unread"}]
    codes = {name.value for name in named if isinstance(name, ast.Constant)}
    assert codes
    assert set(first_cells(section("tests/cases/README.md", "Problems of a build"))) == codes
