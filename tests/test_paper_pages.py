"""Pages of papers: what is taken of them, and that every other line is reported."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kg
from kg.identifiers import Identifiers
from kg.mapping import to_paper_graph
from kg.parts import view_of
from kg.sources import llms_txt, parse, sota2_paper
from kg.vocabulary import BK, DCT, FOAF, RDF, SCHEMA

ID = "698575dcc97a0b3e3b5d5ec4"
PAPER = Identifiers("sota2").node("paper", ID)
PAGE = f"""# On Whelks

Source: [On Whelks](<https://www.sota2.com/research/paper/{ID}>)

Collection index: [llms.txt](<https://www.sota2.com/research/llms.txt>)

Data updated: 2026-02-26T05:53:35.707Z

Whelks are sorted by kind. See [another paper](<https://arxiv.org/abs/1706.03762>) for the rest,
which is arXiv:1706.03763.

[Attention](<https://arxiv.org/abs/1706.03764>)
See https://arxiv.org/abs/1706.03765
Paper without code: https://github.com/shells/other

- [arXiv](<https://arxiv.org/abs/2401.00001v2>)
DOI: 10.5555/whelk.7
**Code**: [whelk](https://github.com/shells/whelk)
[Implementation](<https://example.org/whelk.zip>)
"""
QUOTED = re.compile(r"/snapshot/[0-9a-f]+#line=([0-9]+),([0-9]+)>")


def test_a_page_gives_its_facts_and_reports_its_prose():
    reading = parse(PAGE.encode(), "paper.md")
    page = reading.paper
    assert page is not None
    assert (page.identifier, page.title.text) == (ID, "On Whelks")
    assert page.page.url == f"https://www.sota2.com/research/paper/{ID}"
    assert page.updated is not None
    assert [link.label for link in page.arxiv] == ["2401.00001v2"]
    assert [(link.label, link.url) for link in page.dois] == [("10.5555/whelk.7", "")]
    assert [link.url for link in page.code] == ["https://github.com/shells/whelk", "https://example.org/whelk.zip"]
    assert [(problem.code, str(problem.lines[0])) for problem in reading.problems] == [
        ("unknown-line", "lines 9-10"),
        ("unknown-line", "lines 12-14"),
    ]
    assert reading.problems[0].text == "\n".join(PAGE.split("\n")[8:10])


def test_its_graph_states_them_and_no_more():
    view = view_of(PAGE.encode(), "paper.md").view
    assert view is not None
    assert {
        f"{PAPER} {RDF.type} {BK.Paper} .",
        f'{PAPER} {DCT.title} "On Whelks" .',
        f'{PAPER} {DCT.identifier} "{ID}" .',
        f'{PAPER} {SCHEMA.identifier} "arXiv:2401.00001v2" .',
        f'{PAPER} {SCHEMA.identifier} "doi:10.5555/whelk.7" .',
        f"{PAPER} {SCHEMA.sameAs} <https://arxiv.org/abs/2401.00001v2> .",
        f"<https://www.sota2.com/research/paper/{ID}> {FOAF.primaryTopic} {PAPER} .",
    } <= set(view.lines)
    assert sum(line.startswith(f"{PAPER} ") for line in view.lines) == 9
    assert view.modified == "2026-02-26T05:53:35.707Z"
    assert not any("1706.0376" in line for line in view.lines if BK.quotedText not in line)


def test_what_a_page_does_not_say_is_not_there():
    bare = f"# On Whelks\n\nSource: https://www.sota2.com/research/paper/{ID}\n"
    reading = parse(bare.encode(), "paper.md")
    assert reading.paper is not None
    assert [problem.code for problem in reading.problems] == ["no-updated-time"]
    lines = view_of(bare.encode(), "paper.md").view.lines
    stated = {line.split(" ")[1] for line in lines if line.startswith(f"{PAPER} ")}
    assert stated == {RDF.type, DCT.identifier, DCT.title}


@pytest.mark.parametrize(
    ("line", "kind", "label"),
    [
        ("arXiv:2401.00001", "arxiv", "2401.00001"),
        ("https://arxiv.org/pdf/2401.00001.pdf", "arxiv", "2401.00001"),
        ("arXiv: [2401.00001](<https://arxiv.org/abs/2401.00001>)", "arxiv", "2401.00001"),
        ("- [PDF](https://arxiv.org/pdf/2401.00001)", "arxiv", "2401.00001"),
        ("**arXiv ID:** cs.CL/0501001", "arxiv", "cs.CL/0501001"),
        ("[https://doi.org/10.5555/a](<https://doi.org/10.5555/a>)", "dois", "10.5555/a"),
        ("DOI: 10.5555/a", "dois", "10.5555/a"),
        ("<https://github.com/shells/whelk>", "code", ""),
        ("Code: https://example.org/whelk.zip", "code", "Code"),
    ],
)
def test_spellings_of_identifiers(line: str, kind: str, label: str):
    reading = parse(f"# T\n\nSource: [T](<https://www.sota2.com/research/paper/{ID}>)\n\n{line}\n".encode(), "paper.md")
    assert reading.paper is not None
    found = {name: [link.label for link in getattr(reading.paper, name)] for name in ("arxiv", "dois", "code")}
    assert found == {"arxiv": [], "dois": [], "code": []} | {kind: [label]}


@pytest.mark.parametrize(
    "line", ["2401.00001", "10.5555/a b", "Cited: arXiv:2401.00001", "[Rival](<https://github.com/a/b>)"]
)
def test_what_may_be_of_another_paper_is_not_taken(line: str):
    reading = parse(f"# T\n\nSource: [T](<https://www.sota2.com/research/paper/{ID}>)\n\n{line}\n".encode(), "paper.md")
    assert "unknown-line" in {problem.code for problem in reading.problems}


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("# On Whelks\n", "", "no-title"),
        ("2026-02-26T05:53:35.707Z", "last week", "unreadable-time"),
        ("https://www.sota2.com/research/paper/", "javascript:/paper/", "bad-source-address"),
        ("DOI: 10.5555/whelk.7", "DOI: to come", "unknown-line"),
        (ID, "not-an-id", "shape-violation"),
        ("# On Whelks", "# On \u200bWhelks", "invisible-character"),
    ],
)
def test_what_is_odd_is_told(old: str, new: str, code: str):
    assert code in {problem.code for problem in view_of(PAGE.replace(old, new).encode(), "paper.md").problems}


def test_a_second_title_or_source_is_not_taken_for_the_first():
    reading = parse(f"{PAGE}\n# Another\n\nSource: [x](<https://example.org/paper/x>)\n".encode(), "paper.md")
    assert reading.paper is not None
    assert reading.paper.title.text == "On Whelks"
    assert [problem.text for problem in reading.problems[2:]] == [
        "# Another",
        "Source: [x](<https://example.org/paper/x>)",
    ]


def test_a_benchmark_page_is_none_of_a_paper(cases):
    for path in cases.glob("*/*/page.md"):
        assert not sota2_paper.can_parse(path.read_bytes()), path


@given(
    st.lists(
        st.sampled_from(PAGE.splitlines()) | st.text(max_size=40),
        max_size=12,
    ),
    st.booleans(),
)
def test_every_line_is_a_fact_or_a_problem_whatever_is_written(lines: list[str], headed: bool):
    head = PAGE.split("\n")[:3] if headed else []
    data = "\n".join([*head, *lines]).encode(errors="replace")
    if not sota2_paper.can_parse(data):
        return
    page = sota2_paper.parse(data, "paper.md").paper
    if page is None:
        return
    quoted = {
        number
        for line in to_paper_graph(page).lines
        for first, last in QUOTED.findall(line)
        for number in range(int(first) + 1, int(last) + 1)
    }
    left = {number: line for number, line in enumerate(data.decode().split("\n"), 1) if number not in quoted}
    taken = {link.url or link.label for link in (*page.arxiv, *page.dois, *page.code)}
    # One thing that is said twice is said.
    assert not [line for line in left.values() if line.strip(" \t\r") and not any(it in line for it in taken)]


def test_an_index_has_a_title_a_summary_and_sections():
    text = (
        b"\xef\xbb\xbf# Shells\n\n> All boards\n> of shells.\n\nRead [this](/about) first.\n\n## Boards\n\n"
        b"- [Whelks (a)](/sota/whelks_(a).md): 12 results\n* [Cockles](</sota/cockles>)\n\nMore prose.\n\n"
        b"## Optional\n\n1. [Old][old]\n\n```\n- [no](/no.md)\n```\n\n[old]: /old.md\n"
    )
    assert llms_txt.can_parse(text)
    index = llms_txt.parse(text)
    assert (index.title, index.summary) == ("Shells", "All boards\nof shells.")
    assert [tuple(link) for link in index.links] == [
        ("this", "/about", ""),
        ("Whelks (a)", "/sota/whelks_(a).md", "Boards"),
        ("Cockles", "/sota/cockles", "Boards"),
        ("Old", "/old.md", "Optional"),
    ]


@given(st.binary(max_size=300))
def test_whatever_comes_is_read_without_an_exception(data: bytes):
    for text in (data, b"# T\n\n- [x](y)\n" + data, b"# T\nSource: a/paper/b\n" + data):
        parse(text, "page.md")
        llms_txt.can_parse(text)
        llms_txt.parse(text)


def titles(graph: kg.KnowledgeGraph) -> list[str]:
    return [row.title for row in graph.query("provenance/papers") if row.title]


def test_a_newer_state_of_a_paper_replaces_the_older_one_in_any_order(tmp_path):
    older, newer = tmp_path / "older.md", tmp_path / "newer.md"
    older.write_text(PAGE)
    newer.write_text(PAGE.replace("# On Whelks", "# On All Whelks").replace("2026-02-26", "2026-03-26"))
    for pages in ([older, newer], [newer, older]):
        with kg.build(pages) as graph:
            assert set(titles(graph)) == {"On All Whelks"}
            assert len(graph.report.update.stale) == 1


def test_the_view_of_a_paper_comes_back_from_its_quads(tmp_path):
    (tmp_path / "paper.md").write_text(PAGE)
    with kg.build([tmp_path / "paper.md"]) as graph:
        graph.export(tmp_path / "graph.nq")
        expected = set(titles(graph))
    with kg.open(tmp_path / "graph.nq") as graph:
        assert set(titles(graph)) == expected == {"On Whelks"}
        graph.export(tmp_path / "again.nq")
    assert (tmp_path / "again.nq").read_bytes() == (tmp_path / "graph.nq").read_bytes()


def test_a_title_is_led_back_to_its_line(tmp_path):
    (tmp_path / "paper.md").write_text(PAGE)
    with kg.build([tmp_path / "paper.md"]) as graph:
        rows = graph.query(
            "PREFIX bk: <https://w3id.org/benchkg/ns#> PREFIX dct: <http://purl.org/dc/terms/> "
            "PREFIX foaf: <http://xmlns.com/foaf/0.1/> PREFIX prov: <http://www.w3.org/ns/prov#> "
            "SELECT ?line { ?line bk:states dct:title ; dct:isPartOf/prov:specializationOf/foaf:primaryTopic ?paper . "
            "?paper dct:title ?title }"
        )
        assert [row.line.rpartition("#")[2] for row in rows] == ["line=0,1"]
