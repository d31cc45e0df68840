"""The cost model of docs/scaling.md against what is measured: bytes that change hands a round, and memory of a task.

    python benchmarks/ray_model.py [--mentions 6000 12000 24000]

Of each size: the bytes of its rows in a round, beside n (8 w + 48); and how much the resident memory of a fresh process
grows while it does a round on all of them, beside n (34 w + 400), w being the features of a row. Both follow from the
rows alone, so that a busy machine measures them as well as a quiet one.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from ray_rounds import graph_of, plan  # type: ignore[import-not-found]

from crossdoc.cluster.sampling.rounds import PairWork, sample_part, shard_of


def measured(path: Path) -> None:
    """A round in a process of its own, after one on a few rows has loaded the kernels."""
    few, whole = pickle.loads(path.read_bytes())
    for number, (work, shard) in enumerate((few, whole)):
        before = resident()
        dealt = sample_part([0, shard], work, 1, 0.0, None)[0]
        size = sum(each.nbytes for piece in dealt for column in piece.ragged.values() for each in column)
        if number:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            print(size, peak - before)


def by_pairs(mentions: int) -> tuple[Any, ...]:
    graph, _ = graph_of(mentions)
    work = PairWork(plan(), graph.n_features, graph.unit_value, "canopies", 1)
    return work, shard_of(graph, np.arange(graph.n, dtype=np.int32))


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, nargs="*", default=[6_000, 12_000, 24_000])
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measured(given.measure)
        return
    for mentions in given.mentions:
        held = [by_pairs(many) for many in (1_000, mentions)]
        w = len(held[1][1].ragged["rows"][1]) / mentions
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "held.pkl"
            path.write_bytes(pickle.dumps(held))
            command = [sys.executable, __file__, "--measure", str(path)]
            size, memory = map(int, subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())
        print(f"{mentions:,} mentions, {w:.1f} features each: rows {size / mentions:,.0f} bytes a mention (model "
              f"{8 * w + 48:,.0f}), {memory / mentions:,.0f} of memory ({34 * w + 400:,.0f})", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
