"""RDF text: the same lines as the same bytes, read back alike by two libraries, written whole or not at all."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from kg.errors import Misuse
from kg.export import Format, Source, serialize, write
from kg.terms import iri, literal, ntriples
from kg.vocabulary import BK, RDFS, XSD, prefixes

PREFIXES = prefixes()
SPACE = PREFIXES["res"]
RDFLIB = {Format.TTL: "turtle", Format.NT: "nt", Format.XML: "xml"}
RDFLIB_GRAPHS = {Format.NQ: "nquads", Format.TRIG: "trig", Format.JSONLD: "json-ld"}
DECIMALS = ["100", "10.32", "-0.5", "0.000000000000000001", "7"]
TEXTS = [
    'a "b"',
    "back\\slash",
    "two\nlines",
    "tab\t",
    "'''",
    '"""',
    "<&>",
    "]]>",
    "\u0085\u2028",
    "\ufeff",
    "é Δ ∆ 😀",
    "",
]
NAMES = ["a", "a#line=1,2", "9a", "-a", "a.b", "a.", "a:b", "a~b!c", "a(b)", "a%20b", "a/b?c=d&e=f", "é", ""]
LINES = ntriples(
    [
        *((iri(f"{SPACE}{n}"), BK.value, literal(value, XSD.decimal)) for n, value in enumerate(DECIMALS)),
        *((iri(f"{SPACE}{n}"), RDFS.label, literal(text)) for n, text in enumerate(TEXTS)),
        *((iri(f"{SPACE}{name}"), RDFS.comment, iri(f"{SPACE}{name}")) for name in NAMES),
        (iri(f"{SPACE}1"), BK.rowIndex, literal("8", XSD.integer)),
        (iri(f"{SPACE}1"), BK.resultDate, literal("2023-05", XSD.gYearMonth)),
    ]
)
GRAPHS = [
    *LINES,
    *(f"{line.removesuffix('.')}{iri(f'{SPACE}view-{n}')} ." for n in range(2) for line in LINES[n * 4 :]),
]


def source(lines: Iterable[str]) -> Source:
    """Lines as a graph gives them: unsorted, in parts that end anywhere."""
    text = "".join(f"{line}\n" for line in reversed(list(lines))).encode()
    return lambda stream: [stream.write(text[at : at + 1000]) for at in range(0, len(text), 1000)]


def read(data: bytes, form: Format) -> set[str]:
    """What Oxigraph reads back, as N-Quads lines."""
    store = pyoxigraph.Store()
    store.load(data, pyoxigraph.RdfFormat.from_extension(form))
    return set((store.dump(format=pyoxigraph.RdfFormat.N_QUADS) or b"").decode().split("\n")[:-1])


@pytest.mark.parametrize("form", Format)
def test_every_format_reads_back_as_what_was_written(form: Format):
    lines = GRAPHS if form.holds_graphs else LINES
    assert read(serialize(lines, form, PREFIXES), form) == set(lines)


@pytest.mark.parametrize("form", RDFLIB)
def test_rdflib_reads_the_same_graph(form: Format):
    expected = rdflib.Graph().parse(data="\n".join(LINES), format="nt")
    found = rdflib.Graph().parse(data=serialize(LINES, form, PREFIXES), format=RDFLIB[form])
    assert len(found) == len(LINES)
    assert isomorphic(found, expected)


@pytest.mark.filterwarnings(
    "ignore:(Dataset|ConjunctiveGraph):DeprecationWarning"
)  # rdflib's parsers use its old names
@pytest.mark.parametrize("form", RDFLIB_GRAPHS)
def test_rdflib_reads_the_same_named_graphs(form: Format):
    expected = rdflib.Dataset()
    expected.parse(data="\n".join(GRAPHS), format="nquads")
    found = rdflib.Dataset()
    found.parse(data=serialize(GRAPHS, form, PREFIXES), format=RDFLIB_GRAPHS[form])
    assert set(found.quads()) == set(expected.quads())


@pytest.mark.parametrize("form", Format)
def test_order_and_repetition_change_no_byte(form: Format):
    lines = list(GRAPHS if form.holds_graphs else LINES) * 2
    names = list(PREFIXES.items())
    expected = serialize(lines, form, PREFIXES)
    for seed in range(5):
        chance = random.Random(seed)
        chance.shuffle(lines)
        chance.shuffle(names)
        assert serialize(iter(lines), form, dict(names)) == expected


def test_another_process_writes_the_same_bytes():
    script = """import sys, test_export as t
for form in t.Format: sys.stdout.buffer.write(t.serialize(t.LINES, form, t.PREFIXES))"""
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    expected = b"".join(serialize(LINES, form, PREFIXES) for form in Format)
    for seed in ("0", "1", "4711"):
        environment = os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", script]
        assert subprocess.run(command, env=environment, capture_output=True, check=True).stdout == expected


def test_turtle_is_short_where_it_can_be_and_typed_where_it_must_be():
    lines = [line for line in LINES if BK.value in line]
    lines += [f"{iri(SPACE + 'x')} {RDFS.label} {literal('<' + SPACE + 'a.>')} ."]
    text = serialize(lines, Format.TTL, PREFIXES).decode()
    assert 'res:0 bk:value "100"^^xsd:decimal .' in text
    assert "res:1 bk:value 10.32 ." in text
    assert "res:2 bk:value -0.5 ." in text
    assert '"7"^^xsd:decimal' in text


def test_a_prefix_that_would_make_a_name_end_in_a_dot_is_left_out():
    ends, others = iri(f"{SPACE}a."), iri(PREFIXES["met"] + "a.b")
    text = serialize([f"{others} {RDFS.comment} {ends} ."], Format.TTL, PREFIXES).decode()
    assert text.endswith(f"\nmet:a.b rdfs:comment {ends} .\n")
    assert "@prefix res:" not in text


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_any_text_survives_turtle_in_both_libraries(texts: list[str]):
    lines = ntriples((iri(f"{SPACE}a"), RDFS.label, literal(text)) for text in texts)
    data = serialize(lines, Format.TTL, PREFIXES)
    assert read(data, Format.TTL) == set(lines)
    assert {str(value) for value in rdflib.Graph().parse(data=data, format="turtle").objects()} == set(texts)


@pytest.mark.parametrize("form", [form for form in Format if not form.holds_graphs])
def test_named_graphs_are_not_dropped_by_formats_that_have_none(form: Format):
    with pytest.raises(Misuse, match="named graphs"):
        serialize(GRAPHS, form, PREFIXES)


@pytest.mark.parametrize("character", ["\x01", "\r", "\x1f", "\ufffe"])
def test_xml_refuses_what_it_cannot_hold(character: str):
    line = f"{iri(f'{SPACE}a')} {RDFS.label} {literal(f'a{character}b')} ."
    with pytest.raises(Misuse, match=rf"U\+{ord(character):04X}"):
        serialize([line], Format.XML, PREFIXES)
    data = serialize([line], Format.TTL, PREFIXES)
    assert [str(value) for value in rdflib.Graph().parse(data=data, format="turtle").objects()] == [f"a{character}b"]


def test_nothing_is_a_graph_too():
    for form in Format:
        assert read(serialize([], form, PREFIXES), form) == set()


# Files


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("g.ttl", Format.TTL),
        ("g.NT", Format.NT),
        ("g.x.trig", Format.TRIG),
        ("g.rdf", Format.XML),
        ("g.json", Format.JSONLD),
    ],
)
def test_the_suffix_names_the_format(tmp_path: Path, name: str, form: Format):
    write(source(LINES), tmp_path / name, prefixes=PREFIXES)
    assert (tmp_path / name).read_bytes() == serialize(LINES, form, PREFIXES)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_format_given_wins_over_the_suffix_and_an_unknown_suffix_is_refused(tmp_path: Path):
    write(source(LINES), tmp_path / "g.txt", Format.NT)
    assert (tmp_path / "g.txt").read_bytes() == serialize(LINES, Format.NT)
    for name in ("h.txt", "h"):
        with pytest.raises(Misuse, match="Use one of ttl, nt, nq, trig, jsonld, xml"):
            write(source(LINES), tmp_path / name)
    assert not (tmp_path / "h.txt").exists()


def test_a_file_is_replaced_whole_or_stays(tmp_path: Path):
    target = tmp_path / "g.ttl"
    write(source(LINES[:2]), target)
    before = target.read_bytes()
    with pytest.raises(Misuse):
        write(source(GRAPHS), target)
    assert target.read_bytes() == before
    write(source(LINES), target)
    assert target.read_bytes() != before


@pytest.mark.parametrize("place", ["none/g.ttl", "file/g.ttl", "folder.ttl"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.ttl").mkdir()
    with pytest.raises(Misuse, match=place):
        write(source(LINES), tmp_path / place)


def test_a_link_keeps_pointing_to_the_file_that_is_written(tmp_path: Path):
    (tmp_path / "link.ttl").symlink_to(tmp_path / "real.ttl")
    write(source(LINES), tmp_path / "link.ttl")
    assert (tmp_path / "link.ttl").is_symlink()
    assert (tmp_path / "real.ttl").read_bytes() == serialize(LINES, Format.TTL)


def test_a_pipe_is_written_into(tmp_path: Path):
    pipe = tmp_path / "pipe.ttl"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(source(LINES[:1]), pipe)
    assert os.read(reader, 10_000) == serialize(LINES[:1], Format.TTL)
    os.close(reader)
    assert pipe.is_fifo()


def test_streams_and_standard_output(capfdbinary: pytest.CaptureFixture[bytes]):
    stream = io.BytesIO()
    write(source(LINES), stream, Format.NQ)
    assert stream.getvalue() == serialize(LINES, Format.NQ)
    write(source(LINES), Path("-"), prefixes=PREFIXES)
    assert capfdbinary.readouterr().out == serialize(LINES, Format.TTL, PREFIXES)
