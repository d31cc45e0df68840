"""Runs of the pairwise model: workers, blocks and annealing."""

import numpy as np
import pytest

from crossdoc.cluster.sampling.pair_run import Workers

from .common import exact, small_graph
from .test_pair_moves import BIAS, drawn, near_of, p_value


@pytest.mark.parametrize("near", [np.zeros((4, 0), np.int32), near_of(4)])
def test_block_moves_match_the_coarsenings(near):
    """Blocks of a fixed sub-entity partition, in the flat model: seven mentions in four blocks."""
    mentions = small_graph(7, n=7)
    blocks = np.array([0, 0, 1, 2, 2, 3, 0], dtype=np.int32)
    graph = mentions.contract(blocks)
    samples = drawn(graph, near, in_order=near.shape[1] > 0)
    assert p_value(samples, graph) > 1e-3
    found, _, energy = exact(graph, BIAS)
    inner = mentions.energy(blocks, BIAS)
    for labels, expected in zip(found, energy, strict=True):
        assert mentions.energy(labels[blocks], BIAS) == pytest.approx(expected + inner, abs=1e-9)


@pytest.mark.parametrize("informed", [False, True])
def test_annealing_finds_the_optimum(informed):
    for seed in range(6):
        graph = small_graph(seed, n=7)
        near = near_of(7, 4, seed) if informed else np.zeros((7, 0), np.int32)
        _, _, energy = exact(graph, BIAS)
        labels, best = np.arange(7, dtype=np.int32), -np.inf
        with Workers() as engine:
            for step in range(80):
                labels, _ = engine.run(
                    graph, labels, near, BIAS, temperature=2 * 0.92**step, sweeps=20, seed=seed * 100 + step
                )
                best = max(best, graph.energy(labels, BIAS))
        assert best == pytest.approx(energy.max(), abs=1e-6)
