"""Seconds of the fuzzy clusterers, an iteration as a ratio to scikit-fuzzy's c-means on the same rows in the same run.

    python benchmarks/fuzzy_speed.py [--sizes 500 1000 2000] [--clusters 50] [--large]

`--large` adds N = 10,000 with C = 100. Memory is the most that the process has held.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import skfuzzy  # type: ignore[import-untyped]
from numpy.typing import NDArray

from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.cluster.fuzzy.gram_means import Gram, settle

ITERATIONS = 10


def strengths(n: int, people: int, seed: int = 0) -> NDArray[np.float64]:
    """Strengths round 0.8 within a person and 0.2 across, as an ensemble gives them."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, people, n)
    matrix = rng.normal(0.2, 0.1, (n, n))
    matrix += 0.6 * (who[:, None] == who)
    matrix += matrix.T
    matrix *= 0.5
    np.clip(matrix, 0.0, 1.0, out=matrix)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def best_of(work: Callable[[], Any], times: int = 3) -> float:
    """The shortest of some runs: the others were disturbed."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def iteration(n: int, k: int) -> None:
    rows = strengths(n, k)
    start = np.random.default_rng(1).dirichlet(np.ones(k), n)

    def ours() -> None:
        gram = Gram(rows @ rows.T)
        settle(gram, gram.to_centres(start**1.6)[0], np.ones(n), 1.6, 0.0, ITERATIONS)

    def theirs() -> None:
        skfuzzy.cmeans(rows.T, k, 1.6, error=0.0, maxiter=ITERATIONS, init=start.T)

    mine, peer = best_of(ours) / ITERATIONS, best_of(theirs, 2) / ITERATIONS
    print(f"{n:6,} {k:4} {mine * 1e3:10.2f} ms {peer * 1e3:10.2f} ms {peer / mine:8.1f}")


def whole(n: int, k: int) -> None:
    rows = strengths(n, k)
    for name, clusterer in (
        ("KARC as printed", KARC(k, variant="paper", n_init=1)),
        ("KARC linked", KARC()),
        ("ARCA", ARCA(k, n_init=1)),
        ("FRC", FRC(k, n_init=1)),
    ):
        seconds = best_of(lambda clusterer=clusterer: clusterer.fit(rows), 1)  # type: ignore[misc]
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        found = f"{name:16} N = {n:,}, C = {clusterer.n_clusters_:4}: {seconds:7.2f} s"
        print(f"{found}, at most {held:.1f} GB so far", flush=True)


def curve() -> None:
    rows = strengths(100, 12)
    clusterer = KARC(variant="paper", n_init=1)
    seconds = best_of(lambda: clusterer.fit(rows))
    tried = clusterer.validity_.n_clusters
    print(f"KXBI for C = 2…{tried[-1]} (its first minimum), N = 100, one start each: {seconds:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[500, 1000, 2000])
    parser.add_argument("--clusters", type=int, default=50)
    parser.add_argument("--large", action="store_true", help="N = 10,000, C = 100")
    options = parser.parse_args()
    KARC(2, variant="paper").fit(strengths(20, 2))
    print("     N    C   crossdoc an iteration  scikit-fuzzy  theirs/ours")
    for n in options.sizes:
        iteration(n, options.clusters)
    curve()
    whole(max(options.sizes), options.clusters)
    if options.large:
        whole(10_000, 100)


if __name__ == "__main__":
    main()
