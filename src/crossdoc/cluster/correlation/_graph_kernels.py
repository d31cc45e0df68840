"""numba kernels of weighted graphs as rows of neighbours; nothing validated.

They contract graphs, and find violated cycles: a pair that wants to be apart, and a short path that holds it together.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def contract(starts, neighbour, weight, cluster, order, begin):  # type: ignore[no-untyped-def]
    """The graph between clusters: weights summed, those inside a cluster left out.

    Cluster c has the nodes order[begin[c]:begin[c + 1]].
    """
    k = len(begin) - 1
    new_starts = np.zeros(k + 1, dtype=np.int64)
    new_neighbour = np.empty(len(neighbour), dtype=np.int32)
    new_weight = np.empty(len(neighbour), dtype=weight.dtype)
    seen = np.full(k, -1, dtype=np.int32)
    total = np.zeros(k)
    for c in range(k):
        first = to = new_starts[c]
        for v in order[begin[c] : begin[c + 1]]:
            for p in range(starts[v], starts[v + 1]):
                d = cluster[neighbour[p]]
                if d == c:
                    continue
                if seen[d] != c:
                    seen[d] = c
                    new_neighbour[to] = d
                    to += 1
                    total[d] = weight[p]
                else:
                    total[d] += weight[p]
        for p in range(first, to):
            new_weight[p] = total[new_neighbour[p]]
        new_starts[c + 1] = to
    return new_starts, new_neighbour[:to].copy(), new_weight[:to].copy()


HOP = 1e-7
"""Added to the length of every edge, so that of equally long paths that with fewer edges is found."""


@njit(cache=True, nogil=True)
def violated_cycles(  # type: ignore[no-untyped-def]
    starts, neighbour, weight, size, penalty, kind_starts, kind, n_kinds,
    path_starts, path_neighbour, path_edge, x, part_starts, part_node, part_value,
    cluster, inside, most, farthest, tolerance,
):  # fmt: skip
    """For each node u up to `most` pairs (u, v), v > u, that want to be apart and are nearer than they may be.

    The graph of the attractive pairs (path_…) has edges of length x. A pair is violated if the shortest path between
    u and v is below 1 − y_uv − tolerance, where y_uv = part_value (0 for pairs that are not among the parts of u).
    Returns the pairs, their weights (inf: never together) and the edges of each path.
    """
    n = len(size)
    far = 1.0 - tolerance
    distance = np.full(n, np.inf)
    step = np.zeros(n, dtype=np.int32)
    by_edge = np.empty(n, dtype=np.int64)
    came = np.empty(n, dtype=np.int32)
    settled = np.full(n, -1, dtype=np.int32)
    reached = np.empty(n, dtype=np.int32)
    net = np.zeros(n)
    slack = np.zeros(n)
    kind_mark = np.full(n_kinds, -1, dtype=np.int32)
    first, second, apart, ends, edges = [0][:0], [0][:0], [0.0][:0], [0], [0][:0]
    everywhere = penalty > 0.0 or len(kind) > 0
    for u in range(n):
        for p in range(part_starts[u], part_starts[u + 1]):
            slack[part_node[p]] = part_value[p]
        targets = 0
        for p in range(starts[u], starts[u + 1]):
            v = neighbour[p]
            net[v] = weight[p]
            given = slack[v] + (inside if cluster[u] == cluster[v] else 0.0)
            if v > u and weight[p] < penalty * size[u] * size[v] and given < far:
                targets += 1
        for i in range(kind_starts[u], kind_starts[u + 1]):
            kind_mark[kind[i]] = u
        found = 0
        if (targets > 0 or everywhere) and path_starts[u + 1] > path_starts[u]:
            distance[u] = 0.0
            step[u] = 0
            n_reached = 1
            n_settled = 0
            reached[0] = u
            heap = [(0.0, np.int32(u))]
            while len(heap) > 0:
                v = heappop(heap)[1]
                if settled[v] == u:
                    continue
                settled[v] = u
                n_settled += 1
                if n_settled > farthest:
                    break
                if v > u:
                    # The weight with which the pair wants to be apart; infinite: never together.
                    wish = max(penalty * size[u] * size[v] - net[v], 0.0)
                    for i in range(kind_starts[v], kind_starts[v + 1]):
                        if kind_mark[kind[i]] == u:
                            wish = np.inf
                    given = slack[v] + (inside if cluster[u] == cluster[v] else 0.0)
                    if wish > 0.0 and distance[v] + given < far:
                        first.append(u)
                        second.append(int(v))
                        apart.append(wish)
                        w = v
                        longer = (1.0 - distance[v] - given) / (step[v] + 1)
                        while w != u:
                            edges.append(by_edge[w])
                            x[by_edge[w]] += longer
                            w = came[w]
                        ends.append(len(edges))
                        found += 1
                        if found == most:
                            break
                    if net[v] < penalty * size[u] * size[v] and given < far:
                        targets -= 1
                        if targets == 0 and not everywhere:
                            break
                for p in range(path_starts[v], path_starts[v + 1]):
                    w = path_neighbour[p]
                    longer = distance[v] + x[path_edge[p]] + HOP
                    if longer < far and longer < distance[w]:
                        if distance[w] == np.inf:
                            reached[n_reached] = w
                            n_reached += 1
                        distance[w] = longer
                        step[w] = step[v] + 1
                        came[w] = v
                        by_edge[w] = path_edge[p]
                        heappush(heap, (longer, np.int32(w)))
            for i in range(n_reached):
                distance[reached[i]] = np.inf
        for p in range(starts[u], starts[u + 1]):
            net[neighbour[p]] = 0.0
        for p in range(part_starts[u], part_starts[u + 1]):
            slack[part_node[p]] = 0.0
    pair = np.stack((np.array(first, dtype=np.int32), np.array(second, dtype=np.int32)), axis=1)
    return pair, np.array(apart), np.array(ends), np.array(edges, dtype=np.int64)
