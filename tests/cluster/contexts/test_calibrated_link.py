"""The rule "calibrated" against SciPy's linkage, and what counts as a cluster."""

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from crossdoc import errors
from crossdoc.cluster.contexts import calibrated_link
from crossdoc.cluster.contexts.calibrated_link import linked_clusters
from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.cluster.contexts.spaces import given_rows, given_similarities
from crossdoc.model.evidence_protocol import Constraints


def senses(*sizes, shared=0.0):
    """Rows of several senses: each has a word of its own, and one that all share."""
    rows = np.zeros((sum(sizes), len(sizes) + 1))
    rows[np.arange(len(rows)), np.repeat(np.arange(len(sizes)), sizes)] = 1
    rows[:, -1] = shared
    return rows


def count(rows, cosine=0.065, least=4, constraints=None, weight=None):
    n = len(rows)
    weights = np.ones(n) if weight is None else weight
    return linked_clusters(given_rows(rows), weights, constraints or Constraints.none(n), cosine, least, 0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("cosine", "least"), [(0.1, 3), (0.3, 2), (0.5, 4)])
def test_counts_the_clusters_of_average_link(seed, cosine, least):
    rows = np.random.default_rng(seed).poisson(0.4, (40, 12)) + 1e-6
    tree = linkage(pdist(rows, "cosine"), "average")
    sizes = np.bincount(fcluster(tree, 1 - cosine, "distance"))
    assert count(rows, cosine, least) == max((sizes >= least).sum(), 1)


def test_what_is_left_over_is_no_cluster():
    assert count(senses(9, 8, 4)) == 3
    assert count(senses(9, 8, 3)) == 2
    assert count(senses(9, 8, 3), least=3) == 3
    assert count(senses(1, 1, 1, 1)) == 1, "none is large enough"
    assert (count(senses(5, 1, 1), least=1), count(senses(5, 1, 1), least=2)) == (3, 1)
    assert count(senses(3, 3)) == 2, "of few rows half are enough"
    assert count(senses(150, 150, 5)) == 2, "2% of 305 rows are more than 5"


def test_what_all_have_in_common_joins_them():
    """Rows of two senses have the cosine shared² / (1 + shared²)."""
    assert count(senses(6, 6, shared=0.25)) == 2
    assert count(senses(6, 6, shared=0.28)) == 1
    assert count(senses(6, 6, shared=0.28), cosine=0.08) == 2


@pytest.mark.parametrize(("words", "shared", "told"), [(27, 1, 2), (27, 2, 1), (64, 5, 2), (64, 6, 1)])
def test_longer_contexts_have_more_in_common_by_chance(words, shared, told):
    """Senses have shared / words in common; of 27 words .06 joins them (1 is .037, 2 are .074), of 64 .08 does."""
    own = words - shared
    rows = np.zeros((12, shared + 2 * own))
    rows[:, :shared] = 1
    rows[:6, shared : shared + own] = rows[6:, shared + own :] = 1
    assert count(rows, None) == told


def test_similarities_are_joined_at_a_fixed_one():
    for across, told in ((0.064, 2), (0.066, 1)):
        alike = given_similarities(np.where(np.kron(np.eye(2), np.ones((4, 4))) > 0, 1.0, across))
        assert linked_clusters(alike, np.ones(8), Constraints.none(8), None, 4, 0) == told


def test_judgements_weights_and_similarities_count():
    rows = senses(6, 6)
    # With one row of the other sense among them, the six have a seventh in common with the rest.
    together = Constraints(12, np.array([0] * 7 + [1, 2, 3, 4, 5], dtype=np.int32))
    assert (count(rows), count(rows, constraints=together), count(rows, 0.15, constraints=together)) == (2, 1, 2)
    assert count(senses(6, 2)) == 1
    assert count(senses(6, 2), weight=np.array([1.0] * 6 + [2, 2])) == 2
    alike = given_similarities(rows @ rows.T)
    assert linked_clusters(alike, np.ones(12), Constraints.none(12), 0.065, 4, 0) == 2


def test_of_many_rows_some_are_drawn_with_what_was_judged_of_them(monkeypatch):
    monkeypatch.setattr(calibrated_link, "MOST_LINKED_ROWS", 30)
    rows = senses(40, 40)
    apart = Constraints(80, np.arange(80, dtype=np.int32), np.array([[0, 79]], dtype=np.int32))
    assert count(rows, constraints=apart) == 2
    assert count(senses(80)) == 1


def test_the_estimator_stops_there():
    rows = senses(7, 6, 5, shared=0.1)
    found = ContextClustering(stop="calibrated", linked=0.065).fit(sparse.csr_matrix(rows))
    assert (found.n_clusters_, found.stopping_["calibrated"].k) == (3, 3)
    assert sorted(np.bincount(found.labels_).tolist()) == [5, 6, 7]
    assert {"pk1", "pk2", "pk3"} < set(found.stopping_), "the curve is there for the others too"
    assert ContextClustering(stop="calibrated", linked=0.065, least=6).fit(rows).n_clusters_ == 2
    assert ContextClustering(stop="calibrated", linked=0.005).fit(rows).n_clusters_ == 1
    assert ContextClustering(stop="calibrated", linked=0.065, max_clusters=2).fit(rows).n_clusters_ == 2


def test_cannot_links_may_ask_for_more():
    limits = Constraints(8, np.arange(8, dtype=np.int32), np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32))
    assert ContextClustering(stop="calibrated").fit(senses(8), constraints=limits).n_clusters_ >= 3


@pytest.mark.parametrize("wrong", [{"linked": np.nan}, {"linked": np.inf}, {"least": 0}, {"least": 1.5}])
def test_numbers_that_mean_nothing(wrong):
    with pytest.raises(errors.UsageError, match=next(iter(wrong))):
        ContextClustering(stop="calibrated", **wrong).fit(senses(4, 4))
