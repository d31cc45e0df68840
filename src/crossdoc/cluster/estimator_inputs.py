"""Input checks of clusterers, as scikit-learn's estimators do them: similarities, rows of vectors, weights."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from crossdoc import errors
from crossdoc.model import ROWS_AT_ONCE, Relations, Vectors

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
    number = float(value) if isinstance(value, Integral if whole else Real) else np.nan
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


def checked_weights(weights: npt.ArrayLike | None, n: int) -> npt.NDArray[np.float64]:
    if weights is None:
        return np.ones(n)
    sizes = np.asarray(weights, dtype=np.float64)
    if sizes.shape != (n,):
        raise errors.bad_row_weights(f"the shape {sizes.shape} is not that of {n:,} rows")
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        raise errors.bad_row_weights("some are zero, negative or not finite")
    return sizes
