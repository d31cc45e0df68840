"""Seconds and peak memory for a result of 1.5 million profiles: load, save the answer, finish, reopen and export, with
writing and reading the same table as bare Parquet in the same run to compare with.

    python benchmarks/store_scale.py [--profiles N] [--folder DIR]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crossdoc.files import whole_file, write_rows
from crossdoc.model import Identity, Partition, Profiles
from crossdoc.store import Store
from crossdoc.store.schema import LEVELS

BATCH = 50_000
PROFILES_AN_IDENTITY = 4
Result = TypeVar("Result")
WORDS = np.array("the of chairman company said Monday lawyer senator shares Ohio professor fell actor city".split())


def batches(n: int) -> Iterator[Profiles]:
    rng = np.random.default_rng(0)
    for start in range(0, n, BATCH):
        numbers = range(start, min(start + BATCH, n))
        contexts = [" ".join(words) for words in WORDS[rng.integers(0, len(WORDS), (len(numbers), 40))]]
        columns = {
            "id": [f"{i // 20}:{i % 20 * 100}:{i % 20 * 100 + 10}" for i in numbers],
            "document": [str(i // 20) for i in numbers],
            "name": [f"John Smith {i % 5000}" for i in numbers],
            "type": ["person"] * len(numbers),
            "context": contexts,
            "language": ["en"] * len(numbers),
            "attributes": [[("title", ["chairman"])]] * len(numbers),
            "relations": [[{"type": "works for", "name": "GM", "profile": None, "evidence": None}]] * len(numbers),
        }
        yield Profiles(pa.table(columns, schema=Profiles.schema))


def identities(partition: Partition) -> Iterator[Identity]:
    for entity in partition.entities:
        yield Identity(entity, "John Smith", "person", "chairman", {"John Smith": 4}, 4, 9, "1996", "2001", 0.9)


def measured(label: str, work: Callable[[], Result]) -> tuple[Result, float]:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{label:52s} {seconds:8.1f} s   peak so far {peak:5.2f} GB", flush=True)
    return result, seconds


def load(store: Store, n: int) -> float:
    """Seconds in the store alone, without making the profiles up."""
    seconds = 0.0
    for profiles in batches(n):
        start = time.perf_counter()
        with store.batch():
            store.add(profiles)
        seconds += time.perf_counter() - start
    return seconds


def load_parquet(path: Path, n: int) -> float:
    seconds = 0.0
    with pq.ParquetWriter(path, Profiles.schema) as writer:
        for profiles in batches(n):
            start = time.perf_counter()
            writer.write_table(profiles.arrow)
            seconds += time.perf_counter() - start
    return seconds


def export(path: Path, format: str, output: Path) -> int:
    with Store.open(path) as store, whole_file(output) as stream:
        return write_rows(store.answer("profile", soft=True), LEVELS["profile"], format, stream)


def read_all(path: Path) -> Any:
    with Store.open(path) as store:
        return store.profiles().arrow


def write(result: Path, n: int) -> float:
    with Store.begin(result, "benchmark") as store:
        loading, _ = measured("load (making the profiles up included)", lambda: load(store, n))
        labels = np.random.default_rng(1).integers(0, n // PROFILES_AN_IDENTITY, n)
        partition = Partition.from_labels(store.profiles().ids, labels)
        measured("save the partition", lambda: store.save_partition("person", partition, 0.0))
        measured("save the identities", lambda: store.save_identities(identities(partition)))
        measured("finish", store.finish)
    return loading


def run(folder: Path, n: int) -> None:
    result, parquet = folder / "big.crossdoc", folder / "big.parquet"
    begun = time.perf_counter()
    loading = write(result, n)
    measured("reopen, and find the partition again", lambda: Store.open(result).partition())
    _, reading = measured("read all profiles", lambda: read_all(result).num_rows)
    _, csv = measured("export as CSV", lambda: export(result, "csv", folder / "answer.csv"))
    _, exported = measured("export as Parquet", lambda: export(result, "parquet", folder / "answer.parquet"))
    total = time.perf_counter() - begun
    bare_loading, _ = measured("bare Parquet: load (making them up included)", lambda: load_parquet(parquet, n))
    _, bare_reading = measured("bare Parquet: read all", lambda: pq.read_table(parquet).num_rows)
    answer = pq.read_table(folder / "answer.parquet")
    _, bare_answer = measured("bare Parquet: the answer", lambda: pq.write_table(answer, folder / "bare.parquet"))
    sizes = [path.stat().st_size / 1e6 for path in (result, parquet)]
    print(f"everything {total:.0f} s; the file has {sizes[0]:,.0f} MB, bare Parquet {sizes[1]:,.0f} MB")
    print(
        f"as ratios to bare Parquet: load {loading / bare_loading:.1f} ({loading:.1f} s), "
        f"read {reading / bare_reading:.1f}, "
        f"export Parquet {exported / bare_answer:.1f}, CSV {csv / bare_answer:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profiles", type=int, default=1_500_000)
    parser.add_argument("--folder", type=Path, help="Where to write; default: a temporary one.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        run(Path(folder), options.profiles)


if __name__ == "__main__":
    main()
