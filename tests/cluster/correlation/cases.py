"""Random small problems, and the optimum by trying all partitions."""

from __future__ import annotations

from functools import partial

import numpy as np
from hypothesis import strategies as st

from crossdoc.cluster.correlation import exact, full_program, local_search, relaxation
from crossdoc.model.evidence_protocol import Constraints

TOY = np.array([[0, -1000, 30, 0], [-1000, 0, 25, 20], [30, 25, 0, 15], [0, 20, 15, 0.0]])
"""Van Gael & Zhu 2007, section 4.1."""


SOLVERS = {
    "exact": exact.solve,
    "lp": relaxation.solve,
    "moves": local_search.solve,
    "full": full_program.solve,
    "chunking": partial(full_program.solve, chunk=full_program.CHUNK_ROWS),
}
seeds = st.integers(0, 2**32 - 1)
NEAR = 1e-6


def partitions(n):
    """All partitions of n rows, as labels numbered in order of first appearance."""
    if n == 0:
        yield []
        return
    for labels in partitions(n - 1):
        for label in range(max(labels, default=-1) + 2):
            yield [*labels, label]


def disagreements(weights, labels):
    """The definition: attractive pairs that are cut and repulsive pairs that are not."""
    labels = np.asarray(labels)
    first, second = np.triu_indices(len(labels), 1)
    w, cut = weights[first, second], labels[first] != labels[second]
    return float(w[(w > 0) & cut].sum() - w[(w < 0) & ~cut].sum())


def honours(labels, limits, groups):
    labels = np.asarray(labels)
    if limits is not None and limits.violated_by(labels):
        return False
    held = [(label, group) for label, group in zip(labels.tolist(), groups, strict=True) if group is not None]
    return len(set(held)) == len(held)


def optimum(weights, limits=None, groups=None):
    groups = [None] * len(weights) if groups is None else groups
    return min(disagreements(weights, p) for p in partitions(len(weights)) if honours(p, limits, groups))


def random_weights(rng, n, density=1.0, shift=0.0):
    upper = np.triu(rng.normal(shift, 1, (n, n)) * (rng.random((n, n)) < density), 1)
    return upper + upper.T


def random_constraints(rng, n):
    """Hard ones that do not contradict each other, and soft ones."""
    group = np.arange(n)
    for a, b in rng.integers(0, n, (rng.integers(0, 3), 2)):
        group[group == group[a]] = group[b]
    cannot = rng.integers(0, n, (rng.integers(0, 4), 2))
    cannot = cannot[group[cannot[:, 0]] != group[cannot[:, 1]]]
    soft = rng.integers(0, n, (rng.integers(0, 3), 2))
    soft = soft[soft[:, 0] != soft[:, 1]]
    numbers = np.unique(group, return_inverse=True)[1].astype(np.int32)
    return Constraints(n, numbers, cannot.astype(np.int32), soft.astype(np.int32), rng.normal(size=len(soft)))


def random_groups(rng, limits, n_groups=3):
    """Groups of which no two rows that must be one are."""
    groups = [None if rng.random() < 0.3 else f"g{rng.integers(n_groups)}" for _ in range(limits.n)]
    held = set()
    for row, group in enumerate(groups):
        if (limits.group[row], group) in held:
            groups[row] = None
        held.add((limits.group[row], group))
    return groups


def with_soft(weights, limits):
    """The weights with the soft constraints added."""
    leaned = weights.copy()
    for (a, b), weight in zip(limits.soft, limits.soft_weight, strict=True):
        leaned[a, b] += weight
        leaned[b, a] += weight
    return leaned
