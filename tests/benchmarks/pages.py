"""Pages in the format of sota2, any number of them: ``python -m tests.benchmarks.pages FOLDER COUNT``.

The pages of a collection follow one another by benchmark, metric and page number; those of a small
collection are the first of a larger one with the same seed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from urllib.parse import quote

from tests.benchmarks.collection import Benchmark, Result, benchmark

__all__ = ["ODDITIES", "Page", "made_pages", "write_pages"]

SEED = 1
SHARE_OF_ODDITIES = 0.05
PAGES_A_FOLDER = 1_000
_SITE = "https://www.sota2.com/research"
_LIKE_FOR_LIKE = (
    "A research result applies to its stated dataset, split, metric and evaluation configuration. "
    "Compare like-for-like settings, preserve the metric's unit and direction, and distinguish paper-reported results "
    "from independent reproduction. "
    "The best result recorded here is not a claim of exhaustive, current global coverage."
)
_SETTINGS = (
    "Evaluation settings may differ between results. "
    "The original papers and recorded configurations are needed to establish comparability. "
    "A shared metric name alone does not establish an identical protocol."
)
_NOT_REPRODUCED = "This record does not assert independent reproduction."
_INDEX_PAGE = "This is an index page, not the full collection."
ODDITIES = (
    "value-not-a-number",
    "bad-date",
    "value-disagrees",
    "label-disagrees",
    "unknown-line",
    "bad-address",
    "unreadable-configuration",
    "unknown-reproduction",
)
"""What may be odd on a page: each is the code of the problem that reading it reports, and no page is lost by it."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is written: its place below the folder, its text, and what is odd about it or ``""``."""

    name: str
    text: str
    oddity: str


@dataclass(frozen=True, slots=True)
class _Place:
    """What a page shows of its benchmark: one metric, and some of the results on it, best first."""

    metric: int
    page: int
    shown: list[Result]


def made_pages(count: int, *, start: int = 0, seed: int = SEED, oddities: float = SHARE_OF_ODDITIES) -> Iterator[Page]:
    """Yield pages ``start`` to ``count - 1`` of a collection, ``oddities`` of them (a share, 0 to 1) odd."""
    index = number = 0
    while index < count:
        drawn = benchmark(seed, number)
        number += 1
        if index + drawn.page_count * len(drawn.metrics) <= start:
            index += drawn.page_count * len(drawn.metrics)
            continue
        for place in _places(drawn):
            if start <= index < count:
                draw = Random(f"{seed}:page:{index}")
                oddity = ODDITIES[int(draw.random() * len(ODDITIES))] if draw.random() < oddities else ""
                odd = int(draw.random() * len(place.shown))
                name = f"{index // PAGES_A_FOLDER:04d}/{index:07d}.md"
                yield Page(name, _text(drawn, place, oddity, odd), oddity)
            index += 1


def _places(drawn: Benchmark) -> Iterator[_Place]:
    for metric in range(len(drawn.metrics)):
        ranking = drawn.ranking(metric)
        for page in range(drawn.page_count):
            yield _Place(metric, page, ranking[page * drawn.page_size : (page + 1) * drawn.page_size])


def write_pages(
    folder: str | Path, count: int, *, start: int = 0, seed: int = SEED, oddities: float = SHARE_OF_ODDITIES
) -> int:
    """Write pages below a folder, a thousand a subfolder; return how many bytes they have."""
    size = 0
    made: set[Path] = set()
    for page in made_pages(count, start=start, seed=seed, oddities=oddities):
        path = Path(folder, page.name)
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        data = page.text.encode()
        path.write_bytes(data)
        size += len(data)
    return size


def _text(drawn: Benchmark, place: _Place, oddity: str, odd: int) -> str:
    viewed = drawn.metrics[place.metric].name
    blocks = _head(drawn, place)
    rows = [f"| Method | {viewed} | Result date | Report paper |", "| --- | --- | --- | --- |"]
    sections: list[str] = []
    for index, result in enumerate(place.shown):
        value = result.values[place.metric]
        row = section = (result, value)
        if oddity and index == odd:
            row, section = _made_odd(oddity, result, value)
        rows.append(f"| {row[0].label} | {row[1]} | {row[0].date} | {row[0].paper} |")
        _add_section(sections, viewed, *section)
        if index == odd and oddity == "unknown-line":
            sections.insert(-1, f"See the appendix of the paper for {result.label}.")
        elif index == odd and oddity == "unknown-reproduction":
            sections[-1] = sections[-1].replace(_NOT_REPRODUCED, "This record was reproduced, perhaps.")
    foot = f"Page {place.page + 1} of {drawn.page_count}. {_INDEX_PAGE}\n"
    return "\n\n".join((*blocks, "\n".join(rows), *sections, foot))


def _head(drawn: Benchmark, place: _Place) -> list[str]:
    title = f"{drawn.task} on {drawn.dataset}"
    source = f"{_SITE}/sota/{drawn.slug}"
    viewed = drawn.metrics[place.metric]
    names = " and ".join(metric.name for metric in drawn.metrics)
    shown = "All results currently" if drawn.page_count == 1 else "One page of the results"
    scope = {
        "Scope": "Recorded value",
        "---": "---",
        "Task": drawn.task,
        "Dataset (including any stated split)": drawn.dataset,
        "Metric": viewed.name,
        "Unit": viewed.unit,
        "Direction": viewed.direction,
        "Results loaded": f"{len(place.shown)} of {len(drawn.results)}",
        "Coverage": f"{shown} returned for this benchmark",
    }
    return [
        f"# {title}",
        f"Source: [{title}](<{source}>)",
        f"Collection index: [llms.txt](<{_SITE}/llms.txt>)",
        f"Data updated: {drawn.updated}",
        f"Evaluation of {drawn.task} performance on {drawn.dataset}, reporting {names}.",
        _LIKE_FOR_LIKE,
        "\n".join(f"| {name} | {value} |" for name, value in scope.items()),
        _SETTINGS,
        "## Metrics",
        *(
            f"- [{it.name}](<{source}.md?metric={quote(it.name)}>): {it.direction}; unit: {it.unit}."
            for it in drawn.metrics
        ),
        "## Recorded results",
    ]


def _add_section(blocks: list[str], metric: str, result: Result, value: str) -> None:
    blocks += (f"### {result.label}", f"{metric}: {value}. Result ID: {result.identifier}.")
    if result.paper != "Not recorded":
        blocks.append(f"[Reporting paper](<{_SITE}/paper/{result.paper}.md>)")
    if result.origin:
        blocks.append(f"[Method origin paper](<{_SITE}/paper/{result.origin}.md>)")
    blocks += [f"[Implementation](<{url}>)" for url in result.implementations]
    blocks.append(f"Recorded evaluation configuration: {result.configuration}. {_NOT_REPRODUCED}")


def _made_odd(oddity: str, result: Result, value: str) -> tuple[tuple[Result, str], tuple[Result, str]]:
    """Return what the table row and the section of a result say where it is the odd one of its page."""
    same = (result, value)
    if oddity == "value-not-a-number":
        return (result, f"{value} (est.)"), (result, f"{value} (est.)")
    if oddity == "bad-date":
        return (replace(result, date="spring 2024"), value), same
    if oddity == "value-disagrees":
        return (result, "101.5"), same
    if oddity == "label-disagrees":
        return (replace(result, label=f"{result.label} (ours)"), value), same
    if oddity == "bad-address":
        return same, (replace(result, implementations=("https://example.org/{user}/code",)), value)
    if oddity == "unreadable-configuration":
        return same, (replace(result, configuration='{"Backbone":"ResNet-50","Tuning'), value)
    return same, same


def main() -> None:
    """Write a collection as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.pages", description="Write made pages of sota2.")
    parser.add_argument("folder")
    parser.add_argument("count", type=int)
    parser.add_argument("--start", type=int, default=0, help="begin with this page of the collection")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--oddities", type=float, default=SHARE_OF_ODDITIES, metavar="SHARE", help="share of odd pages")
    asked = parser.parse_args()
    size = write_pages(asked.folder, asked.count, start=asked.start, seed=asked.seed, oddities=asked.oddities)
    sys.stdout.write(f"{asked.count - asked.start} pages, {size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
