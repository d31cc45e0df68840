import json
import re
from pathlib import Path

import numpy as np
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.compare.association import Cooccurrence
from crossdoc.compare.context_vectors import KINDS, ContextVectors
from crossdoc.compare.contexts import FirstOrder, SecondOrder, reduced
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


def test_each_kind_is_what_it_says():
    given = profiles()
    same(ContextVectors("tfidf").of(given), ContextVectoriser().fit([TEXTS]).transform(given))
    for kind in ("unigrams", "bigrams", "co-occurrences", "target"):
        same(ContextVectors(kind, PAIRS).of(given), FirstOrder(kind, PAIRS).fit(given).transform(given))
    same(ContextVectors("second-order", PAIRS).of(given), SecondOrder(PAIRS).fit(given).transform(given))


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
    plain = FirstOrder("unigrams", PAIRS).fit(given).transform(given)
    same(ContextVectors("unigrams", PAIRS, dimensions=2).of(given), reduced(plain, 2))
    assert "car" not in ContextVectors("unigrams", PAIRS, stop={"car"}).of(given).features
    assert ContextVectors(dimensions=2).of(given).matrix.shape == (4, 2)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (ContextVectors("trigrams"), "trigrams"),
        (ContextVectors("tfidf", Cooccurrence(measure="pmi")), "do not use"),
        (ContextVectors("tfidf", stop={"car"}), "do not use"),
        (ContextVectors(stop={"car"}), "do not use"),
        (ContextVectors("unigrams", Cooccurrence(measure="pmi")), "do not use"),
        (ContextVectors("bigrams", Cooccurrence(least_score=2.0)), "needs a measure"),
        (ContextVectors("tfidf", dimensions=0), "dimensions"),
    ],
)
def test_what_cannot_be_meant(asked, message):
    with pytest.raises(errors.UsageError, match=message):
        asked.of(profiles())


def test_a_word_beside_itself_is_in_its_own_vector_once():
    """A repeated word is its own neighbour: its row of the co-occurrence matrix has its own column, counted once."""
    given = profiles(["squid squid", "squid boat"])
    second = SecondOrder(Cooccurrence(window=2, least_count=1)).fit(given)
    row = {word: number for number, word in enumerate(second.vocabulary)}
    vectors = second.word_vectors.toarray()
    assert vectors[row["squid"], row["squid"]] == 1
    assert vectors[row["squid"], row["boat"]] == vectors[row["boat"], row["squid"]] == 1
    assert vectors[row["boat"], row["boat"]] == 0


def test_the_target_has_no_vector_of_its_own():
    """The name stands in nearly every context: neither its row nor its column may tell contexts apart."""
    given = profiles(["Smith car", "Smith boat", "car boat"])
    second = SecondOrder(Cooccurrence(window=2, least_count=1)).fit(given)
    vectors = second.word_vectors.toarray()
    assert not vectors[0].any()
    assert not vectors[:, 0].any()
    alone = second.transform(profiles(["Smith", "Smith Smith"]))
    assert alone.matrix.nnz == 0
    assert np.count_nonzero(second.transform(given).matrix.toarray().sum(axis=1)) == 3


def test_every_kind_is_listed():
    assert set(KINDS) == {"background", "tfidf", "unigrams", "bigrams", "co-occurrences", "target", "second-order"}
