"""Cosine of contexts and of full documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from crossdoc.compare.specialists import (
    Contexts,
    DocumentContexts,
    kernels,
)
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles

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
