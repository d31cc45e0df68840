"""What `crossdoc extract` holds in memory while it reads Reuters-21578, by tenths of its work, and how fast it reads.

The command runs as a user would run it. Memory is that of all its processes, pages that several share counted once
(`Pss` of Linux); work is the processor time that they have used, which other work on the machine disturbs least.

    CROSSDOC_DATA=… python benchmarks/extract_memory.py [--documents N|all]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from corpora import reuters

PAUSE = 2.0
"""Seconds between two looks."""
TENTHS = 10
KB_A_MB = 1024
TICKS = os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """A process and all that it started, directly or not."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:  # it has just ended
                continue
    return found


def megabytes(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / KB_A_MB for line in lines if line.startswith("Pss:")), 0.0)


def processor_seconds(pid: int) -> float:
    """Of the process and of those of its own that have ended."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return sum(map(int, after_name[11:15])) / TICKS


def watched(command: Sequence[str]) -> tuple[list[tuple[float, float]], float]:
    """Processor seconds so far and megabytes, look by look; and the seconds on the clock."""
    looks = []
    start = time.perf_counter()
    with subprocess.Popen(command) as running:
        while running.poll() is None:
            pids = family(running.pid)
            looks.append((sum(map(processor_seconds, pids)), sum(map(megabytes, pids))))
            time.sleep(PAUSE)
    if running.returncode:
        sys.exit(running.returncode)
    return looks, time.perf_counter() - start


def tenths(looks: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The mean and the most of the megabytes in each tenth of the work."""
    total = max(used for used, _ in looks)
    rows: list[list[float]] = [[] for _ in range(TENTHS)]
    for used, size in looks:
        rows[min(TENTHS - 1, int(TENTHS * used / total))].append(size)
    return [(sum(row) / max(1, len(row)), max(row, default=0.0)) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", default="all", help="a number, or all")
    given = parser.parse_args()
    data = os.environ.get("CROSSDOC_DATA")
    if not data:
        sys.exit("Set CROSSDOC_DATA to the folder that holds reuters21578/.")
    most = None if given.documents == "all" else int(given.documents)
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "documents.jsonl"
        count = 0
        with texts.open("w", encoding="utf-8") as lines:
            for document in islice(reuters.documents(Path(data) / "reuters21578"), most):
                if document.text:
                    lines.write(json.dumps({"id": document.id, "text": document.text}) + "\n")
                    count += 1
        out = str(Path(folder) / "profiles.parquet")
        looks, seconds = watched([sys.executable, "-m", "crossdoc", "extract", str(texts), "-o", out])
    work = max(used for used, _ in looks)
    print(f"{count:,} stories in {seconds:,.0f} s, {work:,.0f} s of the processor:")
    print(f"{count / seconds:.1f} a second, {count / work:.1f} a second of the processor")
    print("| tenth of the work | mean MB | most MB |\n|--:|--:|--:|")
    for number, (mean, top) in enumerate(tenths(looks), 1):
        print(f"| {number} | {mean:,.0f} | {top:,.0f} |")


if __name__ == "__main__":
    main()
