"""Informed proposals: which mentions a node might belong with, from postings of its heavy features.

Each node's neighbours are drawn once a round and then fixed, so that the Hastings correction is a count: q(B) depends
on how many of them B holds. A name is a feature among the others. Departs from the paper, whose proposals are uniform.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.cluster.sampling.model import FactorGraph
from crossdoc.cluster.sampling.moves import below, draw, unit

HEAVY = 12
"""Features of a node that have postings."""
WIDTH = 16
"""Neighbours of a node in a round."""
BLOCK_WIDTH = 48
"""Neighbours of a block: blocks are few, and one that is missed is missed with all its mentions."""

Neighbours = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Postings:
    """Which nodes have a feature among their heaviest; features of one node alone are left out."""

    heavy: npt.NDArray[np.int32]
    share: npt.NDArray[np.float32]
    start: npt.NDArray[np.int64]
    node: npt.NDArray[np.int32]

    @classmethod
    def of(cls, graph: FactorGraph, most: int = HEAVY) -> Postings:
        frequency = feature_frequency(graph.rows, graph.n_features)
        heavy, share = heaviest(graph.rows, frequency, most)
        start, node = invert(heavy, graph.n_features)
        return cls(heavy, share, start, node)

    def draw(self, width: int, seed: int, pool: Executor | None = None, pieces: int = 1) -> Neighbours:
        """`width` neighbours of each node (−1 where it has none), the same for the same seed."""
        n = len(self.heavy)
        found = np.empty((n, width), dtype=np.int32)
        bounds = np.linspace(0, n, pieces + 1).astype(np.int64)
        held = (self.heavy, self.share, self.start, self.node, found)
        work: list[Any] = [(*held, a, b, np.uint64(seed)) for a, b in pairwise(bounds)]
        if pool is None or pieces == 1:
            for piece in work:
                draw_neighbours(*piece)
        else:
            for done in [pool.submit(draw_neighbours, *piece) for piece in work]:
                done.result()
        return found


def lift(neighbours: Neighbours, group: npt.NDArray[np.int32], width: int, seed: int) -> Neighbours:
    """Neighbours of blocks: the blocks of their members' neighbours."""
    groups = int(group.max(initial=-1)) + 1
    order = np.argsort(group, kind="stable").astype(np.int64)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=groups))]).astype(np.int64)
    return lift_neighbours(neighbours, group, order, bounds, width, np.uint64(seed))


@njit(cache=True, nogil=True)
def feature_frequency(rows, width):  # type: ignore[no-untyped-def]
    frequency = np.zeros(width + 1, dtype=np.int64)
    for c in range(len(rows.cells)):
        frequency[rows.cells[c, 0]] += 1
    return frequency


@njit(cache=True, nogil=True)
def heaviest(rows, frequency, most):  # type: ignore[no-untyped-def]
    """The heaviest shared features of each node (0 where it has fewer), and their shares of value², accumulated."""
    n = len(rows.size)
    heavy = np.zeros((n, most), dtype=np.int32)
    share = np.zeros((n, most), dtype=np.float32)
    value = np.empty(most, dtype=np.int64)
    for i in range(n):
        many = 0
        for c in range(rows.start[i], rows.start[i + 1]):
            key, weight = rows.cells[c, 0], abs(np.int64(rows.cells[c, 1]))
            if frequency[key] < 2 or (many == most and weight <= value[many - 1]):
                continue
            at = many if many < most else most - 1
            many = min(many + 1, most)
            while at > 0 and weight > value[at - 1]:
                value[at] = value[at - 1]
                heavy[i, at] = heavy[i, at - 1]
                at -= 1
            value[at] = weight
            heavy[i, at] = key
        total = 0.0
        for at in range(many):
            total += np.float64(value[at]) ** 2
            share[i, at] = total
        for at in range(many):
            share[i, at] /= total
    return heavy, share


@njit(cache=True, nogil=True)
def invert(heavy, width):  # type: ignore[no-untyped-def]
    n, most = heavy.shape
    start = np.zeros(width + 2, dtype=np.int64)
    for i in range(n):
        for k in range(most):
            if heavy[i, k] > 0:
                start[heavy[i, k] + 1] += 1
    for f in range(width + 1):
        start[f + 1] += start[f]
    at = start[:-1].copy()
    node = np.empty(start[-1], dtype=np.int32)
    for i in range(n):
        for k in range(most):
            if heavy[i, k] > 0:
                node[at[heavy[i, k]]] = i
                at[heavy[i, k]] += 1
    return start, node


@njit(cache=True, nogil=True)
def draw_neighbours(heavy, share, start, node, found, first, last, seed):  # type: ignore[no-untyped-def]
    width, most = found.shape[1], heavy.shape[1]
    state = np.empty(1, dtype=np.uint64)
    for i in range(first, last):
        state[0] = seed ^ (np.uint64(i) * np.uint64(0xD1342543DE82EF95))
        draw(state)
        for k in range(width):
            found[i, k] = -1
            if heavy[i, 0] == 0:
                continue
            chosen, at = unit(state), 0
            while at < most - 1 and share[i, at] < chosen and heavy[i, at + 1] > 0:
                at += 1
            f = heavy[i, at]
            other = node[start[f] + below(state, start[f + 1] - start[f])]
            if other != i:
                found[i, k] = other


@njit(cache=True, nogil=True)
def lift_neighbours(neighbours, group, order, bounds, width, seed):  # type: ignore[no-untyped-def]
    groups = len(bounds) - 1
    found = np.full((groups, width), -1, dtype=np.int32)
    state = np.empty(1, dtype=np.uint64)
    for g in range(groups):
        state[0] = seed ^ (np.uint64(g) * np.uint64(0xD1342543DE82EF95))
        draw(state)
        members = bounds[g + 1] - bounds[g]
        for k in range(width):
            # Most neighbours of a block's members are its own members.
            for _ in range(4):
                member = order[bounds[g] + below(state, members)]
                other = neighbours[member, below(state, neighbours.shape[1])]
                if other >= 0 and group[other] != g:
                    found[g, k] = group[other]
                    break
    return found
