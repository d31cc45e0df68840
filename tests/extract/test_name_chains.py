"""Names of one document into entities, on sentences written for the purpose; the hard cases each by themselves."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from crossdoc.extract.chains import build_chains
from crossdoc.extract.mention_spans import Chain, SpanMention


def mentioned(nlp: Language, text: str, *mentions: str) -> tuple[Doc, list[SpanMention]]:
    """Mentions given as "type kind: words", each at its next place in the text; kind is name unless said."""
    doc = nlp(text)
    found = []
    at = 0
    for entry in mentions:
        head, _, words = entry.partition(": ")
        type_, _, kind = head.partition(" ")
        start = text.index(words, at)
        at = start + len(words)
        span = doc.char_span(start, start + len(words))
        assert span is not None, f"{words} is no whole number of tokens"
        found.append(SpanMention(span.start, span.end, type_, kind or "name"))  # type: ignore[arg-type]
    return doc, found


def texts(doc: Doc, chains: list[Chain]) -> list[list[str]]:
    return [[m.text(doc) for m in chain.mentions] for chain in chains]


def people(nlp: Language, text: str, *names: str) -> list[list[str]]:
    doc, mentions = mentioned(nlp, text, *(f"person: {name}" for name in names))
    return texts(doc, build_chains(doc, mentions))


def organisations(nlp: Language, text: str, *names: str) -> list[list[str]]:
    doc, mentions = mentioned(nlp, text, *(f"organisation: {name}" for name in names))
    return texts(doc, build_chains(doc, mentions))


# Names of people


def test_surname_first_name_and_titled_surname(nlp: Language) -> None:
    text = "Mary Clark won. Clark smiled. Sen. Clark left, but Mary came back."
    assert people(nlp, text, "Mary Clark", "Clark", "Clark", "Mary") == [["Mary Clark", "Clark", "Clark", "Mary"]]


def test_initials_and_nickname(nlp: Language) -> None:
    text = "William T. Dorsey sings. Bill Dorsey began young. W. T. Dorsey tours. Bill likes it."
    assert len(people(nlp, text, "William T. Dorsey", "Bill Dorsey", "W. T. Dorsey", "Bill")) == 1


def test_initials_alone(nlp: Language) -> None:
    text = "John Fitzgerald Kelso won. Crowds loved JFK."
    assert people(nlp, text, "John Fitzgerald Kelso", "JFK") == [["John Fitzgerald Kelso", "JFK"]]


def test_a_headline_surname_goes_to_the_full_name_below(nlp: Language) -> None:
    assert people(nlp, "Clark wins\n\nMary Clark won on Friday.", "Clark", "Mary Clark") == [["Clark", "Mary Clark"]]


def test_particles(nlp: Language) -> None:
    text = "Pieter van Dalen paints. Critics love van Dalen, and Dalen knows."
    assert people(nlp, text, "Pieter van Dalen", "van Dalen", "Dalen") == [["Pieter van Dalen", "van Dalen", "Dalen"]]


def test_mr_and_mrs(nlp: Language) -> None:
    text = "Robert Hale spoke. Susan Hale listened. Mr. Hale sat down. Mrs. Hale rose. Mr. Hale slept."
    found = people(nlp, text, "Robert Hale", "Susan Hale", "Hale", "Hale", "Hale")
    assert found == [["Robert Hale", "Hale", "Hale"], ["Susan Hale", "Hale"]]


def test_mrs_is_not_the_only_man_of_that_name(nlp: Language) -> None:
    assert people(nlp, "Robert Hale spoke. Mrs. Hale listened.", "Robert Hale", "Hale") == [["Robert Hale"], ["Hale"]]


def test_father_and_son_of_one_name(nlp: Language) -> None:
    text = "John Hale Sr. built it. John Hale Jr. sold it. The elder Hale died. The younger Hale left."
    found = people(nlp, text, "John Hale Sr.", "John Hale Jr.", "Hale", "Hale")
    assert found == [["John Hale Sr.", "Hale"], ["John Hale Jr.", "Hale"]]


def test_middle_initials_keep_namesakes_apart(nlp: Language) -> None:
    text = (
        "George H. W. Tarrant ruled first. His son George W. Tarrant ruled later. "
        "The younger Tarrant lost. The elder Tarrant won."
    )
    doc = nlp(text)
    starts = [t.i for t in doc if t.text == "Tarrant"]
    mentions = [
        SpanMention(starts[0] - 3, starts[0] + 1, "person"),
        SpanMention(starts[1] - 2, starts[1] + 1, "person"),
    ]
    mentions += [SpanMention(i, i + 1, "person") for i in starts[2:]]
    found = [[m.start for m in chain.mentions] for chain in build_chains(doc, mentions)]
    assert found == [[starts[0] - 3, starts[3]], [starts[1] - 2, starts[2]]]


def test_different_first_names_are_different_people(nlp: Language) -> None:
    text = "Paul Hale met Paula Hale. His brother Eric Hale met Erica Hale."
    assert len(people(nlp, text, "Paul Hale", "Paula Hale", "Eric Hale", "Erica Hale")) == 4


def test_a_bare_surname_goes_to_the_nearer(nlp: Language) -> None:
    text = "Robert Hale spoke first. Then many others spoke. Some left. Susan Hale spoke last. Hale was applauded."
    assert people(nlp, text, "Robert Hale", "Susan Hale", "Hale") == [["Robert Hale"], ["Susan Hale", "Hale"]]


def test_a_monarch_has_no_surname(nlp: Language) -> None:
    text = "King Hussein of Jordan met Saddam Hussein of Iraq. King Hussein left, and President Hussein stayed."
    assert people(nlp, text, "Hussein", "Saddam Hussein", "Hussein", "Hussein") == [
        ["Hussein", "Hussein"],
        ["Saddam Hussein", "Hussein"],
    ]


def test_a_title_said_before_wins_over_nearness(nlp: Language) -> None:
    text = "Gov. Robert Hale spoke. Susan Hale spoke too. Gov. Hale was applauded."
    assert people(nlp, text, "Robert Hale", "Susan Hale", "Hale") == [["Robert Hale", "Hale"], ["Susan Hale"]]


def test_a_prince_is_not_any_john(nlp: Language) -> None:
    assert len(people(nlp, "John Hale spoke. Prince John listened.", "John Hale", "John")) == 2


def test_similar_surnames_are_two(nlp: Language) -> None:
    assert len(people(nlp, "Tom Anders met Ann Sanders. Sanders left.", "Tom Anders", "Ann Sanders", "Sanders")) == 2


# Organisations and places


def test_acronym_by_definition_and_by_letters(nlp: Language) -> None:
    text = "The National Cycling Association (NCA) met. The NCA voted. General Harbors Corp. watched. GH was glad."
    found = organisations(nlp, text, "National Cycling Association", "NCA", "NCA", "General Harbors Corp.", "GH")
    assert found == [["National Cycling Association", "NCA", "NCA"], ["General Harbors Corp.", "GH"]]


def test_an_acronym_defined_against_its_letters(nlp: Language) -> None:
    text = "Sea Airlines Northwest (SIA) flew. Then SIA landed."
    assert len(organisations(nlp, text, "Sea Airlines Northwest", "SIA", "SIA")) == 1


def test_short_forms(nlp: Language) -> None:
    text = "General Harbors Corp. grew. General Harbors sold ships. Norquist Grimm Inc. shrank. Norquist fell."
    found = organisations(nlp, text, "General Harbors Corp.", "General Harbors", "Norquist Grimm Inc.", "Norquist")
    assert found == [["General Harbors Corp.", "General Harbors"], ["Norquist Grimm Inc.", "Norquist"]]


@pytest.mark.parametrize(
    ("full", "part"),
    [("General Harbors Corp.", "Harbors"), ("General Harbors Corp.", "General"), ("Norquist Foundation", "Norquist")],
)
def test_parts_that_are_no_short_forms(nlp: Language, full: str, part: str) -> None:
    assert len(organisations(nlp, f"{full} grew. Later {part} fell.", full, part)) == 2


def test_a_place_is_no_short_form_of_a_newspaper(nlp: Language) -> None:
    text = "The Boston Herald sold well. Boston won."
    assert len(organisations(nlp, text, "Boston Herald", "Boston")) == 1
    doc, mentions = mentioned(
        nlp,
        text + " Boston, the team, was glad.",
        "organisation: Boston Herald",
        "place: Boston",
        "organisation: Boston",
    )
    assert texts(doc, build_chains(doc, mentions)) == [["Boston Herald"], ["Boston"], ["Boston"]]


def test_places(nlp: Language) -> None:
    text = "He left the U.S. for Kansas City. In Kansas he missed the United States, America."
    names = ["place: U.S.", "place: Kansas City", "place: Kansas", "place: United States", "place: America"]
    doc, mentions = mentioned(nlp, text, *names)
    assert texts(doc, build_chains(doc, mentions)) == [
        ["U.S.", "United States", "America"],
        ["Kansas City"],
        ["Kansas"],
    ]
