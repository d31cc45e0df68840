"""How many clusters: the kernelised Xie-Beni index KXBI (Huang et al. 2009, section 2.2) and what else can answer that.

As printed, the index is defined from two clusters on, and one cluster is chosen if its objective is the smaller; but
uniform memberships already give J_C = C^(1−m)·J_1 < J_1, so that it never is. `worth_splitting` can answer one: it asks
whether the objective falls by more than it does on the same strengths shuffled over the pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.contexts import stopping
from crossdoc.cluster.contexts.criteria import criterion_value
from crossdoc.cluster.fuzzy.gram_means import Floats, FuzzyMeans

Choose = Literal["kxbi", "pk1", "pk2", "pk3"]
CHOOSE: tuple[Choose, ...] = ("kxbi", "pk1", "pk2", "pk3")

COINCIDE = 1e-12
"""Centres whose squared distance is below this count as one."""


@dataclass(frozen=True, slots=True)
class Validity:
    """The curve over the numbers of clusters that were tried, and the number that it led to.

    `kxbi` and `objective` belong to the best restart of each number; `objective[0]` and a KXBI of NaN to one cluster.
    """

    n_clusters: npt.NDArray[np.int64]
    kxbi: npt.NDArray[np.float64]
    objective: npt.NDArray[np.float64]
    chosen: int
    why: str
    references: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """J_C / J_1 at the first minimum, for the same strengths shuffled over the pairs."""
    criterion: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """H2 of the hardened partitions, if a stopping rule chose."""

    @classmethod
    def of(cls, chosen: int, why: str) -> Validity:
        """A number that no curve was needed for."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), chosen, why)


def kxbi(settled: FuzzyMeans, n: float) -> float:
    """KXBI = Σ_i Σ_j u_ij^m ‖Φ(r_j) − Φ(w_i)‖² / (N · min_{i<h} ‖Φ(w_i) − Φ(w_h)‖²); infinite where centres coincide.

    >>> apart = np.array([[0.0, 4.0], [4.0, 0.0]])
    >>> kxbi(FuzzyMeans(np.eye(2), 2.0, (2.0,), apart, True), 2)
    0.25
    """
    nearest = settled.between[np.triu_indices(len(settled.between), k=1)].min()
    return settled.objective / (n * float(nearest)) if nearest > COINCIDE else float("inf")


def first_minimum(values: Iterable[tuple[int, float]]) -> Iterable[tuple[int, float]]:
    """Pass (C, index) on until the index has risen for the first time, so that no more is computed than is needed.

    >>> list(first_minimum([(2, 5.0), (3, 4.0), (4, 6.0), (5, 1.0)]))
    [(2, 5.0), (3, 4.0), (4, 6.0)]
    """
    previous = np.inf
    for number, value in values:
        yield number, value
        if value > previous:
            return
        previous = value


def position_of_first_minimum(values: npt.ArrayLike) -> int:
    """The first position whose value is below the next one's; the last position if the values never rise.

    >>> position_of_first_minimum([5.0, 4.0, 6.0, 1.0])
    1
    """
    given = np.asarray(values, dtype=np.float64)
    rises = np.flatnonzero(given[:-1] < given[1:])
    return int(rises[0]) if len(rises) else len(given) - 1


def stopped(rule: Choose, criterion: npt.NDArray[np.float64]) -> int:
    """The number of clusters by a rule of Pedersen & Kulkarni 2006 on the values of H2 at C = 1, 2, …

    >>> stopped("pk2", np.array([40.0, 54.6, 68.3, 80.0, 80.0, 80.0]))
    4
    """
    rules: dict[str, Callable[..., stopping.Decision]] = {
        "pk1": stopping.pk1,
        "pk2": stopping.pk2,
        "pk3": stopping.pk3,
    }
    return int(rules[rule](criterion[: stopping.delta_k(criterion)]).k)


def hard_criterion(strengths: Floats, membership: Floats, sizes: Floats) -> float:
    """H2 of the hardened partition, in the similarity space of the strengths."""
    labels = membership.argmax(axis=1)
    return criterion_value("h2", strengths, labels, space="similarity", sample_weight=sizes)


def worth_splitting(ratio: float, references: npt.NDArray[np.float64]) -> bool:
    """Is J_C / J_1 below what chance gives: the references' mean by three standard deviations, and by 3%?

    >>> worth_splitting(0.2, np.array([0.5, 0.6])), worth_splitting(0.4, np.array([0.5, 0.6]))
    (True, False)
    """
    mean = references.mean()
    return bool(ratio < mean - max(3.0 * references.std(ddof=1), 0.03 * mean))


def dealt_anew(matrix: npt.NDArray[np.float64], random: np.random.Generator) -> npt.NDArray[np.float64]:
    """The same strengths over other pairs: what is left when strengths do not agree with each other."""
    n = len(matrix)
    above = np.triu_indices(n, k=1)
    dealt = np.zeros_like(matrix)
    dealt[above] = random.permutation(matrix[above])
    dealt += dealt.T
    np.fill_diagonal(dealt, matrix.diagonal())
    return dealt


def references(
    matrix: npt.NDArray[np.float64],
    count: int,
    random: np.random.Generator,
    ratio: Callable[[npt.NDArray[np.float64]], float],
) -> npt.NDArray[np.float64]:
    """J_C / J_1 of some matrices with shuffled strengths."""
    return np.array([ratio(dealt_anew(matrix, random)) for _ in range(count)])
