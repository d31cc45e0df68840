"""Context vectors of all kinds behind one class: tf-idf, first and second order, reduced or not.

Words typical of one name (*Fed*, *chairman*) are frequent among its contexts, so a weight by rarity among them would
hide the best evidence. `background` takes the rarity in other texts, those of the sample corpus. On conflations of
Reuters-21578 this raises the area under the ROC curve of pairs of contexts from .77 to .87, as much as the rarity in
all of Reuters itself (docs/contexts.md).

How much two words attract each other (the measures of the Ngram Statistics Package), and which pairs count.

Contexts as first-order and second-order vectors, for clustering (Pedersen & Kulkarni 2006; SenseClusters).

First order: the words, or pairs of words, of a context. Second order: the mean co-occurrence vector of its words. As in
the Ngram Statistics Package, a window counts all words, and pairs with a stop word are dropped. Unlike there, a
profile's name is found by its own words and not by a mark in the text.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import rel_entr
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd

from crossdoc import errors
from crossdoc.compare.vectors import ContextVectoriser, raw_words, stop_words, words
from crossdoc.model import Profiles, Vectors

ContextKind = Literal["background", "tfidf", "unigrams", "bigrams", "co-occurrences", "target", "second-order"]
KINDS: tuple[ContextKind, ...] = get_args(ContextKind)
Ints = npt.NDArray[np.int64]

TARGET = "⟨name⟩"
"""Token for a profile's own name, however it is written and however many words it has."""
NOTHING = ""
"""Token for a stop word."""


Measure = Literal["log-likelihood", "pmi", "chi-squared"]
Floats = npt.NDArray[np.float64]


def association(
    joint: npt.ArrayLike, left: npt.ArrayLike, right: npt.ArrayLike, total: float, measure: Measure
) -> Floats:
    """How much two words attract each other, from the 2 × 2 table of a pair's counts.

    With n₁₁ = `joint`, n₁₊ = `left`, n₊₁ = `right`, N = `total`, and mᵢⱼ = nᵢ₊ n₊ⱼ / N expected of chance:
    log-likelihood 2 Σ nᵢⱼ ln(nᵢⱼ / mᵢⱼ); pmi log₂(n₁₁ / m₁₁); chi-squared Σ (nᵢⱼ − mᵢⱼ)² / mᵢⱼ.
    The first and the last are large for words that avoid each other, too.

    >>> association([10, 1], [20, 20], [20, 10], 100, "pmi").round(3).tolist()
    [1.322, -1.0]
    """
    n11, n1, m1 = (np.asarray(count, dtype=np.float64) for count in (joint, left, right))
    n2, m2 = total - n1, total - m1
    if measure == "pmi":
        with np.errstate(divide="ignore"):
            return np.log2(n11) - np.log2(n1) - np.log2(m1) + np.log2(total)
    n12, n21 = n1 - n11, m1 - n11
    n22 = n2 - n21
    if measure == "chi-squared":
        margins = n1 * n2 * m1 * m2
        # A word that is in every pair, or in none, says nothing.
        safe = np.where(margins > 0, margins, 1.0)
        return np.where(margins > 0, total * (n11 * n22 - n12 * n21) ** 2 / safe, 0.0)
    cells = ((n11, n1, m1), (n12, n1, m2), (n21, n2, m1), (n22, n2, m2))
    return 2 * sum(rel_entr(observed, row * column / total) for observed, row, column in cells)


class Cooccurrence(NamedTuple):
    """Which pairs of words count.

    Parameters
    ----------
    window : how many words a pair may span; 2 is neighbours only.
    measure : if given, pairs must attract by it, that is, be commoner than chance.
    least_count, least_score : what is seen more rarely, or attracts less, is left out.
    """

    window: int = 5
    measure: Measure | None = None
    least_count: int = 2
    least_score: float = 0.0

    def check(self) -> None:
        if self.window < 2:
            raise errors.bad_settings("Pairs of words", [f"a pair of words spans 2 or more, not {self.window}"])
        if self.measure is not None and self.measure not in get_args(Measure):
            raise errors.unknown_choice("measure of association", self.measure, get_args(Measure))
        if self.measure is None and self.least_score:
            raise errors.bad_settings("Pairs of words", ["least_score needs a measure of association"])

    def select(self, joint: sparse.csr_matrix) -> sparse.coo_matrix:
        """Select pairs from a words × words matrix: return their scores, or their counts if there is no measure."""
        pairs = joint.tocoo()
        if self.measure is None:
            kept, values = pairs.data >= self.least_count, pairs.data
        else:
            left, right = (np.asarray(joint.sum(axis=axis), dtype=np.float64).ravel() for axis in (1, 0))
            total = float(left.sum())
            n1, m1 = left[pairs.row], right[pairs.col]
            values = association(pairs.data, n1, m1, total, self.measure)
            kept = (pairs.data >= self.least_count) & (values >= self.least_score) & (pairs.data * total > n1 * m1)
        return sparse.coo_matrix((values[kept], (pairs.row[kept], pairs.col[kept])), shape=joint.shape)


class CodedContexts(NamedTuple):
    """The words of all contexts one after the other: the row of each, and its number (−1: a stop word)."""

    n: int
    rows: Ints
    codes: Ints
    vocabulary: npt.NDArray[np.object_]
    """The words by their numbers; word 0 is the target."""

    @classmethod
    def of(cls, profiles: Profiles, stop: Collection[str] | None = None) -> CodedContexts:
        contexts = list(marked_words(profiles, stop))
        vocabulary = [TARGET, *sorted(set(chain.from_iterable(contexts)) - {TARGET, NOTHING})]
        code = {NOTHING: -1, **{word: number for number, word in enumerate(vocabulary)}}
        rows = np.repeat(np.arange(len(contexts)), [len(context) for context in contexts])
        codes = np.array([code[word] for word in chain.from_iterable(contexts)], dtype=np.int64)
        return cls(len(contexts), rows, codes, np.array(vocabulary, dtype=object))

    def pairs(self, window: int) -> tuple[Ints, Ints, Ints]:
        """Return context, first and second word of each pair of words within a window."""
        found = [(self.rows[:0], self.codes[:0], self.codes[:0])]
        for gap in range(1, min(window, len(self.codes))):
            left, right = self.codes[:-gap], self.codes[gap:]
            kept = (self.rows[:-gap] == self.rows[gap:]) & (left >= 0) & (right >= 0)
            found.append((self.rows[gap:][kept], left[kept], right[kept]))
        rows, left, right = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return rows, left, right


def marked_words(profiles: Profiles, stop: Collection[str] | None = None) -> Iterator[list[str]]:
    """Yield the words of each context in order, the profile's own name as TARGET, stop words as NOTHING.

    `stop` replaces the stop list of the profile's language.
    """
    cells = (profiles.column(name).to_pylist() for name in ("name", "context", "language"))
    for name, context, language in zip(*cells, strict=True):
        own = set(words(name, language))
        ignored = stop_words(language) if stop is None else stop
        found: list[str] = []
        for word in raw_words(context or ""):
            if word in own:
                if not found or found[-1] != TARGET:
                    found.append(TARGET)
            else:
                found.append(NOTHING if word in ignored else word)
        yield found


def _joint(left: Ints, right: Ints, size: int, ordered: bool) -> sparse.csr_matrix:
    """Count how often each word precedes another within the window; without `ordered`, is near it."""
    joint = sparse.csr_matrix((np.ones(len(left)), (left, right)), shape=(size, size))
    # A word next to itself would otherwise count twice.
    return joint if ordered else (joint + joint.T - sparse.diags(joint.diagonal())).tocsr()


def first_order(contexts: CodedContexts, kind: ContextKind, pairs: Cooccurrence) -> Vectors:
    """Count a context's own words (unigrams), ordered pairs (bigrams), unordered pairs (co-occurrences), or words
    within the window of its name (target). Rows have unit length; unigrams heed `pairs.least_count` alone.
    """
    size = len(contexts.vocabulary)
    if kind == "unigrams":
        known = contexts.codes > 0
        rows, keys = contexts.rows[known], contexts.codes[known]
        chosen, seen = np.unique(keys, return_counts=True)
        chosen = chosen[seen >= pairs.least_count]
    else:
        rows, left, right = contexts.pairs(pairs.window)
        selected = pairs.select(_joint(left, right, size, kind == "bigrams"))
        if kind != "bigrams":
            left, right = np.minimum(left, right), np.maximum(left, right)
        keys = left * size + right
        # The pairs of words that are both no target, or of which the first alone is one.
        wanted = (selected.row == 0) == (kind == "target")
        wanted &= (selected.col > 0) & ((kind == "bigrams") | (selected.row <= selected.col))
        chosen = np.unique(selected.row[wanted].astype(np.int64) * size + selected.col[wanted])
    if not len(chosen):
        return Vectors(sparse.csr_matrix((contexts.n, 1), dtype=np.float32))
    column = np.minimum(np.searchsorted(chosen, keys), len(chosen) - 1)
    kept = chosen[column] == keys
    cells = np.ones(int(kept.sum()), dtype=np.float32), (rows[kept], column[kept])
    counts = sparse.csr_matrix(cells, shape=(contexts.n, len(chosen)))
    first, second = (contexts.vocabulary[part] for part in np.divmod(chosen, size))
    return Vectors(normalize(counts, copy=False), np.where(chosen < size, second, first + " " + second))


def word_vectors(contexts: CodedContexts, pairs: Cooccurrence) -> sparse.csr_matrix:
    """Return the co-occurrence vector of each word: counts, or scores if `pairs` has a measure."""
    _, left, right = contexts.pairs(pairs.window)
    chosen = pairs.select(_joint(left, right, len(contexts.vocabulary), ordered=False))
    # The name is in nearly every context, so it separates none.
    kept = (chosen.row > 0) & (chosen.col > 0)
    return sparse.csr_matrix((chosen.data[kept], (chosen.row[kept], chosen.col[kept])), shape=chosen.shape)


def second_order(contexts: CodedContexts, pairs: Cooccurrence, dimensions: int | None = None, seed: int = 0) -> Vectors:
    """Add up the co-occurrence vectors of a context's words, reduced to some dimensions, and scale to unit length.

    Two contexts without a common word are alike if their words keep the same company. The sum has the direction of the
    mean.
    """
    vectors = word_vectors(contexts, pairs)
    known = contexts.codes > 0
    cells = np.ones(int(known.sum())), (contexts.rows[known], contexts.codes[known])
    counts = sparse.csr_matrix(cells, shape=(contexts.n, len(contexts.vocabulary)))
    if dimensions is None:
        return Vectors(_unit_rows(counts @ vectors), contexts.vocabulary)
    return Vectors(_unit_rows(counts @ _decomposed(vectors, dimensions, seed)))


def reduced(vectors: Vectors, dimensions: int, seed: int = 0) -> Vectors:
    """The rows in the space of the largest singular values, U Σ of X = U Σ Vᵀ, scaled to unit length again.

    Cosines may then be negative, which `Vectors.cosine` takes for 0.

    >>> vectors = Vectors(sparse.csr_matrix(np.array([[0.6, 0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])))
    >>> reduced(vectors, 2).cosine().round(3).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return Vectors(_unit_rows(_decomposed(vectors.matrix, dimensions, seed)))


def _decomposed(matrix: sparse.csr_matrix, dimensions: int, seed: int) -> npt.NDArray[np.floating[Any]]:
    if dimensions < 1:
        raise errors.bad_settings("Singular value decomposition", [f"dimensions must be 1 or more, not {dimensions}"])
    size = min(dimensions, *matrix.shape)
    if not matrix.nnz:
        return np.zeros((matrix.shape[0], max(size, 1)))
    left, values, _ = randomized_svd(matrix.astype(np.float64), size, n_iter=7, random_state=seed)
    rows: npt.NDArray[np.floating[Any]] = left * values
    # Rows of zeros, or outside the kept space, hold only rounding errors, which must not be scaled to unit length.
    rows[np.linalg.norm(rows, axis=1) < 1e-9 * values[0]] = 0
    return rows


def _unit_rows(rows: Any) -> sparse.csr_matrix:
    if not rows.shape[0]:
        return sparse.csr_matrix(rows.shape, dtype=np.float32)
    return normalize(sparse.csr_matrix(rows)).astype(np.float32)


LEAST_KNOWN = 0.1
"""The share of the contexts' words that the background must know, so that texts in another language do without it; of
Reuters' and AIDA's it knows some 40%."""


@dataclass(frozen=True, slots=True)
class ContextVectors:
    """Kind and options of context vectors.

    Parameters
    ----------
    kind : background (words weighted by their rarity in other texts), tfidf (by their rarity among these contexts),
        unigrams (plain counts), bigrams, co-occurrences, target (words near the target), or second-order (the mean of
        the words' co-occurrence vectors).
    pairs : which pairs of words count; background and tfidf take no notice, and so may not be given any.
    dimensions : reduce by a singular value decomposition; of second order the words' vectors, else the contexts'.
    stop : a stop list in place of the language's own.

    >>> from crossdoc.model import Profile
    >>> profiles = Profiles.of(Profile(str(i), str(i), "", context=text) for i, text in enumerate(["a car", "a boat"]))
    >>> ContextVectors("unigrams", Cooccurrence(least_count=1)).of(profiles).features.tolist()
    ['boat', 'car']
    """

    kind: ContextKind = "background"
    pairs: Cooccurrence = field(default_factory=Cooccurrence)
    dimensions: int | None = None
    stop: Collection[str] | None = None
    seed: int = 0

    def of(self, profiles: Profiles) -> Vectors:
        """Vectors of these contexts, learned from these contexts."""
        if self.kind not in KINDS:
            raise errors.unknown_choice("kind of vectors", self.kind, KINDS)
        if self.kind in ("background", "tfidf"):
            if self.pairs != Cooccurrence():
                raise errors.not_usable_with("A setting of pairs of words", f"vectors {self.kind}", "other kinds")
            if self.stop is not None:
                raise errors.not_usable_with("A stop list", f"vectors {self.kind}", "other kinds")
            counted = ContextVectoriser().fit([profiles.column("context").to_pylist()])
            vectors = (_by_background(counted) if self.kind == "background" else counted).transform(profiles)
        else:
            if self.kind == "unigrams" and self.pairs.measure is not None:
                raise errors.not_usable_with("A measure of pairs of words", "unigrams", "other kinds")
            self.pairs.check()
            contexts = CodedContexts.of(profiles, self.stop)
            if self.kind == "second-order":
                return second_order(contexts, self.pairs, self.dimensions, self.seed)
            vectors = first_order(contexts, self.kind, self.pairs)
        return vectors if self.dimensions is None else reduced(vectors, self.dimensions, self.seed)


@cache
def _background() -> ContextVectoriser:
    """In how many documents of the sample corpus each word occurs."""
    lines = resources.files("crossdoc.sample").joinpath("documents.jsonl").read_text(encoding="utf-8").splitlines()
    return ContextVectoriser().fit([[json.loads(line)["text"] for line in lines]])


def _by_background(counted: ContextVectoriser) -> ContextVectoriser:
    """The same words, as frequent as they are in the background; or as counted, where that knows too few of them."""
    known = _background()
    own = counted.document_frequency
    if sum(many for word, many in own.items() if word in known.document_frequency) < LEAST_KNOWN * own.total():
        return counted
    return ContextVectoriser(known.document_count, {word: known.document_frequency[word] for word in own})
