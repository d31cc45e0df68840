"""Score cards: every name of a line, and no other line touched."""

import spacy

from crossdoc.extract.name_evidence import NameSpan
from crossdoc.extract.score_cards import with_score_cards

CARD = """Pakistan second innings
Saeed Anwar c Croft b Mullally 19
Inzamam-ul-Haq lbw b Caddick 35
Wasim Akram b Harris 4
Plan b Harris said was better.
Extras 12
"""


def said(text: str, names: list[NameSpan], language: str = "en") -> list[tuple[str, str]]:
    doc = spacy.blank(language)(text)
    return [(doc[n.start : n.end].text, n.type) for n in with_score_cards(doc, names)]


def test_each_name_of_a_line_is_a_person():
    people = ["Saeed Anwar", "Croft", "Mullally", "Inzamam-ul-Haq", "Caddick", "Wasim Akram", "Harris"]
    found = said(CARD, [])
    assert [name.replace(" - ", "-") for name, _ in found] == people
    assert {type_ for _, type_ in found} == {"person"}


def test_names_elsewhere_stay_and_those_of_the_line_are_cut():
    doc = spacy.blank("en")(CARD)
    pakistan, glued = NameSpan(0, 1, "place"), NameSpan(4, 8, "organisation")
    assert doc[4:8].text == "Saeed Anwar c Croft"
    found = said(CARD, [pakistan, glued])
    assert found[0] == ("Pakistan", "place")
    assert ("Saeed Anwar c Croft", "organisation") not in found
    assert len(found) == 8


def test_a_language_without_such_words_has_no_score_cards():
    assert said("Wasim Akram b Harris 4", [NameSpan(0, 2, "person")], "fr") == [("Wasim Akram", "person")]
