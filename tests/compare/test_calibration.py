import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.calibration import MOST_BREAKPOINTS, Calibration, calibrate


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
