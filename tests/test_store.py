"""The store's content: which state of a view is current, and what the default graph holds because of it."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_views import made_view, result

from kg import resources
from kg.errors import Misuse
from kg.identifiers import Identifiers
from kg.model import ViewGraph
from kg.store import Solutions, Store, ViewState
from kg.store import filling as inside
from kg.terms import lexical
from kg.vocabulary import BK, RDF, RDFS

EARLY, NOON, LATE = "2026-01-01T06:00:00Z", "2026-01-01T12:00:00Z", "2026-01-01T18:00:00Z"
ONTOLOGY = lexical(Identifiers("").graph("ontology"))
META = lexical(Identifiers("").graph("meta"))


def filled(*updates: list[ViewGraph]) -> Store:
    store = Store.in_memory()
    for views in updates:
        store.update(views)
    return store


def data(store: Store) -> set[str]:
    """The default graph without what the ontology says."""
    return set(store.triples()) - set(store.view_lines(ONTOLOGY))


def stated(store: Store) -> set[str]:
    """What all view graphs state together."""
    return {line for view in store.views() for line in store.view_lines(view.graph)}


# Which state is current


def test_an_empty_store_holds_nothing():
    store = Store.in_memory()
    assert store.triples() == store.quads() == store.views() == []
    assert not store.update([]).changed
    assert store.quads() == []


def test_views_are_stored_as_they_are():
    one, other = made_view("a", "b"), made_view("b", metric="f1", time="", count=None)
    store = Store.in_memory()
    report = store.update([one, other])
    assert report.added == (ViewState.of(one), ViewState.of(other))
    assert [tuple(store.view_lines(view.graph)) for view in (one, other)] == [one.lines, other.lines]
    assert store.views() == [ViewState.of(one), ViewState.of(other)]
    assert data(store) == {*one.lines, *other.lines}


def test_a_triple_of_two_views_stands_once_in_answers():
    store = filled([made_view("a"), made_view("a", metric="f1")])
    answer = store.query(f"SELECT ?s WHERE {{ ?s a {BK.Result} }}")
    assert answer == Solutions(("s",), ((result("a"),),))


def test_the_same_state_again_is_unchanged():
    store = filled([made_view("a")])
    before = store.quads(meta=True)
    report = store.update([made_view("a"), made_view("a")], meta=["<urn:run> <urn:at> <urn:now> ."])
    assert report.unchanged == (ViewState.of(made_view("a")),) * 2
    assert not report.changed
    assert store.quads(meta=True) == before


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        pytest.param(EARLY, LATE, id="later"),
        pytest.param("", EARLY, id="any time beats none"),
        pytest.param("2026-01-01T06:00:00Z", "2026-01-01T06:00:00.5Z", id="half a second later"),
        pytest.param("2026-01-01T06:00:00.25Z", "2026-01-01T06:00:00.5Z", id="a quarter of a second later"),
    ],
)
def test_a_newer_state_replaces_and_an_older_one_is_refused(older: str, newer: str):
    old, new = made_view("a", "b", time=older), made_view("b", "c", time=newer)
    store = filled([old])
    assert store.update([new]).replaced == (ViewState.of(new),)
    assert data(store) == set(new.lines)
    refused = store.update([old])
    assert not refused.changed
    (stale,) = refused.stale
    assert (stale.view, stale.by, stale.stored, stale.view.file) == (
        ViewState.of(old),
        ViewState.of(new),
        False,
        old.file,
    )
    assert newer in stale.reason
    assert data(store) == set(new.lines)


@pytest.mark.parametrize("time", [EARLY, ""])
def test_equal_times_with_different_bytes_are_reported_and_the_last_hash_is_current(time: str):
    low, high = sorted((made_view("a", time=time), made_view("b", time=time)), key=lambda view: view.sha256)
    for updates in ([[low], [high]], [[high], [low]], [[low, high]]):
        store = Store.in_memory()
        tied = [lost for views in updates for lost in store.update(views).tied]
        assert [(lost.view, lost.by) for lost in tied] == [(ViewState.of(low), ViewState.of(high))]
        assert data(store) == set(high.lines)


def test_a_page_read_in_another_way_replaces_its_old_reading():
    before, now = made_view("a"), made_view("a", also=(f'{result("a")} {RDFS.comment} "new" .',))
    store = filled([before])
    report = store.update([now])
    assert (report.replaced, report.tied, report.stale) == ((ViewState.of(now),), (), ())
    assert data(store) == set(now.lines)
    assert not store.update([now]).changed


def test_terms_that_the_database_rewrites_do_not_look_like_a_change():
    view = made_view("a", also=(f'{result("a")} {BK.value} "07"^^<http://www.w3.org/2001/XMLSchema#integer> .',))
    store = filled([view])
    assert not store.update([view]).changed


# Shared triples


def test_a_shared_triple_stays_until_no_view_states_it():
    shared = f'{result("a")} {RDFS.label} "result a" .'
    store = filled([made_view("a"), made_view("a", metric="f1"), made_view("a", metric="mcc")])
    store.update([made_view(time="2027-01-01T00:00:00Z")])
    assert shared in store.triples()
    assert store.remove_views([made_view("a", metric="f1").graph]) == (made_view("a", metric="f1").graph,)
    assert shared in store.triples()
    store.remove_views([made_view("a", metric="mcc").graph])
    assert shared not in store.triples()
    assert data(store) == stated(store)


def test_removing_what_is_not_there_changes_nothing():
    store = filled([made_view("a")])
    before = store.quads()
    assert store.remove_views(["https://w3id.org/benchkg/id/sota2/view/none", ONTOLOGY]) == ()
    assert store.quads() == before


# Page counts


def pages(*numbers: int, count: int, time: str) -> list[ViewGraph]:
    return [made_view(f"p{number}", page=number, count=count, time=time) for number in numbers]


def test_a_shrunk_leaderboard_retires_the_pages_beyond_it():
    other = made_view("x", metric="f1", page=3, count=3, time=EARLY)
    store = filled([*pages(1, 2, 3, count=3, time=EARLY), other])
    (first,) = pages(1, count=1, time=LATE)
    report = store.update([first])
    assert [(lost.view.page_number, lost.stored) for lost in report.retired] == [(2, True), (3, True)]
    assert report.dropped == tuple(view.graph for view in pages(2, 3, count=3, time=EARLY))
    assert {view.graph for view in store.views()} == {first.graph, other.graph}
    assert data(store) == stated(store) == {*first.lines, *other.lines}


def test_a_retired_page_that_arrives_late_is_refused():
    store = filled(pages(1, count=1, time=LATE))
    before = store.quads()
    report = store.update(pages(2, count=2, time=EARLY))
    ((lost,), added) = (report.retired, report.added)
    assert (lost.stored, lost.view.file, added, report.changed) == (False, "accuracy-2.md", (), False)
    assert store.quads() == before


@pytest.mark.parametrize(
    "retiring",
    [
        pytest.param(made_view("a", count=1, time=NOON), id="at the same time"),
        pytest.param(made_view("a", count=1, time=EARLY), id="earlier"),
        pytest.param(made_view("a", count=1, time=""), id="without a time"),
        pytest.param(made_view("a", count=None, time=LATE), id="without a count"),
        pytest.param(made_view("a", count=2, time=LATE), id="counting that page"),
        pytest.param(made_view("a", metric="f1", count=1, time=LATE), id="of another leaderboard"),
        pytest.param(made_view("a", page=5, count=1, time=LATE), id="misprinted: page 5 of 1"),
    ],
)
def test_a_page_stays_unless_a_newer_count_excludes_it(retiring: ViewGraph):
    page = made_view("b", page=2, count=2, time=NOON)
    for updates in ([[page], [retiring]], [[retiring], [page]], [[page, retiring]]):
        assert page.graph in {view.graph for view in filled(*updates).views()}


# Order


@st.composite
def histories(draw: st.DrawFn) -> list[ViewGraph]:
    """States of pages of two leaderboards that only ever shrink: growing again is the one case where order matters."""
    counts = sorted(draw(st.lists(st.integers(1, 3), min_size=3, max_size=3)), reverse=True)
    count_at = dict(zip((EARLY, NOON, LATE), counts, strict=True)) | {"": None}
    states = []
    for _ in range(draw(st.integers(1, 7))):
        time = draw(st.sampled_from(["", EARLY, NOON, LATE]))
        page = draw(st.integers(1, count_at[time] or 3))
        texts = draw(st.lists(st.sampled_from("abcd"), max_size=3))
        metric = draw(st.sampled_from(["accuracy", "f1"]))
        states.append(made_view(*texts, metric=metric, page=page, count=count_at[time], time=time))
    return states


@st.composite
def split(draw: st.DrawFn, views: list[ViewGraph]) -> list[list[ViewGraph]]:
    order = draw(st.permutations(views))
    cuts = sorted(draw(st.lists(st.integers(0, len(order)), max_size=3)))
    return [order[start:end] for start, end in zip([0, *cuts], [*cuts, len(order)], strict=True)]


@given(st.data())
def test_the_outcome_depends_neither_on_order_nor_on_the_number_of_updates(source: st.DataObject):
    views = source.draw(histories())
    store = filled(*source.draw(split(views)))
    assert store.quads() == filled(views).quads()
    assert data(store) == stated(store)
    assert not store.update(views).changed


@given(histories())
def test_what_is_current_is_the_last_state_of_each_view_unless_a_newer_count_excludes_it(views: list[ViewGraph]):
    def age(view: ViewGraph) -> tuple[str, str]:
        return view.modified, view.sha256

    last = {view.graph: view for view in sorted(views, key=age)}.values()
    expected = {
        view.graph: view
        for view in last
        if not any(
            other.series == view.series
            and other.page_count is not None
            and other.modified > view.modified
            and other.page_count < view.page_number
            for other in last
        )
    }
    store = filled(views)
    assert {view.graph: view.sha256 for view in store.views()} == {g: view.sha256 for g, view in expected.items()}
    assert data(store) == {line for view in expected.values() for line in view.lines}


@settings(max_examples=60)
@given(st.lists(histories() | st.lists(st.integers(0, 5), min_size=1, max_size=3), max_size=5))
def test_after_any_updates_and_removals_the_default_graph_is_what_the_views_state(steps: list[list[ViewGraph | int]]):
    store = Store.in_memory()
    for step in steps:
        if isinstance(step[0], int):
            known = [view.graph for view in store.views()]
            gone = {known[number % len(known)] for number in step} if known else set()
            assert store.remove_views(gone) == tuple(sorted(gone))
            assert gone.isdisjoint(view.graph for view in store.views())
        else:
            store.update(step)
        assert data(store) == stated(store)
        assert bool(store.triples()) == bool(store.views())


def test_every_order_of_five_states_gives_the_same_dump():
    views = [
        *pages(1, 2, count=2, time=EARLY),
        *pages(1, count=1, time=NOON),
        made_view("z", time=NOON),
        made_view(time=""),
    ]
    dumps = {tuple(filled(*([view] for view in order)).quads()) for order in permutations(views)}
    assert len(dumps) == 1


def test_many_lines_go_another_road_to_the_same_place(monkeypatch: pytest.MonkeyPatch):
    views = [made_view("a", *map(str, range(number)), metric=f"m{number}") for number in range(9)]
    newer = [made_view("b", metric=f"m{number}", time=LATE) for number in range(3)]
    expected = filled(views, newer).quads()
    monkeypatch.setattr(inside, "_BULK", 20)
    assert filled(views, newer).quads() == expected


# The ontology

TINY = f"""
{BK.Result} a <http://www.w3.org/2002/07/owl#Class> ; {RDFS.label} "result" .
{BK.PageSnapshot} {RDFS.label} "snapshot" .
{BK.claim} a {BK.DerivedProperty} ; {RDFS.label} "claim" .
{BK.DerivedProperty} {RDFS.label} "derived" ; {RDFS.isDefinedBy} <{BK.namespace}> .
{BK.Score} {RDFS.label} "score" .
<{BK.namespace}> a <http://www.w3.org/2002/07/owl#Ontology> ; {RDFS.label} "all" ; <urn:example> {BK.Score} .
""".encode()


def labels(store: Store) -> set[str]:
    return {value for _, _, value in store.match(None, RDFS.label) if not value.startswith('"result ')}


def test_the_default_graph_has_the_ontology_of_the_terms_used_and_no_more(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(resources, "ontology", lambda: TINY)
    plain, claiming = made_view("a"), made_view("a", metric="f1", also=(f"{result('a')} {BK.claim} {BK.OwnMethod} .",))
    store = filled([plain])
    assert labels(store) == {'"result"', '"snapshot"', '"all"'}
    store.update([claiming])
    assert labels(store) == {'"result"', '"snapshot"', '"all"', '"claim"', '"derived"'}
    assert len(store.match(graph=ONTOLOGY)) == 11
    store.remove_views([claiming.graph])
    assert store.triples() == filled([plain]).triples()
    store.remove_views([plain.graph])
    assert store.triples() == []


def test_a_new_ontology_takes_the_place_of_the_old_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(resources, "ontology", lambda: TINY)
    store = filled([made_view("a")])
    monkeypatch.setattr(resources, "ontology", lambda: TINY.replace(b'"snapshot"', b'"state of a page"'))
    assert not store.update([made_view("a")]).changed
    assert labels(store) == {'"result"', '"state of a page"', '"all"'}
    assert store.quads() == filled([made_view("a")]).quads()


def test_the_ontology_of_the_project_comes_back_from_the_store_as_it_went_in():
    store = filled([made_view("a")])
    before = store.quads(meta=True)
    store.update([made_view("a")], meta=["<urn:run> <urn:at> <urn:now> ."])
    assert store.quads(meta=True) == before


# What depends on the clock


def test_meta_stands_apart_and_is_left_out_unless_asked_for():
    store, run = Store.in_memory(), f"<urn:run> <urn:graph> <{META}> ."
    store.update([made_view("a")], meta=[run])
    assert store.quads() == filled([made_view("a")]).quads()
    assert set(store.quads(meta=True)) - set(store.quads()) == {f"{run.removesuffix('.')}<{META}> ."}
    assert run not in store.triples()
    assert store.match(graph=META) == [("<urn:run>", "<urn:graph>", f"<{META}>")]


# Questions


def test_answers_are_terms_as_text_and_none_where_unbound():
    store = filled([made_view("a", "b")])
    optional = "OPTIONAL { ?r <urn:no> ?none }"
    select = f"SELECT ?r ?label ?none WHERE {{ ?r a {BK.Result} ; {RDFS.label} ?label {optional} }} ORDER BY ?r"
    assert store.query(select) == Solutions(
        ("r", "label", "none"), ((result("a"), '"result a"', None), (result("b"), '"result b"', None))
    )
    assert store.query(select, {"label": '"result b"'}).rows == ((result("b"), '"result b"', None),)
    assert store.query(select, {"r": result("a")}).rows == ((result("a"), '"result a"', None),)
    assert store.query(f"ASK {{ {result('a')} ?p ?o }}") is True
    assert store.query(f"ASK {{ {result('c')} ?p ?o }}") is False
    construct = f"CONSTRUCT {{ {BK.Result} <urn:has> ?l }} WHERE {{ ?r a {BK.Result} ; {RDFS.label} ?l }}"
    assert store.query(construct) == (
        (BK.Result, "<urn:has>", '"result a"'),
        (BK.Result, "<urn:has>", '"result b"'),
    )


def test_named_graphs_are_reached_by_name_only():
    store = filled([made_view("a"), made_view("a", metric="f1")])
    answer = store.query(f"SELECT ?g WHERE {{ GRAPH ?g {{ {result('a')} a {BK.Result} }} }} ORDER BY ?g")
    assert answer.rows == tuple((f"<{view.graph}>",) for view in (made_view("a"), made_view("a", metric="f1")))


@pytest.mark.parametrize(
    ("text", "bindings", "message"),
    [
        ("SELECT ?s WHERE { ?s", {}, "not well formed"),
        ("DELETE WHERE { ?s ?p ?o }", {}, "not well formed"),
        ("SELECT ?s WHERE { ?s ?p ?o }", {"other": "<urn:x>"}, "other"),
        ("SELECT ?s WHERE { ?s ?p ?o }", {"s": '"unfinished'}, "not well formed"),
        ("SELECT ?s WHERE { ?s ?p ?o }", {"s": "<no iri>"}, "not well formed"),
    ],
)
def test_a_query_that_cannot_be_answered_says_why(text: str, bindings: dict[str, str], message: str):
    with pytest.raises(Misuse, match=message):
        Store.in_memory().query(text, bindings)


def test_patterns_look_up_without_a_query():
    store = filled([made_view("b", "a")])
    assert store.match(result("a")) == [
        (result("a"), RDF.type, BK.Result),
        (result("a"), RDFS.label, '"result a"'),
    ]
    assert store.match(value='"result b"') == [(result("b"), RDFS.label, '"result b"')]
    assert store.match(BK.Score) == []


# Other documents


def test_a_dump_gives_the_same_store_again():
    store = filled([made_view("a"), made_view("b", metric="f1")])
    again = Store.from_rdf("\n".join(store.quads()).encode(), "nq")
    assert again.quads() == store.quads()
    assert again.views() == store.views()
    assert not again.update([made_view("a")]).changed
    turtle = Store.from_rdf("\n".join(store.triples()).encode(), "ttl")
    assert turtle.triples() == turtle.quads() == store.triples()


@pytest.mark.parametrize(("document", "suffix"), [(b"<a> <b>", "nt"), (b"", "csv"), (b"{", "jsonld"), (b"\xff", "ttl")])
def test_what_is_no_rdf_is_refused_in_words(document: bytes, suffix: str):
    with pytest.raises(Misuse, match=r"RDF format|not well-formed"):
        Store.from_rdf(document, suffix)


def test_characters_of_every_kind_come_back_as_they_went_in():
    odd = '"\\u0001\\t\\n\\r\\"\\\\ \\u007F\u0085\u2028\ufeff é 😀"'
    view = made_view(also=(f"{result('a')} {RDFS.label} {odd} .",))
    store = filled([view])
    assert tuple(store.view_lines(view.graph)) == view.lines
    assert data(store) == set(view.lines)
