"""Criterion values against their definitions, by plain loops over rows and pairs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.cluster.contexts.criteria import CODES, criterion_value

CASES = st.integers(0, 10_000).map(lambda seed: case(np.random.default_rng(seed)))


def case(rng):
    n, d = rng.integers(1, 9), rng.integers(1, 6)
    rows = normalize(rng.random((n, d)) * (rng.random((n, d)) < 0.7) + 0.01)
    return rows, rng.integers(rng.integers(1, 5), size=n)


def by_loops(criterion, rows, labels):
    whole = [sum(column) for column in zip(*rows, strict=True)]
    i1 = i2 = e1 = 0.0
    for cluster in set(labels.tolist()):
        members = [row for row, label in zip(rows, labels, strict=True) if label == cluster]
        total = [sum(column) for column in zip(*members, strict=True)]
        length = math.sqrt(sum(value**2 for value in total))
        i1 += length**2 / len(members)
        i2 += length
        e1 += len(members) * sum(a * b for a, b in zip(total, whole, strict=True)) / length
    return {"i1": i1, "i2": i2, "e1": e1, "h1": i1 / e1, "h2": i2 / e1}[criterion]


@pytest.mark.parametrize("criterion", list(CODES))
@given(CASES)
def test_vector_and_similarity_space_follow_the_definition(criterion, given_case):
    rows, labels = given_case
    wanted = by_loops(criterion, rows.tolist(), labels)
    assert criterion_value(criterion, rows, labels) == pytest.approx(wanted)
    assert criterion_value(criterion, sparse.csr_matrix(rows), labels) == pytest.approx(wanted)
    assert criterion_value(criterion, rows @ rows.T, labels, space="similarity") == pytest.approx(wanted)


@pytest.mark.parametrize("criterion", list(CODES))
def test_a_weight_of_two_is_the_row_twice(criterion):
    rows, labels = case(np.random.default_rng(5))
    weight = np.arange(len(rows)) % 2 + 1.0
    twice = np.repeat(np.arange(len(rows)), weight.astype(int))
    assert criterion_value(criterion, rows, labels, sample_weight=weight) == pytest.approx(
        criterion_value(criterion, rows[twice], labels[twice])
    )


def test_unknown_criterion():
    with pytest.raises(errors.UsageError, match="i9"):
        criterion_value("i9", np.eye(2), [0, 1])
