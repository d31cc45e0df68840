"""Stated facts: each counts as its specialist scores it, where both sides state it, the same in every way to ask."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

from crossdoc.compare.facts import FACTS, Fact, StatedFacts
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import compare
from crossdoc.model import Profile, Profiles, Relation

PEOPLE = Profiles.of(
    [
        Profile("0", "d0", "Ann Smith", "person", attributes={"gender": ["f"], "email": ["ann@example.org"]}),
        Profile("1", "d1", "Ann Smith", "person", attributes={"gender": ["m"], "email": ["Ann@example.org"]}),
        Profile("2", "d2", "Ann Smith", "person", attributes={"born": ["1931"]}),
        Profile("3", "d3", "Ann Smith", "person", attributes={"born": ["1933"], "party": ["GOP"]}),
        Profile("4", "d4", "Ann Smith", "person", relations=(Relation("resident", "Paris"),)),
        Profile("5", "d5", "Ann Smith", "person", relations=(Relation("resident", "Paris"),)),
        Profile("6", "d6", "Ann Smith", "person"),
    ]
)
WORTH = {
    "contradiction": Fact(low=-3, high=0),
    "contact": Fact(low=0, high=4),
    "life_dates": Fact(low=-2, high=2),
    "whereabouts": Fact(low=0, high=1.5),
}


def said(a: int, b: int, worth=WORTH) -> float:
    return float(StatedFacts(worth, PEOPLE).of(np.array([[a, b]], dtype=np.int32))[0])


def test_each_fact_counts_between_its_bounds():
    assert said(0, 1) == -3 + 4
    assert said(2, 3) == pytest.approx(-2 + 4 * 0.25)
    assert said(4, 5) == 1.5
    assert said(0, 2) == said(3, 4) == said(6, 6) == 0
    assert said(0, 1, {"contact": WORTH["contact"]}) == 4


def test_all_pairs_are_what_each_pair_is():
    stated, rows = StatedFacts(WORTH, PEOPLE), np.array([5, 3, 1, 0, 2, 4, 6])
    odds = np.full((7, 7), 0.5, dtype=np.float32)
    stated.add_all(odds, rows)
    np.testing.assert_array_equal(odds, odds.T)
    for i, j in zip(*np.triu_indices(7, 1), strict=True):
        assert odds[i, j] == pytest.approx(0.5 + said(rows[i], rows[j]))
    assert (np.diag(odds) == 0.5).all()


def test_opinions_name_what_was_compared_and_nothing_else():
    stated = StatedFacts(WORTH, PEOPLE)
    told = {name: (score, odds, text) for name, score, odds, text in stated.opinions(0, 1, PEOPLE[0], PEOPLE[1])}
    assert set(told) == {"contradiction", "contact"}
    assert told["contact"][:2] == (1.0, 4.0)
    assert told["contradiction"][:2] == (0.0, -3.0)
    assert "gender f / m" in told["contradiction"][2]
    assert not list(stated.opinions(0, 6, PEOPLE[0], PEOPLE[6]))


def test_the_evidence_has_them_in_every_answer():
    """All pairs, candidates and the explanation give one and the same strength, and facts move it by what they say."""
    plain = LearnedModel.default().model_copy(update={"facts": {}})
    with_facts = plain.model_copy(update={"facts": WORTH})
    without, evidence = (compare(PEOPLE, model=model, background=False)["person"] for model in (plain, with_facts))
    before, after = (logit(each.relations().dense()[0, 1]) for each in (without, evidence))
    assert after - before == pytest.approx(1.0, abs=1e-4)
    found = evidence.candidates()
    listed = {(i, j): s for i, j, s in zip(found.left, found.right, found.strength, strict=True)}
    assert listed[0, 1] == pytest.approx(evidence.relations().dense()[0, 1], abs=1e-6)
    why = evidence.explain(0, 1)
    assert sum(opinion.weight for opinion in why.opinions) == pytest.approx(logit(why.strength), abs=1e-4)
    part = evidence.part(np.array([1, 0]))
    assert part.relations().dense()[0, 1] == pytest.approx(listed[0, 1], abs=1e-6)


def test_the_shipped_model_reads_facts_and_refuses_unknown_ones():
    model = LearnedModel.default()
    assert model.facts
    assert set(model.facts) <= set(FACTS)
    for name, fact in model.facts.items():
        assert fact.low < fact.high, name
    content = model.model_dump() | {"facts": {"shoe": {"low": 0, "high": 1}}}
    with pytest.raises(ValueError, match="there is no fact 'shoe'; there are contradiction, life_dates"):
        LearnedModel.model_validate(content)


def test_documents_decades_apart_count_against_and_a_collection_of_few_years_does_not_ask():
    def of(*dates):
        people = [Profile(d, d, "Ann Smith", "person", attributes={"written": [d]}) for d in dates]
        return StatedFacts({"written": Fact(low=-1.5, high=0)}, Profiles.of(people))

    assert of("1970", "2000").of(np.array([[0, 1]], dtype=np.int32)) == pytest.approx([-1.5])
    assert not of("1970", "1979")._stated
