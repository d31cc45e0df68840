"""Context neighbours of 133,541 PatentsView inventors: how many of the true nearest are found, and how fast, beside
scikit-learn's exact search for a sample of the rows in the same run.

    CROSSDOC_DATA=… python benchmarks/neighbours_speed.py [--rows N] [--neighbours N] [--postings N …] [--sample N]
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors

from crossdoc.compare.neighbours import context_neighbours
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profiles

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from corpora import patentsview


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=133_541)
    parser.add_argument("--neighbours", type=int, default=10)
    parser.add_argument("--postings", type=int, nargs="+", default=[100, 500])
    parser.add_argument("--sample", type=int, default=500)
    options = parser.parse_args()
    if "CROSSDOC_DATA" not in os.environ:
        sys.exit("Set CROSSDOC_DATA to the folder that holds patentsview/.")
    profiles = Profiles.of(patentsview.profiles(Path(os.environ["CROSSDOC_DATA"]) / "patentsview"))
    # One inventor a patent: those of one patent share its abstract, and would be each other's neighbours.
    documents = np.array(profiles.column("document").to_pylist(), dtype=object).astype(str)
    profiles = profiles.take(np.sort(np.unique(documents, return_index=True)[1])[: options.rows])
    vectors = ContextVectoriser().fit([profiles.column("context").to_pylist()]).transform(profiles)
    n, count = len(vectors), options.neighbours
    print(f"{n:,} rows of {vectors.matrix.nnz / n:.0f} words", flush=True)

    rows = np.sort(np.random.default_rng(0).choice(n, options.sample, replace=False))
    start = time.process_time()
    exact = NearestNeighbors(n_neighbors=count + 1, metric="cosine", algorithm="brute").fit(vectors.matrix)
    found = exact.kneighbors(vectors.matrix[rows], return_distance=False)
    peer = (time.process_time() - start) / len(rows)
    wanted = [(row, other) for row, others in zip(rows, found, strict=True) for other in others[others != row][:count]]
    print(f"scikit-learn, exact: {1 / peer:,.0f} rows a second of processor time", flush=True)

    context_neighbours(type(vectors)(vectors.matrix[:100]), 1)
    for postings in options.postings:
        start, wall = time.process_time(), time.perf_counter()
        pairs = context_neighbours(vectors, count, postings)
        seconds, wall = time.process_time() - start, time.perf_counter() - wall
        known = set(map(tuple, pairs.tolist()))
        recall = np.mean([(min(pair), max(pair)) in known for pair in wanted])
        print(
            f"{postings:,} postings: recall {recall:.3f}, {n / seconds:,.0f} rows/s of processor time "
            f"(ratio {peer * n / seconds:.1f}), {wall:.0f} s in all, {len(pairs):,} pairs",
            flush=True,
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
