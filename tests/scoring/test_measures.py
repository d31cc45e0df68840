"""Every measure against an independent implementation (scorch, neleval, bcubed) or its definition written out."""

import doctest
import json
from itertools import combinations

import bcubed
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neleval import coref_metrics as neleval
from scorch import scores as scorch

from crossdoc.errors import UsageError
from crossdoc.scoring import (
    Aligned,
    Assignment,
    ScoreError,
    align,
    assignments,
    b_cubed,
    b_cubed_extended,
    ceaf_e,
    ceaf_m,
    conll,
    f_alpha,
    intervals,
    lea,
    matching,
    measures,
    muc,
    pairwise,
    purity,
    score_assignments,
)

CASES = settings(max_examples=300, deadline=None)


@st.composite
def two_partitions(draw, most_items=12):
    """Answer and gold labels of the same items."""
    items = draw(st.integers(1, most_items))
    labels = st.lists(st.integers(0, draw(st.integers(0, items - 1))), min_size=items, max_size=items)
    return draw(labels), draw(labels)


@st.composite
def two_covers(draw, most_items=9):
    """Answer and gold entities of the same items, each item in one to three of each."""
    items = draw(st.integers(1, most_items))
    cover = st.lists(st.sets(st.integers(0, 4), min_size=1, max_size=3), min_size=items, max_size=items)
    return draw(cover), draw(cover)


def assignment(entities, groups=None):
    """From labels or sets of labels by position."""
    named = {f"m{i}": sorted(map(str, e)) if isinstance(e, set) else str(e) for i, e in enumerate(entities)}
    return Assignment.of(named, groups)


def clusters(labels):
    """From labels or sets of labels to sets of positions."""
    members = {}
    for i, label in enumerate(labels):
        for one in label if isinstance(label, set) else [label]:
            members.setdefault(one, set()).add(i)
    return members


def of(tally):
    return pytest.approx((tally.precision, tally.recall, tally.f1), abs=1e-12)


@pytest.mark.parametrize("module", [assignments, intervals, measures])
def test_worked_examples(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("measure", "theirs"),
    [(muc, scorch.muc), (b_cubed, scorch.b_cubed), (ceaf_m, scorch.ceaf_m), (ceaf_e, scorch.ceaf_e)],
)
@CASES
@given(labels=two_partitions())
def test_agrees_with_scorch(measure, theirs, labels):
    answer, gold = labels
    recall, precision, f1 = theirs(list(clusters(gold).values()), list(clusters(answer).values()))
    assert (precision, recall, f1) == of(measure(Aligned.of_labels(answer, gold)))


@CASES
@given(labels=two_partitions())
def test_conll_agrees_with_scorch(labels):
    answer, gold = labels
    theirs = scorch.conll2012(list(clusters(gold).values()), list(clusters(answer).values()))
    assert conll(Aligned.of_labels(answer, gold)) == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("measure", "theirs"),
    [
        (muc, neleval.muc),
        (b_cubed, neleval.b_cubed),
        (pairwise, neleval.pairwise),
    ],
)
@CASES
@given(labels=two_partitions())
def test_agrees_with_neleval(measure, theirs, labels):
    """Not CEAF: neleval's asks numpy for `np.int`, which numpy has no longer; scorch covers it."""
    answer, gold = labels
    expected = neleval._prf(*theirs(clusters(gold), clusters(answer)))
    assert expected == of(measure(Aligned.of_labels(answer, gold)))


@CASES
@given(covers=two_covers())
def test_extended_b_cubed_agrees_with_bcubed(covers):
    answer, gold = covers
    ours = b_cubed_extended(align(assignment(answer), assignment(gold)))
    theirs = (bcubed.precision, bcubed.recall)
    sets = dict(enumerate(answer)), dict(enumerate(gold))
    assert (ours.precision, ours.recall) == pytest.approx(tuple(f(*sets) for f in theirs))


@CASES
@given(labels=two_partitions())
def test_extended_b_cubed_of_partitions_is_b_cubed(labels):
    answer, gold = labels
    sets = {i: {a} for i, a in enumerate(answer)}, {i: {g} for i, g in enumerate(gold)}
    aligned = Aligned.of_labels(answer, gold)
    ours = b_cubed_extended(aligned)
    assert (bcubed.precision(*sets), bcubed.recall(*sets)) == pytest.approx((ours.precision, ours.recall))


@pytest.mark.parametrize("cases", [two_partitions(), two_covers()])
@given(data=st.data())
def test_purity_by_definition(cases, data):
    answer, gold = data.draw(cases)
    ours, theirs = clusters(answer).values(), clusters(gold).values()
    pure = sum(max(len(c & d) for d in theirs) for c in ours) / sum(map(len, ours))
    inverse = sum(max(len(c & d) for c in ours) for d in theirs) / sum(map(len, theirs))
    tally = purity(align(assignment(answer), assignment(gold)))
    assert (tally.precision, tally.recall) == pytest.approx((pure, inverse))
    assert tally.f(0.2) == pytest.approx(1 / (0.2 / pure + 0.8 / inverse))


@CASES
@given(labels=two_partitions())
def test_pairwise_with_self_pairs_by_definition(labels):
    answer, gold = labels

    def pairs(entities):
        return {(i, j) for i in range(len(entities)) for j in range(i + 1) if entities[i] == entities[j]}

    ours, theirs = pairs(answer), pairs(gold)
    tally = pairwise(Aligned.of_labels(answer, gold), self_pairs=True)
    both = len(ours & theirs)
    assert (tally.precision, tally.recall) == pytest.approx((both / len(ours), both / len(theirs)))


def lea_by_definition(entities, others):
    """Links written out, the self-link of a singleton included, as in the authors' own scorer."""
    resolved = 0.0
    for entity in entities:
        if len(entity) == 1:
            resolved += float(entity in others)
            continue
        links = {frozenset(pair) for pair in combinations(entity, 2)}
        kept = sum(frozenset(pair) in links for other in others for pair in combinations(other, 2))
        resolved += len(entity) * kept / len(links)
    return resolved / sum(map(len, entities))


@CASES
@given(labels=two_partitions())
def test_lea_by_definition(labels):
    answer, gold = (list(clusters(side).values()) for side in labels)
    tally = lea(Aligned.of_labels(*labels))
    expected = (lea_by_definition(answer, gold), lea_by_definition(gold, answer))
    assert (tally.precision, tally.recall) == pytest.approx(expected)


@pytest.mark.parametrize("phi", [ceaf_m, ceaf_e])
def test_sparse_matching_equals_dense(phi, monkeypatch):
    rng = np.random.default_rng(7)
    for items in (5, 40, 300):
        aligned = Aligned.of_labels(rng.integers(0, items // 2, items), rng.integers(0, items // 3, items))
        dense = phi(aligned)
        monkeypatch.setattr(matching, "DENSE_CELLS", 0)
        assert (dense.precision, dense.recall, dense.f1) == of(phi(aligned))
        monkeypatch.undo()


def test_extended_b_cubed_in_blocks_equals_in_one(monkeypatch):
    rng = np.random.default_rng(3)
    covers = [[set(rng.integers(0, 9, size=2).tolist()) for _ in range(60)] for _ in range(2)]
    aligned = align(*map(assignment, covers))
    whole = b_cubed_extended(aligned)
    monkeypatch.setattr(measures, "KINDS_AT_ONCE", 7)
    assert (whole.precision, whole.recall, whole.f1) == of(b_cubed_extended(aligned))


def test_undefined_quotients_are_zero():
    singletons = Aligned.of_labels([0, 1, 2], [0, 1, 2])
    assert (muc(singletons).f1, pairwise(singletons).f1, b_cubed(singletons).f1) == (0.0, 0.0, 1.0)
    assert f_alpha(0.0, 0.0, 0.5) == 0.0


@pytest.mark.parametrize("measure", [b_cubed, pairwise, muc, ceaf_m, ceaf_e, lea, conll])
def test_partition_measures_refuse_overlap(measure):
    aligned = align(assignment([{0, 1}, {1}]), assignment([0, 1]))
    with pytest.raises(ScoreError, match="partitions"):
        measure(aligned)


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
