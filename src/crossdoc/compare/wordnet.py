"""Jiang-Conrath similarity of English nouns over WordNet 3.0 (Jiang, Conrath 1997; in Huang et al. 2009, section 2.3).

Information content comes from WordNet's own sense tags, add-one smoothed, since only 13,739 of 82,115 synsets have any.
Beyond the paper, senses of two kinds (a person, a plant) have similarity 0: by distance alone a banana (a living thing,
and tagged) is nearer to a president than a commander in chief is (a leaf, and never tagged).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Numbers of lexicographers' files (lexnames(5WN)).
TOPS, GROUP, LOCATION, PERSON = 3, 14, 15, 18

MOST_SENSES = 8
RARE = 0.1
"""Share of the tags of a word's commonest sense. Rarer senses are left out ("head": of a letter, of foam)."""
LONGEST_LEMMA = 80
# WordNet's own rules of detachment for nouns (morphy).
ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)


class Graph(NamedTuple):
    """Arrays for the kernels: each synset's ancestors by rank, and the information content by synset and by rank."""

    starts: Longs
    ancestors: Ints
    information: Floats
    information_by_rank: Floats
    kinds: Ints


class WordNet:
    """The noun synsets, numbered from 0, with their hypernyms, lemmas, kinds and information content."""

    def __init__(self, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        lemmas = arrays["lemmas"].tobytes().decode("ascii").split("\n")
        self._index = {lemma: number for number, lemma in enumerate(lemmas)}
        self._exceptions = dict(line.split(" ") for line in arrays["exceptions"].tobytes().decode("ascii").split("\n"))
        self._sense_starts = _starts(arrays["sense_counts"])
        self._senses = arrays["senses"].astype(np.int32)
        self._tagged = arrays["tagged"].astype(np.int64)
        self.kinds = arrays["files"].astype(np.int32)
        """The lexicographer's file of each synset: one for each of the 25 hierarchies of Miller 1990, one for tops."""
        self.hypernym_starts = _starts(arrays["hypernym_counts"])
        children = np.repeat(np.arange(self.n_synsets), np.diff(self.hypernym_starts))
        self.hypernyms = (children + arrays["hypernym_steps"].astype(np.int64)).astype(np.int32)
        self.tags = np.bincount(self._senses, weights=self._tagged, minlength=self.n_synsets)
        own = self.tags + 1.0
        above = self._closure()
        # A descendant counts once, however many paths lead to it.
        self.information = np.maximum(np.log(own.sum()) - np.log(above.T @ own), 0.0)
        self.greatest = float(np.log(own.sum()))
        """Largest information content: that of a synset without tags and without descendants."""
        # Ancestors are kept by rank, most informative first: the first that two synsets share is their lowest.
        order = np.lexsort((np.arange(self.n_synsets), -self.information))
        rank = np.empty(self.n_synsets, dtype=np.int32)
        rank[order] = np.arange(self.n_synsets)
        ranked = sparse.csr_matrix((above.data, rank[above.indices], above.indptr), shape=above.shape)
        ranked.sort_indices()
        self.graph = Graph(
            ranked.indptr.astype(np.int64), ranked.indices, self.information, self.information[order], self.kinds
        )

    def _closure(self) -> sparse.csr_matrix:
        """Return each synset and all its hypernyms, row by row."""
        n = self.n_synsets
        links = np.ones(len(self.hypernyms), dtype=np.float64)
        above = sparse.csr_matrix((links, self.hypernyms, self.hypernym_starts), shape=(n, n)) + sparse.identity(n)
        while True:
            further = (above @ above).tocsr()
            further.data[:] = 1.0
            if further.nnz == above.nnz:
                return further
            above = further

    @property
    def n_synsets(self) -> int:
        return len(self.hypernym_starts) - 1

    def lemma(self, phrase: str) -> str | None:
        """WordNet's lemma for a word or phrase in the singular or plural, None if it has none.

        >>> wordnet().lemma("Commanders in Chief"), wordnet().lemma("clergymen"), wordnet().lemma("qwerty")
        ('commander_in_chief', 'clergyman', None)
        """
        if len(phrase) > LONGEST_LEMMA:
            return None
        # Only accents go: transliterated, a word of another script would turn into some English one.
        plain = "".join(c for c in unicodedata.normalize("NFKD", phrase.casefold()) if not unicodedata.combining(c))
        words = plain.replace("_", " ").replace("’", "'").split()
        if not words or not plain.isascii() or len("".join(words)) < 2:
            return None
        return next((form for form in self._forms(words) if form in self._index), None)

    def _forms(self, words: list[str]) -> Iterator[str]:
        yield "_".join(words)
        for place in {len(words) - 1: None, 0: None}:
            for singular in self._singulars(words[place]):
                yield "_".join([*words[:place], singular, *words[place + 1 :]])
        if any("-" in word for word in words):
            yield from self._forms("_".join(words).replace("-", "_").split("_"))
            yield "_".join(words).replace("-", "")

    def _singulars(self, word: str) -> Iterator[str]:
        if word in self._exceptions:
            yield self._exceptions[word]
        if not word.endswith("ss"):
            yield from (word.removesuffix(end) + new for end, new in ENDINGS if word.endswith(end) and len(word) > 3)

    def senses(self, phrase: str, kind: int | None = None) -> Ints:
        """The synsets of a word, commonest first: at most eight, without rare ones, and empty for an unknown word.

        With `kind`, only those of that kind, if there are any: a "pitcher" who is a person is no jug.
        """
        lemma = self.lemma(phrase)
        if lemma is None:
            return np.empty(0, dtype=np.int32)
        part = slice(*self._sense_starts[self._index[lemma] :][:2])
        synsets, tagged = self._senses[part], self._tagged[part] + 1
        of_kind = self.kinds[synsets] == kind
        if of_kind.any():
            synsets, tagged = synsets[of_kind], tagged[of_kind]
        return synsets[tagged >= RARE * tagged.max()][:MOST_SENSES]

    def distances(self, left: npt.ArrayLike, right: npt.ArrayLike) -> Floats:
        """Jiang-Conrath distances IC(a) + IC(b) − 2·IC(lcs) of pairs of synsets, in nats."""
        return _distances(np.asarray(left, dtype=np.int32), np.asarray(right, dtype=np.int32), self.graph)

    def similarities(self, left: npt.ArrayLike, right: npt.ArrayLike) -> Floats:
        """1 − distance / (2·greatest IC) of pairs of synsets, 0 if they are of two kinds.

        The scaling is that of Seco, Veale, Hayes 2004: 1 for one synset, where the usual 1/distance has no value, and 0
        for the farthest that two can be. A top of a hierarchy ("person", "group") is of any kind.
        """
        a, b = self.kinds[np.asarray(left)], self.kinds[np.asarray(right)]
        comparable = (a == b) | (a == TOPS) | (b == TOPS)
        near = np.maximum(1.0 - self.distances(left, right) / (2.0 * self.greatest), 0.0)
        return np.where(comparable, near, 0.0)

    def similarity(self, a: str, b: str, kind: int | None = None) -> float:
        """The similarity of the two nearest senses of two words, NaN if WordNet lacks a word.

        >>> round(wordnet().similarity("senator", "legislator"), 2), wordnet().similarity("boss", "xyzzy")
        (0.95, nan)
        """
        x, y = self.senses(a, kind), self.senses(b, kind)
        if not len(x) or not len(y):
            return float("nan")
        return float(self.similarities(np.repeat(x, len(y)), np.tile(y, len(x))).max())


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    """The WordNet that comes with crossdoc, read at the first call."""
    with (
        (files("crossdoc.compare") / "data" / "wordnet.npz").open("rb") as handle,
        np.load(handle, allow_pickle=False) as stored,
    ):
        return WordNet({key: stored[key] for key in stored.files})


class Vocabulary:
    """Some words' senses in one array, for kernels; a word's number is its place in `words` (phrase, kind)."""

    def __init__(self, words: Sequence[tuple[str, int | None]], net: WordNet) -> None:
        rows = [net.senses(word, kind) for word, kind in words]
        self.starts = _starts(np.array([len(row) for row in rows], dtype=np.int64))
        self.senses = np.concatenate([*rows, np.empty(0, dtype=np.int32)])


def _starts(counts: npt.NDArray[np.generic]) -> Longs:
    return np.concatenate([[0], np.cumsum(counts.astype(np.int64))])


@njit(cache=True, nogil=True)
def _distance(a, b, graph):  # type: ignore[no-untyped-def]
    # Each look at a tuple's array costs a reference count, hence the local.
    ancestors = graph.ancestors
    i, j = graph.starts[a], graph.starts[b]
    i_end, j_end = graph.starts[a + 1], graph.starts[b + 1]
    shared = 0.0
    while i < i_end and j < j_end:
        x, y = ancestors[i], ancestors[j]
        if x == y:
            shared = graph.information_by_rank[x]
            break
        if x < y:
            i += 1
        else:
            j += 1
    return max(graph.information[a] + graph.information[b] - 2.0 * shared, 0.0)


@njit(cache=True, nogil=True)
def _distances(left, right, graph):  # type: ignore[no-untyped-def]
    distances = np.empty(len(left), dtype=np.float64)
    for pair in range(len(left)):
        distances[pair] = _distance(left[pair], right[pair], graph)
    return distances


@njit(cache=True, nogil=True)
def word_similarity(u, v, starts, senses, graph, greatest):  # type: ignore[no-untyped-def]
    """`WordNet.similarity` of two words of a vocabulary, both of which have senses."""
    best = 0.0
    for i in range(starts[u], starts[u + 1]):
        for j in range(starts[v], starts[v + 1]):
            a, b = senses[i], senses[j]
            if a == b:
                return 1.0
            if graph.kinds[a] == graph.kinds[b] or graph.kinds[a] == TOPS or graph.kinds[b] == TOPS:
                best = max(best, 1.0 - _distance(a, b, graph) / (2.0 * greatest))
    return best
