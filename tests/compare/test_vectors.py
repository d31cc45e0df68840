import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from crossdoc.compare.vectors import ContextVectoriser, stop_words, words
from crossdoc.model import Profile, Profiles

TEXTS = ["The chairman of the car maker spoke", "a squid biologist in a boat", "chairman and car and car and boat"]


def profiles(contexts, names=None, language="en"):
    names = names or [""] * len(contexts)
    return Profiles.of(
        Profile(str(i), str(i), name, context=context, language=language)
        for i, (context, name) in enumerate(zip(contexts, names, strict=True))
    )


def test_equals_scikit_learns_tfidf():
    ours = ContextVectoriser().fit([TEXTS]).transform(profiles(TEXTS))
    peer = TfidfVectorizer(analyzer=words, sublinear_tf=True).fit_transform(TEXTS)
    np.testing.assert_allclose((ours.matrix @ ours.matrix.T).toarray(), (peer @ peer.T).toarray(), atol=1e-6)


def test_rows_have_unit_length_and_an_empty_context_is_zero():
    matrix = ContextVectoriser().fit([TEXTS]).transform(profiles([*TEXTS, ""])).matrix
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1)).A1
    np.testing.assert_allclose(lengths, [1, 1, 1, 0], atol=1e-6)


def test_a_profiles_own_name_is_masked():
    vectors = ContextVectoriser().fit([TEXTS]).transform(profiles(["car chairman"], ["Mr. Car"]))
    used = set(vectors.features[vectors.matrix.indices])
    assert used == {"chairman"}


def test_stop_words_follow_the_language():
    assert words("le président des Français", "fr") == ["président", "français"]
    assert stop_words("xx") == frozenset()
    assert words("Слово и дело", "ru") == ["слово", "дело"]


def test_nothing_to_compare():
    assert ContextVectoriser().fit([]).transform(profiles(["a b"])).matrix.nnz == 0
    assert len(ContextVectoriser().fit([TEXTS]).transform(profiles([]))) == 0
