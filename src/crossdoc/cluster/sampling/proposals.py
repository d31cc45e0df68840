"""Informed proposals, sub-entities, which move as blocks, and super-entities, which decide what meets in a round.

Which mentions a node might belong with follows from postings of its heavy features, a name among them. Half of a node's
neighbours are those most like it, found once; the others are drawn for a round. Neither depend on the entities, so that
the Hastings correction is a count: q(B) depends on how many of them B holds. The paper's proposals are uniform.

Blocks (Singh et al. 2011, 3.3) are sums of rows, so a block move is a move of the flat model; the paper's own factors,
cosines of united bags with a bias of their own, are `united`. Super-entities are canopies drawn afresh each round by
weighted min-hashing (Ioffe 2010, doi:10.1109/ICDM.2010.80: alike entities share a key about as often as they are alike)
instead of being sampled: one pass over the rows, and any canopy is a fair one since it does not depend on the entities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.cluster.sampling.entity_tables import NodeRows
from crossdoc.cluster.sampling.factor_graph import FactorGraph, in_pieces, members_of
from crossdoc.cluster.sampling.pair_moves import below, draw, unit

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
    def of(cls, graph: FactorGraph, threads: int = 1) -> Postings:
        frequency = np.bincount(graph.rows.cells[:, 0], minlength=graph.n_features + 1)
        heavy, value = heaviest(graph.rows, frequency, HEAVY)
        order, start = members_of(heavy.ravel(), graph.n_features + 1)
        node, there = (order // HEAVY).astype(np.int32), value.ravel()[order]
        nearest = np.full((graph.n, NEAREST), -1, dtype=np.int32)
        in_pieces(find_nearest, graph.n, threads, heavy, value, start, node, there, nearest, LONGEST_POSTING)
        return cls(heavy, value, start, node, nearest)

    def draw(self, seed: int, threads: int = 1) -> Neighbours:
        """The neighbours of each node (−1 where it has none), the same for the same seed."""
        n = len(self.heavy)
        found = np.empty((n, NEIGHBOUR_WIDTH), dtype=np.int32)
        found[:, :NEAREST] = self.nearest
        args = self.heavy, self.value, self.start, self.node, found[:, NEAREST:], np.uint64(seed)
        in_pieces(draw_neighbours, n, threads, *args)
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
    in_pieces(lift_neighbours, len(found), threads, neighbours, group, order, bounds, found, np.uint64(seed))
    return found


@njit(cache=True, nogil=True, inline="always")
def keep_best(value, who, many, v, e):  # type: ignore[no-untyped-def]
    """Put e among the best, in order; returns how many there are."""
    width = len(value)
    if many == width and v <= value[many - 1]:
        return many
    at = many if many < width else width - 1
    while at > 0 and v > value[at - 1]:
        value[at] = value[at - 1]
        who[at] = who[at - 1]
        at -= 1
    value[at] = v
    who[at] = e
    return min(many + 1, width)


@njit(cache=True, nogil=True)
def heaviest(rows, frequency, most):  # type: ignore[no-untyped-def]
    """The heaviest shared features of each node (0 where it has fewer), heaviest first, and their values."""
    n = len(rows.size)
    heavy = np.zeros((n, most), dtype=np.int32)
    value = np.zeros((n, most), dtype=np.int32)
    for i in range(n):
        many, weights, features = 0, value[i], heavy[i]
        for c in range(rows.start[i], rows.start[i + 1]):
            if frequency[rows.cells[c, 0]] > 1:
                many = keep_best(weights, features, many, abs(rows.cells[c, 1]), rows.cells[c, 0])
    return heavy, value


@njit(cache=True, nogil=True)
def find_nearest(heavy, value, start, node, there, nearest, longest, first, last):  # type: ignore[no-untyped-def]
    """The nodes whose heavy features have most in common with each node's."""
    n, most = heavy.shape
    width = nearest.shape[1]
    common = np.zeros(n, dtype=np.int64)
    touched = np.empty(most * longest, dtype=np.int32)
    best = np.empty(width, dtype=np.int64)
    state = np.empty(1, dtype=np.uint64)
    for i in range(first, last):
        state[0] = np.uint64(i) * np.uint64(0xD1342543DE82EF95)
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
        found, near = 0, nearest[i]
        common[i] = 0
        for t in range(many):
            other = touched[t]
            worth = common[other]
            common[other] = 0
            if worth != 0:
                found = keep_best(best, near, found, worth, other)


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


Meeting = Literal["random", "canopies"]
MOST_GAPS = 4
"""Numbers a node. Up to this many, labels are counted instead of sorted."""
MANY_ENTITIES = 16
"""A canopy of fewer entities stays on one worker."""
CANOPY_MULTIPLIER = 2654435761


def deal(
    graph: FactorGraph, labels: npt.NDArray[np.int32], parts: int, meeting: Meeting, seed: int, threads: int = 1
) -> list[npt.NDArray[np.int32]]:
    """Assign complete entities to `parts` workers: those of one canopy, that of their first member, or at random.

    Nodes that may meet come one after another, so that the tables they look at are in the cache.
    """
    canopy = labels.astype(np.int64)
    if meeting == "canopies":
        time, key = canopies(graph, seed, threads)
        canopy = key[first_members(labels, time)[labels]].astype(np.int64)
    rank = (_mixed(canopy, seed) << 32) + _mixed(labels.astype(np.int64), seed)
    order = np.argsort(rank, kind="stable").astype(np.int32)
    return _cut(graph, rank[order], order, parts)


@njit(cache=True, nogil=True)
def first_members(label, time):  # type: ignore[no-untyped-def]
    """The member of each entity with the earliest time; the first wins a tie."""
    first = np.full(len(label), -1, dtype=np.int64)
    for node in range(len(label)):
        e = label[node]
        if first[e] < 0 or time[node] < time[first[e]]:
            first[e] = node
    return first


def canopies(graph: FactorGraph, seed: int, threads: int = 1) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """For each node the time of the first of its features in a race that heavy ones win more often, and which it is."""
    clock = -np.log1p(-np.random.default_rng(seed).random(graph.n_features + 1)) + 1e-12
    time, key = np.empty(graph.n), np.empty(graph.n, dtype=np.int32)
    in_pieces(canopy_keys, graph.n, threads, graph.rows.start, graph.rows.cells, graph.rows.size, clock, time, key)
    return time, key


def _mixed(numbers: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.int64]:
    """Numbers below 2³¹ in an order that changes with the seed."""
    return (numbers * CANOPY_MULTIPLIER ^ seed) * CANOPY_MULTIPLIER & 0x7FFFFFFF


def _cut(
    graph: FactorGraph, rank: npt.NDArray[np.int64], order: npt.NDArray[np.int32], parts: int
) -> list[npt.NDArray[np.int32]]:
    """Nodes in order of (canopy, entity), in pieces of about as many cells; no entity is in two.

    Nor is a small canopy. A large one may be, between entities that meet on other days.
    """
    if parts == 1 or not len(order):
        return [order]
    begins = np.flatnonzero(np.diff(rank, prepend=-1))
    _, first, where, many = np.unique(rank[begins] >> 32, return_index=True, return_inverse=True, return_counts=True)
    whole = many[where] < MANY_ENTITIES
    whole[first] = False
    begins = begins[~whole]
    cells = np.concatenate([[0], np.cumsum(np.diff(graph.rows.start)[order] + 1)])
    bounds = np.append(begins, len(order))
    wanted = cells[-1] * np.arange(1, parts) / parts
    at = np.searchsorted(cells[bounds], wanted)
    nearer = wanted - cells[bounds[at - 1]] < cells[bounds[at]] - wanted
    return np.split(order, bounds[at - nearer])


def entity_blocks(labels: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Entities numbered 0, 1, … in the order of their labels, each a block of its own: moves merge entities.

    >>> entity_blocks(np.array([7, 3, 7])).tolist()
    [1, 0, 1]
    """
    if labels.max(initial=0) < MOST_GAPS * len(labels):
        return (np.cumsum(np.bincount(labels) > 0, dtype=np.int32) - np.int32(1))[labels]
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def within_entities(neighbours: Neighbours, labels: npt.NDArray[np.int32]) -> Neighbours:
    """Neighbours of the same entity only, so that what is sampled over them nests in the entities."""
    same = labels[np.maximum(neighbours, 0)] == labels[:, None]
    return np.where(same & (neighbours >= 0), neighbours, -1).astype(np.int32)


def united(blocks: FactorGraph) -> FactorGraph:
    """Blocks as united bags of words: rows of unit length, each of them one."""
    scale = blocks.unit_value**-0.5
    rows = blocks.rows
    length = np.sqrt(np.maximum(rows.own.astype(np.float64), 1.0))
    stored = _shrunk(rows.start, rows.cells, scale / length)
    same = rows.query_cells is rows.cells
    query = stored if same else _shrunk(rows.query_start, rows.query_cells, scale / length)
    own = np.round(rows.own * (scale / length) ** 2).astype(np.int64)
    size = np.ones_like(rows.size)
    rows = rows._replace(cells=stored, query_cells=query, own=own, size=size)
    return replace(blocks, rows=rows, inner_dot=0, inner_pairs=0)


def _shrunk(start: Any, cells: npt.NDArray[np.int32], factor: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    out = cells.copy()
    out[:, 1] = np.round(cells[:, 1] * np.repeat(factor, np.diff(start)))
    return out


@njit(cache=True, nogil=True)
def canopy_keys(start, cells, size, clock, time, key, first, last):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        # A node without features is a canopy of its own.
        key[i] = len(clock) + i
        time[i] = np.finfo(np.float64).max
        for c in range(start[i], start[i + 1]):
            value = np.float64(cells[c, 1]) / np.float64(size[i])
            at = clock[cells[c, 0]] / (value * value)
            if at < time[i]:
                time[i] = at
                key[i] = cells[c, 0]
