"""Documents speak for two bearers of one name by what else they say, all pairs as one pair at a time."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.curve import Curve
from crossdoc.compare.stories import Stories
from crossdoc.compare.story_evidence import InTopics, NoStories, StoryEvidence, TopicPrior
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles
from crossdoc.names.heads import Kin, kinship

TEXTS = {
    "a": "John Smith sold trucks in Detroit",
    "b": "John Smith read verses",
    "c": "Ann Lee and John Smith sold trucks in Detroit",
}
CURVE = Curve(mean=0.0, sd=0.5, intercept=0.0, slope=1.0, low=-1.0, high=5.0)


def evidence(story: float = 5.0) -> StoryEvidence:
    rows = [("a", "John Smith"), ("b", "John Smith"), ("c", "John Smith"), ("c", "Ann Lee")]
    profiles = Profiles.of(Profile(f"{d}{n}", d, name, "person") for n, (d, name) in enumerate(rows))
    stories = Stories.of(profiles, lambda ids: {id: TEXTS[id] for id in ids}, ContextVectoriser().fit([TEXTS.values()]))
    sizes = TopicPrior(head=0, same=2, story=story)
    return StoryEvidence(lambda: stories, profiles, sizes, CURVE, lambda topic: InTopics(profiles, topic, sizes))


def pair(a: int, b: int, **options) -> float:
    return float(evidence(**options).compare(np.array([[a, b]], dtype=np.int32))[0])


def test_the_name_itself_says_nothing():
    assert pair(0, 1) == 0
    assert evidence().rows.matrix[0].nnz == 3


def test_a_document_is_not_copied_for_profiles_that_nothing_is_compared_with():
    rows = evidence().rows.matrix
    assert [rows[row].nnz for row in (2, 3)] == [5, 0]


def test_what_else_is_said_speaks_for_one_name_within_a_bound():
    # sold, trucks, detroit, and of one also ann, lee.
    weight = {
        word: np.log(4 / (1 + n)) + 1
        for word, n in (("sold", 2), ("trucks", 2), ("detroit", 2), ("ann", 1), ("lee", 1))
    }
    shared = 3 * weight["sold"] ** 2
    cosine = shared / np.sqrt(shared * (shared + 2 * weight["ann"] ** 2))
    assert pair(0, 2) == pytest.approx(2 * cosine**0.5, abs=1e-5)
    assert pair(0, 2, story=0.5) == 0.5
    assert pair(0, 3) == 0


def test_all_pairs_are_what_each_pair_is():
    told = evidence()
    whole = told.compare_all(np.array([2, 0, 1, 3]))
    for i, a in enumerate([2, 0, 1, 3]):
        for j, b in enumerate([2, 0, 1, 3]):
            if i != j:
                assert whole[i, j] == pytest.approx(pair(a, b), abs=1e-6)


def test_topics_are_found_when_they_are_first_needed():
    found = evidence()
    assert found.names_of(np.array([0, 3]), ["any"] * 2).read == ["John Smith", "Ann Lee"]
    assert found.readings == {}


def test_without_stories_nothing_is_said():
    none, rows = NoStories(), np.arange(2)
    names = none.names_of(rows, ["a", "b"])
    assert names.read == ["a", "b"]
    assert not names.described.any()
    assert len(names.pairs) == len(names.odds) == 0
    assert none.compare_all(rows) == none.compare(np.zeros((1, 2), dtype=np.int32))[0] == 0
    assert none.readings == {}


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
