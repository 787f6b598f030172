"""Keys and IRIs: the same words give the same key, whatever the base, the order or the machine.

A key is the source's own id where that is a plain token; otherwise a cosmetic ASCII slug and the
first hex digits of the SHA-256 of an RFC 8785 JSON array that names the thing. Scopes in that
array are keys, never IRIs, so a change of base changes no key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring
from typing import NamedTuple

from kg.errors import Misuse
from kg.model import Lines
from kg.vocabulary import DEFAULT_BASE

__all__ = [
    "Identifiers",
    "benchmark_key",
    "check_base",
    "comparison_key",
    "configuration_key",
    "hashed",
    "method_key",
    "metric_key",
    "named_key",
    "parameter_fragment",
    "score_key",
    "slug",
    "snapshot_key",
    "source_key",
    "view_key",
]

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")
_BASE = re.compile(
    r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?/(?:(?!\.\.?/)[A-Za-z0-9._~-]+/)*\Z"
)
_SHORT, _LONG = 10, 16
_NO_WORD = re.compile("[^a-z0-9]+")
_SLUG = 60


def check_base(base: str) -> None:
    """Raise ``Misuse`` for a base that makes no IRIs.

    >>> check_base("https://example.org/bench/")
    """
    if not _BASE.match(base):
        raise Misuse(f"The base (--base) {base!r} makes no IRIs: give an http(s) address that ends in a slash.")


def hashed(*parts: str | int, digits: int = _SHORT) -> str:
    """Return the first hex digits of the SHA-256 of the RFC 8785 array of the parts.

    Of texts and whole numbers alone, that array is what JSON writers write without spaces: they escape
    the quote, the backslash and the controls alike.

    >>> hashed("task", "Selective Classification")
    '7516009209'
    """
    array = ",".join([encode_basestring(part) if isinstance(part, str) else str(part) for part in parts])
    return hashlib.sha256(f"[{array}]".encode()).hexdigest()[:digits]


@lru_cache(256)
def slug(name: str) -> str:
    """Return the cosmetic part of a key: ASCII, at most 60 characters, may be empty.

    Transliteration is pinned to one library here, since slugify alone would use whichever is
    installed and give other keys on another machine. Where a text is ASCII and holds neither what may be
    an HTML entity nor a comma between digits, all that is left of slugify is the dashes.

    >>> slug("Δ-KNN"), slug("∆"), slug("Q&amp;A of 1,000")
    ('d-knn', '', 'q-a-of-1000')
    """
    ascii_name = name
    if not name.isascii():
        from text_unidecode import unidecode

        ascii_name = unidecode(name)
    if "&" in ascii_name or "," in ascii_name:
        from slugify import slugify

        return slugify(ascii_name, max_length=_SLUG)
    return _NO_WORD.sub("-", ascii_name.lower()).strip("-")[:_SLUG].rstrip("-")


def named_key(kind: str, name: str, *scope: str | int) -> str:
    """Return ``{slug}-{10 hex}`` of ``[kind, name, *scope]``.

    >>> named_key("dataset", "ImageNet V2 Original (test)")
    'imagenet-v2-original-test-48cbe8b609'
    """
    return f"{slug(name)}-{hashed(kind, name, *scope)}"


def source_key(kind: str, identifier: str) -> str:
    """Return the source's own id where it is a plain token, a slug and hash of it otherwise.

    >>> source_key("paper", "68fa64e41e209131cea0731a")
    '68fa64e41e209131cea0731a'
    """
    plain = (identifier.isascii() and identifier.isalnum()) or _TOKEN.match(identifier)
    return identifier if plain else named_key(kind, identifier)


def benchmark_key(url: str) -> str:
    """Return the key of the benchmark whose page has this address: its last path segment.

    >>> benchmark_key("https://www.sota2.com/research/sota/corrosion-grading-on-rustplates-2-val")
    'corrosion-grading-on-rustplates-2-val'
    """
    path = url.partition("#")[0].partition("?")[0].rstrip("/")
    return source_key("benchmark", path.rsplit("/", 1)[-1])


def metric_key(name: str, benchmark: str) -> str:
    """Return the key of a metric of one benchmark (given by its key).

    >>> metric_key("Metric A", "selective-classification-on-imagenet-v2-original-test")
    'metric-a-5ebb1270f1'
    """
    return named_key("metric", name, benchmark)


def method_key(name: str, scope: str) -> str:
    """Return the key of a method: its name within its origin paper, else the reporting paper, else the benchmark.

    >>> method_key("MSP", "68fa64e41e209131cea0731a"), method_key("Δ-KNN", "68fa78a61e209131cea79954")
    ('msp-2985ca488a', 'd-knn-af48bab956')
    """
    return named_key("method", name, scope)


def configuration_key(canonical_json: str) -> str:
    """Return the key of a configuration: 16 hex of the SHA-256 of its RFC 8785 text."""
    return hashlib.sha256(canonical_json.encode()).hexdigest()[:_LONG]


def parameter_fragment(pointer: str) -> str:
    """Return the fragment of one leaf of a configuration, by its RFC 6901 pointer.

    >>> parameter_fragment("/Pre-training Source")
    'pre-training-source-fdd123c9b0'
    """
    return named_key("parameter", pointer)


def comparison_key(metric_name: str, benchmark: str, configuration: str) -> str:
    """Return the key of the scores that are alike in benchmark, metric and configuration.

    >>> comparison_key("Metric A", "selective-classification-on-imagenet-v2-original-test", "a794cd45d34f7d67")
    '071d6af374054db1'
    """
    return hashed("comparison", metric_name, benchmark, configuration, digits=_LONG)


def score_key(result: str, metric: str) -> str:
    """Return the key of a result's score on a metric (both given by key): the metric adds its hash alone.

    >>> score_key("699a67995698665ec4efe4ba", "metric-a-5ebb1270f1")
    '699a67995698665ec4efe4ba-5ebb1270f1'
    """
    return f"{result}-{metric[-_SHORT:]}"


def snapshot_key(sha256: str) -> str:
    """Return the key of a state of a page: 16 hex of the SHA-256 of its bytes."""
    return sha256[:_LONG]


def view_key(metric_name: str, benchmark: str, page_number: int) -> str:
    """Return the key of what one page shows: a metric of a benchmark, and the page's number.

    >>> view_key("Metric A", "selective-classification-on-imagenet-v2-original-test", 1)
    'metric-a-014c33d9b9'
    """
    return named_key("view", metric_name, benchmark, page_number)


class Identifiers(NamedTuple):
    """Mints the terms (N-Triples text) of one source's nodes under one base.

    >>> Identifiers("sota2").node("task", "selective-classification-7516009209")
    '<https://w3id.org/benchkg/id/sota2/task/selective-classification-7516009209>'
    """

    source: str
    base: str = DEFAULT_BASE

    def node(self, kind: str, key: str) -> str:
        """Return the term of a node of this source."""
        return f"<{self.base}{self.source}/{kind}/{key}>"

    def configuration(self, key: str) -> str:
        """Return the term of a configuration, which is the same whoever records it."""
        return f"<{self.base}configuration/{key}>"

    def parameter(self, configuration: str, pointer: str) -> str:
        """Return the term of one leaf of a configuration."""
        return f"<{self.base}configuration/{configuration}#{parameter_fragment(pointer)}>"

    def quotations(self, snapshot: str) -> Callable[[Lines], str]:
        """Return a function from lines of a snapshot to their term, which ends in an RFC 5147 fragment."""
        start = f"<{self.base}{self.source}/snapshot/{snapshot}#line="
        return lambda lines: f"{start}{lines.first - 1},{lines.last}>"

    def graph(self, name: str) -> str:
        """Return the term of one of the graphs beside the views: meta, alignment, ontology."""
        return f"<{self.base}graph/{name}>"
