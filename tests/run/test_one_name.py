"""Contexts of one name from every kind of input, clustered."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.compare.context_vectors import ContextVectors, Cooccurrence
from crossdoc.errors import CrossdocError
from crossdoc.model import Judgement, Profile, Profiles
from crossdoc.run.one_name import cluster_contexts_of, read_name_contexts

CARS = ["engine and wheels of a car", "a car whose wheels and engine broke", "engine, wheels: a truck and car"]
SEA = ["the squid swam round the boat", "a boat and a squid near the reef", "squid and boat: the reef at sea"]


@pytest.fixture
def path(write):
    """Three contexts of each of two senses."""
    records = [
        {"id": f"{sense}{number}", "text": f"Smith {text}", "start": 0, "end": 5}
        for sense, texts in (("car", CARS), ("sea", SEA))
        for number, text in enumerate(texts)
    ]
    return write("contexts.jsonl", records)


@pytest.fixture
def profiles():
    return Profiles.of(
        Profile(f"{name[0]}{number}", f"d{number}", name, context=f"{name} {text}")
        for name in ("Ann Lee", "Bob  Ray")
        for number, text in enumerate([*CARS, *SEA])
    )


def test_contexts_are_clustered_and_named(path):
    found = cluster_contexts_of(path, ContextClustering(2))
    assert found.partition.ids.tolist() == ["car0", "car1", "car2", "sea0", "sea1", "sea2"]
    assert found.partition.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert [cluster.size for cluster in found.clusters] == [3, 3]
    for cluster, sense, others in zip(found.clusters, ("car", "sea"), (SEA, CARS), strict=True):
        assert cluster.representative.startswith(sense)
        assert cluster.text.startswith("Smith ")
        assert cluster.words.discriminating
        assert not any(word in text for word in cluster.words.discriminating for text in others)


def test_the_summary_is_what_the_clusterer_found(path):
    found = cluster_contexts_of(path, ContextClustering(stop="all", references=3))
    told = json.loads(json.dumps(found.summary()))
    fitted = found.clusterer
    assert told["contexts"] == 6
    assert told["k"] == len(told["clusters"]) == fitted.n_clusters_
    assert [cluster["size"] for cluster in told["clusters"]] == np.bincount(fitted.labels_).tolist()
    assert told["clusters"][0]["describing"] == found.words[0].describing
    assert (told["first_k"], told["delta_k"]) == (fitted.first_k_, fitted.delta_k_)
    assert told["criterion"] == fitted.criterion_.tolist()
    assert told["stopping"] == {rule: fitted.stopping_[rule].k for rule in ("pk1", "pk2", "pk3", "gap")}
    assert told["gap"]["values"] == fitted.stopping_["gap"].value.tolist()
    titles = [text.text for text in ET.fromstring(found.figure()).iter() if text.text and " vs k" in text.text]
    assert titles[0] == "I2 vs k"
    assert any(title.startswith("Gap vs k") for title in titles)


def test_the_clusterer_given_is_left_as_it_was(path):
    given = ContextClustering(2, random_state=3)
    found = cluster_contexts_of(path, given)
    assert not hasattr(given, "labels_")
    assert found.clusterer.get_params() == given.get_params()


def test_the_rule_follows_from_what_the_rows_are(path, tmp_path):
    assert cluster_contexts_of(path).clusterer.stop == "calibrated"
    assert cluster_contexts_of(path, vectors=ContextVectors("tfidf")).clusterer.stop == "pk3"
    assert cluster_contexts_of(path, vectors=ContextVectors(dimensions=2)).clusterer.stop == "pk3"
    assert cluster_contexts_of(path, ContextClustering(stop=None, delta=0.01)).clusterer.stop == "pk3"
    assert cluster_contexts_of(path, ContextClustering(stop="pk1")).clusterer.stop == "pk1"
    np.save(tmp_path / "rows.npy", np.eye(5))
    assert cluster_contexts_of(tmp_path / "rows.npy").clusterer.stop == "pk3"


def test_vectors_and_window_count(path):
    unigrams = ContextVectors("unigrams", Cooccurrence(least_count=1))
    plain, counted = (cluster_contexts_of(path, ContextClustering(2), kind) for kind in (None, unigrams))
    assert plain.clusterer.criterion_ != counted.clusterer.criterion_
    near = cluster_contexts_of(path, window=1)
    assert [profile.context for profile in near.contexts.profiles][:2] == ["Smith engine", "Smith a"]


def test_judgements_from_a_file_or_in_memory(path, write):
    said = [Judgement("car0", "sea0", "same"), Judgement("car1", "car2", "different")]
    file = write("said.csv", "a,b,verdict\ncar0,sea0,same\ncar1,car2,different\n")
    for constraints in (said, file):
        labels = dict(zip(*_labels(cluster_contexts_of(path, constraints=constraints)), strict=True))
        assert labels["car0"] == labels["sea0"]
        assert labels["car1"] != labels["car2"]
    with pytest.raises(CrossdocError, match=r"said\.csv names profiles that do not exist: 'nobody'"):
        cluster_contexts_of(path, constraints=write("said.csv", "a,b,verdict\ncar0,nobody,same\n"))


def _labels(found):
    return found.partition.ids.tolist(), found.partition.labels.tolist()


def test_profiles_of_one_name(profiles, write):
    file = write(
        "p.jsonl", [{"id": p.id, "document": p.document, "name": p.name, "context": p.context} for p in profiles]
    )
    for given in (profiles, file):
        assert read_name_contexts(given, "bob ray").ids == [f"B{number}" for number in range(6)]
        with pytest.raises(CrossdocError, match="several names: 'Ann Lee', 'Bob Ray'"):
            read_name_contexts(given)
        with pytest.raises(CrossdocError, match="'Cid'"):
            read_name_contexts(given, "Cid")
    alone = profiles.take(np.arange(6))
    assert read_name_contexts(alone).ids == [f"A{number}" for number in range(6)]
    assert cluster_contexts_of(alone, ContextClustering(2)).partition.labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_matrices_have_no_words(tmp_path):
    similar = np.kron(np.eye(2), np.ones((3, 3)))
    np.save(tmp_path / "s.npy", similar)
    found = cluster_contexts_of(tmp_path / "s.npy", ContextClustering(2))
    assert _labels(found) == (["0", "1", "2", "3", "4", "5"], [0, 0, 0, 1, 1, 1])
    assert found.clusters[1] == (3, "3", None, None)
    assert "describing" not in found.summary()["clusters"][0]
    with pytest.raises(CrossdocError, match="is for text"):
        cluster_contexts_of(tmp_path / "s.npy", vectors=ContextVectors("bigrams"))


def test_without_a_target(write):
    path = write("c.jsonl", [{"id": "a", "text": CARS[0]}, {"id": "b", "text": SEA[0]}])
    told = "2 of 2 contexts have no target marked and count as whole texts"
    assert cluster_contexts_of(path).summary()["notes"] == [told]
    for options in ({"window": 2}, {"vectors": ContextVectors("target")}):
        with pytest.raises(CrossdocError, match="no target marked"):
            cluster_contexts_of(path, **options)


def test_what_the_input_has_no_use_for(path):
    with pytest.raises(CrossdocError, match="--name is for profiles"):
        read_name_contexts(path, "Smith")


def test_profiles_have_no_window(profiles):
    with pytest.raises(CrossdocError, match="--window is for text"):
        read_name_contexts(profiles, "Ann Lee", window=3)


def test_an_empty_result_has_nobody():
    with pytest.raises(CrossdocError, match="Nobody"):
        read_name_contexts(Profiles.of([]))
