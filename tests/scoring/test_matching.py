"""Matching of answer and gold entities."""

import numpy as np
import pytest

from crossdoc.scoring import (
    Alignment,
    ceaf_e,
    ceaf_m,
    matching,
)


@pytest.mark.parametrize("phi", [ceaf_m, ceaf_e])
def test_sparse_matching_equals_dense(phi, monkeypatch):
    rng = np.random.default_rng(7)
    for items in (5, 40, 300):
        aligned = Alignment.from_labels(rng.integers(0, items // 2, items), rng.integers(0, items // 3, items))
        dense = phi(aligned)
        monkeypatch.setattr(matching, "DENSE_CELLS", 0)
        sparse = phi(aligned)
        assert (dense.precision, dense.recall, dense.f1) == (sparse.precision, sparse.recall, sparse.f1)
        monkeypatch.undo()
