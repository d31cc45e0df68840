"""From the profiles of a block to strengths and clashes, with and without an ensemble."""

import numpy as np
import pytest

from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.compare.context_strength import ContextStrength
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.specialists import embedding
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.constraints import Constraints
from crossdoc.errors import InputError
from crossdoc.model import Judgement, Profile, Profiles

ROWS = [
    Profile("gm1", "1", "John Smith", "person", "The chairman of the car maker sold trucks in Detroit."),
    Profile("gm2", "2", "John Smith", "person", "The car maker's chairman hopes to sell trucks in Detroit."),
    Profile("va", "3", "John Smith", "person", "A captain mapped the rivers of Virginia."),
    Profile("mary", "4", "Mary Smith", "person", "The chairman of the car maker sold trucks in Detroit."),
    Profile("none", "5", "John Smith", "person", ""),
]
NAME_WORTH = 0.25


def learned(*specialists: str, learner: str = "seg") -> LearnedModel:
    content = {
        "crossdoc_model": 1,
        "learned_on": {"threshold": "nothing"},
        "threshold": {},
        "name_evidence": {"person": {"same": NAME_WORTH}},
    }
    if specialists:
        content["ensemble"] = {
            "learner": learner,
            "specialists": list(specialists),
            "calibration": [([0, 1], [0.1, 0.9])] * len(specialists),
            "weights": [1 / len(specialists)] * len(specialists),
            "default_strength": 0.3,
        }
    return LearnedModel.model_validate(content)


def comparer(model: LearnedModel, **options) -> ProfileEvidence:
    return ProfileEvidence(
        model, ContextVectoriser().fit([[row.context for row in ROWS]]), Profiles.of(ROWS), **options
    )


def block(given: ProfileEvidence, rows):
    """Strengths, and the pairs that the rule on names keeps apart."""
    part = given.part(np.array(rows))
    assert part.limits.soft_weight.tolist() == [-1000.0] * len(part.limits.soft)
    return part.relations(), part.limits.soft


def strength(given: ProfileEvidence, a: int, b: int) -> float:
    return float(given.part(np.array([a, b])).relations().strength[0])


def test_contexts_and_names_add_up():
    plain = comparer(learned())
    cosine = float(plain.vectors.cosine(np.array([0, 1]))[0, 1])
    assert 0.2 < cosine < 1 - NAME_WORTH
    assert strength(plain, 0, 1) == pytest.approx(cosine + NAME_WORTH)
    assert strength(plain, 0, 4) == pytest.approx(NAME_WORTH)
    assert strength(plain, 0, 0) == 1


def test_names_that_clash_are_told_apart_whatever_the_contexts():
    relations, clashes = block(comparer(learned()), np.array([3, 0, 1]))
    assert clashes.tolist() == [[0, 1], [0, 2]]
    assert relations.strength[:2].tolist() == [0, 0]
    assert relations.strength[2] > 0


def test_the_one_name_asked_for_is_no_evidence():
    one = comparer(learned(), one_name=True)
    relations, clashes = block(one, np.arange(len(ROWS)))
    assert clashes.shape == (0, 2)
    np.testing.assert_allclose(relations.dense(), one.vectors.cosine(), atol=1e-6)
    assert [opinion.specialist for opinion in one.explain(0, 3).opinions] == ["contexts"]


def test_an_ensemble_gives_its_strengths_and_the_rule_its_clashes():
    both = comparer(learned("context", "contact"))
    rows = np.array([4, 3, 1, 0])
    relations, clashes = block(both, rows)
    assert relations.n == 4
    assert relations.default_strength == 0.3
    assert clashes.tolist() == [[0, 1], [1, 2], [1, 3]]
    pairs = np.column_stack([rows[relations.left], rows[relations.right]]).astype(np.int32)
    np.testing.assert_array_equal(relations.strength, both._compared.ensemble.strengths(both.profiles, pairs))
    # Without a context or contacts nobody is awake.
    assert relations.strength[:3].tolist() == pytest.approx([0.3] * 3)
    assert relations.strength[-1] > 0.3
    assert block(comparer(learned("context"), one_name=True), rows)[1].shape == (0, 2)


@pytest.mark.parametrize("model", [learned(), learned("context")])
def test_a_block_of_one(model):
    relations, clashes = block(comparer(model), [2])
    assert (relations.n, len(relations), len(clashes)) == (1, 0, 0)


def test_explanation_without_ensemble():
    plain = comparer(learned())
    told = plain.explain(0, 1)
    contexts, names = told.opinions
    assert told.strength == pytest.approx(strength(plain, 0, 1))
    assert contexts.weight + names.weight == pytest.approx(told.strength)
    assert {"chairman", "detroit"} <= set(contexts.evidence.split(", "))
    assert names.evidence == "John Smith / John Smith: same"
    assert names.score == 1
    clash = plain.explain(0, 3)
    assert clash.strength == 0
    assert clash.opinions[1].evidence == "John Smith / Mary Smith: clash"
    assert clash.opinions[1].score == 0
    assert clash.opinions[1].weight == pytest.approx(-clash.opinions[0].weight)


def test_explanation_with_ensemble():
    both = comparer(learned("context", "contact"))
    told = both.explain(0, 1)
    assert told.strength == pytest.approx(strength(both, 0, 1))
    assert [(o.specialist, o.score is None, o.weight) for o in told.opinions] == [
        ("context", False, 1.0),
        ("contact", True, 0.0),
    ]
    assert "detroit" in told.opinions[0].evidence


def test_whoever_asks_hears_of_the_rule_that_keeps_names_apart():
    both = comparer(learned("context"))
    rule, context = both.explain(0, 3).opinions
    assert rule.specialist == "names"
    assert "John Smith / Mary Smith: clash" in rule.evidence
    assert context.score == pytest.approx(1)
    assert [o.specialist for o in comparer(learned("context"), one_name=True).explain(0, 3).opinions] == ["context"]


def test_a_model_of_embeddings_where_they_are_not_installed(monkeypatch):
    monkeypatch.setattr(embedding, "WEIGHTS", "no-such-distribution")
    with pytest.raises(InputError, match="not installed: embedding") as caught:
        comparer(learned("context", "embedding"))
    assert "crossdoc[embed]" in caught.value.hint


def of(rows: list[Profile], model: LearnedModel | None = None, said=(), **options) -> ProfileEvidence:
    profiles = Profiles.of(rows)
    words = ContextVectoriser().fit([[row.context for row in rows]])
    limits = Constraints.between(profiles.ids, [Judgement(*each) for each in said])
    return ProfileEvidence(model or learned(), words, profiles, limits, **options)


def named(*names: str, context: str = "The car maker sold trucks.", kind: str | None = "person") -> list[Profile]:
    return [Profile(f"p{i}", f"d{i}", name, kind, context) for i, name in enumerate(names)]


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


def test_limits_are_the_judgements_and_the_clashes():
    given = of(named("Ann Li", "Bob Li", "Ann Li"), said=[("p0", "p2", "different"), ("p1", "p2", "same", False, 3.0)])
    assert given.limits.cannot.tolist() == given.constraints.cannot.tolist() == [[0, 2]]
    assert given.limits.soft.tolist() == [[1, 2], [0, 1], [1, 2]]
    assert given.limits.soft_weight.tolist() == [3.0, -1000.0, -1000.0]
    assert given.constraints.soft_weight.tolist() == [3.0]


WORTH = {"person": {"same": 0.3, "variant": 0.2, "part": 0.1}}
CURVE = ContextStrength(intercept=-2, root=6, slope=1)


@pytest.mark.parametrize("contexts", [None, CURVE])
def test_candidates_are_as_strong_as_among_all_pairs(contexts):
    """Where names agree the two ways give the same, what the names are worth included."""
    rows = [
        Profile(str(i), str(i), name, "person", context)
        for i, (name, context) in enumerate(
            [("Ann Li", "red car race"), ("Ann Li", "red car lap"), ("A. Li", "car lap poem"), ("Li", "poem"),
             ("Bob Li", "red car race"), ("Ann Li", ""), ("Zoe Orr", "red car")]
        )
    ]  # fmt: skip
    given = of(rows, learned().model_copy(update={"name_evidence": WORTH, "contexts": contexts}))
    all_pairs = given.relations().dense()
    candidates = given.candidates()
    assert candidates.default_strength == 0
    found = {(a, b) for a, b in zip(candidates.left.tolist(), candidates.right.tolist(), strict=True)}
    assert found == {(0, 1), (0, 2), (0, 3), (0, 5), (1, 2), (1, 3), (1, 5), (2, 3), (2, 5), (3, 4), (3, 5)}
    np.testing.assert_allclose(candidates.strength, all_pairs[candidates.left, candidates.right], atol=1e-6)
    # By hand, where the contexts share nothing: the worth of the names alone.
    wanted = {(0, 5): 0.3, (2, 5): 0.2, (3, 5): 0.1}
    for pair, worth in wanted.items():
        at = next(i for i, each in enumerate(zip(candidates.left, candidates.right, strict=True)) if each == pair)
        expected = worth if contexts is None else float(contexts(np.array([worth], np.float32))[0])
        assert candidates.strength[at] == pytest.approx(expected, abs=1e-6)


def test_candidates_of_a_part_are_those_of_its_rows():
    given = of(named("Ann Li", "Zoe Orr", "Ann Li", "Bob Li", "Ann Li"), said=[("p0", "p2", "different")])
    part = given.part(np.array([4, 2, 0]))
    assert part.ids.tolist() == ["p4", "p2", "p0"]
    found = part.candidates()
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 1), (0, 2)]
    assert found.strength.tolist() == [1.0, 1.0]
    assert part.profiles.ids.tolist() == ["p4", "p2", "p0"]
    assert part.names == ["Ann Li"] * 3
    assert part.vectors.matrix.shape[0] == 3
    assert len(part) == 3


def test_candidates_of_an_ensemble_have_its_strengths():
    both = comparer(learned("context"))
    found = both.candidates()
    pairs = np.column_stack([found.left, found.right]).astype(np.int32)
    assert len(pairs) == 6
    np.testing.assert_array_equal(found.strength, both._compared.ensemble.strengths(both.profiles, pairs))


def test_names_are_worth_what_their_type_says():
    model = learned().model_copy(update={"name_evidence": {"place": {"same": 0.4}, "person": {"same": 0.2}}})
    for kind, worth in (("place", 0.4), ("person", 0.2), ("organisation", 0.0), (None, 0.2)):
        given = of(named("Ann Rome", "Ann Rome", context="", kind=kind), model)
        assert given.same_name == worth
        assert given.entity_type == kind
        assert given.relations().strength.tolist() == pytest.approx([worth])
        assert of(named("Ann Rome", "Ann Rome", context="", kind=kind), model, one_name=True).same_name == 0.0


def test_even_is_where_the_curve_crosses_one_half():
    curve = ContextStrength(intercept=-4, root=20, slope=0)
    model = learned().model_copy(update={"contexts": curve})
    assert of(named("Ann Li"), model).even == pytest.approx(0.04, abs=1e-4)
    assert of(named("Ann Li", kind=None), model).even is None
    assert of(named("Ann Li")).even is None


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


def test_the_words_that_make_contexts_alike_come_heaviest_first():
    rows = [
        Profile("a", "1", "Ann Li", "person", "rare rare rare common " + " ".join(f"w{chr(97 + i)}" for i in range(9))),
        Profile("b", "2", "Ann Li", "person", "rare rare rare common " + " ".join(f"w{chr(97 + i)}" for i in range(9))),
        *(Profile(f"c{i}", f"c{i}", "Ann Li", "person", "common other") for i in range(6)),
    ]
    (contexts, _) = of(rows).explain(0, 1).opinions
    told = contexts.evidence.split(", ")
    assert told[0] == "rare"
    assert len(told) == 8
    assert "common" not in told


def test_a_part_has_its_rows_in_the_order_asked_for():
    turned = comparer(learned()).part(np.array([3, 2, 1, 0, 4]))
    assert turned.ids.tolist() == turned.profiles.ids.tolist() == ["mary", "va", "gm2", "gm1", "none"]
    np.testing.assert_allclose(turned.vectors.matrix[0].toarray(), comparer(learned()).vectors.matrix[3].toarray())


def test_two_profiles_are_explained_by_the_rules_of_their_own_type():
    rows = [
        Profile("p", "1", "Ann Li", "person", "a b"),
        Profile("o", "2", "New York City Council", "organisation", "a b"),
        Profile("q", "3", "New York City", "place", "a b"),
    ]
    words = ContextVectoriser().fit([["a b"]])
    told = ProfileEvidence(learned(), words, Profiles.of(rows)).explain(1, 2)
    assert told.opinions[1].score == 1
    assert told.opinions[1].evidence.endswith("part")
