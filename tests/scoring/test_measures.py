"""Every measure against an independent implementation (scorch, neleval, bcubed) or its definition written out."""

import doctest
from itertools import combinations

import bcubed
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neleval import coref_metrics as neleval
from scorch import scores as scorch

from crossdoc.scoring import (
    Alignment,
    ScoreError,
    align,
    assignments,
    b_cubed,
    b_cubed_extended,
    ceaf_e,
    ceaf_m,
    conll,
    f_alpha,
    lea,
    measures,
    muc,
    pairwise,
    purity,
    scores,
)

from .common import assignment, two_covers, two_partitions

CASES = settings(max_examples=300, deadline=None)


def clusters(labels):
    """From labels or sets of labels to sets of positions."""
    members = {}
    for i, label in enumerate(labels):
        for one in label if isinstance(label, set) else [label]:
            members.setdefault(one, set()).add(i)
    return members


def of(tally):
    return pytest.approx((tally.precision, tally.recall, tally.f1), abs=1e-12)


@pytest.mark.parametrize("module", [assignments, measures, scores])
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
    assert (precision, recall, f1) == of(measure(Alignment.from_labels(answer, gold)))


@CASES
@given(labels=two_partitions())
def test_conll_agrees_with_scorch(labels):
    answer, gold = labels
    theirs = scorch.conll2012(list(clusters(gold).values()), list(clusters(answer).values()))
    assert conll(Alignment.from_labels(answer, gold)) == pytest.approx(theirs)


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
    assert expected == of(measure(Alignment.from_labels(answer, gold)))


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
    aligned = Alignment.from_labels(answer, gold)
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
    tally = pairwise(Alignment.from_labels(answer, gold), self_pairs=True)
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
    tally = lea(Alignment.from_labels(*labels))
    expected = (lea_by_definition(answer, gold), lea_by_definition(gold, answer))
    assert (tally.precision, tally.recall) == pytest.approx(expected)


def test_extended_b_cubed_in_blocks_equals_in_one(monkeypatch):
    rng = np.random.default_rng(3)
    covers = [[set(rng.integers(0, 9, size=2).tolist()) for _ in range(60)] for _ in range(2)]
    aligned = align(*map(assignment, covers))
    whole = b_cubed_extended(aligned)
    monkeypatch.setattr(measures, "KINDS_AT_ONCE", 7)
    assert (whole.precision, whole.recall, whole.f1) == of(b_cubed_extended(aligned))


def test_undefined_quotients_are_zero():
    singletons = Alignment.from_labels([0, 1, 2], [0, 1, 2])
    assert (muc(singletons).f1, pairwise(singletons).f1, b_cubed(singletons).f1) == (0.0, 0.0, 1.0)
    assert f_alpha(0.0, 0.0, 0.5) == 0.0


@pytest.mark.parametrize("measure", [b_cubed, pairwise, muc, ceaf_m, ceaf_e, lea, conll])
def test_partition_measures_refuse_overlap(measure):
    aligned = align(assignment([{0, 1}, {1}]), assignment([0, 1]))
    with pytest.raises(ScoreError, match="partitions"):
        measure(aligned)


@pytest.mark.parametrize("phi", [ceaf_m, ceaf_e])
def test_sparse_matching_equals_dense(phi, monkeypatch):
    rng = np.random.default_rng(7)
    for items in (5, 40, 300):
        aligned = Alignment.from_labels(rng.integers(0, items // 2, items), rng.integers(0, items // 3, items))
        dense = phi(aligned)
        monkeypatch.setattr(measures, "DENSE_CELLS", 0)
        sparse = phi(aligned)
        assert (dense.precision, dense.recall, dense.f1) == (sparse.precision, sparse.recall, sparse.f1)
        monkeypatch.undo()
