"""RDF text: the same lines as the same bytes, read back alike by two libraries, written whole or not at all."""

from __future__ import annotations

import io
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from kg import sorting
from kg.errors import Misuse
from kg.export import Format, Source, serialize, write
from kg.files import folder_beside
from kg.terms import iri, literal, ntriples
from kg.vocabulary import BK, RDFS, XSD, prefixes

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
ENVIRONMENT.pop("KG_STORE", None)
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


# Graphs of any size

NAMES_OF_GRAPHS = [
    "",
    f"<{SPACE}g>",
    f"<{SPACE}g->",
    f"<{SPACE}g.>",
    f"<{SPACE}>",
    "_:g",
    "_:g1",
    "<urn:é>",
    "<urn:😀>",
]
OBJECTS = [
    f"<{SPACE}g>",
    "_:g",
    '"a"',
    '"<urn:a> <urn:b"@en',
    '"a <urn:b>"',
    '"_:g"',
    '"x <b"^^<urn:type>',
    '"\\" <urn:a> .\\n"',
    f'<<( <{SPACE}a> <urn:p> "x)>> <urn:g>" )>>',
    f"<<( <{SPACE}a> <urn:p> <<( _:g <urn:p> <{SPACE}a.> )>> )>>",
    '"tab\\t.>"',
    '"<urn:a.>"',
]


def statements(number: int, *, graphs: bool) -> list[str]:
    """Return canonical lines with what makes them hard to tell apart."""
    chance = random.Random(number)
    found = list(GRAPHS if graphs else LINES)
    for n in range(number):
        subject = f"<{SPACE}{chance.randrange(number)}>"
        value = chance.choice(OBJECTS) if n % 3 else literal(f"{n} {chance.choice(TEXTS)}")
        graph = chance.choice(NAMES_OF_GRAPHS) if graphs else ""
        found.append(" ".join(filter(None, (subject, "<urn:p>", value, graph, "."))))
    return found


@pytest.fixture(params=["memory", "files", "program"])
def road(request, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way of sorting, with as little memory as makes it spill."""
    program = sorting.gnu_sort() if request.param == "program" else None
    if request.param == "program" and program is None:
        pytest.skip("there is no GNU sort")
    monkeypatch.setattr(sorting, "gnu_sort", lambda: program)
    monkeypatch.setattr(sorting, "_SMALL", 0)
    monkeypatch.setattr(sorting, "_PIECE", 3000)
    monkeypatch.setattr(sorting, "_BATCH", 100)
    if request.param == "files":
        monkeypatch.setattr(sorting, "_RUN", 20_000)
    return request.param


@pytest.mark.usefixtures("road")
@pytest.mark.parametrize("form", Format)
def test_a_stream_of_lines_gives_the_bytes_of_the_whole_text(tmp_path: Path, form: Format):
    lines = statements(3000, graphs=form.holds_graphs)
    if form is Format.JSONLD:
        lines = [line for line in lines if "<<(" not in line]
    count = write(source([*lines, *lines[::2]]), tmp_path / "graph", form, PREFIXES)
    assert count == len(set(lines))
    assert (tmp_path / "graph").read_bytes() == serialize(lines, form, PREFIXES)
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]


def test_the_same_fault_is_told_whatever_the_order(tmp_path: Path):
    lines = [f"{iri(f'{SPACE}{n}')} {RDFS.label} {literal(chr(n))} ." for n in (1, 2, 3)]
    for ordered in (lines, lines[::-1]):
        with pytest.raises(Misuse, match=rf"U\+0001, which <{SPACE}1>"):
            write(source(ordered), tmp_path / "graph.xml")
    assert list(tmp_path.iterdir()) == []


def test_what_a_format_cannot_hold_is_told_and_no_disk_is_blamed(tmp_path: Path):
    line = f"<{SPACE}a> <urn:p> <<( <{SPACE}a> <urn:p> <{SPACE}b> )>> ."
    with pytest.raises(Misuse, match="jsonld cannot hold this graph"):
        write(source([line]), tmp_path / "graph.jsonld")
    with pytest.raises(Misuse, match="jsonld cannot hold this graph"):
        serialize([line], Format.JSONLD)


PEAK = """
import re, sys, tempfile
from pathlib import Path
from kg import export, sorting
from kg.vocabulary import prefixes
sorting.gnu_sort = sorting.gnu_sort if sys.argv[2] == "program" else lambda: None
sorting._RUN = 1 << 20
def source(stream):
    for n in range(int(sys.argv[1])):
        subject = f"<https://w3id.org/benchkg/id/sota2/result/{n * 7919 % 1000003}>"
        stream.write(f'{subject} <urn:p> "{n}" <urn:g{n % 9}> .\\n'.encode())
target = Path(tempfile.mkdtemp(), "graph.trig")
print(export.write(source, target, prefixes=prefixes()))
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) >> 10)
target.unlink()
"""


@pytest.mark.parametrize("kind", ["files", "program"])
def test_memory_does_not_grow_with_the_graph(kind: str):
    if not Path("/proc/self/status").exists():
        pytest.skip("how much memory a process alone had at most is what Linux tells")
    peaks = []
    for number in (40_000, 240_000):
        command = [sys.executable, "-c", PEAK, str(number), kind]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=True, text=True)
        count, peak = map(int, done.stdout.split())
        assert count == number
        peaks.append(peak)
    # The lines are 16 MB more, and would be twice that as objects.
    assert peaks[1] - peaks[0] < 10


FULL = """
import resource, signal, sys, os
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from kg import sorting
sorting.gnu_sort = sorting.gnu_sort if sys.argv[2] == "program" else lambda: None
sorting._SMALL, sorting._RUN, sorting._MEMORY = 0, int(sys.argv[3]), 1 << 20
sys.argv[1:] = sys.argv[4:]
from kg.cli import main
main()
"""


@pytest.mark.parametrize("form", ["ttl", "nt"])
@pytest.mark.parametrize(
    ("kind", "run", "room"), [("program", 1, 100_000), ("files", 50_000, 40_000), ("files", 1 << 30, 1_000_000)]
)
def test_a_full_disk_leaves_the_old_file_and_says_what_to_do(tmp_path: Path, form: str, kind: str, run: int, room: int):
    """In the folder of temporary files, or where the file itself is to be."""
    pytest.importorskip("resource")
    if kind == "program" and sorting.gnu_sort() is None:
        pytest.skip("there is no GNU sort")
    lines = (f"<urn:s{n}> <urn:p> <urn:{'o' * 50}{n}> .\n" for n in range(50_000))
    (tmp_path / "big.nt").write_text("".join(lines))
    (tmp_path / f"old.{form}").write_text("old")
    asked = ["export", "--store", "big.nt", "-o", f"old.{form}"]
    command = [sys.executable, "-c", FULL, str(room), kind, str(run), *asked]
    done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=False, text=True)
    assert done.returncode == 2, done.stderr
    assert re.match(
        r"Error: Cannot (write|sort the graph in) .*(File too large|File size limit exceeded).*room", done.stderr
    )
    assert "Traceback" not in done.stderr
    assert (tmp_path / f"old.{form}").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.nt", f"old.{form}"]


@pytest.mark.parametrize("form", ["ttl", "nt", "nq"])
def test_a_reader_that_goes_away_ends_a_long_export_in_silence(tmp_path: Path, form: str):
    lines = (f"<urn:s{n}> <urn:p> <urn:{'o' * 50}{n}> .\n" for n in range(50_000))
    (tmp_path / "big.nt").write_text("".join(lines))
    command = f"{sys.executable} -m kg export --store big.nt -f {form} | head -n 1"
    environment = ENVIRONMENT | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["big.nt"]


def test_temporary_files_lie_where_the_user_says_else_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "link.nt").symlink_to(tmp_path / "there" / "graph.nt")
    (tmp_path / "there").mkdir()
    elsewhere = Path(tempfile.gettempdir())
    assert folder_beside(tmp_path / "graph.nt") == tmp_path
    assert folder_beside(tmp_path / "link.nt") == tmp_path / "there"
    assert folder_beside(None) == folder_beside(Path(os.devnull)) == elsewhere
    monkeypatch.setenv("TMPDIR", str(tmp_path / "there"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert folder_beside(tmp_path / "graph.nt") == tmp_path / "there"
