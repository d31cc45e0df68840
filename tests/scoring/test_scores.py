"""All scores of an answer."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.errors import UsageError
from crossdoc.scoring import (
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
