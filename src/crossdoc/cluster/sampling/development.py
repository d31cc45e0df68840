"""The bias and the name weight, learned where entities are known: the development split of Singh et al. 2011."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling.features import with_names
from crossdoc.cluster.sampling.learning import Weights, clustered, unsupervised
from crossdoc.cluster.sampling.model import FactorGraph
from crossdoc.progress import Progress, Quiet
from crossdoc.score import Aligned, b_cubed
from crossdoc.score.measures import Tally

MOST_STEPS = 24
LEAST_RISE = 0.002
"""Of B³, to be worth a step."""
STEP, LONG = 1.25**0.5, 2
"""Biases are multiples of each other by this; two such steps at once are taken first, single ones at the end."""
NAME_SHARES = (0.0, 0.25, 0.5, 0.7, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0, 4.0)
"""Name weights that are tried, as shares of the bias."""


def on_development_split(
    matrix: sparse.csr_matrix,
    names: Sequence[str] | npt.NDArray[Any] | None,
    entity: npt.NDArray[np.integer[Any]],
    *,
    clash_weight: float = 0.0,
    entity_type: str | None = "person",
    threads: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Weights:
    """The bias and name weight of the best B³ over the mentions whose entities are known; −1 marks the others.

    Give the whole corpus, with some entities labelled in all their mentions: the others are what they are mistaken
    for, and without them the bias comes out too small. The whole corpus is clustered for each value, since the right
    bias grows with it. From the values found without labels, the bias climbs by steps of a quarter as long as B³ rises,
    then the name weight does, as a share of the bias, then the bias again by half such steps: some ten runs of a few
    rounds.
    `clash_weight` and `entity_type` are those of the run the weights are for.
    """
    gold = np.asarray(entity)
    if gold.shape != (matrix.shape[0],):
        raise errors.names_of_other_rows(len(gold), matrix.shape[0])
    if not (gold >= 0).any():
        raise errors.nothing_to_learn(0, 0)
    workers = threads or os.cpu_count() or 1
    report = progress or Quiet()
    found = unsupervised(matrix, names, seed=seed)
    clash = clash_weight if names is not None else 0.0
    tried: dict[tuple[int, int], float] = {}

    def weights(step: int, share: int) -> tuple[float, float]:
        bias = found.bias * STEP**step
        return bias, bias * NAME_SHARES[share] if named else 0.0

    def score(step: int, share: int) -> float:
        if (step, share) not in tried:
            bias, weight = weights(step, share)
            graph = FactorGraph.of(*with_names(matrix, names, weight, clash, entity_type))
            tried[step, share] = f1_of_known(clustered(graph, bias, seed, workers, clash), gold)
            report.start(f"bias {bias:.4g}, name weight {weight:.4g}: B³ {tried[step, share]:.3f} on the labelled")
        return tried[step, share]

    named = names is not None and found.name_weight > 0
    ratio = found.name_weight / found.bias
    share = int(np.argmin([abs(each - ratio) for each in NAME_SHARES]))
    step = _climb(0, lambda at: score(at, share), -MOST_STEPS, MOST_STEPS, LONG)
    if named:
        share = _climb(share, lambda at: score(step, at), 0, len(NAME_SHARES) - 1)
    step = _climb(step, lambda at: score(at, share), -MOST_STEPS, MOST_STEPS)
    bias, weight = weights(step, share)
    return Weights(bias, weight, f"B³ {score(step, share):.3f} over {(gold >= 0).sum():,} labelled mentions")


def _climb(start: int, score: Callable[[int], float], lowest: int, highest: int, stride: int = 1) -> int:
    """From a whole number to the next that scores better, up or down, as long as there is one.

    >>> _climb(0, lambda at: -((at - 3) ** 2), -9, 9)
    3
    """
    best = start
    for way in (stride, -stride):
        while lowest <= best + way <= highest and score(best + way) > score(best) + LEAST_RISE:
            best += way
        if best != start:
            break
    return best


def f1_of_known(labels: npt.NDArray[Any], gold: npt.NDArray[Any]) -> float:
    """B³ over the mentions of known entities; a mention of none (−1) is of another entity than all of them.

    >>> f1_of_known(np.array([0, 0, 0, 1]), np.array([5, 5, -1, -1]))
    0.8
    """
    unknown = gold < 0
    numbers = np.where(unknown, gold.max(initial=0) + 1 + np.arange(len(gold)), gold)
    entities, where = np.unique(numbers, return_inverse=True)
    counted = np.zeros(len(entities), dtype=bool)
    counted[where[~unknown]] = True
    tally = b_cubed(Aligned.of_labels(labels, where))
    return round(Tally(tally.parts[:, counted]).f1, 12)
