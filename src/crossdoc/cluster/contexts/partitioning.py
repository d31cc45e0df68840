"""The ways to cluster for one k after the other: direct k-way, repeated bisections (rb; rbr refines the result k-way)
and agglomerative, as in CLUTO (Zhao & Karypis 2004).

Direct also starts from the best k − 1 clusters with one of them split, besides its random starts, so that the criterion
never gets worse with k.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.contexts.criteria import E1, agglomerate, from_parts, summed_parts
from crossdoc.cluster.contexts.spaces import Floats, Ints, Space, parts, start
from crossdoc.cluster.estimators import connected

Method = Literal["direct", "rb", "rbr", "agglomerative"]
PARTITION_METHODS: tuple[Method, ...] = ("direct", "rb", "rbr", "agglomerative")
MOST_REARRANGEMENTS = 20
MOST_TO_MERGE = 5_000
"""Rows that agglomerative takes: it needs all pairs, 200 MB at 5,000, and time that grows faster still."""


@dataclass(frozen=True)
class Clusters:
    """One clustering on the way: labels, their number, and the criterion's value."""

    labels: Ints
    k: int
    value: float


@dataclass(frozen=True)
class Halves:
    """How a cluster falls in two best: the rows that leave, and n_r, ‖S_r‖², S_r·S of those that stay and leave."""

    leaving: Ints
    numbers: tuple[Floats, Floats, Floats]

    def in_place_of(self, cluster: int, numbers: tuple[Floats, Floats, Floats]) -> tuple[Floats, ...]:
        """All clusters' numbers, this one's replaced by those of its halves."""
        return tuple(
            np.concatenate([np.delete(each, cluster), half]) for each, half in zip(numbers, self.numbers, strict=True)
        )


@dataclass(frozen=True)
class Search:
    """How to look for good clusters: the criterion (its code), the random starts, the seed."""

    code: int
    restarts: int = 5
    seed: int = 0

    def merit(self, value: float) -> float:
        """A criterion's value, signed so that better is larger."""
        return -value if self.code == E1 else value

    def of(self, numbers: tuple[Floats, ...]) -> float:
        return from_parts(self.code, *numbers)

    def measured(self, space: Space, labels: Ints, k: int) -> Clusters:
        return Clusters(labels, k, self.of(parts(space, labels, k)))

    def best(self, found: list[Clusters]) -> Clusters:
        """The fewest clusters (cannot-links may have opened more), then the best value, then the first."""
        fewest = min(each.k for each in found)
        return max((each for each in found if each.k == fewest), key=lambda each: self.merit(each.value))


def clusterings(space: Space, method: Method, search: Search, first: int = 1) -> Iterator[Clusters]:
    """The best clusters found for k = first, first + 1, … up to the number of rows."""
    if method not in PARTITION_METHODS:
        raise errors.unknown_choice("clustering method", method, PARTITION_METHODS)
    walks: dict[str, Callable[[Space, Search, int], Iterator[Clusters]]] = {
        "direct": _direct, "rb": _bisections, "rbr": _refined_bisections, "agglomerative": _agglomerative,
    }  # fmt: skip
    return walks[method](space, search, first)


def _direct(space: Space, search: Search, first: int) -> Iterator[Clusters]:
    before: Clusters | None = None
    known: dict[bytes, Halves | None] = {}
    k = first
    while k <= len(space):
        found = [] if before is None else _one_more(space, search, before, known)
        found += _random_starts(space, search, k)
        before = _rearranged(space, search, search.best(found), known)
        yield before
        k = before.k + 1


def direct(space: Space, k: int, search: Search) -> Clusters:
    """The best of the random starts for one k, rearranged."""
    return _rearranged(space, search, search.best(_random_starts(space, search, k)), {})


def _rearranged(space: Space, search: Search, now: Clusters, known: dict[bytes, Halves | None]) -> Clusters:
    """Split one cluster and merge two others as long as that is better: no row alone would get from where two seeds
    fell into one cluster, and none into two others, to where each has its own."""
    for _ in range(MOST_REARRANGEMENTS):
        split = _best_split(space, search, now, known)
        merged = None if split is None else _best_merger(space, search, split)
        if merged is None:
            break
        labels = space.refine(merged.labels, merged.k, search.code, search.seed)
        after = search.measured(space, labels, merged.k)
        if search.merit(after.value) <= search.merit(now.value) or np.isclose(
            after.value, now.value, rtol=1e-9, atol=0
        ):
            break
        now = after
    return now


def _best_merger(space: Space, search: Search, now: Clusters) -> Clusters | None:
    """The two clusters whose merger leaves the criterion best become one; None if none may be merged."""
    size, square, cross = parts(space, now.labels, now.k)
    belongs = sparse.csr_matrix((np.ones(len(space)), (now.labels, np.arange(len(space)))), shape=(now.k, len(space)))
    between = np.asarray(belongs @ space.products(now.labels, now.k))
    links = space.cannot.tocoo()
    forbidden = set(zip(now.labels[links.row].tolist(), now.labels[links.col].tolist(), strict=True))
    found = []
    for a, b in combinations(range(now.k), 2):
        if (a, b) not in forbidden:
            joined = [np.delete(each, b) for each in (size, square, cross)]
            joined[0][a] += size[b]
            joined[1][a] += square[b] + 2 * between[a, b]
            joined[2][a] += cross[b]
            found.append((search.of(tuple(joined)), a, b))
    if not found:
        return None
    after, a, b = max(found, key=lambda merger: search.merit(merger[0]))
    labels = np.where(now.labels == b, a, now.labels)
    labels[labels > b] -= 1
    return Clusters(labels, now.k - 1, after)


def _random_starts(space: Space, search: Search, k: int) -> list[Clusters]:
    if k == 1 and not space.cannot.nnz:
        return [search.measured(space, np.zeros(len(space), dtype=np.int64), 1)]
    if k == len(space):
        return [search.measured(space, np.arange(k), k)]

    def attempt(number: int) -> Clusters:
        rng = np.random.default_rng([search.seed, k, number])
        labels, found = start(space, k, rng)
        labels, found = _filled(labels, found, k, rng)
        labels = space.refine(labels, found, search.code, int(rng.integers(2**31)))
        return search.measured(space, labels, found)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(attempt, range(search.restarts)))


def _filled(labels: Ints, found: int, k: int, rng: np.random.Generator) -> tuple[Ints, int]:
    """Fill up with single rows of larger clusters if two seeds were the same row."""
    while found < k:
        larger = np.flatnonzero(np.bincount(labels, minlength=found)[labels] > 1)
        labels = labels.copy()
        labels[rng.choice(larger)] = found
        found += 1
    return labels, found


def _one_more(space: Space, search: Search, before: Clusters, known: dict[bytes, Halves | None]) -> list[Clusters]:
    """The clusters before, one of them split in two, refined."""
    split = _best_split(space, search, before, known)
    if split is None:
        return []
    labels = space.refine(split.labels, split.k, search.code, search.seed)
    return [search.measured(space, labels, split.k)]


def _bisections(space: Space, search: Search, first: int) -> Iterator[Clusters]:
    known: dict[bytes, Halves | None] = {}
    now: Clusters | None = direct(space, first, search)
    while now is not None:
        yield now
        now = _best_split(space, search, now, known)


def _refined_bisections(space: Space, search: Search, first: int) -> Iterator[Clusters]:
    for now in _bisections(space, search, first):
        yield search.measured(space, space.refine(now.labels, now.k, search.code, search.seed), now.k)


def _best_split(space: Space, search: Search, now: Clusters, known: dict[bytes, Halves | None]) -> Clusters | None:
    """Split the cluster whose two halves leave the criterion best; `known` remembers the halves of sets of rows."""
    numbers = parts(space, now.labels, now.k)
    found: list[tuple[float, Halves]] = []
    still: dict[bytes, Halves | None] = {}
    for cluster in range(now.k):
        rows = np.flatnonzero(now.labels == cluster)
        key = rows.tobytes()
        still[key] = known[key] if key in known else _halves(space, search, rows, cluster, numbers)
        halves = still[key]
        if halves is not None:
            found.append((search.of(halves.in_place_of(cluster, numbers)), halves))
    known.clear()
    known.update(still)
    if not found:
        return None
    after, halves = max(found, key=lambda split: search.merit(split[0]))
    labels = now.labels.copy()
    labels[halves.leaving] = now.k
    return Clusters(labels, now.k + 1, after)


def _halves(
    space: Space, search: Search, rows: Ints, cluster: int, numbers: tuple[Floats, Floats, Floats]
) -> Halves | None:
    """The best of some random bisections; None of a single row."""
    if len(rows) < 2:
        return None
    others = summed_parts(search.code, *(np.delete(each, cluster) for each in numbers))
    inside = space.subset(rows)
    found = []
    for number in range(search.restarts):
        rng = np.random.default_rng([search.seed, len(rows), int(rows[0]), number])
        split, k = start(inside, 2, rng)
        split, k = _filled(split, k, 2, rng)
        split = inside.refine(split, 2, search.code, int(rng.integers(2**31)), others)
        halves = Halves(rows[split == 1], parts(inside, split, 2))
        found.append((search.of(halves.in_place_of(cluster, numbers)), halves))
    return max(found, key=lambda split: search.merit(split[0]))[1]


def _agglomerative(space: Space, search: Search, first: int) -> Iterator[Clusters]:
    n = len(space)
    if n > MOST_TO_MERGE:
        raise errors.too_many_to_merge(n, MOST_TO_MERGE)
    allowed = np.ones((n, n), dtype=np.bool_)
    allowed[space.cannot.nonzero()] = False
    merges = agglomerate(space.all_products(), space.weight, space.leaned_total(), allowed, search.code)
    for k in range(max(first, n - len(merges)), n + 1):
        yield search.measured(space, connected(n, *merges[: n - k].T).astype(np.int64), k)
