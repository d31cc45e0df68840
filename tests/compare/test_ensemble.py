"""What is learned of several specialists, kept in a file, and told to people."""

import json
import re

import numpy as np
import pytest
from pydantic import ValidationError
from sklearn.metrics import roc_auc_score

from crossdoc.compare.ensemble import LearnedEnsemble
from crossdoc.compare.learners import SEG
from crossdoc.compare.specialists import PairwiseSpecialist, Specialist
from crossdoc.errors import InputError
from crossdoc.model import Profile, Profiles


@pytest.fixture(scope="module")
def ensemble(world):
    return world.train(SEG())


def test_together_they_are_better_than_the_best_alone(ensemble, world):
    pairs, labels = world.labelled(world.groups[-4:])
    scores = ensemble.scores(world.profiles, pairs)
    alone = [roc_auc_score(labels, np.nan_to_num(column, nan=0.5)) for column in scores.T]
    assert roc_auc_score(labels, ensemble.strengths(world.profiles, pairs)) > max(alone) + 0.03


def test_a_file_gives_the_same_strengths(ensemble, world):
    text = ensemble.to_file().model_dump_json(indent=1)
    content = json.loads(text)
    assert content["specialists"] == ["height", "weight", "income"]
    assert len(content["weights"]) == 3
    assert text.count("\n") > 20
    # The file's order counts, not that in which specialists are installed.
    again = type(ensemble).from_file(LearnedEnsemble.model_validate(content), world.specialists[::-1])
    pairs, _ = world.labelled(world.groups[-4:])
    np.testing.assert_array_equal(again.strengths(world.profiles, pairs), ensemble.strengths(world.profiles, pairs))


def test_a_specialist_that_is_not_installed_is_named(ensemble, world):
    with pytest.raises(InputError, match="not installed: weight, income") as caught:
        type(ensemble).from_file(ensemble.to_file(), world.specialists[:1])
    assert "crossdoc train" in caught.value.hint


def test_where_all_sleep_the_default_counts(ensemble):
    silent = Profiles.of([Profile("1", "d", "Ann"), Profile("2", "e", "Ann")])
    pair = np.array([[0, 1]], dtype=np.int32)
    assert 0 < ensemble.default_strength < 1
    assert ensemble.strengths(silent, pair)[0] == np.float32(ensemble.default_strength)
    told = ensemble.explain(silent, 0, 1)
    assert told.strength == pytest.approx(ensemble.default_strength)
    assert all(opinion.score is None and opinion.probability is None for opinion in told.opinions)


def some_asleep(world) -> tuple[int, int]:
    """Two profiles of which one shows no weight, and both show all else."""
    shown = [set(profile.attributes) for profile in world.profiles]
    return shown.index({"height", "income"}), shown.index({"height", "weight", "income"})


def test_explanation_of_weights(ensemble, world):
    told = ensemble.explain(world.profiles, *some_asleep(world))
    *awake, asleep = told.opinions
    assert {opinion.specialist for opinion in awake} == {"height", "income"}
    assert (asleep.specialist, asleep.score, asleep.probability, asleep.weight) == ("weight", None, None, 0)
    assert sum(opinion.weight for opinion in told.opinions) == pytest.approx(1)
    assert awake[0].weight >= awake[1].weight
    # Equation 9 by hand: whoever reads the account can check the answer.
    assert told.strength == pytest.approx(sum(o.weight * o.probability for o in awake), abs=1e-6)


def test_no_pairs_no_strengths(ensemble, world):
    assert ensemble.strengths(world.profiles, np.zeros((0, 2), dtype=np.int32)).shape == (0,)


def test_a_table_is_encoded_once(ensemble, world):
    class Counting(PairwiseSpecialist):
        encoded = 0

        def encode(self, profiles):
            self.encoded += 1
            return super().encode(profiles)

    counting = Counting("height", world.specialists[0].function)
    again = type(ensemble).from_file(ensemble.to_file(), [counting, *world.specialists[1:]])
    pairs, _ = world.labelled(world.groups[:1])
    first = again.strengths(world.profiles, pairs)
    np.testing.assert_array_equal(again.strengths(world.profiles, pairs), first)
    assert counting.encoded == 1
    again.strengths(world.profiles.take(np.arange(18)), pairs)
    assert counting.encoded == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [1.0]}, "3 specialists need 3 calibrations and 3 weights"),
        ({"weights": [0.5, 0.7, -0.2]}, "weights lie within"),
        ({"weights": [0.5, 0.5, float("nan")]}, "finite number"),
        ({"calibration": []}, "3 calibrations"),
        ({"calibration": [([0, 1], [0.5])] * 3}, "two lists of one length"),
        ({"calibration": [([], [])] * 3}, "two lists of one length"),
        ({"calibration": [([1, 0], [0, 1])] * 3}, "rising"),
        ({"calibration": [([0, 1], [0, 7])] * 3}, "rising within"),
        ({"specialists": ["a", "b", "a"]}, "listed twice"),
        ({"specialists": []}, "at least 1"),
        ({"default_strength": 2}, "less than or equal to 1"),
        ({"more": 1}, "Extra inputs"),
    ],
)
def test_a_file_that_does_not_fit_together(ensemble, change, message):
    with pytest.raises(ValidationError, match=message):
        LearnedEnsemble.model_validate({**ensemble.to_file().model_dump(), **change})


def test_models_of_seg_from_before_are_read_and_those_of_trees_are_refused(ensemble):
    content = ensemble.to_file().model_dump()
    former = {**content, "booster": "", "booster_calibration": [[0.0, 1.0], [0.0, 1.0]]}
    assert LearnedEnsemble.model_validate({**former, "learner": "seg"}) == ensemble.to_file()
    with pytest.raises(ValidationError, match="boosted trees are no longer read; train it again"):
        LearnedEnsemble.model_validate({**former, "learner": "boosted"})


class ByColumns(Specialist):
    """Heights as numbers, so that it may run in threads; notes in how many parts it was asked."""

    name = "height"

    def __init__(self):
        self.parts = []

    def encode(self, profiles):
        return np.array([float(profile.attributes.get("height", ["nan"])[0]) for profile in profiles])

    def compare(self, encoded, pairs):
        self.parts.append(len(pairs))
        return (1 - np.abs(encoded[pairs[:, 0]] - encoded[pairs[:, 1]])).astype(np.float32)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_same_strengths_for_any_number_of_threads(ensemble, world, monkeypatch, threads):
    monkeypatch.setattr("crossdoc.compare.ensemble.FEWEST_PAIRS", 10)
    pairs, _ = world.labelled(world.groups)
    columns = ByColumns()
    again = type(ensemble).from_file(ensemble.to_file(), [columns, *world.specialists[1:]])
    again.threads = threads
    np.testing.assert_array_equal(again.strengths(world.profiles, pairs), ensemble.strengths(world.profiles, pairs))
    assert len(columns.parts) == threads
    assert sum(columns.parts) == len(pairs)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda n: np.full(n, 1.5), "scores outside \\[0, 1\\], such as 1.5"),
        (lambda n: np.full(n, -0.1), "outside"),
        (lambda n: np.full(n, np.inf), "outside"),
        (lambda n: np.zeros(n + 1), "scores for"),
        (lambda n: np.zeros((n, 2)), "scores for"),
        (lambda n: ["many"] * n, "no numbers"),
        (lambda n: None, "no numbers|scores for"),
    ],
)
def test_a_specialist_that_gives_no_scores_is_named(ensemble, world, monkeypatch, given, message):
    class Mistaken(ByColumns):
        def compare(self, encoded, pairs):
            return given(len(pairs))

    monkeypatch.setattr("crossdoc.compare.ensemble.FEWEST_PAIRS", 10)
    again = type(ensemble).from_file(ensemble.to_file(), [Mistaken(), *world.specialists[1:]])
    with pytest.raises(InputError, match="height") as caught:
        again.strengths(world.profiles, world.labelled(world.groups)[0])
    assert re.search(message, str(caught.value))
