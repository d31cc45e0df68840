"""The bias and the name weight, learned where entities are known: the development split of Singh et al. 2011."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling.clustering import SamplingClustering
from crossdoc.cluster.sampling.learning import NAME_SHARE, ROUNDS, Weights, some_rows, unsupervised
from crossdoc.score import Aligned, b_cubed
from crossdoc.score.measures import Tally

FACTORS = (0.6, 0.8, 1.0, 1.25, 1.6)
NAME_SHARES = (0.0, 0.5, 1.0)


def on_development_split(
    matrix: sparse.csr_matrix,
    names: Sequence[str] | npt.NDArray[Any] | None,
    entity: npt.NDArray[np.integer[Any]],
    *,
    factors: Sequence[float] = FACTORS,
    name_shares: Sequence[float] = NAME_SHARES,
    seed: int = 0,
    **options: Any,
) -> Weights:
    """The bias and name weight of the best B³ over the mentions whose entities are known; −1 marks the others.

    Give the whole corpus, with some entities labelled in all their mentions: the others are what they are mistaken
    for, and without them the bias comes out too small. Of a large corpus 20,000 mentions round labelled ones are
    clustered. First the bias, at multiples of the one found without labels, then the name weight, at shares of that
    bias. `options` go to :class:`~crossdoc.cluster.sampling.SamplingClustering`.
    """
    gold = np.asarray(entity)
    if gold.shape != (matrix.shape[0],):
        raise errors.names_of_other_rows(len(gold), matrix.shape[0])
    known = np.flatnonzero(gold >= 0)
    if not len(known):
        raise errors.nothing_to_learn(0, 0)
    found = unsupervised(matrix, names, seed=seed)
    rows = some_rows(matrix, known, seed)
    here, spelt = matrix[rows], None if names is None else np.asarray(names, dtype=object)[rows]
    tried: dict[tuple[float, float], float] = {}

    def score(bias: float, weight: float) -> float:
        if (bias, weight) not in tried:
            how = {"rounds": ROUNDS, "seed": seed, **options, "bias": bias, "name_weight": weight}
            labels = SamplingClustering(**how).fit(here, names=spelt).labels_
            tried[bias, weight] = f1_of_known(labels, gold[rows])
        return tried[bias, weight]

    share = NAME_SHARE if names is not None and found.name_weight else 0.0
    bias = max((found.bias * factor for factor in factors), key=lambda b: score(b, share * b))
    if share:
        share = max(name_shares, key=lambda s: score(bias, s * bias))
    best = score(bias, share * bias)
    return Weights(bias, share * bias, f"B³ {best:.3f} over {(gold[rows] >= 0).sum():,} labelled mentions")


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
