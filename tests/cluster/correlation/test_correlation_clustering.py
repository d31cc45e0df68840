"""The estimator: what goes in, what is refused, and that implicit pairs, kinds and contraction mean what they say."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from correlation_instances import languages, planted
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from crossdoc import errors
from crossdoc.cluster.correlation import SOLVERS, CorrelationClustering, build, local_search
from crossdoc.model import Judgement, Relations
from crossdoc.model.evidence_protocol import Constraints

seeds = st.integers(0, 2**32 - 1)


def relations(rng, n, share, default=0.0):
    first, second = np.triu_indices(n, 1)
    kept = rng.random(len(first)) < share
    strength = rng.random(kept.sum()).astype(np.float32)
    return Relations(n, first[kept].astype(np.int32), second[kept].astype(np.int32), strength, default)


@given(
    seed=seeds, n=st.integers(1, 11), share=st.floats(0, 1), bias=st.floats(0, 1), default=st.sampled_from([0.0, 0.3])
)
@settings(max_examples=20, deadline=None)
def test_a_bias_that_is_not_written_out_is_that_of_all_pairs(seed, n, share, bias, default):
    rng = np.random.default_rng(seed)
    pairs, labels = relations(rng, n, share, default), rng.integers(0, 4, n)
    implicit, explicit = build(pairs, bias=bias), build(pairs.dense().astype(np.float64) - bias)
    assert implicit.cost(labels) == pytest.approx(explicit.cost(labels), abs=1e-5)
    found = [
        CorrelationClustering("exact", bias=bias).fit(pairs),
        CorrelationClustering("exact").fit(pairs.dense() - bias),
    ]
    assert found[0].objective_ == pytest.approx(found[1].objective_, abs=1e-5)


@given(seed=seeds, n=st.integers(1, 14), bias=st.floats(0.1, 0.9))
@settings(max_examples=15, deadline=None)
def test_a_sparse_graph_says_nothing_of_other_pairs(seed, n, bias):
    pairs = relations(np.random.default_rng(seed), n, 0.3)
    weights = np.zeros((n, n))
    weights[pairs.left, pairs.right] = weights[pairs.right, pairs.left] = pairs.strength - bias
    found = CorrelationClustering("exact", bias=bias, missing="sparse").fit(pairs)
    assert found.objective_ == pytest.approx(CorrelationClustering("exact").fit(weights).objective_, abs=1e-5)


@given(seed=seeds, n=st.integers(2, 11))
@settings(max_examples=15, deadline=None)
def test_groups_are_cannot_links_between_all_their_rows(seed, n):
    rng = np.random.default_rng(seed)
    drawn, groups = relations(rng, n, 1.0), rng.integers(0, 4, n)
    first, second = np.triu_indices(n, 1)
    same = groups[first] == groups[second]
    apart = np.stack([first[same], second[same]], axis=1).astype(np.int32)
    by_groups = CorrelationClustering("exact", bias=0.4).fit(drawn, groups=groups)
    written = CorrelationClustering("exact", bias=0.4).fit(
        drawn, constraints=Constraints(n, np.arange(n, dtype=np.int32), apart)
    )
    assert by_groups.objective_ == pytest.approx(written.objective_, abs=1e-6)
    assert len(set(zip(by_groups.labels_.tolist(), groups.tolist(), strict=True))) == n
    strong = by_groups.partition_.threshold(0.3)
    for cluster in range(strong.n_clusters):
        rows = strong.ranking(cluster)[0]
        assert len(set(groups[rows].tolist())) == len(rows)


@given(seed=seeds, n=st.integers(1, 8))
@settings(max_examples=20, deadline=None)
def test_a_weight_is_that_many_copies_that_must_be_one(seed, n):
    rng = np.random.default_rng(seed)
    matrix, copies = relations(rng, n, 1.0).dense().astype(np.float64), rng.integers(1, 4, n)
    rows = np.repeat(np.arange(n), copies)
    weighted = CorrelationClustering("exact", bias=0.5).fit(matrix, sample_weight=copies)
    together = Constraints(len(rows), rows.astype(np.int32))
    copied = CorrelationClustering("exact", bias=0.5).fit(matrix[np.ix_(rows, rows)], constraints=together)
    assert weighted.objective_ == pytest.approx(copied.objective_, abs=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_through_the_estimator(solver):
    drawn = languages(40, 4, 0.1)
    found = CorrelationClustering(solver, bias=drawn.bias).fit(drawn.similarity, groups=drawn.language)
    assert (found.lower_bound_ is None) == (solver == "moves")
    assert solver == "moves" or found.lower_bound_ <= found.objective_
    assert found.labels_.dtype == np.int32
    assert (found.partition_.labels == found.labels_).all()
    assert "cost" in found.solver_
    assert clone(found).get_params()["solver"] == solver


def test_auto_says_what_it_picked_and_how_far_it_can_be_off():
    drawn = languages(40, 4, 0.1)
    small = CorrelationClustering(bias=drawn.bias).fit(drawn.similarity)
    assert small.solver_.startswith("exact (of 63 attractive pairs)")
    assert small.solver_.endswith("optimal")
    pairs, _ = planted(2_000)
    large = CorrelationClustering(missing="sparse").fit(pairs)
    assert large.solver_.startswith("lp (of")
    assert "% of it above the optimum" in large.solver_ or large.gap_ == 0


@pytest.mark.parametrize("solver", ["auto", "moves"])
def test_without_a_certificate_nothing_is_proven_but_what_is_plain_to_see(solver):
    pairs, clusters = planted(300, reach=0, flipped=0.03)
    found = CorrelationClustering(solver, missing="sparse", certificate=False).fit(pairs)
    assert (found.chosen_, found.lower_bound_, found.gap_) == ("moves", None, None)
    assert found.solver_.endswith("with no certificate of how far from the optimum that is")
    proven = CorrelationClustering(missing="sparse").fit(pairs)
    assert found.objective_ <= proven.objective_ * 1.01
    inside = clusters[pairs.left] == clusters[pairs.right]
    weight = np.where(inside, 1, -1).astype(np.float32)
    clean = Relations(pairs.n, pairs.left, pairs.right, weight)
    easy = CorrelationClustering(solver, missing="sparse", certificate=False).fit(clean)
    assert (easy.objective_, easy.lower_bound_, easy.gap_) == (0, 0, 0)


@pytest.mark.parametrize("solver", ["exact", "lp", "full", "chunking"])
def test_other_solvers_prove_what_they_answer_in_any_case(solver):
    drawn = languages(40, 4, 0.1)
    found = CorrelationClustering(solver, bias=drawn.bias, certificate=False).fit(drawn.similarity)
    assert 0 < found.lower_bound_ <= found.objective_
    assert found.chosen_ == solver


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_nothing_to_say(solver, n):
    pairs = Relations(n, *(np.zeros(0, dtype=np.int32) for _ in range(2)), np.zeros(0, dtype=np.float32))
    for given_ in [pairs, np.zeros((n, n))] if n else [pairs]:
        found = CorrelationClustering(solver, bias=0.2).fit(given_)
        assert found.labels_.tolist() == list(range(n))
        assert (found.objective_, found.gap_) == (0, 0)


def test_a_row_without_pairs_stays_alone():
    pairs = Relations(3, *(np.array([end], dtype=np.int32) for end in (0, 1)), np.array([0.9], dtype=np.float32))
    assert CorrelationClustering(bias=0.5).fit(pairs).labels_.tolist() == [0, 0, 1]


@pytest.mark.parametrize(("end", "told"), [(0, "more than once"), (1, "with itself")])
def test_self_loops_and_repeated_pairs_are_refused(end, told):
    left, right = np.array([0, 1], dtype=np.int32), np.array([1, end], dtype=np.int32)
    with pytest.raises(errors.InputError, match=told):
        CorrelationClustering(bias=0.5).fit(Relations(3, left, right, np.array([1, 0.2], dtype=np.float32)))


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        (np.array([[0, np.nan], [np.nan, 0]]), "not finite .* rows 0 and 1"),
        (np.array([[0, 1.0], [0, 0]]), "not symmetric"),
        (np.zeros((2, 3)), "not square"),
        (
            Relations(2, np.array([0], np.int32), np.array([1], np.int32), np.array([np.nan], np.float32)),
            "rows 0 and 1",
        ),
        (Relations(2, np.array([0], np.int32), np.array([2], np.int32), np.array([1], np.float32)), "not among"),
    ],
)
def test_bad_similarities_are_refused(given_, told):
    with pytest.raises(errors.InputError, match=told):
        CorrelationClustering(bias=0.5).fit(given_)


def test_contradictions_are_reported_before_solving():
    matrix = np.full((3, 3), 0.9)
    must = Constraints(3, np.array([0, 0, 1], dtype=np.int32), np.array([[0, 1]], dtype=np.int32))
    with pytest.raises(errors.ConstraintError, match="Rows 0 and 1"):
        CorrelationClustering(bias=0.5).fit(matrix, constraints=must)
    chained = [Judgement("a", "b", "same"), Judgement("b", "c", "same")]
    limits = Constraints.compile(chained, {"a": 0, "b": 1, "c": 2}, 3)
    with pytest.raises(errors.ConstraintError, match="Rows 0 and 2 must be one entity, but both are in the group 'de'"):
        CorrelationClustering(bias=0.5).fit(matrix, constraints=limits, groups=["de", "en", "de"])


def test_a_contradiction_with_a_group_names_the_chain_that_leads_to_it():
    said = [Judgement(a, b, "same") for a, b in ("ab", "bc", "cd", "ex")] + [Judgement("d", "e", "different")]
    position = {name: row for row, name in enumerate("abcdex")}
    limits = Constraints.compile(said, position, 6)
    with pytest.raises(errors.ConstraintError) as told:
        CorrelationClustering(bias=0.5).fit(np.zeros((6, 6)), constraints=limits, groups=[*"pqrp", None, None])
    for number, judgement in enumerate(said[:3], 1):
        assert f"{number}. {judgement}" in str(told.value)
    assert str(said[3]) not in str(told.value)
    assert "4." not in str(told.value)
    part = limits.restrict(np.array([1, 2, 3]))
    with pytest.raises(errors.ConstraintError, match="Rows 0 and 2") as told:
        CorrelationClustering(bias=0.5).fit(np.zeros((3, 3)), constraints=part, groups=["p", None, "p"])
    assert str(said[1]) in str(told.value)
    assert str(said[2]) in str(told.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"solver": "magic"},
        {"missing": "maybe"},
        {"time_limit": 0},
        {"time_limit": "long"},
        {"n_init": 0},
        {"n_init": 1.5},
        {"bias": np.nan},
        {"bias": "high"},
    ],
)
def test_choices_that_mean_nothing(wrong):
    with pytest.raises(errors.UsageError):
        CorrelationClustering(**wrong).fit(np.zeros((2, 2)))


def test_n_init_counts_the_starts():
    pairs = planted(300, reach=0, flipped=0.03, seed=2)[0]
    problem = build(pairs, missing="sparse")
    costs = [CorrelationClustering("moves", missing="sparse", n_init=n).fit(pairs).objective_ for n in (1, 3)]
    assert costs == [local_search.solve(problem, restarts=more).objective for more in (0, 2)]
    assert costs[0] > costs[1]


def test_what_does_not_fit_together():
    with pytest.raises(errors.InputError, match="groups do not fit"):
        CorrelationClustering().fit(np.zeros((2, 2)), groups=["a"])
    with pytest.raises(errors.InputError, match="about 3 rows"):
        CorrelationClustering().fit(np.zeros((2, 2)), constraints=Constraints.none(3))
    with pytest.raises(errors.CrossdocError, match="too many for the solver"):
        CorrelationClustering("full").fit(np.zeros((400, 400)))
    few = Relations(5_000, *(np.zeros(0, dtype=np.int32) for _ in range(2)), np.zeros(0, dtype=np.float32), 0.5)
    with pytest.raises(errors.InputError, match="above the bias"):
        CorrelationClustering(bias=0.4).fit(few)


@pytest.mark.parametrize("solver", ["exact", "lp", "full", "chunking", "auto"])
def test_without_highs_the_extra_is_named_and_moves_go_on(solver, monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    pairs = relations(np.random.default_rng(0), 12, 1.0)
    with pytest.raises(errors.UsageError, match=r"`moves`.*\n.*crossdoc\[exact\]"):
        CorrelationClustering(solver, bias=0.5).fit(pairs)
    assert len(CorrelationClustering(solver="moves", bias=0.5).fit(pairs).labels_) == 12
    assert len(CorrelationClustering(bias=0.5, certificate=False).fit(pairs).labels_) == 12
