"""From triples to networks: those of the CONSTRUCT of a view, or, for all relations, the lines of the graph."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from io import RawIOBase
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kg.analysis.networks import VIEWS, Form, Group, Network, Places, Texts, Weights, named
from kg.terms import Triple, lexical
from kg.vocabulary import BK, RDF, RDFS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Reader", "network"]

# https://www.w3.org/TR/xml/#charsets: what XML cannot carry would spoil GraphML and GEXF files.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OWN = f"<{BK.namespace}"
_FACTS = (BK.benchmark, BK.metric, BK.configuration, BK.canonicalJson, BK.unitText, BK.directionText)
_Edges: TypeAlias = "tuple[Places, Places, Places, Weights]"


def _local_name(address: str) -> str:
    """Return what stands after the last ``#`` or ``/`` of an IRI.

    >>> _local_name("https://w3id.org/benchkg/ns#reportedIn")
    'reportedIn'
    """
    return address[max(address.rfind("#"), address.rfind("/")) + 1 :]


def _preferred(term: str, other: str) -> str:
    """Return the class that a node of two classes is named by: one of our own, since the others are alignments."""
    own, other_own = term.startswith(_OWN), other.startswith(_OWN)
    if own is not other_own:
        return term if own else other
    return max(term, other) if own else min(term, other)


def _label(labels: Mapping[str, str], node: str) -> str:
    """Return the name of a node, in which U+FFFD stands for what XML cannot hold; else the end of its IRI."""
    label = labels.get(f"<{node}>", "")
    if label.endswith('"') and label.isprintable() and "\\" not in label:
        return label[1:-1] or _local_name(node)
    return (label and _NO_XML.sub("\ufffd", lexical(label))) or _local_name(node)


def _text(term: str) -> str:
    """Return the text of a literal as XML can hold it."""
    return _NO_XML.sub("\ufffd", lexical(term)) if term else ""


def _kind(classes: Mapping[str, str], node: str) -> str:
    return _class_name(classes.get(f"<{node}>", ""))


@cache
def _class_name(term: str) -> str:
    return _local_name(term[1:-1])


class Reader(RawIOBase):
    """Takes the triples of a view, in any order, some of them perhaps twice, and makes a network of them.

    It is a stream that N-Triples lines can be written to. Of a ``whole`` graph it takes the relations
    to nodes that have a class, and no terms of the vocabulary, as ``queries/graph/everything.rq`` does.
    Raises ``Misuse`` for a name that is not in ``VIEWS``.
    """

    def __init__(self, view: str, *, whole: bool = False) -> None:
        self._view = view
        self._form = named(VIEWS, "graph view", view)
        self._whole = whole
        self._classes: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        # Terms that are joined, and properties that join them, each with its number.
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._properties: defaultdict[str, int] = defaultdict(count().__next__)
        self._edges: tuple[list[int], list[int], list[int]] = ([], [], [])
        # Edges with a weight are stated by blank nodes: a part of each statement by its blank node.
        self._parts: dict[str, dict[str, str]] = {
            part: {} for part in (RDF.subject, RDF.predicate, RDF.object, RDF.value)
        }
        # What comparison groups, their metrics and configurations state: the least where they state several.
        self._facts: dict[str, dict[str, str]] = {fact: {} for fact in _FACTS} if self._form.compared else {}
        self._rest = b""

    def write(self, data: bytes) -> int:  # type: ignore[override] # no other buffer is written
        """Take lines of N-Triples, the last of which may go on in what is written next."""
        lines, end, rest = data.rpartition(b"\n")
        if end:
            text = (self._rest + lines).decode()
            self.add(line[:-2].split(" ", 2) for line in text.split("\n") if line)
            self._rest = rest
        else:
            self._rest += rest
        return len(data)

    def add(self, triples: Iterable[Sequence[str]]) -> None:
        """Take triples: subject, predicate and object as N-Triples terms."""
        classes, labels, numbers, properties, parts = (
            self._classes,
            self._labels,
            self._numbers,
            self._properties,
            self._parts,
        )
        add_source, add_relation, add_target = (numbers_of.append for numbers_of in self._edges)
        label, type_, facts = RDFS.label, RDF.type, self._facts
        for subject, predicate, value in triples:
            if subject[0] == "_":
                if predicate in parts:
                    parts[predicate][subject] = value
            elif predicate == type_:
                known = classes.setdefault(subject, value)
                if known != value:
                    classes[subject] = _preferred(known, value)
            elif predicate == label:
                if labels.setdefault(subject, value) > value:
                    labels[subject] = value
            elif predicate in facts:
                if facts[predicate].setdefault(subject, value) > value:
                    facts[predicate][subject] = value
            elif value[0] == "<" and value[1] != "<":
                add_source(numbers[subject])
                add_relation(properties[predicate])
                add_target(numbers[value])

    def network(self) -> Network:
        """Return the network of what was taken."""
        self.write(b"\n")  # the last line may have no end
        sources, relations, targets, weights = self._stated() if self._form.weighted else self._plain()
        terms = [*self._numbers, *(self._classes.keys() - self._numbers.keys())]
        wanted = np.ones(len(terms), dtype=np.bool_)
        if self._whole:
            foreign = _each(not term.startswith(_OWN) for term in terms)
            wanted = foreign & _each(map(self._classes.__contains__, terms))
            kept = foreign[sources] & wanted[targets]
            sources, relations, targets, weights = sources[kept], relations[kept], targets[kept], weights[kept]
        wanted[sources] = wanted[targets] = True
        chosen = np.flatnonzero(wanted)
        # IRIs sort otherwise than the terms they stand in, where one begins another.
        addresses = [terms[number][1:-1] for number in chosen.tolist()]
        order = sorted(range(len(addresses)), key=addresses.__getitem__)
        nodes = [addresses[place] for place in order]
        places = np.empty(len(terms), dtype=np.intp)
        places[chosen[order]] = np.arange(len(nodes))
        sources, targets = places[sources], places[targets]
        once = _once(self._form, sources, relations, targets)
        names = list(self._properties)
        used = sorted(set(relations.tolist()), key=names.__getitem__)
        renumbered = np.zeros(len(names), dtype=np.intp)
        renumbered[used] = np.arange(len(used))
        addresses = [names[number][1:-1] for number in used]
        compared = self._form.compared
        weights = weights[once]
        return Network(
            name=self._view,
            form=self._form,
            nodes=nodes,
            labels=Texts(nodes, partial(_label, self._labels)),
            kinds=Texts(nodes, partial(_kind, self._classes)),
            sources=sources[once],
            targets=targets[once],
            weights=(weights > 0).astype(np.float64) if compared else weights,
            relations=renumbered[relations[once]],
            properties=addresses if compared else _short(addresses),
            differences=weights if compared else None,
            groups=[self._group(address) for address in addresses] if compared else (),
        )

    def _group(self, address: str) -> Group:
        """Return what is known of a comparison group; nothing where the triples did not say."""

        def fact(property_: str, subject: str) -> str:
            return self._facts[property_].get(subject, "")

        term = f"<{address}>"
        benchmark, metric = fact(BK.benchmark, term), fact(BK.metric, term)
        return Group(
            group=address,
            benchmark=benchmark[1:-1],
            benchmark_label=_label(self._labels, benchmark[1:-1]),
            metric=metric[1:-1],
            metric_label=_label(self._labels, metric[1:-1]),
            unit_text=_text(fact(BK.unitText, metric)),
            direction_text=_text(fact(BK.directionText, metric)),
            configuration=_text(fact(BK.canonicalJson, fact(BK.configuration, term))),
        )

    def _plain(self) -> _Edges:
        sources, relations, targets = (np.array(numbers, dtype=np.intp) for numbers in self._edges)
        return sources, relations, targets, np.ones(len(sources))

    def _stated(self) -> _Edges:
        """Return the edges that blank nodes state: subject, predicate, object and a number."""
        subjects, predicates, objects, values = self._parts.values()
        weights = {value: float(lexical(value)) for value in set(values.values())}
        return (
            np.array([self._numbers[term] for term in subjects.values()], dtype=np.intp),
            np.array([self._properties[predicates[node]] for node in subjects], dtype=np.intp),
            np.array([self._numbers[objects[node]] for node in subjects], dtype=np.intp),
            np.array([weights[values[node]] for node in subjects]),
        )


def _each(answers: Iterable[bool]) -> NDArray[np.bool_]:
    return np.fromiter(answers, dtype=np.bool_)


def _once(form: Form, sources: Places, relations: Places, targets: Places) -> Places:
    """Return the places of the edges that are left when none comes twice."""
    size = max(int(part.max(initial=0)) + 1 for part in (sources, targets))
    ends = (sources, targets) if form.directed else (np.minimum(sources, targets), np.maximum(sources, targets))
    keys = ends[0] * size + ends[1]
    if form.parallel:
        keys = keys * (int(relations.max(initial=0)) + 1) + relations
    return np.unique(keys, return_index=True)[1]


def _short(addresses: Sequence[str]) -> list[str]:
    """Return the local names of properties; where two vocabularies use one name, the IRIs keep them apart."""
    shared = Counter(map(_local_name, addresses))
    return [name if shared[name := _local_name(address)] == 1 else address for address in addresses]


def network(name: str, triples: Iterable[Triple]) -> Network:
    """Return a view of the triples that the CONSTRUCT of the same name gives.

    ``triples`` are N-Triples terms. A plain triple between two nodes is an edge of ``everything``;
    the other views take edges stated by a blank node with ``rdf:subject``, ``rdf:predicate``,
    ``rdf:object`` and the weight as ``rdf:value``; of ``beats`` the predicate is the comparison group and the
    value the difference. Raises ``Misuse`` for a name that is not in ``VIEWS``.

    >>> tern, paper = "<https://example.org/tern>", "<https://example.org/paper>"
    >>> found = network("everything", [(tern, BK.originPaper, paper), (tern, BK.reportedIn, paper)])
    >>> found.nodes, found.sources.tolist(), found.targets.tolist(), found.properties
    (['https://example.org/paper', 'https://example.org/tern'], [1, 1], [0, 0], ['originPaper', 'reportedIn'])
    """
    reader = Reader(name)
    reader.add(triples)
    return reader.network()
