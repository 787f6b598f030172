"""Citations: one score as a nanopublication that RDF tools read, and its sources as BibTeX."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from real_pages import CASES, REAL

import kg
from kg.archive import Archive
from kg.citation import Facts, bibtex
from kg.cli import main
from kg.errors import Misuse
from kg.terms import literal
from kg.vocabulary import BK, DCT, FOAF, NP, PROV, RDF

MSP = "699a67995698665ec4efe4ba"  # of another's paper
PLF = "6998ed525698665ec451df8e"  # with a score on two metrics
FAR = CASES / "far-ood-auroc" / "page.md"


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cited")
    kg.build([*REAL, FAR], store=folder / "store").close()
    return folder / "store"


def run(monkeypatch, capsys, *arguments: str, code: int = 0) -> str:
    monkeypatch.setattr("sys.argv", ["kg", "cite", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    assert (end.value.code or 0) == code, said.err
    return said.out if code == 0 else said.err


def triples(quads: list[pyoxigraph.Quad], graph: str) -> set[tuple[str, str, str]]:
    return {
        (str(it.subject), str(it.predicate), str(it.object))
        for it in quads
        if str(it.graph_name).endswith(f".{graph}>")
    }


@pytest.fixture
def quads(store: Path, monkeypatch, capsys) -> list[pyoxigraph.Quad]:
    text = run(monkeypatch, capsys, MSP, "--store", str(store))
    return list(pyoxigraph.parse(text, pyoxigraph.RdfFormat.TRIG))


def test_it_has_the_four_graphs_of_a_nanopublication_and_nothing_else(quads):
    (whole,) = [it.subject for it in quads if str(it.object) == NP.Nanopublication]
    assert str(whole).startswith("<https://w3id.org/benchkg/id/sota2/score/699a67995698665ec4efe4ba-5ebb1270f1#")
    stem = str(whole)[:-1]
    graphs = {str(it.graph_name) for it in quads}
    assert graphs == {f"{stem}.{name}>" for name in ("Head", "assertion", "provenance", "pubinfo")}
    assert triples(quads, "Head") == {
        (str(whole), RDF.type, NP.Nanopublication),
        (str(whole), NP.hasAssertion, f"{stem}.assertion>"),
        (str(whole), NP.hasProvenance, f"{stem}.provenance>"),
        (str(whole), NP.hasPublicationInfo, f"{stem}.pubinfo>"),
    }
    # The guidelines ask that the provenance speaks of the assertion, and the publication info of the whole.
    assert any(s == f"{stem}.assertion>" for s, _, _ in triples(quads, "provenance"))
    assert any(s == str(whole) for s, _, _ in triples(quads, "pubinfo"))


def test_it_asserts_triples_of_the_graph_and_those_of_one_score_alone(store: Path, quads):
    with kg.open(store) as graph:
        graph.export(store.parent / "graph.nt")
    known = set((store.parent / "graph.nt").read_text(encoding="utf-8").splitlines())
    asserted = triples(quads, "assertion")
    assert {f"{' '.join(triple)} ." for triple in asserted} <= known
    assert len({s for s, p, o in asserted if (p, o) == (RDF.type, BK.Score)}) == 1
    assert len([1 for _, p, _ in asserted if p == BK.score]) == 1
    stated = {p for _, p, _ in asserted}
    expected = (BK.value, BK.valueText, BK.method, BK.reportedIn, BK.originPaper, BK.canonicalJson, BK.direction)
    assert stated >= set(expected)
    assert PROV.wasQuotedFrom not in stated


def test_its_provenance_leads_to_lines_states_pages_and_the_reporting_paper(quads):
    found = triples(quads, "provenance")
    sources = {(p, o) for s, p, o in found if s.endswith(".assertion>")}
    snapshots = {s for s, p, o in found if (p, o) == (RDF.type, BK.PageSnapshot)}
    assert len(snapshots) == 1
    paper = "<https://w3id.org/benchkg/id/sota2/paper/68fa78a61e209131cea79954>"
    assert {o for p, o in sources if p == PROV.wasDerivedFrom} == {*snapshots, paper}
    quoted = {o for p, o in sources if p == PROV.wasQuotedFrom}
    assert {it.rpartition("#")[2] for it in quoted} == {"line=41,42>", "line=120,131>"}
    for each in quoted:
        assert (each, DCT.isPartOf, *snapshots) in found
    assert {p for s, p, _ in found if s in snapshots} >= {BK.sha256, DCT.modified, PROV.specializationOf}


def test_it_was_created_when_the_page_was_updated_and_names_no_licence(quads):
    about = triples(quads, "pubinfo")
    assert [o for _, p, o in about if p == DCT.created] == [
        '"2026-02-26T05:52:38.844Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    ]
    assert any((p, o) == (RDF.type, PROV.SoftwareAgent) for _, p, o in about)
    assert not [p for _, p, _ in about if "licen" in p.lower() or "rights" in p.lower()]


def test_a_page_without_a_time_gives_no_creation_time(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_bytes(REAL[1].read_bytes().replace(b"Data updated:", b"Data of:"))
    with kg.build([page]) as graph:
        found = kg.cite(graph, MSP)
    assert not [line for line in found.nanopublication if DCT.created in line]
    assert "Data updated" not in found.bibtex


# rdflib 7.6 warns of names that its own parsers of graphs still use.
@pytest.mark.filterwarnings(
    "ignore:Dataset.default_context:DeprecationWarning", "ignore:ConjunctiveGraph:DeprecationWarning"
)
def test_rdflib_reads_what_oxigraph_reads(store: Path, monkeypatch, capsys):
    for form, name in (("trig", "trig"), ("nq", "nquads"), ("jsonld", "json-ld")):
        text = run(monkeypatch, capsys, MSP, "--store", str(store), "-f", form)
        read = rdflib.Dataset().parse(data=text, format=name)
        syntax = pyoxigraph.RdfFormat.from_extension(form)
        count = len(set(pyoxigraph.parse(text, syntax)))
        assert count > 100
        assert sum(1 for _ in read.quads((None, None, None, None))) == count


def test_the_same_graph_gives_the_same_bytes_under_any_hash_seed(store: Path):
    texts = set()
    for seed in ("1", "2"):
        for form in ("trig", "bibtex"):
            command = [sys.executable, "-m", "kg", "cite", MSP, "--store", str(store), "-f", form]
            environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])}
            done = subprocess.run(command, env=environment, capture_output=True, check=True)
            texts.add((form, done.stdout))
    assert len(texts) == 2


def test_another_state_of_the_page_makes_another_nanopublication_of_the_same_score(tmp_path: Path):
    page = tmp_path / "page.md"
    cited = []
    for value in (b"10.32", b"10.4"):
        page.write_bytes(REAL[1].read_bytes().replace(b"10.32", value))
        with kg.build([page]) as graph:
            cited.append(kg.cite(graph, MSP))
    assert cited[0].score == cited[1].score
    names = [{line.rpartition("#")[2] for line in it.nanopublication if NP.hasAssertion in line} for it in cited]
    assert not names[0] & names[1]


def test_of_several_scores_one_is_to_be_named(store: Path):
    with kg.open(store) as graph:
        with pytest.raises(Misuse, match=r"has 2 scores; say which with --metric:\n.*far-ood.*\n.*near-ood"):
            kg.cite(graph, PLF)
        near, far = (kg.cite(graph, PLF, metric=f"{name}-OOD AUROC") for name in ("Near", "Far"))
        with pytest.raises(Misuse, match="no such score"):
            kg.cite(graph, MSP, metric="Metric N")
    assert near.score != far.score
    # What the page of the other metric says is no source of this score.
    snapshots = [{line.split()[0] for line in it.nanopublication if BK.PageSnapshot in line} for it in (near, far)]
    assert [len(it) for it in snapshots] == [1, 1]
    assert snapshots[0] != snapshots[1]


# BibTeX


def entries(text: str) -> dict[str, dict[str, str]]:
    """The entries of a BibTeX text; every brace of each field is closed."""
    found = {}
    for key, body in re.findall(r"^@misc\{([^,\s]+),\n(.*?)\n\}$", text, re.MULTILINE | re.DOTALL):
        assert key not in found
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.MULTILINE))
        for value in fields.values():
            depth = 0
            for character in value:
                depth += (character == "{") - (character == "}")
                assert depth >= 0
            assert depth == 0
        found[key] = fields
    return found


def test_bibtex_has_the_page_and_both_papers_as_far_as_recorded(store: Path, monkeypatch, capsys):
    found = entries(run(monkeypatch, capsys, MSP, "--store", str(store), "-f", "bibtex"))
    page, origin, reporting = found.values()
    assert page["title"] == "{Selective Classification on ImageNet V2 Original (test)}"
    address = "https://www.sota2.com/research/sota/selective-classification-on-imagenet-v2-original-test"
    assert page["howpublished"] == f"\\url{{{address}}}"
    assert re.fullmatch(r"Data updated 2026-02-26T05:52:38.844Z; SHA-256 [0-9a-f]{64}", page["note"])
    assert "urldate" not in page, "a file that was read is no visit to an address"
    for paper, identifier in ((origin, "68fa64e41e209131cea0731a"), (reporting, "68fa78a61e209131cea79954")):
        assert set(paper) == {"howpublished", "note"}, "no title is invented"
        assert identifier in paper["note"]
    assert "origin of the method" in origin["note"]
    assert "reports the result" in reporting["note"]


def test_bibtex_has_the_day_of_a_retrieval_that_is_on_record(store: Path):
    archive = Archive(store.parent / "store-archive")
    (log,) = (archive.path / "retrievals").iterdir()
    before = log.read_text()
    records = [json.loads(line) | {"url": "https://www.sota2.com/x.md"} for line in before.splitlines()]
    log.write_text("".join(json.dumps(record | {"retrieved": "2026-03-02T23:00:00Z"}) + "\n" for record in records))
    try:
        with kg.open(store) as graph:
            found = entries(kg.cite(graph, MSP, archive=archive.path).bibtex)
    finally:
        log.write_text(before)
    assert next(iter(found.values()))["urldate"] == "2026-03-02"


def facts(title: str, papers: tuple[str, ...] = (), address: str = "https://example.org/page") -> Facts:
    base = "https://example.org/"
    score, result, snapshot, page = (f"<{base}{name}>" for name in ("score", "result", "snapshot/ab", "page"))
    assertion = [(result, BK.reportedIn, f"<{base}paper/{paper}>") for paper in papers]
    assertion += [(f"<{base}paper/{paper}>", DCT.identifier, literal(paper)) for paper in papers]
    assertion += [(f"<{base}paper/{paper}>", FOAF.page, literal(address)) for paper in papers]
    provenance = [
        (score, PROV.wasQuotedFrom, f"<{base}snapshot/ab#line=1,2>"),
        (f"<{base}snapshot/ab#line=1,2>", DCT.isPartOf, snapshot),
        (snapshot, RDF.type, BK.PageSnapshot),
        (snapshot, PROV.specializationOf, page),
        (snapshot, BK.sha256, literal("ab")),
        (page, DCT.title, literal(title)),
    ]
    return Facts(score, result, tuple(assertion), tuple(provenance))


def test_special_characters_are_escaped():
    (page,) = entries(bibtex(facts("50% of R&D_{x} costs $5 #1 ~ ^ \\ é"), {})).values()
    assert page["title"] == (
        r"{50\% of R\&D\_{\textbraceleft}x{\textbraceright} costs \$5 \#1 "
        r"{\textasciitilde} {\textasciicircum} {\textbackslash} é}"
    )


@given(st.text(min_size=1), st.text())
def test_no_text_breaks_an_entry(title, address):
    found = entries(bibtex(facts(title, ("one",), address), {}))
    assert set(found) == {"page-ab", "paper-one"}


def test_keys_are_unique_and_plain():
    found = entries(bibtex(facts("Page", ("a.b", "a-b", "A b")), {}))
    assert len(found) == 4
    assert len({key.casefold() for key in found}) == 4
    assert all(re.fullmatch("[A-Za-z0-9-]+", key) for key in found)


# The command


def test_a_file_gets_the_format_of_its_suffix(store: Path, tmp_path: Path, monkeypatch, capsys):
    for name, begin in (("a.bib", "@misc{"), ("a.trig", "@prefix "), ("a.nq", "<"), ("a.jsonld", "[")):
        assert run(monkeypatch, capsys, MSP, "--store", str(store), "-o", str(tmp_path / name)) == ""
        assert (tmp_path / name).read_text(encoding="utf-8").lstrip().startswith(begin)
    said = run(monkeypatch, capsys, MSP, "--store", str(store), "-o", str(tmp_path / "a.pdf"), code=2)
    assert "trig, nq, jsonld, bibtex" in said


def test_a_turtle_file_can_be_cited_from(store: Path, tmp_path: Path, monkeypatch, capsys):
    with kg.open(store) as graph:
        graph.export(tmp_path / "graph.ttl")
    cited = run(monkeypatch, capsys, MSP, "--store", str(store))
    assert run(monkeypatch, capsys, MSP, "--store", str(tmp_path / "graph.ttl")) == cited


def test_an_unknown_result_suggests_and_ends_with_2(store: Path, monkeypatch, capsys):
    assert "did you mean" in run(monkeypatch, capsys, f"{MSP[:-1]}z", "--store", str(store), code=2)
