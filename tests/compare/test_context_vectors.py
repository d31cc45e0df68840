import itertools
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

import crossdoc
from crossdoc import errors
from crossdoc.compare.context_vectors import (
    KINDS,
    NOTHING,
    TARGET,
    CodedContexts,
    ContextVectors,
    Cooccurrence,
    association,
    marked_words,
    reduced,
    word_vectors,
)
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles

SAMPLE = Path(crossdoc.__file__).parent / "sample" / "documents.jsonl"
TEXTS = [
    "Smith drove a car engine car",
    "a truck engine and a car engine",
    "squid boat squid",
    "boat of the squid Smith",
]
PAIRS = Cooccurrence(window=3, least_count=1)


def profiles(texts=TEXTS):
    return Profiles.of(Profile(str(i), str(i), "Smith", context=text, language="en") for i, text in enumerate(texts))


def same(a, b):
    assert abs(a.matrix - b.matrix).max() < 1e-6


def test_tfidf_is_that_of_the_contexts_themselves():
    given = profiles()
    same(ContextVectors("tfidf").of(given), ContextVectoriser().fit([TEXTS]).transform(given))


def test_the_background_says_how_rare_a_word_is():
    """By hand: 1 + ln tf times ln((1 + documents) / (1 + those with the word)) + 1, of the sample corpus."""
    texts = ["told of the treasury, treasury secretary", "told of a squid in the treasury"]
    given = profiles(texts)
    sample = [json.loads(line)["text"].lower() for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    found = ContextVectors().of(given)
    weight = {}
    for word in ("told", "treasury", "secretary", "squid"):
        held = sum(word in re.findall(r"[a-z]+", text) for text in sample)
        weight[word] = np.log((1 + len(sample)) / (1 + held)) + 1
    assert weight["told"] < weight["squid"], "the one is in the sample, the other is not"
    row = {"told": weight["told"], "treasury": (1 + np.log(2)) * weight["treasury"], "secretary": weight["secretary"]}
    length = np.sqrt(sum(value**2 for value in row.values()))
    told = dict(zip(found.features, found.matrix.toarray()[0], strict=True))
    assert told == pytest.approx({**dict.fromkeys(found.features, 0.0), **{w: v / length for w, v in row.items()}})


def test_texts_of_which_the_background_knows_nothing_are_weighted_among_themselves():
    texts = ["der Kanzler sprach gestern", "der Kanzler reiste", "ein Tintenfisch schwamm"]
    same(ContextVectors().of(profiles(texts)), ContextVectors("tfidf").of(profiles(texts)))


def test_reduced_and_with_a_stop_list():
    given = profiles()
    assert ContextVectors("second-order", PAIRS, dimensions=2).of(given).matrix.shape == (4, 2)
    plain = ContextVectors("unigrams", PAIRS).of(given)
    same(ContextVectors("unigrams", PAIRS, dimensions=2).of(given), reduced(plain, 2))
    assert "car" not in ContextVectors("unigrams", PAIRS, stop={"car"}).of(given).features
    assert ContextVectors(dimensions=2).of(given).matrix.shape == (4, 2)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (ContextVectors("trigrams"), "trigrams"),
        (ContextVectors("tfidf", Cooccurrence(measure="pmi")), "cannot be used with"),
        (ContextVectors("tfidf", stop={"car"}), "cannot be used with"),
        (ContextVectors(stop={"car"}), "cannot be used with"),
        (ContextVectors("unigrams", Cooccurrence(measure="pmi")), "cannot be used with"),
        (ContextVectors("bigrams", Cooccurrence(least_score=2.0)), "needs a measure"),
        (ContextVectors("tfidf", dimensions=0), "dimensions"),
        (ContextVectors("second-order", PAIRS, dimensions=0), "dimensions"),
        (ContextVectors("second-order", Cooccurrence(window=1)), "spans 2"),
        (ContextVectors("second-order", Cooccurrence(least_score=3.8)), "needs a measure"),
        (ContextVectors("second-order", Cooccurrence(measure="dice")), "dice"),
    ],
)
def test_what_cannot_be_meant(asked, message):
    with pytest.raises(errors.UsageError, match=message):
        asked.of(profiles())


def test_a_word_beside_itself_is_in_its_own_vector_once():
    """A repeated word is its own neighbour: its row of the co-occurrence matrix has its own column, counted once."""
    given = profiles(["squid squid", "squid boat"])
    contexts = CodedContexts.of(given)
    row = {word: number for number, word in enumerate(contexts.vocabulary)}
    vectors = word_vectors(contexts, Cooccurrence(window=2, least_count=1)).toarray()
    assert vectors[row["squid"], row["squid"]] == 1
    assert vectors[row["squid"], row["boat"]] == vectors[row["boat"], row["squid"]] == 1
    assert vectors[row["boat"], row["boat"]] == 0


def test_the_target_has_no_vector_of_its_own():
    """The name stands in nearly every context: neither its row nor its column may tell contexts apart."""
    given = profiles(["Smith car", "Smith boat", "car boat", "Smith", "Smith Smith"])
    options = Cooccurrence(window=2, least_count=1)
    vectors = word_vectors(CodedContexts.of(given), options).toarray()
    assert not vectors[0].any()
    assert not vectors[:, 0].any()
    rows = ContextVectors("second-order", options).of(given).matrix.toarray()
    assert rows.any(axis=1).tolist() == [True, True, True, False, False]


def test_every_kind_is_listed():
    assert set(KINDS) == {"background", "tfidf", "unigrams", "bigrams", "co-occurrences", "target", "second-order"}


TEXTS_CONTEXTS = [
    "The car engine of John Smith, a car maker, broke",
    "a truck engine and a car engine broke; Smith wept",
    "squid boat: the squid of biologist Smith, John",
    "squid biologist in a boat near a squid squid",
    "",
    "Smith",
    "лодка и кальмар, лодка и кальмар",
]
EVERY_KIND = ("unigrams", "bigrams", "co-occurrences", "target")
MEASURES = ("log-likelihood", "pmi", "chi-squared")
contexts = st.lists(st.lists(st.sampled_from("aa bb cc dd the Smith 東京".split()), max_size=8), max_size=6)


def profiles_contexts(texts, name="John Smith"):
    return Profiles.of(Profile(f"{i}", f"{i}", name, context=text, language="en") for i, text in enumerate(texts))


def pairs_of(marked, window):
    """Ordered pairs of the words of one context, by two loops."""
    for (i, left), (j, right) in itertools.combinations(enumerate(marked), 2):
        if j - i < window and NOTHING not in (left, right):
            yield left, right


def table(pairs, left, right):
    counts = np.zeros((2, 2))
    for a, b in pairs:
        counts[int(a != left), int(b != right)] += 1
    return counts


def by_definition(counts, measure):
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    cells = [(n, m) for n, m in zip(counts.ravel(), expected.ravel(), strict=True) if m]
    if measure == "log-likelihood":
        return 2 * sum(n * math.log(n / m) for n, m in cells if n)
    if measure == "chi-squared":
        return sum((n - m) ** 2 / m for n, m in cells)
    return math.log2(counts[0, 0] / expected[0, 0])


@pytest.mark.parametrize("measure", MEASURES)
@given(counts=st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(lambda counts: counts[0] > 0))
def test_measures_follow_their_definitions(measure, counts):
    n = np.array(counts, dtype=float).reshape(2, 2)
    ours = association([n[0, 0]], [n[0].sum()], [n[:, 0].sum()], n.sum(), measure)
    assert ours[0] == pytest.approx(by_definition(n, measure), abs=1e-9)


@given(st.lists(st.integers(1, 1000), min_size=4, max_size=4))
def test_measures_equal_scipys(counts):
    n = np.array(counts).reshape(2, 2)
    told = (n[0, 0], n[0].sum(), n[:, 0].sum(), n.sum())
    likelihood = chi2_contingency(n, correction=False, lambda_="log-likelihood").statistic
    assert association(*told, "log-likelihood") == pytest.approx(likelihood, abs=1e-8)
    assert association(*told, "chi-squared") == pytest.approx(chi2_contingency(n, correction=False).statistic, abs=1e-8)


def test_words_that_never_meet():
    assert association([0], [5], [5], 10, "pmi").tolist() == [-math.inf]
    assert association([0], [5], [5], 10, "log-likelihood")[0] > 0


def test_the_name_is_one_word_and_stop_words_keep_their_place():
    found = list(marked_words(profiles_contexts(TEXTS_CONTEXTS[:1])))
    assert found == [[NOTHING, "car", "engine", NOTHING, TARGET, "car", "maker", "broke"]]
    assert list(marked_words(profiles_contexts(["the car"]), stop={"car"})) == [["the", NOTHING]]


@pytest.mark.parametrize("measure", [None, *MEASURES])
@pytest.mark.parametrize("window", [2, 3, 5])
def test_bigrams_are_those_of_plain_counting(window, measure):
    least = 0.0 if measure is None else 1.5
    marked = list(marked_words(profiles_contexts(TEXTS_CONTEXTS)))
    each = [Counter(pairs_of(words, window)) for words in marked]
    everything = list(Counter.elements(sum(each, Counter())))
    wanted = set()
    for left, right in set(everything):
        counts = table(everything, left, right)
        attracted = counts[0, 0] * counts.sum() > counts[0].sum() * counts[:, 0].sum()
        good = measure is None or (attracted and by_definition(counts, measure) >= least)
        if good and counts[0, 0] >= 2 and TARGET not in (left, right):
            wanted.add((left, right))
    assert wanted
    options = Cooccurrence(window, measure, least_count=2, least_score=least)
    vectors = ContextVectors("bigrams", options).of(profiles_contexts(TEXTS_CONTEXTS))
    assert set(vectors.features) == {" ".join(pair) for pair in wanted}
    for row, found in enumerate(each):
        values = np.array([found[tuple(name.split())] for name in vectors.features], dtype=float)
        expected = values / (np.linalg.norm(values) or 1)
        np.testing.assert_allclose(vectors.matrix[row].toarray().ravel(), expected, atol=1e-6)


def test_cooccurrences_have_no_order():
    texts = ["boat squid", "squid boat", "squid squid"]
    vectors = ContextVectors("co-occurrences", Cooccurrence(window=2)).of(profiles_contexts(texts))
    assert vectors.features.tolist() == ["boat squid"]
    ordered = ContextVectors("bigrams", Cooccurrence(window=2)).of(profiles_contexts(texts))
    assert ordered.matrix.nnz == 0


def test_target_features_are_the_words_near_the_name():
    options = Cooccurrence(window=3, least_count=1)
    vectors = ContextVectors("target", options).of(profiles_contexts(TEXTS_CONTEXTS))
    assert vectors.features.tolist() == ["biologist", "broke", "car", "engine", "maker", "wept"]
    near = set(vectors.features[vectors.matrix[0].indices])
    assert near == {"engine", "car", "maker"}


def test_unigrams_are_counted():
    vectors = ContextVectors("unigrams").of(profiles_contexts([*TEXTS_CONTEXTS, "squid squid boat zeppelin"]))
    assert not {"maker", "zeppelin"} & set(vectors.features)
    assert sorted(vectors.matrix[-1].data) == pytest.approx([1 / math.sqrt(5), 2 / math.sqrt(5)])


@pytest.mark.parametrize("measure", [None, "log-likelihood", "pmi"])
def test_second_order_is_the_mean_of_the_words_vectors(measure):
    marked = list(marked_words(profiles_contexts(TEXTS_CONTEXTS)))
    pairs = [pair for words in marked for pair in pairs_of(words, 3)]
    pairs += [(right, left) for left, right in pairs if left != right]
    vocabulary = sorted({word for words in marked for word in words} - {NOTHING, TARGET})
    rows = {word: np.zeros(len(vocabulary)) for word in vocabulary}
    for left, right in set(pairs):
        counts = table(pairs, left, right)
        attracted = counts[0, 0] * counts.sum() > counts[0].sum() * counts[:, 0].sum()
        if TARGET not in (left, right) and (measure is None or attracted):
            value = counts[0, 0] if measure is None else by_definition(counts, measure)
            rows[left][vocabulary.index(right)] = value
    vectors = ContextVectors("second-order", Cooccurrence(3, measure, 1)).of(profiles_contexts(TEXTS_CONTEXTS))
    assert vectors.features[1:].tolist() == vocabulary
    for row, words in enumerate(marked):
        known = [rows[word] for word in words if word in rows]
        mean = np.mean(known, axis=0) if known else np.zeros(len(vocabulary))
        expected = mean / (np.linalg.norm(mean) or 1)
        np.testing.assert_allclose(vectors.matrix[row].toarray().ravel()[1:], expected, atol=1e-6)
    assert vectors.matrix.nnz


def all_vectorisers():
    for kind in EVERY_KIND:
        yield ContextVectors(kind, Cooccurrence(least_count=1))
    yield ContextVectors("second-order", Cooccurrence(least_count=1))
    yield ContextVectors("second-order", Cooccurrence(measure="pmi", least_count=1), dimensions=3)


def lengths(vectors):
    return np.sqrt(np.asarray(vectors.matrix.multiply(vectors.matrix).sum(axis=1)).ravel())


@settings(max_examples=40, deadline=None)
@given(contexts, st.randoms(use_true_random=False))
def test_unit_length_and_the_order_of_documents_is_nothing(bags, random):
    texts = [" ".join(bag) for bag in bags]
    order = list(range(len(texts)))
    random.shuffle(order)
    for vectoriser in all_vectorisers():
        straight = vectoriser.of(profiles_contexts(texts))
        assert all(math.isclose(length, 1, abs_tol=1e-5) or length == 0 for length in lengths(straight))
        shuffled = [texts[i] for i in order]
        other = vectoriser.of(profiles_contexts(shuffled))
        np.testing.assert_allclose(straight.cosine()[np.ix_(order, order)], other.cosine(), atol=1e-4)


def test_reducing_to_full_rank_keeps_all_cosines_and_the_seed_decides():
    vectors = ContextVectors("unigrams", Cooccurrence(least_count=1)).of(profiles_contexts(TEXTS_CONTEXTS))
    np.testing.assert_allclose(reduced(vectors, 100).cosine(), vectors.cosine(), atol=1e-5)
    few = reduced(vectors, 2, seed=1)
    assert few.matrix.shape == (len(TEXTS_CONTEXTS), 2)
    assert (few.matrix != reduced(vectors, 2, seed=1).matrix).nnz == 0
    left, values, _ = np.linalg.svd(vectors.matrix.toarray())
    exact = left[:, :2] * values[:2]
    size = np.linalg.norm(exact, axis=1)
    size[size < 1e-6] = np.inf
    np.testing.assert_allclose(
        (few.matrix @ few.matrix.T).toarray(), (exact / size[:, None]) @ (exact / size[:, None]).T, atol=1e-4
    )
    assert lengths(few)[4] == 0


def test_second_order_reduced_to_full_rank_is_second_order():
    options = Cooccurrence(least_count=1)
    whole = ContextVectors("second-order", options).of(profiles_contexts(TEXTS_CONTEXTS))
    same = ContextVectors("second-order", options, dimensions=100).of(profiles_contexts(TEXTS_CONTEXTS))
    np.testing.assert_allclose(whole.cosine(), same.cosine(), atol=1e-5)


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["Smith"], ["car"], ["東京"]])
def test_next_to_nothing(texts):
    for vectoriser in all_vectorisers():
        vectors = vectoriser.of(profiles_contexts(texts))
        assert len(vectors) == len(texts)
        assert len(reduced(vectors, 2)) == len(texts)
