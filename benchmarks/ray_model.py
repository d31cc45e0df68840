"""The cost model of docs/scaling.md against what is measured: bytes of the rows, and memory of a task.

    python benchmarks/ray_model.py [--mentions 6000 12000 24000]

Of each size: the bytes of its rows, beside n (8 w + 48); and how much the resident memory of a fresh process
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

from crossdoc.cluster.sampling.rounds import Share, sample_part


def measured(path: Path) -> None:
    """A round in a process of its own, after one on a few rows has loaded the kernels."""
    few, whole = pickle.loads(path.read_bytes())
    for number, (work, graph) in enumerate((few, whole)):
        before, every = resident(), np.arange(graph.n)
        sample_part(Share(0, every, every.astype(np.int32)), graph, work, "canopies", 1, 0.0, None)
        size = sum(each.nbytes for each in graph.rows) - graph.rows.cells.nbytes
        if number:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            print(size, peak - before)


def by_pairs(mentions: int) -> tuple[Any, ...]:
    graph, _ = graph_of(mentions)
    return plan(), graph


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
        w = len(held[1][1].rows.cells) / mentions
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "held.pkl"
            path.write_bytes(pickle.dumps(held))
            command = [sys.executable, __file__, "--measure", str(path)]
            size, memory = map(int, subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())
        print(f"{mentions:,} mentions, {w:.1f} features each: rows {size / mentions:,.0f} bytes a mention (model "
              f"{8 * w + 48:,.0f}), {memory / mentions:,.0f} of memory ({34 * w + 400:,.0f})", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
