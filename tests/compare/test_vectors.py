"""Words that are usual in a language: counted along under one name, and only there."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from crossdoc.compare import vectors as module
from crossdoc.compare.memory_collection import DocumentTexts, compare
from crossdoc.compare.vectors import TEXTS as TEXTS_USUAL_WORDS
from crossdoc.compare.vectors import (
    TEXTS_FROM_ELSEWHERE,
    ContextVectoriser,
    main_language,
    raw_words,
    stop_words,
    words,
)
from crossdoc.model import Document, Documents, Profile, Profiles
from crossdoc.names.words import usual_words

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
    assert stop_words(None) == stop_words("en")


def test_a_word_that_is_a_stop_word_in_another_language_alone_counts():
    """ "bill" and "fire" are on the English list."""
    table = Profiles.of(Profile(code, "d", "Ann", context="bill fire", language=code) for code in ("fr", "en"))
    vectors = ContextVectoriser().fit([["bill fire", "fire"]]).transform(table)
    assert vectors.matrix.getnnz(axis=1).tolist() == [2, 0]


def test_nothing_to_compare():
    assert ContextVectoriser().fit([]).transform(profiles(["a b"])).matrix.nnz == 0
    assert len(ContextVectoriser().fit([TEXTS]).transform(profiles([]))) == 0


ODD_TEXT = st.text(alphabet="abs'’ éß½²٣_-1\nДзİ東京", max_size=30)


def plain_words(text, language="en"):
    """What a word is, by the expression alone."""
    found = re.findall(r"(?<![^\W_])[^\W\d_]+\d[^\W_]*|[^\W\d_]{2,}(?:['’][^\W\d_]+)?", text.lower())
    return [w for w in (re.sub("['’]s$", "", word) for word in found) if w not in stop_words(language)]


@given(st.one_of(ODD_TEXT, st.text(alphabet="abs' _1-.,", max_size=30)))
def test_words_equal_the_expression(text):
    assert words(text, "xx") == plain_words(text, "xx")


@pytest.mark.parametrize("at_once", [1, 2_000, 2**22])
def test_texts_are_counted_as_one_by_one(monkeypatch, at_once):
    monkeypatch.setattr(module, "BYTES_AT_ONCE", at_once)
    rng = random.Random(1)
    texts = ["".join(rng.choice("aAzZ09_ '.-é’ß1b") for _ in range(rng.randrange(25))) for _ in range(3_000)]
    texts += [None, "", "3d4f x9", "90s F16's 7", "A_b"]
    chunks = pa.chunked_array([pa.array(texts[:50]), pa.array(texts).slice(50)])
    expected = Counter(word for text in texts for word in set(raw_words(text or "")))
    fitted = ContextVectoriser().fit([chunks])
    assert (fitted.document_count, fitted.document_frequency) == (len(texts), expected)


def test_raw_words_keep_stop_words():
    assert raw_words("The rock'n'roll band's it's-me o'clock") == ["the", "rock'n", "roll", "band", "it", "me", "clock"]


@given(st.lists(st.tuples(ODD_TEXT, ODD_TEXT, st.sampled_from(["en", "fr", None])), min_size=1, max_size=5))
def test_counts_equal_scikit_learns(rows):
    contexts, names, languages = zip(*rows, strict=True)
    given_profiles = Profiles.of(
        Profile(str(i), str(i), name, context=context, language=language)
        for i, (context, name, language) in enumerate(rows)
    )
    vectoriser = ContextVectoriser().fit([contexts])
    matrix = vectoriser.transform(given_profiles).matrix
    bags = [
        [word for word in plain_words(context, language) if word not in plain_words(name, language)]
        for context, name, language in zip(contexts, names, languages, strict=True)
    ]
    vocabulary = sorted({word for context in contexts for word in plain_words(context)})
    assert sorted(vectoriser.document_frequency) == vocabulary
    if not vocabulary:
        assert matrix.nnz == 0
        return
    peer = CountVectorizer(analyzer=list, vocabulary=vocabulary).transform(bags).toarray()
    frequency = np.array([vectoriser.document_frequency[word] for word in vocabulary])
    weights = np.where(peer, 1 + np.log(np.maximum(peer, 1)), 0) * (np.log((1 + len(rows)) / (1 + frequency)) + 1)
    lengths = np.linalg.norm(weights, axis=1, keepdims=True)
    np.testing.assert_allclose(matrix.toarray(), weights / np.where(lengths, lengths, 1), atol=1e-6)
    assert matrix.has_canonical_format


@given(st.permutations([*TEXTS, "", "東京 大学", "Москва"]))
def test_the_order_of_documents_is_nothing(texts):
    fixed = sorted(texts)
    one = ContextVectoriser().fit([texts[:2], texts[2:]]).transform(profiles(fixed)).matrix
    other = ContextVectoriser().fit([fixed]).transform(profiles(fixed)).matrix
    assert abs(one - other).max() == 0


def test_batches_are_read_as_they_come():
    seen = []

    def batches():
        for text in TEXTS:
            yield (seen.append(text) or text for _ in range(1))

    assert ContextVectoriser().fit(batches()).document_frequency["boat"] == 2
    assert seen == TEXTS


def test_own_words_that_the_context_lacks_remove_nothing():
    vectors = ContextVectoriser().fit([TEXTS]).transform(profiles(["boat", "car"], ["Squid Chairman", "Boat Maker"]))
    assert vectors.features[vectors.matrix.indices].tolist() == ["boat", "car"]
    assert ContextVectoriser().fit([TEXTS]).transform(profiles(["car", ""], ["Car", "Boat"])).matrix.nnz == 0


def test_whole_documents_have_the_words_of_contexts_as_columns():
    vectoriser = ContextVectoriser().fit([["red car", "blue boat"]])
    profiles = Profiles.of([Profile("1", "a", "Red", context="boat"), Profile("2", "b", "Ann", context="car")])
    whole = vectoriser.transform_documents(profiles, lambda ids: {"a": "red car", "b": "blue boat"})
    assert whole.features.tolist() == vectoriser.transform(profiles).features.tolist() == ["blue", "boat", "car", "red"]
    # The profile's own name is left out.
    assert [whole.features[row.indices].tolist() for row in whole.matrix] == [["car"], ["blue", "boat"]]


def test_a_document_is_counted_once_for_all_its_profiles(monkeypatch):
    rows = [
        Profile(str(n), "d", name, context="", language=language)
        for n, (name, language) in enumerate([("Red Car", "en"), ("Blue", "en"), ("Boat", "en"), ("Red", "fr")])
    ]
    text = {"d": "the red car and the blue boat, les autos"}
    vectoriser = ContextVectoriser().fit([[text["d"], "a green boat", "la mer"]])
    alone = [vectoriser.transform(Profiles.of([replace(row, context=text["d"])])).matrix.toarray()[0] for row in rows]
    counted, count = [], ContextVectoriser._count
    monkeypatch.setattr(ContextVectoriser, "_count", lambda own, rows: counted.append(len(rows)) or count(own, rows))
    found = vectoriser.transform_documents(Profiles.of(rows), lambda ids: text).matrix.toarray()
    # Once as English and once as French, whose stop words are others.
    assert counted == [2]
    assert (found == np.array(alone)).all()


def test_words_that_are_counted_later_have_columns_and_weights():
    rows = Profiles.of([Profile("a", "d", "X", context="poem engine", language="en")])
    vectoriser = ContextVectoriser().fit([["poem verse"]])
    assert vectoriser.transform(rows).matrix.nnz == 1
    later = vectoriser.fit([["engine race", "engine lap"]]).transform(rows)
    anew = ContextVectoriser().fit([["poem verse", "engine race", "engine lap"]]).transform(rows)
    assert later.matrix.toarray() == pytest.approx(anew.matrix.toarray())
    assert later.matrix.nnz == 2


SAID = "the engineer praised the university"


def profiles_usual_words(*languages: str | None) -> Profiles:
    each = enumerate(languages)
    return Profiles.of(Profile(str(i), str(i), "Ann Li", "person", SAID, language=own) for i, own in each)


def documents(n: int) -> DocumentTexts:
    return DocumentTexts(Documents.of(Document(str(i), SAID) for i in range(n)))


def test_the_table_counts_texts():
    table = usual_words("en")
    assert max(table.values()) <= TEXTS_USUAL_WORDS
    assert table["the"] > table["university"] > table["engineer"] >= 3
    assert usual_words("fi") == {}


def test_the_language_of_most_profiles():
    assert main_language(profiles_usual_words("fr", "fr", "en")) == "fr"
    assert main_language(profiles_usual_words("fr", None, "en")) == "en"
    assert main_language(profiles_usual_words()) == "en"


def test_they_are_counted_under_one_name_alone():
    """A word of every document tells again what it is worth elsewhere; in an open collection its own counts hold."""
    asked_for, other = profiles_usual_words("en", "en"), Profile("2", "1", "Bo Orr", "person", "")
    own, asked = (
        compare(profiles, documents(2), one_name=one).vectoriser(None)
        for profiles, one in ((Profiles.of([*profiles_usual_words("en", "en"), other]), False), (asked_for, True))
    )
    assert own.document_frequency == asked.document_frequency
    table = usual_words("en")
    seen, told = (each.transform(profiles_usual_words("en")) for each in (own, asked))
    assert np.ptp(seen.matrix.data) == pytest.approx(0, abs=1e-6)
    words = told.features[told.matrix.indices].tolist()
    share = [
        (2 + TEXTS_FROM_ELSEWHERE + 1) / (1 + 2 + TEXTS_FROM_ELSEWHERE * table[word] / TEXTS_USUAL_WORDS)
        for word in words
    ]
    weight = np.log(share) + 1
    assert words == ["engineer", "praised", "university"]
    assert told.matrix.data == pytest.approx(weight / np.linalg.norm(weight), abs=1e-5)
