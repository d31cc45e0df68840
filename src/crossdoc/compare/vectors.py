"""Profiles → Vectors: unit-length TF-IDF rows of their contexts.

Document frequencies come from the whole collection, never from one name's documents: on WePS-1 and John Smith that,
and windows round the name, are the largest cheap gains (docs/results.md). A profile's own name is masked, since every
namesake shares it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from importlib import import_module

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.preprocessing import normalize

from crossdoc.model import Profiles, Vectors

_WORD = re.compile(r"[^\W\d_]{2,}(?:['’][^\W\d_]+)?")


def words(text: str, language: str | None = "en") -> list[str]:
    """Lower-cased words of two letters or more, without the language's stop words and possessive endings.

    >>> words("The chairman's car, a Volvo, stood in Elm Street.")
    ['chairman', 'car', 'volvo', 'stood', 'elm', 'street']
    """
    ignored = stop_words(language)
    found = (word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text.lower()))
    return [word for word in found if word not in ignored and len(word) > 1]


@lru_cache(maxsize=64)
def stop_words(language: str | None) -> frozenset[str]:
    """scikit-learn's English list, or spaCy's of another language that it knows."""
    if language in (None, "en"):
        return frozenset(ENGLISH_STOP_WORDS)
    try:
        return frozenset(import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS)
    except ModuleNotFoundError:
        return frozenset()


class ContextVectoriser:
    """TF-IDF with document frequencies from a whole collection.

    A word of weight (1 + log tf) · log((1 + N) / (1 + df)) + 1, rows scaled to unit length.

    >>> vectoriser = ContextVectoriser().fit([["a car maker in Detroit", "a poet in Paris"]])
    >>> vectoriser.document_count
    2
    """

    def __init__(self) -> None:
        self.document_count = 0
        self.document_frequency: Counter[str] = Counter()

    def fit(self, batches: Iterable[Iterable[str]]) -> ContextVectoriser:
        """Count in how many texts each word occurs; batches are read once."""
        for texts in batches:
            for text in texts:
                self.document_count += 1
                self.document_frequency.update(set(words(text)))
        return self

    def transform(self, profiles: Profiles) -> Vectors:
        vocabulary = sorted(self.document_frequency)
        if not vocabulary or not len(profiles):
            return Vectors(sparse.csr_matrix((len(profiles), 1), dtype=np.float32))
        counter = CountVectorizer(analyzer=partial(list), vocabulary=vocabulary, dtype=np.float32)
        counts = counter.transform(self._masked(profiles)).tocsr()
        frequency = np.array([self.document_frequency[word] for word in vocabulary])
        idf = np.log((1 + self.document_count) / (1 + frequency)) + 1
        counts.data = (1 + np.log(counts.data)) * idf[counts.indices].astype(np.float32)
        return Vectors(normalize(counts, copy=False), np.array(vocabulary, dtype=object))

    @staticmethod
    def _masked(profiles: Profiles) -> Iterator[list[str]]:
        columns = (profiles.column(name).to_pylist() for name in ("name", "context", "language"))
        for name, context, language in zip(*columns, strict=True):
            own = set(words(name, language))
            yield [word for word in words(context or "", language) if word not in own]
