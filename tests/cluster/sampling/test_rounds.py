"""Rounds over partitions: nothing is lost, the sums are the corpus's, and every engine finds the same."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling import rounds as module
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_run import Plan
from crossdoc.cluster.sampling.pair_shards import PairWork, pair_shards, pair_work
from crossdoc.cluster.sampling.rounds import Rounds, Shard, global_labels, hashed
from crossdoc.engine import LocalEngine, Lost
from crossdoc.progress import Quiet

PLAN = Plan(0.3, sub_bias=0.9, falling=True)


def grouped(groups=12, each=9, seed=0):
    """Rows of a few groups with words of their own, and the group of each."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), each)
    dense = rng.random((len(group), 6 * groups)) * (rng.random((len(group), 6 * groups)) < 0.05)
    for row, at in enumerate(group):
        dense[row, 6 * at : 6 * at + 6] += rng.random(6) + 0.5
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    return sparse.csr_matrix(dense.astype(np.float32)), group


def run_of(graph, engine, parts=3, folder=None, meeting="canopies", plan=PLAN, cycles=1):
    first = [engine.put(shard) for shard in pair_shards(graph, np.arange(graph.n), parts)]
    return Rounds(engine, lambda: first, pair_work(graph, plan, meeting, parts, cycles), graph.n, Quiet(), folder)


def labels_of(engine, pieces, n):
    labels = np.full(n, -1)
    for _, *held in pieces:
        shard = Shard.united([engine.get(ref) for ref in held])
        assert (labels[shard.flat["node"]] == -1).all()
        labels[shard.flat["node"]] = shard.flat["label"]
    assert (labels >= 0).all()
    return np.unique(labels, return_inverse=True)[1]


def test_a_run_goes_on_from_what_it_kept(local, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)
    # Entities whose nodes lie in several shards when a run is begun again.
    graph = FactorGraph.of(grouped()[0][np.random.default_rng(1).permutation(108)])
    whole, _ = run_of(graph, local).go(4)
    run_of(graph, local, folder=tmp_path / "kept").go(2)
    resumed = run_of(graph, local, folder=tmp_path / "kept")
    again, _ = resumed.go(4, resume=True)
    assert [cycle.number for cycle in resumed.history] == [1, 2, 3, 4]
    assert labels_of(local, again, graph.n).tolist() == labels_of(local, whole, graph.n).tolist()
    dealt = [
        [sorted(n for ref in part[1:] for n in local.get(ref).flat["node"]) for part in run] for run in (again, whole)
    ]
    assert dealt[0] == dealt[1]


class Forgetful(LocalEngine):
    """An engine that loses what a round made, once."""

    lost = 0

    def shuffle(self, work, parts, into, *shared):
        self.lost += 1
        if self.lost == 4:
            raise Lost("a node is gone")
        return super().shuffle(work, parts, into, *shared)


def test_what_is_lost_is_made_again_from_what_was_kept(local, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)
    graph = FactorGraph.of(grouped()[0])
    whole, _ = run_of(graph, local).go(4)
    with Forgetful(2) as engine:
        run = run_of(graph, engine, folder=tmp_path / "kept")
        pieces, _ = run.go(4)
        assert len(run.history) == 4
        assert run.losses == 1
        assert labels_of(engine, pieces, graph.n).tolist() == labels_of(local, whole, graph.n).tolist()


def test_a_node_that_is_lost_is_noticed(local, monkeypatch):
    graph = FactorGraph.of(grouped()[0])
    kept = PairWork.cycle

    def losing(self, held, number, deadline):
        pieces, told = kept(self, held, number, deadline)
        return pieces, told._replace(nodes=told.nodes - 1)

    monkeypatch.setattr(PairWork, "cycle", losing)
    with pytest.raises(errors.CrossdocError, match="108 mentions before a round, but 105 after it"):
        run_of(graph, local).go(2)


def test_a_kept_run_of_another_corpus_is_refused(local, tmp_path):
    run_of(FactorGraph.of(grouped()[0]), local, folder=tmp_path).go(1)
    with pytest.raises(errors.UsageError, match="another corpus"):
        run_of(FactorGraph.of(grouped(5)[0]), local, folder=tmp_path).go(2, resume=True)


def test_time_is_up(local):
    pieces, why = run_of(FactorGraph.of(grouped()[0]), local).go(5, time_limit=0.0)
    assert why == "time"
    assert sum(local.get(ref).n for part in pieces for ref in part[1:]) == 108


class TestShard:
    def test_united_pieces_are_the_whole(self):
        graph = FactorGraph.of(grouped()[0])
        (whole,) = pair_shards(graph, np.arange(graph.n), 1)
        pieces = whole.split(np.arange(whole.n) % 4, 4)
        again = Shard.united(pieces[::-1])
        for name, column in whole.flat.items():
            assert (again.flat[name] == column).all()
        for name, columns in whole.ragged.items():
            assert all((a == b).all() for a, b in zip(again.ragged[name], columns, strict=True))
        assert again.flat["node"].flags.writeable

    def test_labels_are_numbers_of_nodes_that_nobody_else_has(self):
        shard = Shard({"node": np.array([4, 7, 9])}, {})
        assert global_labels(shard, np.array([1, 0, 1])).tolist() == [4, 7, 4]

    def test_keys_are_spread_evenly_and_otherwise_with_another_seed(self):
        many = np.bincount(hashed(np.arange(10_000), 5, 10), minlength=10)
        assert many.min() > 850
        assert (hashed(np.arange(100), 5, 10) != hashed(np.arange(100), 6, 10)).any()
