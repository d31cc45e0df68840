"""What it costs to add 1% of a collection, beside resolving all of it at once, in one process and one run.

    [CROSSDOC_DATA=…] python benchmarks/add_speed.py [--corpus sample|reuters|patentsview] [--most N] [--share 0.01]

Start-up (imports, language models, compiling) is paid beforehand, by resolving and adding a little. Seconds are of the
processor; text is read by one process. Aimed at: a ratio of at most 0.03 for 1%.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

import crossdoc
from crossdoc.model import Document, Profile

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from corpora import patentsview, reuters


def records(corpus: str, most: int | None) -> list[Any]:
    """Documents or profiles in random order."""
    found: Sequence[Document | Profile]
    if corpus == "sample":
        with resources.as_file(resources.files("crossdoc.sample").joinpath("documents.jsonl")) as path:
            found = list(crossdoc.read_documents(path))
    elif corpus == "reuters":
        found = [story for story in reuters.documents(Path(os.environ["CROSSDOC_DATA"], "reuters21578")) if story.text]
    else:
        found = list(patentsview.profiles(Path(os.environ["CROSSDOC_DATA"], "patentsview")))
    order = np.random.default_rng(0).permutation(len(found))
    return [found[at] for at in order[:most]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=["sample", "reuters", "patentsview"], default="sample")
    parser.add_argument("--most", type=int, help="documents or profiles to take")
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--times", type=int, default=3, help="additions, of which the mean is told")
    given = parser.parse_args()
    rows = records(given.corpus, given.most)
    count = max(round(given.share * len(rows)), 1)
    settings = crossdoc.Settings(processes=1)
    with tempfile.TemporaryDirectory() as folder:
        few = rows[: min(20, len(rows) // 2)]
        with crossdoc.resolve(few[:-1], output=Path(folder, "few.crossdoc"), settings=settings) as warm:
            warm.add(few[-1:])
        path = Path(folder, "all.crossdoc")
        begun = time.process_time()
        crossdoc.resolve(rows[: -count * given.times], output=path, settings=settings).close()
        whole = time.process_time() - begun
        seconds = []
        with crossdoc.open(path) as answer:
            for number in range(given.times, 0, -1):
                begun = time.process_time()
                change = answer.add(rows[-count * number : len(rows) - count * (number - 1)])
                seconds.append(time.process_time() - begun)
                print(f"added {change.added:,}: {seconds[-1]:.2f} s, {change.clustered:,} profiles clustered again")
            sizes = answer.store.sizes()
    print(f"all at once: {whole:.1f} s; {sizes['documents']:,} documents, {sizes['profiles']:,} profiles")
    print(f"ratio {np.mean(seconds) / whole:.3f} for {given.share:.0%}")


if __name__ == "__main__":
    main()
