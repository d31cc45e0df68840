"""The estimator as a user meets it: answers, constraints, seeds, limits, checkpoints, bad input."""

import os
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from crossdoc import errors
from crossdoc.cluster.bags import BagClustering
from crossdoc.cluster.sampling import SamplingClustering, mention_clusterer, unsupervised
from crossdoc.model import Vectors
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import agreeing_names

from .common import ENTITY, NAMES, VECTORS, affinities, f1, random_rows, small_graph, topics


@pytest.mark.parametrize("hierarchy", ["combined", "sub", "super", "flat"])
@pytest.mark.parametrize(("threads", "partitions"), [(1, 1), (2, 5)])
def test_finds_the_entities(hierarchy, threads, partitions):
    found = SamplingClustering(0.1, 0.05, hierarchy=hierarchy, threads=threads, partitions=partitions, max_iter=60)
    found.fit(VECTORS, names=NAMES)
    assert f1(found.labels_) > (0.9 if hierarchy in ("combined", "sub") else 0.75)
    assert (found.partition_.labels == found.labels_).all()
    assert found.labels_.dtype == np.int32
    assert found.energy_ == pytest.approx(max(told.energy for told in found.history_))


def test_flat_annealing_gets_there_too():
    found = SamplingClustering(0.1, 0.05, proposals="flat", hierarchy="flat", temperature=(0.5, 0.02), max_iter=400)
    assert f1(found.fit(VECTORS, names=NAMES).labels_) > 0.8


def test_without_labels():
    found = SamplingClustering().fit(VECTORS, names=NAMES)
    assert f1(found.labels_) > 0.9
    assert "agree best with the names" in found.weights_origin_
    by_bags = BagClustering().fit(VECTORS, names=NAMES)
    assert f1(by_bags.labels_) > 0.9
    assert "bags of words and names: β" in by_bags.weights_origin_


def test_united_bags():
    found = SamplingClustering(0.1, 0.05, united_bias=0.3).fit(VECTORS, names=NAMES)
    assert f1(found.labels_) > 0.8


def test_the_start_is_taken():
    from_gold = SamplingClustering(0.1, 0.05, max_iter=0, start=ENTITY).fit(VECTORS, names=NAMES)
    assert f1(from_gold.labels_) == 1
    from_names = SamplingClustering(0.1, 0.05, max_iter=0, start="names").fit(VECTORS, names=NAMES)
    assert len(set(from_names.labels_)) == len(set(NAMES))


def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads():
    how = {"bias": 0.1, "name_weight": 0.05, "partitions": 4, "max_iter": 5}
    one, two = (SamplingClustering(**how, threads=t).fit(VECTORS, names=NAMES) for t in (1, 2))
    other = SamplingClustering(**how, random_state=1).fit(VECTORS, names=NAMES)
    assert (one.labels_ == two.labels_).all()
    assert (one.labels_ != other.labels_).any()


@given(seed=st.integers(0, 2**32 - 1), must=st.integers(0, 20), no=st.integers(0, 60), hot=st.booleans())
@settings(max_examples=15, deadline=None)
def test_never_violates_a_hard_constraint(seed, must, no, hot):
    rng = np.random.default_rng(seed)
    n = 80
    group = np.arange(n)
    for a, b in rng.integers(0, n, (must, 2)):
        group[group == group[a]] = group[b]
    group = np.unique(group, return_inverse=True)[1].astype(np.int32)
    cannot = rng.integers(0, n, (no, 2)).astype(np.int32)
    limits = Constraints(n, group, cannot[group[cannot[:, 0]] != group[cannot[:, 1]]])
    found = SamplingClustering(0.05, temperature=0.5 if hot else 0.0, max_iter=8, threads=2)
    found.fit(random_rows(rng, n, 20), constraints=limits)
    assert limits.violated_by(found.labels_) == 0
    assert (found.partition_.labels == found.labels_).all()
    held = found.partition_.membership.toarray()
    assert all((held[a] == held[b]).all() for a in range(n) for b in range(a) if group[a] == group[b])
    assert not (np.minimum(held[limits.cannot[:, 0]], held[limits.cannot[:, 1]]) > 0.3 + 1e-9).any()


def test_names_that_clash_are_kept_apart():
    rows = Vectors(sparse.csr_matrix(np.ones((4, 1), np.float32)))
    names = ["Bill Clinton", "William Clinton", "Hillary Clinton", "Clinton"]
    assert SamplingClustering(0.3, 0.1).fit(rows, names=names).labels_.max() == 0
    people = partial(agreeing_names, entity_type="person")
    apart = SamplingClustering(0.3, 0.1, clash_weight=5.0).fit(rows, names=names, agreeing=people).labels_
    assert apart[0] == apart[1] != apart[2]
    with pytest.raises(errors.UsageError, match="which names agree"):
        SamplingClustering(0.3, 0.1, clash_weight=5.0).fit(rows, names=names)


class TestMemberships:
    def test_conditionals_match_their_formula(self):
        rows = random_rows(np.random.default_rng(2), 6)
        labels = np.array([0, 0, 1, 1, 2, 2])
        found = SamplingClustering(0.35, start=labels, max_iter=0, threads=1).fit(rows)
        matrix = affinities(small_graph(2, n=6), 6) - 0.35
        np.fill_diagonal(matrix, 0)
        value = np.exp(2 * matrix @ np.eye(3)[labels])
        held = found.partition_.membership.toarray()
        for i in range(6):
            seen = held[i] > 0
            expected = value[i] * seen / (value[i] * seen).sum()
            if expected.argmax() == labels[i]:
                np.testing.assert_allclose(held[i], expected, atol=0.02)
            else:
                assert held[i].argmax() == labels[i]


class TestAnytime:
    def test_a_time_limit_is_kept(self):
        SamplingClustering(0.1, max_iter=6).fit(VECTORS)
        begun = time.perf_counter()
        found = SamplingClustering(0.1, max_iter=10**6, tol=0.0, time_limit=1.0, temperature=0.05).fit(VECTORS)
        assert found.stopped_ == "time"
        assert time.perf_counter() - begun < 20
        assert f1(found.labels_) > 0.3

    def test_ctrl_c_leaves_the_best_so_far(self, tmp_path):
        SamplingClustering(0.1, max_iter=6, temperature=0.05).fit(VECTORS)
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        how = {"bias": 0.1, "max_iter": 10**6, "temperature": 0.05, "checkpoint": tmp_path / "run"}
        found = SamplingClustering(**how).fit(VECTORS)
        assert found.stopped_ == "interrupted"
        resumed = SamplingClustering(**{**how, "max_iter": found.n_iter_ + 2}, resume=True).fit(VECTORS)
        assert resumed.n_iter_ == found.n_iter_ + 2
        assert resumed.energy_ >= found.energy_ - 1e-9

    def test_a_resumed_run_is_the_run(self, tmp_path):
        how = {"bias": 0.1, "name_weight": 0.05, "temperature": 0.1, "partitions": 2}
        whole = SamplingClustering(**how, max_iter=8).fit(VECTORS, names=NAMES)
        SamplingClustering(**how, max_iter=3, checkpoint=tmp_path / "run").fit(VECTORS, names=NAMES)
        rest = SamplingClustering(**how, max_iter=8, checkpoint=tmp_path / "run", resume=True)
        rest.fit(VECTORS, names=NAMES)
        assert (rest.labels_ == whole.labels_).all()
        assert [told.energy for told in rest.history_] == [told.energy for told in whole.history_]

    def test_resume_without_a_checkpoint_starts_afresh(self, tmp_path):
        found = SamplingClustering(0.1, max_iter=2, checkpoint=tmp_path / "none", resume=True).fit(VECTORS)
        assert found.n_iter_ == 2

    @pytest.mark.parametrize(
        "change",
        [
            {"labels": lambda labels: labels + 10**6}, {"labels": lambda labels: labels - 1},
            {"best": lambda best: best[:-1]}, {"labels": lambda labels: labels.astype(np.float64)},
            {"told": lambda told: np.array(str(told).replace('"rounds":1', '"rounds":"x"'))},
            {"told": lambda told: np.array(str(told).replace('"history":[', '"history":[7,'))},
        ],
    )  # fmt: skip
    def test_checkpoints_whose_numbers_do_not_fit_are_refused(self, tmp_path, change):
        path = tmp_path / "run"
        SamplingClustering(0.1, max_iter=1, checkpoint=path).fit(VECTORS)
        with np.load(path) as held:
            parts = {name: change.get(name, lambda kept: kept)(held[name]) for name in held.files}
        with path.open("wb") as stream:
            np.savez(stream, **parts)
        with pytest.raises(errors.InputError, match="not a checkpoint"):
            SamplingClustering(0.1, max_iter=2, checkpoint=path, resume=True).fit(VECTORS)

    def test_other_checkpoints_are_refused(self, tmp_path):
        path = tmp_path / "run"
        SamplingClustering(0.1, max_iter=1, checkpoint=path).fit(VECTORS)
        with pytest.raises(errors.UsageError, match="another corpus"):
            SamplingClustering(0.1, max_iter=1, checkpoint=path, resume=True).fit(topics(100)[0])
        with pytest.raises(errors.UsageError, match="other settings"):
            SamplingClustering(0.2, max_iter=1, checkpoint=path, resume=True).fit(VECTORS)
        path.write_bytes(b"no checkpoint")
        with pytest.raises(errors.InputError, match="not a checkpoint"):
            SamplingClustering(0.1, max_iter=1, checkpoint=path, resume=True).fit(VECTORS)
        path.write_bytes(b"")
        with pytest.raises(errors.InputError, match="not a checkpoint"):
            SamplingClustering(0.1, max_iter=1, checkpoint=path, resume=True).fit(VECTORS)


class TestLearning:
    def test_contexts_that_different_names_share_are_not_trusted(self):
        """Thirty paragraphs, each with eight links of different names, and each name in several paragraphs."""
        rng = np.random.default_rng(0)
        paragraph = rng.random((30, 200)) < 0.1
        unit = paragraph / np.sqrt(paragraph.sum(axis=1, keepdims=True))
        rows = sparse.csr_matrix(np.repeat(unit, 8, axis=0))
        names = np.array([f"n{name}" for name in np.concatenate([rng.permutation(40)[:8] for _ in range(30)])])
        found = SamplingClustering().fit(rows, names=names)
        assert found.weights_origin_.startswith("names alone")
        code = np.unique(names, return_inverse=True)[1]
        assert f1(BagClustering().fit(rows, names=names).labels_, code) > 0.95
        assert f1(found.labels_, np.unique(names, return_inverse=True)[1]) == 1.0

    def test_one_name_says_nothing(self):
        found = unsupervised(VECTORS.matrix, ["X"] * len(ENTITY))
        left, right = np.triu_indices(len(ENTITY), 1)
        cosines = (VECTORS.matrix @ VECTORS.matrix.T).toarray()[left, right]
        assert found.bias == pytest.approx(cosines.mean(), rel=0.05)
        assert found.name_weight == 0


class TestOddInput:
    def test_no_row_one_row_and_empty_contexts(self):
        none = SamplingClustering().fit(Vectors(sparse.csr_matrix((0, 3), dtype=np.float32)), names=[])
        assert none.labels_.tolist() == []
        assert len(none.partition_) == 0
        one = SamplingClustering().fit(np.ones((1, 2)), names=["a"])
        assert one.partition_.membership.toarray().tolist() == [[1.0]]
        empty = SamplingClustering().fit(sparse.csr_matrix((4, 3), dtype=np.float32))
        assert sorted(empty.labels_.tolist()) == [0, 1, 2, 3]
        half = SamplingClustering(0.2, 0.5).fit(np.array([[1.0, 0], [0, 0], [0, 0]]), names=["a", "b", "b"])
        assert half.labels_.tolist() == [0, 1, 1]

    def test_all_identical(self):
        assert SamplingClustering(0.5).fit(np.ones((300, 1))).labels_.max() == 0
        for rows in (2, 60):
            assert SamplingClustering().fit(np.full((rows, 3), 3**-0.5), names=["Bush"] * rows).labels_.max() == 0

    def test_all_of_one_name(self):
        found = SamplingClustering(0.1).fit(VECTORS, names=["Bush"] * len(ENTITY))
        assert found.name_weight_ == 0
        assert f1(found.labels_) > 0.8

    def test_a_name_that_is_no_number_is_none(self):
        rows = sparse.identity(3, dtype=np.float32, format="csr")
        apart = SamplingClustering(0.1, 5.0).fit(rows, names=[float("nan"), float("nan"), None])
        assert sorted(apart.labels_.tolist()) == [0, 1, 2]

    @pytest.mark.parametrize("names", [["a"], "a" * 400, [["a"]] * 400])
    @pytest.mark.parametrize("bias", [None, 0.1])
    def test_bad_names_are_refused(self, names, bias):
        with pytest.raises(errors.InputError, match=r"names"):
            SamplingClustering(bias).fit(VECTORS, names=names)

    @pytest.mark.parametrize(
        ("how", "told"),
        [
            ({"hierarchy": "tall"}, "no hierarchy 'tall'"),
            ({"proposals": "wild"}, "no kind of proposals"),
            ({"temperature": -1}, "temperature is -1"),
            ({"temperature": (1, 0)}, "temperature"),
            ({"max_iter": -1}, "max_iter"),
            ({"threads": 0}, "threads"),
            ({"bias": np.nan}, "bias"),
            ({"time_limit": -3}, "time_limit"),
            ({"start": "middle"}, "no start 'middle'"),
            ({"start": "names"}, "needs fit"),
            ({"bias": "high"}, "bias is 'high'"),
            ({"temperature": None}, "temperature is None"),
            ({"temperature": "hot"}, "temperature is 'hot'"),
            ({"random_state": 2**64}, "random_state"),
            ({"resume": True}, "needs checkpoint=FILE"),
            ({"hierarchy": "flat", "united_bias": 0.1}, "cannot be used with the hierarchy"),
            ({"united_bias": 0.1, "clash_weight": 1.0}, "cannot be given together"),
        ],
    )
    def test_bad_parameters_are_refused(self, how, told):
        with pytest.raises(errors.UsageError, match=told):
            SamplingClustering(**how).fit(VECTORS)

    def test_bad_rows_are_refused(self):
        with pytest.raises(errors.InputError, match="not finite"):
            SamplingClustering().fit(np.array([[np.inf, 1.0]]))
        with pytest.raises(errors.InputError, match="do not fit the 400 rows"):
            SamplingClustering(0.1, 0.1).fit(VECTORS, names=["a"])
        with pytest.raises(errors.InputError, match="about 3 rows"):
            SamplingClustering(0.1).fit(VECTORS, constraints=Constraints.none(3))

    def test_too_little_memory_is_said_before_it_starts(self, monkeypatch):
        monkeypatch.setattr(mention_clusterer, "free_bytes", lambda: 1000)
        with pytest.raises(errors.CrossdocError, match=r"Sampling over 400 mentions needs about .* GB"):
            SamplingClustering(0.1).fit(VECTORS)


def test_is_an_estimator_and_reports_itself():
    said = []

    class Told:
        def start(self, stage, total=None):
            said.append(stage)

        def advance(self, steps=1):
            pass

        def note(self, message):
            pass

    found = clone(SamplingClustering(0.1, max_iter=3, time_limit=60.0, progress=Told()))
    found.fit(VECTORS)
    assert any("round 3 (mentions): energy" in line and "s left" in line for line in said)
    assert found.set_params(bias=0.2).get_params()["bias"] == 0.2
