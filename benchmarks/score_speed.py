"""Seconds for scoring 1.5 million mentions of 43,000 entities (the size of Singh et al. 2011's Wikipedia links),
from integer labels and from string ids, and as a ratio to B-cubed by its definition, one mention at a time.

    python benchmarks/score_speed.py [--mentions N] [--entities N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crossdoc.scoring import (
    Alignment,
    Assignment,
    align,
    b_cubed,
    ceaf_e,
    lea,
    muc,
    pairwise,
    purity,
    score_assignments,
)

SUBSET = 200_000


def made_up(mentions: int, entities: int, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Answer and gold labels: entity sizes with a heavy tail, each split in three, a tenth of the mentions astray."""
    rng = np.random.default_rng(seed)
    size = rng.pareto(1.2, entities) + 1
    gold = rng.choice(entities, mentions, p=size / size.sum())
    answer = gold * 3 + rng.integers(0, 3, mentions)
    astray = rng.random(mentions) < 0.1
    answer[astray] = rng.choice(answer, astray.sum())
    return answer, gold


def mention_by_mention(answer: list[int], gold: list[int]) -> tuple[float, float]:
    clusters: dict[int, set[int]] = {}
    entities: dict[int, set[int]] = {}
    for mention, (cluster, entity) in enumerate(zip(answer, gold, strict=True)):
        clusters.setdefault(cluster, set()).add(mention)
        entities.setdefault(entity, set()).add(mention)
    precision = recall = 0.0
    for cluster, entity in zip(answer, gold, strict=True):
        shared = len(clusters[cluster] & entities[entity])
        precision += shared / len(clusters[cluster])
        recall += shared / len(entities[entity])
    return precision / len(answer), recall / len(answer)


def timed(label: str, work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    print(f"{label:58s} {seconds:8.3f} s")
    return result, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mentions", type=int, default=1_500_000)
    parser.add_argument("--entities", type=int, default=43_000)
    options = parser.parse_args()
    answer, gold = made_up(options.mentions, options.entities)
    ids = np.char.add("mention:", np.arange(options.mentions).astype(str))
    order = np.random.default_rng(1).permutation(options.mentions)
    answer_table = pa.table({"id": ids[order], "entity": answer[order].astype(str)})
    gold_table = pa.table({"id": ids, "entity": gold.astype(str)})

    timed("B-cubed from integer labels", lambda: b_cubed(Alignment.from_labels(answer, gold)))
    sides, _ = timed(
        "string ids and entities into codes, both sides",
        lambda: (Assignment.from_table(answer_table), Assignment.from_table(gold_table)),
    )
    aligned, _ = timed("  aligning the two", lambda: align(*sides))
    timed("  B-cubed of the aligned", lambda: b_cubed(aligned))
    for measure in (purity, pairwise, muc, lea, ceaf_e):
        timed(f"  {measure.__name__}", partial(measure, aligned))
    timed("score(), every measure, from codes", lambda: score_assignments(*sides))
    timed("score(), every measure, 1,000 resamples", lambda: score_assignments(*sides, bootstrap=1000))

    few_answer, few_gold = answer[:SUBSET], gold[:SUBSET]
    naive, slow = timed(
        f"one mention at a time, {SUBSET:,} mentions",
        lambda: mention_by_mention(few_answer.tolist(), few_gold.tolist()),
    )
    ours, fast = timed(
        f"B-cubed from labels, the same {SUBSET:,}", lambda: b_cubed(Alignment.from_labels(few_answer, few_gold))
    )
    assert np.allclose(naive, (ours.precision, ours.recall))
    print(f"ratio {slow / fast:.0f}")


if __name__ == "__main__":
    main()
