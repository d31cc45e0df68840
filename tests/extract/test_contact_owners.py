"""Contact details are given to the right chain."""

from __future__ import annotations

import spacy
from spacy.tokens import Doc, Span

from crossdoc.extract.contact_owners import contacts_of
from crossdoc.extract.mention_spans import Chain, SpanMention
from crossdoc.names.contact_details import find_contacts


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
