"""Subsquare on two cliques."""

import numpy as np
from subsquare import subsquare

from crossdoc.model import Relations


def two_cliques(bridge):
    """Two cliques of five whose members are alike at .6, and one pair between them."""
    left, right = np.triu_indices(5, 1)
    a = np.concatenate([left, left + 5, [0]]).astype(np.int32)
    b = np.concatenate([right, right + 5, [5]]).astype(np.int32)
    strength = np.array([0.6] * 20 + [bridge], dtype=np.float32)
    return Relations(10, a, b, strength)


def test_neighbourhoods_that_overlap_are_one_cluster():
    for seed in range(5):
        assert subsquare(two_cliques(0.5), seed=seed).tolist() == [0] * 5 + [1] * 5


def test_the_overlap_decides():
    # Members of a clique share (2·.6 + 3·.6) of (2·1 + 3·.6): .79; across the bridge far less.
    assert len(set(subsquare(two_cliques(0.5), overlap=0.85).tolist())) == 10
    assert len(set(subsquare(two_cliques(0.5), overlap=0.0).tolist())) == 1


def test_is_the_same_for_a_seed_and_takes_nothing_and_strangers():
    relations = two_cliques(0.9)
    assert subsquare(relations, seed=3).tolist() == subsquare(relations, seed=3).tolist()
    none = np.zeros(0, dtype=np.int32)
    assert subsquare(Relations(3, none, none, none.astype(np.float32))).tolist() == [0, 1, 2]
    assert subsquare(Relations(0, none, none, none.astype(np.float32))).tolist() == []
