"""Which question is worth most, against sums by hand."""

import numpy as np
import pytest
from scipy.special import expit, logit

from crossdoc.cluster.questions import Answered, questions
from crossdoc.model import Judgement
from crossdoc.model.evidence_protocol import Constraints

IDS = [f"r{row}" for row in range(7)]


def matrix(**pairs: float) -> np.ndarray:
    """Strengths of 0.01 but for the pairs named, as ``r0r1=0.9``."""
    found = np.full((7, 7), 0.01)
    np.fill_diagonal(found, 1.0)
    for pair, value in pairs.items():
        a, b = (int(row) for row in pair.split("r")[1:])
        found[a, b] = found[b, a] = value
    return found


LABELS = np.array([0, 0, 0, 1, 1, 2, 3])
STRENGTH = matrix(r0r1=0.95, r0r2=0.9, r1r2=0.85, r3r4=0.9, r0r3=0.5, r1r3=0.4, r5r6=0.3)


def asked(limits=None, answered=None, **options):
    return questions(STRENGTH, LABELS, limits or Constraints.none(7), answered, **options)


def test_the_worth_of_two_clusters_is_how_likely_they_are_one_times_the_profiles_that_would_move():
    first = asked()[0]
    between = np.array([0.5, 0.01, 0.4, 0.01, 0.01, 0.01])
    strength = 0.5 * between.mean() + 0.5 * between.max()
    wrong = expit(2 * logit(strength) - 1)
    assert (first.a, first.b, first.joined) == (0, 3, False)
    assert first.wrong == pytest.approx(wrong)
    assert first.worth == pytest.approx(wrong * np.sqrt(6))


def test_the_worth_of_cutting_a_cluster():
    cut = next(question for question in asked() if question.joined and {question.a, question.b} <= {0, 1, 2})
    strength = 0.5 * (0.9 + 0.85) / 2 + 0.5 * 0.9
    assert {cut.a, cut.b} == {0, 2}
    assert cut.wrong == pytest.approx(expit(-(0.9 * logit(strength) - 0.3 + 0.6 * np.log(3))))
    assert cut.worth == pytest.approx(cut.wrong * np.sqrt(2))


def test_at_another_threshold_other_strengths_are_even():
    found = [
        next(question.wrong for question in asked(threshold=at, most=100) if (question.a, question.b) == (0, 3))
        for at in (0.3, 0.5, 0.6)
    ]
    assert found == sorted(found, reverse=True)
    assert logit(found[0]) == pytest.approx(logit(found[1]) - 2 * logit(0.3))


def test_large_clusters_come_before_small_ones_of_the_same_strength():
    strength = matrix(r0r1=0.9, r2r3=0.9, r5r6=0.4)
    strength[:2, 2:4] = strength[2:4, :2] = 0.4
    first, second = [
        q for q in questions(strength, np.array([0, 0, 1, 1, 2, 3, 4]), Constraints.none(7)) if not q.joined
    ][:2]
    assert ({first.a, first.b} <= {0, 1, 2, 3}, {second.a, second.b}) == (True, {5, 6})


def test_what_is_judged_or_kept_apart_is_not_asked():
    judged = Constraints.between(IDS, [Judgement("r0", "r2", "same"), Judgement("r1", "r4", "different")])
    for question in asked(judged, most=100):
        pair = {question.a, question.b}
        assert not (pair & {0, 1, 2} and pair & {3, 4})
        assert pair != {0, 2}
    by_rule = Constraints.none(7).with_soft(np.array([[5, 6]]), -1000.0)
    assert not any({question.a, question.b} == {5, 6} for question in asked(by_rule, most=100))
    assert any({question.a, question.b} == {5, 6} for question in asked(most=100))


def test_earlier_answers_count():
    def wrong(answered, pair):
        return next(q.wrong for q in asked(answered=answered, most=100) if {q.a, q.b} == pair)

    def answered(**pairs):
        empty = np.zeros((0, 2), dtype=np.int64)
        return Answered(*(np.array(pairs.get(name, empty)) for name in ("merged", "same", "different")))

    plain = wrong(None, {0, 3})
    assert logit(wrong(answered(merged=[[0, 1]]), {0, 3})) == pytest.approx(logit(plain) + 2)
    assert logit(wrong(answered(different=[[3, 5]]), {0, 3})) == pytest.approx(logit(plain) - 1.5)
    assert logit(wrong(answered(same=[[0, 1]]), {0, 2})) == pytest.approx(logit(wrong(None, {0, 2})) - 3)


def test_nothing_to_ask():
    assert questions(np.ones((1, 1)), np.zeros(1, dtype=int), Constraints.none(1)) == []
    whole = Constraints.between(["a", "b"], [Judgement("a", "b", "same")])
    assert questions(np.ones((2, 2)), np.zeros(2, dtype=int), whole) == []
