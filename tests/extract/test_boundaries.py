"""Names of people cut out of entities that a tagger has run together with other words."""

import pytest
import spacy

from crossdoc.extract.boundaries import cut_names
from crossdoc.extract.truecase import CaseCounts

PAPERS = [
    "Secretary Dulles said so. Then Mr. Nasution agreed, and President Djuanda knew it. Mr. Marks believed him.",
    "The letter of state was long. He spoke in Washington, near Washington and at the Pentagon, in Java and in Java.",
    "A visit was made, and a letter written about the visit. Officials of Washington read the letter.",
    "The letter from Washington was long, but Washington was silent.",
] * 8


@pytest.fixture(scope="module")
def cases() -> CaseCounts:
    return CaseCounts().update(PAPERS)


def cut(text: str, name: str, type_: str, cases: CaseCounts) -> list[tuple[str, str]]:
    doc = spacy.blank("en")(text)
    start = text.index(name)
    span = doc.char_span(start, start + len(name))
    return [(doc[a:b].text, kind) for a, b, kind in cut_names(doc, span.start, span.end, type_, cases)]


@pytest.mark.parametrize(
    ("text", "name", "type_", "expected"),
    [
        ("Secretary of State Dulles left", "State Dulles", "organisation", [("Dulles", "person")]),
        ("with General Nasution", "General Nasution", "organisation", [("Nasution", "person")]),
        (
            "by Djuanda and Nasution",
            "Djuanda and Nasution",
            "organisation",
            [("Djuanda", "person"), ("Nasution", "person")],
        ),
        ("Leonard H. Marks Letter", "Leonard H. Marks Letter", "person", [("Leonard H. Marks", "person")]),
        ("Dulles Washington", "Dulles Washington", "person", [("Dulles", "person")]),
        ("the Dulles Committee", "Dulles Committee", "organisation", [("Dulles Committee", "organisation")]),
        ("Wasim Akram", "Wasim Akram", "person", [("Wasim Akram", "person")]),
        ("Abdul Haris Nasution", "Abdul Haris Nasution", "person", [("Abdul Haris Nasution", "person")]),
        ("General Electric", "General Electric", "organisation", [("General Electric", "organisation")]),
        ("in South Korea", "South Korea", "place", [("South Korea", "place")]),
        ("George Nasution, Jr.", "George Nasution, Jr.", "person", [("George Nasution, Jr.", "person")]),
    ],
)
def test_words_that_are_no_part_of_a_name_are_cut_off(
    text: str, name: str, type_: str, expected: list[tuple[str, str]], cases: CaseCounts
) -> None:
    assert cut(text, name, type_, cases) == expected
