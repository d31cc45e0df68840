"""Profiles into evidence, one type after the other, with what was learned on the collection itself."""

import numpy as np
import pytest

from crossdoc.compare import background
from crossdoc.compare.background import adapted, measure_background
from crossdoc.compare.fit import fit
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import ContextTexts, DocumentTexts, compare
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Document, Documents, Judgement, Profile, Profiles
from crossdoc.model.evidence_protocol import Constraints

ROWS = [
    Profile("a", "1", "Ann Li", "person", "red car race"),
    Profile("b", "2", "Acme", "organisation", "red car works"),
    Profile("c", "3", "Ann Li", None, "red car lap"),
    Profile("d", "4", "Rome", "place", "red car rally"),
    Profile("e", "5", "Ann Li", "person", "poem verse"),
]
PROFILES = Profiles.of(ROWS)
ANNS = Profiles.of(row for row in ROWS if row.type == "person")
BO = Profile("f", "6", "Bo Orr", "person", "")


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
            rows.append(Profile(id, f"d{id}", f"A{surname} {surname}", "person", " ".join(words)))
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
    assert found.constraints.cannot.tolist() == [[0, 4], [0, 1]]
    assert compare(PROFILES)["person"].constraints.empty


def test_one_name_is_no_evidence_in_any_part():
    found = compare(PROFILES, one_name=True)
    assert found["person"].names is None
    assert compare(PROFILES)["person"].names == ["Ann Li", "Ann Li"]


def test_words_are_counted_in_the_documents_or_in_the_contexts():
    documents = Documents.of(Document(row.document, f"{row.context} race verse verse") for row in ROWS)
    several = Profiles.of([*ANNS, BO])
    by_text = compare(several, DocumentTexts(documents))["person"].vectors
    texts = documents.column("text").to_pylist()
    np.testing.assert_array_equal(
        by_text.matrix.toarray(), ContextVectoriser().fit([texts]).transform(several).matrix.toarray()
    )
    contexts = ContextVectoriser().fit([several.column("context").to_pylist()]).transform(several)
    np.testing.assert_array_equal(compare(several)["person"].vectors.matrix.toarray(), contexts.matrix.toarray())
    assert by_text.matrix.shape != contexts.matrix.shape or (by_text.matrix != contexts.matrix).nnz > 0


def test_collections_give_their_texts():
    stored = DocumentTexts(Documents.of([Document("1", "one"), Document("2", "two")]))
    assert [texts.to_pylist() for texts in stored.texts()] == [["one", "two"]]
    assert stored.texts_of(["2", "9"]) == {"2": "two"}
    quoted = ContextTexts(Profiles.of([ROWS[0], Profile("x", "1", "Bo", "person", "more")]))
    assert [texts.to_pylist() for texts in quoted.texts()] == [["red car race", "more"]]
    assert quoted.texts_of(["1"]) == {"1": "red car race\nmore"}


def test_likeness_is_measured_in_the_collection_unless_told_otherwise():
    profiles, shipped = recurring(), LearnedModel.default()
    report = Watching()
    assert compare(profiles, background=False, progress=report).model == shipped
    assert report.stages == ["counting words"]
    found = compare(profiles, progress=report)
    assert report.stages == ["counting words", "counting words", "learning what is usual in the collection"]
    words = ContextVectoriser().fit([profiles.column("context").to_pylist()])
    backgrounds = measure_background(shipped.fields, profiles, None, words)
    model, notes = adapted(shipped, backgrounds)
    assert (found.model.fields, list(found.notes)) == (model.fields, notes)
    fitted, found.model = found.model, model
    assert fit(found, backgrounds) == fitted
    found.model = fitted
    assert found.model != shipped
    assert found.notes == ()
    even = found.model.curves("person")["context"].cosine_at(0.0)
    assert found["person"].even == even != compare(PROFILES)["person"].even


def test_texts_tell_which_documents_are_one_story():
    profiles = recurring()
    story = " ".join(profiles.column("context").to_pylist())
    alike = Documents.of(Document(profile.document, story) for profile in profiles)
    found = compare(profiles, DocumentTexts(alike))
    assert found.model.fields == LearnedModel.default().fields
    assert "too few" in found.notes[0]
    assert compare(profiles).notes == ()


@pytest.mark.parametrize("rows", [PROFILES, PROFILES.take([0]), PROFILES.take([0, 4])])
def test_too_few_names_are_said(rows):
    found = compare(rows)
    assert found.model.fields == LearnedModel.default().fields
    assert found.model.learned_on["background"] == "other collections"
    assert len(found.notes) == 1
    assert "what was learned on other collections is used" in found.notes[0]
    assert compare(rows, background=False).notes == ()


def test_under_one_name_others_are_measured_against():
    named = Profiles.of(Profile(f"s{i}", f"s{i}", "John Smith", "person", f"common{chr(97 + i)}") for i in range(9))
    found = compare(named, one_name=True, others=recurring())
    assert found.model.learned_on["background"] == "1,557 pairs of different names in this collection"
    assert found["person"].ids.tolist() == list(named.ids), "others are not clustered"
    assert found.notes == ()
    alone = compare(named, one_name=True)
    assert alone.model.fields == LearnedModel.default().fields
    assert len(alone.notes) == 1
    # All people of an open collection are in it themselves.
    assert compare(recurring(), others=named).model == compare(recurring()).model


def test_under_one_name_what_the_asked_for_have_in_common_is_not_taken_for_usual():
    """Pages of one person in two spellings are no example of different names."""
    spelt = Profiles.of(
        Profile(f"s{i}", f"s{i}", name, "person", "engine race")
        for i in range(9)
        for name in ["John Smith", "Jon Smyth"][i % 2 :][:1]
    )
    assert compare(spelt, one_name=True).model.fields == LearnedModel.default().fields


def test_whole_documents_count_under_one_name_alone():
    profiles = Profiles.of([*(Profile(id, id, "Ann Li", "person", "she spoke") for id in "ab"), BO])
    documents = DocumentTexts(Documents.of(Document(id, "she spoke of engines and races") for id in "ab6"))
    kinds = {
        (one_name, given is None): {
            each.specialist for each in compare(profiles, given, one_name=one_name)["person"].explain(0, 1).opinions
        }
        for one_name in (True, False)
        for given in (documents, None)
    }
    assert kinds == {
        (True, False): {"name", "context", "document"}, (True, True): {"name", "context"},
        (False, False): {"names", "context"}, (False, True): {"names", "context"},
    }  # fmt: skip


def test_the_seed_says_which_profiles_are_measured(monkeypatch):
    monkeypatch.setattr(background, "COHORT", 50)
    profiles = recurring()
    models = [compare(profiles, seed=seed).model for seed in (0, 0, 1)]
    assert models[0] == models[1] != models[2]


def test_an_ensemble_is_not_measured_against_the_collection():
    shipped = LearnedModel.default()
    told = LearnedModel.model_validate(
        {
            **shipped.model_dump(),
            "ensemble": {
                "learner": "seg", "specialists": ["context"], "calibration": [([0, 1], [0.1, 0.9])], "weights": [1.0],
                "default_strength": 0.3,
            },
        }
    )  # fmt: skip
    found = compare(recurring(5, 2), model=told)
    assert found.model == told
    assert found.notes == ()
    assert found["person"].even is None


def test_the_model_that_is_given_compares():
    shipped = LearnedModel.default()
    own = shipped.model_copy(update={"names": shipped.names.model_copy(update={"others": {"place": 0.7}})})
    two = Profiles.of(Profile(id, id, "Rome", "place", "") for id in "ab")
    (names,) = (o for o in compare(two, model=own)["place"].explain(0, 1).opinions if o.specialist == "names")
    assert names.weight == pytest.approx(0.7, abs=1e-3)


def test_a_collection_of_one_name_is_compared_as_if_it_had_been_asked_for():
    """The more profiles it has, the surer; a second name, or profiles without any context, make it an open one."""
    few, many = (
        Profiles.of(Profile(f"p{i}", f"d{i}", "John Smith", "person", f"car {i}") for i in range(n)) for n in (2, 50)
    )
    asked = compare(many, one_name=True)
    assert compare(many).model.one_name
    assert compare(many)["person"].names is None
    weight = {
        name: next(o.weight for o in found["person"].explain(0, 1).opinions if o.specialist == "name")
        for name, found in (("few", compare(few)), ("many", compare(many)), ("asked", asked))
    }
    assert weight["asked"] < weight["many"] < weight["few"]
    assert weight["many"] == pytest.approx(weight["asked"], abs=0.1)
    silent = Profiles.of(Profile(f"p{i}", f"d{i}", "John Smith", "person", "") for i in range(9))
    for open_collection in (Profiles.of([*many, BO]), silent):
        assert not compare(open_collection).model.one_name
