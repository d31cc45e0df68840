"""The cost model of docs/scaling.md against what is measured: bytes that change hands a round, and memory of a task.

    python benchmarks/ray_model.py [--mentions 6000 12000 24000] [--pairs]

Of each size: the bytes of its rows in both stages of a round, beside n (20 w + 144); and how much the resident memory
of a fresh process grows while it begins and does a round on all of them, w being the words of a row. With `--pairs`
those of the model of pairs, beside n (8 w + 48) and n (34 w + 400). Both follow from the rows alone, so that a busy
machine measures them as well as a quiet one.
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
from ray_rounds import bags_prepared, graph_of, work_for  # type: ignore[import-not-found]
from wikilink_corpus import corpus  # type: ignore[import-not-found]

from crossdoc.cluster.bags.bag_shards import BagWork
from crossdoc.cluster.bags.bags import present
from crossdoc.cluster.sampling.pair_shards import pair_shards
from crossdoc.cluster.sampling.rounds import Shard
from crossdoc.engine import LocalEngine


def measured(path: Path) -> None:
    """A round in a process of its own, after one on a few rows has loaded the kernels."""
    few, whole = pickle.loads(path.read_bytes())
    for number, held in enumerate((few, whole)):
        before = resident()
        size = bag_round(*held) if isinstance(held[0], BagWork) else held[0].cycle([0, held[1]], 1, None)[1].bytes
        if number:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            print(size, peak - before)


def bag_round(work: BagWork, shard: Shard, *shared: Any) -> int:
    """What a run begins with, and a round of two stages: the bytes that change hands in the latter."""
    size = 0
    for number in (0, 1):
        for stage in work.stages(number):
            (shard, told), counts = stage([0, shard], number, None, *shared)
            shared = shared[0], work.know([told], *shared)
            size += counts.bytes * number
    return size


def by_bags(mentions: int) -> tuple[Any, ...]:
    made = corpus(mentions)
    with LocalEngine(1) as engine:
        found = bags_prepared(engine, present(made.vectors()), made.names(), 1)
        return found.work, *(engine.get(each) for each in (*found.shards(), *found.shared))


def by_pairs(mentions: int) -> tuple[Any, ...]:
    graph, _ = graph_of(mentions)
    return work_for(graph, 1), pair_shards(graph, np.arange(graph.n), 1)[0]


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, nargs="*", default=[6_000, 12_000, 24_000])
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measured(given.measure)
        return
    rows, fixed, beside = ("rows", 8, 48) if given.pairs else ("words", 20, 144)
    for mentions in given.mentions:
        held = [(by_pairs if given.pairs else by_bags)(many) for many in (1_000, mentions)]
        w = len(held[1][1].ragged[rows][1]) / mentions
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "held.pkl"
            path.write_bytes(pickle.dumps(held))
            command = [sys.executable, __file__, "--measure", str(path)]
            size, memory = map(int, subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())
        model = f" ({34 * w + 400:,.0f})" if given.pairs else ""
        print(f"{mentions:,} mentions, {w:.1f} features each: rows {size / mentions:,.0f} bytes a mention (model "
              f"{fixed * w + beside:,.0f}), {memory / mentions:,.0f} of memory{model}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
