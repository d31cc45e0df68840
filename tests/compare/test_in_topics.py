"""Who meets in a topic: by each pair of mentions, one after the other."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.in_topics import InTopics, TopicPrior
from crossdoc.model import Profile, Profiles
from crossdoc.names.heads import Kin, kinship

SIZES = TopicPrior(head=-0.5, same=2.0, story=1.0)
NAMED = ["Oslo", "Bonn", "Rome", "Paris", "Lima", "Cairo", "Quito"]
"""Enough names for small letters to mean something."""


def in_topics(mentions, topic=None, kind="person", language="en"):
    """Of mentions (document, name), and the topic of each: one for all unless it is said."""
    rows = [Profile(f"p{i}", document, name, kind, "", language) for i, (document, name) in enumerate(mentions)]
    return InTopics(Profiles.of(rows), np.array(topic or [0] * len(rows), dtype=np.int64), SIZES)


def met(found: InTopics) -> dict[tuple[int, int], float]:
    pairs, odds = found.among(np.arange(found.n))
    return dict(zip(map(tuple, pairs.tolist()), odds.tolist(), strict=True))


def test_descriptions_meet_in_one_topic_alone():
    mentions = [("a", "the suspect"), ("b", "suspect"), ("c", "suspect"), ("d", "robber"), *(("e", n) for n in NAMED)]
    found = in_topics(mentions, [0, 0, 1, 0, *[0] * len(NAMED)])
    assert found.described.tolist() == [True] * 4 + [False] * len(NAMED)
    assert met(found) == {(0, 1): 2.0}


def test_a_description_meets_names_that_have_its_head():
    mentions = [("a", "man"), ("b", "Millom man"), ("c", "young man"), *(("d", n) for n in NAMED)]
    assert met(in_topics(mentions)) == {(0, 1): -0.5, (0, 2): -0.5, (1, 2): -0.5}


def test_some_rows_meet_as_among_all():
    mentions = [("a", "man"), ("b", "Millom man"), ("c", "young man"), ("f", "man"), *(("d", n) for n in NAMED)]
    found, rows = in_topics(mentions), np.array([1, 2, 3, 6])
    pairs, odds = found.among(rows)
    among_all = {pair: odds for pair, odds in met(found).items() if set(pair) <= set(rows.tolist())}
    placed = [tuple(sorted(pair)) for pair in rows[pairs].tolist()]
    assert dict(zip(placed, odds.tolist(), strict=True)) == among_all != {}
    assert [len(each) for each in found.among(np.array([5]))] == [0, 0]


def test_phrases_that_clash_as_names_meet_by_a_head_that_is_none():
    phrases = ["a Paris store", "the jewellery store in Paris", "Harry Winston Store", "a Paris shop"]
    mentions = [*zip("abcd", phrases, strict=True), *(("e", n) for n in NAMED)]
    assert met(in_topics(mentions, kind="place")) == {(0, 1): -0.5}
    assert met(in_topics(mentions, kind="place", language="fr")) == {}
    agreeing = [("a", "a Paris store"), ("b", "the Paris store"), *(("e", n) for n in NAMED)]
    assert met(in_topics(agreeing, kind="place")) == {}


def test_what_one_document_tells_apart_does_not_meet():
    mentions = [("a", "man"), ("a", "man"), ("b", "man"), *(("d", n) for n in NAMED)]
    assert met(in_topics(mentions)) == {(0, 2): 2.0, (1, 2): 2.0}


def test_pronouns_meet_nobody_and_are_no_names():
    found = in_topics([("a", "she"), ("b", "she"), ("c", "She"), ("d", "US"), *(("e", n) for n in NAMED)])
    assert found.described[:4].tolist() == [True, True, True, False]
    assert met(found) == {}


def test_in_other_languages_small_letters_are_no_description():
    found = in_topics([("a", "konzervativci"), ("b", "konzervativci"), *(("c", n) for n in NAMED)], language="cs")
    assert not found.described.any()
    assert met(found) == {}


WORDS = ["man", "the man", "young man", "Millom man", "woman", "she", "Oslo police", "police"]


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(WORDS), st.integers(0, 1)), min_size=2, max_size=8),
    asked=st.randoms(use_true_random=False),
)
def test_pairs_are_those_of_the_rule(rows, asked):
    """All pairs one by one; and of any part of the rows, in any order, those among them."""
    mentions = [(document, name) for document, name, _ in rows] + [(f"n{i}", n) for i, n in enumerate(NAMED)]
    topic = [each for *_, each in rows] + [2] * len(NAMED)
    found = in_topics(mentions, topic)
    wanted = {}
    for a, b in combinations(range(len(rows)), 2):
        names = [mentions[a][1], mentions[b][1]]
        small = [name == name.lower() for name in names]
        if topic[a] != topic[b] or mentions[a][0] == mentions[b][0] or "she" in names or not any(small):
            continue
        first, second = (0, 1) if small[0] else (1, 0)
        kin = kinship(names[first], names[second], small[second])
        if kin:
            wanted[a, b] = SIZES.same if kin == Kin.SAME else SIZES.head
    assert met(found) == wanted
    part = asked.sample(range(len(mentions)), len(mentions) // 2)
    pairs, odds = found.among(np.array(part, dtype=np.int64))
    some = {
        tuple(sorted((part[a], part[b]))): value for (a, b), value in zip(pairs.tolist(), odds.tolist(), strict=True)
    }
    assert some == {pair: value for pair, value in wanted.items() if set(pair) <= set(part)}


def test_names_are_read_as_the_form_that_their_topic_has_oftener():
    mentions = [("a", "AP"), ("b", "Associated Press"), ("c", "Associated Press"), ("d", "AP"), ("e", "Jo Li")]
    found = in_topics(mentions, [0, 0, 0, 1, 1])
    assert found.names == ["Associated Press"] * 3 + ["AP", "Jo Li"]
    assert in_topics(mentions, [0, 0, 0, 1, 1], kind="organisation").names[0] == "AP"


@pytest.mark.parametrize(("often", "read"), [(3, "Ronald Reagan"), (2, "Reagn")])
def test_a_typing_error_is_read_as_a_name_three_times_as_frequent(often, read):
    mentions = [("x", "Reagn"), *((f"d{i}", "Ronald Reagan") for i in range(often))]
    assert in_topics(mentions).names[0] == read


def test_two_usual_surnames_stay_two():
    mentions = [("x", "Regan"), *((f"d{i}", "Reagan") for i in range(9))]
    assert in_topics(mentions).names[0] == "Regan"
