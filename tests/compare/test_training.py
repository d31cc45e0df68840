"""Learning a model from profiles and gold.

Labelled pairs from gold: of both kinds, and never within one document.
"""

import numpy as np
import pytest

from crossdoc.compare import training
from crossdoc.compare.ensemble import SEG, Ensemble
from crossdoc.compare.specialists.base import all_pairs
from crossdoc.compare.training import LINKAGES, THRESHOLDS, balanced, fit, labelled_pairs, threshold_curves, train
from crossdoc.errors import InputError
from crossdoc.model import Profile, Profiles


@pytest.fixture(scope="module")
def model(world):
    return train(world.profiles, world.gold, world.specialists, most_pairs=800, source="a test")


def test_a_model_says_what_it_learned_and_on_what(model):
    assert set(model.threshold) == set(LINKAGES)
    assert all(0 < value < 1 for value in model.threshold.values())
    assert model.learned_on == {"threshold": "a test", "ensemble": "a test"}
    assert model.ensemble.specialists == ["height", "weight", "income"]


def test_single_linkage_asks_for_more_than_complete(model):
    assert model.threshold["single-linkage"] > model.threshold["complete-linkage"]


def test_the_same_seed_the_same_model(world, model):
    again = train(world.profiles, world.gold, world.specialists, most_pairs=800, source="a test")
    assert again == model


def test_thresholds_come_from_names_that_the_ensemble_has_not_seen(world, monkeypatch):
    seen, unseen = [], []

    def spy_fit(profiles, gold, specialists, groups, *rest):
        seen.append({int(rows[0]) for rows in groups})
        return fit(profiles, gold, specialists, groups, *rest)

    def spy_curves(ensemble, profiles, rows, gold):
        unseen.append((len(seen) - 1, int(rows[0])))
        return threshold_curves(ensemble, profiles, rows, gold)

    monkeypatch.setattr(training, "fit", spy_fit)
    monkeypatch.setattr(training, "threshold_curves", spy_curves)
    train(world.profiles, world.gold, world.specialists, groups=world.groups[:6], most_pairs=100)
    assert sorted(first for _, first in unseen) == [18 * name for name in range(6)]
    assert all(first not in seen[number] for number, first in unseen)
    assert len(seen[-1]) == 6


def test_one_name_alone_leaves_the_threshold_in_the_middle(world):
    model = train(world.profiles, world.gold, world.specialists, groups=world.groups[:1])
    assert set(model.threshold.values()) == {0.5}


def test_curves_are_of_labelled_profiles_only(world):
    pairs, labels = world.labelled(world.groups[:4])
    ensemble = Ensemble.train(world.specialists, world.profiles, pairs, labels, SEG())
    curves = threshold_curves(ensemble, world.profiles, world.groups[5], world.gold)
    assert {name: curve.shape for name, curve in curves.items()} == dict.fromkeys(LINKAGES, THRESHOLDS.shape)
    assert all(((curve > 0) & (curve <= 1)).all() for curve in curves.values())
    one = {str(world.profiles.ids[world.groups[5][0]]): {"e"}}
    assert threshold_curves(ensemble, world.profiles, world.groups[5], one) == {}


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (lambda id: None, "0 pairs as one entity and 0 as two"),
        (lambda id: {"everybody"}, "1,836 pairs as one entity and 0 as two"),
        (lambda id: {id}, "0 pairs as one entity and 1,836 as two"),
    ],
)
def test_nothing_to_learn(world, gold, message):
    labelled = {id: gold(id) for id in world.profiles.ids if gold(id)}
    with pytest.raises(InputError, match=message):
        train(world.profiles, labelled, world.specialists, groups=world.groups)


def test_pairs_of_one_document_teach_nothing(world):
    rows = [Profile(p.id, "one", p.name, p.type, attributes=p.attributes) for p in world.profiles]
    with pytest.raises(InputError, match="0 pairs as one entity and 0 as two"):
        train(Profiles.of(rows), world.gold, world.specialists, groups=world.groups)


def test_no_profiles(world):
    with pytest.raises(InputError, match="learning needs both kinds"):
        train(Profiles.of([]), {}, world.specialists)


def test_labels_come_from_shared_entities_and_never_from_one_document():
    profiles = Profiles.of(Profile(str(i), document, "x") for i, document in enumerate(["a", "a", "b", "c", "d"]))
    gold = {"0": {"x"}, "1": {"y"}, "2": {"x", "y"}, "3": {"z"}}
    pairs, labels = labelled_pairs(profiles, gold, all_pairs([np.arange(5)]))
    told = {tuple(pair): label for pair, label in zip(pairs.tolist(), labels, strict=True)}
    assert told == {(0, 2): 1, (1, 2): 1, (0, 3): 0, (1, 3): 0, (2, 3): 0}


def test_a_balanced_sample_has_as_many_of_each_kind():
    labels = np.array([1.0] * 10 + [0.0] * 90)
    chosen = balanced(labels, 1000, seed=3)
    assert labels[chosen].sum() == 10
    assert len(chosen) == 20
    assert len(balanced(labels, 8, seed=3)) == 8
    np.testing.assert_array_equal(chosen, balanced(labels, 1000, seed=3))


def test_one_kind_alone_teaches_nothing():
    with pytest.raises(InputError, match="learning needs both kinds"):
        balanced(np.ones(5), 10, seed=0)
