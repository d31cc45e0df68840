"""What each stage of a run over an engine costs: seconds of processors, bytes, memory, at several sizes.

    python benchmarks/ray_stages.py [--sizes 6000 12000 24000] [--partitions 4]

Profiles (corpora of `wikilink_corpus.py`) from a Parquet file to a result, by sampling, on the local
engine with one worker, so that all processor time is this process's: other work on the machine makes it longer by its
caches alone.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from whole_run import Stages  # type: ignore[import-not-found]

import crossdoc
from crossdoc.engine import LocalEngine
from crossdoc.scoring import Assignment, score_assignments


def measure(mentions: int, partitions: int, folder: Path) -> None:
    source = folder / f"{mentions}.parquet"
    maker = str(Path(__file__).with_name("wikilink_corpus.py"))
    subprocess.run([sys.executable, maker, str(source), "--mentions", str(mentions)], check=True, capture_output=True)
    stages = Stages("local")
    output = folder / f"{mentions}.crossdoc"
    with LocalEngine(1) as engine:
        found = crossdoc.resolve(
            source, output=output, engine=engine, progress=stages, method="sampling",
            parameters={"sampling": {"partitions": partitions, "bias": 0.0254, "name_weight": 0.0279}},
        )  # fmt: skip
    stages.start("end")
    gold = Assignment.from_table(pq.read_table(source, columns=["id", "entity"]))
    b3 = score_assignments(Assignment.from_table(found.answer()), gold).values["b3"]["f1"]
    size = output.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    summary = f"B³ {b3:.3f}, {size / 1e6:.0f} MB written, peak {peak:.2f} GB"
    print(f"{mentions:,} mentions, {partitions} partitions, {stages.rounds} rounds: {summary}")
    for stage, (_, seconds) in stages.seconds.items():
        print(f"  {stage:32s} {seconds:7.1f} s, {seconds / mentions * 1e6:7.0f} µs a mention", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[6_000, 12_000, 24_000])
    parser.add_argument("--partitions", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for mentions in given.sizes:
            measure(mentions, given.partitions, Path(folder))


if __name__ == "__main__":
    main()
