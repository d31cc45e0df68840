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
    with_constraints,
)
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
