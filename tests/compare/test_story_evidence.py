"""Documents speak for two bearers of one name by what else they say, all pairs as one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest

from crossdoc.compare.curve import Curve
from crossdoc.compare.in_topics import TopicPrior
from crossdoc.compare.stories import Stories
from crossdoc.compare.story_evidence import StoryEvidence
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
    return StoryEvidence(stories, profiles, TopicPrior(head=0, same=2, story=story), CURVE)


def pair(a: int, b: int, **options) -> float:
    return float(evidence(**options).of(np.array([[a, b]], dtype=np.int32))[0])


def test_of_some_rows_documents_say_the_same():
    whole, rows = evidence(), np.array([0, 2, 3])
    np.testing.assert_array_equal(whole.only(rows).of_all(np.arange(3)), whole.of_all(rows))
    pairs = np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32)
    np.testing.assert_array_equal(whole.only(rows).of(pairs), whole.of(rows[pairs].astype(np.int32)))
    assert whole.only(rows).of(pairs)[0] > 0


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
    whole = told.of_all(np.array([2, 0, 1, 3]))
    for i, a in enumerate([2, 0, 1, 3]):
        for j, b in enumerate([2, 0, 1, 3]):
            if i != j:
                assert whole[i, j] == pytest.approx(pair(a, b), abs=1e-6)
