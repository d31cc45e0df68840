import numpy as np
import pytest

from crossdoc.scoring import Assignment, percentile_interval, resampled_means, resampled_sums, score_assignments


def assignment(labels, groups=None):
    return Assignment.from_rows(np.arange(len(labels)), labels, group=groups)


def test_resampled_sums_follow_the_bootstrap():
    values = np.random.default_rng(0).random((200, 1))
    sums = resampled_sums(values, 4000, seed=1)
    assert sums.mean() == pytest.approx(values.sum(), rel=0.01)
    assert sums.std() == pytest.approx(values.std() * np.sqrt(200), rel=0.05)


def test_resampled_means_are_sums_over_the_number_of_units():
    values = np.random.default_rng(0).random((20, 3))
    assert resampled_means(values, 5, seed=2) == pytest.approx(resampled_sums(values, 5, seed=2) / 20)


def test_interval_covers_the_middle_share():
    low, high = percentile_interval(np.arange(1001.0), level=0.9)
    assert (low, high) == pytest.approx((50, 950))


@pytest.mark.parametrize("by", [None, "group"])
def test_the_seed_decides(by):
    rng = np.random.default_rng(5)
    groups = np.arange(60) % 6
    answer, gold = assignment(rng.integers(0, 9, 60)), assignment(rng.integers(0, 9, 60), groups)
    runs = [score_assignments(answer, gold, by=by, bootstrap=50, seed=seed).intervals for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    assert set(runs[0]["conll"]) == {"f1"}


@pytest.mark.parametrize("by", [None, "group"])
def test_an_interval_surrounds_its_figure(by):
    rng = np.random.default_rng(8)
    gold = np.repeat(np.arange(150), 4)
    answer = np.where(rng.random(600) < 0.2, rng.integers(0, 150, 600), gold)
    scores = score_assignments(assignment(answer), assignment(gold, gold % 30), by=by, bootstrap=300)
    for measure, figures in scores.intervals.items():
        for name, interval in figures.items():
            assert interval.low < scores.values[measure][name] < interval.high
