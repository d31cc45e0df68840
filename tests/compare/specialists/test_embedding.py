"""Sentence embeddings: only on request, only where they are installed, each context once."""

import numpy as np
import pytest

from crossdoc.compare.specialists import Embeddings, all_specialists, default_specialists, embedding
from crossdoc.errors import InputError
from crossdoc.model import Profile, Profiles

CAR = "The chairman of General Motors said that cars sold well."
MAKER = "An executive of the Detroit carmaker spoke of vehicle sales."
POET = "The poet read her sonnets in Paris."


def people(*contexts: str, language: str | None = None) -> Profiles:
    return Profiles.of(Profile(str(i), "d", "Ann Li", context=c, language=language) for i, c in enumerate(contexts))


@pytest.fixture(scope="module")
def embeddings() -> Embeddings:
    for library in embedding.LIBRARIES:
        pytest.importorskip(library)
    if not Embeddings.installed():
        pytest.skip("the weights are not installed")
    return Embeddings()


def test_not_without_being_asked_for():
    assert "embedding" not in [specialist.name for specialist in [*default_specialists(), *all_specialists()]]


def test_left_out_where_not_installed(monkeypatch):
    monkeypatch.setattr(embedding, "WEIGHTS", "no-such-distribution")
    assert "embedding" not in [specialist.name for specialist in default_specialists(embed=True)]
    monkeypatch.undo()
    monkeypatch.setattr(embedding, "LIBRARIES", ("no_such_library",))
    assert "embedding" not in [specialist.name for specialist in default_specialists(embed=True)]


def test_made_by_hand_where_not_installed(monkeypatch):
    monkeypatch.setattr(embedding, "WEIGHTS", "no-such-distribution")
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
    monkeypatch.setattr(embedding, "TEXTS_AT_ONCE", 1)
    alone = Embeddings().encode(people(*texts)).vectors
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(together, alone, atol=1e-4)


def test_a_context_is_encoded_once(embeddings, monkeypatch):
    fresh = Embeddings()
    asked = []

    class Spy(embedding._Encoder):
        def __call__(self, texts):
            asked.extend(texts)
            return super().__call__(texts)

    monkeypatch.setattr(embedding, "_Encoder", Spy)
    first = fresh.encode(people(CAR, POET, CAR, ""))
    assert first.code.tolist() == [0, 1, 0, -1]
    second = fresh.encode(people(POET, MAKER))
    assert asked == [CAR, POET, MAKER]
    np.testing.assert_array_equal(first.vectors[1], second.vectors[0])
    monkeypatch.setattr(embedding, "PAIRS_AT_ONCE", 1)
    pairs = np.array([[0, 1], [0, 0]], dtype=np.int32)
    assert fresh.compare(second, pairs)[1] == pytest.approx(1)
