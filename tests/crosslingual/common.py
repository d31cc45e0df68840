"""Helpers of these tests."""

import numpy as np

from crossdoc.model import Relations


def relations(matrix, languages):
    n = len(matrix)
    left, right = np.triu_indices(n, k=1)
    across = (languages[left] != languages[right]) & (matrix[left, right] > 0)
    left, right = left[across].astype(np.int32), right[across].astype(np.int32)
    return Relations(n, left, right, matrix[left, right].astype(np.float32))


TSV = "# comment\nHaus\thouse, building\nHaus\thome\nin Gang setzen\tstart\nfliegen\tfly\n"
