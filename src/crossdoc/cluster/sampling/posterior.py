"""Posteriors: the probability that two mentions corefer, and memberships of mentions in entities.

At temperature 1 the chain's partitions are draws from the model (Singh et al. 2011, equation 1, with log p = 2S), so
shares of samples are probabilities under it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.cluster.memberships import A_LITTLE, MOST_ALTERNATIVES, SMALLEST_MEMBERSHIP, _keep_apart
from crossdoc.cluster.sampling.entity_tables import MASS, ask_entity, entities_of, entity_dot
from crossdoc.cluster.sampling.factor_graph import FactorGraph, members_of
from crossdoc.cluster.sampling.pair_moves import limit_sum
from crossdoc.cluster.sampling.proposals import Neighbours
from crossdoc.cluster.sampling.threads import in_pieces
from crossdoc.constraints import Constraints

Samples = npt.NDArray[np.int32]


def pair_probability(samples: Samples, pairs: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The share of the samples (one a row, labels of all mentions) in which the two mentions of a pair are one entity.

    >>> samples = np.array([[0, 0, 1], [0, 1, 1], [0, 0, 0], [0, 0, 1]], dtype=np.int32)
    >>> pair_probability(samples, np.array([[0, 1], [0, 2]])).tolist()
    [0.75, 0.25]
    """
    a, b = np.asarray(pairs).reshape(-1, 2).T
    together = np.zeros(len(a))
    for labels in samples:
        together += labels[a] == labels[b]
    return together / len(samples)


def sampled_memberships(samples: Samples, labels: npt.NDArray[Any], constraints: Constraints) -> sparse.csr_matrix:
    """u_ic: the expected share of mention i's entity, in a sample, that is of cluster c of `labels`."""
    n, k = len(labels), int(labels.max(initial=-1)) + 1
    total = sparse.csr_matrix((n, k))
    home = sparse.csr_matrix((np.ones(n), (np.arange(n), labels)), shape=(n, k))
    for sample in samples:
        _, entity = np.unique(sample, return_inverse=True)
        holds = sparse.csr_matrix((np.ones(n), (entity, np.arange(n))), shape=(entity.max() + 1, n))
        shares = normalize((holds @ home).tocsr(), norm="l1")
        shares.data[shares.data < SMALLEST_MEMBERSHIP] = 0
        shares.eliminate_zeros()
        total = total + shares[entity]
    return settled(total / len(samples), labels, constraints)


def conditional_memberships(
    graph: FactorGraph, labels: npt.NDArray[np.int32], neighbours: Neighbours, bias: float, threads: int = 1
) -> sparse.csr_matrix:
    """u_ic ∝ exp(2 Σψ(i, c)): where a node would go at temperature 1 if all others stayed; candidates as for moves."""
    n, k = graph.n, int(labels.max(initial=-1)) + 1
    if not n:
        return sparse.csr_matrix((0, 0))
    nodes = np.arange(n, dtype=np.int32)
    entities = entities_of(graph.rows, nodes, labels)
    entity = np.full((n, MOST_ALTERNATIVES + 1), -1, dtype=np.int32)
    value = np.zeros(entity.shape)
    # Members of an entity one after another find its table in the cache.
    args = graph.rows, entities, neighbours, members_of(labels)[0], bias * graph.scaled_bias, graph.unit_value
    in_pieces(lambda first, last: conditionals(*args, entity, value, first, last), n, threads)
    valid = entity >= 0
    row = np.repeat(nodes, valid.sum(axis=1))
    values = np.where(valid, 2 * value, -np.inf)
    weight = np.exp(values - values.max(axis=1, keepdims=True))[valid]
    return sparse.csr_matrix((weight, (row, entity[valid])), shape=(n, k))


def settled(memberships: sparse.csr_matrix, labels: npt.NDArray[Any], constraints: Constraints) -> sparse.csr_matrix:
    """Rows that add up to 1, whose largest is the label, and that honour the constraints.

    Rows that must be one share theirs; a cluster that holds a row it may not be with counts nothing.
    """
    n = memberships.shape[0]
    if not n:
        return memberships
    _, first, group = np.unique(constraints.group, return_index=True, return_inverse=True)
    joined = sparse.csr_matrix((np.ones(n), (group, np.arange(n))), shape=(len(first), n)) @ memberships
    shared = normalize(joined.tocsr(), norm="l1").tolil() if len(constraints.cannot) else normalize(joined, norm="l1")
    home = labels[first].astype(np.int64)
    for a, b in group[constraints.cannot]:
        shared[a, home[b]] = 0
        shared[b, home[a]] = 0
    shared = sparse.csr_matrix(shared)
    shared.data[shared.data < SMALLEST_MEMBERSHIP] = 0
    rows = np.arange(len(first))
    own = np.asarray(shared[rows, home]).ravel()
    others = shared - sparse.csr_matrix((own, (rows, home)), shape=shared.shape)
    own = np.maximum(own, others.max(axis=1).toarray().ravel() * (1 + A_LITTLE))
    own[own == 0] = 1.0
    shared = others + sparse.csr_matrix((own, (rows, home)), shape=shared.shape)
    shared.eliminate_zeros()
    shared = normalize(sparse.csr_matrix(shared), norm="l1")
    _keep_apart(shared, home, group[constraints.cannot])
    return shared[group]


@njit(cache=True, nogil=True)
def conditionals(rows, entities, neighbours, order, bias, unit_value, entity, value, first, last):  # type: ignore[no-untyped-def]
    """For each node its own entity (without it) and some others that hold neighbours of it, with Σψ."""
    labels, record, arena = entities.label, entities.record, entities.arena
    query, query_start, cells, start = rows.query_cells, rows.query_start, rows.cells, rows.start
    limits = rows.limit_start, rows.limit_other, rows.limit_weight
    for i in range(first, last):
        node = order[i]
        entity[node, 0] = labels[node]
        many = 1
        for other in neighbours[node]:
            if other < 0 or many == entity.shape[1]:
                continue
            e = labels[other]
            at = 0
            while at < many and entity[node, at] != e:
                at += 1
            if at == many:
                entity[node, many] = e
                many += 1
                ask_entity(query, query_start, cells, start, record, arena, node, np.int64(e))
        for at in range(many):
            e = np.int64(entity[node, at])
            dot = entity_dot(query, query_start, cells, start, record, arena, node, e)
            mass = record[e, MASS]
            if at == 0:
                dot, mass = dot - rows.own[node], mass - rows.size[node]
            value[node, at] = np.float64(dot) * unit_value - bias * np.float64(rows.size[node]) * np.float64(mass)
            if limits[0][node + 1] > limits[0][node]:
                value[node, at] += limit_sum(*limits, labels, node, e)
