"""Profiles into evidence, one type after the other, with what was learned on the collection itself."""

import numpy as np
import pytest

from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.self_training import adapted, joined_contexts
from crossdoc.compare.stage import InMemory, OnlyContexts, compare
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.constraints import Constraints
from crossdoc.model import Document, Documents, Judgement, Profile, Profiles

ROWS = [
    Profile("a", "1", "Ann Li", "person", "red car race"),
    Profile("b", "2", "Acme", "organisation", "red car works"),
    Profile("c", "3", "Ann Li", None, "red car lap"),
    Profile("d", "4", "Rome", "place", "red car rally"),
    Profile("e", "5", "Ann Li", "person", "poem verse"),
]
PROFILES = Profiles.of(ROWS)


def judged(*said):
    return Constraints.between(PROFILES.ids, [Judgement(*each) for each in said])


def recurring(people=40, each=7):
    random = np.random.default_rng(0)
    rows = []
    for person in range(people):
        surname = f"{chr(97 + person // 26)}{chr(97 + person % 26)}son"
        for number in range(each):
            words = [f"own{surname}{chr(97 + i)}" for i in random.integers(0, 9, 8)]
            words += [f"common{chr(97 + i)}" for i in random.integers(0, 26, 12)]
            id = f"{person}-{number}"
            rows.append(Profile(id, f"d{id}", f"Ann {surname}", "person", " ".join(words)))
    return Profiles.of(rows)


class Watching:
    def __init__(self):
        self.stages = []

    def start(self, stage, total=None):
        self.stages.append(stage)

    def advance(self, steps=1):
        pass

    def note(self, message):
        pass


def test_each_type_has_its_profiles():
    found = compare(PROFILES)
    assert list(found) == ["", "organisation", "person", "place"]
    assert len(found) == 4
    assert {kind: found[kind].ids.tolist() for kind in found} == {
        "": ["c"], "organisation": ["b"], "person": ["a", "e"], "place": ["d"]
    }  # fmt: skip
    assert found[""].entity_type is None
    assert found.whole().ids.tolist() == list("abcde")
    with pytest.raises(KeyError):
        found["robot"]


def test_profiles_that_must_be_one_are_clustered_as_the_first_of_them():
    found = compare(PROFILES, constraints=judged(("e", "c", "same"), ("d", "b", "same"), ("c", "d", "different")))
    assert {kind: found[kind].ids.tolist() for kind in found} == {
        "": ["c", "e"], "organisation": ["b", "d"], "person": ["a"]
    }  # fmt: skip
    linked = found["organisation"].constraints
    assert linked.group.tolist() == [0, 0]
    assert found[""].constraints.violated_by([0, 1]) == 1
    assert len(found["organisation"].components()) == 1


def test_judgements_are_those_of_the_type():
    found = compare(PROFILES, constraints=judged(("a", "e", "different"), ("a", "b", "different")))
    assert found["person"].constraints.cannot.tolist() == [[0, 1]]
    assert found["organisation"].constraints.empty
    assert found.whole().constraints.cannot.tolist() == [[0, 4], [0, 1]]
    assert compare(PROFILES)["person"].constraints.empty


def test_one_name_is_no_evidence_in_any_part():
    found = compare(PROFILES, one_name=True)
    assert found["person"].names is None
    assert found.whole().names is None
    assert compare(PROFILES)["person"].names == ["Ann Li", "Ann Li"]


def test_words_are_counted_in_the_documents_or_in_the_contexts():
    documents = Documents.of(Document(row.document, f"{row.context} race verse verse") for row in ROWS)
    by_text = compare(PROFILES, InMemory(documents)).whole().vectors
    texts = documents.column("text").to_pylist()
    np.testing.assert_array_equal(
        by_text.matrix.toarray(), ContextVectoriser().fit([texts]).transform(PROFILES).matrix.toarray()
    )
    contexts = ContextVectoriser().fit([[row.context for row in ROWS]]).transform(PROFILES)
    np.testing.assert_array_equal(compare(PROFILES).whole().vectors.matrix.toarray(), contexts.matrix.toarray())
    assert by_text.matrix.shape != contexts.matrix.shape or (by_text.matrix != contexts.matrix).nnz > 0


def test_collections_give_their_texts():
    stored = InMemory(Documents.of([Document("1", "one"), Document("2", "two")]))
    assert list(stored.texts()) == [["one", "two"]]
    assert stored.texts_of(["2", "9"]) == {"2": "two"}
    quoted = OnlyContexts(Profiles.of([ROWS[0], Profile("x", "1", "Bo", "person", "more")]))
    assert list(quoted.texts()) == [["red car race", "more"]]
    assert quoted.texts_of(["1"]) == {"1": "red car race\nmore"}


def test_nothing_is_learned_unless_there_is_something_to_learn_from():
    profiles, shipped = recurring(), LearnedModel.default()
    report = Watching()
    assert compare(profiles, progress=report).model == shipped
    assert report.stages == ["counting words"]
    found = compare(profiles, learn_from=profiles, progress=report)
    assert report.stages == ["counting words", "counting words", "learning on the collection itself"]
    words = ContextVectoriser().fit([profiles.column("context").to_pylist()])
    assert found.model == adapted(shipped, profiles, joined_contexts(profiles), words) != shipped
    assert found["person"].even == found.model.contexts.even


def test_what_is_learned_from_others_is_told_in_the_model():
    found = compare(PROFILES, learn_from=recurring())
    assert found.model.learned_on["contexts"].startswith("40 full names of this collection")
    assert found["person"].ids.tolist() == ["a", "e"]


def test_the_seed_says_which_documents_are_learned_from():
    profiles = recurring()
    models = [compare(profiles, learn_from=profiles, seed=seed).model for seed in (0, 0, 1)]
    assert models[0] == models[1] != models[2]


def test_a_model_that_cannot_be_adapted_stays():
    profiles = recurring(5, 2)
    plain = LearnedModel.default().model_copy(update={"contexts": None})
    found = compare(profiles, model=plain, learn_from=profiles)
    assert found.model == plain
    assert found["person"].even is None
    own = LearnedModel.default().model_copy(update={"name_evidence": {"person": {"same": 0.7}}})
    assert compare(PROFILES, model=own)["person"].same_name == 0.7
    assert compare(PROFILES)["place"].same_name == LearnedModel.default().name_evidence["place"]["same"]
