"""SEG against the paper's equations written out, its invariants, and its regret on synthetic specialists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.learners import MOST_BREAKPOINTS, SEG, Calibration, calibrate, weighted_mean


def by_the_paper(scores, labels, order, weights, rate):
    """Equations 7 and 8, one pair at a time, as printed (with j inside the sum)."""
    p = np.array(weights, dtype=float)
    for t in order:
        awake = [i for i in range(len(p)) if not np.isnan(scores[t, i])]
        if not awake:
            continue
        mass = sum(p[i] for i in awake)
        predicted = sum(p[i] * scores[t, i] for i in awake) / mass
        factors = {i: p[i] * np.exp(-2 * rate * scores[t, i] * (predicted - labels[t])) for i in awake}
        total = sum(factors.values())
        for i in awake:
            p[i] = factors[i] / total * mass
    return p


@st.composite
def problems(draw):
    n, k = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    seed = draw(st.integers(0, 10_000))
    random = np.random.default_rng(seed)
    scores = random.random((n, k))
    scores[random.random((n, k)) < draw(st.floats(0, 0.8))] = np.nan
    return scores, random.integers(0, 2, n).astype(float), draw(st.floats(0.001, 2.0)), seed


@settings(deadline=None, max_examples=60)
@given(problems())
def test_one_pass_is_the_papers(problem):
    scores, labels, rate, seed = problem
    learned = SEG(rate=rate, passes=1, seed=seed).fit(scores, labels).weights_
    order = np.random.default_rng(seed).permutation(len(scores))
    start = np.full(scores.shape[1], 1 / scores.shape[1])
    np.testing.assert_allclose(learned, by_the_paper(scores, labels, order, start, rate), rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(problems())
def test_awake_mass_is_conserved_and_sleeping_weights_stay(problem):
    scores, labels, rate, _ = problem
    before = np.full(scores.shape[1], 1 / scores.shape[1])
    for t in range(len(scores)):
        after = SEG(rate=rate, passes=1, initial=before).fit(scores[t : t + 1], labels[t : t + 1]).weights_
        awake = ~np.isnan(scores[t])
        assert abs(after[awake].sum() - before[awake].sum()) < 1e-12
        np.testing.assert_allclose(after[~awake], before[~awake], rtol=1e-12)
        before = after


def test_regret_against_the_best_fixed_weights_is_small():
    """Three informative specialists of different worth among noise, each asleep for a third of the pairs."""
    random = np.random.default_rng(1)
    n = 20_000
    labels = random.integers(0, 2, n).astype(float)
    noise = [0.1, 0.25, 0.4, 2.0, 2.0]
    scores = np.column_stack([np.clip(labels + random.normal(0, s, n), 0, 1) for s in noise])
    scores[random.random(scores.shape) < 0.33] = np.nan
    seg = SEG(rate=0.05, passes=1).fit(scores, labels)
    grid = list(np.random.default_rng(0).dirichlet(np.ones(5), 3000))
    best = min(np.nanmean((weighted_mean(scores, w) - labels) ** 2) for w in grid)
    uniform = np.nanmean((weighted_mean(scores, np.full(5, 0.2)) - labels) ** 2)
    assert seg.losses_[0] - best < 0.25 * (uniform - best)
    assert seg.weights_.argmax() == 0


def test_all_asleep_predicts_nothing():
    seg = SEG().fit(np.array([[0.5, np.nan]]), np.array([1.0]))
    assert np.isnan(seg.predict(np.array([[np.nan, np.nan]]))[0])


def test_initial_weights_are_checked():
    with pytest.raises(ValueError, match="2 positive numbers"):
        SEG(initial=np.array([1.0])).fit(np.array([[0.5, 0.5]]), np.array([1.0]))


def test_probabilities_come_out_near_the_true_ones():
    random = np.random.default_rng(0)
    scores = random.random(20_000)
    labels = (random.random(20_000) < scores**3).astype(float)
    calibration = Calibration.fit(scores, labels)
    asked = np.array([0.2, 0.5, 0.8, 0.95])
    np.testing.assert_allclose(calibration(asked), asked**3, atol=0.04)
    assert len(calibration.score) <= MOST_BREAKPOINTS


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=200))
def test_never_decreasing_and_never_certain(pairs):
    scores, labels = np.array([s for s, _ in pairs]), np.array([float(y) for _, y in pairs])
    values = Calibration.fit(scores, labels)(np.linspace(0, 1, 101))
    assert (np.diff(values) >= -1e-12).all()
    assert ((values >= 0) & (values <= 1)).all()
    if len(pairs) >= 20 and 0 < labels.sum() < len(labels):
        assert values.min() > 0
        assert values.max() < 1


def test_too_few_pairs_keep_the_score():
    assert Calibration.fit([0.3, 0.9], [0, 1]) == Calibration.identity()


def test_columns_go_through_their_own_maps():
    maps = [Calibration.identity(), Calibration((0.0, 1.0), (0.4, 0.6))]
    np.testing.assert_allclose(calibrate(np.array([[0.5, 1.0], [np.nan, 0.0]]), maps), [[0.5, 0.6], [np.nan, 0.4]])
