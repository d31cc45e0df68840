"""The factor graph: energies by definition, contraction, and no drift however long the chain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_run import Workers
from crossdoc.cluster.sampling.proposals import Postings, lift, united
from crossdoc.model.evidence_protocol import Constraints

from .common import affinities, pair_energy, random_rows, small_graph, some_limits

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, n=st.integers(1, 12), bias=st.floats(-0.5, 1.0))
@settings(max_examples=40, deadline=None)
def test_the_energy_is_the_sum_over_pairs(seed, n, bias):
    rng = np.random.default_rng(seed)
    graph = FactorGraph.of(random_rows(rng, 2 * n)).contract(np.arange(2 * n, dtype=np.int32) % n)
    graph = graph._limited(some_limits(n)) if n > 3 else graph
    labels = rng.integers(0, n, n)
    if n > 3 and labels[0] == labels[1]:
        assert graph.energy(labels, bias) == -np.inf
    else:
        expected = pair_energy(affinities(graph, n), graph.rows.size, labels, bias)
        expected += graph.value(graph.inner_dot, graph.inner_pairs, bias)
        assert graph.energy(labels, bias) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("temperature", [0.0, 0.3])
@pytest.mark.parametrize("parts", [1, 3])
def test_the_running_energy_is_the_recomputed_one(temperature, parts):
    rng = np.random.default_rng(0)
    limits = Constraints(
        300, np.arange(300, dtype=np.int32) // 2, rng.integers(0, 150, (40, 2)).astype(np.int32) * 2,
    )  # fmt: skip
    limits = Constraints(300, limits.group, limits.cannot[limits.cannot[:, 0] != limits.cannot[:, 1]])
    graph = FactorGraph.of(random_rows(rng, 300, 80, 0.2), None, limits)
    labels = np.arange(graph.n, dtype=np.int32)
    dot, pairs = graph.sums(labels)
    near = Postings.of(graph).draw(1)
    with Workers(threads=2, parts=parts) as engine:
        for seed in range(6):
            labels, counts = engine.run(graph, labels, near, 0.2, temperature=temperature, sweeps=3, seed=seed)
            dot, pairs = dot + counts.dot, pairs + counts.pairs
            assert (dot, pairs) == graph.sums(labels)
            assert graph.soft_sum(labels) == 0.0
            blocks = np.unique(labels, return_inverse=True)[1].astype(np.int32)
            merged, counts = engine.run(
                graph.contract(blocks), np.arange(blocks.max() + 1, dtype=np.int32), lift(near, blocks, 8, seed), 0.2,
                temperature=temperature, seed=seed,
            )  # fmt: skip
            labels, dot, pairs = merged[blocks], dot + counts.dot, pairs + counts.pairs
            assert (dot, pairs) == graph.sums(labels)
    assert len(set(labels.tolist())) < graph.n


@given(seed=seeds, n=st.integers(1, 15))
@settings(max_examples=30, deadline=None)
def test_contracting_keeps_the_energy(seed, n):
    rng = np.random.default_rng(seed)
    graph = FactorGraph.of(random_rows(rng, n))
    group = np.unique(rng.integers(0, n, n), return_inverse=True)[1].astype(np.int32)
    above = rng.integers(0, 3, group.max() + 1)
    small = graph.contract(group)
    assert small.energy(above, 0.2) == pytest.approx(graph.energy(above[group], 0.2), abs=1e-9)


def test_must_links_are_contracted_and_limits_follow():
    rows = random_rows(np.random.default_rng(1), 4)
    limits = Constraints(
        4, np.array([0, 0, 1, 2], np.int32), np.array([[1, 2]], np.int32), np.array([[0, 3], [1, 3]], np.int32),
        np.array([0.5, 0.25]),
    )  # fmt: skip
    graph = FactorGraph.of(rows, None, limits)
    assert graph.n == 3
    assert graph.soft_sum(np.array([0, 1, 0])) == pytest.approx(0.75)
    assert graph.soft_sum(np.array([0, 0, 1])) == -np.inf


def test_some_of_the_nodes_keep_their_rows_and_the_limits_between_them():
    rows = random_rows(np.random.default_rng(1), 6)
    limits = Constraints(
        6, np.arange(6, dtype=np.int32), np.array([[1, 2], [4, 5]], np.int32), np.array([[0, 5]], np.int32),
        np.array([0.5]),
    )  # fmt: skip
    graph = FactorGraph.of(rows, None, limits)
    for array in graph.rows:
        array.flags.writeable = False
    nodes = np.array([0, 2, 3, 5])
    few = graph.restricted(nodes)
    assert all(array.flags.writeable for array in few.rows)
    inside, outside = np.array([0, 1, 0, 0]), np.array([0, 7, 1, 0, 8, 0])
    assert few.energy(inside, 0.1) == pytest.approx(graph.energy(outside, 0.1))
    assert few.soft_sum(inside) == 0.5
    assert len(few.rows.limit_other) == 2


def test_rows_that_sum_to_much_are_scaled_so_that_nothing_overflows():
    same = sparse.csr_matrix(np.ones((1, 1), np.float32)[np.zeros(40_000, int)])
    graph = FactorGraph.of(same)
    assert graph.unit_value > 2.0**-30
    pairs = 40_000 * 39_999 / 2
    assert graph.energy(np.zeros(40_000, np.int32), 0.25) == pytest.approx(pairs * 0.75)


def test_united_bags_are_unit_rows():
    graph = united(small_graph(4, n=6).contract(np.array([0, 0, 1, 1, 2, 2], np.int32)))
    cosines = affinities(graph, 3)
    assert np.diag(cosines) == pytest.approx(1.0, abs=1e-3)
    assert graph.rows.size.tolist() == [1, 1, 1]


def test_constraints_of_other_rows_are_refused():
    rows = random_rows(np.random.default_rng(3), 3)
    with pytest.raises(errors.InputError, match="about 4 rows"):
        FactorGraph.of(rows, None, Constraints.none(4))
