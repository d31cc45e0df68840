import sys

import numpy as np
import pytest

from crossdoc import errors
from crossdoc.compare.boosted import Boosted


@pytest.fixture(scope="module")
def learned():
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 3000).astype(float)
    scores = np.clip(labels[:, None] * 0.4 + random.random((3000, 3)) * 0.6, 0, 1)
    scores[random.random(scores.shape) < 0.3] = np.nan
    return Boosted(rounds=60).fit(scores, labels), scores, labels


def test_raising_a_score_never_lowers_the_strength(learned):
    boosted, scores, _ = learned
    raised = scores.copy()
    raised[:, 1] = np.minimum(raised[:, 1] + 0.2, 1)
    both = ~np.isnan(scores).all(axis=1)
    assert (boosted.predict(raised)[both] >= boosted.predict(scores)[both] - 1e-9).all()


def test_strengths_are_probabilities(learned):
    boosted, scores, labels = learned
    strengths = boosted.predict(scores)
    told = ~np.isnan(strengths)
    assert ((strengths[told] > 0) & (strengths[told] < 1)).all()
    high = strengths > 0.9
    assert labels[high].mean() > 0.85


def test_asleep_is_missing_and_all_asleep_is_nothing(learned):
    boosted, *_ = learned
    told = boosted.predict(np.array([[np.nan, 0.9, np.nan], [np.nan, np.nan, np.nan]]))
    assert told[0] > 0.5
    assert np.isnan(told[1])


def test_same_seed_same_model(learned):
    boosted, scores, labels = learned
    again = Boosted(rounds=60).fit(scores, labels)
    np.testing.assert_array_equal(again.predict(scores), boosted.predict(scores))


def test_without_lightgbm_the_extra_is_named_and_trained_trees_are_read(learned, monkeypatch):
    boosted, scores, labels = learned
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(errors.UsageError, match=r"'seg'.*\n.*crossdoc\[train\]"):
        Boosted().fit(scores, labels)
    assert len(boosted.predict(scores[:5])) == 5
