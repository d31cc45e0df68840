"""Strengths of pairs and vectors: what is refused, and dense matrices."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.model import (
    Judgement,
    Relations,
    Vectors,
)
from crossdoc.model.evidence_protocol import Constraints


@pytest.mark.parametrize(
    ("left", "right", "strength", "default", "told"),
    [
        ([0, 1], [1], [0.5], 0.0, "differ in length"),
        ([0], [1], [[0.5]], 0.0, "differ in length"),
        ([0], [3], [0.5], 0.0, "not among the 3"),
        ([3], [0], [0.5], 0.0, "not among the 3"),
        ([-1], [0], [0.5], 0.0, "not among the 3"),
        ([0], [-1], [0.5], 0.0, "not among the 3"),
        ([0, 1], [1, 1], [0.5, 0.5], 0.0, "paired with itself"),
        ([0, 1], [1, 2], [0.5, np.nan], 0.0, "not finite"),
        ([0], [1], [np.inf], 0.0, "not finite"),
        ([0], [1], [0.5], np.nan, "not finite"),
    ],
)
def test_bad_relations_are_refused(left, right, strength, default, told):
    columns = np.array(left, np.int32), np.array(right, np.int32), np.array(strength, np.float32)
    with pytest.raises(errors.InputError, match=told):
        Relations(3, *columns, default).checked()


def test_good_relations_are_themselves():
    none = np.zeros(0, np.int32)
    signed = Relations(3, np.array([0, 2], np.int32), np.array([2, 1], np.int32), np.array([-3.0, 1.0], np.float32))
    for good in (Relations(0, none, none, none.astype(np.float32)), signed):
        assert good.checked() is good


@given(st.integers(0, 9), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_relations_from_dense_and_back(n, seed):
    upper = np.triu(np.random.default_rng(seed).random((n, n)).astype(np.float32), 1)
    matrix = upper + upper.T + np.eye(n, dtype=np.float32)
    found = Relations.from_dense(matrix)
    assert len(found) == n * (n - 1) // 2
    left, right = np.triu_indices(n, k=1)
    assert (found.left.tolist(), found.right.tolist()) == (left.tolist(), right.tolist())
    assert (found.dense() == matrix).all()


def test_relations_not_listed_have_the_default_strength():
    few = Relations(3, np.array([2], np.int32), np.array([0], np.int32), np.array([0.5], np.float32), 0.25)
    assert few.dense().tolist() == [[1, 0.25, 0.5], [0.25, 1, 0.25], [0.5, 0.25, 1]]


@pytest.mark.parametrize("n", [0, 1, 7, 2500])
def test_cosine_equals_scikit_learn(n):
    matrix = normalize(sparse.random(n, 40, density=0.2, format="csr", random_state=0)) if n else np.zeros((0, 40))
    vectors = Vectors(sparse.csr_matrix(matrix))
    expected = cosine_similarity(matrix) if n else np.zeros((0, 0))
    np.fill_diagonal(expected, 1.0)
    found = vectors.cosine()
    assert found.dtype == np.float32
    assert np.allclose(found, expected, atol=1e-6)
    rows = np.arange(n)[::-2]
    assert np.allclose(vectors.cosine(rows), expected[np.ix_(rows, rows)], atol=1e-6)


N = 8
IDS = [f"p{i}" for i in range(N)]
POSITION = {id: row for row, id in enumerate(IDS)}

judgements = st.lists(
    st.builds(
        lambda ends, **rest: Judgement(*ends, **rest),
        ends=st.permutations([*IDS, "stranger"]).map(lambda order: order[:2]),
        verdict=st.sampled_from(["same", "different"]),
        hard=st.booleans(),
        weight=st.floats(0.1, 3),
    ),
    max_size=12,
)


def find(parent, x):
    while parent[x] != x:
        x = parent[x]
    return x


def closure(said):
    parent = {id: id for id in IDS}
    for j in said:
        if j.hard and j.verdict == "same" and j.a in parent and j.b in parent:
            parent[find(parent, j.a)] = find(parent, j.b)
    return [find(parent, id) for id in IDS]


@given(judgements)
@settings(max_examples=300, deadline=None)
def test_closure_and_contradictions(said):
    roots = closure(said)
    known = [j for j in said if j.a in POSITION and j.b in POSITION]
    against = [j for j in known if j.hard and j.verdict == "different"]
    contradicted = [j for j in against if roots[POSITION[j.a]] == roots[POSITION[j.b]]]
    if contradicted:
        with pytest.raises(errors.ConstraintError) as raised:
            Constraints.compile(said, POSITION, N)
        check_chain(raised.value.what, known)
        return
    limits = Constraints.compile(said, POSITION, N)
    for a in range(N):
        for b in range(N):
            assert (limits.group[a] == limits.group[b]) == (roots[a] == roots[b])
    assert limits.cannot.tolist() == [[POSITION[j.a], POSITION[j.b]] for j in against]
    soft = [j for j in known if not j.hard]
    assert limits.soft.tolist() == [[POSITION[j.a], POSITION[j.b]] for j in soft]
    assert limits.soft_weight.tolist() == [j.weight if j.verdict == "same" else -j.weight for j in soft]


def check_chain(told, known):
    """Each step was said, the "same" steps connect, and the last one says that the ends differ."""
    steps = re.findall(r"\d+\. (\w+) (is the same as|is different from) (\w+)", told)
    said = {(j.a, j.verdict, j.b) for j in known if j.hard}
    *path, (start, last, goal) = steps
    assert last == "is different from"
    assert (start, "different", goal) in said
    here = start
    for a, word, b in path:
        assert word == "is the same as"
        assert (a, "same", b) in said
        assert here in (a, b)
        here = b if here == a else a
    assert here == goal


def test_the_chain_is_the_shortest():
    said = [Judgement(a, b, "same") for a, b in [("p0", "p1"), ("p1", "p2"), ("p2", "p3"), ("p0", "p3")]]
    with pytest.raises(errors.ConstraintError) as raised:
        Constraints.compile([*said, Judgement("p3", "p0", "different", who="ann")], POSITION, N)
    assert raised.value.what.splitlines()[1:] == [
        "  1. p0 is the same as p3",
        "  2. p3 is different from p0 (ann)",
    ]


@given(judgements, st.permutations(range(N)), st.integers(0, N))
@settings(max_examples=100, deadline=None)
def test_restrict_keeps_what_is_among_the_rows(said, order, size):
    said = [j for j in said if not (j.hard and j.verdict == "different")] + [
        Judgement("p0", "p1", "different", hard=False)
    ]
    limits = Constraints.compile(said, POSITION, N)
    limits = Constraints(N, limits.group, np.array([[2, 5], [0, 7]], dtype=np.int32), limits.soft, limits.soft_weight)
    rows = np.array(order[:size], dtype=np.int64)
    few = limits.restrict(rows)
    assert few.n == size
    for a in range(size):
        for b in range(size):
            assert (few.group[a] == few.group[b]) == (limits.group[rows[a]] == limits.group[rows[b]])
    inside = set(rows.tolist())
    assert rows[few.cannot].tolist() == [p for p in limits.cannot.tolist() if set(p) <= inside]
    kept = [(p, w) for p, w in zip(limits.soft.tolist(), limits.soft_weight, strict=True) if set(p) <= inside]
    assert list(zip(rows[few.soft].tolist(), few.soft_weight, strict=True)) == kept


def test_with_soft_adds_and_leaves_the_rest():
    limits = Constraints.compile(
        [Judgement("p0", "p1", "same"), Judgement("p2", "p3", "same", False, 2.0)], POSITION, N
    )
    more = limits.with_soft(np.array([[4, 5], [6, 7]]), -0.5)
    assert more.soft.tolist() == [[2, 3], [4, 5], [6, 7]]
    assert more.soft_weight.tolist() == [2.0, -0.5, -0.5]
    assert more.group is limits.group
    assert limits.with_soft(np.zeros((0, 2)), 1.0).soft.tolist() == [[2, 3]]
    assert len(limits.soft) == 1


def test_empty():
    assert Constraints.none(3).empty
    assert Constraints.none(0).empty
    assert not Constraints.none(3).with_soft(np.array([[0, 1]]), 1.0).empty
    assert not Constraints(2, np.array([0, 0], dtype=np.int32)).empty
    assert not Constraints(2, np.arange(2, dtype=np.int32), np.array([[0, 1]], dtype=np.int32)).empty


def test_linked_rows_and_violations():
    limits = Constraints(5, np.array([1, 0, 1, 2, 2], dtype=np.int32), np.array([[0, 1], [1, 3]], dtype=np.int32))
    assert [rows.tolist() for rows in limits.linked_rows()] == [[0, 2], [3, 4]]
    assert limits.violated_by([0, 1, 0, 2, 2]) == 0
    assert limits.violated_by([0, 0, 0, 0, 1]) == 3
    assert Constraints.none(0).linked_rows() == []


def test_between_ids_that_are_all_there():
    said = [Judgement("c", "a", "same"), Judgement("b", "a", "different")]
    limits = Constraints.between(["a", "b", "c"], iter(said))
    assert limits.group[0] == limits.group[2] != limits.group[1]
    assert limits.cannot.tolist() == [[1, 0]]
    assert Constraints.between(["a", "b"], []).empty
    with pytest.raises(errors.CrossdocError, match=r"^said\.csv names profiles that do not exist: 'b', 'c'"):
        Constraints.between(["a"], said, "said.csv")


def test_a_chain_is_told_for_rows_of_a_part_too():
    said = [Judgement("p0", "p1", "same"), Judgement("p1", "p5", "same"), Judgement("p6", "p7", "same")]
    limits = Constraints.compile(said, POSITION, N)
    assert limits.chain(0, 5) == ["p0 is the same as p1", "p1 is the same as p5"]
    assert limits.chain(5, 5) == []
    assert limits.chain(0, 6) == []
    part = limits.restrict(np.array([5, 1, 0, 7]))
    assert part.chain(2, 0) == ["p0 is the same as p1", "p1 is the same as p5"]
    assert [(a, b) for a, b, _ in part.must] == [(2, 1), (1, 0)]
    assert limits.with_soft(np.array([[0, 2]]), 1.0).chain(0, 5) == limits.chain(0, 5)


def test_rows_outside_a_part_take_their_pairs_with_them():
    limits = Constraints(4, np.arange(4, dtype=np.int32), np.array([[0, 1], [2, 3]], np.int32),
                         np.array([[1, 2], [0, 2]], np.int32), np.array([1.0, 2.0]))  # fmt: skip
    part = limits.restrict(np.array([2, 0]))
    assert part.cannot.tolist() == []
    assert (part.soft.tolist(), part.soft_weight.tolist()) == ([[1, 0]], [2.0])
    flat = Constraints.none(4).with_soft(np.array([0, 1, 2, 3]), 0.5)
    assert flat.soft.tolist() == [[0, 1], [2, 3]]
