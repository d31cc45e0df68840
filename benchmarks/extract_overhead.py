"""What crossdoc's extraction costs on top of the language model: `read_texts` against the bare spaCy pipeline.

Both read the same Reuters-21578 documents in one process and one run, taking turns to go first. Times are of the
processor, which other work on the machine disturbs least. Then it says where crossdoc's share of the time goes.

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
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

from crossdoc.extract import models
from crossdoc.extract import text_extractor as text
from crossdoc.extract.text_extractor import Options, read_texts
from crossdoc.extract.truecase import CaseCounts
from crossdoc.model import ENTITY_TYPES, Document
from crossdoc.names.texts import ContactPolicy

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from corpora import reuters

AIM = 1.30
SHARE = 32
"""Documents that `TextExtractor` hands to a process at once."""
STEPS = {
    "headlines": "truecased",
    "mentions": "find_mentions",
    "chains": "build_chains",
    "contacts": "find_contacts",
    "descriptions": "descriptions",
    "attributes": "attributes",
    "relations": "relations",
    "locating": "_located",
    "joining pieces and contexts": "join_pieces",
}
"""What `read_texts` calls for each step."""


def shares(documents: Sequence[Document]) -> list[Sequence[Document]]:
    return [documents[start : start + SHARE] for start in range(0, len(documents), SHARE)]


def bare(documents: Sequence[Document], model: str) -> None:
    nlp = models.load(model)
    for share in shares(documents):
        with nlp.memory_zone():
            for _ in nlp.pipe((document.text for document in share), batch_size=32):
                pass


def ours(documents: Sequence[Document], options: Options) -> None:
    cases = CaseCounts().update(document.text for document in documents)
    for share in shares(documents):
        read_texts(share, options, cases)


def seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def breakdown(work: Callable[[], None]) -> None:
    """Seconds of each step by stopwatch: a profiler slows our Python code down ninefold, and the model not at all."""
    spent = dict.fromkeys(STEPS, 0.0)
    with ExitStack() as patches:
        for label, name in STEPS.items():
            patches.enter_context(mock.patch.object(text, name, _timed(getattr(text, name), label, spent)))
        total = seconds(work)
    print(f"\nseconds of {total:.2f}:")
    for label, share in sorted(spent.items(), key=lambda step: -step[1]):
        print(f"  {label:32s}{share:8.2f}")
    print(f"  {'the language model, and the rest':32s}{total - sum(spent.values()):8.2f}")


def _timed(function: Callable[..., Any], label: str, spent: dict[str, float]) -> Callable[..., Any]:
    def timed(*args: Any, **kwargs: Any) -> Any:
        start = time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            spent[label] += time.process_time() - start

    return timed


def slowest(work: Callable[[], None]) -> None:
    """Functions with the most time of their own under the profiler: a ranking, not a measurement."""
    profiler = cProfile.Profile()
    profiler.runcall(work)
    rows = [
        (own, f"{Path(file).stem}.{name}")
        for (file, _, name), (_, _, own, _, _) in pstats.Stats(profiler).stats.items()  # type: ignore[attr-defined]
        if Path(file).parent.name == "extract"
    ]
    print("slowest functions, by the profiler:", ", ".join(name for _, name in sorted(rows, reverse=True)[:8]))


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
    took = statistics.median(runs["ours"])
    words = sum(len(document.text.split()) for document in documents)
    print(
        f"{len(documents):,} documents, {model}: crossdoc takes {statistics.median(ratios):.2f} times as long as spaCy "
        f"alone (median of {', '.join(f'{ratio:.2f}' for ratio in ratios)}; aim: at most {AIM:.2f}); "
        f"{len(documents) / took:.1f} documents, {words / took:,.0f} words a second in one process"
    )
    breakdown(work["ours"])
    slowest(work["ours"])


if __name__ == "__main__":
    main()
