"""Documents speak for two bearers of one name by what else they say, all pairs as one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest

from crossdoc.compare.curve import Curve
from crossdoc.compare.in_topics import InTopics, TopicPrior
from crossdoc.compare.stories import Stories
from crossdoc.compare.story_evidence import NoStories, StoryEvidence
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles

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
    assert found.readings is None
    assert found.read_names(["any"] * 2, np.array([0, 3])) == ["John Smith", "Ann Lee"]
    assert found.readings == {}


def test_without_stories_nothing_is_said():
    none, rows = NoStories(), np.arange(2)
    assert none.read_names(["a", "b"], rows) == ["a", "b"]
    assert not none.described(rows).any()
    assert [len(each) for each in none.topic_pairs(rows)] == [0, 0]
    assert none.compare_all(rows) == none.compare(np.zeros((1, 2), dtype=np.int32))[0] == 0
    assert none.readings is None
