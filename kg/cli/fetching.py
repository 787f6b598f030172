"""``kg fetch``: from an address into the archive, and what ``kg build`` shares of it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from kg import api
from kg.cli import INTERRUPTED
from kg.cli.options import DEFAULT_STORE, Quiet
from kg.cli.output import check_writable, is_quiet, say, write
from kg.errors import Misuse

if TYPE_CHECKING:
    from kg.fetching import Report, Request, Tally

__all__ = [
    "DEPTH",
    "MAX_PAGES",
    "RATE",
    "DepthOption",
    "Fetching",
    "LogOption",
    "MaxAgeOption",
    "MaxPagesOption",
    "NoPapersOption",
    "OnlyOption",
    "RateOption",
    "TimeLimitOption",
    "add_to",
]

_NAMED = 5
DEPTH, MAX_PAGES, RATE = 8, 100_000, 5.0

DepthOption = Annotated[
    int, typer.Option("--depth", help="How many links to follow from the address; 0 is that page alone.", metavar="N")
]
MaxPagesOption = Annotated[int, typer.Option("--max-pages", help="The most pages to ask for.", metavar="N")]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="Follow links alone whose address, or its last part, matches a quoted pattern; may be repeated.",
        metavar="GLOB",
    ),
]
NoPapersOption = Annotated[bool, typer.Option("--no-papers", help="Leave out the pages of papers.")]
RateOption = Annotated[float, typer.Option("--rate", help="Requests a second to one host.", metavar="N")]
MaxAgeOption = Annotated[
    float,
    typer.Option("--max-age", help="Ask for no page again that was asked for less than this ago.", metavar="SECONDS"),
]
TimeLimitOption = Annotated[
    float, typer.Option("--time-limit", help="Stop after this time; the same command goes on.", metavar="SECONDS")
]
LogOption = Annotated[
    Path | None,
    typer.Option("--log", help="Add one line of JSON a request to this file (- is standard output).", metavar="FILE"),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(no_args_is_help=True)(fetch)


@dataclass(frozen=True, slots=True)
class Fetching:
    """How an address is fetched, as the options say."""

    depth: int = DEPTH
    max_pages: int = MAX_PAGES
    only: tuple[str, ...] = ()
    papers: bool = True
    rate: float = RATE
    max_age: float = 0.0
    time_limit: float = 0.0
    log: Path | None = None
    dry: bool = False
    tells_failures: bool = True

    def __call__(self, url: str, archive: Path) -> Report:
        """Fetch an address into an archive, with a bar on a terminal, a log if asked for, and a summary."""
        from kg.fetching import Bounds, Manners

        bounds = Bounds(self.depth, self.max_pages, self.only, self.papers, self.max_age, self.time_limit)
        manners = Manners(rate=self.rate)
        with _log(self.log) as told, _Bar() as bar:
            report = api.fetch(url, archive, bounds, manners, dry=self.dry, told=told, moved=bar.move)
        if self.tells_failures:
            for failure in report.failures:
                say(f"{failure}", style="red", always=True)
        _tell(report, archive, dry=self.dry)
        return report


def fetch(
    url: Annotated[str, typer.Argument(help="The address of a page, a benchmark or an llms.txt.", metavar="URL")],
    archive: Annotated[
        Path | None,
        typer.Option("--archive", help="The folder to keep pages in; else the one beside the store.", metavar="FOLDER"),
    ] = None,
    store: Annotated[
        Path, typer.Option("--store", envvar="KG_STORE", help="The store that the archive is beside.", metavar="FOLDER")
    ] = DEFAULT_STORE,
    depth: DepthOption = DEPTH,
    max_pages: MaxPagesOption = MAX_PAGES,
    only: OnlyOption = None,
    no_papers: NoPapersOption = False,
    rate: RateOption = RATE,
    max_age: MaxAgeOption = 0.0,
    time_limit: TimeLimitOption = 0.0,
    log: LogOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask for the first page alone, and print what would be asked for.")
    ] = False,
    _quiet: Quiet = False,
) -> None:
    """Fetch a page, a benchmark or a whole collection into the archive.

    An llms.txt leads to benchmarks, a benchmark to its metrics, its further pages and its papers. A page that the
    archive has is asked for with its validators, and costs no more where it has not changed. A page that is gone stays
    in the archive. What was stopped is gone on with by the same command.

    Example: kg fetch https://www.sota2.com/research/llms.txt --max-pages 500

    Example: kg fetch https://www.sota2.com/research/llms.txt --only '*imagenet*' --dry-run
    """
    place = archive or Path(f"{store}-archive")
    if place.is_file():
        raise Misuse(f"--archive {place} is a file, and an archive is a folder. Name another.")
    fetching = Fetching(depth, max_pages, tuple(only or ()), not no_papers, rate, max_age, time_limit, log, dry_run)
    try:
        report = fetching(url, place)
    except KeyboardInterrupt:
        say(f"Interrupted; what came is in {place}, and the same command goes on from there.", always=True)
        raise typer.Exit(INTERRUPTED) from None
    if dry_run:
        write("".join(f"{it.what}\t{it.kind}\t{it.depth}\t{it.url}\n" for it in report.plan))
    raise typer.Exit(report.exit_code)


def _tell(report: Report, archive: Path, *, dry: bool) -> None:
    from kg.fetching import Came

    for pages, what in (
        ([page.url for page in report.that_came(Came.GONE)], "gone (404 or 410); their last state is kept"),
        ([page.url for page in report.unknown], "of no known kind; they are kept and nothing is read from them"),
        (report.passed, "addresses of the site that are no such pages; they were not followed"),
    ):
        if pages:
            more = f" and {len(pages) - _NAMED} more" if len(pages) > _NAMED else ""
            say(f"{len(pages)} {what}: {', '.join(pages[:_NAMED])}{more}.", style="yellow")
    if report.beyond:
        say(f"{report.beyond} links lie beyond --depth or --max-pages.", style="yellow")
    if report.elsewhere:
        say(f"{report.elsewhere} links lead to other sites; they were not followed.")
    if report.left:
        say(f"The time was up with {report.left} pages left; the same command goes on.", style="red", always=True)
    if dry:
        say(f"{len(report.plan)} pages are known to {archive} and to the first page; nothing was written.")
        return
    counts = [(len(report.that_came(came)), str(came)) for came in Came] + [(len(report.failures), "failed")]
    said = ", ".join(f"{count} {word}" for count, word in counts if count) or "nothing"
    cost = f"{report.requests} requests, {report.received / 1e6:.1f} MB, {report.seconds:.1f} s"
    say(f"Fetched {report.start} into {archive}: {said} ({cost}).")


@contextmanager
def _log(path: Path | None) -> Iterator[Callable[[Request], None]]:
    """Give what writes a request down, each as one line at once."""
    if path is None:
        yield lambda _: None
        return
    if str(path) != "-":
        check_writable(path)
    with nullcontext(sys.stdout) if str(path) == "-" else path.open("a", encoding="utf-8") as file:

        def told(request: Request) -> None:
            file.write(f"{json.dumps(asdict(request), ensure_ascii=False)}\n")
            file.flush()

        yield told


class _Bar:
    """Pages, bytes, rate and failures on a terminal; nothing elsewhere."""

    def __init__(self) -> None:
        self._bar: Any = None
        if is_quiet() or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        text = TextColumn("{task.fields[received]} MB, {task.fields[rate]} pages/s, {task.fields[failed]} failed")
        screen = Console(stderr=True, color_system=None if os.environ.get("NO_COLOR") else "auto")
        columns = (TextColumn("Fetching"), BarColumn(), MofNCompleteColumn(), text, TimeElapsedColumn())
        self._bar = Progress(*columns, console=screen, transient=True)
        self._task = self._bar.add_task("", total=None, received="0.0", rate="0.0", failed=0)

    def move(self, tally: Tally) -> None:
        """Show how far it has come."""
        if self._bar:
            elapsed = self._bar.tasks[0].elapsed or 0.0
            self._bar.update(
                self._task,
                total=tally.found,
                completed=tally.done,
                received=f"{tally.received / 1e6:.1f}",
                rate=f"{tally.done / elapsed:.1f}" if elapsed else "0.0",
                failed=tally.failed,
            )

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
