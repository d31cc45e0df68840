"""Similarity of article groups: TF-IDF over their features, equation (6) of Van Gael & Zhu 2007.

w_i = n_i · log(|D| / |D_i|), similarity = Σ w_i v_i. This inner product grows with the length of the texts, so there is
also the cosine, and, as the default, a cosine relative to the best matches, since a group has at most one partner in
another language. Features of a single language are left out: they cannot link groups.

The bias t: similarities below it count against a link. Values to sweep, and a choice without gold.

The choice needs no labels, since a group has at most one partner in another language. Two groups that are each other's
best match may belong together; if they do, they should have the same best match in a third language, unless it has
none. The bias is the similarity at which third languages agree half as often as on the most similar pairs. Developed on
BSNLP (asia_bibi, nord_stream, ryanair) and MEANTIME (seeds 0, 1); docs/crosslingual.md measures it elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.isotonic import IsotonicRegression
from sklearn.preprocessing import normalize

from crossdoc.crosslingual.groups import FEATURE_KINDS, Features, Kind
from crossdoc.model import IntArray, Relations

Floats = npt.NDArray[np.float64]
Measure = Literal["relative", "cosine", "inner"]
MEASURES: tuple[Measure, ...] = ("relative", "cosine", "inner")
RELATIVE_EXPONENT = 2
"""Exponent. Lowers similarities that are not the best of either group. Chosen on MEANTIME (seeds 0, 1) and BSNLP
(asia_bibi)."""
PRODUCT_ROWS = 2048
"""Rows per block of the matrix product."""
NEAR_ENOUGH = 0.5
"""Share of a pair's similarity. A third language counts if one of the pair's matches in it reaches this share.
Otherwise their subject is probably missing there, and the matches are due to chance."""


@dataclass(frozen=True, slots=True)
class BestMatches:
    """For each group and language the best match (−1: none), its similarity, and that of the second-best match."""

    languages: npt.NDArray[np.int32]
    match: npt.NDArray[np.int64]
    first: Floats
    second: Floats

    @classmethod
    def from_relations(cls, relations: Relations, languages: npt.NDArray[np.int32]) -> BestMatches:
        n, kinds = relations.n, int(languages.max(initial=-1)) + 1
        here = np.concatenate([relations.left, relations.right]).astype(np.int64)
        there = np.concatenate([relations.right, relations.left]).astype(np.int64)
        value = np.tile(relations.strength.astype(np.float64), 2)
        across = (languages[here] != languages[there]) & (value > 0)
        here, there, value = here[across], there[across], value[across]
        cell = here * kinds + languages[there]
        order = np.lexsort((there, -value, cell))
        cell, there, value = cell[order], there[order], value[order]
        rank = np.arange(len(cell)) - np.searchsorted(cell, cell)
        best, next_best = rank == 0, rank == 1
        match, first, second = np.full((n, kinds), -1), np.zeros((n, kinds)), np.zeros((n, kinds))
        match.flat[cell[best]], first.flat[cell[best]] = there[best], value[best]
        second.flat[cell[next_best]] = value[next_best]
        return cls(languages, match, first, second)

    def _mutual_cells(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        row, column = np.nonzero(self.match >= 0)
        back = self.match[self.match[row, column], self.languages[row]]
        return row[back == row], column[back == row]

    def mutual(self) -> tuple[Floats, Floats]:
        """Return the similarities of mutual best matches, and of their second-best ones."""
        row, column = self._mutual_cells()
        return self.first[row, column], self.second[row, column]

    def agreement(self) -> tuple[Floats, Floats]:
        """Return, for mutual best matches, the similarity and the share of third languages with the same match.

        A third language counts if both have a match in it and one of them is near enough.
        """
        row, column = self._mutual_cells()
        other = self.match[row, column]
        once = row < other
        row, column, other = row[once], column[once], other[once]
        ours, theirs = self.match[row], self.match[other]
        similarity = self.first[row, column]
        near = np.maximum(self.first[row], self.first[other]) >= NEAR_ENOUGH * similarity[:, None]
        counts = (ours >= 0) & (theirs >= 0) & near
        counts[np.arange(len(row)), column] = False
        counts[np.arange(len(row)), self.languages[row]] = False
        total = counts.sum(axis=1)
        kept = total > 0
        same = (counts & (ours == theirs)).sum(axis=1)
        return similarity[kept], same[kept] / total[kept]


def similarities(
    features: Sequence[Features],
    languages: npt.NDArray[np.int32],
    kinds: Sequence[Kind] = FEATURE_KINDS,
    measure: Measure = "relative",
) -> Relations:
    """Return all pairs of different languages that share a feature; every other pair has 0.

    `relative` is the cosine s times (s/a · s/b)^2, where a and b are the best cosines of the one in the other's
    language. `inner` is scaled so that the largest is 1, which changes no order and gives the bias a scale.

    >>> from crossdoc.crosslingual.groups import features
    >>> groups = [features("Airbus wins", "en"), features("Boeing wins", "en"), features("Airbus gana", "es")]
    >>> similarities(groups, np.array([0, 0, 1], dtype=np.int32)).strength.round(2).tolist()
    [1.0]
    """
    if not any(found[kind] for found in features for kind in kinds):
        none = np.zeros(0, dtype=np.int32)
        return Relations(len(features), none, none, np.zeros(0, dtype=np.float32))
    rows = [{(kind, feature): n for kind in kinds for feature, n in found[kind].items()} for found in features]
    vectors = tf_idf(DictVectorizer(sort=False).fit_transform(rows), languages)
    if measure != "inner":
        vectors = normalize(vectors)
    left, right, value = _products(vectors, languages)
    if measure == "inner" and len(value):
        value /= value.max()
    found = Relations(len(features), left, right, np.minimum(value, 1.0).astype(np.float32))
    return relative(found, languages) if measure == "relative" else found


def relative(relations: Relations, languages: npt.NDArray[np.int32]) -> Relations:
    """Lower each similarity by its distance from the best match of either group in the other's language."""
    best = BestMatches.from_relations(relations, languages)
    share = relations.strength / best.first[relations.left, languages[relations.right]]
    share *= relations.strength / best.first[relations.right, languages[relations.left]]
    return replace(relations, strength=(relations.strength * share**RELATIVE_EXPONENT).astype(np.float32))


def tf_idf(counts: sparse.csr_matrix, languages: npt.NDArray[np.int32]) -> sparse.csr_matrix:
    """Return n_i · log(|D| / |D_i|), without the features of a single language."""
    n, width = counts.shape
    frequency = np.bincount(counts.indices, minlength=width)
    scale = np.log(n / np.maximum(frequency, 1))
    rows = np.repeat(languages, np.diff(counts.indptr))
    low, high = np.full(width, np.iinfo(np.int32).max), np.full(width, -1)
    np.minimum.at(low, counts.indices, rows)
    np.maximum.at(high, counts.indices, rows)
    weighted = sparse.csr_matrix(counts @ sparse.diags_array(np.where(low == high, 0.0, scale)))
    weighted.eliminate_zeros()
    return weighted


def _products(
    vectors: sparse.csr_matrix, languages: npt.NDArray[np.int32]
) -> tuple[IntArray, IntArray, npt.NDArray[np.float64]]:
    """Return the pairs i < j of different languages with an inner product above 0, computed in blocks."""
    lefts, rights, values = [], [], []
    others = vectors.T.tocsr()
    for start in range(0, vectors.shape[0], PRODUCT_ROWS):
        block = (vectors[start : start + PRODUCT_ROWS] @ others).tocoo()
        left, right = block.row + start, block.col
        kept = (left < right) & (block.data > 0) & (languages[left] != languages[right])
        order = np.lexsort((right[kept], left[kept]))
        lefts.append(left[kept][order])
        rights.append(right[kept][order])
        values.append(block.data[kept][order])
    left, right = (np.concatenate(parts).astype(np.int32) for parts in (lefts, rights))
    return left, right, np.concatenate(values)


AGREEING = 0.5
"""Share of the agreement on the most similar pairs. Above it third languages count for a link. See above."""
MOST_SIMILAR = 0.2
"""Share of best matches, by similarity, that are assumed to be correct."""
FEWEST = 20
"""Best matches with a third language. Below this number no curve of agreement is fitted."""


@dataclass(frozen=True, slots=True)
class BiasChoice:
    """A bias, the rule that chose it, and the number of best matches behind it."""

    bias: float
    rule: str
    matches: int


def sweep_biases(relations: Relations, pairs: int, step: float = 0.001, until: float = 0.1) -> Floats:
    """Return descending biases: the first leaves one pair positive, each further one `step` of the `pairs` more.

    `pairs` counts those of different languages. A bias lies halfway between two similarities; the sweep ends when
    `until` of the pairs, or all that have any similarity, are positive.

    >>> three = Relations(3, np.array([0, 0]), np.array([1, 2]), np.array([0.8, 0.4], dtype=np.float32))
    >>> sweep_biases(three, 3, step=0.3, until=1.0).round(2).tolist()
    [0.6, 0.2]
    """
    ordered = np.sort(relations.strength.astype(np.float64))[::-1]
    ordered = ordered[ordered > 0]
    if not len(ordered):
        return np.zeros(0)
    most = min(len(ordered), int(np.floor(until * pairs + 1e-9)))
    counts = np.unique(np.clip(np.round(1 + np.arange(0.0, until * pairs, max(step * pairs, 1.0))), 1, max(most, 1)))
    below = np.append(ordered, 0.0)
    at = counts.astype(np.int64)
    # All pairs of a tie become positive together.
    at = np.unique(np.searchsorted(-below, -below[at - 1], side="right"))
    return (below[at - 1] + below[np.minimum(at, len(ordered))]) / 2


def positive_share(relations: Relations, pairs: int, bias: float) -> float:
    """Return the share of the pairs of different languages with a similarity above the bias."""
    return float((relations.strength > bias).sum() / max(pairs, 1))


def choose_bias(relations: Relations, languages: npt.NDArray[np.int32], plain: Relations | None = None) -> BiasChoice:
    """Return a bias from the similarities alone; see the head of this file.

    With two languages there is no third one. Then the second-best matches, which are wrong where the best are right,
    represent wrong pairs, and the bias maximises the F1 that this predicts. `plain` are the similarities before
    second-best ones were lowered.
    """
    best = BestMatches.from_relations(relations, languages)
    similarity, agreement = best.agreement()
    if len(agreement) >= FEWEST:
        return BiasChoice(_half_way(similarity, agreement), "third languages agree", len(agreement))
    first, second = (best if plain is None else BestMatches.from_relations(plain, languages)).mutual()
    if len(first):
        return BiasChoice(_by_second_best(first, second), "second-best matches", len(first))
    return BiasChoice(1.0, "nothing in common", 0)


def _half_way(similarity: Floats, agreement: Floats) -> float:
    """Return the similarity at which a rising curve of agreement reaches half of that of the most similar pairs."""
    curve = IsotonicRegression(increasing=True).fit(similarity, agreement)
    ordered = np.unique(similarity)
    surest = np.argsort(-similarity, kind="stable")[: max(FEWEST // 2, int(MOST_SIMILAR * len(similarity)))]
    at = int(np.searchsorted(curve.predict(ordered), AGREEING * agreement[surest].mean()))
    if at == 0:
        return float(ordered[0] / 2)
    return float((ordered[at - 1] + ordered[at]) / 2) if at < len(ordered) else float(ordered[-1])


def _by_second_best(first: Floats, second: Floats) -> float:
    candidates = np.unique(first)
    targets = len(first) - np.searchsorted(np.sort(first), candidates)
    decoys = len(second) - np.searchsorted(np.sort(second), candidates)
    right = np.maximum(targets - decoys, 0)
    f1 = 2 * right / (targets + max(int(right.max()), 1))
    at = int(np.argmax(f1))
    return float((candidates[at] + (candidates[at - 1] if at else 0.0)) / 2)
