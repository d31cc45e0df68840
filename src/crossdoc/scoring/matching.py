"""The best one-to-one matching of answer and gold entities, which CEAF needs, component by component."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array, diags_array, hstack
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from crossdoc.scoring.assignments import Alignment, Codes

Floats = NDArray[np.float64]
# Above this many cells a component of the overlap graph is matched sparsely: at 10^6 the dense method needs 8 MB.
DENSE_CELLS = 10**6


def best_matching(aligned: Alignment, weight: Floats) -> Codes:
    """The cells of the contingency table in a one-to-one matching of answer and gold entities of the most weight."""
    cluster, entity, _ = aligned.overlaps
    clusters, entities = aligned.predicted.shape[1], aligned.gold.shape[1]
    graph = csr_array((np.ones(len(weight)), (cluster, entity + clusters)), shape=(clusters + entities,) * 2)
    component = connected_components(graph, directed=False)[1][cluster]
    order = np.argsort(component, kind="stable")
    cells = np.split(order, np.flatnonzero(np.diff(component[order])) + 1)
    return np.concatenate([_match_component(part, entity[part], cluster[part], weight[part]) for part in cells])


def _match_component(cells: Codes, entity: Codes, cluster: Codes, weight: Floats) -> Codes:
    if len(cells) == 1:
        return cells
    rows, row = np.unique(entity, return_inverse=True)
    columns, column = np.unique(cluster, return_inverse=True)
    if len(rows) == 1 or len(columns) == 1:
        return cells[[np.argmax(weight)]]
    match = _match_densely if len(rows) * len(columns) <= DENSE_CELLS else _match_sparsely
    return cells[match(row, column, weight)]


def _match_densely(row: Codes, column: Codes, weight: Floats) -> Codes:
    table = np.zeros((row.max() + 1, column.max() + 1))
    cell = np.full(table.shape, -1)
    table[row, column] = weight
    cell[row, column] = np.arange(len(weight))
    chosen = cell[linear_sum_assignment(table, maximize=True)]
    return chosen[chosen >= 0]


def _match_sparsely(row: Codes, column: Codes, weight: Floats) -> Codes:
    """With a column of its own to fall back on, every row is matched, and an equal amount added to each cost then
    changes nothing but keeps costs above zero, which the sparse method reads as no edge."""
    rows, columns = int(row.max()) + 1, int(column.max()) + 1
    dearest = weight.max() + 1
    costs = csr_array((dearest - weight, (row, column)), shape=(rows, columns))
    matched = min_weight_full_bipartite_matching(hstack([costs, diags_array(np.full(rows, dearest))], format="csr"))
    column_of_row = np.full(rows, -1)
    column_of_row[matched[0]] = matched[1]
    return np.flatnonzero(column_of_row[row] == column)
