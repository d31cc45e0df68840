"""SoftTFIDF (Cohen, Ravikumar & Fienberg 2003, section 2.4): TF-IDF cosine in which words that look alike match too.

Huang et al. 2009 use it for the names in co-occurrence and family relations: all names of one relation type make one
bag of words. Departures: both directions are averaged, since the measure is not symmetric, and capped at 1, since two
words of one side may match one word of the other; the inverse document frequency is smoothed, so that a word that
everybody has still counts. Full names as units would not do: Jaro-Winkler calls "smith john" and "smith jane" alike.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import sparse

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, meanings, relation_rows
from crossdoc.compare.specialists.coding import Bags, Letters, codes_of, counted, letters, lists_of
from crossdoc.model import FloatArray, Profile, Profiles
from crossdoc.names import fold
from crossdoc.names.evidence_types import RELATIONS

THRESHOLD = 0.9
"""Jaro-Winkler similarity at which two words match, as in Cohen et al. 2003, section 3.2."""

MOST_SHOWN = 5

_SPLIT = re.compile(r"[\s,;:()\"“”/&-]+")


class EncodedBags(NamedTuple):
    letters: Letters
    bags: Bags


@lru_cache(maxsize=200_000)
def name_words(name: str) -> tuple[str, ...]:
    """
    >>> name_words("Smith-Jones, Åsa")
    ('smith', 'jones', 'asa')
    """
    return tuple(filter(None, map(fold, _SPLIT.split(name))))


def weighted(counts: sparse.csr_matrix) -> Bags:
    """Unit-length rows of log(1 + tf) · (log((1 + N) / (1 + df)) + 1); N counts the bags that are not empty."""
    n = int((np.diff(counts.indptr) > 0).sum())
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log((1 + n) / (1 + frequency)) + 1
    return unit_bags(counts, np.log1p(counts.data) * idf[counts.indices])


def unit_bags(counts: sparse.csr_matrix, weights: FloatArray) -> Bags:
    """Bags with given weights, scaled to unit length."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    norm = np.sqrt(np.bincount(rows, weights=weights**2, minlength=counts.shape[0]))
    scaled = weights / norm[rows]
    return Bags(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), scaled.astype(np.float64))


def soft_tfidf(letters: Letters, bags: Bags, pairs: Pairs, threshold: float = THRESHOLD) -> FloatArray:
    """SoftTFIDF of each pair of bags in both directions (pairs × 2), NaN where a bag is empty.

    `letters` are those of the words that the bags number.

    >>> words = ["anne", "mary", "maryann"]
    >>> bags = weighted(counted([0, 0, 1], [0, 1, 1], 2))
    >>> soft_tfidf(letters(words), bags, np.array([[0, 1]], dtype=np.int32)).round(2).tolist()
    [[0.58, 0.58]]
    """
    return kernels.soft_tfidf(letters, bags, pairs, threshold)


class RelatedNames(Specialist[EncodedBags]):
    """SoftTFIDF of the names at the other ends of some types of relations; awake if both profiles have such relations.

    >>> from crossdoc.model import Relation
    >>> def with_others(id: str, *names: str) -> Profile:
    ...     return Profile(id, "d", "Ann", "person", relations=tuple(Relation("list", name) for name in names))
    >>> people = Profiles.of([with_others("1", "Jon Tchernov", "Bo Li"), with_others("2", "John Tchernow")])
    >>> RelatedNames("list_names", "list").score(people, people, [(0, 1)]).astype(float).round(2).tolist()
    [0.67]
    """

    def __init__(self, name: str, *types: str, threshold: float = THRESHOLD) -> None:
        self.name = name
        self.reads_relations = meanings(RELATIONS, *types)
        self.threshold = threshold

    def encode(self, profiles: Profiles) -> EncodedBags:
        rows, names, _ = relation_rows(profiles, *self.reads_relations)
        coded = names.dictionary_encode()
        bags = [name_words(name) for name in coded.dictionary.to_pylist()]
        code = codes_of(word for words in bags for word in words)
        numbered = lists_of([[code[word] for word in words] for words in bags])
        # A name that a profile is related to twice over still counts once.
        width = max(1, len(bags))
        owner, name = np.divmod(np.unique(rows * width + coded.indices.to_numpy()), width)
        size = numbered.start[name + 1] - numbered.start[name]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        words = numbered.values[np.repeat(numbered.start[name], size) + within]
        counts = counted(np.repeat(owner, size), words, len(profiles))
        return EncodedBags(letters(list(code)), weighted(counts))

    def compare(self, encoded: EncodedBags, pairs: Pairs) -> Scores:
        both = soft_tfidf(encoded.letters, encoded.bags, pairs, self.threshold)
        return np.minimum(both.mean(axis=1), 1.0).astype(np.float32)

    def evidence(self, left: Profile, right: Profile) -> str:
        mine, theirs = (
            {
                name_words(relation.name): relation.name
                for relation in profile.relations
                if relation.type.split(":")[0] in self.reads_relations
            }
            for profile in (left, right)
        )
        common = [mine[key] for key in mine if key in theirs]
        return f"both with {', '.join(common[:MOST_SHOWN])}" if common else ""
