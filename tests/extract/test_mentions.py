"""Finding mentions, on sentences written for the purpose; some entities are set by hand to fix what the model says."""

from __future__ import annotations

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from crossdoc.extract.mention_spans import SpanMention
from crossdoc.extract.mentions import cut_name, find_mentions
from crossdoc.extract.truecase import CaseCounts

WEIRD = {
    "empty": "",
    "space": " \n\t ",
    "one word": "Smith",
    "one mark": "(",
    "control characters": "John\x00 Smith\x07 of \x1bBoston\x7f met\u200b Ann\ufeff Lee.",
    "markup": "<p><b>John Smith</b>&nbsp;<a href='http://x.org/?a=1'>met Ann Lee</a></p><br/>{{cite|John}} [[Hub]]",
    "no letters": "12 -- 13 ... ((( ''' \"\"\" 5%",
    "other script": "Иван Петров встретил 王小明 в Москве.",
    "emoji": "John 😀 Smith 👨‍👩‍👧 of Boston",
}


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


def test_possessive_article_title_and_quotes_are_cut(nlp: Language) -> None:
    text = 'Senator Mary Clark\'s plan pleased the Harbor Alliance. "Tom Reed" disagreed.'
    doc = with_entities(
        nlp, text, ("Senator Mary Clark's", "PERSON"), ("the Harbor Alliance", "ORG"), ('"Tom Reed"', "PERSON")
    )
    assert names(doc) == ["Mary Clark", "Harbor Alliance", "Tom Reed"]


def test_a_lone_title_is_no_name(nlp: Language) -> None:
    doc = with_entities(nlp, "The Senator left early.", ("Senator", "PERSON"))
    assert names(doc) == []


def test_the_hague_keeps_its_article(nlp: Language) -> None:
    doc = with_entities(nlp, "The court sits in The Hague today.", ("The Hague", "GPE"))
    assert names(doc) == ["The Hague"]


def test_party_and_state_is_no_mention(nlp: Language) -> None:
    doc = with_entities(nlp, "Mary Clark, D-N.Y., spoke.", ("Mary Clark", "PERSON"), ("D-N.Y.", "ORG"))
    assert names(doc) == ["Mary Clark"]


@pytest.mark.parametrize(
    "text",
    [
        "BRANFORD, March 3 - The mayor said little.",
        "BRANFORD (AP) -- The mayor said little.",
        "BRANFORD -- The mayor said little.",
        "BRANFORD, Conn. (AP) -- The mayor said little.",
        "Storm hits coast\n\n\tBRANFORD, Conn., March 3 -- The mayor said little.",
    ],
)
def test_datelines_are_places(nlp: Language, text: str) -> None:
    doc = with_entities(nlp, text, ("BRANFORD", "ORG"))
    assert "BRANFORD" in names(doc, "place")


def test_a_shout_is_no_dateline(nlp: Language) -> None:
    assert names(with_entities(nlp, "STOP! The mayor said little.")) == []


def test_names_of_two_paragraphs_are_two(nlp: Language) -> None:
    doc = with_entities(nlp, "By Mary Clark\n\nTom Reed lives here.", ("Mary Clark\n\nTom Reed", "PERSON"))
    assert names(doc) == ["Mary Clark", "Tom Reed"]


def test_first_name_and_initial_are_taken_in(nlp: Language) -> None:
    text = "Thomas Reed met J. Clark."
    assert names(with_entities(nlp, text, ("Reed", "PERSON"), ("Clark", "PERSON"))) == ["Thomas Reed", "J. Clark"]


def test_two_people_in_one_entity_are_two(nlp: Language) -> None:
    doc = with_entities(nlp, "Mary Clark and Tom Reed met.", ("Mary Clark and Tom Reed", "PERSON"))
    assert names(doc) == ["Mary Clark", "Tom Reed"]


@pytest.mark.parametrize("text", WEIRD.values(), ids=WEIRD)
def test_weird_text_never_raises(nlp: Language, text: str) -> None:
    doc = nlp(text)
    found = find_mentions(doc)
    assert all(0 <= m.start < m.end <= len(doc) for m in found)


def test_a_document_without_a_parse_is_read(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words=["Mary", "Clark", "left", "the", "company", "."])
    doc.ents = (Span(doc, 0, 2, "PERSON"),)
    assert names(doc) == ["Mary Clark"]
    find_mentions(doc)


@pytest.mark.slow
def test_a_line_of_100_000_characters(nlp: Language) -> None:
    text = "Mary Clark met Tom Reed of Boston and she told him that the company liked it; " * 1300
    doc = nlp(text[:100_000])
    found = find_mentions(doc)
    assert len(found) > 5000
    taken = [i for m in found if m.kind == "name" for i in range(m.start, m.end)]
    assert len(taken) == len(set(taken))


FRENCH = spacy.blank("fr").vocab


def french(text: str, tags: str = "") -> list[tuple[str, str]]:
    """Names of a French text, whose words in capitals are proper nouns; a tag is the number of a word and its label."""
    words = text.split()
    labels = dict(tag.split(":") for tag in tags.split())
    pos = ["PROPN" if word[0].isupper() else "ADP" if word in {"à", "de", "d'"} else "NOUN" for word in words]
    starts = [i == 0 for i in range(len(words))]
    ents = [labels.get(str(i), "O") for i in range(len(words))]
    doc = Doc(FRENCH, words, pos=pos, ents=ents, sent_starts=starts)
    return [(mention.text(doc), mention.type) for mention in find_mentions(doc) if mention.kind == "name"]


@pytest.mark.parametrize(
    ("text", "tags", "found"),
    [
        ("le général de Gaulle parle", "3:B-PERSON", [("de Gaulle", "person")]),
        ("la statue de Gaulle tombe", "3:B-PERSON", [("Gaulle", "person")]),
        ("hier Drouyn et Lhuys parle", "1:B-PERSON 3:B-PERSON", [("Drouyn", "person"), ("Lhuys", "person")]),
        ("le roi de Suède parle", "3:B-LOC", [("Suède", "place")]),
        ("le colonel Gerbaux parle", "2:B-ORG", [("Gerbaux", "person")]),
        ("le train Gerbaux parle", "2:B-ORG", [("Gerbaux", "organisation")]),
        ("la RUSSIE parle", "1:B-ORG", [("RUSSIE", "place")]),
        ("la Banque de Roux parle", "1:B-LOC 2:I-LOC 3:I-LOC", [("Banque de Roux", "organisation")]),
        ("les Suisses et la Suisse", "1:B-LOC 4:B-LOC", [("Suisse", "place")]),
        ("vit à Paris", "1:B-LOC 2:I-LOC", [("Paris", "place")]),
        ("la réfumerà parle", "1:B-ORG", []),
        ("hier A parle", "1:B-LOC", []),
    ],
)
def test_french_names_without_a_model(text, tags, found):
    assert french(text, tags) == found


def test_scripts_without_capitals_have_names(nlp):
    assert names(with_entities(nlp, "Yesterday 王小明 left.", ("王小明", "PERSON"))) == ["王小明"]
    assert names(with_entities(nlp, "Yesterday josé left.", ("josé", "PERSON"))) == []


def test_two_people_joined_in_another_language_than_the_models_are_two(nlp: Language) -> None:
    text = "Finanzminister Gerhard Stoltenberg und Bundeskanzler Helmut Kohl trafen Karl von und zu Linden."
    both = "Finanzminister Gerhard Stoltenberg und Bundeskanzler Helmut Kohl"
    doc = with_entities(nlp, text, (both, "PERSON"), ("Karl von und zu Linden", "PERSON"))
    found = names(doc)
    assert not any("Stoltenberg" in name and "Kohl" in name for name in found)
    assert any(name.endswith("Helmut Kohl") for name in found)
    assert "Karl von und zu Linden" in found


PAPERS = [
    "Secretary Dulles said so. Then Mr. Nasution agreed, and President Djuanda knew it. Mr. Marks believed him.",
    "The letter of state was long. He spoke in Washington, near Washington and at the Pentagon, in Java and in Java.",
    "A visit was made, and a letter written about the visit. Officials of Washington read the letter.",
    "The letter from Washington was long, but Washington was silent.",
] * 8


@pytest.fixture(scope="module")
def cases() -> CaseCounts:
    return CaseCounts().update(PAPERS)


def cut(text: str, name: str, type_: str, cases: CaseCounts) -> tuple[str, str]:
    doc = spacy.blank("en")(text)
    start = text.index(name)
    span = doc.char_span(start, start + len(name))
    name = cut_name(doc, SpanMention(span.start, span.end, type_), cases)
    return name.text(doc), name.type


@pytest.mark.parametrize(
    ("text", "name", "type_", "expected"),
    [
        ("Secretary of State Dulles left", "State Dulles", "organisation", ("Dulles", "person")),
        ("with General Nasution", "General Nasution", "organisation", ("Nasution", "person")),
        ("Leonard H. Marks Letter", "Leonard H. Marks Letter", "person", ("Leonard H. Marks", "person")),
        ("Dulles Washington", "Dulles Washington", "person", ("Dulles", "person")),
        ("the Dulles Committee", "Dulles Committee", "organisation", ("Dulles Committee", "organisation")),
        ("Wasim Akram", "Wasim Akram", "person", ("Wasim Akram", "person")),
        ("Abdul Haris Nasution", "Abdul Haris Nasution", "person", ("Abdul Haris Nasution", "person")),
        ("General Electric", "General Electric", "organisation", ("General Electric", "organisation")),
        ("in South Korea", "South Korea", "place", ("South Korea", "place")),
        ("George Nasution, Jr.", "George Nasution, Jr.", "person", ("George Nasution, Jr.", "person")),
    ],
)
def test_words_that_are_no_part_of_a_name_are_cut_off(
    text: str, name: str, type_: str, expected: tuple[str, str], cases: CaseCounts
) -> None:
    assert cut(text, name, type_, cases) == expected
