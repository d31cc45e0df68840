"""From the profiles of a block to strengths and clashes, with and without an ensemble."""

import numpy as np
import pytest

from crossdoc.compare.evidence import CLASH_WEIGHT, ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.specialists import embedding
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.errors import InputError
from crossdoc.model import Profile, Profiles

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
    assert part.limits.soft_weight.tolist() == [-CLASH_WEIGHT] * len(part.limits.soft)
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
