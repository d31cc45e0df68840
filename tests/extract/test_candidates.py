"""What may be a name, and what is said of it."""

import pytest
from spacy.language import Language

from crossdoc.extract.candidates import TokenKinds, candidates, place_kind, runs, scene_of
from crossdoc.extract.name_surroundings import NameSpan


def test_runs_end_at_numbers_marks_and_the_ends_of_rows(nlp: Language) -> None:
    doc = nlp("Fortuna Sittard 2 Heerenveen 4\nPSV, Bank of Velmont & Sons\nAJAX 3")
    words = TokenKinds.of(doc)
    found = [doc[start:end].text for start, end in runs(words, frozenset({"&", "of"}))]
    assert found == ["Fortuna Sittard", "Heerenveen", "PSV", "Bank of Velmont & Sons", "AJAX"]


def test_runs_go_on_over_wrapped_lines(nlp: Language) -> None:
    first = "The ministry in the capital has sold its shares of General"
    doc = nlp(f"{first}\nHarbors to a bank, which pays for them by parts\nuntil June.")
    found = [doc[s:e].text for s, e in runs(TokenKinds.of(doc), frozenset())]
    assert found == ["The", "General\nHarbors", "June"]


def test_runs_end_with_the_line_where_lines_are_paragraphs(nlp: Language) -> None:
    doc = nlp(
        "4. Memorandum From the Secretary of State to President Johnson\nWashington, November 27.\nThe report follows."
    )
    found = [doc[s:e].text for s, e in runs(TokenKinds.of(doc), frozenset())]
    assert "President Johnson" in found
    assert "Washington" in found


def test_a_name_with_hyphens_and_a_small_word_is_one(nlp: Language) -> None:
    doc = nlp("Inzamam-ul-Haq c Hussain 35 Ross-on-Wye up-to-date Rolls - out - Royce")
    found = [doc[start:end].text for start, end in runs(TokenKinds.of(doc), frozenset())]
    assert found == ["Inzamam-ul-Haq", "Hussain", "Ross-on-Wye", "Rolls", "Royce"]


@pytest.mark.parametrize(
    ("text", "sport", "numbers"),
    [
        ("SOCCER - Results in the league. Ajax 1 PSV 2 Twente 3 Heerenveen 0", "team", True),
        ("Tennis - Sampras beat Agassi on Monday in New York", "single", False),
        ("The bank raised its rates.", "", False),
    ],
)
def test_a_document_tells_its_sport_and_its_tables(nlp: Language, text: str, sport: str, numbers: bool) -> None:
    doc = nlp(text)
    scene = scene_of(doc, TokenKinds.of(doc))
    assert (scene.sport, scene.numbers) == (sport, numbers)


def test_what_is_said_of_a_candidate(nlp: Language) -> None:
    doc = nlp("Soccer - Ajax Amsterdam 3 Twente 1. Ann Lee saw Lee.")
    lee = [token.i for token in doc if token.text == "Lee"]
    names = [NameSpan(lee[0] - 1, lee[0] + 1, "person"), NameSpan(lee[1], lee[1] + 1, "place")]
    found = {doc[c.start : c.end].text: set(c.features) for c in candidates(doc, names)}
    assert {"called nothing", "words 2", "ends in city", "after number", "sport team table"} <= found["Ajax Amsterdam"]
    assert {"called person", "first name True"} <= found["Ann Lee"]
    assert {"called place", "surname here", "surname here place", "before: saw"} <= found["Lee"]


def test_kinds_of_places() -> None:
    assert [place_kind(name) for name in ("West Germany", "TEXAS", "Boston", "Velmont")] == [
        "country",
        "state",
        "city",
        "",
    ]
