"""``kg audit``: the claim that a method is best, sentence by sentence with its places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated

import typer

from kg import api
from kg.claims import TOPICS, Audit, Evidence
from kg.cli.options import DEFAULT_STORE, Quiet, StoreOption, form_of, format_option, open_store
from kg.cli.output import write
from kg.cli.tables import as_json, marked, shown
from kg.quality import line_range

__all__ = ["add_to"]

FORMATS = ("text", "md", "json")
_MOST = 4  # places that are told one by one under a sentence


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(no_args_is_help=True)(audit)


def audit(
    method: Annotated[str, typer.Argument(help="A method: name, last part of the IRI, or IRI.", metavar="METHOD")],
    benchmark: Annotated[
        str, typer.Option("--benchmark", "-b", help="The benchmark: its name, last part of its address, or IRI.")
    ],
    metric: Annotated[str, typer.Option("--metric", "-m", help="One metric; else each the method has scores on.")] = "",
    form: Annotated[str | None, format_option(f"{', '.join(FORMATS)}; else text.")] = None,
    store: StoreOption = DEFAULT_STORE,
    _quiet: Quiet = False,
) -> None:
    """Take the claim that a method is best on a benchmark apart, each sentence with the lines it rests on.

    Under which configurations it has the best recorded score, with whom it can be compared, whose numbers come from
    one paper, whose method it is, how complete the leaderboard is, and what casts doubt on it.

    Example: kg audit PLF --benchmark out-of-distribution-detection-on-imagenet-1k-resnet-50-test
    """
    chosen = form_of(form, None, FORMATS, "text")
    with open_store(store) as graph:
        found = api.audit(graph, method, benchmark, metric=metric)
    if chosen == "json":
        write(as_json(found))
        return
    for place, each in enumerate(found):
        write("\n" if place else "")
        write("".join(f"{line}\n" for line in _told(each, chosen)))


def _told(audit: Audit, form: str) -> Iterator[str]:
    mark, item, below, apart = ("# ", "- ", "  - ", True) if form == "md" else ("", "  ", "    ", False)
    told = marked if form == "md" else _plainly
    name, metric, board = map(told, (audit.method_label, audit.metric_label, audit.benchmark_label))
    yield f"{mark}Is {name} the best on {board} by {metric}?"
    if audit.unit_text or audit.direction_text:
        yield from [""] * apart
        yield told(", ".join(text for text in (audit.unit_text, audit.direction_text) if text))
    for topic, sentences in groupby(audit.sentences, key=lambda sentence: sentence.topic):
        yield ""
        yield f"{mark and '#'}{mark}{TOPICS[topic]}"
        yield from [""] * apart
        for sentence in sentences:
            yield f"{item}{told(sentence.text)}"
            yield from (f"{below}{line}" for line in _places(sentence.evidence, form))


def _plainly(text: str) -> str:
    return shown(text, {})


def _places(evidence: Sequence[Evidence], form: str) -> Iterator[str]:
    """Yield where a sentence comes from: of each node and page its lines."""
    groups = [
        (node, page, [line_range(each.lines) for each in places if each.lines])
        for (node, page), places in groupby(evidence, key=lambda each: (each.node, each.page))
    ]
    for node, address, lines in groups[:_MOST]:
        page = f"<{address}>" if address and form == "md" else address  # an autolink of CommonMark
        where = f"{', '.join(dict.fromkeys(lines))} of {page}" if page and lines else page or "in the graph"
        yield shown(f"[{node.rsplit('/', 1)[-1]}: {where}]", {})
    if len(groups) > _MOST:
        yield f"[and {len(groups) - _MOST} more; -f json has all]"
