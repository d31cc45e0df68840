"""Pairs of profiles with labels, from gold over profiles: balanced, never within one document."""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Lists, Pairs, codes_of, lists
from crossdoc.model import Profiles


def labelled_pairs(
    profiles: Profiles, gold: Mapping[str, Set[str]], pairs: Pairs
) -> tuple[Pairs, npt.NDArray[np.float64]]:
    """Select pairs with a label (both in the gold, from different documents): 1 if they share an entity."""
    entities = entity_lists(profiles, gold)
    documents = np.unique(
        np.asarray(profiles.column("document").to_pylist(), dtype=object).astype(str), return_inverse=True
    )[1]
    left, right = pairs.T
    apart = np.ascontiguousarray(pairs[documents[left] != documents[right]], dtype=np.int32)
    labels = kernels.shared(entities, apart, 1.0, 0.0).astype(np.float64)
    known = ~np.isnan(labels)
    return apart[known], labels[known]


def entity_lists(profiles: Profiles, gold: Mapping[str, Set[str]]) -> Lists:
    """The entities of each profile by number; none where the gold does not have it."""
    of_row = [sorted(gold.get(id, ())) for id in profiles.ids]
    code = codes_of(entity for found in of_row for entity in found)
    rows = [row for row, found in enumerate(of_row) for _ in found]
    return lists(rows, [code[entity] for found in of_row for entity in found], len(of_row))


def balanced(labels: npt.NDArray[np.float64], most: int, seed: int) -> npt.NDArray[np.int64]:
    """Row numbers of as many positive as negative pairs, at most `most` together.

    >>> balanced(np.array([1, 0, 0, 0, 1]), most=4, seed=0).tolist()
    [0, 1, 2, 4]
    """
    positive, negative = np.flatnonzero(labels == 1), np.flatnonzero(labels == 0)
    count = min(len(positive), len(negative), most // 2)
    if count == 0:
        raise errors.nothing_to_learn(len(positive), len(negative))
    random = np.random.default_rng(seed)
    chosen = [random.choice(rows, count, replace=False) for rows in (positive, negative)]
    return np.sort(np.concatenate(chosen))
