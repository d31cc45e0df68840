"""What every clusterer has to beat: each profile alone, all together, the same name the same entity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crossdoc.cluster.constraints import Constraints
from crossdoc.cluster.hierarchical import renumber
from crossdoc.model import IntArray
from crossdoc.names import fold


def one_in_one(n: int) -> IntArray:
    """Every profile its own entity."""
    return np.arange(n, dtype=np.int32)


def all_in_one(n: int) -> IntArray:
    """One entity for everything."""
    return np.zeros(n, dtype=np.int32)


def string_match(names: Sequence[str]) -> IntArray:
    """The same name, spaces and accents and capitals aside, is the same entity.

    >>> string_match(["John Smith", "john  smith", "J. Smith"]).tolist()
    [0, 0, 1]
    """
    return renumber(np.unique([fold(name) for name in names], return_inverse=True)[1])


def with_constraints(labels: IntArray, constraints: Constraints) -> IntArray:
    """Mend a labelling so that hard constraints hold: link what must be one, then split off what may not be together.

    >>> limits = Constraints(3, np.array([0, 0, 1], dtype=np.int32), cannot=np.array([[0, 2]], dtype=np.int32))
    >>> with_constraints(np.array([0, 1, 1], dtype=np.int32), limits).tolist()
    [0, 0, 1]
    """
    if constraints.empty:
        return labels
    forbidden: dict[int, set[int]] = {}
    for a, b in constraints.group[constraints.cannot]:
        forbidden.setdefault(int(a), set()).add(int(b))
        forbidden.setdefault(int(b), set()).add(int(a))
    _, first = np.unique(constraints.group, return_index=True)
    chosen: dict[int, tuple[int, int]] = {}
    inside: dict[tuple[int, int], set[int]] = {}
    for row in np.sort(first):
        group, split = int(constraints.group[row]), 0
        while inside.get((int(labels[row]), split), set()) & forbidden.get(group, set()):
            split += 1
        chosen[group] = (int(labels[row]), split)
        inside.setdefault(chosen[group], set()).add(group)
    numbers = {key: number for number, key in enumerate(dict.fromkeys(chosen.values()))}
    return renumber(np.array([numbers[chosen[int(group)]] for group in constraints.group]))
