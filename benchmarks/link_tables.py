"""Run `crossdoc resolve` with default settings on generated tables of links: names and contexts without types.

    python benchmarks/link_tables.py [--mentions 25000] [--only KIND …] [-o FILE.json]

The kinds are those of `wikilink_corpus.py` and `article_links.py`. Printed are B³ of the command and of string match
(by `crossdoc score`), the method that was chosen, the time and the peak memory of the command, and the processor time
of choosing the method alone, measured in this process. Most of the latter finds out which words count; bags use
the result, and would otherwise spend the same time on it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from article_links import ARTICLES, articles  # type: ignore[import-not-found]
from wikilink_corpus import ALL_KINDS, Corpus, corpus  # type: ignore[import-not-found]

from crossdoc.cluster.bags.informative_words import BagFit
from crossdoc.run.stored_collection import LINKS_METHOD, measure_bags

THREADS = os.cpu_count() or 1


@dataclass(frozen=True)
class Measured:
    """One run of the command. Times are in seconds, memory in GB."""

    kind: str
    mentions: int
    string_match: float
    b3: float
    method: str
    wall: float
    processors: float
    memory: float
    choosing: float
    """Processor time of choosing the method."""
    own: float
    words: str
    gain: float
    error: float

    def __str__(self) -> str:
        share = self.choosing / self.processors
        return (
            f"| {self.kind} | {self.string_match:.3f} | {self.b3:.3f} | {self.method} | {self.wall:.0f} | "
            f"{self.processors:.0f} | {self.memory:.2f} | {self.choosing:.1f} ({share:.0%}) | "
            f"{self.own:.2f} | {self.words} | {self.gain:.2f} ± {self.error:.2f} |"
        )


HEADER = (
    "| kind | string match | B³ | method | s | s of processors | GB | choosing, s of processors | "
    "own contexts | words | gain |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


def write_tables(made: Corpus, folder: Path) -> None:
    """Write the links without their entities, the gold standard, and the answer of string match."""
    made.write(folder / "all.parquet")
    rows = pq.read_table(folder / "all.parquet")
    pq.write_table(rows.select(["id", "name", "context"]), folder / "links.parquet")
    pa.csv.write_csv(rows.select(["id", "entity"]), folder / "gold.csv")
    pa.csv.write_csv(rows.select(["id", "name"]).rename_columns(["id", "entity"]), folder / "names.csv")


def score_f1(answer: Path, gold: Path) -> float:
    call = [sys.executable, "-m", "crossdoc", "score", answer, gold, "--bootstrap", "0", "--json"]
    printed = subprocess.run(list(map(str, call)), check=True, stdout=subprocess.PIPE).stdout
    return float(json.loads(printed)["values"]["b3"]["f1"])


def resolve_links(folder: Path) -> tuple[str, float, float, float]:
    """Run the command; return its notes, wall and processor seconds and peak memory."""
    call = [
        sys.executable,
        "-m",
        "crossdoc",
        "resolve",
        folder / "links.parquet",
        "-o",
        folder / "out.crossdoc",
        "--json",
    ]
    begun = time.perf_counter()
    with (folder / "summary.json").open("wb") as summary:
        process = subprocess.Popen(list(map(str, call)), stdout=summary)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"crossdoc resolve failed with {process.returncode}")
    wall = time.perf_counter() - begun
    notes = " ".join(json.loads((folder / "summary.json").read_text())["notes"])
    return notes, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20


def time_choice(made: Corpus) -> tuple[BagFit, float]:
    matrix, names = made.vectors(), made.names()
    begun = time.process_time()
    fit = measure_bags(matrix, list(names), 0, THREADS)
    return fit, time.process_time() - begun


def measure(kind: str, mentions: int) -> Measured:
    made = articles(mentions, ARTICLES[kind]) if kind in ARTICLES else corpus(mentions, None, ALL_KINDS[kind])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(made, folder)
        notes, wall, processors, memory = resolve_links(folder)
        alone, found = (score_f1(folder / answer, folder / "gold.csv") for answer in ("names.csv", "out.crossdoc"))
    fit, choosing = time_choice(made)
    method = LINKS_METHOD if "clustered as links" in notes else "linkage"
    return Measured(kind, mentions, alone, found, method, wall, processors, memory, choosing, *fit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = [*ALL_KINDS, *ARTICLES]
    parser.add_argument("--mentions", type=int, default=25_000)
    parser.add_argument("--only", nargs="*", choices=kinds, metavar="KIND", default=kinds, help="only these")
    parser.add_argument("-o", "--output", type=Path, help="also write the figures there, as JSON")
    options = parser.parse_args()
    corpus(500)  # compiles or loads the kernels of the generator
    print(HEADER)
    done = []
    for kind in options.only:
        done.append(measure(kind, options.mentions))
        print(done[-1], flush=True)
        if options.output:
            options.output.write_text(json.dumps([asdict(each) for each in done], indent=1) + "\n")


if __name__ == "__main__":
    main()
