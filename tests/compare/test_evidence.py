"""From the profiles of a block to strengths and clashes, with and without an ensemble."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from tests.compare.common import make_evidence

from crossdoc.compare.collection import CollectionNames, pair_evidence
from crossdoc.compare.curve import Curve
from crossdoc.compare.evidence import FACTS, Fact, ProfileEvidence, StatedFacts
from crossdoc.compare.fields import related_rows
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import MemoryCollection, compare
from crossdoc.compare.name_prior import NameCounts, NamePrior, asked_prior, person_prior
from crossdoc.compare.stories import Stories
from crossdoc.compare.story_evidence import TopicPrior
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.errors import InputError
from crossdoc.model import Judgement, Profile, Profiles, Relation
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import Grade, parse_person
from crossdoc.names.words import usual_words

ROWS = [
    Profile("gm1", "1", "John Smith", "person", "The chairman of the car maker sold trucks in Detroit."),
    Profile("gm2", "2", "John Smith", "person", "The car maker's chairman hopes to sell trucks in Detroit."),
    Profile("va", "3", "John Smith", "person", "A captain mapped the rivers of Virginia."),
    Profile("mary", "4", "Mary Smith", "person", "The chairman of the car maker sold trucks in Detroit."),
    Profile("none", "5", "John Smith", "person", ""),
]
CONTEXT = Curve(mean=0.1, sd=0.1, intercept=-1, slope=0.5, low=-2, high=4)
DOCUMENT = Curve(mean=0.2, sd=0.1, intercept=-0.5, slope=0.4, low=-1, high=3)
BESIDE = Curve(mean=0.0, sd=0.2, intercept=-0.2, slope=0.6, low=-0.2, high=2.5)
WORK = Curve(mean=0.0, sd=0.1, intercept=-0.3, slope=0.3, low=-0.3, high=2.0)
ALL = {"context": CONTEXT, "document": DOCUMENT, "beside": BESIDE, "work": WORK}
SIZES = NamePrior(people=1e4, bare=100, census=1e4, bound=3, similar=-2, others={"place": 1.5}, part=0.5)


def learned(*specialists: str, learner: str = "seg", fields=None) -> LearnedModel:
    content = {
        "crossdoc_model": 2,
        "learned_on": {"threshold": "nothing"},
        "threshold": {},
        "fields": {"context": CONTEXT} if fields is None else fields,
        "names": SIZES,
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


def said(curve: Curve, cosine: float) -> float:
    """What a curve says of one cosine."""
    return float(np.clip(curve.intercept + curve.slope * (cosine**0.5 - curve.mean) / curve.sd, curve.low, curve.high))


def name_odds(a: str, b: str, counts: NameCounts | None = None, grade: int = Grade.EQUAL) -> float:
    given = NameCounts([row.name for row in ROWS]) if counts is None else counts
    return person_prior(parse_person(a), parse_person(b), grade, given, SIZES)


def comparer(model: LearnedModel, **options) -> ProfileEvidence:
    return make_evidence(model, ContextVectoriser().fit([[row.context for row in ROWS]]), Profiles.of(ROWS), **options)


def block(given: ProfileEvidence, rows):
    """Strengths, and the pairs that the rule on names keeps apart."""
    part = given.part(np.array(rows))
    assert part.limits.soft_weight.tolist() == [-1000.0] * len(part.limits.soft)
    return part.relations(), part.limits.soft


def with_ones(matrix):
    """A profile is itself, whatever is said of it."""
    return matrix * (1 - np.eye(len(matrix))) + np.eye(len(matrix))


def pairs_of(relations):
    return relations.left, relations.right


def strength(given: ProfileEvidence, a: int, b: int) -> float:
    return float(given.part(np.array([a, b])).relations().strength[0])


def test_contexts_and_names_add_up():
    plain = comparer(learned())
    cosine = plain.vectors.cosine(np.array([0, 1]))[0, 1]
    assert 0.2 < cosine < 0.9
    name = name_odds("John Smith", "John Smith")
    assert name < 0
    assert logit(strength(plain, 0, 1)) == pytest.approx(name + said(CONTEXT, cosine), abs=1e-4)
    assert logit(strength(plain, 0, 2)) == pytest.approx(name + said(CONTEXT, 0), abs=1e-4)
    # An empty context is no evidence.
    assert logit(strength(plain, 0, 4)) == pytest.approx(name, abs=1e-4)


def test_pairs_of_the_asked_for_name_differ_by_their_contexts():
    one = comparer(learned(), one_name=True)
    relations, clashes = block(one, np.arange(len(ROWS)))
    assert clashes.shape == (0, 2)
    worth = asked_prior("John Smith", SIZES)
    stated = np.diff(one.vectors.matrix.indptr) > 0
    odds = np.where(np.logical_and.outer(stated, stated), CONTEXT(one.vectors.cosine()), 0)
    expected = expit(odds + np.float32(worth))
    np.testing.assert_allclose(relations.dense(), with_ones(expected), atol=1e-6)
    assert {opinion.specialist for opinion in one.explain(0, 3).opinions} == {"name", "context"}
    np.testing.assert_allclose(one.candidates().strength, relations.dense()[*pairs_of(one.candidates())], atol=1e-6)
    rare = of(named("Zoe Quux", "Zoe Quux"), learned(), one_name=True)
    assert [opinion.specialist for opinion in rare.explain(0, 1).opinions] == ["context"]


def test_an_ensemble_gives_its_strengths_and_the_rule_its_clashes():
    both = comparer(learned("context", "contact"))
    rows = np.array([4, 3, 1, 0])
    relations, clashes = block(both, rows)
    assert relations.n == 4
    assert relations.default_strength == 0.3
    assert clashes.tolist() == [[0, 1], [1, 2], [1, 3]]
    pairs = np.column_stack([rows[relations.left], rows[relations.right]]).astype(np.int32)
    np.testing.assert_array_equal(relations.strength, both._ensemble.strengths(both.profiles, pairs))
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
    assert (contexts.specialist, names.specialist) == ("context", "names")
    assert told.strength == pytest.approx(strength(plain, 0, 1))
    assert contexts.weight + names.weight == pytest.approx(logit(told.strength), abs=1e-4)
    assert contexts.score == pytest.approx(plain.vectors.cosine(np.array([0, 1]))[0, 1])
    assert contexts.probability == pytest.approx(expit(contexts.weight))
    assert names.probability == pytest.approx(expit(names.weight))
    assert {"chairman", "detroit"} <= set(contexts.evidence.split(", "))
    assert names.evidence == "John Smith / John Smith: equal"
    assert names.score == 1
    clash = plain.explain(0, 3)
    assert clash.strength == 0
    rule = next(opinion for opinion in clash.opinions if opinion.specialist == "names")
    assert rule.evidence == "John Smith / Mary Smith: clash, kept apart by rule"
    assert (rule.score, rule.probability, rule.weight) == (0, 0, 0)


def test_explanation_with_ensemble():
    both = comparer(learned("context", "contact"))
    told = both.explain(0, 1)
    assert told.strength == pytest.approx(strength(both, 0, 1))
    assert [(o.specialist, o.score is None, o.weight) for o in told.opinions] == [
        ("context", False, 1.0),
        ("contact", True, 0.0),
    ]
    assert "detroit" in told.opinions[0].evidence


def test_a_model_of_before_with_embeddings_says_what_it_misses():
    with pytest.raises(InputError, match=r"not installed: embedding\.") as caught:
        comparer(learned("context", "embedding"))
    assert "crossdoc train" in caught.value.hint


def of(rows: list[Profile], model: LearnedModel | None = None, said=(), words=None, **options) -> ProfileEvidence:
    profiles = Profiles.of(rows)
    words = ContextVectoriser().fit([[row.context for row in rows] if words is None else words])
    limits = Constraints.between(profiles.ids, [Judgement(*each) for each in said])
    return make_evidence(model or learned(), words, profiles, limits, **options)


def named(*names: str, context: str = "The car maker sold trucks.", kind: str | None = "person") -> list[Profile]:
    return [Profile(f"p{i}", f"d{i}", name, kind, context) for i, name in enumerate(names)]


def test_limits_are_the_judgements_and_the_clashes():
    given = of(named("Ann Li", "Bob Li", "Ann Li"), said=[("p0", "p2", "different"), ("p1", "p2", "same", False, 3.0)])
    assert given.limits.cannot.tolist() == given.constraints.cannot.tolist() == [[0, 2]]
    assert given.limits.soft.tolist() == [[1, 2], [0, 1], [1, 2]]
    assert given.limits.soft_weight.tolist() == [3.0, -1000.0, -1000.0]
    assert given.constraints.soft_weight.tolist() == [3.0]


NAMED = st.sampled_from(["Ann Li", "A. Li", "Li", "Bob Li", "Ann Lee", "Zoe Orr", "Zoë Orr", ""])
SOME_WORDS = st.lists(st.sampled_from(["red", "car", "race", "lap", "poem", "verse"]), max_size=4).map(" ".join)
LINKS = st.lists(
    st.builds(Relation, st.sampled_from(["list", "employment", "ownership"]),
              st.sampled_from(["Bo Orr", "Cy Ode", "MIT", "Ann Li"])),
    max_size=3,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(NAMED, SOME_WORDS, LINKS), min_size=1, max_size=8), st.booleans(), st.booleans(),
       st.sampled_from(["person", "place", None]))  # fmt: skip
def test_candidates_are_as_strong_as_among_all_pairs(rows, one_name, with_texts, kind):
    """Where names agree the two ways give the same, and so does the explanation of each pair."""
    profiles = [
        Profile(f"p{i}", f"d{i}", name, kind, context, relations=tuple(links))
        for i, (name, context, links) in enumerate(rows)
    ]
    texts = {row.document: f"{row.context} poem race"[:: 1 if i % 2 else -1] for i, row in enumerate(profiles)}
    options = {"texts": (lambda ids: texts) if with_texts else None, "one_name": one_name}
    evidence = of(profiles, learned(fields=ALL), **options)
    matrix = evidence.relations().dense()
    np.testing.assert_array_equal(matrix, matrix.T)
    found = evidence.candidates()
    assert found.default_strength == 0
    np.testing.assert_allclose(found.strength, matrix[*pairs_of(found)], atol=1e-6)
    apart = set(map(tuple, evidence.limits.soft.tolist()))
    listed = set(zip(*(side.tolist() for side in pairs_of(found)), strict=True))
    assert not listed & apart
    for a, b in combinations(range(len(rows)), 2):
        told = evidence.explain(a, b)
        assert told.strength == pytest.approx(matrix[a, b], abs=1e-6)
        if (a, b) in apart:
            assert told.strength == 0
        else:
            assert sum(opinion.weight for opinion in told.opinions) == pytest.approx(logit(told.strength), abs=1e-3)
            assert (a, b) in listed or one_name or not rows[a][0] or not rows[b][0]


def related(name: str, *links: tuple[str, str], context: str = "red car") -> Profile:
    number = len(links)
    relations = tuple(Relation(*link) for link in links)
    return Profile(f"{name}{number}", f"{name}{number}", name, "person", context, relations=relations)


def test_every_field_adds_what_it_says_and_nothing_where_it_is_silent():
    rows = [
        related("Ann Li", ("list", "Bo Orr"), ("employment", "MIT")),
        related("Ann Li", ("list", "Bo Orr"), ("employment", "MIT Press"), ("list", "Cy Ode")),
        related("Ann Li"),
    ]
    evidence = of(rows, learned(fields=ALL))
    name = name_odds("Ann Li", "Ann Li", NameCounts(["Ann Li"] * 3, ["Bo Orr", "Bo Orr", "Cy Ode"]))
    cosine = {field: related_rows(Profiles.of(rows), field).cosine()[0, 1] for field in ("beside", "work")}
    assert all(0 < each < 1 for each in cosine.values())
    parts = [name, said(CONTEXT, 1), said(BESIDE, cosine["beside"]), said(WORK, cosine["work"])]
    assert logit(evidence.relations().dense()[0, 1]) == pytest.approx(sum(parts), abs=0.02)
    assert logit(evidence.relations().dense()[0, 2]) == pytest.approx(sum(parts[:2]), abs=1e-3)
    told = {opinion.specialist: opinion for opinion in evidence.explain(0, 1).opinions}
    assert set(told) == {"names", "context", "beside", "work"}
    assert (told["beside"].evidence, told["work"].evidence) == ("bo orr", "mit")
    assert told["beside"].weight == pytest.approx(said(BESIDE, cosine["beside"]))
    weights = [abs(opinion.weight) for opinion in evidence.explain(0, 1).opinions]
    assert weights == sorted(weights, reverse=True), "what counts most comes first"
    assert {opinion.specialist for opinion in evidence.explain(0, 2).opinions} == {"names", "context"}


def test_whole_documents_count_under_one_name_alone():
    rows = named("Ann Li", "Ann Li", "Ann Li")
    texts = {"d0": "red car race", "d1": "red car lap", "d2": "verse"}
    given = {"model": learned(fields=ALL), "texts": lambda ids: texts}
    words = ["The car maker sold trucks.", *texts.values()]
    one = of(rows, one_name=True, words=words, **given)
    (context, document) = sorted(one.explain(0, 1).opinions, key=lambda opinion: opinion.specialist)
    assert (context.specialist, document.specialist) == ("context", "document")
    assert document.score == pytest.approx(float(of_texts(words, "red car race", "red car lap")))
    assert document.weight == pytest.approx(said(DOCUMENT, document.score), abs=1e-5)
    assert logit(one.relations().dense()[0, 2]) == pytest.approx(said(CONTEXT, 1) - 1, abs=1e-4)
    everyone = of(rows, words=words, **given)
    assert {opinion.specialist for opinion in everyone.explain(0, 1).opinions} == {"names", "context"}
    untold = of(rows, learned(fields=ALL), one_name=True, words=words)
    assert {opinion.specialist for opinion in untold.explain(0, 1).opinions} == {"context"}


def of_texts(words: list[str], a: str, b: str) -> np.float32:
    rows = Profiles.of([Profile("a", "a", "Ann Li", context=a), Profile("b", "b", "Ann Li", context=b)])
    vectoriser = ContextVectoriser().fit([words])
    vectoriser.count_along(usual_words("en"))
    return vectoriser.transform(rows).cosine()[0, 1]


def test_candidates_of_a_part_are_those_of_its_rows():
    given = of(named("Ann Li", "Zoe Orr", "Ann Li", "Bob Li", "Ann Li"), said=[("p0", "p2", "different")])
    part = given.part(np.array([4, 2, 0]))
    assert part.ids.tolist() == ["p4", "p2", "p0"]
    found = part.candidates()
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 1), (0, 2)]
    np.testing.assert_allclose(found.strength, given.relations().dense()[4, [2, 0]], atol=1e-6)
    assert part.profiles.ids.tolist() == ["p4", "p2", "p0"]
    assert part.names == ["Ann Li"] * 3
    assert part.vectors.matrix.shape[0] == 3
    assert len(part) == 3


def test_candidates_of_an_ensemble_have_its_strengths():
    both = comparer(learned("context"))
    found = both.candidates()
    pairs = np.column_stack([found.left, found.right]).astype(np.int32)
    assert len(pairs) == 6
    np.testing.assert_array_equal(found.strength, both._ensemble.strengths(both.profiles, pairs))


def test_even_is_where_the_curve_crosses_even_odds():
    curve = Curve(mean=0.1, sd=0.1, intercept=-1, slope=1, low=-4, high=4)
    assert of(named("Ann Li"), learned(fields={"context": curve})).even == pytest.approx(0.04)
    assert comparer(learned("context")).even is None
    assert comparer(learned("context")).same_name == 0.0


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
    table = Profiles.of(rows)
    collection = MemoryCollection(
        table, None, learned(), CollectionNames(table, False), Constraints.none(len(rows)), words
    )
    told = pair_evidence(collection, 1, 2).explain(0, 1)
    (names,) = [opinion for opinion in told.opinions if opinion.specialist == "names"]
    assert names.score == 1
    assert names.evidence.endswith("part")


# What documents tell of each other

TOPICS = TopicPrior(head=-0.5, same=2.0, story=1.5)
TELLING = {
    "a": "Robbers took diamonds from a jewellery store in Paris",
    "b": "The jewellery store in Paris lost diamonds to robbers",
    "c": "The quarterback threw three touchdowns for his team",
    "d": "His team won after three touchdowns of the quarterback",
}


def told(*mentions: tuple[str, str], kind: str | None = "person", fields=None, documents=True) -> ProfileEvidence:
    """Mentions (document, name) of two stories, with what the documents say; beside them, enough names."""
    given = [*mentions, *((document, name) for document in "bd" for name in ("Bonn", "Oslo", "Lima", "Cairo"))]
    rows = [Profile(f"p{i}", d, name, kind, TELLING[d], "en") for i, (d, name) in enumerate(given)]
    profiles, words = Profiles.of(rows), ContextVectoriser().fit([list(TELLING.values())])
    model = learned(fields=fields or {"context": CONTEXT}).model_copy(update={"topics": TOPICS})
    stories = Stories.of(profiles, lambda ids: {id: TELLING[id] for id in ids}, words)
    texts = (lambda ids: {id: TELLING[id] for id in ids}) if documents else None
    assert stories.topic[[stories.number[id] for id in "bd"]].tolist() == [0, 1]
    return make_evidence(model, words, profiles, texts=texts, stories=stories)


def strengths(evidence: ProfileEvidence) -> tuple[np.ndarray, np.ndarray]:
    """Of all pairs, and of the candidates alone, as matrices."""
    return evidence.relations().dense(), evidence.candidates().dense()


def context_of(evidence: ProfileEvidence, a: int, b: int) -> float:
    rows = evidence.vectors.matrix[[a, b]].toarray().astype(float)
    return said(CONTEXT, float(rows[0] @ rows[1]))


def test_descriptions_are_judged_in_their_topic_and_alone_beyond_it():
    evidence = told(("a", "the robber"), ("b", "robber"), ("b", "Millom robber"), ("c", "robber"))
    for matrix in strengths(evidence):
        assert matrix[0, 1] == pytest.approx(expit(2.0 + context_of(evidence, 0, 1)), abs=1e-5)
        assert matrix[0, 2] == pytest.approx(expit(-0.5 + context_of(evidence, 0, 2)), abs=1e-5)
        assert matrix[0, 3] == matrix[1, 3] == matrix[2, 3] == 0
    assert [part.tolist() for part in evidence.components()][:2] == [[0, 1, 2], [3]]
    # Nothing keeps descriptions apart by rule: the names beside them are.
    assert (evidence.limits.soft.min(axis=1) > 1).all()
    assert evidence.part(np.array([2, 0])).relations().strength[0] == pytest.approx(strengths(evidence)[0][0, 2])


def test_names_are_compared_as_they_are_read():
    evidence = told(("a", "AP"), ("b", "Associated Press"), ("b", "Associated Press"), ("c", "AP"))
    counts = NameCounts(evidence.names or ())
    for matrix in strengths(evidence):
        wanted = name_odds("Associated Press", "Associated Press", counts) + context_of(evidence, 0, 1)
        assert matrix[0, 1] == pytest.approx(expit(wanted), abs=1e-5)
        assert matrix[0, 3] == 0
    assert evidence.names[0] == "AP"
    assert evidence.same_spelling()[0] == "ap"


def test_a_story_speaks_for_one_name_alone():
    fields = {"context": CONTEXT, "document": DOCUMENT}
    rows = (("a", "Ann Li"), ("b", "Ann Li"), ("c", "Ann Li"), ("b", "Li"), ("a", "robber"), ("b", "robber"))
    without, evidence = told(*rows), told(*rows, fields=fields)
    for before, after in zip(strengths(without), strengths(evidence), strict=True):
        assert logit(after[0, 1]) - logit(before[0, 1]) == pytest.approx(1.5, abs=1e-4)
        for pair in ((0, 2), (0, 3), (4, 5)):
            assert after[pair] == before[pair]
    contexts = told(*rows, fields=fields, documents=False)
    np.testing.assert_array_equal(strengths(contexts)[0], strengths(without)[0])


def test_why_tells_of_topics_and_stories():
    evidence = told(
        ("a", "Ann Li"), ("b", "Ann Li"), ("a", "robber"), ("b", "the robber"), ("c", "robber"), ("a", "AP"),
        ("b", "Associated Press"), ("b", "Associated Press"), fields={"context": CONTEXT, "document": DOCUMENT}
    )  # fmt: skip
    by_name = {o.specialist: o for o in evidence.explain(0, 1).opinions}
    assert by_name["document"].evidence.startswith("one topic: ")
    assert "diamonds" in by_name["document"].evidence
    assert by_name["document"].weight == pytest.approx(1.5)
    assert evidence.explain(0, 1).strength == pytest.approx(
        expit(sum(o.weight for o in evidence.explain(0, 1).opinions)), abs=1e-5
    )
    names = {pair: next(o for o in evidence.explain(*pair).opinions if o.specialist == "names") for pair in PAIRS}
    assert names[2, 3].evidence == "robber / the robber: described alike in one topic"
    assert names[2, 3].weight == 2.0
    assert names[2, 4].evidence == "robber / robber: a description, which means nothing beyond its topic"
    assert names[2, 4].probability == evidence.explain(2, 4).strength == 0
    assert names[5, 6].evidence == "AP, as Associated Press in its topic / Associated Press: equal"


PAIRS = ((2, 3), (2, 4), (5, 6))


def test_stories_are_not_asked_for_where_nothing_is_compared(monkeypatch):
    rows = Profiles.of(Profile(id, "d", "Ann Li", "person", "trucks") for id in "ab")
    words = ContextVectoriser().fit([["trucks"]])
    model = learned().model_copy(update={"topics": TOPICS})
    monkeypatch.setattr(Stories, "of", lambda *_: pytest.fail("nobody asked"))
    evidence = make_evidence(model, words, rows)
    assert evidence.names == ["Ann Li", "Ann Li"]
    assert evidence.same_spelling() == ["annli", "annli"]
    assert make_evidence(model, words, rows, one_name=True).relations().n == 2


@pytest.mark.parametrize("entity_type", ["person", "organisation"])
def test_pairs_of_some_rows_are_as_strong_as_among_all_candidates(entity_type):
    names = ["John Smith", "J. Smith", "Smith", "John A. Smith", "Jane Smith", "John Smith", "Bo Kim"]
    table = Profiles.of(Profile(str(n), str(n), name, entity_type, f"word{n % 2}") for n, name in enumerate(names))
    evidence = make_evidence(learned(), ContextVectoriser().fit([["word0 word1"]]), table)
    found = evidence.candidates()
    for row in range(len(names)):
        own = (found.left == row) | (found.right == row)
        others = np.where(found.left == row, found.right, found.left)[own]
        pairs = np.column_stack([np.full(len(others), row), others]).astype(np.int32)
        assert evidence.strengths(pairs).tolist() == found.strength[own].tolist()


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


def said_facts(a: int, b: int, worth=WORTH) -> float:
    return float(StatedFacts(worth, PEOPLE).of(np.array([[a, b]], dtype=np.int32))[0])


def test_each_fact_counts_between_its_bounds():
    assert said_facts(0, 1) == -3 + 4
    assert said_facts(2, 3) == pytest.approx(-2 + 4 * 0.25)
    assert said_facts(4, 5) == 1.5
    assert said_facts(0, 2) == said_facts(3, 4) == said_facts(6, 6) == 0
    assert said_facts(0, 1, {"contact": WORTH["contact"]}) == 4


def test_all_pairs_are_what_each_pair_is():
    stated, rows = StatedFacts(WORTH, PEOPLE), np.array([5, 3, 1, 0, 2, 4, 6])
    odds = np.full((7, 7), 0.5, dtype=np.float32)
    stated.add_all(odds, rows)
    np.testing.assert_array_equal(odds, odds.T)
    for i, j in zip(*np.triu_indices(7, 1), strict=True):
        assert odds[i, j] == pytest.approx(0.5 + said_facts(rows[i], rows[j]))
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
