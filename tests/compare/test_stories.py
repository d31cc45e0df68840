"""Topics of documents: those of textbook average linkage, whatever the documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage

from crossdoc.compare.stories import STANDS_OUT, Stories, Topics, topics, usual
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles


def unit(seed: int, n: int, words: int = 30) -> sparse.csr_matrix:
    """Rows of a few words each, in no cosine alike that another pair has."""
    random = np.random.default_rng(seed)
    rows = random.random((n, words)) * (random.random((n, words)) < 0.2)
    rows[:, 0] += 0.01 * random.random(n)
    return sparse.csr_matrix((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32))


def same(labels) -> np.ndarray:
    return np.equal.outer(labels, labels)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), n=st.integers(2, 20), stands_out=st.sampled_from([0.05, 0.2, 0.4]))
def test_topics_are_those_of_average_linkage(seed, n, stands_out):
    rows = unit(seed, n)
    cosine = np.clip((rows @ rows.T).toarray().astype(np.float64), 0, 1)
    tree = linkage(1 - cosine[np.triu_indices(n, 1)], "average")
    wanted = fcluster(tree, 1 - (usual(rows) + stands_out), "distance")
    assert (same(topics(rows, usual(rows) + stands_out)) == same(wanted)).all()


def test_what_is_usual_is_the_median_of_different_rows():
    rows = unit(3, 40)
    cosine = (rows @ rows.T).toarray()[np.triu_indices(40, 1)]
    assert usual(rows) == pytest.approx(np.median(cosine), abs=0.01)
    assert usual(rows[:1]) == 0.0


@pytest.mark.parametrize("n", [0, 1, 3])
def test_documents_without_words_are_topics_of_their_own(n):
    assert topics(sparse.csr_matrix((n, 5), dtype=np.float32), 0.1).tolist() == list(range(n))


TEXTS = {
    "a": "Robbers took diamonds from a jewellery store in Paris.",
    "b": "The jewellery store in Paris lost diamonds to robbers.",
    "c": "The quarterback threw three touchdowns for his team.",
    "d": "His team won after the quarterback's touchdowns.",
}


def test_documents_of_one_story_are_one_topic():
    profiles = Profiles.of(Profile(f"{id}{i}", id, "X", "person", "", "en") for id in TEXTS for i in range(2))
    asked = []

    def texts(ids):
        asked.extend(ids)
        return {id: TEXTS[id] for id in ids}

    found = Stories.of(profiles, texts, ContextVectoriser().fit([list(TEXTS.values())]))
    assert asked == list(TEXTS)
    assert found.topic.tolist() == [0, 0, 1, 1]
    assert found.of_profiles(profiles).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert "diamonds" in found.features[found.rows[0].indices]
    assert 0 < STANDS_OUT < 1


def test_documents_that_are_known_stay_and_others_join_them_or_found_topics():
    profiles = Profiles.of(Profile(id, id, "X", "person", "", "en") for id in TEXTS)
    words = ContextVectoriser().fit([list(TEXTS.values())])
    whole = Stories.of(profiles, lambda ids: {id: TEXTS[id] for id in ids}, words).topics
    assert whole.of == {"a": 0, "b": 0, "c": 1, "d": 1}
    # "a" and "b" are alike, and were told apart all the same.
    known = Topics({"a": 7, "b": 8}, whole.cut)
    found = Stories.of(profiles, lambda ids: {id: TEXTS[id] for id in ids}, words, known).topics
    assert found == Topics({"a": 7, "b": 8, "c": 9, "d": 9}, whole.cut)
    joined = Stories.of(profiles, lambda ids: {id: TEXTS[id] for id in ids}, words, Topics({"a": 3, "c": 5}, whole.cut))
    assert joined.topics.of == {"a": 3, "b": 3, "c": 5, "d": 5}


def test_of_documents_without_texts_there_are_topics():
    found = Stories.without_texts(["b", "a"], Topics({"a": 4, "b": 2}, 0.1))
    assert (found.number, found.topic.tolist(), found.rows.shape[0]) == ({"b": 0, "a": 1}, [2, 4], 2)
