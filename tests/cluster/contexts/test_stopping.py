import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.cluster.contexts.stopping import delta_k, gap, pk1, pk2, pk3, reference_rows, stopping_figure

PRINTED = [40.0, 54.6, 68.3, 80.0, 80.0]
curves = st.lists(st.floats(0.1, 100), min_size=1, max_size=12)
rising = curves.map(lambda steps: np.cumsum(steps).tolist())


def answers(values, **options):
    return [rule(values, **options).k for rule in (pk1, pk2, pk3)]


def test_the_published_rules_on_the_same_values():
    assert answers(PRINTED) == [1, 4, 4]


def test_pk1_by_hand():
    said = pk1([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(said.value, (np.arange(4) - 1.5) / np.std([1, 2, 3, 4]))
    # −1.34, −0.45: the second is the first above −0.70, so that k is the one before.
    assert said.k == 1
    assert pk1([1.0, 1.1, 1.2, 5.0, 5.1, 5.2]).k == 3
    assert pk1([1.0, 1.1, 1.2, 5.0, 5.1, 5.2], threshold=0.97).k == 4
    assert pk1([1.0, 1.1, 1.2, 5.0, 5.1, 5.2], threshold=2.0).k == 6


def test_pk2_and_pk3_by_hand():
    curve = np.array([10.0, 20.0, 30.0, 31.0, 31.5])
    ratios = curve[1:] / curve[:-1]
    said = pk2(curve)
    np.testing.assert_allclose(said.value, ratios)
    assert said.at.tolist() == [2, 3, 4, 5]
    assert said.high == pytest.approx(1 + ratios.std())
    assert said.k == 3
    middle = 2 * curve[1:-1] / (curve[:-2] + curve[2:])
    said = pk3(curve)
    np.testing.assert_allclose(said.value, middle)
    assert said.at.tolist() == [2, 3, 4]
    assert said.k == 3


def test_no_improvement_is_one_cluster():
    for values in ([5.0], [5.0, 5.0], [5.0, 5.0, 5.0], [0.0, 0.0, 0.0]):
        assert answers(values) == [1, 1, 1]
        assert gap(values, [values, values]).k == 1


@given(rising, st.integers(1, 4))
def test_answers_lie_within_the_curve_and_move_with_its_start(values, first):
    for rule in (pk1, pk2, pk3):
        said = rule(values, first=first)
        assert first <= said.k <= first + len(values) - 1
        assert said.k - first == rule(values).k - 1


@given(rising)
def test_rules_do_not_depend_on_the_unit(values):
    scaled = [value * 8 for value in values]
    assert answers(values) == answers(scaled)
    assert delta_k(values) == delta_k(scaled)


@given(rising)
def test_a_minimised_criterion_turned_round_gives_the_same_ratios(values):
    falling = [1 / value for value in values]
    assert pk2(values).k == pk2(falling, minimised=True).k
    np.testing.assert_allclose(pk2(values).value, pk2(falling, minimised=True).value)
    negated = [1000 - value for value in values]
    np.testing.assert_allclose(pk1(values).value, pk1(negated, minimised=True).value, atol=1e-6)


def test_delta_k_is_the_first_that_hardly_improves():
    assert delta_k([10, 15, 18, 18.3, 30]) == 4
    assert delta_k([10, 15, 18, 18.5, 30]) == 5
    assert delta_k([10, 15, 18, 18.1, 30], delta=0.001) == 5
    assert delta_k([10, 15, 18, 18.1, 30], first=3) == 6
    assert delta_k([10]) == 1


def test_gap_takes_the_largest_distance():
    observed, reference = [10.0, 20.0, 25.0, 33.0], [[9.0, 15.0, 21.0, 25.0], [11.0, 15.0, 21.0, 25.0]]
    said = gap(observed, reference)
    assert said.value.tolist() == [0, 5, 4, 8]
    np.testing.assert_allclose(said.error, [np.sqrt(1.5), 0, 0, 0])
    assert (said.k, said.support) == (4, 1.0)
    assert (said.interval[:, 0] <= said.value).all()
    assert (said.value <= said.interval[:, 1]).all()
    assert said.interval[0].tolist() == [-1.0, 1.0]
    assert gap([-v for v in observed], np.negative(reference), minimised=True).k == 4


def test_gap_says_how_sure_it_is():
    observed = [10.0, 20.0]
    said = gap(observed, [[5.0, 18.0], [9.0, 12.0], [5.0, 18.0], [9.0, 12.0], [6.0, 14.0]])
    assert 0 < said.support < 1
    assert gap(observed, [[5.0, 18.0]]).support == 1


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [[1.0, 2.0]], [float("inf")]])
def test_values_that_are_no_curve(values):
    for rule in (pk1, pk2, pk3):
        with pytest.raises(errors.InputError, match="finite numbers"):
            rule(values)


def test_what_cannot_be_meant():
    with pytest.raises(errors.UsageError, match="reference"):
        gap(PRINTED, [[1.0, 2.0]])
    with pytest.raises(errors.UsageError, match="confidence"):
        gap(PRINTED, [PRINTED], confidence=1.0)


def matrix(seed, n=12, d=7):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (n, d)) * (rng.random((n, d)) < 0.5)


@given(st.integers(0, 500))
def test_counts_keep_both_marginals_exactly_and_stay_counts(seed):
    counts = matrix(seed)
    drawn = reference_rows(sparse.csr_matrix(counts), np.random.default_rng(seed)).toarray()
    assert drawn.sum(axis=0).tolist() == counts.sum(axis=0).tolist()
    assert drawn.sum(axis=1).tolist() == counts.sum(axis=1).tolist()
    assert (drawn == np.round(drawn)).all()


def test_other_numbers_keep_their_marginals_too():
    values = np.random.default_rng(0).random((40, 20)) * (np.random.default_rng(1).random((40, 20)) < 0.6)
    drawn = reference_rows(sparse.csr_matrix(values), np.random.default_rng(2)).toarray()
    np.testing.assert_allclose(drawn.sum(axis=0), values.sum(axis=0), rtol=1e-3)
    np.testing.assert_allclose(drawn.sum(axis=1), values.sum(axis=1), rtol=1e-3)
    assert not np.allclose(drawn, values)
    assert (drawn >= 0).all()


def test_negative_numbers_keep_their_columns():
    values = np.random.default_rng(0).normal(size=(15, 4))
    drawn = reference_rows(sparse.csr_matrix(values), np.random.default_rng(1)).toarray()
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(values, axis=0))
    assert not np.allclose(drawn, values)


def test_nothing_to_deal_out():
    assert reference_rows(sparse.csr_matrix((3, 2)), np.random.default_rng(0)).nnz == 0


@pytest.mark.parametrize("criterion", ["i1", "i2", "e1", "h1", "h2"])
def test_the_gap_finds_clean_blocks_by_any_criterion(criterion):
    rng = np.random.default_rng(0)
    rows = np.kron(np.eye(3), np.ones((15, 8))) * (rng.random((45, 24)) < 0.7)
    found = ContextClustering(stop="gap", criterion=criterion, references=3, max_clusters=8, method="rbr").fit(rows)
    assert found.n_clusters_ == 3
    assert found.stopping_["gap"].support > 0.5


SVG = "{http://www.w3.org/2000/svg}"


def test_the_figure_has_a_panel_for_the_criterion_and_each_rule():
    rows = np.kron(np.eye(3), np.ones((6, 4))) * (np.random.default_rng(0).random((18, 12)) < 0.8)
    found = ContextClustering(stop="all", references=2).fit(rows)
    drawn = stopping_figure("i2", found.criterion_, found.first_k_, found.stopping_, minimised=False)
    root = ET.fromstring(drawn)
    titles = [text.text for text in root.iter(f"{SVG}text") if re.search(r" vs k|observed and", text.text or "")]
    told = {rule: said.k for rule, said in found.stopping_.items()}
    assert titles == [
        "I2 vs k",
        f"PK1 vs k: {told['pk1']}",
        f"PK2 vs k: {told['pk2']}",
        f"PK3 vs k: {told['pk3']}",
        "I2, observed and reference",
        f"Gap vs k: {told['gap']}",
    ]


def test_a_curve_of_one_value_can_be_drawn():
    found = ContextClustering(stop="all", references=1).fit(np.ones((1, 2)))
    assert ET.fromstring(stopping_figure("e1", found.criterion_, 1, found.stopping_, minimised=True)) is not None
