"""The trees' kernel against LightGBM itself."""

import lightgbm
import numpy as np
import pytest

from crossdoc.compare.boosted import Boosted
from crossdoc.compare.trees import flattened, probabilities


def scores(rows, seed, asleep):
    random = np.random.default_rng(seed)
    told = random.random((rows, 6)).round(2)
    told[random.random(told.shape) < asleep] = np.nan
    return told


@pytest.mark.parametrize("asleep", [0.0, 0.5, 0.95])
def test_the_same_as_lightgbms_own_prediction(asleep):
    known = scores(800, 1, asleep)
    labels = (np.nan_to_num(known, nan=0.4).mean(axis=1) > 0.45).astype(float)
    booster = Boosted(rounds=30).fit(known, labels).booster_
    # Missing values where none were in training, and scores at the ends of the range, are met later.
    for asked in (known, scores(500, 2, 0.7), np.zeros((3, 6)), np.ones((3, 6)), np.full((2, 6), np.nan)):
        np.testing.assert_allclose(probabilities(flattened(booster), asked), booster.predict(asked), rtol=0, atol=1e-12)


def test_a_model_read_from_text_and_trees_of_one_leaf():
    labels = np.tile([0.0, 1.0], 10)
    told = np.full((20, 6), 0.5)
    booster = Boosted(rounds=3).fit(told, labels).booster_
    again = lightgbm.Booster(model_str=booster.model_to_string())
    np.testing.assert_allclose(probabilities(flattened(again), told), booster.predict(told), rtol=0, atol=1e-12)


def test_a_new_booster_is_noticed():
    told = scores(200, 3, 0.2)
    labels = (np.nan_to_num(told[:, 0]) > 0.5).astype(float)
    learner = Boosted(rounds=5).fit(told, labels)
    before = learner.predict(told)
    learner.fit(told, 1 - labels)
    assert np.abs(learner.predict(told) - before).max() > 0.1
