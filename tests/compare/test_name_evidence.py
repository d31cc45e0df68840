"""Evidence from names: open collections, and names that were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit
from tests.compare.common import make_evidence

from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_prior import NameCounts, asked_prior
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles

from .test_evidence import CONTEXT, block, comparer, learned, name_odds, named, of, said


def test_names_that_clash_are_told_apart_whatever_the_contexts():
    relations, clashes = block(comparer(learned()), np.array([3, 0, 1]))
    assert clashes.tolist() == [[0, 1], [0, 2]]
    assert relations.strength[:2].tolist() == [0, 0]
    assert relations.strength[2] > 0


def test_an_asked_for_name_is_worth_what_is_usual_of_it():
    """A rare one a little, by the same amount for every pair however one asks; a usual one speaks against."""
    sizes = LearnedModel.default().names
    for name, worth in (("Zoe Quux", 1.0), ("John Smith", asked_prior("John Smith", sizes))):
        rows = named(name, name, name.split()[-1])
        asked = of(rows, learned().model_copy(update={"names": sizes}), one_name=True)
        why = asked.explain(0, 1)
        weights = {each.specialist: each.weight for each in why.opinions}
        assert weights["name"] == pytest.approx(worth, abs=1e-5)
        assert sum(weights.values()) == pytest.approx(logit(why.strength), abs=1e-4)
        assert asked.relations().dense()[0, 1] == pytest.approx(why.strength, abs=1e-6)
        assert asked.candidates().strength[0] == pytest.approx(why.strength, abs=1e-6)
        assert np.ptp(asked.candidates().strength) == 0, "all forms of the name are worth the same"
    assert asked_prior("John Smith", sizes) < 0


def test_each_of_several_asked_for_names_is_worth_what_is_usual_of_it():
    """In one collection as by itself; between two of them the more usual one counts."""
    sizes = LearnedModel.default().names
    usual, rare = asked_prior("John Smith", sizes), asked_prior("Gillian Symons", sizes)
    assert usual < 0 < rare
    model = learned().model_copy(update={"names": sizes})
    several = of(named("John Smith", "Gillian Symons", "John Smith", "Gillian Symons"), model, one_name=True)
    said = CONTEXT(np.ones(1, dtype=np.float32))[0]
    for a, b, worth in ((0, 2, usual), (1, 3, rare), (0, 1, usual)):
        assert logit(several.relations().dense()[a, b]) == pytest.approx(worth + said, abs=1e-4)
        assert logit(several.strengths(np.array([[a, b]], dtype=np.int32))[0]) == pytest.approx(worth + said, abs=1e-4)
        weights = {each.specialist: each.weight for each in several.part(np.array([a, b])).explain(0, 1).opinions}
        assert weights["name"] == pytest.approx(worth, abs=1e-5)


def test_whoever_asks_hears_of_the_rule_that_keeps_names_apart():
    both = comparer(learned("context"))
    rule, context = both.explain(0, 3).opinions
    assert rule.specialist == "names"
    assert "John Smith / Mary Smith: clash" in rule.evidence
    assert context.score == pytest.approx(1)
    assert [o.specialist for o in comparer(learned("context"), one_name=True).explain(0, 3).opinions] == ["context"]


def test_no_number_of_bearers_of_a_part_of_both_names_makes_clashing_names_one():
    bridged = named("Ann Li", *["Li"] * 20, "Bob Li")
    given = of(bridged)
    labels = LinkageClustering("average", 0.5).fit(given.relations(), constraints=given.limits).labels_
    assert labels[0] != labels[-1]
    assert len(set(labels)) == 2
    free = LinkageClustering("average", 0.5).fit(given.relations(), constraints=given.constraints).labels_
    assert len(set(free)) == 1, "but for the rule they would be"
    judged = of(bridged, said=[("p0", "p21", "same")])
    labels = LinkageClustering("average", 0.5).fit(judged.relations(), constraints=judged.limits).labels_
    assert labels[0] == labels[-1], "a person's judgement outweighs it"


def test_names_are_counted_in_the_whole_even_for_a_part():
    """How usual a name is does not depend on which rows are asked about."""
    once = ["Ann Orr", "Bo Poe", "Cy Quux", "Di Rand", "Ed Sims", "Flo Tate", "Guy Unger", "Hal Voss", "Ida West"]
    rows = named("James Baker", *["Howard Baker"] * 3, "Baker", "Baker", *once)
    whole = of(rows)
    part = whole.part(np.array([0, 4]))
    assert part.relations().strength[0] == pytest.approx(whole.relations().dense()[0, 4])
    assert logit(whole.relations().dense()[0, 4]) - logit(whole.relations().dense()[1, 4]) == pytest.approx(
        logit(0.25) - logit(0.75), abs=0.01
    )


def test_names_are_worth_what_their_type_says():
    person = name_odds("John Smith", "John Smith", NameCounts(["John Smith"] * 2))
    assert person != 0
    for kind, worth in (("place", 1.5), ("person", person), ("organisation", 0.0), (None, person)):
        given = of(named("John Smith", "John Smith", context="", kind=kind))
        assert given.entity_type == kind
        assert logit(given.relations().strength).tolist() == pytest.approx([worth], abs=1e-4)
        # In cosine: what the contexts of two need the less to be even; without a type nobody knows.
        if kind is None:
            assert given.even is None
        else:
            assert said(CONTEXT, max(given.even - given.same_name, 0.0)) + worth == pytest.approx(0, abs=1e-3)
        assert of(named("John Smith", "John Smith", context="", kind=kind), one_name=True).same_name == 0.0


def test_the_usual_name_of_many_is_what_the_same_name_is_worth():
    rows = named("John Smith", "Zbigniew Orr", "Zbigniew Orr", "Zbigniew Orr")
    given = of(rows)
    orr = name_odds("Zbigniew Orr", "Zbigniew Orr", NameCounts([row.name for row in rows]))
    assert given.same_name == pytest.approx(given.even - CONTEXT.cosine_at(-orr))
    assert given.part(np.array([0])).same_name < given.same_name
    assert given.part(np.array([], dtype=int)).same_name == 0.0


def test_components_and_blocks_are_by_names_unless_one_was_asked_for():
    rows = named("Ann Li", "Zoe Orr", "Bob Li", "Ann Li")
    given = of(rows)
    assert sorted(part.tolist() for part in given.components()) == [[0, 3], [1], [2]]
    assert sorted(part.tolist() for part in given.blocks()) == [[0, 2, 3], [1]]
    linked = of(rows, said=[("p1", "p2", "same")])
    assert sorted(part.tolist() for part in linked.components()) == [[0, 3], [1, 2]]
    assert [part.tolist() for part in linked.blocks()] == [[0, 1, 2, 3]]
    one = of(rows, one_name=True)
    assert [part.tolist() for part in one.components()] == [part.tolist() for part in one.blocks()] == [[0, 1, 2, 3]]
    assert one.names is None
    assert given.names == ["Ann Li", "Zoe Orr", "Bob Li", "Ann Li"]
    assert one.same_spelling() == ["annli", "zoeorr", "bobli", "annli"]


def test_agreeing_names_are_those_of_the_type():
    names = ["NCA", "National Cycling Association", "Ford"]
    assert of(named("x", kind="organisation")).agreeing(names).tolist() == [0, 1, 3, 4, 8]
    assert of(named("x")).agreeing(names).tolist() == [0, 4, 8]


def test_two_forms_of_a_third_name_are_explained_as_that():
    names = ["Fund", "IMF", "International Monetary Fund", "World Bank"]
    rows = [Profile(name, f"{at}", name, "organisation", "a b") for at, name in enumerate(names)]
    told = make_evidence(learned(), ContextVectoriser().fit([["a b"]]), Profiles.of(rows))
    assert len(told.limits.soft) == 3, "the World Bank and each of the others"
    by_name = next(each for each in told.explain(0, 1).opinions if each.specialist == "names")
    assert by_name.evidence == "Fund / IMF: two forms of one name"
    assert by_name.score == 1
    apart = next(each for each in told.explain(1, 3).opinions if each.specialist == "names")
    assert apart.evidence == "IMF / World Bank: clash, kept apart by rule"
