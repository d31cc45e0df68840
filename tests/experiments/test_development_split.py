"""The development split: labels find a bias that names alone do not."""

import numpy as np
from development_split import on_development_split
from scipy import sparse
from tests.cluster.sampling.common import ENTITY, NAMES, VECTORS, f1

from crossdoc.cluster.sampling import SamplingClustering


def test_on_a_development_split():
    some = ENTITY < 10
    learned = on_development_split(VECTORS.matrix[some], NAMES[some], ENTITY[some])
    found = SamplingClustering(learned.bias, learned.name_weight).fit(VECTORS.matrix[~some], names=NAMES[~some])
    assert f1(found.labels_, ENTITY[~some]) > 0.9


def test_labels_tell_that_contexts_count_where_names_do_not_agree_with_them():
    """Names are drawn at random, so that without labels names alone would be taken."""
    rng = np.random.default_rng(3)
    entity = np.repeat(np.arange(30), 10)
    words = np.concatenate([rng.integers(0, 5, (300, 5)) + 5 * entity[:, None], rng.integers(150, 1000, (300, 12))], 1)
    rows = sparse.csr_matrix((np.ones(words.size), (np.repeat(np.arange(300), 17), words.ravel())), (300, 1000))
    rows = sparse.csr_matrix(rows.multiply(1 / np.sqrt(rows.multiply(rows).sum(axis=1))))
    names = [f"n{name}" for name in rng.integers(0, 60, 300)]
    learned = on_development_split(rows, names, entity)
    found = SamplingClustering(learned.bias, learned.name_weight).fit(rows, names=names)
    assert f1(found.labels_, entity) > 0.9
