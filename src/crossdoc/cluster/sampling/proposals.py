"""Informed proposals: which mentions a node might belong with, from postings of its heavy features.

Half of a node's neighbours are those most like it, found once; the others are drawn for a round. Neither depend on the
entities, so that the Hastings correction is a count: q(B) depends on how many of them B holds. A name is a feature
among the others. Departs from the paper, whose proposals are uniform.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.cluster.sampling.entity_tables import NodeRows
from crossdoc.cluster.sampling.factor_graph import FactorGraph, members_of
from crossdoc.cluster.sampling.pair_moves import below, draw, unit
from crossdoc.cluster.sampling.threads import in_pieces

HEAVY = 12
"""Features of a node that have postings."""
NEAREST, DRAWN = 8, 8
"""Neighbours of a node in a round: the most similar ones, the same in each round, and others drawn for the round."""
NEIGHBOUR_WIDTH = NEAREST + DRAWN
BLOCK_WIDTH = 48
"""Neighbours of a block: blocks are few, and one that is missed is missed with all its mentions."""
LONGEST_POSTING = 128
"""Nodes. Only a piece of longer postings is searched for the nearest nodes."""

Neighbours = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Postings:
    """Which nodes have a feature among their heaviest; features of one node alone are left out."""

    heavy: npt.NDArray[np.int32]
    value: npt.NDArray[np.int32]
    start: npt.NDArray[np.int64]
    node: npt.NDArray[np.int32]
    nearest: Neighbours

    @classmethod
    def of(cls, graph: FactorGraph, threads: int = 1, seed: int = 0) -> Postings:
        frequency = feature_frequency(graph.rows, graph.n_features)
        heavy, value = heaviest(graph.rows, frequency, HEAVY)
        start, node, value_there = invert(heavy, value, graph.n_features)
        nearest = np.full((graph.n, NEAREST), -1, dtype=np.int32)
        args = (heavy, value, start, node, value_there, nearest, LONGEST_POSTING, np.uint64(seed))
        in_pieces(lambda first, last: find_nearest(*args, first, last), graph.n, threads)
        return cls(heavy, value, start, node, nearest)

    def draw(self, seed: int, threads: int = 1) -> Neighbours:
        """The neighbours of each node (−1 where it has none), the same for the same seed."""
        n = len(self.heavy)
        found = np.empty((n, NEIGHBOUR_WIDTH), dtype=np.int32)
        found[:, :NEAREST] = self.nearest
        args = (self.heavy, self.value, self.start, self.node, found[:, NEAREST:], np.uint64(seed))
        in_pieces(lambda first, last: draw_neighbours(*args, first, last), n, threads)
        return found


def with_partners(neighbours: Neighbours, rows: NodeRows, seed: int) -> Neighbours:
    """A node that a judgement draws to others has one of them as its last neighbour: they may share no word."""
    if not (rows.limit_weight > 0).any():
        return neighbours
    node = np.repeat(np.arange(len(rows.size)), np.diff(rows.limit_start))
    drawn = np.random.default_rng(seed).permutation(np.flatnonzero(rows.limit_weight > 0))
    out = neighbours.copy()
    out[node[drawn], -1] = rows.limit_other[drawn]
    return out


def lift(neighbours: Neighbours, group: npt.NDArray[np.int32], width: int, seed: int, threads: int = 1) -> Neighbours:
    """Neighbours of blocks: the blocks of their members' neighbours."""
    order, bounds = members_of(group)
    found = np.full((len(bounds) - 1, width), -1, dtype=np.int32)
    args = neighbours, group, order, bounds, found, np.uint64(seed)
    in_pieces(lambda first, last: lift_neighbours(*args, first, last), len(found), threads)
    return found


@njit(cache=True, nogil=True)
def feature_frequency(rows, width):  # type: ignore[no-untyped-def]
    frequency = np.zeros(width + 1, dtype=np.int64)
    for c in range(len(rows.cells)):
        frequency[rows.cells[c, 0]] += 1
    return frequency


@njit(cache=True, nogil=True)
def heaviest(rows, frequency, most):  # type: ignore[no-untyped-def]
    """The heaviest shared features of each node (0 where it has fewer), heaviest first, and their values."""
    n = len(rows.size)
    heavy = np.zeros((n, most), dtype=np.int32)
    value = np.zeros((n, most), dtype=np.int32)
    for i in range(n):
        many = 0
        for c in range(rows.start[i], rows.start[i + 1]):
            key, weight = rows.cells[c, 0], abs(rows.cells[c, 1])
            if frequency[key] < 2 or (many == most and weight <= value[i, many - 1]):
                continue
            at = many if many < most else most - 1
            many = min(many + 1, most)
            while at > 0 and weight > value[i, at - 1]:
                value[i, at] = value[i, at - 1]
                heavy[i, at] = heavy[i, at - 1]
                at -= 1
            value[i, at] = weight
            heavy[i, at] = key
    return heavy, value


@njit(cache=True, nogil=True)
def invert(heavy, value, width):  # type: ignore[no-untyped-def]
    """For each feature the nodes that have it among their heaviest, and its values there."""
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
    there = np.empty(start[-1], dtype=np.int32)
    for i in range(n):
        for k in range(most):
            if heavy[i, k] > 0:
                node[at[heavy[i, k]]] = i
                there[at[heavy[i, k]]] = value[i, k]
                at[heavy[i, k]] += 1
    return start, node, there


@njit(cache=True, nogil=True)
def find_nearest(heavy, value, start, node, there, nearest, longest, seed, first, last):  # type: ignore[no-untyped-def]
    """The nodes whose heavy features have most in common with each node's."""
    n, most = heavy.shape
    width = nearest.shape[1]
    common = np.zeros(n, dtype=np.int64)
    touched = np.empty(most * longest, dtype=np.int32)
    best = np.empty(width, dtype=np.int64)
    state = np.empty(1, dtype=np.uint64)
    for i in range(first, last):
        state[0] = seed ^ (np.uint64(i) * np.uint64(0xD1342543DE82EF95))
        many = 0
        for k in range(most):
            f = heavy[i, k]
            if f == 0:
                break
            length = start[f + 1] - start[f]
            begin = start[f]
            if length > longest:
                begin += below(state, length - longest)
                length = np.int64(longest)
            for at in range(begin, begin + length):
                other = node[at]
                if common[other] == 0:
                    touched[many] = other
                    many += 1
                common[other] += np.int64(value[i, k]) * np.int64(there[at])
        found = 0
        common[i] = 0
        for t in range(many):
            other = touched[t]
            worth = common[other]
            common[other] = 0
            if worth == 0 or (found == width and worth <= best[found - 1]):
                continue
            at = found if found < width else width - 1
            found = min(found + 1, width)
            while at > 0 and worth > best[at - 1]:
                best[at] = best[at - 1]
                nearest[i, at] = nearest[i, at - 1]
                at -= 1
            best[at] = worth
            nearest[i, at] = other


@njit(cache=True, nogil=True)
def draw_neighbours(heavy, value, start, node, found, seed, first, last):  # type: ignore[no-untyped-def]
    """A random node of a feature's postings each time, the feature drawn by the square of its value."""
    width, most = found.shape[1], heavy.shape[1]
    state = np.empty(1, dtype=np.uint64)
    share = np.empty(most)
    for i in range(first, last):
        state[0] = seed ^ (np.uint64(i) * np.uint64(0xD1342543DE82EF95))
        draw(state)
        total, many = 0.0, 0
        while many < most and heavy[i, many] > 0:
            total += np.float64(value[i, many]) ** 2
            share[many] = total
            many += 1
        for k in range(width):
            found[i, k] = -1
            if many == 0:
                continue
            chosen, at = unit(state) * total, 0
            while at < many - 1 and share[at] < chosen:
                at += 1
            f = heavy[i, at]
            other = node[start[f] + below(state, start[f + 1] - start[f])]
            if other != i:
                found[i, k] = other


@njit(cache=True, nogil=True)
def lift_neighbours(neighbours, group, order, bounds, found, seed, first, last):  # type: ignore[no-untyped-def]
    state = np.empty(1, dtype=np.uint64)
    for g in range(first, last):
        state[0] = seed ^ (np.uint64(g) * np.uint64(0xD1342543DE82EF95))
        draw(state)
        members = bounds[g + 1] - bounds[g]
        for k in range(found.shape[1]):
            # Most neighbours of a block's members are its own members.
            for _ in range(4):
                member = order[bounds[g] + below(state, members)]
                other = neighbours[member, below(state, neighbours.shape[1])]
                if other >= 0 and group[other] != g:
                    found[g, k] = group[other]
                    break
