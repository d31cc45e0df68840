"""Seconds for linkage clustering of n rows, as ratios to SciPy and scikit-learn on the same matrices in the same run,
for mean with maximum as a ratio to our average link, and for single link over a million edges, as a ratio to SciPy's
connected components.

    python benchmarks/linkage_speed.py [--sizes 500 1000 2000 5000] [--edges N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from sklearn.cluster import AgglomerativeClustering

from crossdoc.cluster.hierarchical import Linkage, LinkageClustering, renumber
from crossdoc.model import Relations
from crossdoc.model.evidence_protocol import Constraints

THRESHOLD = 0.8
LINKAGES: tuple[Linkage, ...] = ("average", "complete", "single")


def similarities(n: int, seed: int = 0) -> NDArray[np.float32]:
    """Cosines, scaled to [0, 1], of points round n/20 centres."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 20)) + 2 * rng.normal(size=(n // 20, 20))[rng.integers(0, n // 20, n)]
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    matrix = ((points @ points.T + 1) / 2).astype(np.float32)
    np.fill_diagonal(matrix, 1)
    return np.minimum(matrix, matrix.T)


def best_of(work: Callable[[], Any], times: int = 3) -> tuple[Any, float]:
    """The result, and the shortest of some runs: the others were disturbed."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        taken.append(time.perf_counter() - start)
    return result, min(taken)


def by_scipy(condensed: NDArray[np.float64], kind: str) -> NDArray[np.int32]:
    return fcluster(linkage(condensed, kind), 1 - THRESHOLD, "distance")


def by_scikit_learn(distances: NDArray[np.float64], kind: str) -> NDArray[np.int64]:
    clusterer = AgglomerativeClustering(None, metric="precomputed", linkage=kind, distance_threshold=1 - THRESHOLD)
    return clusterer.fit(distances).labels_


def dense(n: int) -> None:
    matrix = similarities(n)
    distances = 1 - matrix.astype(np.float64)
    condensed = squareform(distances, checks=False)
    rng = np.random.default_rng(1)
    apart = Constraints(n, np.arange(n, dtype=np.int32), np.sort(rng.integers(0, n, (n, 2)).astype(np.int32), axis=1))
    apart = Constraints(n, apart.group, apart.cannot[apart.cannot[:, 0] < apart.cannot[:, 1]])
    for kind in LINKAGES:
        ours, seconds = best_of(partial(LinkageClustering(kind, THRESHOLD).fit, matrix))
        _, limited = best_of(partial(LinkageClustering(kind, THRESHOLD).fit, matrix, constraints=apart))
        theirs, scipy_seconds = best_of(partial(by_scipy, condensed, kind))
        _, sklearn_seconds = best_of(partial(by_scikit_learn, distances, kind))
        assert (ours.labels_ == renumber(theirs)).all()
        print(
            f"{n:6,} {kind:9s} {seconds:8.3f} s {limited:8.3f} s {scipy_seconds:8.3f} s {sklearn_seconds:8.3f} s"
            f" {seconds / scipy_seconds:8.2f} {seconds / sklearn_seconds:8.2f}"
        )
    _, average = best_of(partial(LinkageClustering("average", THRESHOLD).fit, matrix))
    _, both = best_of(partial(LinkageClustering("mean-max", threshold=THRESHOLD).fit, matrix))
    _, limited = best_of(partial(LinkageClustering("mean-max", threshold=THRESHOLD).fit, matrix, constraints=apart))
    print(f"{n:6,} mean-max  {both:8.3f} s {limited:8.3f} s   {both / average:.2f} times our average link")


def edges(m: int) -> None:
    rng = np.random.default_rng(2)
    n = m // 2
    left, right = rng.integers(0, n, (2, m)).astype(np.int32)
    left, right = left[left != right], right[left != right]
    relations = Relations(n, left, right, rng.random(len(left), dtype=np.float32))
    kept = relations.strength >= THRESHOLD
    graph = sparse.coo_matrix((kept[kept], (left[kept], right[kept])), shape=(n, n))
    ours, seconds = best_of(partial(LinkageClustering("single", THRESHOLD).fit, relations))
    (_, theirs), scipy_seconds = best_of(lambda: connected_components(graph, directed=False))
    assert (ours.labels_ == renumber(theirs)).all()
    print(
        f"single link, {len(left):,} edges over {n:,} rows, memberships included: {seconds:.2f} s; "
        f"SciPy's connected components of the edges kept: {scipy_seconds:.2f} s; ratio {seconds / scipy_seconds:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[500, 1000, 2000, 5000])
    parser.add_argument("--edges", type=int, default=1_000_000)
    options = parser.parse_args()
    LinkageClustering("average").fit(similarities(40))
    LinkageClustering("single").fit(similarities(40))
    LinkageClustering("mean-max").fit(similarities(40))
    print("     n linkage    crossdoc  with n cannot-links  SciPy  scikit-learn  ours/SciPy  ours/scikit-learn")
    for n in options.sizes:
        dense(n)
    edges(options.edges)


if __name__ == "__main__":
    main()
