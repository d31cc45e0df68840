"""Seconds and I2 of direct k-way clustering, as ratios to scikit-learn's KMeans on the same unit-length rows in the
same run; then the whole search for k up to deltaK, with its memory.

    python benchmarks/contexts_speed.py [--rows 100000] [--senses 10] [--restarts 1 5] [--without-search]

Rows are drawn like text: each sense has its own order of 20,000 words with Zipf's frequencies, half of a context's 40
words follow it and half a common order, weighted by rarity.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from crossdoc.cluster.contexts.context_clustering import ContextClustering

WORDS, LENGTH = 20_000, 40


def rows_like_text(n: int, senses: int, seed: int = 0) -> sparse.csr_matrix:
    rng = np.random.default_rng(seed)
    sense = rng.integers(senses, size=n)
    common = 1 / np.arange(1, WORDS + 1) ** 1.05
    common /= common.sum()
    words = rng.choice(WORDS, size=(n, LENGTH), p=common)
    for each in range(senses):
        of_it = np.flatnonzero(sense == each)
        own = rng.choice(WORDS, size=(len(of_it), LENGTH), p=rng.permutation(common))
        words[of_it] = np.where(rng.random(own.shape) < 0.5, own, words[of_it])
    ends = np.arange(0, n * LENGTH + 1, LENGTH)
    counts = sparse.csr_matrix((np.ones(words.size), words.ravel(), ends), shape=(n, WORDS))
    counts.sum_duplicates()
    documents = np.bincount(counts.indices, minlength=WORDS)
    counts.data = (1 + np.log(counts.data)) * (np.log((1 + n) / (1 + documents)) + 1)[counts.indices]
    return normalize(counts)


def against_kmeans(rows: sparse.csr_matrix, k: int, restarts: int) -> None:
    start, used = time.perf_counter(), time.process_time()
    ours = ContextClustering(k, method="direct", n_init=restarts).fit(rows)
    seconds, work = time.perf_counter() - start, time.process_time() - used
    start, used = time.perf_counter(), time.process_time()
    theirs = KMeans(k, n_init=restarts, random_state=0).fit(rows)
    kmeans_seconds, kmeans_work = time.perf_counter() - start, time.process_time() - used
    i2, kmeans_i2 = ours.criterion_[0], _i2(rows, theirs.labels_)
    print(
        f"{rows.shape[0]:,} rows, k = {k}, {restarts} starts: {seconds:.2f} s ({work:.2f} s of CPU), I2 {i2:.1f}; "
        f"KMeans {kmeans_seconds:.2f} s ({kmeans_work:.2f} s), I2 {kmeans_i2:.1f}; "
        f"time ratio {seconds / kmeans_seconds:.2f}, CPU ratio {work / kmeans_work:.2f}, I2 ratio {i2 / kmeans_i2:.5f}",
        flush=True,
    )


def _i2(rows: sparse.csr_matrix, labels: np.ndarray) -> float:
    member = sparse.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))))
    return float(np.linalg.norm((member @ rows).toarray(), axis=1).sum())


def search(rows: sparse.csr_matrix, method: str) -> None:
    start, used = time.perf_counter(), time.process_time()
    found = ContextClustering(method=method).fit(rows)  # type: ignore[arg-type]
    seconds, work = time.perf_counter() - start, time.process_time() - used
    rules = ", ".join(f"{rule} {decision.k}" for rule, decision in found.stopping_.items())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{rows.shape[0]:,} rows, {method}, every k up to deltaK = {found.delta_k_}: {seconds:.1f} s "
        f"({work:.1f} s of CPU), "
        f"{memory:.2f} GB at most so far; {rules}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--senses", type=int, default=10)
    parser.add_argument("--restarts", type=int, nargs="*", default=[1, 5])
    parser.add_argument("--without-search", action="store_true")
    given = parser.parse_args()
    # Compiled before anything is timed.
    ContextClustering(max_clusters=3).fit(rows_like_text(200, 3))
    rows = rows_like_text(given.rows, given.senses)
    for restarts in given.restarts:
        against_kmeans(rows, given.senses, restarts)
    if not given.without_search:
        for method in ("rbr", "direct"):
            search(rows, method)


if __name__ == "__main__":
    main()
