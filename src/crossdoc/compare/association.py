"""How much two words attract each other (the measures of the Ngram Statistics Package), and which pairs count."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import rel_entr

from crossdoc import errors

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
