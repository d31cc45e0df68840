"""The development split: labels find a bias that names alone do not, and bad labels are refused."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling import SamplingClustering, on_development_split

from .common import f1, random_rows


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


def test_bad_gold_is_refused():
    rows = random_rows(np.random.default_rng(0), 4)
    with pytest.raises(errors.UsageError, match="whole numbers"):
        on_development_split(rows, None, np.array(["a", "b", "c", "d"]))
    with pytest.raises(errors.InputError, match="3 names for 4 rows"):
        on_development_split(rows, None, np.zeros(3, dtype=int))
