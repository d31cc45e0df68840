"""SEG against the paper's equations written out, calibration, and ensembles kept in files and explained to people."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from sklearn.metrics import roc_auc_score

from crossdoc.compare.ensemble import MOST_BREAKPOINTS, SEG, Calibration, LearnedEnsemble, calibrate
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
    for score, label in zip(scores[:, None], labels[:, None], strict=True):
        after = SEG(rate=rate, passes=1).fit(score, label).weights_
        awake = ~np.isnan(score[0])
        assert abs(after[awake].sum() - awake.mean()) < 1e-12
        np.testing.assert_allclose(after[~awake], 1 / len(awake), rtol=1e-12)


def loss_of(scores, labels, weights):
    seg = SEG()
    seg.weights_ = weights
    return np.nanmean((seg.predict(scores) - labels) ** 2)


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
    best, uniform = (min(loss_of(scores, labels, w) for w in weights) for weights in (grid, [np.full(5, 0.2)]))
    assert seg.losses_[0] - best < 0.25 * (uniform - best)
    assert seg.weights_.argmax() == 0


def test_all_asleep_predicts_nothing():
    seg = SEG().fit(np.array([[0.5, np.nan]]), np.array([1.0]))
    assert np.isnan(seg.predict(np.array([[np.nan, np.nan]]))[0])


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
