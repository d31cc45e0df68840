"""The base of KARC, ARCA and FRC: checks of their input, the search for the number of clusters by KXBI (Huang et al.
2009, section 2.2), constraints, and the partition. They differ in the inner products of their rows.

As printed, KXBI is defined from two clusters on, and one cluster is chosen if its objective is the smaller; but uniform
memberships already give J_C = C^(1−m)·J_1 < J_1, so that it never is. The rule "reference" can answer one: it asks
whether the objective falls by more than it does on the same strengths shuffled over the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import Tags

from crossdoc import errors
from crossdoc.cluster.estimators import (
    SimilarityClusterer,
    check_number,
    check_seed,
    checked_limits,
    checked_matrix,
    checked_weights,
    leaned,
    validated,
)
from crossdoc.cluster.fuzzy.gram_means import Floats, FuzzyMeans, Gram, Rows, dealt_anew, kxbi, settle, spread_rows
from crossdoc.cluster.hierarchical import renumber
from crossdoc.model import Partition, Relations
from crossdoc.model.evidence_protocol import Constraints

OneCluster = Literal["reference", "paper"]
ONE_CLUSTER: tuple[OneCluster, ...] = ("reference", "paper")
MAX_FUZZY_ROWS = 10_000
"""Rows of one block: each N × N matrix in double precision takes 0.8 GB then, and a few are needed."""
MAX_CLUSTERS = 60
REFERENCES = 10
OUTSIDE = 1e-6
"""Strengths may leave [0, 1] by this much, as single-precision cosines do."""


@dataclass(frozen=True, slots=True)
class Validity:
    """The curve over the numbers of clusters that were tried, and the number that it led to.

    `kxbi` and `objective` belong to the best restart of each number; `objective[0]` and a KXBI of NaN to one cluster.
    """

    chosen: int
    why: str
    n_clusters: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    kxbi: Floats = field(default_factory=lambda: np.zeros(0))
    objective: Floats = field(default_factory=lambda: np.zeros(0))
    references: Floats = field(default_factory=lambda: np.zeros(0))
    """J_C / J_1 at the first minimum, for the same strengths shuffled over the pairs."""


Found = tuple[Floats, float, Validity, int]
"""Memberships, the objective, how the number of clusters was found, and the iterations of the best start."""


class FuzzyRelational(SimilarityClusterer):
    """The base of the fuzzy clusterers; a subclass says what the inner products of the rows are."""

    n_clusters: int | None
    theta: float
    random_state: int
    max_block: int

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {"one_cluster": ONE_CLUSTER}
    REQUIREMENTS: ClassVar[tuple[tuple[str, str, float, float], ...]] = (
        ("m", "above 1 (1.6 in Huang et al. 2009)", np.nextafter(1.0, 2.0), np.finfo(np.float64).max),
        ("theta", "between 0 and 1", 0.0, 1.0),
        ("tol", "at least 0", 0.0, np.inf),
        ("max_iter", "a whole number of at least 1", 1, np.inf),
        ("n_init", "a whole number of at least 1", 1, np.inf),
        ("max_clusters", "a whole number of at least 2", 2, np.inf),
        ("max_block", "a whole number of at least 1", 1, np.inf),
        ("n_clusters", "a whole number of at least 1", 1, np.inf),
        ("gamma", "above 0", np.nextafter(0, 1), np.inf),
        ("threshold", "between 0 and 1", 0.0, 1.0),
        ("passes", "a whole number of at least 1", 1, np.inf),
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def fit(
        self,
        X: Relations | npt.NDArray[Any],
        y: object = None,
        *,
        constraints: Constraints | None = None,
        sample_weight: npt.NDArray[Any] | None = None,
    ) -> Self:
        """Cluster a similarity matrix or :class:`Relations`; `sample_weight` counts a row as that many."""
        self._check_parameters()
        relations = checked_strengths(validated(self, X, errors.bad_similarities), self.max_block)
        limits = checked_limits(constraints, relations.n)
        sizes = checked_weights(sample_weight, relations.n)
        if not relations.n:
            membership, objective, found, steps = np.zeros((0, 0)), 0.0, Validity(0, "there are no rows"), 0
        else:
            given = contract(relations, limits, sizes)
            n = len(given.strengths)
            if self.n_clusters is not None and self.n_clusters > n:
                raise errors.more_clusters_than_rows(self.n_clusters, n)
            membership, objective, found, steps = self._soft_partition(given)
            membership = _ordered(keep_apart(membership, given.cannot, self.theta))[given.group]
        self.objective_ = objective
        self.validity_ = found
        self.n_iter_ = steps
        self.n_clusters_ = int(membership.shape[1])
        self.partition_ = Partition([str(i) for i in range(relations.n)], np.minimum(membership, 1.0))
        self.labels_ = self.partition_.labels
        return self

    def _check_parameters(self) -> None:
        for name, choices in self.CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                raise errors.unknown_choice(name, str(value), choices)
        check_seed(self.random_state)
        for name, wanted, low, high in self.REQUIREMENTS:
            value = getattr(self, name, None)
            if value is not None:
                check_number(name, value, wanted, low, high, whole="whole" in wanted)

    def _chosen(self, name: str) -> Any:
        """A parameter as it counts."""
        return getattr(self, name)

    def _gram(self, strengths: Floats) -> Gram:
        """The inner products of the rows."""
        raise NotImplementedError

    def _soft_partition(self, given: ContractedRelation) -> Found:
        gram = self._gram(given.strengths)
        random = np.random.default_rng(self.random_state)
        if self.n_clusters is not None or len(given.strengths) == 1:
            wanted = self.n_clusters or 1
            settled = self._best(gram, wanted, given.sizes, random)
            found = Validity(wanted, "there is one row" if self.n_clusters is None else "given")
        else:
            settled, found = self._search(gram, given, random)
        return settled.membership, settled.objective, found, len(settled.history)

    def _settle(self, gram: Gram, distance: Floats, sizes: Floats) -> FuzzyMeans:
        m, tolerance, most = float(self._chosen("m")), self._chosen("tol"), int(self._chosen("max_iter"))
        return settle(gram, distance, sizes, m, tolerance, most)

    def _best(self, gram: Gram, k: int, sizes: Floats, random: np.random.Generator) -> FuzzyMeans:
        """The restart with the lowest objective."""
        if k == 1:
            return self._settle(gram, gram.to_centres(sizes[:, None])[0], sizes)
        runs = (self._settle(gram, self._first(gram, k, random), sizes) for _ in range(int(self._chosen("n_init"))))
        return min(runs, key=lambda settled: settled.objective)

    def _first(self, gram: Gram, k: int, random: np.random.Generator) -> Floats:
        return gram.to_rows(spread_rows(gram, k, random))

    def _search(
        self, gram: Gram, given: ContractedRelation, random: np.random.Generator
    ) -> tuple[FuzzyMeans, Validity]:
        """The first minimum of KXBI over C = 2, 3, …, and whether that is better than one cluster."""
        sizes = given.sizes
        tried, index = [self._best(gram, 1, sizes, random)], [np.nan]
        rose = False
        while not rose and len(tried) < max(2, min(int(self._chosen("max_clusters")), len(sizes) - 1)):
            tried.append(self._best(gram, len(tried) + 1, sizes, random))
            index.append(kxbi(tried[-1], float(sizes.sum())))
            rose = index[-1] > index[-2]
        chosen, why = len(tried) - rose, "the first minimum of KXBI"
        objective = np.array([settled.objective for settled in tried])
        references = np.zeros(0)
        if self._chosen("one_cluster") == "reference":
            dealt = (dealt_anew(given.strengths, random) for _ in range(REFERENCES))
            references = np.array([self._fall(strengths, chosen, sizes, random) for strengths in dealt])
            splits = objective[0] > 0 and worth_splitting(objective[chosen - 1] / objective[0], references)
        else:
            splits = objective[chosen - 1] < objective[0]
        if not splits:
            chosen, why = 1, "splitting gains no more than it would by chance"
        numbers = np.arange(1, len(tried) + 1)
        return tried[chosen - 1], Validity(chosen, why, numbers, np.array(index), objective, references)

    def _fall(self, strengths: Floats, k: int, sizes: Floats, random: np.random.Generator) -> float:
        """J_C / J_1."""
        gram = self._gram(strengths)
        one = self._best(gram, 1, sizes, random).objective
        return self._best(gram, k, sizes, random).objective / one if one > 0 else 1.0


def worth_splitting(ratio: float, references: Floats) -> bool:
    """Is J_C / J_1 below what chance gives: the references' mean by three standard deviations, and by 3%?

    >>> worth_splitting(0.2, np.array([0.5, 0.6])), worth_splitting(0.4, np.array([0.5, 0.6]))
    (True, False)
    """
    mean = references.mean()
    return bool(ratio < mean - max(3.0 * references.std(ddof=1), 0.03 * mean))


def checked_strengths(X: Any, limit: int) -> Relations:
    """Strengths in [0, 1] between at most so many rows, or a message that says what is wrong."""
    given = X.checked() if isinstance(X, Relations) else checked_matrix(X)
    n = given.n if isinstance(given, Relations) else len(given)
    if n > limit:
        raise errors.too_many(
            n,
            "profiles of one block",
            "fuzzy clustering",
            limit,
            ["average-linkage", "single-linkage", "a larger max_block"],
        )
    relations = given if isinstance(given, Relations) else Relations.from_dense(given)
    values = np.append(relations.strength, relations.default_strength)
    if values.min() < -OUTSIDE or values.max() > 1 + OUTSIDE:
        raise errors.strengths_wanted(float(values.min()), float(values.max()))
    return relations


def _ordered(membership: Floats) -> Floats:
    """Clusters in the order in which rows first have them as their best; clusters that are never best come last."""
    best = membership.argmax(axis=1)
    number = renumber(best)
    used = np.empty(int(number.max()) + 1, dtype=np.int64)
    used[number] = best
    rest = np.setdiff1d(np.flatnonzero(membership.any(axis=0)), used)
    return membership[:, np.concatenate([used, rest])]


OUTWEIGHS = -1.0
"""A soft weight from here down outweighs every strength: the rule keeps two rows apart unless a person disagrees."""


@dataclass(frozen=True, slots=True)
class ContractedRelation:
    """One row for each must-link group: mean strengths with the soft weights added, and who may not be together."""

    strengths: Floats
    sizes: Floats
    group: Rows
    """The contracted row of each given row."""
    cannot: Rows
    """Pairs that a person keeps apart."""
    ruled_out: Rows
    """Pairs that a rule keeps apart."""

    def closed(self, home: Rows, k: int) -> tuple[Rows, Rows]:
        """Rows and clusters: the cluster is the own one (of k) of a row that the row is kept apart from."""
        keys = [
            row * k + home[other] for pairs in (self.cannot, self.ruled_out) for row, other in (pairs.T, pairs.T[::-1])
        ]
        found = np.unique(np.concatenate(keys))
        return found // k, found % k


def contract(relations: Relations, limits: Constraints, sizes: Floats) -> ContractedRelation:
    matrix = leaned(relations, limits).dense().astype(np.float64)
    _, group = np.unique(limits.group, return_inverse=True)
    group = group.astype(np.int64)
    n = int(group.max()) + 1
    if n < len(matrix):
        member = sparse.csr_matrix((sizes, (group, np.arange(len(group)))), shape=(n, len(group)))
        total = np.asarray(member.sum(axis=1)).ravel()
        matrix = np.asarray(member @ (member @ matrix).T) / np.outer(total, total)
        sizes = total
    cannot = _distinct(group[limits.cannot], n)
    ruled_out = _distinct(group[limits.soft[limits.soft_weight <= OUTWEIGHS]], n)
    for pairs in (cannot, ruled_out):
        matrix[pairs[:, 0], pairs[:, 1]] = matrix[pairs[:, 1], pairs[:, 0]] = 0.0
    np.clip(matrix, 0.0, 1.0, out=matrix)
    np.fill_diagonal(matrix, 1.0)
    return ContractedRelation(matrix, sizes, group, cannot, ruled_out)


def _distinct(pairs: Rows, n: int) -> Rows:
    """Each pair once, the smaller number first; what became one row is no pair."""
    low, high = np.sort(pairs.reshape(-1, 2), axis=1).T.astype(np.int64)
    keys = np.unique((low * n + high)[low != high])
    return np.column_stack([keys // n, keys % n])


def homes(membership: Floats, cannot: Rows) -> Rows:
    """Each row's best cluster that no row has which it may not be with; a number past the last is a new cluster.

    The surest rows choose first.
    """
    home = membership.argmax(axis=1)
    if not len(cannot):
        return home
    enemies: dict[int, list[int]] = {}
    for a, b in cannot:
        enemies.setdefault(int(a), []).append(int(b))
        enemies.setdefault(int(b), []).append(int(a))
    new = membership.shape[1]
    chosen = np.full(len(membership), -1, dtype=np.int64)
    for row in np.argsort(-membership.max(axis=1), kind="stable"):
        if row not in enemies:
            chosen[row] = home[row]
            continue
        taken = {int(chosen[enemy]) for enemy in enemies[row]}
        free = [c for c in np.argsort(-membership[row], kind="stable") if c not in taken and membership[row, c] > 0]
        if free:
            chosen[row] = free[0]
        else:
            chosen[row] = new
            new += 1
    return chosen


def keep_apart(membership: Floats, cannot: Rows, theta: float) -> Floats:
    """Memberships under which no cannot-link is broken, changed only where one would be."""
    if not len(cannot):
        return membership
    home = homes(membership, cannot)
    n, k = len(membership), max(int(home.max()) + 1, membership.shape[1])
    kept = np.zeros((n, k))
    kept[:, : membership.shape[1]] = membership
    bound = np.unique(cannot)
    for a, b in np.concatenate([cannot, cannot[:, ::-1]]):
        kept[a, home[b]] = 0.0
    for row in bound:
        total = kept[row].sum()
        if total > 0:
            kept[row] *= membership[row].sum() / total
        else:
            kept[row, home[row]] = 1.0
    for a, b in cannot:
        for cluster in np.flatnonzero((kept[a] > theta) & (kept[b] > theta)):
            weaker = a if kept[a, cluster] < kept[b, cluster] else b
            kept[weaker, home[weaker]] += kept[weaker, cluster] - theta
            kept[weaker, cluster] = theta
    return kept
