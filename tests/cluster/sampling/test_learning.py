"""SampleRank learns weights that serve other entities, and bad labels are refused."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.cluster.sampling import SamplingClustering
from crossdoc.cluster.sampling.learning import NAME_SHARE, _RankWalk, sample_rank
from crossdoc.cluster.sampling.mention_clusterer import name_codes
from crossdoc.scoring import Alignment, b_cubed

from .common import random_rows


def test_bad_gold_is_refused():
    rows = random_rows(np.random.default_rng(0), 4)
    with pytest.raises(errors.UsageError, match="whole numbers"):
        sample_rank(rows, None, np.array(["a", "b", "c", "d"]))
    with pytest.raises(errors.InputError, match="do not fit the 4 rows"):
        sample_rank(rows, None, np.zeros(3, dtype=int))


def mentions(seed=0, entities=30, each=8, own=6, noise=10):
    """Entities with words of their own among words of all, and two names each, of which one is shared by two."""
    rng = np.random.default_rng(seed)
    gold = np.repeat(np.arange(entities), each)
    counts = np.zeros((len(gold), 300 + entities * own))
    for row, entity in enumerate(gold):
        counts[row, rng.integers(0, 300, noise)] += 1
        counts[row, 300 + entity * own + rng.integers(0, own, 4)] += 1
    names = [f"name {entity // 2}" if rng.random() < 0.5 else f"other {entity}" for entity in gold]
    order = rng.permutation(len(gold))
    return sparse.csr_matrix(normalize(counts), dtype=np.float32)[order], np.array(names)[order], gold[order]


def f1_samplerank(rows, names, gold, weights):
    found = SamplingClustering(*weights[:2], threads=1, max_iter=20).fit(rows, names=names)
    return b_cubed(Alignment.from_labels(found.labels_, gold)).f1


def test_what_is_learned_on_some_entities_serves_the_others():
    rows, names, gold = mentions()
    learned = sample_rank(rows, names, np.where(gold < 10, gold, -1))
    assert learned.bias > 0
    assert learned.name_weight >= 0
    assert "80 labelled mentions" in learned.origin
    rest = gold >= 10
    scores = [
        f1_samplerank(rows[rest], names[rest], gold[rest], weights) for weights in (learned, (1e-4, 0.8), (0.9, 0.0))
    ]
    assert scores[0] > 0.75
    assert scores[0] > max(scores[1:]) + 0.2


def test_names_that_tell_everything_weigh_more_than_names_that_tell_nothing():
    rows, _, gold = mentions()
    telling = [f"n{entity}" for entity in gold]
    silent = [f"n{number % 7}" for number in range(len(gold))]
    weights = [sample_rank(rows, names, gold).name_weight for names in (telling, silent)]
    assert weights[0] > 2 * weights[1]


def test_the_same_seed_gives_the_same_weights_and_no_step_the_first_guess():
    rows, names, gold = mentions(entities=6)
    assert sample_rank(rows, names, gold, seed=3) == sample_rank(rows, names, gold, seed=3)
    assert sample_rank(rows, names, gold, seed=3) != sample_rank(rows, names, gold, seed=4)
    untouched = sample_rank(rows, names, gold, steps=0)
    assert untouched.name_weight == pytest.approx(untouched.bias * NAME_SHARE)


def test_moves_keep_a_partition():
    rows, names, gold = mentions(entities=6)
    walk = _RankWalk(rows, name_codes(names)[0], gold, 0.1, 0)
    theta = np.array([1.0, 0.5, 0.2])
    for _ in range(2000):
        theta = walk.step(theta, 0.05)
    assert sorted(row for members in walk.members for row in members) == list(range(len(gold)))
    assert all(row in walk.members[label] for row, label in enumerate(walk.label))
    assert sorted(walk.empty) == [place for place, members in enumerate(walk.members) if not members]
    assert len({int(label) for label in walk.label}) < len(gold)


def test_sums_are_what_counting_gives():
    rows, names, gold = mentions(entities=6)
    walk = _RankWalk(rows, name_codes(names)[0], gold, 0.1, 0)
    others = np.array([1, 5, 9, 20])
    sums, right = walk._sums(0, others)
    dense = rows.toarray()
    named = sum(names[other] == names[0] for other in others)
    assert sums == pytest.approx([sum(dense[0] @ dense[other] for other in others), 0.1 * named, -0.4])
    assert right == sum(1 if gold[other] == gold[0] else -1 for other in others)


@pytest.mark.parametrize(("entity", "error"), [([0, 0], errors.InputError), ([-1] * 48, errors.InputError)])
def test_nothing_to_learn_from(entity, error):
    rows, names, _ = mentions(entities=6)
    with pytest.raises(error):
        sample_rank(rows, names, np.array(entity))
