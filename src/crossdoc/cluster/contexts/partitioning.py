"""The ways to cluster for one k after the other: direct k-way and repeated bisections (rb; rbr refines them k-way), as
in CLUTO (Zhao & Karypis 2004).

Direct also starts from the best k − 1 clusters with one of them split, besides its random starts, so that the criterion
never gets worse with k.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from crossdoc import errors
from crossdoc.cluster.contexts.criteria import E1, from_parts, summed_parts
from crossdoc.cluster.contexts.spaces import Floats, Ints, Space, parts, start

Method = Literal["direct", "rb", "rbr"]
PARTITION_METHODS: tuple[Method, ...] = ("direct", "rb", "rbr")


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
        "direct": _direct, "rb": _bisections, "rbr": _refined_bisections
    }  # fmt: skip
    return walks[method](space, search, first)


def _direct(space: Space, search: Search, first: int) -> Iterator[Clusters]:
    before: Clusters | None = None
    known: dict[bytes, Halves | None] = {}
    k = first
    while k <= len(space):
        found = [] if before is None else _one_more(space, search, before, known)
        found += _random_starts(space, search, k)
        before = search.best(found)
        yield before
        k = before.k + 1


def direct(space: Space, k: int, search: Search) -> Clusters:
    """The best of the random starts for one k."""
    return search.best(_random_starts(space, search, k))


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
