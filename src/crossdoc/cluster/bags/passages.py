"""Contexts that are one passage: two that share half of the words of the longer.

Candidates are found by min-hashing (Broder 1997, doi:10.1109/SEQUEN.1997.666900), and looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from crossdoc.cluster.estimators import connected
from crossdoc.cluster.sampling.factor_graph import in_pieces

FEWEST_WORDS, BANDS = 6, 12
"""Contexts of fewer words may be the same by chance; of pairs with two thirds in common one in thirty is missed."""


def first_alike(start: npt.NDArray[Any], feature: npt.NDArray[Any], threads: int = 1) -> npt.NDArray[np.int64]:
    """For each row the first with which it shares half of the words of the longer, or that does with one that does."""
    length, n = np.diff(start), len(start) - 1
    rows = np.flatnonzero(length >= FEWEST_WORDS)
    seeds = np.random.default_rng(0).integers(0, 2**63, (BANDS, 2), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    least, codes = np.empty((n, 2), dtype=np.uint64), []
    for pair_of_seeds in seeds:
        in_pieces(least_hashes, n, threads, start, feature, pair_of_seeds, least)
        # Alike rows often share the key of a band; those that follow one another among rows of a key are candidates.
        key = least[rows, 0] ^ (least[rows, 1] * np.uint64(0x9E3779B97F4A7C15))
        order = np.argsort(key, kind="stable")
        same = np.flatnonzero(key[order][1:] == key[order][:-1])
        # Pairs as numbers: to sort pairs takes ten times as long.
        codes.append(rows[order[same]] * n + rows[order[same + 1]])
    left, right = np.divmod(np.unique(np.concatenate(codes)), max(n, 1))
    shape = n, int(feature.max(initial=-1)) + 1
    held = sparse.csr_matrix((np.ones(len(feature), dtype=np.int32), feature, start), shape=shape)
    common = np.asarray(held[left].multiply(held[right]).sum(axis=1)).ravel()
    alike = 2 * common >= np.maximum(length[left], length[right])
    passage = connected(n, left[alike], right[alike])
    return np.unique(passage, return_index=True)[1][passage]


@njit(cache=True, nogil=True)
def least_hashes(start, feature, seeds, least, first, last):  # type: ignore[no-untyped-def]
    """For each row the least of its features' hashes, by each seed: rows share them as often as they are alike."""
    for i in range(first, last):
        for k in range(len(seeds)):
            lowest = np.uint64(0xFFFFFFFFFFFFFFFF)
            for c in range(start[i], start[i + 1]):
                z = (np.uint64(feature[c]) + np.uint64(1)) * seeds[k]
                z = (z ^ (z >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
                lowest = min(lowest, z ^ (z >> np.uint64(29)))
            least[i, k] = lowest
