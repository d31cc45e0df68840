"""Pairs that each specialist compares in a second of processor time, on the inventors of PatentsView, and SoftTFIDF as
a ratio to py_stringmatching's on the same pairs in the same run (in an environment of its own: it needs numpy 1).

    CROSSDOC_DATA=… python benchmarks/compare_speed.py [--pairs N] [--sample N] [--without-peer]
    CROSSDOC_DATA=… python benchmarks/compare_speed.py --whole

The second blocks all 133,541 inventors and compares every candidate pair with the whole ensemble on all cores.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from crossdoc.compare.blocking import blocks, candidates
from crossdoc.compare.ensemble import SEG, Ensemble
from crossdoc.compare.specialists import RelatedNames, all_specialists
from crossdoc.compare.specialists.base import SparseRows, all_pairs, counted, letters
from crossdoc.compare.specialists.kernels import soft_tfidf
from crossdoc.compare.specialists.surroundings import EncodedBags, name_words
from crossdoc.compare.training import MOST_PAIRS, balanced, labelled_pairs
from crossdoc.model import Profiles
from crossdoc.names import parse_person, sound

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from corpora import patentsview

THRESHOLD = 0.9
PEER = "py_stringmatching==0.4.7"
PEER_PROGRAM = """
import json, sys, time
from py_stringmatching import JaroWinkler, SoftTfIdf
task = json.load(open(sys.argv[1]))
bags, pairs = task["bags"], task["pairs"]
measure = SoftTfIdf(task["corpus"], sim_func=JaroWinkler().get_raw_score, threshold=task["threshold"])
start = time.process_time()
scores = [(measure.get_raw_score(bags[a], bags[b]), measure.get_raw_score(bags[b], bags[a])) for a, b in pairs]
json.dump({"seconds": time.process_time() - start, "scores": scores}, open(sys.argv[2], "w"))
"""


def candidate_pairs(profiles: Profiles, count: int, seed: int = 0) -> NDArray[np.int32]:
    """Pairs of different rows whose surnames sound alike, drawn evenly from all such, sorted by the left row."""
    rng = np.random.default_rng(seed)
    keys = [sound(parse_person(name).last) for name in profiles.column("name").to_pylist()]
    _, block = np.unique(np.array(keys), return_inverse=True)
    order = np.argsort(block, kind="stable")
    size = np.bincount(block)
    start = np.cumsum(size) - size
    all_pairs = size * (size - 1.0)
    drawn = rng.choice(len(size), count, p=all_pairs / all_pairs.sum())
    first = rng.integers(0, size[drawn])
    second = (first + rng.integers(1, size[drawn])) % size[drawn]
    pairs = np.stack([order[start[drawn] + first], order[start[drawn] + second]], axis=1).astype(np.int32)
    return np.ascontiguousarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def each_specialist(profiles: Profiles, pairs: NDArray[np.int32]) -> None:
    print(f"{'specialist':16s} {'encoding s':>10s} {'comparing s':>11s} {'pairs/s':>12s} {'awake':>7s}")
    encoding = comparing = 0.0
    for specialist in all_specialists():
        start = time.process_time()
        encoded = specialist.encode(profiles)
        encoded_in = time.process_time() - start
        # The first call compiles, or loads what was compiled before.
        specialist.compare(encoded, pairs[:10])
        start = time.process_time()
        scores = specialist.checked(specialist.compare(encoded, pairs), len(pairs))
        seconds = time.process_time() - start
        awake = float((~np.isnan(scores)).mean())
        print(f"{specialist.name:16s} {encoded_in:10.2f} {seconds:11.3f} {len(pairs) / seconds:12,.0f} {awake:7.1%}")
        encoding += encoded_in
        comparing += seconds
    print(f"{'all together':16s} {encoding:10.2f} {comparing:11.3f} {len(pairs) / comparing:12,.0f}")
    print(f"with encoding: {len(pairs) / (encoding + comparing):,.0f} pairs/s; peak memory {megabytes():,.0f} MB")


def learned(profiles: Profiles, gold: dict[str, set[str]]) -> Ensemble:
    """The whole ensemble, learned on pairs of labelled inventors that share a block."""
    few = profiles.take(np.array([row for row, id in enumerate(profiles.ids) if id in gold]))
    pairs, labels = labelled_pairs(few, gold, all_pairs(blocks(few)))
    chosen = balanced(labels, MOST_PAIRS, seed=0)
    return Ensemble.train(all_specialists(), few, pairs[chosen], labels[chosen], SEG())


def both_cores(ensemble: Ensemble, profiles: Profiles, pairs: NDArray[np.int32]) -> None:
    """The same strengths by one thread and by one a core."""
    ensemble.strengths(profiles, pairs[:10])
    seconds, found = {}, {}
    for threads in (1, os.cpu_count() or 1):
        ensemble.threads = threads
        start = time.perf_counter()
        found[threads] = ensemble.strengths(profiles, pairs)
        seconds[threads] = time.perf_counter() - start
        print(
            f"strengths by {threads} thread(s): {seconds[threads]:.2f} s, {len(pairs) / seconds[threads]:,.0f} pairs/s"
        )
    assert all(np.array_equal(found[1], other) for other in found.values())
    print(f"ratio {seconds[1] / seconds[max(seconds)]:.2f}, the same numbers")


def whole(profiles: Profiles, gold: dict[str, set[str]]) -> None:
    """Every candidate pair of the collection through the ensemble, a portion at a time."""
    ensemble = learned(profiles, gold)
    print(f"Ensemble learned; {megabytes():,.0f} MB", flush=True)
    entity = [gold.get(id, set()) for id in profiles.ids]
    known = np.array([bool(held) for held in entity])
    sizes = np.unique([next(iter(held)) for held in entity if held], return_counts=True)[1]
    wanted = int((sizes * (sizes - 1) // 2).sum())
    wall, processor = time.perf_counter(), time.process_time()
    largest = max(map(len, blocks(profiles)))
    blocked = time.perf_counter() - wall
    ensemble.strengths(profiles, np.zeros((1, 2), dtype=np.int32))
    encoded = time.perf_counter() - wall - blocked
    count = hits = 0
    strong: list[NDArray[np.float32]] = []
    comparing = busy = 0.0
    for pairs in candidates(profiles):
        start, used = time.perf_counter(), time.process_time()
        strength = ensemble.strengths(profiles, pairs)
        comparing += time.perf_counter() - start
        busy += time.process_time() - used
        count += len(pairs)
        strong.append(strength[strength >= 0.5])
        both = pairs[known[pairs].all(axis=1)]
        hits += sum(bool(entity[a] & entity[b]) for a, b in both)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    n = len(profiles)
    cores = os.cpu_count() or 1
    print(f"{n:,} inventors, largest block {largest:,}: {count:,} candidate pairs of {n * (n - 1) // 2:,}")
    print(f"  reduction {1 - count / (n * (n - 1) / 2):.4%}, completeness on labelled pairs {hits / wanted:.4%}")
    print(f"  {blocked:.1f} s blocks, {encoded:.1f} s encoding, {wall:.1f} s in all, {processor / wall:.2f} cores busy")
    print(f"  compared in {comparing:.1f} s, {busy:.1f} s of processor time: {count / comparing:,.0f} pairs/s,")
    print(f"  {count / busy:,.0f} pairs/s of processor time, {busy / comparing:.2f} of {cores} cores busy")
    print(f"  {sum(map(len, strong)):,} pairs of strength one half or more; peak memory {megabytes():,.0f} MB")


def peer_scores(task: dict[str, Any], folder: Path) -> tuple[float, NDArray[np.float64]]:
    """Seconds and scores of py_stringmatching, both directions of each pair."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", PEER, "numpy<2"], check=True)
    (folder / "task.json").write_text(json.dumps(task))
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [str(python), "-c", PEER_PROGRAM, str(folder / "task.json"), str(folder / "scores.json")]
    subprocess.run(command, check=True, env=environment)
    report = json.loads((folder / "scores.json").read_text())
    return report["seconds"], np.array(report["scores"])


def against_peer(profiles: Profiles, pairs: NDArray[np.int32], sample: int) -> None:
    """Both measures of the same bags with the same weights (tf · N/df, which is the peer's)."""
    rng = np.random.default_rng(1)
    chosen = np.sort(rng.choice(len(pairs), min(sample, len(pairs)), replace=False))
    rows = np.unique(pairs[chosen])
    few = profiles.take(rows)
    bags = [
        [word for relation in profile.relations if relation.type == "list" for word in name_words(relation.name)]
        for profile in few
    ]
    both = np.searchsorted(rows, pairs[chosen]).astype(np.int32)
    full = np.array([bool(bag) for bag in bags])
    both = np.ascontiguousarray(both[full[both].all(axis=1)])

    words = sorted({word for bag in bags for word in bag})
    code = {word: number for number, word in enumerate(words)}
    owners = [row for row, bag in enumerate(bags) for _ in bag]
    counts = counted(owners, [code[word] for bag in bags for word in bag], len(bags))
    idf = full.sum() / np.bincount(counts.indices, minlength=counts.shape[1])
    counts.data *= idf[counts.indices]
    scaled = normalize(counts)
    unit = SparseRows(scaled.indptr.astype(np.int64), scaled.indices.astype(np.int32), scaled.data, scaled.shape[1])
    encoded = EncodedBags(letters(words), unit)
    soft_tfidf(*encoded, both[:10], THRESHOLD)
    start = time.process_time()
    ours = soft_tfidf(*encoded, both, THRESHOLD)
    seconds = time.process_time() - start
    # Encoding too, since the peer is given bags of words and counts them at every call.
    start = time.process_time()
    RelatedNames("list_names", "list").encode(few)
    encoding = time.process_time() - start

    with tempfile.TemporaryDirectory() as folder:
        task = {
            "bags": bags,
            "pairs": both.tolist(),
            "corpus": [bag for bag in bags if bag],
            # The peer wants more than the threshold, and rounds its similarities to 32 bits.
            "threshold": THRESHOLD - 1e-6,
        }
        peer_seconds, theirs = peer_scores(task, Path(folder))
    difference = np.abs(ours - theirs)
    print(f"\nSoftTFIDF of {len(both):,} pairs in both directions")
    print(f"  crossdoc {seconds:.3f} s ({len(both) / seconds:,.0f}/s)")
    print(f"  {PEER} {peer_seconds:.1f} s ({len(both) / peer_seconds:,.0f}/s)")
    print(f"  ratio {peer_seconds / seconds:,.0f}; with crossdoc's encoding {peer_seconds / (seconds + encoding):,.0f}")
    print(f"  scores that differ by more than 1e-6: {(difference > 1e-6).mean():.3%}, the most {difference.max():.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=20_000)
    parser.add_argument("--without-peer", action="store_true")
    parser.add_argument("--whole", action="store_true", help="compare all candidate pairs of the collection instead")
    options = parser.parse_args()
    if "CROSSDOC_DATA" not in os.environ:
        sys.exit("Set CROSSDOC_DATA to the folder that holds patentsview/.")
    folder = Path(os.environ["CROSSDOC_DATA"]) / "patentsview"
    profiles = Profiles.of(patentsview.profiles(folder))
    gold = {row["id"]: {row["entity"]} for row in patentsview.gold(folder).to_pylist()}
    if options.whole:
        whole(profiles, gold)
        return
    pairs = candidate_pairs(profiles, options.pairs)
    print(f"{len(profiles):,} inventors, {len(pairs):,} pairs whose surnames sound alike; {megabytes():,.0f} MB")
    each_specialist(profiles, pairs)
    both_cores(learned(profiles, gold), profiles, pairs)
    if not options.without_peer:
        against_peer(profiles, pairs, options.sample)


if __name__ == "__main__":
    main()
