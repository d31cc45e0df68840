"""Criterion values against their definitions, by plain loops over rows and pairs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.cluster.contexts.criteria import CODES, code_of, from_parts

CASES = st.integers(0, 10_000).map(lambda seed: case(np.random.default_rng(seed)))


def case(rng):
    n, d = rng.integers(1, 9), rng.integers(1, 6)
    rows = normalize(rng.random((n, d)) * (rng.random((n, d)) < 0.7) + 0.01)
    return rows, rng.integers(rng.integers(1, 5), size=n)


def by_definition(criterion, similarity, labels):
    """A criterion's value from the similarities of all pairs."""
    i1 = i2 = e1 = 0.0
    for cluster in set(np.asarray(labels).tolist()):
        members = np.flatnonzero(np.asarray(labels) == cluster)
        square = similarity[np.ix_(members, members)].sum()
        i1 += square / len(members)
        i2 += math.sqrt(square)
        e1 += len(members) * similarity[members].sum() / math.sqrt(square)
    return {"i1": i1, "i2": i2, "e1": e1, "h1": i1 / e1, "h2": i2 / e1}[criterion]


@pytest.mark.parametrize("criterion", list(CODES))
@given(CASES)
def test_values_follow_from_size_square_and_cross(criterion, given_case):
    rows, labels = given_case
    sums = np.array([rows[labels == cluster].sum(axis=0) for cluster in np.unique(labels)])
    size = np.unique(labels, return_counts=True)[1].astype(float)
    found = from_parts(CODES[criterion], size, (sums**2).sum(axis=1), sums @ rows.sum(axis=0))
    assert found == pytest.approx(by_definition(criterion, rows @ rows.T, labels))


def test_unknown_criterion():
    with pytest.raises(errors.UsageError, match="i9"):
        code_of("i9")
