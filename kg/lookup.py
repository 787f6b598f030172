"""From the names people use to the one node they mean: a label, a source's id, a slug or an IRI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from kg.errors import AmbiguousName, UnknownName

__all__ = ["Named", "resolve", "unbracketed"]

_SUGGESTIONS = 3
_LISTED = 12
_BRACKETED = re.compile(r"<[^<>\s]*:[^<>\s]*>")


@dataclass(frozen=True, slots=True)
class Named:
    """A node and the names it goes by; ``where`` says in words which of several of one name it is."""

    iri: str
    label: str = ""
    identifier: str = ""
    page: str = ""
    where: str = ""

    @property
    def key(self) -> str:
        """The last part of the IRI."""
        return self.iri.rsplit("/", 1)[-1]

    def __str__(self) -> str:
        return f"{self.iri}  {self.label or self.identifier}{f'  ({self.where})' if self.where else ''}"


def unbracketed(name: str) -> str:
    """Return the IRI in angle brackets that a name is; any other name as it is.

    >>> unbracketed(" <https://w3id.org/x> "), unbracketed("Ours <b>")
    ('https://w3id.org/x', 'Ours <b>')
    """
    name = name.strip()
    return name[1:-1] if _BRACKETED.fullmatch(name) else name


def resolve(name: str, nodes: Sequence[Named], kind: str) -> str:
    """Return the IRI of the node that a name means.

    An IRI, an id or a key names at most one node, and wins over a label; a label is compared as it
    is written, and without regard to case only where nothing is written so. Raises ``UnknownName``
    with near names, ``AmbiguousName`` with the candidates. ``kind`` says in words what is sought.

    >>> resolve("KNN", [Named("https://w3id.org/x/knn-1", "KNN")], "method")
    'https://w3id.org/x/knn-1'
    """
    wanted = name.strip()
    if not wanted:
        raise UnknownName(f"an empty name names no {kind}")
    bare = unbracketed(wanted)
    tests = (
        lambda node: bare in (node.iri, node.page),
        lambda node: wanted in (node.identifier, node.key),
        lambda node: wanted == node.label,
        lambda node: wanted.casefold() == node.label.casefold(),
        lambda node: wanted and node.key.rpartition("-")[0] == wanted,
    )
    for test in tests:
        found = {node.iri: node for node in nodes if test(node)}
        if len(found) == 1:
            return next(iter(found))
        if found:
            listed = [str(node) for _, node in sorted(found.items())]
            more = f"\n  and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
            raise AmbiguousName(
                f"{name!r} names {len(listed)} {kind}s; say which by its IRI or the last part of it, "
                "or narrow it to one benchmark:\n  " + "\n  ".join(listed[:_LISTED]) + more,
                tuple(sorted(found)),
            )
    names = sorted({text for node in nodes for text in (node.label, node.identifier, node.key) if text})
    if "://" in bare:
        raise UnknownName(f"{bare} is no {kind} of this graph, nor the page of one")
    near = tuple(get_close_matches(wanted, names, _SUGGESTIONS, 0.6))
    if near:
        hint = f"; did you mean {' or '.join(map(repr, near))}?"
    elif names:
        hint = f"; there are {len({node.iri for node in nodes})}, for example {names[0]!r}"
    else:
        hint = "; there is none at all"
    raise UnknownName(f"there is no {kind} named {name!r}{hint}", near)
