import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist
from sklearn.base import clone

from crossdoc import errors
from crossdoc.cluster.contexts import context_clustering
from crossdoc.cluster.contexts.context_clustering import ContextClustering, cluster_words, linked_clusters
from crossdoc.cluster.contexts.spaces import ContextMatrix
from crossdoc.model import Relations, Vectors
from crossdoc.model.evidence_protocol import Constraints

METHODS = ("direct", "rb", "rbr")


def blocks(sizes=(12, 9, 7), seed=0):
    """Counts of words in contexts of several senses, each with words of its own."""
    rng = np.random.default_rng(seed)
    senses = np.repeat(np.arange(len(sizes)), sizes)
    table = np.zeros((len(senses), 8 * len(sizes)))
    for row, sense in enumerate(senses):
        table[row, sense * 8 : sense * 8 + 8] = 1 + rng.poisson(1.5, 8)
    return table, senses


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stop", ["pk2", "gap"])
def test_clean_senses_are_found(method, stop):
    rows, senses = blocks()
    found = ContextClustering(method=method, stop=stop, references=3).fit(rows)
    assert found.n_clusters_ == 3
    assert same_partition(found.labels_.tolist(), senses.tolist())
    assert found.labels_.dtype == np.int32
    assert found.partition_.labels.tolist() == found.labels_.tolist()


def test_every_form_of_input_gives_the_same_answer():
    rows, _ = blocks()
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    wanted = ContextClustering(random_state=1).fit(rows)
    for given_rows in (unit, sparse.csr_matrix(rows), Vectors(sparse.csr_matrix(unit))):
        assert ContextClustering(random_state=1).fit(given_rows).labels_.tolist() == wanted.labels_.tolist()


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_hard_constraints_are_never_broken(method, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    rows = rng.poisson(0.7, (n, 6)).astype(float)
    group = rng.integers(max(n - 3, 1), size=n).astype(np.int32)
    pairs = rng.integers(n, size=(6, 2))
    cannot = pairs[group[pairs[:, 0]] != group[pairs[:, 1]]].astype(np.int32)
    soft = rng.integers(n, size=(3, 2)).astype(np.int32)
    limits = Constraints(n, group, cannot, soft, rng.uniform(-0.9, 0.9, 3))
    for k in (None, 1, len(np.unique(group))):
        found = ContextClustering(k, method=method, n_init=2).fit(rows, constraints=limits)
        assert limits.violated_by(found.labels_) == 0
        share = found.partition_.membership.toarray()
        np.testing.assert_allclose(share.sum(axis=1), 1)
        for a, b in cannot:
            assert not ((share[a] > 0.3) & (share[b] > 0.3)).any()
        for rows_of_group in limits.linked_rows():
            np.testing.assert_allclose(share[rows_of_group], share[rows_of_group[:1]].repeat(len(rows_of_group), 0))
        assert found.partition_.labels.tolist() == found.labels_.tolist()


def test_a_strong_soft_constraint_forbids_and_a_weak_one_leans():
    rows = np.array([[1.0, 0.0], [1.0, 0.05], [0.0, 1.0], [0.05, 1.0]])
    apart = Constraints.none(4).with_soft(np.array([[0, 1]]), -1000.0)
    assert len(set(ContextClustering(2).fit(rows, constraints=apart).labels_[:2])) == 2
    leaning = Constraints.none(4).with_soft(np.array([[0, 1]]), -0.2)
    assert ContextClustering(2).fit(rows, constraints=leaning).labels_.tolist() == [0, 0, 1, 1]
    torn = np.array([[1.0, 0.0], [0.0, 1.0], [0.71, 0.7]])
    assert ContextClustering(2).fit(torn).labels_.tolist() == [0, 1, 0]
    leaning = Constraints.none(3).with_soft(np.array([[1, 2]]), 0.3)
    assert ContextClustering(2).fit(torn, constraints=leaning).labels_.tolist() == [0, 1, 1]


def test_more_clusters_than_asked_where_cannot_links_need_them():
    everyone_apart = np.array([(a, b) for b in range(4) for a in range(b)], dtype=np.int32)
    limits = Constraints(4, np.arange(4, dtype=np.int32), everyone_apart)
    assert ContextClustering(2).fit(np.ones((4, 2)), constraints=limits).n_clusters_ == 4
    assert ContextClustering().fit(np.ones((4, 2)), constraints=limits).first_k_ == 4


def test_weights_count_rows_several_times():
    rows, _ = blocks((5, 4, 3))
    weight = np.arange(len(rows)) % 3 + 1.0
    found = ContextClustering(3).fit(rows, sample_weight=weight)
    repeated = ContextClustering(3).fit(np.repeat(rows, weight.astype(int), axis=0))
    assert found.criterion_[0] == pytest.approx(repeated.criterion_[0])


@pytest.mark.parametrize("stop", ["pk1", "pk2", "pk3", "gap", "all"])
def test_next_to_nothing_is_one_cluster(stop):
    cases = [np.ones((1, 3)), np.ones((5, 3)), np.zeros((1, 3)), np.zeros((4, 3)), np.array([[2.0, 1], [4, 2]])]
    for rows in cases:
        found = ContextClustering(stop=stop, references=2).fit(rows)
        assert found.labels_.tolist() == [0] * len(rows)
        assert found.n_clusters_ == 1
    none = ContextClustering(stop=stop).fit(Vectors(sparse.csr_matrix((0, 3))))
    assert (none.n_clusters_, len(none.labels_), len(none.partition_)) == (0, 0, 0)


def test_an_empty_context_belongs_to_each_cluster_by_its_size():
    rows = np.array([[1.0, 0], [1, 0], [1, 0], [0, 1], [0, 0]])
    found = ContextClustering(2).fit(rows)
    assert found.labels_.tolist() == [0, 0, 0, 1, 0]
    assert found.partition_.membership.toarray()[4].tolist() == [0.75, 0.25]
    limits = Constraints(5, np.arange(5, dtype=np.int32), np.array([[0, 4], [3, 4]], dtype=np.int32))
    found = ContextClustering(2).fit(rows, constraints=limits)
    assert found.labels_.tolist() == [0, 0, 0, 1, 2]
    assert found.representatives_.tolist() == [0, 3, 4]


def test_representatives_are_the_nearest_to_their_centre():
    rows = np.array([[1.0, 0.5], [1, 0.4], [1, 0.2], [0.1, 1], [0, 1], [0, 1]])
    found = ContextClustering(2).fit(rows)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    for cluster in range(2):
        inside = np.flatnonzero(found.labels_ == cluster)
        near = unit[inside] @ unit[inside].sum(axis=0)
        assert found.representatives_[cluster] == inside[near.argmax()]


def test_the_seed_decides_and_parameters_are_kept():
    rows = np.random.default_rng(0).poisson(0.5, (40, 30)).astype(float)
    first, second = (ContextClustering(random_state=5, stop="all", references=2).fit(rows) for _ in range(2))
    assert first.labels_.tolist() == second.labels_.tolist()
    assert {k: v.k for k, v in first.stopping_.items()} == {k: v.k for k, v in second.stopping_.items()}
    assert clone(first).get_params()["random_state"] == 5


def test_the_curve_ends_where_it_hardly_improves():
    rows, _ = blocks()
    found = ContextClustering(delta=0.02).fit(rows)
    gains = np.diff(found.criterion_) / found.criterion_[:-1]
    assert (gains[:-1] > 0.02).all()
    assert gains[-1] <= 0.02
    assert found.delta_k_ == len(found.criterion_)
    assert ContextClustering(max_clusters=2).fit(rows).delta_k_ == 2


@pytest.mark.parametrize(
    ("parameters", "rows", "message"),
    [
        ({"n_clusters": 3}, np.eye(2), "3 clusters"),
        ({"n_clusters": 0}, np.eye(2), "at least 1"),
        ({"n_clusters": True}, np.eye(2), "at least 1"),
        ({"n_clusters": 2.0}, np.eye(2), "at least 1"),
        ({"stop": "pk4"}, np.eye(2), "pk4"),
        ({"criterion": "g1"}, np.eye(2), "g1"),
        ({"method": "graph"}, np.eye(2), "graph"),
        ({"n_init": 0}, np.eye(2), "n_init"),
        ({"references": 0}, np.eye(2), "references"),
        ({"delta": -1}, np.eye(2), "delta"),
        ({"max_clusters": 0}, np.eye(2), "max_clusters"),
        ({}, np.array([[1.0, np.nan]]), "finite"),
        ({}, np.ones(3), "2D array"),
        ({}, [["a", "b"]], "string to float"),
        ({}, Relations.from_dense(np.eye(2)), "cluster_graph"),
    ],
)
def test_what_cannot_be_clustered(parameters, rows, message):
    with pytest.raises(errors.CrossdocError, match=message):
        ContextClustering(**parameters).fit(rows)


def test_constraints_of_other_rows():
    with pytest.raises(errors.InputError, match="constraints"):
        ContextClustering().fit(np.eye(3), constraints=Constraints.none(2))
    with pytest.raises(errors.InputError, match="sample_weight"):
        ContextClustering().fit(np.eye(3), sample_weight=np.ones(2))


def test_even_has_the_most_above_even_within_clusters():
    rows = np.random.default_rng(3).random((12, 5))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = unit @ unit.T
    found = ContextClustering(stop="even", even=0.8, max_clusters=12).fit(rows)
    told = found.stopping_["even"]
    labels = [ContextClustering(n_clusters=int(k)).fit(rows).labels_ for k in told.at]
    within = [np.triu((one[:, None] == one[None, :]) * (cosine - 0.8), 1).sum() for one in labels]
    assert told.value - told.value[0] == pytest.approx(np.array(within) - within[0], abs=1e-6)
    assert found.n_clusters_ == told.k == told.at[np.argmax(within)]


def test_even_can_answer_one_and_as_many_as_there_are():
    alike = np.array([[3.0, 1.0], [2.0, 1.0], [4.0, 1.0], [3.0, 2.0], [5.0, 2.0]])
    assert ContextClustering(stop="even", even=0.1).fit(alike).n_clusters_ == 1
    assert ContextClustering(stop="even", even=0.1).fit(np.eye(6)).n_clusters_ == 6


def test_words_describe_and_tell_apart():
    features = np.array(["boat", "car", "said", "squid"], dtype=object)
    rows = sparse.csr_matrix(np.array([[0, 0.8, 0.6, 0], [0, 0.6, 0.8, 0], [0.3, 0, 0.5, 0.8], [0, 0, 0.6, 0.8]]))
    cars, squid = cluster_words(Vectors(rows, features), np.array([0, 0, 1, 1]), most=3)
    assert cars.describing == ["car", "said"]
    assert cars.discriminating == ["car"]
    assert squid.describing == ["squid", "said", "boat"]
    assert squid.discriminating == ["squid", "boat"]


def test_words_need_words():
    with pytest.raises(ValueError, match="features"):
        cluster_words(Vectors(sparse.csr_matrix(np.eye(2))), np.array([0, 1]))


def senses(*sizes, shared=0.0):
    """Rows of several senses: each has a word of its own, and one that all share."""
    rows = np.zeros((sum(sizes), len(sizes) + 1))
    rows[np.arange(len(rows)), np.repeat(np.arange(len(sizes)), sizes)] = 1
    rows[:, -1] = shared
    return rows


def count(rows, cosine=0.065, least=4, constraints=None, weight=None):
    n = len(rows)
    weights = np.ones(n) if weight is None else weight
    return linked_clusters(ContextMatrix.of(rows), weights, constraints or Constraints.none(n), cosine, least, 0)


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


def test_judgements_and_weights_count():
    rows = senses(6, 6)
    # With one row of the other sense among them, the six have a seventh in common with the rest.
    together = Constraints(12, np.array([0] * 7 + [1, 2, 3, 4, 5], dtype=np.int32))
    assert (count(rows), count(rows, constraints=together), count(rows, 0.15, constraints=together)) == (2, 1, 2)
    assert count(senses(6, 2)) == 1
    assert count(senses(6, 2), weight=np.array([1.0] * 6 + [2, 2])) == 2


def test_of_many_rows_some_are_drawn_with_what_was_judged_of_them(monkeypatch):
    monkeypatch.setattr(context_clustering, "MOST_LINKED_ROWS", 30)
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
