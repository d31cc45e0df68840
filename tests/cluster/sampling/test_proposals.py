"""Who is proposed to whom, against counting; and how entities are dealt."""

import numpy as np
import pytest

from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.proposals import HEAVY, NEAREST, NEIGHBOUR_WIDTH, Postings, deal, entity_blocks, lift

from .common import random_rows


@pytest.fixture(scope="module")
def graph():
    return FactorGraph.of(random_rows(np.random.default_rng(0), 200, 60, 0.1))


def test_the_nearest_have_most_in_common(graph):
    """With at most twelve words a row all words are heavy, so that what is in common is the dot product."""
    rows = graph.rows
    dense = np.zeros((graph.n, graph.n_features + 1), dtype=np.int64)
    for node in range(graph.n):
        for key, value in rows.cells[rows.start[node] : rows.start[node + 1]]:
            dense[node, key] = value
    short = np.flatnonzero((dense > 0).sum(axis=1) <= HEAVY)
    common = dense[:, (dense > 0).sum(axis=0) > 1]
    products = common @ common.T
    np.fill_diagonal(products, 0)
    found = Postings.of(graph).nearest
    assert len(short) > 150
    whole = np.isin(np.arange(graph.n), short)
    for node in short:
        mine = [other for other in found[node] if other >= 0]
        assert len(mine) == min(NEAREST, (products[node] > 0).sum())
        if whole[mine].all():
            best = np.sort(products[node][whole])[::-1][: len(mine)]
            assert sorted(products[node, mine], reverse=True) >= best.tolist()


def test_threads_do_not_matter_and_nobody_is_proposed_to_itself(graph):
    one, two = (Postings.of(graph, threads).draw(5, threads) for threads in (1, 2))
    assert (one == two).all()
    assert one.shape == (graph.n, NEIGHBOUR_WIDTH)
    assert not (one == np.arange(graph.n)[:, None]).any()
    blocks = np.arange(graph.n, dtype=np.int32) // 3
    lifted = [lift(one, blocks, 6, 5, threads) for threads in (1, 2)]
    assert (lifted[0] == lifted[1]).all()
    assert not (lifted[0] == np.arange(len(lifted[0]))[:, None]).any()


@pytest.mark.parametrize("meeting", ["random", "canopies"])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_every_node_is_dealt_once_and_entities_whole(graph, meeting, parts):
    labels = entity_blocks(np.random.default_rng(2).integers(0, 80, graph.n).astype(np.int32))
    dealt = deal(graph, labels, parts, meeting, 3)
    assert len(dealt) == parts
    assert sorted(np.concatenate(dealt).tolist()) == list(range(graph.n))
    held = [set(labels[nodes].tolist()) for nodes in dealt]
    assert sum(map(len, held)) == len(set(labels.tolist()))


def test_workers_are_evenly_filled_however_large_some_entities_are(graph):
    labels = np.where(np.arange(graph.n) < 80, 0, np.arange(graph.n)).astype(np.int32)
    shares = [len(deal(graph, entity_blocks(labels), 2, "canopies", seed)[0]) for seed in range(9)]
    assert all(60 <= share <= 140 for share in shares)
