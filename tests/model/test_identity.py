"""Identities as people read them, and the facts that describe them."""

from __future__ import annotations

from crossdoc.model import Document, Documents, Facts, Identity, KnownEntry, Member, Mention, Mentions


def test_facts_are_counted_by_profile_and_document():
    mentions = Mentions.of(
        [
            Mention("1", "d", 0, 7, "Ann Lee", "person", "name", "p"),
            Mention("2", "d", 9, 12, "Lee", "person", "name", "p"),
            Mention("3", "d", 14, 17, "she", "person", "pronoun", "p"),
        ]
    )
    facts = Facts.of(mentions, Documents.of([Document("d", "text", date="1996-01-14"), Document("e", "text")]))
    assert facts.variants == {"p": ["Ann Lee", "Lee"]}
    assert facts.mention_counts == {"p": 3}
    assert facts.dates == {"d": "1996-01-14"}
    assert Facts.of(None, None) == Facts()


def test_an_identity_is_shown_by_its_name():
    identity = Identity("p", "Ann Lee", "person", "judge", {"Ann Lee": 2}, 1, 2, None, None, 0.9, [])
    assert "Ann Lee" in str(identity)
    assert Member("p", "d", "Ann Lee", 0.5).snippet == ""
    assert KnownEntry("Q1", "Ann Lee").aliases == ()
