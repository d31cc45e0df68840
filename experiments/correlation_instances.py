"""Random problems of a known shape, on which solvers are measured and compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossdoc.model import IntArray, Relations


@dataclass(frozen=True, slots=True)
class Languages:
    """Article groups in some languages: similarities of all pairs, each group's language, and a bias."""

    similarity: npt.NDArray[np.float64]
    language: IntArray
    bias: float


def languages(
    n: int, n_languages: int = 8, positive: float = 0.01, noise: float = 1.0, dimensions: int = 30, seed: int = 0
) -> Languages:
    """n article groups, one a story and language, as in Van Gael & Zhu 2007: similarity − bias, one language a cluster.

    A story is a point, its article groups lie round it, and similarity is the cosine. The bias makes the share
    `positive` of the pairs across languages attractive.

    >>> drawn = languages(24, n_languages=3, positive=0.1)
    >>> drawn.similarity.shape, np.bincount(drawn.language).tolist()
    ((24, 24), [8, 8, 8])
    """
    rng = np.random.default_rng(seed)
    language, story = np.arange(n) % n_languages, np.arange(n) // n_languages
    points = rng.normal(size=(story[-1] + 1, dimensions))[story] + noise * rng.normal(size=(n, dimensions))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    similarity = points @ points.T
    similarity = (similarity + similarity.T) / 2
    first, second = np.triu_indices(n, 1)
    across = language[first] != language[second]
    bias = float(np.quantile(similarity[first[across], second[across]], 1 - positive))
    return Languages(similarity, language.astype(np.int32), bias)


def planted(
    n: int,
    mean_size: float = 8.0,
    inside: float = 0.65,
    across: float = 5.0,
    flipped: float = 0.05,
    reach: int = 60,
    seed: int = 0,
) -> tuple[Relations, IntArray]:
    """A sparse graph of signed weights with planted clusters, and the clusters.

    Sizes are geometric. A pair within a cluster is an edge with the probability `inside`; `across` edges a node lead to
    another cluster at most `reach` nodes on, as sorted neighbourhoods give candidates (0: to any node). Weights are
    |N(1, ½)|, attractive inside and repulsive across, and the share `flipped` of them has the wrong sign.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.geometric(1 / mean_size, n)
    cluster = np.repeat(np.arange(n), sizes)[:n]
    begin = np.searchsorted(cluster, cluster)
    # Each node with those before it in its cluster.
    before = np.arange(n) - begin
    a = np.repeat(np.arange(n), before)
    b = np.repeat(begin, before) + np.arange(len(a)) - np.repeat(np.cumsum(before) - before, before)
    kept = rng.random(len(a)) < inside
    c = rng.integers(0, n, int(across * n))
    d = (c + rng.integers(1, reach, len(c))) % n if reach else rng.integers(0, n, len(c))
    apart = cluster[c] != cluster[d]
    left, right = np.concatenate([a[kept], c[apart]]), np.concatenate([b[kept], d[apart]])
    key = np.unique(np.minimum(left, right) * n + np.maximum(left, right))
    left, right = key // n, key % n
    sign = np.where(cluster[left] == cluster[right], 1, -1) * np.where(rng.random(len(key)) < flipped, -1, 1)
    weight = sign * np.abs(rng.normal(1, 0.5, len(key)))
    pairs = Relations(n, left.astype(np.int32), right.astype(np.int32), weight.astype(np.float32))
    return pairs, cluster.astype(np.int32)
