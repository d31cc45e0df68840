"""The bias and the name weight of sampling that are best on a development split.

Used by wikipedia_links.py, sampling_patentsview.py and benchmarks/sampling_speed.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling import Weights, unsupervised
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.learning import NAME_SHARE, STRING_MATCH, checked_gold, clustered, first_guess
from crossdoc.cluster.sampling.mention_clusterer import Agreeing, checked_codes, checked_rows, with_names
from crossdoc.progress import Progress, Quiet
from crossdoc.scoring import Alignment, b_cubed
from crossdoc.scoring.measures import Tally

MOST_BIAS_STEPS = 24
STEPS_AHEAD = 2
"""How many values further on are looked at, since bias and name weight together have ridges."""
LEAST_RISE = 0.002
"""B³. Smallest rise for another step."""
BIAS_STEP, LONG = 1.25**0.5, 2
"""Biases are multiples of each other by this; two such steps at once are taken first, single ones at the end."""
NAME_SHARES = (0.0, 0.25, 0.5, 0.7, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0, 4.0)
"""Name weights that are tried, as shares of the bias."""


def on_development_split(
    matrix: sparse.csr_matrix,
    names: Sequence[str] | npt.NDArray[Any] | None,
    entity: npt.NDArray[np.integer[Any]],
    *,
    clash_weight: float = 0.0,
    agreeing: Agreeing | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Weights:
    """The bias and name weight of the best B³ over the mentions whose entities are known; −1 marks the others.

    Give the full corpus, with some entities labelled in all their mentions: the others are what they are mistaken
    for, and without them the bias comes out too small. The full corpus is clustered for each value, since the right
    bias grows with it. From the values found without labels, the bias climbs by steps of a quarter as long as B³ rises,
    then the name weight does, as a share of the bias, then the bias again by half such steps: some ten runs of a few
    rounds.
    `clash_weight` and `agreeing` are those of the run the weights are for.
    """
    matrix = checked_rows(matrix)
    gold = checked_gold(entity, matrix.shape[0])
    if not (gold >= 0).any():
        raise errors.nothing_to_learn(0, 0)
    workers = threads or os.cpu_count() or 1
    report = progress or Quiet()
    clash = clash_weight if names is not None else 0.0
    tried: dict[tuple[float, float], float] = {}

    def score(bias: float, share: float) -> float:
        if (bias, share) not in tried:
            graph = FactorGraph.of(*with_names(matrix, names, bias * share, clash, agreeing))
            tried[bias, share] = f1_of_known(clustered(graph, bias, seed, workers, clash), gold)
            report.start(
                f"bias {bias:.4g}, name weight {bias * share:.4g}: B³ {tried[bias, share]:.3f} on the labelled"
            )
        return tried[bias, share]

    starts = _starts(matrix, names, seed)
    bias, share = max(starts, key=lambda start: score(*start)) if len(starts) > 1 else starts[0]
    bias = _climb(_multiples(bias, LONG), bias, lambda tried: score(tried, share))
    if names is not None and len(set(names)) > 1:
        share = _climb(sorted({*NAME_SHARES, share}), share, lambda tried: score(bias, tried))
    bias = _climb(_multiples(bias, 1), bias, lambda tried: score(tried, share))
    origin = f"B³ {score(bias, share):.3f} over {(gold >= 0).sum():,} labelled mentions"
    return Weights(bias, bias * share, origin)


def _starts(matrix: sparse.csr_matrix, names: Any, seed: int) -> list[tuple[float, float]]:
    """Biases and name weights, as shares of them, to climb from.

    If names alone were chosen without labels, contexts may still help with labels.
    """
    found = unsupervised(matrix, names, seed=seed)
    starts = [(float(f"{found.bias:.6g}"), round(found.name_weight / found.bias, 6))]
    if names is not None and starts[0][0] == STRING_MATCH[0]:
        code = checked_codes(names, matrix.shape[0])
        guess = first_guess(matrix, code, np.random.default_rng(seed)) or found.bias
        starts += [(guess * times, share) for times in (1.0, 2.0) for share in (0.0, NAME_SHARE)]
    return starts


def _multiples(bias: float, stride: int) -> list[float]:
    """Rounded, so that one that was tried is known again."""
    return [float(f"{bias * BIAS_STEP**step:.6g}") for step in range(-MOST_BIAS_STEPS, MOST_BIAS_STEPS + 1, stride)]


def _climb(values: Sequence[float], start: float, score: Callable[[float], float]) -> float:
    """From a value to one of the next few that scores better, up or down, as long as there is one.

    >>> _climb([1.0, 2.0, 3.0, 4.0], 1.0, lambda value: -((value - 3) ** 2))
    3.0
    """
    at = first = int(np.argmin([abs(value - start) for value in values]))
    for way in (1, -1):
        better: int | None = at
        while better is not None:
            at = better
            near = [at + way * steps for steps in range(1, STEPS_AHEAD + 1) if 0 <= at + way * steps < len(values)]
            better = next((n for n in near if score(values[n]) > score(values[at]) + LEAST_RISE), None)
        if at != first:
            break
    return values[at]


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
    tally = b_cubed(Alignment.from_labels(labels, where))
    return round(Tally(tally.parts[:, counted]).f1, 12)
