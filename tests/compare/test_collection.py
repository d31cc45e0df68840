"""What a collection knows of all its names, and evidence about a few rows."""

from __future__ import annotations

import pytest

from crossdoc.compare.background import ELSEWHERE
from crossdoc.compare.collection import believed, pair_evidence, types_to_cluster
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import compare
from crossdoc.model import Judgement, Profile, Profiles
from crossdoc.model.evidence_protocol import Constraints

ROWS = [
    Profile("a", "1", "Ann Li", "person", "red car race"),
    Profile("b", "1", "Velox Ltd", "organisation", "red car works"),
    Profile("c", "2", "Ann Li", "person", "poem verse"),
    Profile("d", "3", "Velox", "organisation", "red car works"),
]
PROFILES = Profiles.of(ROWS)


def test_profiles_that_must_be_one_have_the_type_of_the_first():
    limits = Constraints.between(PROFILES.ids, [Judgement("b", "c", "same")])
    assert types_to_cluster(PROFILES, limits).tolist() == ["person", "organisation", "organisation", "organisation"]


def test_a_pair_of_one_type_is_explained_as_among_all():
    collection = compare(PROFILES, background=False)
    found = pair_evidence(collection, 3, 1).explain(0, 1)
    expected = collection["organisation"].explain(1, 0)
    assert found.strength == pytest.approx(expected.strength, abs=1e-6)
    assert [o.evidence for o in found.opinions] == [o.evidence for o in expected.opinions]


def test_a_background_of_other_collections_halves_the_certainty():
    model = LearnedModel.default()
    elsewhere = model.model_copy(update={"learned_on": {**model.learned_on, "background": ELSEWHERE}})
    assert believed(0.9, elsewhere) == pytest.approx(0.7)
