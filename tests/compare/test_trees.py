"""The trees' reader and kernel against LightGBM itself, and texts that are made to do harm."""

import lightgbm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.compare.learners import Boosted
from crossdoc.compare.trees import BadTrees, contributions, features_of, probabilities, read_trees


def scores(rows, seed, asleep):
    random = np.random.default_rng(seed)
    told = random.random((rows, 6)).round(2)
    told[random.random(told.shape) < asleep] = np.nan
    return told


def learned(asleep, rounds=30):
    known = scores(800, 1, asleep)
    labels = (np.nan_to_num(known, nan=0.4).mean(axis=1) > 0.45).astype(float)
    text = Boosted(rounds=rounds).fit(known, labels).text_
    return known, text, lightgbm.Booster(model_str=text)


@pytest.mark.parametrize("asleep", [0.0, 0.5, 0.95])
def test_the_same_as_lightgbms_own_prediction(asleep):
    known, text, booster = learned(asleep)
    trees = read_trees(text)
    # Missing values where none were in training, and scores at the ends of the range, are met later.
    for asked in (known, scores(500, 2, 0.7), np.zeros((3, 6)), np.ones((3, 6)), np.full((2, 6), np.nan)):
        np.testing.assert_allclose(probabilities(trees, asked), booster.predict(asked), rtol=0, atol=1e-12)


@pytest.mark.parametrize("asleep", [0.0, 0.5])
def test_the_same_contributions_as_lightgbms(asleep):
    _, text, booster = learned(asleep)
    asked = np.vstack([scores(10, 5, 0.3), np.zeros((1, 6)), np.full((1, 6), np.nan)])
    theirs = np.asarray(booster.predict(asked, pred_contrib=True))[:, :-1]
    np.testing.assert_allclose(contributions(read_trees(text), asked), theirs, rtol=0, atol=1e-9)


def test_trees_of_one_leaf():
    labels = np.tile([0.0, 1.0], 10)
    told = np.full((20, 6), 0.5)
    text = Boosted(rounds=3).fit(told, labels).text_
    booster = lightgbm.Booster(model_str=text)
    np.testing.assert_allclose(probabilities(read_trees(text), told), booster.predict(told), rtol=0, atol=1e-12)
    assert not contributions(read_trees(text), told[:1]).any()


def test_a_new_booster_is_noticed():
    told = scores(200, 3, 0.2)
    labels = (np.nan_to_num(told[:, 0]) > 0.5).astype(float)
    learner = Boosted(rounds=5).fit(told, labels)
    before = learner.predict(told)
    learner.fit(told, 1 - labels)
    assert np.abs(learner.predict(told) - before).max() > 0.1


SMALL = """tree
version=v4
num_class=1
num_tree_per_iteration=1
max_feature_idx=1
objective=binary sigmoid:1

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
threshold=0.5 0.25
decision_type=10 8
left_child=1 -1
right_child=-2 -3
leaf_value=-1 2 0.5
leaf_count=4 5 6
internal_count=15 10

end of trees
"""


def test_a_tree_written_by_hand():
    trees = read_trees(SMALL)
    assert features_of(SMALL) == 2
    asked = np.array([[0.4, 0.2], [0.4, 0.3], [0.6, 0.0], [np.nan, np.nan]])
    np.testing.assert_allclose(probabilities(trees, asked), 1 / (1 + np.exp([1, -0.5, -2, -0.5])))
    # Sum of the parts: the value itself less the mean of the leaves.
    mean = (-1 * 4 + 2 * 5 + 0.5 * 6) / 15
    np.testing.assert_allclose(contributions(trees, asked).sum(axis=1), np.array([-1, 0.5, 2, 0.5]) - mean)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("left_child=1 -1", "left_child=7 -1", "left_child has 7"),
        ("left_child=1 -1", "left_child=0 -1", "reached twice"),
        ("left_child=1 -1", "left_child=1 1", "reached twice"),
        ("right_child=-2 -3", "right_child=-2 -4", "right_child has -4"),
        ("split_feature=0 1", "split_feature=0 2", "split_feature has 2"),
        ("split_feature=0 1", "split_feature=0", "1 numbers in place of 2"),
        ("threshold=0.5 0.25", "threshold=nan 0.25", "threshold has nan"),
        ("leaf_value=-1 2 0.5", "leaf_value=-1 inf 0.5", "leaf_value has inf"),
        ("leaf_value=-1 2 0.5", "leaf_value=-1 x 0.5", "could not convert"),
        ("leaf_count=4 5 6", "leaf_count=4 0 6", "leaf_count has 0"),
        ("decision_type=10 8", "decision_type=1 8", "such splits are not read"),
        ("decision_type=10 8", "decision_type=10 4", "such splits are not read"),
        ("num_leaves=3", "num_leaves=1000000000", "num_leaves has 1e"),
        ("num_leaves=3", "num_leaves=4", "in place of 4"),
        ("num_cat=0", "num_cat=1", "such trees are not read"),
        ("objective=binary sigmoid:1", "objective=regression", "objective is 'regression'"),
        ("max_feature_idx=1", "max_feature_idx=99999999", "max_feature_idx"),
        ("Tree=0", "Tree=1", "tree 0 is called '1'"),
        ("end of trees", "", "cut off"),
    ],
)
def test_what_does_not_fit_is_refused(old, new, told):
    assert old in SMALL
    with pytest.raises(BadTrees, match=told):
        read_trees(SMALL.replace(old, new))


@given(st.data())
def test_any_damage_is_an_error_or_trees_that_can_be_walked(data):
    at = data.draw(st.integers(0, len(SMALL) - 1))
    text = (
        SMALL[:at]
        + data.draw(st.text("0123456789-.einfa =\n", max_size=4))
        + SMALL[at + data.draw(st.integers(0, 9)) :]
    )
    try:
        trees = read_trees(text)
    except BadTrees:
        return
    asked = np.array([[0.4, 0.2], [np.nan, 0.9]])
    assert np.isfinite(probabilities(trees, asked)).all()
