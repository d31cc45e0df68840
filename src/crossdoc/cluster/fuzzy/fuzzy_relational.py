"""Base of KARC, ARCA and FRC: input checks, constraints, and the partition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import Tags

from crossdoc import errors
from crossdoc.cluster.estimators import (
    SimilarityClusterer,
    check_number,
    check_seed,
    checked_matrix,
    checked_weights,
    leaned,
    validated,
)
from crossdoc.cluster.fuzzy.gram_means import (
    CHOOSE,
    MEANS_PARAMETERS,
    ONE_CLUSTER,
    STARTS,
    CMeans,
    Floats,
    Found,
    Gram,
    Validity,
)
from crossdoc.cluster.hierarchical import renumber
from crossdoc.model import Partition, Relations
from crossdoc.model.evidence_protocol import Constraints

MAX_FUZZY_ROWS = 10_000
"""Rows of one block: each N × N matrix in double precision takes 0.8 GB then, and a few are needed."""
EARLIER = "those of an earlier answer"
OUTSIDE = 1e-6
"""Strengths may leave [0, 1] by this much, as single-precision cosines do."""


class FuzzyRelational(SimilarityClusterer):
    """The base of the fuzzy clusterers; a subclass says what the inner products of the rows are."""

    n_clusters: int | None
    m: Any
    theta: float
    random_state: int
    max_block: int

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {"start": STARTS, "choose": CHOOSE, "one_cluster": ONE_CLUSTER}
    REQUIREMENTS: ClassVar[tuple[tuple[str, str, float, float], ...]] = (
        ("m", "above 1 (1.6 in Huang et al. 2009)", np.nextafter(1.0, 2.0), np.finfo(np.float64).max),
        ("theta", "between 0 and 1", 0.0, 1.0),
        ("tol", "at least 0", 0.0, np.inf),
        ("max_iter", "a whole number of at least 1", 1, np.inf),
        ("n_init", "a whole number of at least 1", 1, np.inf),
        ("max_clusters", "a whole number of at least 2", 2, np.inf),
        ("max_block", "a whole number of at least 1", 1, np.inf),
        ("n_clusters", "a whole number of at least 1", 1, np.inf),
        ("noise", "a squared distance above 0", np.nextafter(0, 1), np.inf),
        ("gamma", "above 0, or 'scale'", np.nextafter(0, 1), np.inf),
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
        start: npt.NDArray[np.int64] | None = None,
    ) -> Self:
        """Cluster a similarity matrix or :class:`Relations`; `sample_weight` counts a row as that many.

        `start` are the clusters of an earlier answer, −1 for rows that were not in it: these are placed among the
        centres of the others.
        """
        self._check_parameters()
        relations = checked_strengths(validated(self, X, errors.bad_similarities), self.max_block)
        limits = constraints or Constraints.none(relations.n)
        if limits.n != relations.n:
            raise errors.constraints_of_other_rows(limits.n, relations.n)
        sizes = checked_weights(sample_weight, relations.n)
        if not relations.n:
            membership, objective, found, steps = np.zeros((0, 0)), 0.0, Validity.of(0, "there are no rows"), 0
        else:
            given = contract(relations, limits, sizes)
            n = len(given.strengths)
            if self.n_clusters is not None and self.n_clusters > n:
                raise errors.more_clusters_than_rows(self.n_clusters, n)
            begun = None if start is None else begun_with(start, given)
            membership, objective, found, steps = (
                self._soft_partition(given) if begun is None else self._from(given, begun)
            )
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
            if value is not None and not callable(value) and value not in choices:
                raise errors.unknown_choice(name, str(value), choices)
        check_seed(self.random_state)
        for name, wanted, low, high in self.REQUIREMENTS:
            value = getattr(self, name, None)
            if value is not None and not (name == "gamma" and value == "scale"):
                check_number(name, value, wanted, low, high, whole="whole" in wanted)

    def _chosen(self, name: str) -> Any:
        """A parameter as it counts."""
        return getattr(self, name)

    def _gram(self, strengths: Floats) -> Gram:
        """The inner products of the rows."""
        raise NotImplementedError

    def _means(self) -> CMeans:
        return CMeans(self._gram, **{name: self._chosen(name) for name in MEANS_PARAMETERS})

    def _soft_partition(self, given: ContractedRelation) -> Found:
        """Memberships of the contracted rows, the objective, how the number of clusters was found, and iterations."""
        return self._means().run(given, self.n_clusters)

    def _from(self, given: ContractedRelation, labels: npt.NDArray[np.int64]) -> Found:
        """The same on from an earlier answer, in which rows of −1 were not."""
        return self._means().run_from(given, labels, EARLIER)


def checked_strengths(X: Any, limit: int) -> Relations:
    """Strengths in [0, 1] between at most so many rows, or a message that says what is wrong."""
    given = X.checked() if isinstance(X, Relations) else checked_matrix(X)
    n = given.n if isinstance(given, Relations) else len(given)
    if n > limit:
        raise errors.too_many_for_fuzzy(n, limit)
    relations = given if isinstance(given, Relations) else Relations.from_dense(given)
    values = np.append(relations.strength, relations.default_strength)
    if values.min() < -OUTSIDE or values.max() > 1 + OUTSIDE:
        raise errors.strengths_wanted(float(values.min()), float(values.max()))
    return relations


def begun_with(start: npt.NDArray[np.int64], given: ContractedRelation) -> npt.NDArray[np.int64] | None:
    """The earlier clusters of contracted rows, from 0 on (−1: none); None where no row has one.

    A cluster of rows that may no longer be together is none.
    """
    labels = np.full(len(given.strengths), -1)
    known = np.flatnonzero(start >= 0)[::-1]
    labels[given.group[known]] = start[known]
    a, b = labels[given.cannot.T]
    labels[np.isin(labels, a[a == b])] = -1
    labels[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)[1]
    return labels if labels.max() >= 0 else None


def _ordered(membership: Floats) -> Floats:
    """Clusters in the order in which rows first have them as their best; clusters that are never best come last."""
    best = membership.argmax(axis=1)
    number = renumber(best)
    used = np.empty(int(number.max()) + 1, dtype=np.int64)
    used[number] = best
    rest = np.setdiff1d(np.flatnonzero(membership.any(axis=0)), used)
    return membership[:, np.concatenate([used, rest])]


Pairs = npt.NDArray[np.int64]
OUTWEIGHS = -1.0
"""A soft weight from here down outweighs every strength: the rule keeps two rows apart unless a person disagrees."""


@dataclass(frozen=True, slots=True)
class ContractedRelation:
    """One row for each must-link group: mean strengths with the soft weights added, and who may not be together."""

    strengths: Floats
    sizes: Floats
    group: Pairs
    """The contracted row of each given row."""
    cannot: Pairs
    """Pairs that a person keeps apart."""
    ruled_out: Pairs
    """Pairs that a rule keeps apart."""

    def closed(self, home: Pairs, k: int) -> tuple[Pairs, Pairs]:
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


def _distinct(pairs: npt.NDArray[np.int64], n: int) -> Pairs:
    """Each pair once, the smaller number first; what became one row is no pair."""
    low, high = np.sort(pairs.reshape(-1, 2), axis=1).T.astype(np.int64)
    keys = np.unique((low * n + high)[low != high])
    return np.column_stack([keys // n, keys % n])


def homes(membership: Floats, cannot: Pairs) -> npt.NDArray[np.int64]:
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


def keep_apart(membership: Floats, cannot: Pairs, theta: float) -> Floats:
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
