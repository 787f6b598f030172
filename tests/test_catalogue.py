"""The header of a query's file, its parameters as terms, names of queries, and what no query may do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from kg import catalogue
from kg.errors import Misuse, UnknownName
from kg.guard import _token, guard
from kg.vocabulary import BK

FILE = """#+ summary: One sentence
#+ description: A longer text
#+   on two lines
#+ param benchmark: bk:Benchmark, required - which benchmark
#+ param least: decimal, optional - values from here on - and above
#+ column benchmark: iri - the benchmark
#+ column resultDate: any - the date
#+ example: benchmark="Dogs (val)" least=1.50
#+ severity: warning
#+ mend: Do something.
SELECT ?benchmark ?resultDate { ?benchmark ?least ?resultDate }
#+ param late: string, required - not in the header
"""


def test_a_header_is_read():
    query = catalogue.read("quality/some", FILE)
    assert (query.name, query.group, query.summary) == ("quality/some", "quality", "One sentence")
    assert query.description == "A longer text on two lines"
    assert query.parameters == (
        catalogue.Parameter("benchmark", "iri", BK.Benchmark, required=True, meaning="which benchmark"),
        catalogue.Parameter("least", "decimal", "", required=False, meaning="values from here on - and above"),
    )
    assert query.columns == (
        catalogue.Column("benchmark", "iri", "the benchmark"),
        catalogue.Column("resultDate", "any", "the date"),
    )
    assert query.examples == ({"benchmark": "Dogs (val)", "least": "1.50"},)
    assert (query.severity, query.mend) == ("warning", "Do something.")
    assert query.text == FILE


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("#+ summary: One sentence\n", "", "no '#\\+ summary:'"),
        ("#+ summary: One", "#+ summry: One", "summry"),
        ("#+ mend:", "#+ summary:", "repeated"),
        ("#+ mend:", "#+mend:", "no header line"),
        ("bk:Benchmark, required", "bk:Benchmark", "'required' or 'optional'"),
        ("bk:Benchmark", "benchmark", "unknown type 'benchmark'"),
        ("iri - the benchmark", "url - the benchmark", "unknown type 'url'"),
        ("any - the date", "the date", "type - meaning"),
        ("severity: warning", "severity: fatal", "severity must be one of"),
    ],
)
def test_a_malformed_header_is_refused_with_its_line(old, new, said):
    assert old in FILE
    with pytest.raises(ValueError, match=said):
        catalogue.read("quality/some", FILE.replace(old, new, 1))


def query(*parameters: str) -> catalogue.Query:
    lines = "".join(f"#+ param {parameter} - meant\n" for parameter in parameters)
    return catalogue.read("my/own", f"#+ summary: Mine\n{lines}SELECT * {{}}")


@pytest.mark.parametrize(
    ("type_", "value", "term"),
    [
        ("string", 'a "b" \\ c\nd', '"a \\"b\\" \\\\ c\\nd"'),
        ("string", "} INSERT DATA {", '"} INSERT DATA {"'),
        ("string", "", '""'),
        ("integer", "+010", '"10"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        ("decimal", "-0.50", '"-0.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ("decimal", "10", '"10"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ("decimal", "-0.0", '"0"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ("decimal", ".5", '"0.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ("boolean", "True", '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'),
        ("iri", "https://example.org/a?b=c#d", "<https://example.org/a?b=c#d>"),
        ("bk:Metric", "<urn:x:y>", "<urn:x:y>"),
    ],
)
def test_values_become_terms(type_, value, term):
    assert query(f"given: {type_}, required").bind({"given": value}) == {"given": term}


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("integer", "1.5"),
        ("integer", "ten"),
        ("decimal", "1e3"),
        ("decimal", "."),
        ("decimal", ""),
        ("decimal", "NaN"),
        ("boolean", "yes"),
        ("iri", "no iri"),
        ("iri", "relative"),
        ("iri", "https://example.org/> . ?s ?p <x:y"),
        ("bk:Method", "PLF"),
    ],
)
def test_a_value_of_another_type_is_misuse(type_, value):
    with pytest.raises(Misuse, match="my/own: given must be"):
        query(f"given: {type_}, required").bind({"given": value})


@given(st.sampled_from(sorted(catalogue.TYPES)), st.text())
def test_any_text_is_one_term_or_misuse(type_, value):
    with suppress(Misuse):
        (term,) = query(f"given: {type_}, required").bind({"given": value}).values()
        (quad,) = pyoxigraph.parse(f"<x:s> <x:p> {term} .", pyoxigraph.RdfFormat.N_TRIPLES)
        assert type_ != "string" or quad.object.value == value


def test_missing_and_unknown_parameters_are_misuse():
    asked = query("one: string, required", "two: string, optional")
    assert asked.bind({"one": "x"}) == {"one": '"x"'}
    with pytest.raises(Misuse, match=r"my/own needs a value for 'one' \(meant\)"):
        asked.bind({"two": "x"})
    with pytest.raises(Misuse, match=r"no parameter 'tow'.*did you mean 'two'"):
        asked.bind({"one": "x", "tow": "y"})
    with pytest.raises(Misuse, match="it takes none"):
        query().bind({"one": "x"})


def test_queries_are_found_by_name_and_unknown_ones_suggest_near_ones():
    names = [each.name for each in catalogue.list_queries()]
    assert names == sorted(names)
    assert set(catalogue.groups()) >= {"comparison", "graph", "provenance", "quality"}
    for name in names:
        assert catalogue.get(name).name == catalogue.get(f"{name}.rq").name == name
    assert catalogue.get("trace").name == "provenance/trace"
    with pytest.raises(UnknownName, match="'comparison/leaderboard'") as found:
        catalogue.get("leaderbord")
    assert found.value.suggestions == ("comparison/leaderboard",)
    with pytest.raises(UnknownName, match="'kg queries' lists them") as found:
        catalogue.get("zzzzzz")
    assert found.value.suggestions == ()
    with pytest.raises(UnknownName, match=r"comparison, .*graph") as found:
        catalogue.list_queries("comparision")
    assert found.value.suggestions == ("comparison",)


def test_a_short_name_that_two_groups_have_is_no_name(tmp_path):
    for group in ("one", "two"):
        (tmp_path / group).mkdir()
        (tmp_path / group / "same.rq").write_text("#+ summary: Same\nASK {}")
    assert catalogue.get("two/same", tmp_path).name == "two/same"
    with pytest.raises(UnknownName) as found:
        catalogue.get("same", tmp_path)
    assert found.value.suggestions == ("one/same", "two/same")


# Reaching out


class Counting(BaseHTTPRequestHandler):
    requests = 0

    def do_GET(self) -> None:
        type(self).requests += 1
        self.send_response(500)
        self.end_headers()

    do_POST = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a server on this machine that counts requests in ``Counting.requests``."""
    Counting.requests = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Counting) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/x"
        server.shutdown()


def ask(text: str) -> None:
    """Have a query answered to the end over one triple."""
    store = pyoxigraph.Store()
    subject, predicate = pyoxigraph.NamedNode("x:s"), pyoxigraph.NamedNode("x:p")
    store.add(pyoxigraph.Quad(subject, predicate, pyoxigraph.Literal(True)))
    answer = store.query(text)
    if not isinstance(answer, pyoxigraph.QueryBoolean):
        list(answer)


CALLS = [
    "SELECT * {{ SERVICE <{0}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ SERVICE SILENT <{0}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ {{ SELECT * {{ SERVICE <{0}> {{ ?s ?p ?o }} }} }} }}",
    "SELECT * {{ service<{0}>{{ ?s ?p ?o }} }}",
    "SELECT * {{ SERVICESILENT<{0}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ OPTIONAL {{ ?s ?p trueSERVICE<{0}> {{ ?s ?p ?o }} }} }}",
    "SELECT * {{ ?a ?b [] .SERVICE#<\n<{0}> {{ ?s ?p ?o }} }}",
    "PREFIX : <{0}> SELECT * {{ SERVICE: {{ ?s ?p ?o }} }}",
    "PREFIX : <{0}> SELECT * {{ SERVICESILENT: {{ ?s ?p ?o }} }}",
    "PREFIX a: <{0}> SELECT * {{ SERVICEa: {{ ?s ?p ?o }} }}",
    "PREFIX a: <{0}> SELECT * {{ ?s ?p ?o; SERVICESILENTa:service {{ ?s ?p ?o }} }}",
    "SELECT * {{ ?a ?b ?c FILTER(1<2)SERVICE#>\n<{0}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ ?a ?b ?c #\rSERVICE <{0}> {{ ?s ?p ?o }} \n}}",
    "BASE <{0}> SELECT * {{ SERVICE <> {{ ?s ?p ?o }} }}",
    "ASK {{ FILTER NOT EXISTS {{ SERVICE <{0}> {{ ?s ?p ?o }} }} }}",
    "CONSTRUCT {{ ?s ?p ?o }} WHERE {{ SERVICE <{0}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ LATERAL {{ SERVICE <{0}> {{ ?s ?p ?o }} }} }}",
]


@pytest.mark.parametrize("text", CALLS)
def test_what_calls_out_is_refused(text, address):
    with suppress(OSError):
        ask(text.format(address))
    assert Counting.requests, "the engine no longer calls out here: the guard may be simpler"
    with pytest.raises(Misuse, match="SERVICE clause"):
        guard(text.format(address))
    guard(text.format(address), allow_service=True)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("SELECT * { \\u0053ERVICE <x:y> { ?s ?p ?o } }", "SERVICE"),
        ("SELECT * { SERVIC\\U00000045 <x:y> { ?s ?p ?o } }", "SERVICE"),
        ('SELECT * { ?s ?p "\\u0022 . SERVICE <x:y> { ?s ?p ?o } }#', "SERVICE"),
        ("SELECT * { ?s ?p ?o #\\u000aSERVICE <x:y> { ?s ?p ?o } \n}", "SERVICE"),
        ('SELECT * { ?s ?p ""SERVICE <x:y> { ?s ?p ?o } #"""\n}', "SERVICE"),
        ("SELECT * FROM <file:///etc/hostname> WHERE { ?s ?p ?o }", "FROM"),
        ("SELECT * FROM NAMED <file:///etc/hostname> WHERE { GRAPH ?g { ?s ?p ?o } }", "FROM NAMED"),
        ("SELECT *FROM<x:y>{ ?s ?p ?o }", "FROM"),
        ("SELECT * FROMNAMED<x:y>{ ?s ?p ?o }", "FROM NAMED"),
        ("PREFIX : <x:> SELECT * FROM: { ?s ?p ?o }", "FROM"),
        ("PREFIX a: <x:> SELECT * FROMa:b { ?s ?p ?o }", "FROM"),
        ("PREFIX : <x:> SELECT (1<2AS?x)FROM#>\n: { ?s ?p ?o }", "FROM"),
        ("ASK FROM <http://127.0.0.1/internal> { ?s ?p ?o }", "FROM"),
        ("LOAD <file:///etc/hostname>", "LOAD"),
        ("LOAD SILENT <http://127.0.0.1/x> INTO GRAPH <x:y>", "LOAD"),
        ("INSERT DATA { <x:s> <x:p> <x:o> }", "INSERT"),
        ("PREFIX x: <x:> DELETE WHERE { ?s ?p ?o }", "DELETE"),
        ("WITH <x:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", "WITH"),
        ("CLEAR ALL", "CLEAR"),
        ("DROP ALL", "DROP"),
        ("CREATE GRAPH <x:g>", "CREATE"),
        ("COPY DEFAULT TO <x:g>", "COPY"),
        ("MOVE DEFAULT TO <x:g>", "MOVE"),
        ("ADD DEFAULT TO <x:g>", "ADD"),
        ("ASK {} ; clear all", "CLEAR"),
    ],
)
def test_the_clause_is_named(text, clause):
    with pytest.raises(Misuse, match=rf"\b{clause}\b"):
        guard(text)
    if clause != "SERVICE":
        with pytest.raises(Misuse):
            guard(text, allow_service=True)


@pytest.mark.parametrize(
    "text",
    [
        'SELECT ?service ?from { ?service ?from "SERVICE <x:y> { } FROM <x:y>" }',
        "SELECT $load { $load ?clear 'LOAD <x:y>' }",
        'SELECT * { ?s ?p """a "quoted" SERVICE <x:y> { } """ , \'\'\'it\'s FROM <x:y> \'\'\' }',
        'SELECT * { ?s ?p "a \\" SERVICE <x:y> { " }',
        "SELECT * { ?s ?p ?o } # SERVICE <x:y> { ?s ?p ?o }",
        "# FROM <x:y>\nSELECT * { ?s ?p ?o }",
        "PREFIX service: <x:> SELECT * { ?s service:service service:x . service:y ?p ?o }",
        "PREFIX from: <x:> SELECT * { ?s from:from from:load }",
        "PREFIX service: <x:> SELECT * { GRAPH service:x { ?s ?p ?o } }",
        "PREFIX from: <x:> DESCRIBE from:x",
        "SELECT * { ?s ?p <http://www.w3.org/ns/sparql-service-description#> , <x:FROM> }",
        "SELECT * { ?s ?p 'x'@service , _:service }",
        "PREFIX e: <x:> SELECT * { ?s ?p e:a\\'b , e:service.load , e:%53ERVICE }",
        "SELECT * { ?s ?p ?o FILTER(?o<?s&&?s>?p) }",
        "SELECT (COUNT(*) AS ?insert) (SUM(?x) AS ?from) { ?s ?p ?x } GROUP BY ?s HAVING (SUM(?x) > 0) ORDER BY ?s",
        "PREFIX with: <x:> SELECT * { ?using with:add ?drop }",
        "this is not SPARQL",
        "",
    ],
)
def test_harmless_queries_pass(text):
    guard(text)


@given(st.text(st.sampled_from("aZ_09:.%4f-\\u{}()'\"<>?$@#~ \n")))
def test_the_short_pattern_of_tokens_is_the_long_one_without_what_is_no_ascii(text):
    short, whole = (_token(ascii_alone=alone).finditer(text) for alone in (True, False))
    assert [(it.lastgroup, it.span()) for it in short] == [(it.lastgroup, it.span()) for it in whole]


def test_every_query_of_the_catalogue_passes():
    for each in catalogue.list_queries():
        guard(each.text)


@given(
    st.lists(
        st.sampled_from(
            [
                *("SERVICE", "silent", "<x:y>", "{", "}", "?s ?p ?o", "<", ">", "#", "\n", " ", '"', "'", '"""', "\\"),
                *(":", "a:b", "true", "FILTER(", ")", "1", ".", "e:a\\'", "@en", "_:b", "&&", "OPTIONAL"),
            ]
        ),
        max_size=14,
    )
)
def test_what_passes_calls_nothing(parts):
    # Where the engine takes a text with SERVICE in it, either the guard refuses it or the word is no clause.
    text = f"PREFIX : <x:> PREFIX e: <x:> PREFIX a: <x:> SELECT * {{ ?a ?b ?c {''.join(parts)} }}"
    try:
        guard(text)
    except Misuse:
        return
    with suppress(SyntaxError, RuntimeError):
        ask(text)  # an address of no known scheme fails as OSError, which nothing here catches


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
def test_what_the_engines_do_with_dataset_clauses(tmp_path, address):
    """The reason for refusing FROM: rdflib reads what it names; Oxigraph takes it for a graph that it may have."""
    secret = tmp_path / "secret.ttl"
    secret.write_text('<x:s> <x:p> "CANARY" .')
    text = "SELECT ?o FROM <{0}> {{ ?s ?p ?o }}"
    assert list(pyoxigraph.Store().query(text.format(secret.as_uri()))) == []
    assert "CANARY" in str(list(rdflib.Dataset().query(text.format(secret.as_uri()))))
    ask(text.format(address))
    ask(f"DESCRIBE <{address}>")
    assert Counting.requests == 0
