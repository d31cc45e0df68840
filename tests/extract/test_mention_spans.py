"""Mentions as tokens of a parse."""

from __future__ import annotations

import pytest
import spacy
from spacy.language import Language

from crossdoc.extract.mention_spans import Chain, SpanMention
from crossdoc.extract.mentions import find_mentions


def test_a_mention_is_the_tokens_up_to_its_end():
    doc = spacy.blank("en")("Then Ann Lee left.")
    mention = SpanMention(1, 3, "person")
    assert (mention.text(doc), mention.kind) == ("Ann Lee", "name")
    assert (mention.span(doc).start_char, mention.span(doc).end_char) == (5, 12)


def test_chains_do_not_share_their_mentions():
    first, second = Chain("person", "Ann"), Chain("person", "Bo")
    first.mentions.append(SpanMention(0, 1, "person"))
    assert second.mentions == []


def test_nominals_and_pronouns(nlp: Language) -> None:
    doc = nlp("Mary Clark runs a company. The company pays her well, and the senator likes it.")
    everything = {(m.kind, m.text(doc), m.type) for m in find_mentions(doc)}
    assert {("nominal", "The company", "organisation"), ("nominal", "the senator", "person")} <= everything
    assert {("pronoun", "her", "person"), ("pronoun", "it", "organisation")} <= everything


@pytest.mark.parametrize("text", ["It rained all day.", "It is likely that Mary left.", "It seems that Mary left."])
def test_an_empty_it_is_no_mention(nlp: Language, text: str) -> None:
    doc = nlp(text)
    assert [m for m in find_mentions(doc) if m.kind == "pronoun"] == []
