"""The type of a name by its surroundings and its other occurrences in the document."""

from __future__ import annotations

from spacy.language import Language
from spacy.tokens import Doc, Span

from crossdoc.extract.mentions import find_mentions


def names(doc: Doc, type_: str | None = None) -> list[str]:
    found = find_mentions(doc, nominals=False, pronouns=False)
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


def test_the_majority_decides_the_type(nlp: Language) -> None:
    text = "Velmont rose. Analysts like Velmont. Shares of Velmont fell."
    doc = with_entities(nlp, text, ("Velmont", "ORG"), ("Velmont", "ORG"), ("Velmont", "PERSON"))
    assert names(doc, "organisation") == ["Velmont"] * 3


def test_lincoln_the_man_and_lincoln_the_town(nlp: Language) -> None:
    text = "Abraham Lincoln spoke. Crowds in Lincoln cheered. Later Mr. Lincoln rested."
    doc = with_entities(nlp, text, ("Abraham Lincoln", "PERSON"), ("Lincoln", "GPE"), ("Lincoln", "GPE"))
    assert names(doc, "person") == ["Abraham Lincoln", "Lincoln"]
    assert names(doc, "place") == ["Lincoln"]


def test_a_surname_called_a_place_is_the_person_introduced_before(nlp: Language) -> None:
    text = "Inder Vashti spoke. Vashti said no. Vashti left."
    doc = with_entities(nlp, text, ("Inder Vashti", "PERSON"), ("Vashti", "GPE"), ("Vashti", "GPE"))
    assert names(doc, "person") == ["Inder Vashti", "Vashti", "Vashti"]


def test_a_company_named_like_its_founder_stays_a_company(nlp: Language) -> None:
    text = "Henry Velmont founded Velmont Motor Co. long ago. Velmont sells cars."
    doc = with_entities(nlp, text, ("Henry Velmont", "PERSON"), ("Velmont Motor Co.", "ORG"), ("Velmont", "ORG"))
    assert names(doc, "organisation") == ["Velmont Motor Co.", "Velmont"]
