"""Evidence about some rows is that part of the evidence about all, in memory and from a result."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import crossdoc
from crossdoc.compare.collection import Collection, evidence, pair_evidence
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.memory_collection import compare
from crossdoc.compare.stories import Topics
from crossdoc.model import Document, Profile, Profiles, Relation
from crossdoc.run.resolution import Resolution

NAMES = {
    "person": ["Ronald Reagan", "Reagn", "Reagan", "Ron Reagan", "suspect", "the suspect", "Ann Lee", "A. Lee", "he"],
    "organisation": ["Fund", "IMF", "International Monetary Fund", "Velox", "Velox Ltd", "Velox Bank"],
    "place": ["Paris", "Oz", "New Oz"],
    None: ["Apollo 11", "Ann Lee", "House", "White House"],
}
STORIES = [
    "robbers took diamonds jewellery store police", "police hunted robbers diamonds jewellery store paris",
    "quarterback threw touchdowns team season coach", "coach praised quarterback touchdowns team season",
]  # fmt: skip
ROW = st.sampled_from(list(NAMES)).flatmap(
    lambda kind: st.tuples(
        st.just(kind),
        st.sampled_from(NAMES[kind]),
        st.integers(0, 3),
        st.sampled_from(["en", "en", "fr", None]),
        st.booleans(),
    )
)
ROWS = st.lists(ROW, min_size=4, max_size=14)


def profiles(rows) -> list[Profile]:
    return [
        Profile(
            f"p{at:02}", f"d{story}", name, kind, f"{STORIES[story]} {name}", language, {},
            (Relation("list", "Bo Lee"),) if related else (),
        )
        for at, (kind, name, story, language, related) in enumerate(rows)
    ]  # fmt: skip


def equal(found: ProfileEvidence, expected: ProfileEvidence) -> None:
    """In every method that a clusterer or a person uses."""
    assert found.ids.tolist() == expected.ids.tolist()
    assert found.entity_type == expected.entity_type
    assert found.names == expected.names
    assert found.same_spelling() == expected.same_spelling()
    np.testing.assert_allclose(found.relations().dense(), expected.relations().dense(), atol=1e-5)
    candidates = [each.candidates() for each in (found, expected)]
    np.testing.assert_allclose(*(each.dense() for each in candidates), atol=1e-5)
    for method in ("components", "blocks"):
        assert [rows.tolist() for rows in getattr(found, method)()] == [
            rows.tolist() for rows in getattr(expected, method)()
        ]
    assert found.limits.soft.tolist() == expected.limits.soft.tolist()
    np.testing.assert_allclose(found.vectors.cosine(), expected.vectors.cosine(), atol=1e-5)
    assert found.even == expected.even
    assert found.same_name == pytest.approx(expected.same_name, abs=1e-6)
    if len(found) > 1:
        told, wanted = (each.explain(0, 1) for each in (found, expected))
        assert told.strength == pytest.approx(wanted.strength, abs=1e-5)
        assert [(o.specialist, o.evidence) for o in told.opinions] == [
            (o.specialist, o.evidence) for o in wanted.opinions
        ]
        pair = np.array([[0, 1]], dtype=np.int32)
        np.testing.assert_allclose(found.strengths(pair), expected.strengths(pair), atol=1e-5)


def parts_equal(collection: Collection, of_all: Collection, rng: np.random.Generator) -> None:
    every = evidence(of_all)
    for entity_type, own in of_all.by_type().items():
        some = np.sort(rng.permutation(len(own))[: rng.integers(1, len(own) + 1)])
        equal(evidence(collection, own[some])[entity_type], every[entity_type].part(some))


@settings(max_examples=25, deadline=None)
@given(ROWS, st.integers(0, 99))
def test_a_part_in_memory_is_that_part_of_all(rows, seed):
    collection = compare(Profiles.of(profiles(rows)), background=False)
    parts_equal(collection, collection, np.random.default_rng(seed))


def in_memory(answer: Resolution) -> Collection:
    store, revision = answer.store, answer.revision()
    source = store if store.count("documents") else None
    found = compare(answer.profiles, source, model=revision.model, one_name=revision.name is not None, background=False)
    topics = store.topics()
    found._known_topics = None if topics is None else Topics(*topics)
    return found


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, st.integers(0, 99))
def test_a_part_from_a_result_is_that_part_of_all(rows, seed):
    with crossdoc.resolve(profiles(rows)) as answer:
        parts_equal(answer.collection(), in_memory(answer), np.random.default_rng(seed))


TEXTS = {
    "a": "Ronald Reagan met Theresa May of the Federal Reserve in Paris. A suspect took diamonds from a store.",
    "b": "Ronald Reagan said in Paris that the suspect of the robbery of the store was found. The Fed said nothing.",
    "c": "Theresa May left Velox Ltd in Toledo. Velox sold cars there, Ann Lee of the Federal Reserve Board said.",
    "d": "Ann Lee of Velox Bank praised Mr. Reagan in Toledo. Theresa May did not.",
}


@pytest.mark.parametrize("name", [None, "Theresa May"])
def test_a_part_of_documents_is_that_part_of_all(name):
    documents = [Document(id, text, language="en") for id, text in TEXTS.items()]
    with crossdoc.resolve(documents, name=name, processes=1) as answer:
        for seed in range(3):
            parts_equal(answer.collection(), in_memory(answer), np.random.default_rng(seed))


def test_rows_of_two_types_are_compared_as_of_the_first_ones_type():
    rows = [("organisation", "Velox", 0, "en", False), ("place", "Velox", 1, "en", False)]
    with crossdoc.resolve(profiles(rows)) as answer:
        collection = answer.collection()
        for a, b in ((0, 1), (1, 0)):
            found = pair_evidence(collection, a, b)
            assert found.entity_type == collection.names.types[a]
            assert found.ids.tolist() == collection.ids[[a, b]].tolist()
