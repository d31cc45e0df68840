"""numba kernels that find violated cycles where only listed pairs want to be apart: one search serves many nodes.

Nodes between which the way is free (length 0) are at the same distance from everything, so that a search from one of
them serves the repulsive pairs of all. Large clusters then cost one search each, not one for each of their nodes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from crossdoc.cluster.correlation._cycle_kernels import HOP, _drop_first, _push

FREE_LENGTH = 1e-7


@njit(cache=True, nogil=True)
def free_parts(path_starts, path_neighbour, path_edge, x):  # type: ignore[no-untyped-def]
    """The parts that edges of length 0 connect: the part of each node, nodes ordered by part, where each begins.

    The first node of a part is the one with the most attractive pairs.
    """
    n = len(path_starts) - 1
    part = np.full(n, -1, dtype=np.int32)
    order = np.empty(n, dtype=np.int32)
    begin = np.zeros(n + 1, dtype=np.int64)
    k = 0
    tail = 0
    for first in range(n):
        if part[first] >= 0:
            continue
        head = tail
        part[first] = k
        order[tail] = first
        tail += 1
        most = head
        while head < tail:
            v = order[head]
            if path_starts[v + 1] - path_starts[v] > path_starts[order[most] + 1] - path_starts[order[most]]:
                most = head
            head += 1
            for p in range(path_starts[v], path_starts[v + 1]):
                u = path_neighbour[p]
                if part[u] < 0 and x[path_edge[p]] <= FREE_LENGTH:
                    part[u] = k
                    order[tail] = u
                    tail += 1
        order[begin[k]], order[most] = order[most], order[begin[k]]
        k += 1
        begin[k] = tail
    return part, order, begin[: k + 1]


@njit(cache=True, nogil=True)
def violated_listed(  # type: ignore[no-untyped-def]
    starts, neighbour, weight, path_starts, path_neighbour, path_edge, x, part_starts, part_node, part_value,
    cluster, inside, most, farthest, tolerance,
):  # fmt: skip
    """As `_cycle_kernels.violated_cycles`, for problems without a uniform penalty and without kinds.

    A path is that of the search's tree between both ends. The missing length is added to its edges in `x` at once, so
    that the cycles of a round differ; `most` is the number of cycles a node of the part that a search serves.
    """
    n = len(starts) - 1
    far = 1.0 - tolerance
    part, order, begin = free_parts(path_starts, path_neighbour, path_edge, x)
    k = len(begin) - 1
    distance = np.full(n, np.inf)
    by_edge = np.empty(n, dtype=np.int64)
    came = np.empty(n, dtype=np.int32)
    settled = np.full(n, -1, dtype=np.int32)
    wanted = np.full(n, -1, dtype=np.int32)
    ancestor = np.full(n, -1, dtype=np.int64)
    reached = np.empty(n, dtype=np.int32)
    slack = np.zeros(n)
    heap_key = np.empty(len(path_neighbour) + 1)
    heap_node = np.empty(len(path_neighbour) + 1, dtype=np.int32)
    target_u = np.empty(len(neighbour) // 2 + 1, dtype=np.int32)
    target_v = np.empty_like(target_u)
    target_w = np.empty(len(target_u))
    target_given = np.empty(len(target_u))
    pair = np.empty((1024, 2), dtype=np.int32)
    apart = np.empty(1024)
    row_starts = np.zeros(1025, dtype=np.int64)
    edges = np.empty(4096, dtype=np.int64)
    way = np.empty(2 * n, dtype=np.int64)
    rows = 0
    marks = 0
    for a in range(k):
        root = order[begin[a]]
        if path_starts[root + 1] == path_starts[root]:
            continue
        targets = 0
        waiting = 0
        for i in range(begin[a], begin[a + 1]):
            u = order[i]
            for p in range(part_starts[u], part_starts[u + 1]):
                slack[part_node[p]] = part_value[p]
            for p in range(starts[u], starts[u + 1]):
                v = neighbour[p]
                if weight[p] >= 0.0 or part[v] < a or (part[v] == a and v < u):
                    continue
                given = slack[v] + (inside if cluster[u] == cluster[v] else 0.0)
                if given < far:
                    target_u[targets], target_v[targets] = u, v
                    target_w[targets], target_given[targets] = -weight[p], given
                    targets += 1
                    if wanted[v] != a:
                        wanted[v] = a
                        waiting += 1
            for p in range(part_starts[u], part_starts[u + 1]):
                slack[part_node[p]] = 0.0
        if targets == 0:
            continue
        # The ends on this side have to be in the tree too.
        for t in range(targets):
            if wanted[target_u[t]] != a:
                wanted[target_u[t]] = a
                waiting += 1
        distance[root] = 0.0
        reached[0] = root
        n_reached = 1
        n_settled = 0
        length = _push(heap_key, heap_node, 0, 0.0, root)
        while length > 0 and waiting > 0:
            v = heap_node[0]
            length = _drop_first(heap_key, heap_node, length)
            if settled[v] == a:
                continue
            settled[v] = a
            n_settled += 1
            if wanted[v] == a:
                waiting -= 1
            if n_settled - (begin[a + 1] - begin[a]) > farthest:
                break
            for p in range(path_starts[v], path_starts[v + 1]):
                w = path_neighbour[p]
                longer = distance[v] + x[path_edge[p]] + HOP
                if longer < far and longer < distance[w]:
                    if distance[w] == np.inf:
                        reached[n_reached] = w
                        n_reached += 1
                    distance[w] = longer
                    came[w] = v
                    by_edge[w] = path_edge[p]
                    length = _push(heap_key, heap_node, length, longer, w)
        found = 0
        for t in range(targets):
            u, v = target_u[t], target_v[t]
            if settled[u] != a or settled[v] != a or distance[v] + target_given[t] >= far:
                continue
            marks += 1
            w = v
            ancestor[w] = marks
            while w != root:
                w = came[w]
                ancestor[w] = marks
            steps = 0
            total = 0.0
            meet = u
            while ancestor[meet] != marks:
                way[steps] = by_edge[meet]
                total += x[by_edge[meet]]
                steps += 1
                meet = came[meet]
            w = v
            while w != meet:
                way[steps] = by_edge[w]
                total += x[by_edge[w]]
                steps += 1
                w = came[w]
            if total + target_given[t] >= far:
                continue
            if rows + 1 >= len(apart):
                pair = np.concatenate((pair, np.empty_like(pair)))
                apart = np.concatenate((apart, np.empty_like(apart)))
                row_starts = np.concatenate((row_starts, np.zeros_like(row_starts)))
            if row_starts[rows] + steps > len(edges):
                edges = np.concatenate((edges, np.empty(len(edges) + steps, dtype=np.int64)))
            longer = (1.0 - total - target_given[t]) / steps
            for s in range(steps):
                edges[row_starts[rows] + s] = way[s]
                x[way[s]] += longer
            pair[rows, 0], pair[rows, 1] = min(u, v), max(u, v)
            apart[rows] = target_w[t]
            rows += 1
            row_starts[rows] = row_starts[rows - 1] + steps
            found += 1
            if found == most * (begin[a + 1] - begin[a]):
                break
        for i in range(n_reached):
            distance[reached[i]] = np.inf
    return pair[:rows], apart[:rows], row_starts[: rows + 1], edges[: row_starts[rows]]
