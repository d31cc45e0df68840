"""Sub-entities, which move as blocks, and super-entities, which decide what meets in a round (Singh et al. 2011, 3.3).

Blocks are sums of rows, so a block move is a move of the flat model; the paper's own factors, cosines of united bags
with a bias of their own, are `united`. Super-entities are canopies drawn afresh each round by weighted min-hashing
(Ioffe 2010, doi:10.1109/ICDM.2010.80: alike entities share a key about as often as they are alike) instead of being
sampled: one pass over the rows, and any canopy is a fair one since it does not depend on the entities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.cluster.sampling.model import FactorGraph
from crossdoc.cluster.sampling.moves import draw, unit
from crossdoc.cluster.sampling.proposals import Neighbours

Meeting = Literal["random", "canopies"]


@dataclass(frozen=True, slots=True)
class Deal:
    """Which nodes each worker has. `place` is a node's rank in its own right, `worker` where it would draw its entity.

    An entity goes where its first-ranked member would draw it.
    """

    nodes: list[npt.NDArray[np.int32]]
    place: npt.NDArray[np.float64]
    worker: npt.NDArray[np.int32]


def deal(
    graph: FactorGraph, labels: npt.NDArray[np.int32], parts: int, meeting: Meeting, seed: int, *, fixed_order: bool
) -> Deal:
    """Deal entities, whole, to `parts` workers; with `fixed_order` the nodes' order does not depend on the labels.

    Nodes that may meet come one after another, so that the tables they look at are in the cache.
    """
    n = graph.n
    if meeting == "canopies":
        place, key = canopy_keys(graph.rows, graph.n_features, np.uint64(seed))
    else:
        place, key = random_keys(n, np.uint64(seed))
    worker = _workers(key, parts, seed)
    if fixed_order and parts == 1:
        order = np.argsort(key, kind="stable").astype(np.int32)
        return Deal([order], place, worker)
    first = first_members(labels, place)
    key_of_entity = key[first[labels]] if n else key
    rank = key if fixed_order else key_of_entity.astype(np.int64) * n + labels
    order = np.argsort(rank, kind="stable").astype(np.int32)
    if parts == 1:
        return Deal([order], place, worker)
    goes_to = worker[first[labels]][order]
    return Deal([order[goes_to == part] for part in range(parts)], place, worker)


def _workers(key: npt.NDArray[np.int32], parts: int, seed: int) -> npt.NDArray[np.int32]:
    """A worker for each key, evenly filled: the commonest key first, to whoever has least."""
    if parts == 1:
        return np.zeros(len(key), dtype=np.int32)
    keys, where, counts = np.unique(key, return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(keys))
    order = order[np.argsort(-counts[order], kind="stable")]
    return fill_evenly(counts, order, parts)[where]


def entity_blocks(labels: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Each entity a block of its own: moves merge entities."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def within_entities(neighbours: Neighbours, labels: npt.NDArray[np.int32]) -> Neighbours:
    """Neighbours of the same entity only, so that what is sampled over them nests in the entities."""
    held = labels[np.maximum(neighbours, 0)] == labels[:, None]
    return np.where(held & (neighbours >= 0), neighbours, -1).astype(np.int32)


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
    return replace(blocks, rows=rows, size_unit=1.0, inner_dot=0, inner_pairs=0)


def _shrunk(start: Any, cells: npt.NDArray[np.int32], factor: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    out = cells.copy()
    out[:, 1] = np.round(cells[:, 1] * np.repeat(factor, np.diff(start)))
    return out


@njit(cache=True, nogil=True)
def canopy_keys(rows, width, seed):  # type: ignore[no-untyped-def]
    """For each node the first of its features in a race that heavy ones win more often, and its time."""
    n = len(rows.size)
    state = np.empty(1, dtype=np.uint64)
    state[0] = seed
    clock = np.empty(width + 1)
    for f in range(width + 1):
        clock[f] = -np.log(unit(state)) + 1e-12
    key = np.empty(n, dtype=np.int32)
    time = np.empty(n)
    for i in range(n):
        # A node without features is a canopy of its own.
        key[i] = width + 1 + i
        time[i] = np.finfo(np.float64).max * unit(state)
        for c in range(rows.start[i], rows.start[i + 1]):
            value = np.float64(rows.cells[c, 1]) / np.float64(rows.size[i])
            at = clock[rows.cells[c, 0]] / (value * value)
            if at < time[i]:
                time[i] = at
                key[i] = rows.cells[c, 0]
    return time, key


@njit(cache=True, nogil=True)
def random_keys(n, seed):  # type: ignore[no-untyped-def]
    state = np.empty(1, dtype=np.uint64)
    state[0] = seed
    time = np.empty(n)
    key = np.empty(n, dtype=np.int32)
    for i in range(n):
        time[i] = unit(state)
        key[i] = np.int32(draw(state) >> np.uint64(34))
    return time, key


@njit(cache=True, nogil=True)
def first_members(labels, place):  # type: ignore[no-untyped-def]
    """For each entity number its member of the first place; the lower node wins a tie."""
    n = len(labels)
    first = np.full(n, -1, dtype=np.int32)
    for i in range(n):
        e = labels[i]
        if first[e] < 0 or place[i] < place[first[e]]:
            first[e] = i
    return first


@njit(cache=True, nogil=True)
def fill_evenly(counts, order, parts):  # type: ignore[no-untyped-def]
    load = np.zeros(parts, dtype=np.int64)
    worker = np.empty(len(counts), dtype=np.int32)
    for k in order:
        best = 0
        for part in range(1, parts):
            if load[part] < load[best]:
                best = part
        worker[k] = best
        load[best] += counts[k]
    return worker
