"""The commands by name: what ``kg --help`` says of each, and the module that is imported when it is called.

A command line is one process a question; what a question does not need is not loaded for it.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from kg.cli.loading import loading

if TYPE_CHECKING:
    from typer._click import Command, HelpFormatter, Parameter

__all__ = ["COMMANDS", "Commands"]


class Listed(NamedTuple):
    """A command that is not loaded yet: the module that holds it, and the first sentence of its help."""

    module: str
    sentence: str


COMMANDS = MappingProxyType(
    {
        "build": Listed("building", "Read benchmark pages, validate them and load them into a store."),
        "fetch": Listed("fetching", "Fetch a page, a benchmark or a whole collection into the archive."),
        "remove": Listed("removing", "Take pages out of a store: all of a benchmark, or one view."),
        "validate": Listed("validating", "Check a graph against the SHACL shapes, then ask the quality queries of it."),
        "query": Listed("catalogue", "Ask a question of the catalogue, or any SPARQL query."),
        "queries": Listed(
            "catalogue",
            "List the questions of the catalogue, or describe one; -f json gives all that is known of them.",
        ),
        "leaderboard": Listed(
            "leaderboards", "Rank the recorded results of a benchmark: a table a configuration, never across."
        ),
        "compare": Listed(
            "answers",
            "Compare methods pair by pair: the difference where scores are alike, else what differs or is unknown.",
        ),
        "audit": Listed(
            "auditing",
            "Take the claim that a method is best on a benchmark apart, each sentence with the lines it rests on.",
        ),
        "trace": Listed(
            "answers",
            "Follow a number to its page, lines, text as printed, snapshot hash, papers and configuration.",
        ),
        "diff": Listed("differing", "Compare two graphs, or two days of one: what was added, removed or changed."),
        "history": Listed(
            "history",
            "Tell what became of a score, or of the best of a benchmark, over the states of pages in the archive.",
        ),
        "cite": Listed("citing", "Write one score as a nanopublication, or its sources as BibTeX."),
        "export": Listed(
            "graphs", "Write the graph in an RDF format, or its scores as a table; the same graph gives the same bytes."
        ),
        "info": Listed("graphs", "Count what the graph holds: pages, results, scores and the rest."),
        "prefixes": Listed("graphs", "Print the prefixes of the graph, to paste into a query or a Turtle file."),
        "analyse": Listed(
            "analysing",
            "Measure the graph: nodes of a networkx view, ranks of methods, or what its comparison groups leave open.",
        ),
    }
)
"""The commands in the order of ``kg --help``."""


class _Command(TyperCommand):
    """A command whose words are read without delay."""

    def get_params(self, ctx: Any) -> list[Parameter]:  # noqa: ANN401 - typer's own class has no public name
        """Return the parameters, the option of help among them."""
        return _Plain.taking_over(super().get_params(ctx))


class _Loaded(Mapping[str, "Command"]):
    """The commands, each made when it is asked for."""

    def __getitem__(self, name: str) -> Command:
        with loading():
            module = import_module(f"kg.cli.{COMMANDS[name].module}")
        part = typer.Typer(rich_markup_mode=None, add_completion=False)
        module.add_to(part)
        (info,) = (each for each in part.registered_commands if name == (each.name or _name(each.callback)))
        info.help = _unwrapped(inspect.getdoc(info.callback) or "")
        info.cls = _Command
        part.registered_commands = [info]
        return get_command(part)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(TyperGroup):
    """The root of the command line, which loads no command but the one that is called."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - those of typer
        super().__init__(**settings)
        self.commands = _Loaded()  # type: ignore[assignment] # nothing is ever added to it

    def get_params(self, ctx: Any) -> list[Parameter]:  # noqa: ANN401
        """Return the parameters, the option of help among them."""
        return _Plain.taking_over(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002
        """Return the names of the commands."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: HelpFormatter) -> None:  # noqa: ANN401, ARG002
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.sentence) for name, listed in COMMANDS.items()])


def _name(function: Any) -> str:  # noqa: ANN401
    return str(function.__name__)


def _unwrapped(text: str) -> str:
    r"""Return a help text in which lists and examples keep their lines, which the mark ``\b`` asks for.

    >>> _unwrapped("Measure it.\n\nMeasures:\n- one\n- two")
    'Measure it.\n\n\x08\nMeasures:\n- one\n- two'
    """
    return re.sub(r"^(?=Example: |(?!- )[^\n]+\n- )", "\b\n", text, flags=re.MULTILINE)


class _Plain:
    """What texts and paths on the command line mean, without the library that typer asks, which is slow to load.

    Any other value, and a path that cannot be read, is left to typer and its messages.
    """

    @classmethod
    def taking_over(cls, parameters: list[Parameter]) -> list[Parameter]:
        """Return parameters with this in the place of what typer makes for each at its first value."""
        for parameter in parameters:
            # Typer has no public place for it. Where a release has another private one, all is right and slower.
            if getattr(parameter, "_runtime_param", cls) is None:
                parameter._runtime_param = cls()  # type: ignore[attr-defined]  # noqa: SLF001
        return parameters

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401 - what typer hands on
        """Return the value of a parameter, of which the command line, the environment or the default gave ``value``."""
        many = param.multiple or param.nargs == -1
        kind = param.type_descriptor.annotation
        if value is None:
            return () if many else None
        if many and not isinstance(value, str) and get_args(kind):
            values, kind = list(value), get_args(kind)[0]
        else:
            values, many = [value], False
        if kind is Path:
            values = [Path(each) for each in values]
        if kind not in {str, Path} or not all(map(_fits, values)):
            param._runtime_param = None  # noqa: SLF001
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
        return values if many else values[0]


def _fits(value: object) -> bool:
    if isinstance(value, Path):
        # Path.exists raises where a name is too long.
        return not os.path.exists(value) or os.access(value, os.R_OK)  # noqa: PTH110
    return isinstance(value, str)
