"""What came of a fetch: pages, what is gone, what failed and why, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from kg.errors import FetchError
from kg.fetching.links import Kind

__all__ = ["Came", "Failure", "Page", "Planned", "Report", "Tally"]


class Came(StrEnum):
    """How a page came."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Page:
    """A page that the archive has now, or of a page that is gone, its last state; ``sought`` where a user named it."""

    url: str
    sha256: str
    kind: Kind
    came: Came
    sought: bool = False

    @property
    def is_readable(self) -> bool:
        """Whether there is something to be read from it now: it is there, and no mere list of pages."""
        return self.came is not Came.GONE and self.kind is not Kind.INDEX


@dataclass(frozen=True, slots=True)
class Failure:
    """An address that gave no page, why, and the page that links to it or ``""``."""

    url: str
    reason: str
    linked_from: str = ""

    def __str__(self) -> str:
        where = f" (linked from {self.linked_from})" if self.linked_from else ""
        return f"{self.url}: {self.reason}{where}"


@dataclass(frozen=True, slots=True)
class Planned:
    """An address that a fetch would ask for: ``fetch``, ``check`` with validators, ``keep`` without asking."""

    what: str
    url: str
    kind: Kind
    depth: int


@dataclass(slots=True)
class Tally:
    """How far a fetch has come: pages found so far and done with, decoded bytes received, failures."""

    found: int = 0
    done: int = 0
    received: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a fetch, each list by address.

    ``left`` is how many known pages were not asked for because the time of the run was up; ``beyond``, how many
    links the bounds left out; ``elsewhere``, how many lead to other sites; ``passed`` are addresses of
    the site itself that are no pages of the kinds sought. ``plan`` is what a dry run found, in order.
    """

    start: str
    pages: tuple[Page, ...] = ()
    failures: tuple[Failure, ...] = ()
    passed: tuple[str, ...] = ()
    beyond: int = 0
    elsewhere: int = 0
    left: int = 0
    requests: int = 0
    received: int = 0
    seconds: float = 0.0
    plan: tuple[Planned, ...] = field(default=(), repr=False)

    def that_came(self, came: Came) -> tuple[Page, ...]:
        """Return the pages that came in one way."""
        return tuple(page for page in self.pages if page.came is came)

    @property
    def unknown(self) -> tuple[Page, ...]:
        """The pages that are of no known kind: they are kept, and nothing is read from them."""
        return tuple(page for page in self.pages if page.kind is Kind.UNKNOWN)

    @property
    def exit_code(self) -> int:
        """3 where a page did not come, else 0."""
        return FetchError.exit_code if self.failures or self.left else 0
