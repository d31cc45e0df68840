import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.compare.name_features import name_vectors, with_names
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles, Vectors

NAMES = ["John Smith", "J. Smith", "John Smith", "", "Иван Смит", "smith"]
CONTEXTS = ["a car maker", "a car in a boat", "", "car", "лодка car", "a squid in a boat"]


def profiles(names, contexts):
    return Profiles.of(
        Profile(str(i), str(i), name, context=context)
        for i, (name, context) in enumerate(zip(names, contexts, strict=True))
    )


def products(vectors):
    return (vectors.matrix @ vectors.matrix.T).toarray()


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(CONTEXTS)), min_size=1, max_size=8),
    st.floats(0, 5),
)
def test_the_dot_product_is_cosine_plus_weight_if_the_names_are_equal(rows, weight):
    names, contexts = zip(*rows, strict=True)
    given_profiles = profiles(names, contexts)
    vectors = ContextVectoriser().fit([CONTEXTS]).transform(given_profiles)
    same = np.array([[a == b != "" for b in names] for a in names])
    np.testing.assert_allclose(
        products(with_names(vectors, given_profiles, weight)), products(vectors) + weight * same, atol=1e-5
    )


def test_common_words_of_names_add_up():
    together = products(name_vectors(profiles(NAMES, CONTEXTS), 0.5, 0.25))
    assert together[0, 2] == pytest.approx(0.5 + 2 * 0.25)
    assert together[0, 1] == pytest.approx(0.25)
    assert together[1, 1] == pytest.approx(0.5 + 0.25)
    assert together[3].tolist() == [0] * 6
    assert together[4, 0] == 0


def test_every_column_has_its_name():
    given_profiles = profiles(NAMES, CONTEXTS)
    vectors = ContextVectoriser().fit([CONTEXTS]).transform(given_profiles)
    both = with_names(vectors, given_profiles)
    assert len(both.features) == both.matrix.shape[1]
    assert set(both.features[both.matrix[4].indices]) == {"car", "лодка", "Иван Смит"}
    assert with_names(Vectors(vectors.matrix), given_profiles).features is None


def test_what_does_not_fit_is_refused():
    given_profiles = profiles(NAMES, CONTEXTS)
    with pytest.raises(ValueError, match="6 profiles"):
        with_names(name_vectors(profiles(NAMES[:2], CONTEXTS[:2])), given_profiles)
    with pytest.raises(ValueError, match="weight"):
        name_vectors(given_profiles, -1)
    assert name_vectors(profiles([], [])).matrix.shape == (0, 0)
