"""From cosine to log odds: by the formula, one number after the other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.compare.curve import Curve

CURVES = st.builds(
    Curve,
    mean=st.floats(0, 0.5),
    sd=st.floats(0.01, 0.5),
    intercept=st.floats(-3, 3),
    slope=st.floats(0.05, 3),
    low=st.floats(-6, 0),
    high=st.floats(0, 6),
)
COSINES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def by_hand(curve: Curve, cosine: float) -> float:
    z = (math.sqrt(cosine) - curve.mean) / curve.sd
    return min(max(curve.intercept + curve.slope * z, curve.low), curve.high)


@given(CURVES, COSINES)
def test_the_formula(curve, cosines):
    found = curve(np.array(cosines, dtype=np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [by_hand(curve, np.float32(each)) for each in cosines], atol=2e-3)


@given(CURVES, COSINES)
def test_it_rises_within_its_bounds(curve, cosines):
    found = curve(np.sort(np.array(cosines, dtype=np.float32)))
    assert (np.diff(found) >= 0).all()
    assert found.min() >= np.float32(curve.low)
    assert found.max() <= np.float32(curve.high)


def test_a_matrix_stays_one_and_is_not_written_to():
    curve = Curve(mean=0.1, sd=0.1, intercept=-1, slope=1, low=-2, high=4)
    cosine = np.full((2, 3), 0.04, dtype=np.float32)
    np.testing.assert_allclose(curve(cosine), np.zeros((2, 3)), atol=1e-6)
    assert (cosine == np.float32(0.04)).all()


@given(CURVES, st.floats(-6, 6))
def test_the_cosine_of_odds_is_where_the_curve_has_them(curve, odds):
    cosine = curve.cosine_at(odds)
    assert 0 <= cosine <= 1
    line = curve.model_copy(update={"low": -1e6, "high": 1e6})
    if 0 < cosine < 1:
        assert by_hand(line, cosine) == pytest.approx(odds, abs=1e-6)
    else:
        # Where no cosine is worth as much, the nearest there is.
        assert by_hand(line, cosine) >= odds - 1e-6 if cosine == 0 else by_hand(line, cosine) <= odds + 1e-6


def test_what_is_usual_here_speaks_as_what_is_usual_there():
    """One standard deviation above the mean is worth the same in every collection."""
    learned = Curve(mean=0.1, sd=0.1, intercept=-1, slope=0.75, low=-4, high=6)
    denser = learned.model_copy(update={"mean": 0.4, "sd": 0.2})
    assert learned(np.array([0.2**2]))[0] == pytest.approx(-0.25, abs=1e-5)
    assert denser(np.array([0.6**2]))[0] == pytest.approx(-0.25, abs=1e-5)


def test_each_kind_of_pair_has_its_own_curve():
    own = [Curve(mean=mean, sd=0.1, intercept=-1, slope=0.75, low=-4, high=6) for mean in (0.1, 0.4)]
    both = own[0].model_copy(update={"kinds": tuple(own)})
    cosine = np.array([[0.04, 0.25], [0.09, 0.16]], dtype=np.float32)
    found = both(cosine, np.array([[0, 1], [1, 0]]))
    assert found.tolist() == [
        [own[0](cosine)[0, 0], own[1](cosine)[0, 1]],
        [own[1](cosine)[1, 0], own[0](cosine)[1, 1]],
    ]
    assert both(cosine).tolist() == own[0](cosine).tolist()
    assert both.cosine_at(0.5) == pytest.approx(np.mean([curve.cosine_at(0.5) for curve in own]))
    assert Curve.model_validate_json(both.model_dump_json()) == both
