"""Labelled pairs from gold: of both kinds, and never within one document."""

import numpy as np
import pytest

from crossdoc.compare.labelled_pairs import balanced, labelled_pairs
from crossdoc.compare.specialists.base import all_pairs
from crossdoc.errors import InputError
from crossdoc.model import Profile, Profiles


def test_labels_come_from_shared_entities_and_never_from_one_document():
    profiles = Profiles.of(Profile(str(i), document, "x") for i, document in enumerate(["a", "a", "b", "c", "d"]))
    gold = {"0": {"x"}, "1": {"y"}, "2": {"x", "y"}, "3": {"z"}}
    pairs, labels = labelled_pairs(profiles, gold, all_pairs([np.arange(5)]))
    told = {tuple(pair): label for pair, label in zip(pairs.tolist(), labels, strict=True)}
    assert told == {(0, 2): 1, (1, 2): 1, (0, 3): 0, (1, 3): 0, (2, 3): 0}


def test_a_balanced_sample_has_as_many_of_each_kind():
    labels = np.array([1.0] * 10 + [0.0] * 90)
    chosen = balanced(labels, 1000, seed=3)
    assert labels[chosen].sum() == 10
    assert len(chosen) == 20
    assert len(balanced(labels, 8, seed=3)) == 8
    np.testing.assert_array_equal(chosen, balanced(labels, 1000, seed=3))


def test_one_kind_alone_teaches_nothing():
    with pytest.raises(InputError, match="learning needs both kinds"):
        balanced(np.ones(5), 10, seed=0)
