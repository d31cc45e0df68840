"""Parts that clusterers share: checks of their input as scikit-learn's estimators do them, and memberships of labels.

Hard clusterers give labels; people also want to know how sure they are and what else it could have been. How much each
row belongs to each cluster follows from the strengths alone.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from crossdoc import errors
from crossdoc.cluster.linkage_kernels import mean_strengths
from crossdoc.model import IntArray, Relations, Vectors
from crossdoc.model.evidence_protocol import ROWS_AT_ONCE, Constraints

SMALLEST_MEMBERSHIP = 0.05
"""Below it a membership is left out: contexts that share nothing still have a strength of about a seventh."""
SHARPNESS = 1 / (1.6 - 1)
"""The exponent 1/(m−1) of fuzzy c-means at the fuzzifier m = 1.6 of Huang et al. 2009."""


MOST_ALTERNATIVES = 10
"""Other clusters a row may belong to: among thousands of weak ones even a sure row would belong nowhere."""
MOST_SHARED = 0.3
"""Rows that may not be together are never both above this in one cluster: the θ at which Huang et al. 2009 cut."""
KEPT_APART = -1.0
"""The soft weight from which no strength can make up for it."""
A_LITTLE = 1e-9
MAX_BLOCK = 20_000
"""Rows of one dense block: 20,000² single-precision strengths are 1.6 GB."""
DENSE_SHARE = 0.4
"""Pairs per row squared from which one matrix is cheaper than components (all pairs are 0.5)."""


def leaned(relations: Relations, constraints: Constraints) -> Relations:
    """The pairs with the soft constraints added to their strengths (to the default's, for a pair not compared)."""
    if not len(constraints.soft):
        return relations
    n = relations.n
    low = np.concatenate([np.minimum(relations.left, relations.right), constraints.soft.min(axis=1)]).astype(np.int64)
    high = np.concatenate([np.maximum(relations.left, relations.right), constraints.soft.max(axis=1)])
    value = np.concatenate([relations.strength - relations.default_strength, constraints.soft_weight])
    key, where = np.unique(low * n + high, return_inverse=True)
    total = np.bincount(where, weights=value, minlength=len(key)) + relations.default_strength
    kept = key // n != key % n
    left, right = (key[kept] // n).astype(np.int32), (key[kept] % n).astype(np.int32)
    return Relations(n, left, right, total[kept].astype(np.float32), relations.default_strength)


def full_matrix(pairs: Relations, max_block: int = MAX_BLOCK) -> npt.NDArray[np.float32] | None:
    """All strengths, if most pairs of at most so many rows are given."""
    return pairs.dense() if pairs.n <= max_block and len(pairs) > DENSE_SHARE * pairs.n**2 else None


def kept_apart(constraints: Constraints) -> npt.NDArray[np.int32]:
    """The pairs that a judgement or a rule keeps apart whatever their strength; soft judgements may outweigh a rule."""
    n = constraints.n
    a, b = np.sort(constraints.soft, axis=1).astype(np.int64).T
    code, where = np.unique(a * n + b, return_inverse=True)
    weight = np.bincount(where, weights=constraints.soft_weight, minlength=len(code))
    ruled = np.column_stack(np.divmod(code[weight <= KEPT_APART], max(n, 1)))
    return np.concatenate([constraints.cannot, ruled]).astype(np.int32)


def soften(
    pairs: Relations,
    labels: npt.NDArray[Any],
    constraints: Constraints,
    threshold: float,
    matrix: npt.NDArray[np.float32] | None = None,
) -> sparse.csr_matrix:
    """Memberships u_jc ∝ s_jc^(1/(m−1)), where s_jc is the mean strength of row j to the other members of cluster c.

    A row's own cluster counts at least as much as the threshold (a singleton would be joined to nothing weaker) and
    more than any other, so that hardening gives the labels back. The ten strongest others count, if their
    rows were compared at all. Rows that must be one share their memberships; a cluster that holds a row it may not be
    with counts nothing, and of two rows that may not be together at most one has more than θ in a third cluster.
    `matrix` is the pairs in full, if the caller has it.
    """
    n, k = pairs.n, int(labels.max(initial=-1)) + 1
    if not n:
        return sparse.csr_matrix((0, 0))
    _, first, group = np.unique(constraints.group, return_index=True, return_inverse=True)
    home = labels[first].astype(np.int64)
    pairs_apart = kept_apart(constraints)
    apart = group[np.concatenate([pairs_apart, pairs_apart[:, ::-1]])].astype(np.int64)
    closed = np.unique(apart[:, 0] * k + home[apart[:, 1]])

    groups = (np.argsort(group, kind="stable"), _starts(group, len(first)), home, np.bincount(labels, minlength=k))
    limits = (closed % k, _starts(closed // k, len(first)), MOST_ALTERNATIVES)
    numbers = labels.astype(np.int32)
    matrix = full_matrix(pairs) if matrix is None else matrix
    graph: tuple[Any, ...]
    if matrix is not None:
        none = np.zeros(0, dtype=np.int32)
        graph = np.zeros(0, dtype=np.int64), none, np.zeros(0, dtype=np.float32), 0.0
    else:
        matrix = np.zeros((0, 0), dtype=np.float32)
        graph = *symmetric_rows(n, pairs.left, pairs.right, pairs.strength), float(pairs.default_strength)
    own, others, mean = mean_strengths(matrix, *graph, numbers, *groups, *limits)
    own = np.maximum(own, max(threshold, 1e-6))
    own = np.maximum(own, mean[:, 0] * (1 + A_LITTLE))

    row, slot = np.nonzero(others >= 0)
    where = np.concatenate([row, np.arange(len(first))]), np.concatenate([others[row, slot], home])
    value = _shares(np.concatenate([mean[row, slot], own]) ** SHARPNESS, where[0])
    kept = value >= SMALLEST_MEMBERSHIP
    row, column = where[0][kept], where[1][kept]
    shared = sparse.csr_matrix((_shares(value[kept], row), (row, column)), shape=(len(first), k))
    _keep_apart(shared, home, group[constraints.cannot])
    return shared[group]


def _shares(value: npt.NDArray[np.float64], row: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Each value as a share of its row's sum."""
    return value / np.bincount(row, weights=value)[row]


def symmetric_rows(
    n: int, left: npt.NDArray[Any], right: npt.NDArray[Any], value: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], IntArray, npt.NDArray[Any]]:
    """Rows of a symmetric graph, neighbours ascending; values of a pair that is listed twice are added up."""
    ends = np.concatenate([left, right]), np.concatenate([right, left])
    rows = sparse.coo_matrix((np.concatenate([value, value]), ends), shape=(n, n)).tocsr()
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False), rows.data


def connected(n: int, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """The connected part of each row, given the pairs that connect them.

    >>> connected(3, np.array([0]), np.array([2])).tolist()
    [0, 1, 0]
    """
    links = sparse.coo_matrix((np.ones(len(left), dtype=np.int8), (left, right)), shape=(n, n))
    return connected_components(links, directed=False)[1] if n else np.zeros(0, dtype=np.int32)


def _starts(numbers: npt.NDArray[Any], n: int) -> npt.NDArray[np.int64]:
    """Return the bounds of each of 0 … n−1 in a sorted list of these numbers."""
    return np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=n))]).astype(np.int64)


def _keep_apart(shared: sparse.csr_matrix, home: npt.NDArray[np.int64], apart: npt.NDArray[np.int64]) -> None:
    """Limit the weaker of two groups that both exceed θ in a cluster to θ, and move the rest to its own."""
    torn = np.asarray((shared > MOST_SHARED).sum(axis=1)).ravel() > 1
    shared.sort_indices()
    for a, b in apart[torn[apart].all(axis=1)]:
        slices = [slice(shared.indptr[g], shared.indptr[g + 1]) for g in (a, b)]
        _, *places = np.intersect1d(*(shared.indices[part] for part in slices), return_indices=True)
        for at_a, at_b in zip(*places, strict=True):
            x, y = slices[0].start + at_a, slices[1].start + at_b
            if min(shared.data[x], shared.data[y]) <= MOST_SHARED:
                continue
            weaker, part, place = (a, slices[0], x) if shared.data[x] < shared.data[y] else (b, slices[1], y)
            at_home = part.start + np.searchsorted(shared.indices[part], home[weaker])
            shared.data[at_home] += shared.data[place] - MOST_SHARED
            shared.data[place] = MOST_SHARED


MOST_SEED = 2**32 - 1


class SimilarityClusterer(ClusterMixin, BaseEstimator):
    """The base of clusterers whose X holds similarities of all pairs, or :class:`Relations`."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


def validated(
    estimator: BaseEstimator, X: Any, problem: Callable[[str], errors.InputError], *, accept_sparse: bool = False
) -> Any:
    """A matrix of real numbers, at least one row and column; our own nouns, which may be empty, as they are.

    `problem` makes the message. Whether the numbers are finite is left to who knows which rows they are of.
    """
    if isinstance(X, Relations | Vectors):
        estimator.n_features_in_ = X.n if isinstance(X, Relations) else X.matrix.shape[1]
        return X
    try:
        return validate_data(
            estimator,
            X,
            accept_sparse="csr" if accept_sparse else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
    except ValueError as error:
        raise problem(str(error).rstrip(".")) from error


def check_number(
    name: str, value: object, wanted: str, low: float, high: float = np.inf, *, whole: bool = False
) -> None:
    """Refuse a parameter that is no number of this range."""
    given = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
    number = float(value) if given else np.nan  # type: ignore[arg-type]
    if not low <= number <= high:
        raise errors.bad_parameter(name, value, wanted)


def check_seed(random_state: object) -> None:
    """Refuse a `random_state` that is no seed: a generator would make two fits of one estimator differ."""
    wanted = f"a whole number from 0 to {MOST_SEED:,}"
    check_number("random_state", random_state, wanted, 0, MOST_SEED, whole=True)


def checked_matrix(X: Any) -> npt.NDArray[np.floating[Any]]:
    """A square, symmetric matrix of finite numbers, or a message that says what is wrong with it."""
    try:
        matrix = np.asarray(X)
        matrix = matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise errors.bad_similarities(f"they are not numbers ({error})") from error
    if matrix.ndim != 2:
        raise errors.bad_similarities(f"the shape {matrix.shape} is not square")
    starts = range(0, len(matrix), ROWS_AT_ONCE)
    for start in starts:
        finite = np.isfinite(matrix[start : start + ROWS_AT_ONCE])
        if not finite.all():
            at, of = np.unravel_index(np.argmin(finite), finite.shape)
            reason = f"some are not finite (NaN or infinite), the first at rows {start + at} and {of}"
            raise errors.bad_similarities(reason)
    if matrix.shape[0] != matrix.shape[1]:
        raise errors.bad_similarities(f"the shape {matrix.shape} is not square")
    for start in starts:
        rows, columns = matrix[start : start + ROWS_AT_ONCE], matrix[:, start : start + ROWS_AT_ONCE].T
        gap = np.abs(rows - columns)
        if gap.max() > 1e-5 * max(1.0, rows.max(), -rows.min()):
            at, of = np.unravel_index(np.argmax(gap), rows.shape)
            reason = f"row {start + at} to row {of} is {rows[at, of]:g}, and back {columns[at, of]:g}"
            raise errors.bad_similarities(f"the matrix is not symmetric: {reason}")
    return matrix


def checked_limits(constraints: Constraints | None, n: int) -> Constraints:
    """The constraints of n rows, none if none are given."""
    limits = constraints or Constraints.none(n)
    if limits.n != n:
        raise errors.misfit("The constraints", n, f"they are about {limits.n:,} rows")
    return limits


def checked_weights(weights: npt.ArrayLike | None, n: int) -> npt.NDArray[np.float64]:
    if weights is None:
        return np.ones(n)
    sizes = np.asarray(weights, dtype=np.float64)
    if sizes.shape != (n,):
        raise errors.misfit("Values of sample_weight", n, f"their shape is {sizes.shape}")
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        raise errors.misfit("Values of sample_weight", n, "some are zero, negative or not finite")
    return sizes
