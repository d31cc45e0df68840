"""Mentions as tokens of a parse."""

import spacy

from crossdoc.extract.mention_spans import Chain, SpanMention


def test_a_mention_is_the_tokens_up_to_its_end():
    doc = spacy.blank("en")("Then Ann Lee left.")
    mention = SpanMention(1, 3, "person")
    assert (mention.text(doc), mention.kind) == ("Ann Lee", "name")
    assert (mention.span(doc).start_char, mention.span(doc).end_char) == (5, 12)


def test_chains_do_not_share_their_mentions():
    first, second = Chain("person", "Ann"), Chain("person", "Bo")
    first.mentions.append(SpanMention(0, 1, "person"))
    assert second.mentions == []
