"""Names by their surroundings and their other occurrences: their types, and those that the model missed."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Doc, Span

from crossdoc.extract.mentions import find_mentions
from crossdoc.extract.name_surroundings import place_kind


def names(doc: Doc, type_: str | None = None) -> list[str]:
    found = [mention for mention in find_mentions(doc) if mention.kind == "name"]
    return [" ".join(m.text(doc).split()) for m in found if type_ in {None, m.type}]


def with_entities(nlp: Language, text: str, *entities: tuple[str, str]) -> Doc:
    """A parsed text whose entities are exactly these (text, label), each at its next place in the text."""
    doc = nlp(text)
    spans: list[Span] = []
    at = 0
    for words, label in entities:
        start = text.index(words, at)
        at = start + len(words)
        span = doc.char_span(start, at, label=label)
        assert span is not None, f"{words} is no whole number of tokens"
        spans.append(span)
    doc.ents = tuple(spans)
    return doc


def test_lincoln_the_man_and_lincoln_the_town(nlp: Language) -> None:
    text = "Abraham Lincoln spoke. Crowds in Lincoln cheered. Later Mr. Lincoln rested."
    doc = with_entities(nlp, text, ("Abraham Lincoln", "PERSON"), ("Lincoln", "GPE"), ("Lincoln", "GPE"))
    assert names(doc, "person") == ["Abraham Lincoln", "Lincoln"]
    assert names(doc, "place") == ["Lincoln"]


def test_a_surname_called_a_place_is_the_person_introduced_before(nlp: Language) -> None:
    text = "Inder Vashti spoke. Vashti said no. Vashti left."
    doc = with_entities(nlp, text, ("Inder Vashti", "PERSON"), ("Vashti", "GPE"), ("Vashti", "GPE"))
    assert names(doc, "person") == ["Inder Vashti", "Vashti", "Vashti"]


def test_a_surname_missed_the_second_time_is_found(nlp: Language) -> None:
    text = "Tom Brannock runs a bakery. Critics like Brannock a lot."
    assert names(with_entities(nlp, text, ("Tom Brannock", "PERSON"))) == ["Tom Brannock", "Brannock"]


def test_a_repeat_is_matched_with_its_case(nlp: Language) -> None:
    doc = with_entities(nlp, "Tom Young runs a bakery. He is young and happy.", ("Tom Young", "PERSON"))
    assert names(doc) == ["Tom Young"]


@pytest.mark.parametrize(
    ("tail", "found"),
    [
        ("The Lantern expects letters.", ["London Lantern", "Lantern"]),
        ("He lit the Lantern, a lantern of brass.", ["London Lantern"]),
    ],
)
def test_the_last_word_of_an_organisation_is_found_again(nlp: Language, tail: str, found: list[str]) -> None:
    doc = with_entities(nlp, f"He wrote for the London Lantern. {tail}", ("London Lantern", "ORG"))
    assert names(doc, "organisation") == found


@pytest.mark.parametrize("organisation", ["London Bank", "Bank of London", "Association of Mary"])
def test_a_last_word_that_means_something_else_is_not(nlp: Language, organisation: str) -> None:
    last = organisation.split()[-1]
    doc = with_entities(nlp, f"He wrote for the {organisation}. They liked {last} there.", (organisation, "ORG"))
    assert names(doc, "organisation") == [organisation]


def test_another_first_name_before_a_repeated_surname_belongs_to_it(nlp: Language) -> None:
    doc = with_entities(nlp, "Tom Brannock met his aunt Mary Brannock there.", ("Tom Brannock", "PERSON"))
    assert names(doc) == ["Tom Brannock", "Mary Brannock"]


def test_kinds_of_places() -> None:
    assert [place_kind(name) for name in ("West Germany", "TEXAS", "Boston", "Velmont")] == [
        "country",
        "state",
        "city",
        "",
    ]
