"""Contexts that are one passage: counted once, and no evidence for themselves."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.bags.bag_run import BagRun
from crossdoc.cluster.bags.bags import (
    DISCOUNT,
    BagMentions,
    EntityBags,
    Strengths,
    fitted,
)
from crossdoc.cluster.bags.passages import first_alike
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet

from .test_bags import STRENGTHS, log_odds


def passages():
    """Rows 0 and 1 have one context but for a word; others have some of its words, or none."""
    words = [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 9], [0, 1, 7, 8, 9, 11, 12], [6, 7, 8, 9], [5, 6, 7, 8, 10], [0, 10]]
    rows = np.repeat(np.arange(len(words)), [len(row) for row in words])
    return sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, np.concatenate(words))))


def test_a_passage_is_counted_once_and_is_no_evidence_for_itself():
    mentions = BagMentions.of(passages(), ["a", "a", "b", "c", "d", "e"], Constraints.none(6))
    assert mentions.stands_for.tolist() == [0, 0, 2, 3, 4, 5]
    assert EntityBags.of(mentions, np.arange(6, dtype=np.int32)).words.size.tolist() == [6, 0, 7, 4, 5, 2]
    for one, other in ((0, 1), (1, 0)):
        assert worth(mentions, one, other) == pytest.approx(0, abs=0.2)
    assert worth(replace(mentions, stands_for=np.arange(6)), 1, 0) > 0.5


@pytest.mark.parametrize("longer", [0, 1])
def test_a_bag_without_a_passage_lacks_the_length_of_its_first_copy(longer):
    """One of two copies has many words of its own, which no other row has and so are no features."""
    shared, own = list(range(8)), list(range(20, 27))
    rows = [shared, shared, [0, 1, 9, 10], [2, 3, 9, 10]]
    rows[longer] = shared + own
    matrix = sparse.lil_matrix((4, 30), dtype=np.float32)
    for row, words in enumerate(rows):
        matrix[row, words] = 1
    mentions = BagMentions.of(matrix.tocsr(), None, Constraints.none(4))
    assert mentions.stands_for.tolist() == [0, 0, 2, 3]
    run = BagRun(mentions, np.zeros(4, dtype=np.int32), np.zeros(4, dtype=np.int32), Quiet(), False)
    run.strengths = Strengths((0.3, 0.5), (0.1, 2.0), 1.7)
    frequency = np.asarray((matrix.toarray() > 0).sum(axis=0)).ravel()
    share = frequency / frequency.sum()
    value = run.best_entities(np.arange(4), 1)[1][:, 0]
    for i in (0, 1):
        others = {0: 1, 1: 1, 2: 1, 3: 1, 9: 2, 10: 2}
        # The first copy's features are taken from the bag; what they had in common with others is left there.
        words = [word for word in rows[i] if frequency[word] > 1]
        expected = log_odds(words, len(rows[i]), others, 8, share, 0.3, 0.5) + math.log(3 - DISCOUNT)
        assert value[i] == pytest.approx(expected, rel=1e-5)
    assert run.energy() == pytest.approx((value - 1.7).sum())
    assert np.isfinite(fitted(EntityBags.of(mentions, run.labels), run.strengths, 0.9, 1).words).all()


def worth(mentions, node, entity):
    """What the words of a node say for its being of another's entity, all being alone; 0 if none does."""
    run = BagRun(mentions.unnamed(), np.arange(6, dtype=np.int32), np.arange(6, dtype=np.int32), Quiet(), False)
    run.strengths = STRENGTHS
    who, value = run.best_entities(np.array([node]), 5)
    return value[0][who[0] == entity].sum() - math.log(1 - DISCOUNT) * (entity in who[0])


def test_a_passage_that_several_names_share_says_nothing_of_either():
    mentions = BagMentions.of(passages(), ["a", "b", "b", "c", "d", "e"], Constraints.none(6))
    assert mentions.words.length.tolist() == [0, 0, 7, 4, 5, 2]
    assert mentions.stands_for.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("shared", "found"), [(20, True), (12, False)])
def test_rows_that_share_half_of_the_words_are_one_passage(shared, found):
    rng = np.random.default_rng(0)
    rows = [rng.choice(5000, 30, replace=False) for _ in range(100)]
    rows += [np.concatenate([row[:shared], 5000 + rng.choice(5000, 30 - shared, replace=False)]) for row in rows]
    first = first_alike(np.arange(201) * 30, np.concatenate([np.sort(row) for row in rows]).astype(np.int32))
    assert (first[:100] == np.arange(100)).all()
    assert ((first[100:] == np.arange(100)).mean() > 0.9) == found
    assert ((first[100:] == np.arange(100, 200)).mean() > 0.9) != found
