"""The estimator of the bag model: answers, starts, judgements, seeds, checkpoints, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from tests.cluster.sampling.common import f1, random_rows

from crossdoc import errors
from crossdoc.cluster.bags import BagClustering
from crossdoc.cluster.bags.bag_run import BEGINNING, CYCLE
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling import SamplingClustering
from crossdoc.model.evidence_protocol import Constraints

from .common import ENTITY, NAMES, ROWS, links


def test_finds_entities_beyond_their_topics_and_names():
    found = BagClustering(threads=2).fit(ROWS, names=NAMES)
    assert f1(found.labels_, ENTITY) > 0.9 > f1(np.unique(NAMES, return_inverse=True)[1], ENTITY) + 0.2
    assert found.stopped_ == "converged"
    assert (found.partition_.labels == found.labels_).all()
    assert found.partition_.membership.sum(axis=1) == pytest.approx(1.0)
    levels = [told.level for told in found.history_]
    assert levels[: len(BEGINNING)] == list(BEGINNING)
    assert levels[len(BEGINNING) : len(BEGINNING) + len(CYCLE)] == list(CYCLE)
    assert found.energy_ > 0


def test_where_all_share_a_name_contexts_tell():
    rows, _, entity = links(1500, 40, own_share=0.5, seed=2)
    assert f1(BagClustering().fit(rows, names=["Smith"] * 1500).labels_, entity) > 0.9
    assert f1(BagClustering().fit(rows).labels_, entity) > 0.9


def test_where_contexts_are_empty_entities_are_names():
    names = np.repeat([f"n{k}" for k in range(50)], 6)
    found = BagClustering().fit(sparse.csr_matrix((300, 5), dtype=np.float32), names=names).labels_
    assert f1(found, np.repeat(np.arange(50), 6)) == 1


def test_starts_from_names_and_from_the_answer_end_alike():
    alone, names, gold = (
        BagClustering(start=start).fit(ROWS, names=NAMES) for start in ("singletons", "names", ENTITY)
    )
    assert names.energy_ == pytest.approx(gold.energy_, rel=0.01)
    assert alone.energy_ == pytest.approx(gold.energy_, rel=0.01)
    assert abs(f1(names.labels_, ENTITY) - f1(gold.labels_, ENTITY)) < 0.01


def test_a_start_that_is_mixed_is_split():
    mixed = BagClustering(start=ENTITY // 3).fit(ROWS, names=NAMES)
    assert f1(mixed.labels_, ENTITY) > f1(BagClustering().fit(ROWS, names=NAMES).labels_, ENTITY) - 0.02
    kept = BagClustering(start=ENTITY // 3, max_iter=0).fit(ROWS, names=NAMES)
    assert (kept.labels_ == renumber(ENTITY // 3)).all()


@pytest.mark.parametrize("estimator", [BagClustering(max_iter=9), SamplingClustering(max_iter=9, partitions=2)])
def test_the_order_of_rows_and_the_number_of_threads_make_no_difference(estimator):
    rng = np.random.default_rng(5)
    n = 900
    rows, names = ROWS[:n], NAMES[:n]
    group = np.arange(n, dtype=np.int32)
    group[[3, 700]] = 3
    limits = Constraints(n, group, np.array([[5, 17]], dtype=np.int32))
    order = rng.permutation(n)
    start = np.arange(n) // 4
    one = clone(estimator).set_params(threads=1, start=start).fit(rows, names=names, constraints=limits)
    two = clone(estimator).set_params(threads=2, start=start[order])
    two.fit(rows[order], names=names[order], constraints=limits.restrict(order))
    assert (renumber(one.labels_[order]) == two.labels_).all()
    assert one.energy_ == two.energy_
    assert one.partition_.membership[order].max(axis=1).toarray() == pytest.approx(
        two.partition_.membership.max(axis=1).toarray()
    )


def test_more_rounds_are_no_worse():
    found = BagClustering().fit(ROWS, names=NAMES)
    longer = BagClustering(tol=0, max_iter=3 * found.n_iter_).fit(ROWS, names=NAMES)
    assert longer.n_iter_ >= found.n_iter_
    assert f1(longer.labels_, ENTITY) > f1(found.labels_, ENTITY) - 0.01


def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads():
    one, two, other = (
        BagClustering(threads=t, random_state=s, max_iter=8).fit(ROWS, names=NAMES) for t, s in ((1, 0), (3, 0), (1, 1))
    )
    assert (one.labels_ == two.labels_).all()
    assert one.energy_ == pytest.approx(two.energy_)
    assert (one.labels_ != other.labels_).any()


@given(seed=st.integers(0, 2**32 - 1), must=st.integers(0, 20), no=st.integers(0, 60))
@settings(max_examples=15, deadline=None)
def test_never_violates_a_hard_constraint(seed, must, no):
    rng = np.random.default_rng(seed)
    n = 80
    group = np.arange(n)
    for a, b in rng.integers(0, n, (must, 2)):
        group[group == group[a]] = group[b]
    group = np.unique(group, return_inverse=True)[1].astype(np.int32)
    cannot = rng.integers(0, n, (no, 2)).astype(np.int32)
    limits = Constraints(n, group, cannot[group[cannot[:, 0]] != group[cannot[:, 1]]])
    names = [f"n{k}" for k in rng.integers(0, 9, n)]
    start = ["singletons", "names", rng.integers(0, 5, n)][seed % 3]
    found = BagClustering(max_iter=9, threads=2, start=start)
    found.fit(random_rows(rng, n, 30, 0.2), names=names, constraints=limits)
    assert limits.violated_by(found.labels_) == 0
    assert (found.partition_.labels == found.labels_).all()


@pytest.mark.parametrize(("weight", "together"), [(3.0, True), (-3.0, False)])
def test_a_soft_judgement_leans(weight, together):
    rows = sparse.csr_matrix(np.repeat(np.eye(12, dtype=np.float32), 5, axis=1))
    pairs = np.array([[0, 1]], dtype=np.int32)
    limits = Constraints(12, np.arange(12, dtype=np.int32), soft=pairs, soft_weight=np.array([weight]))
    names = ["a", "b" if together else "a", *"cdefghijkl"]
    found = BagClustering().fit(rows, names=names, constraints=limits).labels_
    assert (found[0] == found[1]) == together
    assert len(set(found[2:])) == 10


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    how = {"tol": 0, "checkpoint": tmp_path / "run"}
    cycle = len(BEGINNING) + len(CYCLE)
    whole = BagClustering(tol=0, max_iter=cycle + len(CYCLE)).fit(ROWS, names=NAMES)
    for first in (cycle, cycle + 1):
        BagClustering(**how, max_iter=first).fit(ROWS, names=NAMES)
        rest = BagClustering(**how, max_iter=cycle + len(CYCLE), resume=True).fit(ROWS, names=NAMES)
        assert (rest.labels_ == whole.labels_).all()
        assert [told.energy for told in rest.history_] == [told.energy for told in whole.history_]
    with pytest.raises(errors.UsageError, match="another corpus"):
        BagClustering(**how, resume=True).fit(ROWS[:-1], names=NAMES[:-1])
    with pytest.raises(errors.UsageError, match="other settings"):
        BagClustering(**how, resume=True, random_state=1).fit(ROWS, names=NAMES)


def test_time_ends_a_run():
    found = BagClustering(time_limit=1e-9).fit(ROWS[:200], names=NAMES[:200])
    assert (found.stopped_, found.n_iter_) == ("time", 0)
    assert len(set(found.labels_)) == 200


def test_rows_that_are_no_words_are_refused():
    dense = np.abs(np.random.default_rng(0).normal(size=(20, 4)))
    for rows in (dense, -ROWS[:50]):
        with pytest.raises(errors.InputError, match="--method sampling"):
            BagClustering().fit(rows)


@pytest.mark.parametrize(
    ("how", "problem"),
    [({"max_iter": -1}, "max_iter"), ({"threads": 0}, "threads"),
     ({"tol": np.inf}, "tol"), ({"start": "middle"}, "no start 'middle'"), ({"start": "names"}, "needs fit"),
     ({"resume": True}, "needs checkpoint=FILE"), ({"random_state": -1}, "random_state")],
)  # fmt: skip
def test_bad_parameters_are_refused(how, problem):
    with pytest.raises(errors.UsageError, match=problem):
        BagClustering(**how).fit(ROWS)


@pytest.mark.parametrize("how", [{}, {"tol": 0, "max_iter": len(BEGINNING) + len(CYCLE)}])
def test_an_entity_of_two_sorts_of_contexts_is_one_by_its_names(how):
    rng = np.random.default_rng(4)
    rows, _, half = links(2400, 80, own_share=0.5, seed=4)
    entity = half // 2
    names = np.array([f"n{e}-{k}" for e, k in zip(entity, rng.integers(0, 2, 2400), strict=True)])
    found = BagClustering(**how).fit(rows, names=names)
    assert found.stopped_ == ("rounds" if how else "converged")
    assert f1(found.labels_, entity) > 0.95
    assert [told.level for told in found.history_][-1] == "sub-entities"
