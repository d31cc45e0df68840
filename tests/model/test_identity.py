"""Identities as people read them, and the facts that describe them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from crossdoc.model import (
    Document,
    Documents,
    Facts,
    Identity,
    KnownEntry,
    Member,
    Mention,
    Mentions,
    Partition,
    Profile,
    Profiles,
    Relation,
    Vectors,
)
from crossdoc.model.identity import canonical_name, describe, key_words


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


PROFILES = Profiles.of(
    [
        Profile("b", "d1", "Bush", "person", attributes={"descriptor": ["president", "old friend"], "title": ["Mr"]}),
        Profile("a", "d2", "George Bush", "person", attributes={"descriptor": ["president"]}),
        Profile("c", "d4", "G. Bush", None, attributes={"descriptor": ["tall man"]}),
        Profile("x", "d3", "Acme", "organisation"),
    ]
)
SOFT = Partition(PROFILES.ids, [[0.6, 0.0, 0.4], [1.0, 0.0, 0.0], [0.5, 0.1, 0.4], [0.0, 0.0, 1.0]])


def test_an_identity_by_hand():
    facts = Facts(
        {"b": ["Bush", "President Bush"], "a": ["George Bush", "Bush"]},
        {"b": 3, "a": 1, "x": 2},
        {"d1": "1996-05", "d2": "1996-01-02", "d4": "1996-03", "d9": "1900"},
    )
    bush, acme = describe(SOFT, PROFILES, facts, ["w0", "w1", "w2"])
    assert (bush.id, bush.name, bush.type, bush.descriptor) == ("a", "President Bush", "person", "president")
    assert bush.variants == {"Bush": 2, "G. Bush": 1, "George Bush": 1, "President Bush": 1}
    assert list(bush.variants) == ["Bush", "G. Bush", "George Bush", "President Bush"]
    assert (bush.n_documents, bush.n_mentions) == (3, 4)
    assert (bush.first_date, bush.last_date) == ("1996-01-02", "1996-05")
    assert bush.certainty == pytest.approx((0.6 + 1.0 + 0.5) / 3)
    assert (acme.id, acme.name, acme.type, acme.descriptor) == ("x", "Acme", "organisation", "w2")
    assert (acme.n_documents, acme.n_mentions, acme.first_date, acme.last_date) == (1, 2, None, None)
    assert acme.certainty == 1.0


def test_profiles_without_mentions_stand_for_one_each():
    bush, acme = describe(SOFT, PROFILES, Facts())
    assert (bush.n_mentions, acme.n_mentions) == (3, 1)
    assert bush.variants == {"Bush": 1, "G. Bush": 1, "George Bush": 1}
    assert acme.descriptor == ""


def test_of_descriptors_as_frequent_the_longest():
    profiles = Profiles.of([Profile("a", "d", "Ann", attributes={"descriptor": ["chair", "head of Acme", "chief"]})])
    (ann,) = describe(Partition(["a"], [[1.0]]), profiles, Facts(), ["words"])
    assert ann.descriptor == "head of Acme"


def test_names_that_say_as_much():
    assert canonical_name({"Ann Li": 1, "Ann Lee": 1}) == "Ann Lee"
    assert canonical_name({"Bo": 1, "Al": 1}) == "Bo"
    assert canonical_name({"Bush": 7, "George W. Bush": 2}) == "Bush"
    assert canonical_name({}) == ""


def test_key_words_are_the_three_heaviest_of_each_cluster():
    words = np.array(["ape", "bee", "cat", "dog", "eel"], dtype=object)
    matrix = sparse.csr_matrix(
        [[0.1, 0.5, 0.2, 0.0, 0.0], [0.3, 0.0, 0.25, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0, 0.9], [0.0, 0.8, 0.0, 0.0, 0.0]]
    )
    vectors = Vectors(matrix, words)
    assert key_words(SOFT, vectors) == ["eel, bee, cat", "", "bee"]
    assert key_words(SOFT, Vectors(matrix, None)) == ["", "", ""]
    # A soft member counts for the cluster that is its best, and there wholly.
    two = Partition(PROFILES.ids, [[0.9, 0.1], [0.1, 0.9], [0.0, 1.0], [0.0, 1.0]])
    assert key_words(two, vectors) == ["bee, cat, ape", "eel, bee, ape"]


def test_the_commonest_descriptor_however_its_type_is_spelt():
    told = [
        {"descriptor": ["poet"]},
        {"Descriptor": ["lawyer"]},
        {" DESCRIPTOR": ["lawyer"]},
        {"described": ["spy"] * 9},
    ]
    profiles = Profiles.of(Profile(str(i), "d", "Ann Wu", attributes=own) for i, own in enumerate(told))
    (ann,) = describe(Partition.from_labels(profiles.ids, [0, 0, 0, 0]), profiles, Facts())
    assert (ann.name, ann.descriptor) == ("Ann Wu", "lawyer")


def test_names_are_shown_in_small_letters_and_in_full():
    assert canonical_name({"LONDON": 80, "London": 20}, "place") == "London"
    assert canonical_name({"SAN MATEO": 16}, "place") == "San Mateo"
    assert canonical_name({"Calif.": 51, "California": 4}, "place") == "California"
    assert canonical_name({"U.S.": 5}, "place") == "U.S."
    assert canonical_name({"UNICEF": 5, "Unicef": 1}, "organisation") == "UNICEF"
    assert canonical_name({"BANK OF JAPAN": 5, "Bank of Japan": 1}, "organisation") == "Bank of Japan"
    assert canonical_name({"NEW YORK": 9, "New York": 3, "New york": 1}, "place") == "New York"
    assert canonical_name({"Reagan": 18, "Ronald Reagan": 2}, "person") == "Ronald Reagan"
    assert canonical_name({"Reagan": 30, "Ronald Reagan": 2}, "person") == "Reagan"


def test_a_role_in_a_relation_describes_where_nothing_else_does():
    works = [Relation("employment:chairman", "General Harbors"), Relation("location", "Paris")]
    profiles = Profiles.of([Profile("a", "d", "Ann", "person", relations=tuple(works))])
    (ann,) = describe(Partition(["a"], [[1.0]]), profiles, Facts(), ["words"])
    assert ann.descriptor == "chairman of General Harbors"
    held = (Relation("employment:chairman", "Ann Lee"),)
    others = [Profile("h", "d", "General Harbors", "organisation", relations=held), Profile("p", "d", "Rome", "place")]
    company, place = describe(Partition(["h", "p"], np.eye(2)), Profiles.of(others), Facts(), ["words", "words"])
    assert (company.descriptor, place.descriptor) == ("chairman Ann Lee", "")


def test_words_that_are_everywhere_describe_nobody():
    rows = 60
    matrix = np.zeros((rows, 2))
    matrix[:, 0] = 0.9
    matrix[:5, 1] = 0.1
    vectors = Vectors(sparse.csr_matrix(matrix), np.array(["said", "squid"], dtype=object))
    ids = [f"p{n:02}" for n in range(rows)]
    assert key_words(Partition(ids, np.ones((rows, 1))), vectors) == ["squid"]


@pytest.mark.parametrize(
    ("variants", "shown"),
    [
        ({"Reagan": 2, "Diminishes Reagan": 1}, "Reagan"),
        ({"Reagan": 5, "Affair Diminishes Reagan": 1}, "Reagan"),
        ({"Reagan": 5, "Ronald Reagan": 1, "Affair Diminishes Reagan": 1}, "Ronald Reagan"),
        ({"Ronald Reagan": 2, "Affair Diminishes Ronald Reagan": 1}, "Ronald Reagan"),
        ({"Reagan": 2, "Ronald Wilson Reagan": 1}, "Ronald Wilson Reagan"),
        ({"Miki": 1, "Industry Miki": 1}, "Miki"),
        ({"George W. Ball": 1, "Tab D. George W. Ball": 1}, "George W. Ball"),
        ({"Matsuoka": 2, "Seiho Matsuoka": 1}, "Seiho Matsuoka"),
    ],
)
def test_a_headline_is_not_shown_while_there_is_another_form(variants: dict[str, int], shown: str) -> None:
    assert canonical_name(variants, "person") == shown


def test_words_of_a_headline_before_a_name_are_not_shown() -> None:
    """ "Iran Affair Diminishes Reagan" above a story."""
    assert canonical_name({"Reagan": 4, "Diminishes Reagan": 1}, "person") == "Reagan"
    assert canonical_name({"Reagan": 4, "Diminishes Reagan": 1, "Ronald Reagan": 1}, "person") == "Ronald Reagan"
    assert canonical_name({"Reagan": 4, "R. Reagan": 1}, "person") == "R. Reagan"
    assert canonical_name({"Hussein": 4, "Saddam Hussein": 2}, "person") == "Saddam Hussein"
    assert canonical_name({"Diminishes Reagan": 1}, "person") == "Diminishes Reagan"
