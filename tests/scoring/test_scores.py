"""All scores of an answer."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.errors import UsageError
from crossdoc.scoring import (
    Assignment,
    percentile_interval,
    resampled_sums,
    score_assignments,
)

from .common import assignment, two_covers, two_partitions


def test_score_of_overlapping_entities_leaves_out_what_is_undefined_and_says_so():
    scores = score_assignments(assignment([{0, 1}, {1}]), assignment([0, 1]))
    assert set(scores.values) == {"purity", "b3_extended"}
    assert any("left out: b3, pairwise" in note for note in scores.notes)


def test_score_counts_and_notes_missing_ids():
    scores = score_assignments(assignment([0, 0]), assignment([0, 0, 1]))
    assert scores.counts["missing_from_answer"] == 1
    assert scores.values["b3"]["f1"] == 1.0
    assert any("1 ids missing from the answer" in note for note in scores.notes)


@settings(max_examples=100, deadline=None)
@given(first=two_partitions(), second=two_partitions())
def test_score_by_group_is_the_mean_of_the_groups_scored_alone(first, second):
    answer, gold = first[0] + second[0], first[1] + second[1]
    groups = {f"m{i}": "one" if i < len(first[0]) else "two" for i in range(len(answer))}
    together = score_assignments(assignment(answer), assignment(gold, groups), by="group", alpha=(0.3,))
    alone = [
        score_assignments(assignment(labels[0]), assignment(labels[1]), alpha=(0.3,)).values
        for labels in (first, second)
    ]
    assert set(together.groups) == {"one", "two"}
    for measure, figures in together.values.items():
        for name, value in figures.items():
            assert value == pytest.approx((alone[0][measure][name] + alone[1][measure][name]) / 2)
            assert together.groups["two"][measure][name] == pytest.approx(alone[1][measure][name])


def test_entities_that_span_groups_are_noted():
    gold = assignment([0, 0, 1], {"m0": "g", "m1": "h", "m2": "h"})
    assert any("span several groups" in note for note in score_assignments(assignment([0, 0, 1]), gold).notes)
    assert not score_assignments(assignment([0, 0, 1]), gold, by="group").notes


def test_scores_go_to_json():
    gold = assignment([0, 0, 1], dict.fromkeys(("m0", "m1", "m2"), "g"))
    written = json.loads(json.dumps(score_assignments(assignment([0, 1, 1]), gold, by="group", bootstrap=5).to_dict()))
    assert set(written) == {"values", "counts", "notes", "groups", "intervals"}
    assert len(written["intervals"]["b3"]["f1"]) == 2


@pytest.mark.parametrize("options", [{"by": "name"}, {"alpha": (1.5,)}])
def test_unknown_options_are_refused(options):
    with pytest.raises(UsageError):
        score_assignments(assignment([0]), assignment([0]), **options)


@settings(max_examples=150, deadline=None)
@given(labels=st.one_of(two_partitions(), two_covers()))
def test_no_resample_leaves_the_unit_interval(labels):
    answer, gold = labels
    for figures in score_assignments(assignment(answer), assignment(gold), bootstrap=20).intervals.values():
        for interval in figures.values():
            assert 0 <= interval.low <= interval.high <= 1 + 1e-12


def grouped(labels, groups=None):
    return Assignment.from_rows(np.arange(len(labels)), labels, group=groups)


def test_resampled_sums_follow_the_bootstrap():
    values = np.random.default_rng(0).random((200, 1))
    sums = resampled_sums(values, 4000, seed=1)
    assert sums.mean() == pytest.approx(values.sum(), rel=0.01)
    assert sums.std() == pytest.approx(values.std() * np.sqrt(200), rel=0.05)


def test_interval_covers_the_middle_share():
    low, high = percentile_interval(np.arange(1001.0), level=0.9)
    assert (low, high) == pytest.approx((50, 950))


@pytest.mark.parametrize("by", [None, "group"])
def test_the_seed_decides(by):
    rng = np.random.default_rng(5)
    groups = np.arange(60) % 6
    answer, gold = grouped(rng.integers(0, 9, 60)), grouped(rng.integers(0, 9, 60), groups)
    runs = [score_assignments(answer, gold, by=by, bootstrap=50, seed=seed).intervals for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    assert set(runs[0]["conll"]) == {"f1"}


@pytest.mark.parametrize("by", [None, "group"])
def test_an_interval_surrounds_its_figure(by):
    rng = np.random.default_rng(8)
    gold = np.repeat(np.arange(150), 4)
    answer = np.where(rng.random(600) < 0.2, rng.integers(0, 150, 600), gold)
    scores = score_assignments(grouped(answer), grouped(gold, gold % 30), by=by, bootstrap=300)
    for measure, figures in scores.intervals.items():
        for name, interval in figures.items():
            assert interval.low < scores.values[measure][name] < interval.high
