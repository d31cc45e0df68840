"""numba kernels of the linkage clusterers: plain arrays in, labels out, nothing validated.

Mean-max linkage of components that are too large for a matrix of all pairs, in two levels.

Rows of one name are clustered by themselves, exactly. The clusters, and single rows whose names fit several names that
clash ("J. Wang"), are then joined by the mean and the maximum of the strengths between their rows, added up as
candidate pairs are compared. Memory is quadratic in the largest piece and in the number of clusters, not of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from crossdoc import errors
from crossdoc.cluster.clusterer import Answer, Work, fit_to_relations, stacked
from crossdoc.model import Evidence
from crossdoc.model.evidence_protocol import PortionedEvidence


@njit(cache=True, nogil=True)
def link_dense(similarity, sizes, first_of_group, threshold, share, lowest):  # type: ignore[no-untyped-def]
    """Merge clusters until none reaches the threshold, where two are share · mean + (1 − share) · extreme alike.

    The extreme is the highest similarity of their rows, or the `lowest`; −inf marks pairs that may never be together.
    A merged cluster can be nearer to a third than either part was (the mean of one with the maximum of the other), so
    that a chain of nearest neighbours does not do: the best pair of all is merged, one after the other. `top[i]` is at
    least as high as any similarity of row i, and is only computed again when it is the highest of all and outdated:
    O(n²) if that is seldom. `similarity` is overwritten: above its diagonal are the means, below it the extremes, and
    both are what counts if the share is 0 or 1.
    """
    n = len(similarity)
    sizes = sizes.copy()
    parent = np.arange(n)
    live = np.arange(n)
    m = n
    for i in range(n):
        if first_of_group[i] != i:
            _join(similarity, sizes, live, m, first_of_group[i], i, share, lowest)
            parent[i] = first_of_group[i]
            m = _drop(live, m, i)
    near = np.full(n, -1)
    top = np.full(n, -np.inf)
    for k in range(m):
        _find_nearest(similarity, live, m, live[k], share, near, top)
    while m > 1:
        a = live[0]
        for k in range(1, m):
            if top[live[k]] > top[a]:
                a = live[k]
        if top[a] < threshold:
            break
        b = near[a]
        if parent[b] != b or _alike(similarity, a, b, share) != top[a]:
            _find_nearest(similarity, live, m, a, share, near, top)
            continue
        if b < a:
            a, b = b, a
        _join(similarity, sizes, live, m, a, b, share, lowest)
        parent[b] = a
        m = _drop(live, m, b)
        _find_nearest(similarity, live, m, a, share, near, top)
        for k in range(m):
            i = live[k]
            if i != a:
                value = _alike(similarity, a, i, share)
                if value > top[i]:
                    top[i] = value
                    near[i] = a
    return _roots(parent)


@njit(cache=True, nogil=True)
def _alike(similarity, i, j, share):  # type: ignore[no-untyped-def]
    if share == 0.0 or share == 1.0:
        return np.float64(similarity[i, j])
    low, high = min(i, j), max(i, j)
    if similarity[low, high] == -np.inf:
        return -np.inf
    mean = np.float64(similarity[low, high])
    # So written, two rows are exactly as alike as they were given.
    return mean + (1.0 - share) * (similarity[high, low] - mean)


@njit(cache=True, nogil=True)
def _find_nearest(similarity, live, m, i, share, near, top):  # type: ignore[no-untyped-def]
    near[i] = i
    top[i] = -np.inf
    for k in range(m):
        j = live[k]
        if j != i:
            value = _alike(similarity, i, j, share)
            if value > top[i]:
                top[i] = value
                near[i] = j


@njit(cache=True, nogil=True)
def _join(similarity, sizes, live, m, a, b, share, lowest):  # type: ignore[no-untyped-def]
    """Put row b into row a and update a's similarities to the live rows."""
    part = sizes[a] / (sizes[a] + sizes[b])
    for k in range(m):
        i = live[k]
        if i == a or i == b:
            continue
        low, high, other_low, other_high = min(a, i), max(a, i), min(b, i), max(b, i)
        x, y = similarity[low, high], similarity[other_low, other_high]
        mean = extreme = np.float32(-np.inf)
        if x != -np.inf and y != -np.inf:
            mean = np.float32(part * x + (1.0 - part) * y)
            x, y = similarity[high, low], similarity[other_high, other_low]
            extreme = min(x, y) if lowest else max(x, y)
        similarity[low, high] = extreme if share == 0.0 else mean
        similarity[high, low] = mean if share == 1.0 else extreme
    sizes[a] += sizes[b]


@njit(cache=True, nogil=True)
def _drop(live, m, i):  # type: ignore[no-untyped-def]
    """Take row i out of the sorted list of live rows; returns the new length."""
    at = np.searchsorted(live[:m], i)
    live[at : m - 1] = live[at + 1 : m]
    return m - 1


@njit(cache=True, nogil=True)
def link_single(group, left, right, cannot):  # type: ignore[no-untyped-def]
    """Join pairs in the order given unless that would join a cannot-link; returns each row's root.

    The cannot-links of a cluster are a linked list of partners; the shorter list is checked and spliced into the other.
    """
    n = len(group)
    parent = np.arange(n)
    first_row = np.full(n, -1)
    for i in range(n):
        if first_row[group[i]] < 0:
            first_row[group[i]] = i
        parent[i] = first_row[group[i]]
    m = len(cannot)
    partner = np.empty(2 * m, dtype=np.int64)
    following = np.full(2 * m, -1)
    head = np.full(n, -1)
    tail = np.full(n, -1)
    count = np.zeros(n, dtype=np.int64)
    for k in range(m):
        for side in range(2):
            root = _root(parent, cannot[k, side])
            slot = 2 * k + side
            partner[slot] = cannot[k, 1 - side]
            following[slot] = head[root]
            if head[root] < 0:
                tail[root] = slot
            head[root] = slot
            count[root] += 1
    for k in range(len(left)):
        a = _root(parent, left[k])
        b = _root(parent, right[k])
        if a == b:
            continue
        if count[a] < count[b]:
            a, b = b, a
        forbidden = False
        slot = head[b]
        while slot >= 0:
            if _root(parent, partner[slot]) == a:
                forbidden = True
                break
            slot = following[slot]
        if forbidden:
            continue
        parent[b] = a
        if head[b] >= 0:
            following[tail[b]] = head[a]
            if head[a] < 0:
                tail[a] = tail[b]
            head[a] = head[b]
            count[a] += count[b]
    return _roots(parent)


@njit(cache=True, nogil=True)
def _root(parent, i):  # type: ignore[no-untyped-def]
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def _roots(parent):  # type: ignore[no-untyped-def]
    labels = np.empty(len(parent), dtype=np.int32)
    for i in range(len(parent)):
        labels[i] = _root(parent, i)
    return labels


@njit(cache=True, nogil=True)
def mean_strengths(  # type: ignore[no-untyped-def]
    matrix, bounds, neighbour, strength, default, labels, members, starts, home, size, closed, closed_starts, most
):
    """Each group's mean strength to the others of its own cluster, and the `most` other clusters it is most like.

    The strengths are a `matrix`, or if that is empty those of pairs: row i has neighbour[bounds[i]:bounds[i + 1]], and
    all others are `default`. Group g has the rows members[starts[g]:starts[g + 1]], its cluster is home[g], and it has
    nothing in the clusters closed[closed_starts[g]:closed_starts[g + 1]].
    """
    n, n_groups, k = len(labels), len(home), len(size)
    dense = len(matrix) > 0
    own = np.zeros(n_groups)
    cluster = np.full((n_groups, most), -1, dtype=np.int64)
    mean = np.zeros((n_groups, most))
    total = np.zeros(k)
    seen = np.full(k, -1)
    touched = np.arange(k)
    for g in range(n_groups):
        m = k if dense else 0
        for at in range(starts[g], starts[g + 1]):
            i = members[at]
            if dense:
                row = matrix[i]
                for j in range(n):
                    total[labels[j]] += row[j]
                total[home[g]] -= row[i]
                continue
            for p in range(bounds[i], bounds[i + 1]):
                c = labels[neighbour[p]]
                if seen[c] != g:
                    seen[c] = g
                    touched[m] = c
                    m += 1
                total[c] += strength[p] - default
        rows = starts[g + 1] - starts[g]
        for at in range(closed_starts[g], closed_starts[g + 1]):
            c = closed[at]
            # Below zero whatever the default adds.
            total[c] = -rows * size[c] * (1.0 + abs(default)) if dense or seen[c] == g else 0.0
        own[g] = _pick(total, touched, m, home[g], size, rows, default, cluster[g], mean[g])
    return own, cluster, mean


@njit(cache=True, nogil=True)
def _pick(total, touched, m, home, size, rows, default, cluster, mean):  # type: ignore[no-untyped-def]
    """Keep the largest positive means in order, the first of equals first; zero the totals; return the one at home."""
    own = 0.0
    for t in range(m):
        c = touched[t]
        if c == home:
            own = total[c] / (rows * max(size[c] - 1, 1)) + default
        else:
            value = total[c] / (rows * size[c]) + default
            if value > mean[-1]:
                slot = len(mean) - 1
                while slot > 0 and value > mean[slot - 1]:
                    mean[slot] = mean[slot - 1]
                    cluster[slot] = cluster[slot - 1]
                    slot -= 1
                mean[slot] = value
                cluster[slot] = c
        total[c] = 0.0
    return own


MOST_EXACT = 6_000
"""Rows. Larger components are clustered in two levels: all pairs of 6,000 profiles take about 1.5 GB."""
MOST_CLUSTERS, MOST_ALONE = 12_000, 8_000
"""Clusters that are joined at once, whose pairs take 1.7 GB, and rows among them that are no part of a piece."""

Rows = npt.NDArray[np.int64]


def fit_mean_max(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    """Fit to all pairs if they fit into memory, else to the rows of each name and then to their clusters."""
    most = min(work.max_rows, MOST_EXACT)
    # An instance check would compute every property of the evidence.
    if len(evidence) <= most or not hasattr(type(evidence), "compared_portions"):
        return fit_to_relations(estimator, evidence, work)
    names = evidence.names or [""] * len(evidence)
    alone = _fits_several(evidence, names) if evidence.names else np.zeros(len(names), dtype=bool)
    alone &= alone.sum() <= MOST_ALONE
    pieces = list(_pieces(names, most))
    memberships = [
        sparse.eye(len(rows), format="csr")
        if alone[rows].all()
        else fit_to_relations(estimator, evidence.part(rows), work).membership
        for rows in pieces
    ]
    membership = stacked(len(evidence), pieces, memberships)
    if membership.shape[1] > MOST_CLUSTERS:
        raise errors.too_many(membership.shape[1], "clusters", "this linkage", MOST_CLUSTERS, "single-linkage")
    cluster = np.asarray(membership.argmax(axis=1)).ravel().astype(np.int64)
    joined = _join_clusters(estimator, cast(PortionedEvidence, evidence), cluster, membership.shape[1])
    number, inverse = np.unique(joined, return_inverse=True)
    into = sparse.csr_matrix((np.ones(len(joined)), (np.arange(len(joined)), inverse)))
    note = (
        f"a component of {len(evidence):,} profiles: {len(joined):,} clusters of profiles of one name were joined "
        f"to {len(number):,}"
    )
    return Answer(sparse.csr_matrix(membership @ into), notes=(note,))


def _fits_several(evidence: Evidence, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return the rows whose names agree with two names that do not agree with each other."""
    distinct, code = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    n = len(distinct)
    left, right = np.divmod(evidence.agreeing(distinct.tolist()), n)
    agree = sparse.csr_matrix((np.ones(len(left), dtype=np.int64), (left, right)), shape=(n, n))
    neighbours = np.diff(agree.indptr)
    # Each name agrees with itself, so n neighbours that all agree have n² links.
    links = np.asarray((agree @ agree).multiply(agree).sum(axis=1)).ravel()
    return (links < neighbours**2)[code]


def _pieces(names: Sequence[str], most: int) -> Iterator[Rows]:
    """Yield the rows of each name, in parts of at most `most` rows.

    >>> [rows.tolist() for rows in _pieces(["a", "b", "a", "a"], 2)]
    [[0, 2], [3], [1]]
    """
    code = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
        yield from np.split(rows, np.arange(most, len(rows), most))


def _join_clusters(estimator: Any, evidence: PortionedEvidence, cluster: Rows, k: int) -> npt.NDArray[np.int32]:
    """Return the cluster that each cluster is joined to."""
    sizes = np.bincount(cluster, minlength=k).astype(np.float64)
    total, highest = np.zeros(k * k, dtype=np.float32), np.zeros(k * k, dtype=np.float32)
    compared = np.zeros(k * k, dtype=np.int32)
    for pairs, strengths in evidence.compared_portions():
        a, b = np.sort(cluster[pairs], axis=1).T
        code = a * k + b
        np.add.at(total, code, strengths)
        np.maximum.at(highest, code, strengths)
        np.add.at(compared, code, 1)
    # Means above the diagonal, maxima below it.
    similarity = total.reshape(k, k)
    for row, (own, seen) in enumerate(zip(highest.reshape(k, k), compared.reshape(k, k), strict=True)):
        later = slice(row + 1, k)
        all_pairs = np.maximum(sizes[row] * sizes[later], 1.0)
        similarity[row, later] /= all_pairs
        if evidence.names is not None:
            # A pair that is not compared has names that clash.
            similarity[row, later][seen[later] < all_pairs] = -np.inf
        similarity[later, row] = own[later]
    a, b = np.sort(cluster[evidence.constraints.cannot], axis=1).T
    similarity[a, b] = similarity[b, a] = -np.inf
    # A group of judged rows is one more node, linked to each cluster that has a row of it.
    group = evidence.constraints.group
    n = k + int(group.max(initial=-1)) + 1
    links = sparse.coo_matrix((np.ones(len(cluster), dtype=np.int8), (cluster, k + group)), shape=(n, n))
    first = first_of(connected_components(links, directed=False)[1][:k])
    return link_dense(similarity, sizes, first, np.float32(estimator.threshold), 0.5, False)


def first_of(group: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """For each row the first row of its group."""
    _, first, where = np.unique(group, return_index=True, return_inverse=True)
    return first[where].astype(np.int32)
