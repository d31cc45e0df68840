"""What is measured, what a method is given; and evidence about some rows is that part of the evidence about all."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

import crossdoc
from crossdoc.cluster import methods
from crossdoc.cluster.clusterer import Answer, Method
from crossdoc.compare import background, collection
from crossdoc.compare.collection import Collection, evidence, pair_evidence
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import compare
from crossdoc.compare.stories import Topics
from crossdoc.model import Document, Profile, Profiles, Relation
from crossdoc.run.resolution import Resolution

from .common import Watching, learned, write

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


def told(answer):
    with answer:
        return [note.partition("s: ")[2] for note in answer.notes if "cut" in note]


@pytest.mark.parametrize("method", ["mean-max-linkage", "average-linkage", "single-linkage", "correlation"])
def test_a_block_too_large_for_all_pairs_is_compared_by_candidates(tmp_path, method):
    words = {"a": "car race lap", "b": "poem spring verse", "c": "fever clinic dose"}
    rows = [
        {"id": f"{kind}{i}", "document": f"{kind}{i}", "name": name, "type": "person", "context": words[kind]}
        for kind, name in (("a", "John Smith"), ("b", "John Smith"), ("c", "Bob Smith"))
        for i in range(4)
    ]
    path = tmp_path / "profiles.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    whole = crossdoc.resolve(path, method=method)
    small = crossdoc.resolve(path, method=method, max_block=5)
    assert any("whose names agree" in note or "clusters of profiles of one name" in note for note in small.notes)
    assert small.partition.labels.tolist() == whole.partition.labels.tolist()
    assert small.partition.n_clusters == 3


class Told:
    """An estimator that says with what it was made."""

    def __init__(self, cut: float = 9.0, random_state: int = 77, threads: int | None = 99, max_block: int = 88):
        self.said = f"cut {cut}, seed {random_state}, threads {threads}, rows {max_block}"

    def fit(self):
        pass


def say(estimator, evidence, work):
    told = f"{estimator.said}; {work.max_rows} rows, {work.threads} threads, resume {work.resume}, "
    told += f"beside {work.checkpoint and work.checkpoint.name}, {type(work.progress).__name__}"
    return Answer(sparse.csr_matrix(np.ones((len(evidence), 1))), notes=(f"{evidence.entity_type}: {told}",))


@pytest.fixture
def witness(monkeypatch):
    """A method whose notes say what the run gave it."""
    method = Method("witness", "Says.", "relations", "type", lambda: Told, threshold="cut", fit=say, resumable=True)
    monkeypatch.setattr(methods, "BUILT_IN", (*methods.BUILT_IN, method))


def test_what_a_run_gives_to_a_method(witness, rows, tmp_path):
    model = learned(tmp_path / "m.json", threshold={"witness": 0.3, "average-linkage": 0.7})
    given = {"method": "witness", "seed": 5, "threads": 2, "max_block": 50, "progress": Watching()}
    answer = crossdoc.resolve(rows, model=model, output=tmp_path / "o.crossdoc", resume=True, **given)
    assert told(answer) == [
        f"{kind}: cut 0.3, seed 5, threads 2, rows 50; 50 rows, 2 threads, resume True, "
        f"beside o.crossdoc.{kind}.witness, Watching"
        for kind in ("organisation", "person")
    ]


def test_what_a_run_gives_to_a_method_unless_told_otherwise(witness, rows):
    assert told(crossdoc.resolve(rows, method="witness", types=["person"])) == [
        "person: cut 0.5, seed 0, threads None, rows 20000; 20000 rows, 0 threads, resume False, beside None, Quiet"
    ]
    (given,) = told(crossdoc.resolve(rows, method="witness", types=["person"], threshold=0.2))
    assert given.startswith("person: cut 0.2, seed 0")
    (own,) = told(crossdoc.resolve(rows, method="witness", types=["person"], witness={"random_state": 4}, seed=3))
    assert "seed 4" in own


def test_profiles_without_a_type_are_sampled_beside_profile(witness, tmp_path):
    rows = write(tmp_path / "r.jsonl", [{"name": "Li", "context": "red car"}, {"name": "Li", "context": "poems"}])
    (note,) = told(crossdoc.resolve(rows, method="witness", output=tmp_path / "o.crossdoc"))
    assert "beside o.crossdoc.profile.witness" in note


@pytest.fixture
def recurring(tmp_path):
    """Forty people of one full name each in two documents, and one in eight."""
    random = np.random.default_rng(1)
    records = []
    for person in range(41):
        surname = f"{chr(97 + person // 26)}{chr(97 + person % 26)}son"
        for number in range(8 if person == 0 else 2):
            words = [f"own{surname}{chr(97 + i)}" for i in random.integers(0, 9, 8)]
            words += [f"common{chr(97 + i)}" for i in random.integers(0, 26, 12)]
            records.append(
                {"id": f"{person}-{number}", "document": f"d{person}-{number}", "name": f"A{surname} {surname}",
                 "type": "person", "context": " ".join(words)}
            )  # fmt: skip
    return write(tmp_path / "recurring.jsonl", records)


def curve(answer):
    with answer:
        return json.loads(answer.runs[-1].settings)["learned"]["fields"]["context"]


def test_likeness_is_measured_in_the_collection_unless_told_otherwise(recurring):
    shipped = LearnedModel.default().fields["context"].model_dump(mode="json")
    assert curve(crossdoc.resolve(recurring, background=False)) == shipped
    assert curve(crossdoc.resolve(recurring)) != shipped
    assert curve(crossdoc.resolve(recurring, method="string-match")) == shipped
    assert curve(crossdoc.resolve(recurring, method="sampling", max_block=50)) != shipped


def test_what_is_measured_follows_from_the_seed(recurring, monkeypatch):
    monkeypatch.setattr(background, "COHORT", 40)
    by_seed = [curve(crossdoc.resolve(recurring, seed=seed)) for seed in (0, 0, 1)]
    assert by_seed[0] == by_seed[1] != by_seed[2]


def test_where_too_few_names_are_told_it_is_said_and_certainty_falls(rows, tmp_path, monkeypatch):
    with crossdoc.resolve(rows) as answer:
        assert any("too few profiles of different names" in note for note in answer.notes)
        lowered = {each.id: each.certainty for each in answer.identities()}
    with crossdoc.resolve(rows, background=False) as answer:
        assert not any("too few profiles" in note for note in answer.notes)
    monkeypatch.setattr(collection, "TRUST_ELSEWHERE", 1.0)
    with crossdoc.resolve(rows) as answer:
        given = {each.id: each.certainty for each in answer.identities()}
    assert lowered == pytest.approx({id: 0.5 + (certainty - 0.5) / 2 for id, certainty in given.items()})
    one = write(tmp_path / "one.jsonl", [{"id": "a", "text": "Ann Li spoke.", "language": "en"}])
    with crossdoc.resolve(one, name="Ann Li") as answer:
        assert sum("too few profiles of different names" in note for note in answer.notes) == 1


def test_under_a_name_likeness_is_measured_against_other_people(tmp_path):
    people = ["Mary Poe", "Peter Roe", "Susan Doe", "George Moe", "Helen Joe", "Frank Noe"]
    # Words of their own make each document a story of its own.
    sights = [[f"sight{chr(97 + n)}{chr(97 + i)}" for i in range(12)] for n in range(12)]
    records = [
        {"id": f"{n}{i}", "language": "en", "text": f"John Smith. {person} {who} {' '.join(sights[n + 6 * i])}."}
        for n, (person, who) in enumerate(zip(people, "bank navy choir farm court press".split(), strict=True))
        for i in (0, 1)
    ]
    path = write(tmp_path / "d.jsonl", records)
    shipped = LearnedModel.default().fields["context"].model_dump(mode="json")
    options = {"name": "John Smith", "describe": False}
    assert curve(crossdoc.resolve(path, background=False, **options)) == shipped
    with crossdoc.resolve(path, **options) as answer:
        # Twelve pages, and in each of the others one other person.
        assert "(measured against 132 pairs of different names in this collection)" in answer.notes[-1]
        assert len(answer.profiles) == 12


def test_under_a_name_relations_count_unless_nothing_is_described(tmp_path):
    text = "Ann Lee, the chairman of Acme, spoke."
    path = write(tmp_path / "d.jsonl", [{"id": id, "text": text, "language": "en"} for id in "ab"])
    for describe in (True, False):
        with crossdoc.resolve(path, name="Ann Lee", describe=describe, processes=1) as answer:
            assert any(profile.relations for profile in answer.profiles) is describe
            told = {opinion.specialist for opinion in answer.explain("a", "b").opinions}
        assert told == {"name", "context", "document"} | ({"beside", "work"} if describe else set())
