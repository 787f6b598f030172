"""What bounds a fetch, and how politely it asks."""

from __future__ import annotations

from dataclasses import dataclass

from kg.errors import Misuse

__all__ = ["MAX_BYTES", "Bounds", "Manners"]

MAX_BYTES = 8 * 1024 * 1024
"""The decoded size beyond which an answer is taken for no page."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a fetch goes from where it starts.

    ``depth`` counts links: 0 is the page alone. ``only`` are patterns as of a shell, one of which an address
    has to match (that of the start and of indexes need not). ``max_age`` is the age in seconds up to which a page in
    the archive is not asked for again; ``seconds`` the time of the whole run, 0 for as long as it takes.
    """

    depth: int = 8
    max_pages: int = 100_000
    only: tuple[str, ...] = ()
    papers: bool = True
    max_age: float = 0.0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Raise ``Misuse`` for a bound that is none."""
        for name, value, least in (
            ("depth", self.depth, 0),
            ("max-pages", self.max_pages, 1),
            ("max-age", self.max_age, 0),
            ("time-limit", self.seconds, 0),
        ):
            if not value >= least:
                raise Misuse(f"--{name} {value:g} bounds nothing; give {least} or more.")


@dataclass(frozen=True, slots=True)
class Manners:
    """How a server is asked: times are seconds, ``rate`` is requests a second and host.

    A request that failed for a reason that may pass is tried ``attempts`` times, after a wait that doubles from
    ``first_wait`` and is drawn longer at random; a wait that a server asks for is kept up to ``longest_wait``.
    """

    rate: float = 5.0
    connections: int = 4
    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0
    step_seconds: float = 20.0
    page_seconds: float = 120.0
    max_bytes: int = MAX_BYTES

    def __post_init__(self) -> None:
        """Raise ``Misuse`` for a rate that would never ask."""
        if not 0 < self.rate <= 10_000:
            raise Misuse(f"--rate {self.rate:g} is no number of requests a second; give one above 0, such as 5.")
