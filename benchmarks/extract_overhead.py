"""What crossdoc's extraction costs on top of the language model: `read_texts` against the bare spaCy pipeline.

Both read the same Reuters-21578 documents in one process and one run, taking turns to go first. Times are of the
processor, which other work on the machine disturbs least. Then a profile of `read_texts` says where crossdoc's share
of the time goes.

    CROSSDOC_DATA=… python benchmarks/extract_overhead.py [--documents N|all] [--repeats N]
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from crossdoc.extract import models
from crossdoc.extract.contacts import ContactPolicy
from crossdoc.extract.text import Options, read_texts
from crossdoc.model import ENTITY_TYPES, Document
from crossdoc.read.corpora import reuters

AIM = 1.30
SHARE = 32
"""Documents that `TextExtractor` hands to a process at once."""
STEPS = {
    "mentions": ("mentions", "find_mentions"),
    "chains": ("chains", "build_chains"),
    "contacts": ("contacts", "find_contacts"),
    "descriptions": ("descriptions", "descriptions"),
    "attributes": ("attributes", "attributes"),
    "relations": ("relations", "relations"),
    "contexts": ("windows", "window"),
    "contexts without contacts": ("contacts", "without_contacts"),
    "locating": ("text", "_located"),
    "building tables": ("text", "_joined_over_pieces"),
}
"""The module and function of each step."""


def shares(documents: Sequence[Document]) -> list[Sequence[Document]]:
    return [documents[start : start + SHARE] for start in range(0, len(documents), SHARE)]


def bare(documents: Sequence[Document], model: str) -> None:
    nlp = models.load(model)
    for share in shares(documents):
        with nlp.memory_zone():
            for _ in nlp.pipe((document.text for document in share), batch_size=32):
                pass


def ours(documents: Sequence[Document], options: Options) -> None:
    for share in shares(documents):
        read_texts(share, options)


def seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def breakdown(work: Callable[[], None]) -> None:
    """Cumulative seconds of each step under the profiler, which slows Python code down but not the model's C code."""
    profiler = cProfile.Profile()
    profiler.runcall(work)
    stats = pstats.Stats(profiler)
    rows: dict[tuple[str, str], tuple[float, float]] = {}
    for (file, _, name), (_, _, own, cumulative, _) in stats.stats.items():  # type: ignore[attr-defined]
        if Path(file).parent.name == "extract":
            key = (Path(file).stem, name)
            # A function and a method may share a name; the one that calls the other has the longer time.
            rows[key] = max(rows.get(key, (0.0, 0.0)), (own, cumulative), key=lambda times: times[1])
    print("\nunder the profiler, cumulative seconds:")
    for label, step in STEPS.items():
        print(f"  {label:32s}{rows.get(step, (0.0, 0.0))[1]:8.2f}")
    print("functions with the most time of their own:")
    for (module, name), (own, cumulative) in sorted(rows.items(), key=lambda row: -row[1][0])[:12]:
        print(f"  {module + '.' + name:32s}{own:8.2f} of {cumulative:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", default="500", help="a number, or all")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    data = os.environ.get("CROSSDOC_DATA")
    if not data:
        sys.exit("Set CROSSDOC_DATA to the folder that holds reuters21578/.")
    most = None if given.documents == "all" else int(given.documents)
    documents = [d for d in islice(reuters.documents(Path(data) / "reuters21578"), most) if d.text]
    options = Options(ENTITY_TYPES, 300, None, ContactPolicy("match", b"benchmark"))
    model = models.model_for("en")
    warm = documents[:SHARE]
    bare(warm, model)
    ours(warm, options)

    runs: dict[str, list[float]] = {"bare": [], "ours": []}
    work: dict[str, Callable[[], None]] = {
        "bare": lambda: bare(documents, model),
        "ours": lambda: ours(documents, options),
    }
    for repeat in range(given.repeats):
        for name in sorted(work, reverse=bool(repeat % 2)):
            runs[name].append(seconds(work[name]))
        print(f"repeat {repeat + 1}: spaCy alone {runs['bare'][-1]:.2f} s, crossdoc {runs['ours'][-1]:.2f} s")
    ratios = [mine / alone for mine, alone in zip(runs["ours"], runs["bare"], strict=True)]
    print(
        f"{len(documents):,} documents, {model}: crossdoc takes {statistics.median(ratios):.2f} times as long as spaCy "
        f"alone (median of {', '.join(f'{ratio:.2f}' for ratio in ratios)}; aim: at most {AIM:.2f}); "
        f"{len(documents) / statistics.median(runs['ours']):.1f} documents a second in one process"
    )
    breakdown(work["ours"])


if __name__ == "__main__":
    main()
