"""Clusters of contexts against senses, as SenseClusters evaluates them: the best mapping of clusters to senses, the
confusion matrix, precision, recall and F (Purandare & Pedersen 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from crossdoc import errors


@dataclass(frozen=True)
class SenseMapping:
    """A one-to-one mapping of clusters to senses with the most correct contexts.

    `confusion[r, s]` is how many contexts of cluster r have sense s; `sense_of[r]` is a sense's column, or −1.
    """

    confusion: npt.NDArray[np.int64]
    senses: list[str]
    sense_of: npt.NDArray[np.int64]

    @property
    def right(self) -> int:
        mapped = np.flatnonzero(self.sense_of >= 0)
        return int(self.confusion[mapped, self.sense_of[mapped]].sum())

    @property
    def precision(self) -> float:
        """Share of correct contexts among those in clusters with a sense."""
        judged = int(self.confusion[self.sense_of >= 0].sum())
        return self.right / judged if judged else 0.0

    @property
    def recall(self) -> float:
        """Share of correct contexts among all: the accuracy."""
        return self.right / int(self.confusion.sum())

    @property
    def f(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def majority(self) -> float:
        """Accuracy of a single cluster: the share of the most frequent sense."""
        return float(self.confusion.sum(axis=0).max() / self.confusion.sum())


def map_senses(labels: npt.NDArray[Any], senses: Sequence[str | None]) -> SenseMapping:
    """Return the best mapping; contexts without a known sense (None) are left out.

    >>> mapping = map_senses(np.array([0, 0, 0, 1, 2]), ["cord", "cord", "text", "text", "text"])
    >>> mapping.confusion.tolist(), mapping.sense_of.tolist()
    ([[2, 1], [0, 1], [0, 1]], [0, 1, -1])
    >>> mapping.precision, mapping.recall, mapping.majority
    (0.75, 0.6, 0.6)
    """
    known = np.array([sense is not None for sense in senses], dtype=bool)
    if not known.any():
        raise errors.no_senses()
    names, sense = np.unique([str(each) for each in senses if each is not None], return_inverse=True)
    _, cluster = np.unique(np.asarray(labels)[known], return_inverse=True)
    confusion = np.zeros((int(cluster.max()) + 1, len(names)), dtype=np.int64)
    np.add.at(confusion, (cluster, sense), 1)
    sense_of = np.full(len(confusion), -1, dtype=np.int64)
    rows, columns = linear_sum_assignment(confusion, maximize=True)
    sense_of[rows] = columns
    return SenseMapping(confusion, names.tolist(), sense_of)
