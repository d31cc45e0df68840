import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from crossdoc.compare.context_strength import ContextStrength

numbers = st.floats(0, 30)


@given(st.floats(-9, 9), numbers, numbers)
def test_a_curve_never_falls(intercept: float, root: float, slope: float) -> None:
    strengths = ContextStrength(intercept=intercept, root=root, slope=slope)(np.linspace(0, 1, 101))
    assert (np.diff(strengths) >= 0).all()
    assert ((strengths >= 0) & (strengths <= 1)).all()


def test_the_fit_finds_the_curve_that_drew_the_labels() -> None:
    random = np.random.default_rng(0)
    cosine = random.random(200_000) ** 3
    drawn = ContextStrength(intercept=-2.5, root=8.0, slope=3.0)
    same = (random.random(len(cosine)) < drawn(cosine)).astype(float)
    found = ContextStrength.fit(cosine, same, np.ones(len(cosine)))
    assert np.abs(found(cosine) - drawn(cosine)).max() < 0.02


def test_the_fit_agrees_with_logistic_regression() -> None:
    random = np.random.default_rng(1)
    cosine = random.random(5000)
    same = (random.random(5000) < expit(-2 + 3 * np.sqrt(cosine) + 2 * cosine)).astype(float)
    weight = random.random(5000) + 0.1
    found = ContextStrength.fit(cosine, same, weight)
    features = np.column_stack([np.sqrt(cosine), cosine])
    other = LogisticRegression(C=1e6, max_iter=10_000).fit(features, same, sample_weight=weight)
    assert found(cosine) == pytest.approx(other.predict_proba(features)[:, 1], abs=0.01)


def test_a_similarity_that_misleads_counts_nothing() -> None:
    cosine = np.linspace(0, 1, 1000)
    found = ContextStrength.fit(cosine, (cosine < 0.5).astype(float), np.ones(1000))
    assert (found.root, found.slope) == (0, 0)
    assert found(cosine) == pytest.approx(0.5, abs=0.01)


def test_blending_and_the_even_point() -> None:
    low, high = ContextStrength(intercept=-2, root=20, slope=0), ContextStrength(intercept=-4, root=20, slope=0)
    assert low.blend(high, 1.0) == low
    assert low.blend(high, 0.25).intercept == -3.5
    assert low.even == pytest.approx(0.01, abs=1e-4)
    assert ContextStrength(intercept=-50, root=0, slope=1).even == 1.0
