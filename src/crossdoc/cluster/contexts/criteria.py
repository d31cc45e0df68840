"""The criterion functions of context clustering, exactly as defined, on given labels (Zhao & Karypis 2004,
doi:10.1023/B:MACH.0000027785.44527.d6; Pedersen & Kulkarni 2006, section 3).

Over unit vectors, with S_r the sum of cluster r, n_r its size and S the sum of all:
I1 = Σ_r ‖S_r‖²/n_r, I2 = Σ_r ‖S_r‖, E1 = Σ_r n_r (S_r·S)/‖S_r‖, H1 = I1/E1, H2 = I2/E1. For similarities,
‖S_r‖² = Σ_{i,j∈r} s_ij and S_r·S = Σ_{i∈r} Σ_j s_ij. E1 is minimised, the others maximised.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.contexts.criterion_kernels import E1, H1, H2, I1, I2

Criterion = Literal["i1", "i2", "e1", "h1", "h2"]
CODES: dict[str, int] = {"i1": I1, "i2": I2, "e1": E1, "h1": H1, "h2": H2}
Floats = npt.NDArray[np.float64]


def code_of(criterion: str) -> int:
    if criterion not in CODES:
        raise errors.unknown_choice("criterion", criterion, list(CODES))
    return CODES[criterion]


def criterion_value(
    criterion: Criterion,
    X: Any,
    labels: npt.ArrayLike,
    *,
    space: Literal["vector", "similarity"] = "vector",
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """A criterion's value on given labels; X holds unit-length rows, or similarities of all pairs.

    >>> rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> criterion_value("i2", rows, [0, 0, 1]), criterion_value("i1", rows @ rows.T, [0, 0, 0], space="similarity")
    (3.0, 1.6666666666666667)
    """
    code = code_of(criterion)
    _, cluster = np.unique(np.asarray(labels), return_inverse=True)
    n = len(cluster)
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    belongs = sparse.csr_matrix((weight, (cluster, np.arange(n))), shape=(int(cluster.max(initial=-1)) + 1, n))
    size = np.bincount(cluster, weights=weight).astype(np.float64)
    if space == "vector":
        sums = _dense(belongs @ X)
        square, cross = (sums**2).sum(axis=1), sums @ sums.sum(axis=0)
    else:
        between = _dense(belongs @ X @ belongs.T)
        square, cross = np.diag(between), between.sum(axis=1)
    return from_parts(code, size, square, cross)


def from_parts(code: int, size: Floats, square: Floats, cross: Floats) -> float:
    """A criterion's value from each cluster's n_r, ‖S_r‖² and S_r·S; a cluster of empty rows adds nothing."""
    length = np.sqrt(np.maximum(square, 0))
    outer = np.divide(size * cross, length, out=np.zeros(len(size)), where=length > 0).sum()
    inner = (square / size).sum() if code in (I1, H1) else length.sum()
    if code in (I1, I2):
        return float(inner)
    return float(outer) if code == E1 else float(inner / outer) if outer else 0.0


def _dense(matrix: Any) -> Floats:
    found = matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)
    return found.astype(np.float64)
