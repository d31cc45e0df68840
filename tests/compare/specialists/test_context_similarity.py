"""Sentence embeddings: only on request, only where they are installed, each context once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from crossdoc.compare.specialists import (
    Contexts,
    DocumentContexts,
    Embeddings,
    all_specialists,
    context_similarity,
    default_specialists,
    kernels,
)
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.errors import InputError
from crossdoc.model import Profile, Profiles

CAR = "The chairman of General Motors said that cars sold well."
MAKER = "An executive of the Detroit carmaker spoke of vehicle sales."
POET = "The poet read her sonnets in Paris."


def people(*contexts: str, language: str | None = None) -> Profiles:
    return Profiles.of(Profile(str(i), "d", "Ann Li", context=c, language=language) for i, c in enumerate(contexts))


@pytest.fixture(scope="module")
def embeddings() -> Embeddings:
    for library in context_similarity.LIBRARIES:
        pytest.importorskip(library)
    if not Embeddings.installed():
        pytest.skip("the weights are not installed")
    return Embeddings()


def test_not_without_being_asked_for():
    assert "embedding" not in [specialist.name for specialist in [*default_specialists(), *all_specialists()]]


def test_left_out_where_not_installed(monkeypatch):
    monkeypatch.setattr(context_similarity, "WEIGHTS", "no-such-distribution")
    assert "embedding" not in [specialist.name for specialist in default_specialists(embed=True)]
    monkeypatch.undo()
    monkeypatch.setattr(context_similarity, "LIBRARIES", ("no_such_library",))
    assert "embedding" not in [specialist.name for specialist in default_specialists(embed=True)]


def test_made_by_hand_where_not_installed(monkeypatch):
    monkeypatch.setattr(context_similarity, "WEIGHTS", "no-such-distribution")
    with pytest.raises(InputError, match="embedding") as caught:
        Embeddings().encode(people(CAR))
    assert "crossdoc[embed]" in caught.value.hint


def test_last_where_asked_for_and_installed(embeddings):
    assert [specialist.name for specialist in default_specialists(embed=True)][-1] == embeddings.name


def test_meaning_without_common_words(embeddings):
    table = people(CAR, MAKER, POET)
    near, far, back, self = embeddings.score(table, table, [(0, 1), (0, 2), (1, 0), (2, 2)])
    assert near > 0.4 > 0.2 > far >= 0
    assert near == back
    assert self == pytest.approx(1)


def test_asleep_without_context_or_in_another_language(embeddings):
    table = people(CAR, "", "  ")
    assert np.isnan(embeddings.score(table, table, [(0, 1), (2, 0), (1, 2)])).all()
    french = people(CAR, MAKER, language="fr")
    assert np.isnan(embeddings.score(french, french, [(0, 1)])).all()
    english = people(CAR, MAKER, language="en")
    assert not np.isnan(embeddings.score(english, english, [(0, 1)])).any()
    assert embeddings.score(people(), people(), []).shape == (0,)


def test_unit_vectors_whatever_else_is_in_the_batch(embeddings, monkeypatch):
    texts = [CAR, POET, MAKER + " " + POET, "cars " * 300]
    together = Embeddings().encode(people(*texts)).vectors
    monkeypatch.setattr(context_similarity, "TEXTS_AT_ONCE", 1)
    alone = Embeddings().encode(people(*texts)).vectors
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(together, alone, atol=1e-4)


def test_a_context_is_encoded_once(embeddings, monkeypatch):
    fresh = Embeddings()
    asked = []

    class Spy(context_similarity._Encoder):
        def __call__(self, texts):
            asked.extend(texts)
            return super().__call__(texts)

    monkeypatch.setattr(context_similarity, "_Encoder", Spy)
    first = fresh.encode(people(CAR, POET, CAR, ""))
    assert first.code.tolist() == [0, 1, 0, -1]
    second = fresh.encode(people(POET, MAKER))
    assert asked == [CAR, POET, MAKER]
    np.testing.assert_array_equal(first.vectors[1], second.vectors[0])
    monkeypatch.setattr(context_similarity, "PAIRS_AT_ONCE", 1)
    pairs = np.array([[0, 1], [0, 0]], dtype=np.int32)
    assert fresh.compare(second, pairs)[1] == pytest.approx(1)


TEXTS = ["a poet in Paris", "the poet of Paris, Texas", "car makers in Detroit", "", "Ann the car maker"]


def table(texts: list[str]) -> Profiles:
    return Profiles.of(Profile(str(i), f"d{i}", "Ann", "person", text) for i, text in enumerate(texts))


@settings(deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 12), st.integers(1, 30))
def test_the_kernel_is_a_dense_product(seed: int, n: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = sparse.random(n, width, density=0.3, format="csr", dtype=np.float32, rng=rng)
    dense = matrix.toarray()
    norm = np.linalg.norm(dense, axis=1)
    unit = sparse.csr_matrix(dense / np.where(norm > 0, norm, 1)[:, None])
    pairs = rng.integers(0, n, (50, 2)).astype(np.int32)
    found = kernels.sparse_cosine(
        unit.indptr.astype(np.int64), unit.indices.astype(np.int32), unit.data.astype(np.float32), width, pairs
    )
    wanted = (unit @ unit.T).toarray()[pairs[:, 0], pairs[:, 1]]
    empty = (norm[pairs] == 0).any(axis=1)
    assert np.isnan(found[empty]).all()
    assert found[~empty] == pytest.approx(wanted[~empty], abs=1e-5)


def test_agrees_with_the_vectoriser() -> None:
    profiles = table(TEXTS)
    vectoriser = ContextVectoriser().fit([TEXTS])
    wanted = vectoriser.transform(profiles).cosine()
    pairs = [(i, j) for i in range(len(TEXTS)) for j in range(len(TEXTS)) if i != 3 != j]
    found = Contexts(vectoriser).score(profiles, profiles, pairs)
    assert found == pytest.approx([wanted[pair] for pair in pairs], abs=1e-6)
    assert found == pytest.approx(Contexts().score(profiles, profiles, pairs), abs=1e-6)


def test_asleep_without_words() -> None:
    profiles = table(["", "the of and", "Ann", "a poet"])
    assert np.isnan(Contexts().score(profiles, profiles, [(0, 3), (1, 3), (2, 3), (0, 0)])).all()


def test_frequencies_of_the_collection_count() -> None:
    profiles = table(["poet car", "poet boat"])
    common = ContextVectoriser().fit([["poet"] * 50 + ["car", "boat"]])
    rare = ContextVectoriser().fit([["car boat"] * 50 + ["poet"]])
    assert Contexts(common).score(profiles, profiles, [(0, 1)]) < Contexts(rare).score(profiles, profiles, [(0, 1)])


def test_whole_documents() -> None:
    profiles = Profiles.of(
        [Profile("1", "a", "Ann", "person", "x"), Profile("2", "b", "Ann", "person", "y"), Profile("3", "gone", "Ann")]
    )
    texts = {"a": TEXTS[0], "b": TEXTS[1]}
    found = DocumentContexts(texts).score(profiles, profiles, [(0, 1), (0, 2)])
    as_contexts = table(list(texts.values()))
    assert found[0] == pytest.approx(Contexts().score(as_contexts, as_contexts, [(0, 1)])[0])
    assert np.isnan(found[1])
