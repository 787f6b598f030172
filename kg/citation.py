"""One score to be cited: as a nanopublication, and its sources as BibTeX.

The nanopublication has the four graphs of the guidelines (https://nanopub.net/guidelines/working_draft/), without a
trusty URI: its names say which score in which states of its pages. Both forms are functions of the graph; the
clock plays no part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.errors import Misuse
from kg.terms import lexical, literal
from kg.vocabulary import BK, DCT, FOAF, NP, OWL, PROV, RDF, RDFS, XSD

__all__ = ["Citation", "Facts", "bibtex", "citation", "nanopublication"]

_ASSERTION, _PROVENANCE = "assertion", "provenance"

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Facts:
    """The triples of one score, as N-Triples terms: what is asserted, and where it was read; each sorted."""

    score: str
    result: str
    assertion: tuple[Triple, ...]
    provenance: tuple[Triple, ...]

    def objects(self, subject: str, predicate: str) -> list[str]:
        """Return what is stated of a node."""
        return [o for s, p, o in (*self.assertion, *self.provenance) if (s, p) == (subject, predicate)]

    def text(self, subject: str, predicate: str) -> str:
        """Return the first text that is stated of a node, empty where there is none."""
        return next((lexical(each) for each in self.objects(subject, predicate)), "")

    @property
    def snapshots(self) -> list[str]:
        """The states of pages that state the score, sorted."""
        return sorted({o for _, p, o in self.provenance if p == DCT.isPartOf and self._is_snapshot(o)})

    def _is_snapshot(self, node: str) -> bool:
        return BK.PageSnapshot in self.objects(node, RDF.type)


@dataclass(frozen=True, slots=True)
class Citation:
    """A score as N-Quads lines of its nanopublication (sorted, without line ends), and as a text of BibTeX."""

    score: str
    nanopublication: tuple[str, ...]
    bibtex: str


def citation(
    rows: Iterable[Sequence[str | None]], columns: Sequence[str], visited: Mapping[str, str], version: str
) -> Citation:
    """Return the citation of a score from the rows of ``provenance/facts-of-a-score``, as N-Triples terms.

    ``visited`` is when a page was fetched from its address, by the SHA-256 of its state. Raises Misuse where the rows
    are of no score or of several.
    """
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    metrics = {row["score"]: row["metric"] for row in named}
    if not metrics:
        raise Misuse("There is no such score to cite: the result has none on this metric.")
    if len(metrics) > 1:
        listed = "".join(f"\n  {lexical(metric or '')}" for metric in sorted(metrics.values(), key=str))
        raise Misuse(f"The result has {len(metrics)} scores; say which with --metric:{listed}")

    def part(name: str) -> tuple[Triple, ...]:
        of_part = (row for row in named if row["part"] == literal(name))
        return tuple(sorted({(str(row["subject"]), str(row["predicate"]), str(row["object"])) for row in of_part}))

    first = named[0]
    facts = Facts(str(first["score"]), str(first["result"]), part(_ASSERTION), part(_PROVENANCE))
    return Citation(facts.score[1:-1], tuple(nanopublication(facts, version)), bibtex(facts, visited))


# The nanopublication


def nanopublication(facts: Facts, version: str) -> list[str]:
    """Return the sorted N-Quads lines of the nanopublication of a score.

    Its name and those of its graphs are that of the score with a fragment, which names the states of pages that the
    score was read from: another state makes another nanopublication. It is created when the newest of these
    states was updated, and not dated where no page says. No licence is stated, since no page states one.
    """
    stem = f"{facts.score[:-1]}#{'-'.join(_key(it) for it in facts.snapshots)}"
    whole, head = f"{stem}>", f"{stem}.Head>"
    assertion, provenance, about = (f"{stem}.{name}>" for name in (_ASSERTION, _PROVENANCE, "pubinfo"))
    agent = f"{stem}.software>"
    papers = facts.objects(facts.result, BK.reportedIn)
    sources = [(assertion, PROV.wasDerivedFrom, it) for it in (*facts.snapshots, *papers)]
    quotations = sorted({o for s, p, o in facts.provenance if p == PROV.wasQuotedFrom and s == facts.score})
    sources += [(assertion, PROV.wasQuotedFrom, it) for it in quotations]
    created = sorted(
        (time for it in facts.snapshots for time in facts.objects(it, DCT.modified)),
        key=lambda time: lexical(time).removesuffix("Z"),
    )
    published = [
        (whole, DCT.created, literal(lexical(created[-1]), XSD.dateTime)) if created else None,
        (whole, PROV.wasAttributedTo, agent),
        (agent, RDF.type, PROV.SoftwareAgent),
        (agent, RDFS.label, literal("benchkg")),
        (agent, OWL.versionInfo, literal(version)),
    ]
    graphs: dict[str, Iterable[Triple]] = {
        head: [
            (whole, RDF.type, NP.Nanopublication),
            (whole, NP.hasAssertion, assertion),
            (whole, NP.hasProvenance, provenance),
            (whole, NP.hasPublicationInfo, about),
        ],
        assertion: facts.assertion,
        provenance: [*facts.provenance, *sources],
        about: [triple for triple in published if triple],
    }
    return sorted({f"{' '.join(triple)} {graph} ." for graph, triples in graphs.items() for triple in triples})


def _key(node: str) -> str:
    return node[1:-1].rsplit("/", 1)[-1]


# BibTeX

_SPECIAL = {
    "\\": r"{\textbackslash}",
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"{\textasciicircum}",
    "~": r"{\textasciitilde}",
}
_NOT_IN_KEYS = re.compile("[^A-Za-z0-9-]+")
# These would end the group that \url reads; in an address they may be written as codes.
_NOT_IN_ADDRESSES = re.compile(r"[\\{}\s\"<>^`|~]")


def bibtex(facts: Facts, visited: Mapping[str, str]) -> str:
    """Return the entries of the pages that state a score, and of its papers as far as they are recorded.

    A page has its title, address, time and SHA-256, and a day of retrieval only where one is on record
    (``visited``); a paper has a title only where the graph has one.
    """
    entries = [_page(facts, snapshot, visited) for snapshot in facts.snapshots]
    roles: dict[str, list[str]] = {}
    for paper in facts.objects(facts.result, BK.reportedIn):
        roles.setdefault(paper, []).append("reports the result")
    for method in facts.objects(facts.result, BK.method):
        for paper in facts.objects(method, BK.originPaper):
            roles.setdefault(paper, []).append("origin of the method")
    entries += [_paper(facts, paper, of_paper) for paper, of_paper in sorted(roles.items())]
    keys: set[str] = set()
    return "\n".join(_entry(_unique(key, keys), fields) for key, fields in entries)


def _page(facts: Facts, snapshot: str, visited: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    sha256 = facts.text(snapshot, BK.sha256)
    pages = facts.objects(snapshot, PROV.specializationOf)
    updated = facts.text(snapshot, BK.modifiedText)
    notes = [f"Data updated {_escaped(updated)}"] if updated else []
    fields = {
        "title": f"{{{_escaped(next((title for it in pages if (title := facts.text(it, DCT.title))), ''))}}}",
        "howpublished": next((_url(it[1:-1]) for it in pages), ""),
        "note": "; ".join([*notes, f"SHA-256 {sha256}"]),
        "urldate": visited.get(sha256, "").partition("T")[0],
    }
    return f"page-{_key(snapshot)}", fields


def _paper(facts: Facts, paper: str, roles: Sequence[str]) -> tuple[str, dict[str, str]]:
    title = facts.text(paper, DCT.title)
    address = facts.text(paper, FOAF.page)
    identifier = facts.text(paper, DCT.identifier)
    fields = {
        "title": f"{{{_escaped(title)}}}" if title else "",
        "howpublished": _url(address) if address else "",
        "note": f"Paper {_escaped(identifier)} of the source: {' and '.join(roles)}",
    }
    return f"paper-{_key(paper)}", fields


def _entry(key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value.strip("{}")]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}\n"


def _unique(key: str, keys: set[str]) -> str:
    """Return a key that BibTeX takes, and that no other entry has."""
    wanted = plain = _NOT_IN_KEYS.sub("-", key)
    number = 1
    while wanted.casefold() in keys:
        number += 1
        wanted = f"{plain}-{number}"
    keys.add(wanted.casefold())
    return wanted


def _escaped(text: str) -> str:
    r"""Return a text as a field of BibTeX holds it.

    >>> _escaped("R&D {5%} x_1")
    'R\\&D {\\textbraceleft}5\\%{\\textbraceright} x\\_1'
    """
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def _url(address: str) -> str:
    # All else stands in it as it is: \url reads per cents, hashes and underscores to the letter.
    encoded = _NOT_IN_ADDRESSES.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), address)
    return f"\\url{{{encoded}}}"
