"""Patterns of statements: each row can match, and the matcher finds predicates with their slots."""

from __future__ import annotations

import pytest
from spacy.language import Language

from crossdoc.extract.relation_patterns import is_school, relation_matcher
from crossdoc.lang import pack


def test_every_row_can_match() -> None:
    known = pack("en").relations
    types = {"person", "organisation", "place"}
    assert all(row.words and row.slots and row.other in types for row in (*known.nouns, *known.verbs))


@pytest.mark.parametrize(
    ("text", "pattern", "words"),
    [
        ("He is the chairman of IBM.", "noun, preposition", {"chairman", "of"}),
        ("He works for IBM.", "verb, preposition", {"works", "for"}),
        ("She founded IBM.", "verb, object", {"founded", "IBM"}),
    ],
)
def test_a_predicate_is_found_with_its_slot(nlp: Language, text: str, pattern: str, words: set[str]) -> None:
    doc = nlp(text)
    found = {
        (nlp.vocab.strings[key], frozenset(doc[i].text for i in at)) for key, at in relation_matcher(nlp.vocab)(doc)
    }
    assert (pattern, frozenset(words)) in found


def test_schools_are_known_by_their_words() -> None:
    assert is_school("University of Oslo", "en")
    assert not is_school("General Motors", "en")
