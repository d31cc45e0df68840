"""Bags over partitions: they know what one process knows, nothing is lost, and every engine finds the same."""

import numpy as np
import pytest
from scipy import sparse
from tests.cluster.sampling.common import ENTITY, NAMES, VECTORS, f1

from crossdoc import errors
from crossdoc.cluster.bags import BagClustering, topics
from crossdoc.cluster.bags.bag_partitions import JudgedPairs, prepare
from crossdoc.cluster.bags.bag_shards import BagWork, labels_by_name, mentions_of
from crossdoc.cluster.bags.bags import BagMentions, EntityBags, EntityCounts, Features, present
from crossdoc.cluster.bags.passages import ContextRows, Owners
from crossdoc.cluster.bags.topics import TopicModel, main_names
from crossdoc.cluster.sampling import rounds as module
from crossdoc.cluster.sampling.mention_clusterer import name_codes
from crossdoc.cluster.sampling.rounds import Rounds, Shard
from crossdoc.engine import LocalEngine, Lost
from crossdoc.model import Judgement
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet

from .test_informative_words import in_articles

pytestmark = pytest.mark.usefixtures("small_topics")

MATRIX = present(VECTORS.matrix)
N = MATRIX.shape[0]


def read(matrix, names, many=3, limits=None):
    """Contexts of a corpus in parts, those that were judged apart."""
    limits = limits or Constraints.none(matrix.shape[0])
    code, distinct = name_codes(names)
    group, first, inverse, size = np.unique(limits.group, return_index=True, return_inverse=True, return_counts=True)
    node, pairs = first[inverse], np.concatenate([limits.cannot, limits.soft]).astype(np.int64)
    apart = np.unique(np.concatenate([np.flatnonzero(size[inverse] > 1), pairs.ravel()]))
    begins = np.array([some[0] for some in np.array_split(np.arange(matrix.shape[0]), many)])
    owners = Owners(begins, apart)
    owner = owners.of(np.arange(matrix.shape[0]))
    contexts = []
    for part in range(owners.parts):
        some = np.flatnonzero(owner == part)
        rows = matrix[some]
        contexts.append(ContextRows(some, node[some], code[some], rows.indptr.astype(np.int64), rows.indices))
    weight = np.concatenate([np.full(len(limits.cannot), -np.inf), limits.soft_weight])
    judged = JudgedPairs(node[pairs].reshape(-1, 2), weight)
    return contexts, owners, judged, (len(group), matrix.shape[1], len(distinct))


def prepared(engine, matrix=MATRIX, names=NAMES, parts=3, many=3, limits=None, from_names=False):
    contexts, owners, judged, sizes = read(matrix, names, many, limits)
    given = [engine.put(each) for each in contexts], owners, engine.put(judged), sizes
    return prepare(engine, *given, parts, 100, 0, from_names), sizes[0]


def run_of(engine, folder=None, **how):
    made, n = prepared(engine, **how)
    return Rounds(engine, made.shards, made.work, n, Quiet(), folder, shared=made.shared)


def labels_of(engine, pieces, n=N):
    labels = np.full(n, -1)
    for _, *held in pieces:
        shard = Shard.united([engine.get(ref) for ref in held])
        assert (labels[shard.flat["node"]] == -1).all()
        labels[shard.flat["node"]] = shard.flat["label"]
    return labels


def test_partitions_find_what_one_process_finds(local):
    run = run_of(local)
    pieces, why = run.go(12)
    labels = labels_of(local, pieces)
    assert (labels >= 0).all()
    assert why == "converged"
    assert run.history[-1].entities >= len(set(labels))
    alone = BagClustering(threads=1).fit(VECTORS, names=NAMES).labels_
    assert f1(np.unique(labels, return_inverse=True)[1]) > f1(alone) - 0.03


def test_every_engine_finds_the_same(engine, monkeypatch):
    # As it is in other processes.
    monkeypatch.undo()
    with LocalEngine(1) as other:
        first = labels_of(other, run_of(other).go(3)[0])
    assert labels_of(engine, run_of(engine).go(3)[0]).tolist() == first.tolist()


def test_another_number_of_partitions_finds_another_answer_of_the_same_quality(local):
    found = [labels_of(local, run_of(local, parts=parts).go(12)[0]) for parts in (1, 5)]
    assert all(f1(np.unique(labels, return_inverse=True)[1]) > 0.9 for labels in found)
    assert found[0].tolist() != found[1].tolist()


def test_an_entity_is_never_in_two_partitions(local):
    run = run_of(local)
    pieces = run.begin(False)
    for _ in range(3):
        pieces = run.step(pieces)
        held = [{label for ref in part[1:] for label in local.get(ref).flat["label"]} for part in pieces]
        assert sum(map(len, held)) == len(set.union(*held)) == run.history[-1].entities


def test_what_partitions_know_of_names_and_entities_is_true_of_the_corpus(local):
    run = run_of(local)
    pieces = run.step(run.step(run.begin(False)))
    labels = np.unique(labels_of(local, pieces), return_inverse=True)[1].astype(np.int32)
    whole = EntityCounts.of(EntityBags.of(BagMentions.of(MATRIX, NAMES, Constraints.none(N)), labels))
    background, known = map(local.get, run.shared)
    assert known.entities == whole.entities
    assert known.bearers == pytest.approx(whole.bearers)
    assert background.named.sum() == N


def test_a_new_entity_weighs_as_much_as_in_the_corpus(local):
    """Not as in the partition, which has a part of them."""
    made, _ = prepared(local)
    shard = local.get(made.shards()[0])
    background, known = map(local.get, made.shared)
    run = made.work._run(shard, made.work.mentions(shard, background), shard.local_labels(), known, True)
    run._begin_cycle(by_name=True)
    assert known.entities == len(set(NAMES)) > len(set(labels_by_name(shard)))
    assert run.strengths_now.new == pytest.approx(np.log1p(0.5 * max(known.entities / 2, np.sqrt(shard.n))))


def test_among_entities_of_one_name_words_have_the_odds_of_their_topics(local, monkeypatch):
    monkeypatch.setattr(topics, "BAGS_IN_A_TOPIC", 2)
    made, _ = prepared(local)
    run = Rounds(local, made.shards, made.work, N, Quiet(), shared=made.shared)
    pieces = run.step(run.begin(False))
    background = local.get(run.shared[0])
    before = {ref: local.get(ref).ragged["words"] for part in pieces for ref in part[1:]}
    assert all(len(words) == 3 for words in before.values())
    pieces, _ = run.round(made.work.by_topic, pieces, 1, None)
    shards = [Shard.united([local.get(ref) for ref in held]) for _, *held in pieces]
    plain = [1 / background.share[shard.ragged["words"][1]] for shard in shards]
    odds = [shard.ragged["words"][3] for shard in shards]
    assert not np.allclose(np.concatenate(odds), np.concatenate(plain))
    mentions = mentions_of(shards[0], background.share, len(background.named))
    moved = made.work._run(shards[0], mentions, shards[0].local_labels(), local.get(run.shared[1]), topics=False)
    moved._begin_cycle(by_name=False)
    assert (moved.mentions.words.odds == odds[0]).all()
    pieces, _ = run.round(made.work.by_name, pieces, 1, None)
    assert all(len(local.get(ref).ragged["words"]) == 3 for part in pieces for ref in part[1:])


@pytest.mark.parametrize(
    ("moved", "energy", "ended"), [([90, 9], [10.0, 20.0], False), ([90, 1], [10.0, 20.0], True),
                                   ([90, 50], [10.0, 10.04], True), ([90, 50], [10.0, 10.06], False)]
)  # fmt: skip
def test_a_run_ends_when_a_round_moves_or_gains_next_to_nothing(moved, energy, ended):
    history = [module.Cycle(n, 0, 0, 0, e, 0, 0, m, 0) for n, (m, e) in enumerate(zip(moved, energy, strict=True))]
    work = BagWork(3, 400, 10)
    # The first round is none of a cycle.
    assert not work.converged(history, 1e-4)
    assert work.converged([history[0], *history], 1e-4) == ended


def test_rounds_are_as_many_as_one_process_would_do(local):
    contexts, owners, judged, sizes = read(MATRIX, NAMES)
    given = [local.put(each) for each in contexts], owners, local.put(judged), sizes, 3
    assert [prepare(local, *given, levels, 0, False).work.cycles for levels in (0, 5, 6, 100)] == [1, 1, 2, 20]


def test_bags_of_other_words_but_the_same_names_are_one_entity_at_the_end(local):
    """Contexts of an entity are of two sorts, which share no word."""
    rng, n = np.random.default_rng(1), 1_000
    entity, sort = rng.integers(0, 40, n), rng.integers(0, 2, n)
    dense = np.zeros((n, 1_200), dtype=np.float32)
    dense[np.arange(n)[:, None], 12 * (2 * entity + sort)[:, None] + rng.integers(0, 12, (n, 8))] = 1
    dense[np.arange(n)[:, None], rng.integers(960, 1_200, (n, 3))] = 1
    names = np.array([f"n{2 * e + (r < 0.3)}" for e, r in zip(entity, rng.random(n), strict=True)])
    run = run_of(local, matrix=present(sparse.csr_matrix(dense)), names=names)
    pieces = run.begin(False)
    for _ in range(3):
        pieces = run.step(pieces)
    found = [np.unique(labels_of(local, each, n), return_inverse=True)[1] for each in (pieces, run.finish(pieces))]
    before, after = (f1(labels, entity) for labels in found)
    assert before < 0.75
    assert after > before + 0.12


def test_judgements_hold_across_partitions(local):
    a, b = np.flatnonzero(ENTITY == 0)[[0, 1]]
    other = np.flatnonzero(ENTITY == 5)[-1]
    same = [np.flatnonzero(ENTITY == 7)[0], np.flatnonzero(ENTITY == 8)[-1]]
    said = [Judgement(str(a), str(b), "different"), Judgement(str(a), str(other), "different")]
    said.append(Judgement(*map(str, same), "same"))
    limits = Constraints.compile(said, {str(i): i for i in range(N)}, N)
    run = run_of(local, limits=limits)
    labels = labels_of(local, run.go(8)[0])
    # Of those that must be one only the first is a node.
    assert (labels == -1).sum() == 1
    assert labels[max(same)] == -1
    assert labels[a] != labels[b]
    assert run.n == N - 1


def test_a_run_goes_on_from_what_it_kept(local, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)
    whole = run_of(local)
    pieces, _ = whole.go(3)
    run_of(local, tmp_path / "kept").go(2)
    resumed = run_of(local, tmp_path / "kept")
    again, _ = resumed.go(3, resume=True)
    assert [cycle.number for cycle in resumed.history] == [1, 2, 3]
    assert resumed.history[-1].energy == whole.history[-1].energy
    assert labels_of(local, again).tolist() == labels_of(local, pieces).tolist()


class Forgetful(LocalEngine):
    """An engine that loses what a stage made, once."""

    left = None

    def shuffle(self, work, parts, into, *shared):
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                raise Lost("a node is gone")
        return super().shuffle(work, parts, into, *shared)


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_lost_is_made_again(local, tmp_path, monkeypatch, kept):
    """From what was kept, or from the beginning: then with what was known at the beginning."""
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)
    undisturbed = run_of(local)
    whole = labels_of(local, undisturbed.go(3)[0])
    with Forgetful(2) as engine:
        run = run_of(engine, tmp_path / "kept" if kept else None)
        # The first shuffle deals, the second is round 0, then come two a round: the second stage of round 1 is lost.
        engine.left = 4
        pieces, _ = run.go(3)
        assert run.losses == 1
        assert [cycle.energy for cycle in run.history] == [cycle.energy for cycle in undisturbed.history]
        assert labels_of(engine, pieces).tolist() == whole.tolist()


def test_a_mention_that_is_lost_is_noticed(local, monkeypatch):
    kept = BagWork.by_name

    def losing(self, *given):
        pieces, told = kept(self, *given)
        return pieces, told._replace(nodes=told.nodes - 1)

    monkeypatch.setattr(BagWork, "by_name", losing)
    with pytest.raises(errors.CrossdocError, match="400 mentions before a round, but 397 after it"):
        run_of(local).go(2)


def test_where_words_do_not_tell_names_are_the_entities(local):
    rng = np.random.default_rng(3)
    names = np.array([f"n{code}" for code in rng.integers(0, 25, N)])
    run = run_of(local, names=names)
    assert not run.model.telling
    labels = labels_of(local, run.go(5)[0])
    assert len(set(zip(labels, names, strict=True))) == len(set(names)) == len(set(labels))


def test_where_most_words_are_the_articles_partitions_leave_them_out(local):
    """Mentions of one article meet by their words, whatever names they have."""
    rows, names, entity = in_articles(3000, 100, 300, own_share=0.35, aliases=3, places=300)
    matrix = present(rows)
    made, n = prepared(local, matrix, names)
    assert made.telling == "some"
    assert made.work.telling
    held = [local.get(ref) for ref in made.shards()]
    word = np.concatenate([shard.ragged["words"][1] for shard in held])
    assert (word >= 4000).mean() > (rows.indices >= 4000).mean() + 0.02
    assert sorted(np.concatenate([shard.flat["node"] for shard in held])) == list(range(3000))
    length = np.concatenate([shard.flat["length"] for shard in held])
    assert length.sum() == pytest.approx(matrix.nnz, rel=0.01)
    run = Rounds(local, made.shards, made.work, n, Quiet(), None, shared=made.shared)
    labels = labels_of(local, run.go(12)[0], n)
    alone = BagClustering(threads=1).fit(rows, names=names).labels_
    assert f1(np.unique(labels, return_inverse=True)[1], entity) > f1(alone, entity) - 0.05 > 0.8


def test_from_names_what_is_mixed_there_is_split(local):
    run = run_of(local, from_names=True)
    pieces = run.step(run.begin(False))
    labels = labels_of(local, pieces)
    # In the beginning bags are joined within names, after which single mentions move.
    names = [len(set(NAMES[labels == label])) for label in set(labels)]
    assert np.mean(names) < 1.5
    while not run.model.converged(run.history, run.tolerance):
        pieces = run.step(pieces)
    assert f1(np.unique(labels_of(local, pieces), return_inverse=True)[1]) > 0.9


def test_without_names_topics_are_those_of_mentions(local):
    run = run_of(local, names=np.array([""] * N))
    assert local.get(run.shared[0]).topics.many > 1
    alone = BagClustering(threads=1).fit(VECTORS).labels_
    assert f1(np.unique(labels_of(local, run.go(12)[0]), return_inverse=True)[1]) > f1(alone) - 0.1


def test_memberships_are_of_the_entities_that_are_there(local):
    run = run_of(local)
    pieces, _ = run.go(8)
    shared = [local.get(ref) for ref in run.shared]
    for part, *held in pieces:
        shard, (node, entity, weight) = run.model.memberships([part, *map(local.get, held)], *shared)
        assert set(node) == set(shard.flat["node"])
        assert set(entity) <= set(shard.flat["label"])
        assert (weight > 0).all()


class TestDealing:
    def test_mentions_of_one_name_meet_and_a_name_of_very_many_is_spread(self, local):
        names = np.where(np.arange(N) % 5 < 2, "John Smith", NAMES)
        made, _ = prepared(local, names=names)
        held = [local.get(ref) for ref in made.shards()]
        of_part = [set(labels) for labels in (names[each.flat["node"]] for each in held)]
        shared = of_part[0] & of_part[1] | of_part[0] & of_part[2] | of_part[1] & of_part[2]
        assert shared == {"John Smith"}
        assert all(each.n > N / 3 * 0.5 for each in held)

    def test_a_mention_without_words_is_dealt_with_its_name(self, local):
        matrix = VECTORS.matrix.tolil()
        empty = np.arange(0, N, 10)
        matrix[empty] = 0
        made, _ = prepared(local, present(matrix.tocsr()))
        held = made.work.deal([0, local.get(made.shards()[0])], 0, *map(local.get, made.shared))[0][:-1]
        where = {node: part for part, piece in enumerate(held) for node in piece.flat["node"].tolist()}
        right = []
        for node in set(where) & set(empty.tolist()):
            same = [where[other] for other in where if NAMES[other] == NAMES[node] and other not in empty]
            if same:
                right.append(same.count(where[node]) == max(map(same.count, range(3))))
        assert len(right) > 5
        assert np.mean(right) > 0.8

    def test_groups_of_topics_are_alike_and_as_large_as_each_other(self):
        alike = np.kron(np.eye(4), np.ones((5, 5))).astype(np.float32) * 0.9 + 0.05
        mass = np.ones(20)
        found = TopicModel(None, alike, mass).groups(4, 7)
        assert np.bincount(found).tolist() == [5, 5, 5, 5]
        assert all(len(set(found[at : at + 5])) == 1 for at in range(0, 20, 5))
        halves = [TopicModel(None, alike, mass).groups(3, seed).tolist() for seed in range(4)]
        assert len({tuple(each) for each in halves}) > 1

    def test_more_groups_than_topics_leaves_some_empty(self):
        assert sorted(TopicModel(None, np.eye(2, dtype=np.float32), np.ones(2)).groups(5, 0)) == [0, 1]

    def test_the_main_name_is_the_most_frequent(self):
        start, feature = np.array([0, 2, 2, 4]), np.array([1, 2, 0, 3], dtype=np.int32)
        names = Features(start, feature, np.array([1, 4, 2, 2], dtype=np.int32), None, None)
        assert main_names(names).tolist() == [2, -1, 0]

    def test_entities_that_share_their_main_names_draw_the_same(self):
        start, feature = np.array([0, 2, 4, 6]), np.array([1, 2, 1, 2, 1, 2], dtype=np.int32)
        names = Features(start, feature, np.array([9, 3, 3, 9, 99, 1], dtype=np.int32), None, np.array([12, 12, 100.0]))
        drawn = np.array([main_names(names, seed) for seed in range(20)])
        assert (drawn[:, 0] == drawn[:, 1]).all()
        assert set(drawn[:, 0]) == {1, 2}
        # What it goes by next to never says nothing of it.
        assert set(drawn[:, 2]) == {1}
