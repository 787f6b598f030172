"""Keys and terms are made by short ways of our own; what the libraries that define them make is the same."""

from __future__ import annotations

import hashlib
import re

import pyoxigraph
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from slugify import slugify
from text_unidecode import unidecode

from kg.identifiers import hashed, named_key, slug, source_key
from kg.terms import canonical, escaped, lexical, literal, ntriples, stated

characters = st.characters(exclude_categories=["Cs"])
texts = st.text(characters)
names = st.lists(
    st.sampled_from(
        ["&", "&amp;", "&#38;", "&#x26;", "amp", ";", ",", "1", "2,3", "'", '"', "-", "_", " ", ".", "A", "b"]
    )
    | characters
).map("".join)
IRIS = [f"<{name}>" for name in ("a", "a#b", "a/b", "ab", "b")]
OBJECTS = [*IRIS, '"a"', '"a"^^<a>', '"a b"', '"ab"', '"Δ"', '"😀"']


@given(names | texts | st.text("ab -_.'", min_size=50))
def test_a_slug_is_what_slugify_makes(name):
    assert slug(name) == slugify(unidecode(name), max_length=60)


@pytest.mark.parametrize(
    "name", ["Q&amp;A", "Q&A", "1,000", "x'y", "a" * 59 + "-b", "a" * 60 + "b", "É, &eacute;", "中,1"]
)
def test_a_slug_of_what_slugify_treats_alone(name):
    assert slug(name) == slugify(unidecode(name), max_length=60)


@given(st.lists(texts | st.integers(-(2**53) + 1, 2**53 - 1), min_size=1))
def test_the_hashed_array_is_canonical_json(parts):
    assert hashed(*parts, digits=64) == hashlib.sha256(rfc8785.dumps(parts)).hexdigest()


def test_every_character_below_u_00a0_is_hashed_as_canonical_json():
    for code in range(0xA0):
        assert hashed(chr(code)) == hashlib.sha256(rfc8785.dumps([chr(code)])).hexdigest()[:10]


@given(names | st.text("aZ09-_é٣ \n"))
def test_an_id_of_the_source_is_a_key_where_it_is_a_plain_token(identifier):
    plain = re.fullmatch("[A-Za-z0-9][A-Za-z0-9_-]*", identifier)
    assert source_key("paper", identifier) == (identifier if plain else named_key("paper", identifier))


@given(texts)
def test_a_literal_is_canonical_n_triples(text):
    assert literal(text) == str(pyoxigraph.Literal(text))
    assert lexical(literal(text)) == text


@pytest.mark.parametrize("code", [*range(0x100), 0x2028, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x1F600, 0x10FFFF])
def test_every_odd_character_stands_in_a_literal_as_oxigraph_writes_it(code):
    assert literal(f"a{chr(code)}") == str(pyoxigraph.Literal(f"a{chr(code)}"))


@given(texts, texts)
def test_a_text_may_be_escaped_in_parts(one, other):
    assert f'"{escaped(one)}{escaped(other)}"' == literal(one + other)


@given(st.lists(st.tuples(st.sampled_from(IRIS), st.sets(st.tuples(st.sampled_from(IRIS), st.sampled_from(OBJECTS))))))
def test_the_lines_of_nodes_are_the_sorted_set_of_their_triples(nodes):
    made = canonical(stated(subject, [" ".join(pair) for pair in pairs]) for subject, pairs in nodes)
    assert made == ntriples((subject, *pair) for subject, pairs in nodes for pair in pairs)
