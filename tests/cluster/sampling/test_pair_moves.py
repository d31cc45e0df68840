"""The chains draw from the model: chi-squared against all partitions of a few nodes."""

import numpy as np
import pytest
from scipy import stats

from crossdoc.cluster.sampling.entity_tables import build, new_arena
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_moves import chain
from crossdoc.cluster.sampling.pair_run import SHARE_FLAT, SHARE_NEW, TRIES

from .common import codes, exact, random_rows, small_graph, some_limits

BIAS = 0.35


def drawn(graph, near, *, temperature=1.0, in_order, samples=8000, every=60, seed=3):
    """Labels every so many proposals of one long chain."""
    n = graph.n
    nodes = np.arange(n, dtype=np.int32)
    entities = build(graph.rows, nodes, nodes, new_arena(2048))
    shares = (SHARE_NEW, SHARE_FLAT) if near.shape[1] else (0.0, 1.0)
    how = *shares, BIAS, graph.unit_value, temperature, in_order, TRIES if in_order else 1, every
    state, stop = np.array([seed], np.uint64), np.zeros(1, np.int64)
    out = np.zeros((samples, n), dtype=np.int32)
    for sample in out:
        chain(graph.rows, entities, near, *how, state, stop)
        sample[:] = entities.label
    return out


def p_value(samples, graph, temperature=1.0):
    """Of the hypothesis that samples come from the exact distribution; rare partitions are one bin."""
    found, probability, _ = exact(graph, BIAS, temperature)
    expected = dict(zip(codes(found).tolist(), probability * len(samples), strict=True))
    seen, counts = np.unique(codes(samples), return_counts=True)
    observed = dict(zip(seen.tolist(), counts.tolist(), strict=True))
    assert set(observed) <= set(expected)
    common = [code for code, e in expected.items() if e >= 8]
    rare_e, rare_o = (
        len(samples) - sum(expected[c] for c in common),
        len(samples) - sum(observed.get(c, 0) for c in common),
    )
    e, o = [expected[c] for c in common], [observed.get(c, 0) for c in common]
    if rare_e >= 8:
        e, o = [*e, rare_e], [*o, rare_o]
    else:
        assert rare_o <= rare_e + 6 * np.sqrt(rare_e) + 3
        e = np.array(e) * sum(o) / sum(e)
    assert len(e) > 5
    return stats.chisquare(o, e).pvalue


def near_of(n, width=3, seed=1):
    """Fixed lists, uneven and with gaps."""
    rng = np.random.default_rng(seed)
    near = rng.integers(-1, n, (n, width)).astype(np.int32)
    near[near == np.arange(n)[:, None]] = -1
    return near


NONE = np.zeros((5, 0), dtype=np.int32)


@pytest.mark.parametrize("temperature", [1.0, 0.5])
@pytest.mark.parametrize(("near", "in_order"), [(NONE, False), (near_of(5), True), (near_of(5), False)])
def test_chains_match_the_exact_distribution(near, in_order, temperature):
    graph = small_graph(2)
    assert p_value(drawn(graph, near, temperature=temperature, in_order=in_order), graph, temperature) > 1e-3


def test_the_test_can_fail():
    """A chain at another temperature is told from the right one."""
    graph = small_graph(2)
    assert p_value(drawn(graph, near_of(5), temperature=1.3, in_order=True), graph, 1.0) < 1e-6


@pytest.mark.parametrize("near", [np.zeros((6, 0), np.int32), near_of(6, 4)])
def test_with_constraints_and_nodes_of_several_mentions(near):
    mentions = FactorGraph.of(random_rows(np.random.default_rng(5), 9))
    graph = mentions.contract(np.array([0, 1, 1, 2, 3, 4, 4, 4, 5], np.int32))._limited(some_limits(6))
    samples = drawn(graph, near, in_order=near.shape[1] > 0)
    assert not (samples[:, 0] == samples[:, 1]).any()
    assert p_value(samples, graph) > 1e-3
