"""Bags are better where words belong to entities, and not where they belong to nothing or to several names."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.bags.held_out import LEAST_OWN_CONTEXTS, SURE_GAIN, BagFit, fit_of_bags


def mentions(kind, n=400, entities=20, seed=0):
    """Entities of two names each; a context has words of its entity, or of a group that chance puts it into."""
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, entities, n)
    names = np.array([f"n{e}-{k}" for e, k in zip(entity, rng.integers(0, 2, n), strict=True)], dtype=object)
    group = {"entities": entity, "chance": rng.integers(0, entities, n)}[kind]
    words = 30 * group[:, None] + rng.integers(0, 30, (n, 12))
    chance = 30 * entities + rng.integers(0, 400, (n, 6))
    columns = np.concatenate([words, chance], axis=1).ravel()
    rows = np.repeat(np.arange(n), 18)
    matrix = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, 30 * entities + 400))
    return matrix.astype(bool).tocsr(), names


@pytest.mark.parametrize(("kind", "better"), [("entities", True), ("chance", False)])
def test_words_of_entities_make_bags_better(kind, better):
    fit = fit_of_bags(*mentions(kind))
    assert fit.is_better == better
    assert fit.own > 0.9
    assert (fit.gain > SURE_GAIN * fit.error > 0) == better


def test_contexts_that_names_share_are_not_their_own():
    matrix, names = mentions("entities")
    shared = np.repeat(np.arange(0, 400, 4), 4)
    fit = fit_of_bags(matrix[shared], names)
    assert fit.own < LEAST_OWN_CONTEXTS
    assert not fit.is_better


def test_the_share_of_own_contexts_and_the_gain_decide():
    assert BagFit(0.9, "all", 2.0, 0.5).is_better
    assert not BagFit(0.9, "all", 2.0, 2.0 / SURE_GAIN).is_better
    assert not BagFit(0.9, "all", -2.0, 0.1).is_better
    assert not BagFit(LEAST_OWN_CONTEXTS, "all", 2.0, 0.5).is_better
    assert BagFit(0.9, "some").is_better
    assert not BagFit(0.9, "none").is_better


@pytest.mark.parametrize("names", [["a"] * 3, ["a", "b", "c"], []])
def test_one_name_or_names_that_occur_once_say_nothing_of_bags(names):
    matrix = sparse.csr_matrix(np.ones((len(names), 4), dtype=bool))
    assert fit_of_bags(matrix, np.array(names, dtype=object)) == BagFit(
        fit_of_bags(matrix, np.array(names)).own, "none"
    )


def test_threads_and_order_do_not_matter():
    matrix, names = mentions("entities")
    assert fit_of_bags(matrix, names, threads=2) == fit_of_bags(matrix, names)
