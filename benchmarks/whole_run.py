"""A table of profiles from Parquet to an exported answer: seconds of the clock and of processors by stage, peak memory.

    python benchmarks/wikilink_corpus.py links.parquet --mentions 200000
    python benchmarks/whole_run.py links.parquet OUT.crossdoc [--engine local|ray] [--method bags] [--resume]
    python benchmarks/whole_run.py links.parquet OUT.crossdoc --method sampling --partitions 6

The command a user types, with its defaults, here or on Ray (a cluster on this machine, if none is named);
`--partitions` samples over so many, on Ray or on the threads of this process. A stage with more
than a fifth of what is not the search is marked. Where the table has a column `entity`, B³ is printed, and that of
string match. Ctrl-C ends the search; what was found until then is written and scored.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import crossdoc
from crossdoc.engine import LocalEngine
from crossdoc.scoring import Alignment, b_cubed


class Stages:
    """A progress that keeps the time of each stage, rounds of the search together."""

    def __init__(self, engine: str) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.engine = engine
        self.stage = "start"
        self.rounds = 0
        self.last = self.now()

    def now(self) -> tuple[float, float]:
        """The clock, and the processors' seconds: of this process, or on Ray of all that the machine does."""
        if self.engine == "local":
            return time.perf_counter(), time.process_time()
        user, nice, system = map(int, Path("/proc/stat").read_text().split(maxsplit=4)[1:4])
        return time.perf_counter(), (user + nice + system) / os.sysconf("SC_CLK_TCK")

    def start(self, stage: str, total: int | None = None) -> None:
        now = self.now()
        spent = self.seconds.setdefault(self.stage, [0.0, 0.0])
        spent[0] += now[0] - self.last[0]
        spent[1] += now[1] - self.last[1]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{now[0] - self.last[0]:8.1f} s {now[1] - self.last[1]:8.1f} cpu  peak {peak:5.2f} GB  {self.stage}",
            flush=True,
        )
        self.last = now
        is_round = stage.startswith("round ")
        self.rounds += is_round
        self.stage = "search" if is_round else stage
        if is_round:
            print(f"   {stage}", flush=True)

    def advance(self, steps: int = 1) -> None:
        pass

    def note(self, message: str) -> None:
        print(f"   note: {message}", flush=True)


def codes(column: pa.ChunkedArray) -> np.ndarray:
    return column.combine_chunks().dictionary_encode().indices.to_numpy()


def compare(source: Path, answer: pa.Table) -> None:
    if "entity" not in pq.read_schema(source).names:
        return
    gold = pq.read_table(source, columns=["id", "name", "entity"]).sort_by("id")
    answer = answer.select(["id", "entity"]).sort_by("id")
    if not answer["id"].equals(gold["id"]):
        raise SystemExit(f"{len(gold):,} mentions in, {len(answer):,} out, or others")
    truth = codes(gold["entity"])
    for name, labels in (("string match", codes(gold["name"])), ("crossdoc", codes(answer["entity"]))):
        found = b_cubed(Alignment.from_labels(labels, truth))
        entities = f"{labels.max() + 1:,} entities, truly {truth.max() + 1:,}"
        print(f"{name:13s} B³ {found.f1:.4f} (precision {found.precision:.4f}, recall {found.recall:.4f}), {entities}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--engine", choices=["local", "ray"], default="local")
    parser.add_argument("--method", default="bags")
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args()
    if given.output.exists() and not given.resume:
        given.output.unlink()
    stages = Stages(given.engine)
    begun = stages.last
    engine: dict[str, Any] = {"engine": "ray"} if given.engine == "ray" else {}
    if given.partitions:
        engine = {"engine": LocalEngine(), **engine, "parameters": {given.method: {"partitions": given.partitions}}}
    crossdoc.resolve(
        given.source, output=given.output, method=given.method, progress=stages, resume=given.resume, **engine
    ).close()
    stages.start("exporting")
    exported = given.output.with_suffix(".csv")
    subprocess.run([sys.executable, "-m", "crossdoc", "export", given.output, "-o", exported], check=True)
    stages.start("end")
    with crossdoc.open(given.output) as found:
        answer = found.answer()
    clock, busy = stages.last[0] - begun[0], stages.last[1] - begun[1]
    beside = busy - stages.seconds.get("search", [0.0, 0.0])[1]
    print(f"{len(answer):,} mentions, {stages.rounds} rounds: {clock:,.0f} s, {busy:,.0f} s of processors")
    for stage, (seconds, processors) in stages.seconds.items():
        much = "  more than a fifth beside the search" if stage != "search" and processors > beside / 5 else ""
        print(f"  {stage:44s} {seconds:8.1f} s {processors:8.1f} cpu{much}")
    compare(given.source, answer)


if __name__ == "__main__":
    main()
