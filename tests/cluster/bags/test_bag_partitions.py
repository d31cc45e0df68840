"""Preparation of rounds of bags over partitions: shares of words, judgements, and how many partitions there are."""

import numpy as np
import pytest
from tests.cluster.sampling.common import NAMES, VECTORS

from crossdoc.cluster.bags import bag_partitions
from crossdoc.cluster.bags.bag_shards import mentions_of
from crossdoc.cluster.bags.bags import BagMentions, present
from crossdoc.cluster.bags.passages import first_alike
from crossdoc.cluster.sampling.mention_clusterer import name_codes
from crossdoc.model import Judgement
from crossdoc.model.evidence_protocol import Constraints

from .test_bag_shards import MATRIX, N, prepared, read

pytestmark = pytest.mark.usefixtures("small_topics")


class TestPrepared:
    def test_shares_of_words_are_the_corpus_s(self, local):
        made, _ = prepared(local)
        whole = BagMentions.of(MATRIX, NAMES, Constraints.none(N))
        share = local.get(made.shared[0]).share
        assert sorted(share[share > 0]) == pytest.approx(sorted(whole.share))
        parts = [mentions_of(local.get(ref), share, 30) for ref in made.shards()]
        assert sum(each.n for each in parts) == N
        assert sum(each.words.length.sum() for each in parts) == whole.words.length.sum()
        assert sum(len(each.words.feature) for each in parts) == len(whole.words.feature)

    def test_passages_over_parts_are_those_of_one_process(self, local):
        rng = np.random.default_rng(0)
        matrix = VECTORS.matrix.tolil()
        copies = rng.permutation(N)[:120].reshape(2, 60)
        for a, b in copies.T:
            matrix[b] = matrix[a]
        matrix = present(matrix.tocsr())
        matrix.sort_indices()
        contexts, owners, _, _ = read(matrix, NAMES)
        refs = [local.put(each) for each in contexts]
        marks = [local.get(ref) for ref in bag_partitions._marks(local, refs, local.put(owners), owners.parts, 4)]
        first, code = first_alike(matrix.indptr, matrix.indices), name_codes(NAMES)[0]
        row, found, shared = (np.concatenate(each) for each in zip(*marks, strict=True))
        passage = np.arange(N)
        passage[row] = found
        assert passage.tolist() == first.tolist()
        several = {p for p in first if len(set(code[first == p])) > 1}
        assert set(row[shared]) == {i for i in range(N) if first[i] in several and (first == first[i]).sum() > 1}

    def test_a_passage_counts_once_in_each_partition(self, local):
        matrix = MATRIX[np.concatenate([np.arange(N), np.arange(20)])]
        names = np.concatenate([NAMES, NAMES[:20]])
        made, n = prepared(local, matrix, names)
        for ref in made.shards():
            shard = local.get(ref)
            mentions = mentions_of(shard, local.get(made.shared[0]).share, 30)
            for i in np.flatnonzero(shard.flat["node"] >= N):
                twin = np.flatnonzero(shard.flat["node"] == shard.flat["node"][i] - N)
                assert mentions.stands_for[i] == twin
        assert n == N + 20

    def test_what_judgements_are_worth_goes_with_both_that_were_judged(self, local):
        said = [Judgement("3", "300", "different"), Judgement("3", "7", "same", hard=False, weight=0.5)]
        limits = Constraints.compile(said, {str(i): i for i in range(N)}, N)
        made, _ = prepared(local, limits=limits, parts=1)
        shard = local.get(made.shards()[0])
        given = mentions_of(shard, local.get(made.shared[0]).share, 30).limits
        whole = BagMentions.of(MATRIX, NAMES, limits).limits
        for found, wanted in zip(given, whole, strict=True):
            assert found.tolist() == wanted.tolist()
        assert sorted(given.weight) == [-np.inf, -np.inf, 5.0, 5.0]

    def test_rows_that_must_be_one_are_one_node_with_the_words_of_all(self, local):
        limits = Constraints.compile([Judgement("3", "300", "same")], {str(i): i for i in range(N)}, N)
        made, _ = prepared(local, limits=limits)
        (shard,) = (each for each in map(local.get, made.shards()) if 3 in each.flat["node"])
        at = int(np.flatnonzero(shard.flat["node"] == 3)[0])
        assert shard.flat["weight"][at] == 2
        start, _, times = shard.ragged["words"]
        both = MATRIX[3].indices.tolist() + MATRIX[300].indices.tolist()
        assert times[start[at] : start[at + 1]].sum() == len(both)
        assert shard.flat["length"][at] == len(both)


def test_as_many_partitions_as_mentions_need():
    found = [bag_partitions.bag_partitions_for(n, 1_000_000) for n in (1, 1_000_000, 1_000_001, 3_000_000)]
    assert found == [1, 1, 4, 10]
