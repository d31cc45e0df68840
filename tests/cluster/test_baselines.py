"""The baselines, and how hard constraints mend them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.cluster.baselines import (
    AllInOne,
    OneInOne,
    StringMatch,
    string_match,
    subsquare,
    with_constraints,
)
from crossdoc.model import Relations
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import fold


def test_one_and_all():
    for baseline in (OneInOne(), AllInOne(), StringMatch()):
        assert baseline.fit([]).labels_.tolist() == []


def test_string_match_joins_the_same_keys():
    names = ["José  Núñez", "JOSE NUNEZ", "Jose Nunes", "Чернов", "chernov", ""]
    assert string_match(names).tolist() == [0, 1, 2, 3, 4, 5]
    assert string_match([fold(name) for name in names]).tolist() == [0, 0, 1, 2, 2, 3]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30), must=st.integers(0, 10), no=st.integers(0, 40))
@settings(max_examples=100, deadline=None)
def test_mended_labels_break_no_constraint(seed, n, must, no):
    rng = np.random.default_rng(seed)
    group = np.arange(n)
    for a, b in rng.integers(0, n, (must, 2)):
        group[group == group[a]] = group[b]
    pairs = rng.integers(0, n, (no, 2))
    pairs = pairs[group[pairs[:, 0]] != group[pairs[:, 1]]].astype(np.int32)
    limits = Constraints(n, np.unique(group, return_inverse=True)[1].astype(np.int32), pairs)
    labels = rng.integers(0, 4, n).astype(np.int32)
    mended = with_constraints(labels, limits)
    assert limits.violated_by(mended) == 0
    first = [np.flatnonzero(limits.group == g)[0] for g in limits.group]
    for a in range(n):
        for b in range(n):
            if mended[a] == mended[b]:
                assert labels[first[a]] == labels[first[b]]


def test_without_constraints_nothing_changes():
    labels = np.array([0, 1, 0], dtype=np.int32)
    assert with_constraints(labels, Constraints.none(3)) is labels


@pytest.mark.parametrize(
    ("estimator", "expected"), [(StringMatch, [0, 0, 1]), (OneInOne, [0, 1, 2]), (AllInOne, [0, 0, 0])]
)
def test_as_estimators(estimator, expected):
    found = estimator().fit(["a b", "a b", "c"])
    assert found.labels_.tolist() == found.partition_.labels.tolist() == expected
    apart = Constraints(3, np.arange(3, dtype=np.int32), np.array([[0, 1]], dtype=np.int32))
    assert apart.violated_by(estimator().fit(["a b", "a b", "c"], constraints=apart).labels_) == 0


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
