"""Fuzzy c-means over a Gram matrix: the one loop behind KARC, ARCA and FRC.

With G_jk = ⟨φ_j, φ_k⟩ and centres w_i = Σ_k u_ik^m φ_k / Σ_k u_ik^m, the squared distance is
d²_ji = G_jj − 2·(G w_i)_j + w_iᵀ G w_i. KARC as printed (Huang et al. 2009, equation 6) puts 1 for the last term.

Restarts of the fuzzy loop and the search for C: what KARC as printed, ARCA and FRC do with their inner products.

How many clusters: the kernelised Xie-Beni index KXBI (Huang et al. 2009, section 2.2) and what else can answer that.

As printed, the index is defined from two clusters on, and one cluster is chosen if its objective is the smaller; but
uniform memberships already give J_C = C^(1−m)·J_1 < J_1, so that it never is. `worth_splitting` can answer one: it asks
whether the objective falls by more than it does on the same strengths shuffled over the pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.cluster.contexts import stopping
from crossdoc.cluster.contexts.criteria import criterion_value
from crossdoc.cluster.estimators import SMALLEST_MEMBERSHIP

if TYPE_CHECKING:
    from crossdoc.cluster.fuzzy.fuzzy_relational import ContractedRelation

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


Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Gram:
    """Inner products of the rows; `unit_centres` takes every centre's length for 1, as equation 6 does."""

    matrix: Floats
    unit_centres: bool = False

    def to_centres(self, weight: Floats) -> tuple[Floats, Floats]:
        """Squared distances of the rows to the weighted means (rows × clusters), and of the means to each other."""
        total = weight.sum(axis=0)
        # The centre of a cluster without members is that of all rows.
        share = np.where(total > 0, weight, 1.0) / np.where(total > 0, total, len(weight))
        distance = self.matrix @ share
        between = share.T @ distance
        inner = np.ones(len(between)) if self.unit_centres else between.diagonal().copy()
        distance *= -2.0
        distance += self.matrix.diagonal()[:, None]
        distance += inner
        return distance, inner[:, None] + inner - 2.0 * between

    def to_rows(self, rows: Rows) -> Floats:
        """Squared distances of all rows to some of them."""
        lengths = self.matrix.diagonal()
        return np.maximum(lengths[:, None] + lengths[rows] - 2.0 * self.matrix[:, rows], 0.0)

    def spread(self, sizes: Floats) -> float:
        """The objective with one cluster: the sum of squared distances to the mean of all rows."""
        return float(sizes @ self.to_centres(sizes[:, None])[0][:, 0].clip(min=0.0))


@dataclass(frozen=True, slots=True)
class FuzzyMeans:
    """Result of the loop."""

    membership: Floats
    """Rows × clusters; with a noise cluster the rows need not sum to 1."""
    objective: float
    history: tuple[float, ...]
    between: Floats
    """Squared distances of the centres to each other."""
    converged: bool


def settle(
    gram: Gram,
    distance: Floats,
    sizes: Floats,
    fuzzifier: float,
    tolerance: float,
    max_iter: int,
    noise: float = np.inf,
) -> FuzzyMeans:
    """Alternate memberships (equation 4) and centres (equation 6) until no membership moves by the tolerance.

    `distance` are the squared distances to the first centres; a row counts `sizes` times.
    """
    membership, weight, previous = (np.zeros_like(distance) for _ in range(3))
    history: list[float] = []
    converged = False
    for step in range(max_iter):
        previous, membership = membership, previous
        history.append(update(distance, sizes, fuzzifier, noise, membership, weight))
        _refill(distance, sizes, membership, weight)
        if step and np.abs(membership - previous).max() < tolerance:
            converged = True
            break
        distance, between = gram.to_centres(weight)
    if converged:
        between = gram.to_centres(weight)[1]
    return FuzzyMeans(membership, history[-1], tuple(history), between, converged)


def _refill(distance: Floats, sizes: Floats, membership: Floats, weight: Floats) -> None:
    """A cluster whose weights all underflow takes the row that is farthest from its nearest centre."""
    empty = np.flatnonzero(weight.sum(axis=0) < np.finfo(np.float64).tiny)
    if not len(empty):
        return
    order = np.argsort(-distance.min(axis=1), kind="stable")
    for cluster, row in zip(empty, order, strict=False):
        membership[row], weight[row] = 0.0, 0.0
        membership[row, cluster], weight[row, cluster] = 1.0, sizes[row]


def spread_rows(gram: Gram, k: int, random: np.random.Generator) -> Rows:
    """k-means++ in the kernel space (Arthur & Vassilvitskii 2007): far rows are likelier to be the next centre."""
    n = len(gram.matrix)
    chosen = [int(random.integers(n))]
    nearest = gram.to_rows(np.array(chosen))[:, 0]
    for _ in range(k - 1):
        nearest[chosen] = 0.0
        total = nearest.sum()
        if total > 0:
            row = int(random.choice(n, p=nearest / total))
        else:
            row = int(random.choice(np.setdiff1d(np.arange(n), chosen)))
        chosen.append(row)
        nearest = np.minimum(nearest, gram.to_rows(np.array([row]))[:, 0])
    return np.array(chosen, dtype=np.int64)


@njit(cache=True, nogil=True)
def update(distance, sizes, fuzzifier, noise, membership, weight):  # type: ignore[no-untyped-def]
    """Fill `membership` (u) and `weight` (size · u^m) from squared distances (rows × clusters); return Σ weight · d².

    u_jc = d_jc^(−1/(m−1)) / Σ_h d_jh^(−1/(m−1)), all divided by the row's smallest distance, so that no power overflows
    however near m is to 1. A row at distance 0 is shared equally by the clusters there, and what rounding or a relation
    that no space has makes negative counts as 0. `noise` is the squared distance of every row to a noise cluster
    (infinite: none).
    """
    n, k = distance.shape
    power = 1.0 / (fuzzifier - 1.0)
    total = 0.0
    for j in range(n):
        nearest = noise
        for c in range(k):
            if distance[j, c] < nearest:
                nearest = distance[j, c]
        if nearest <= 0.0:
            there = 0
            for c in range(k):
                if distance[j, c] <= 0.0:
                    there += 1
            for c in range(k):
                membership[j, c] = 1.0 / there if distance[j, c] <= 0.0 else 0.0
                weight[j, c] = sizes[j] * membership[j, c] ** fuzzifier
            continue
        alone = (nearest / noise) ** power if noise < np.inf else 0.0
        share = alone
        for c in range(k):
            membership[j, c] = (nearest / distance[j, c]) ** power
            share += membership[j, c]
        # (q^p)^m = q^p · q, since p·m = p + 1: one power for each row instead of one for each cell.
        scale = sizes[j] * share**-fuzzifier
        for c in range(k):
            weight[j, c] = membership[j, c] * (nearest / distance[j, c]) * scale
            membership[j, c] /= share
            total += weight[j, c] * distance[j, c]
        total += alone * nearest * scale
    return total


OneCluster = Literal["reference", "paper"]
ONE_CLUSTER: tuple[OneCluster, ...] = ("reference", "paper")
Start = Literal["random", "spread"]
STARTS: tuple[Start, ...] = ("random", "spread")
MAX_CLUSTERS = 60
REFERENCES = 10
Found = tuple[Floats, float, Validity, int]


@dataclass
class CMeans:
    """Fuzzy c-means in the space that `gram` makes of a matrix of strengths."""

    gram: Callable[[Floats], Gram]
    m: float
    tol: float
    max_iter: int
    n_init: int
    start: Start
    noise: float | None
    max_clusters: int
    one_cluster: OneCluster
    full_curve: bool
    choose: Choose
    random_state: int

    def run(self, given: ContractedRelation, n_clusters: int | None) -> Found:
        """Memberships, the objective, how the number of clusters was found, and the iterations of the best start."""
        gram = self.gram(given.strengths)
        random = np.random.default_rng(self.random_state)
        if n_clusters is not None or len(given.strengths) == 1:
            wanted = n_clusters or 1
            settled = self._best(gram, wanted, given.sizes, random)
            found = Validity.of(wanted, "there is one row" if n_clusters is None else "given")
        else:
            settled, found = self._search(gram, given, random)
        return self._memberships(settled), settled.objective, found, len(settled.history)

    def run_from(self, given: ContractedRelation, labels: npt.NDArray[np.int64], why: str) -> Found:
        """The same from the centres of a hard partition; rows of −1 count in none of them at first."""
        gram = self.gram(given.strengths)
        labelled = np.flatnonzero(labels >= 0)
        weight = np.zeros((len(labels), int(labels.max()) + 1))
        weight[labelled, labels[labelled]] = given.sizes[labelled]
        settled = self._settle(gram, gram.to_centres(weight)[0], given.sizes)
        return self._memberships(settled), settled.objective, Validity.of(weight.shape[1], why), len(settled.history)

    def _memberships(self, settled: FuzzyMeans) -> Floats:
        return settled.membership if self.noise is None else with_loners(settled.membership)

    def _settle(self, gram: Gram, distance: Floats, sizes: Floats) -> FuzzyMeans:
        noise = np.inf if self.noise is None else float(self.noise)
        return settle(gram, distance, sizes, float(self.m), self.tol, int(self.max_iter), noise)

    def _best(self, gram: Gram, k: int, sizes: Floats, random: np.random.Generator) -> FuzzyMeans:
        """The restart with the lowest objective."""
        if k == 1:
            return self._settle(gram, gram.to_centres(sizes[:, None])[0], sizes)
        runs = (self._settle(gram, self._first(gram, k, random), sizes) for _ in range(int(self.n_init)))
        return min(runs, key=lambda settled: settled.objective)

    def _first(self, gram: Gram, k: int, random: np.random.Generator) -> Floats:
        if self.start == "spread":
            return gram.to_rows(spread_rows(gram, k, random))
        return gram.to_rows(random.choice(len(gram.matrix), size=k, replace=False))

    def _search(
        self, gram: Gram, given: ContractedRelation, random: np.random.Generator
    ) -> tuple[FuzzyMeans, Validity]:
        """The first minimum of KXBI over C = 2, 3, …, and whether that is better than one cluster."""
        largest = max(2, min(int(self.max_clusters), len(given.strengths) - 1))
        tried: dict[int, FuzzyMeans] = {1: self._best(gram, 1, given.sizes, random)}

        def curve() -> Iterator[tuple[int, float]]:
            for k in range(2, largest + 1):
                tried[k] = self._best(gram, k, given.sizes, random)
                yield k, kxbi(tried[k], float(given.sizes.sum()))

        everything = self.full_curve or self.choose != "kxbi"
        seen = list(curve() if everything else first_minimum(curve()))
        numbers = [1, *(k for k, _ in seen)]
        values = np.array([np.nan, *(value for _, value in seen)])
        objectives = np.array([tried[k].objective for k in numbers])
        if self.choose != "kxbi":
            criterion = [hard_criterion(given.strengths, tried[k].membership, given.sizes) for k in numbers]
            chosen = stopped(self.choose, np.array(criterion))
            report = Validity(np.array(numbers), values, objectives, chosen, self.choose, criterion=np.array(criterion))
            return tried[chosen], report
        chosen = seen[position_of_first_minimum([value for _, value in seen])][0]
        references = self._references(given, chosen, random)
        why = "the first minimum of KXBI"
        if not _better(tried[chosen].objective, tried[1].objective, references):
            chosen, why = 1, "splitting gains no more than it would by chance"
        return tried[chosen], Validity(np.array(numbers), values, objectives, chosen, why, references)

    def _references(self, given: ContractedRelation, k: int, random: np.random.Generator) -> Floats:
        if self.one_cluster == "paper":
            return np.zeros(0)
        return references(given.strengths, REFERENCES, random, lambda dealt: self._fall(dealt, k, given.sizes, random))

    def _fall(self, strengths: Floats, k: int, sizes: Floats, random: np.random.Generator) -> float:
        """J_C / J_1."""
        gram = self.gram(strengths)
        one = self._best(gram, 1, sizes, random).objective
        return self._best(gram, k, sizes, random).objective / one if one > 0 else 1.0


MEANS_PARAMETERS = [field.name for field in fields(CMeans)[1:]]


def _better(objective: float, one: float, references: Floats) -> bool:
    """Is C better than one cluster: by chance's measure, or without references by the paper's comparison?"""
    if not len(references):
        return objective < one
    return one > 0 and worth_splitting(objective / one, references)


def with_loners(membership: Floats) -> Floats:
    """Turn a row's membership in the noise cluster into membership in a cluster of its own."""
    alone = 1.0 - membership.sum(axis=1)
    rows = np.flatnonzero(alone >= SMALLEST_MEMBERSHIP)
    own = np.zeros((len(membership), len(rows)))
    own[rows, np.arange(len(rows))] = alone[rows]
    joined = np.hstack([membership, own])
    return joined / joined.sum(axis=1, keepdims=True)
