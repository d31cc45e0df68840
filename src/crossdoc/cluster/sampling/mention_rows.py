"""Rows of contexts with names as further columns, from which the factor graph is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import njit
from scipy import sparse

from crossdoc import errors
from crossdoc.memory import free_bytes
from crossdoc.model import Vectors

Agreeing = Callable[[Sequence[str]], npt.ArrayLike]
"""Returns the pairs of n distinct names that can be one entity's, as sorted codes a·n + b, each name with itself
included."""


BYTES_PER_CELL = 34
"""8 for the rows, 8 for the blocks (at most as many cells again), 18 for tables: slots of 8 bytes, half full."""
BYTES_PER_NODE = 400


def check_memory(mentions: int, cells: int) -> None:
    """Refuse a job that needs more memory than is free."""
    needed, free = BYTES_PER_CELL * cells + BYTES_PER_NODE * mentions, free_bytes()
    if free is not None and needed > free:
        raise errors.too_little_memory(needed, free, mentions)


def checked_rows(X: Any) -> sparse.csr_matrix:
    """A matrix of finite numbers with sorted rows, or a message that says what is wrong with it."""
    given = X.matrix if isinstance(X, Vectors) else X
    try:
        matrix = sparse.csr_matrix(given)
    except (TypeError, ValueError) as error:
        raise errors.bad_vectors(f"they are not numbers ({error})") from error
    if matrix.dtype.kind not in "fiu":
        raise errors.bad_vectors(f"they are {matrix.dtype}, not numbers")
    if matrix.dtype != np.float32:
        matrix = matrix.astype(np.float32)
    if not np.isfinite(matrix.data).all():
        raise errors.bad_vectors("some are not finite (NaN or infinite)")
    if not matrix.has_canonical_format:
        matrix = matrix.copy() if matrix is given else matrix
        matrix.sum_duplicates()
    return matrix


def row_order(matrix: sparse.csr_matrix, names: Sequence[str] | npt.NDArray[Any] | None) -> npt.NDArray[np.int64]:
    """Rows by name and by a hash of what they hold, so that whatever is drawn at random is drawn whatever their order.

    >>> rows = sparse.csr_matrix(np.array([[1, 0], [0, 2], [1, 0]], dtype=np.float32))
    >>> row_order(rows, ["b", "b", "a"])[0]
    np.int64(2)
    """
    n = matrix.shape[0]
    rank = np.zeros(n, dtype=np.int64)
    if names is not None:
        code, distinct = checked_codes(names, n), name_codes(names)[1]
        place = np.empty(len(distinct) + 1, dtype=np.int64)
        place[sorted(range(len(distinct)), key=distinct.__getitem__)] = np.arange(len(distinct))
        place[-1] = -1
        rank = place[code]
    return np.lexsort((row_hashes(matrix.indptr, matrix.indices, matrix.data.view(np.uint32)), rank))


@njit(cache=True, nogil=True)
def row_hashes(start, feature, bits):  # type: ignore[no-untyped-def]
    """A number for each row that depends on its features and the bits of their values."""
    found = np.empty(len(start) - 1, dtype=np.uint64)
    for i in range(len(found)):
        z = np.uint64(0x9E3779B97F4A7C15)
        for c in range(start[i], start[i + 1]):
            z ^= (np.uint64(feature[c]) << np.uint64(32)) | np.uint64(bits[c])
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found[i] = z
    return found


def with_names(
    matrix: sparse.csr_matrix,
    names: Sequence[str] | npt.NDArray[Any] | None,
    weight: float,
    compatible: float = 0.0,
    agreeing: Agreeing | None = None,
) -> tuple[sparse.csr_matrix, sparse.csr_matrix | None]:
    """Stored rows, and query rows where they differ: query · stored = cos + weight·[same name] + compatible·[agree].

    A name is a column. If only the same name counts, its value is √weight on both sides, else it is 1 in the stored
    row, and the query row holds the weight of each name that agrees with it. An empty name is like no other. `agreeing`
    says which names agree, and is needed where `compatible` is above 0.
    """
    if names is None:
        return matrix, None
    code = checked_codes(names, matrix.shape[0])
    if not weight and not compatible:
        return matrix, None
    if not compatible:
        return named_rows(matrix, code, weight)
    if agreeing is None:
        raise errors.clash_without_agreeing()
    distinct = name_codes(names)[1]
    which = _one_column_a_name(code, len(distinct))
    agree = compatibility(distinct, agreeing).astype(np.float32) * np.float32(compatible)
    worth = agree + sparse.identity(len(distinct), dtype=np.float32, format="csr") * np.float32(weight)
    cells = np.diff(worth.indptr)[code[code >= 0]].sum()
    check_memory(matrix.shape[0], 2 * matrix.nnz + int(cells))
    return _beside(matrix, which), _beside(matrix, (which @ worth).tocsr())


def named_rows(matrix: sparse.csr_matrix, code: npt.NDArray[np.int32], weight: float) -> tuple[sparse.csr_matrix, None]:
    """Append a column for each name, of value √weight."""
    if not weight or not (code >= 0).any():
        return matrix, None
    names = _one_column_a_name(code, int(code.max()) + 1)
    return _beside(matrix, names * np.float32(np.sqrt(weight))), None


def _one_column_a_name(code: npt.NDArray[np.int32], names: int) -> sparse.csr_matrix:
    named = np.flatnonzero(code >= 0)
    ones = np.ones(len(named), dtype=np.float32)
    return sparse.csr_matrix((ones, (named, code[named])), shape=(len(code), names))


def checked_codes(names: Sequence[str] | npt.NDArray[Any], rows: int) -> npt.NDArray[np.int32]:
    """The number of each row's name, or a message that there is not one for each."""
    if isinstance(names, str) or np.ndim(np.asarray(names, dtype=object)) != 1:
        raise errors.bad_names()
    if len(names) != rows:
        raise errors.names_of_other_rows(len(names), rows)
    return name_codes(names)[0]


def name_codes(names: Sequence[str] | npt.NDArray[Any]) -> tuple[npt.NDArray[np.int32], list[str]]:
    """A number for each distinct name, −1 for an empty one (None, "" or NaN), and the names in that order.

    >>> name_codes(["b", "a", "", "b"])
    (array([ 0,  1, -1,  0], dtype=int32), ['b', 'a'])
    """
    encoded = pa.array(
        [str(name) if name and name == name else None for name in names], pa.string()
    ).dictionary_encode()
    code = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return code, encoded.dictionary.to_pylist()


def _beside(left: sparse.csr_matrix, right: sparse.csr_matrix) -> sparse.csr_matrix:
    both = sparse.hstack([left, right], format="csr", dtype=np.float32)
    both.sort_indices()
    return both


def compatibility(names: Sequence[str], agreeing: Agreeing) -> sparse.csr_matrix:
    """Which distinct names can be one entity's, the diagonal included.

    >>> def same_initial(names):
    ...     return [a * len(names) + b for a, x in enumerate(names) for b, y in enumerate(names) if x[0] == y[0]]
    >>> compatibility(["Ann", "Bob", "A."], same_initial).toarray().astype(int).tolist()
    [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    """
    n = len(names)
    a, b = np.divmod(np.asarray(agreeing(names), dtype=np.int64), max(n, 1))
    return sparse.csr_matrix((np.ones(len(a), dtype=np.float32), (a, b)), shape=(n, n))
