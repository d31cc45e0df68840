"""Similarity of documents, and the topics they form, computed once per run.

Documents are TF-IDF rows. Topics are found by average link over cosines: clusters that are each other's nearest are
joined, round after round, while the mean cosine between them exceeds the background. Only documents near each other by
their heaviest words are compared (`neighbours.py`), and the mean over all pairs of two clusters is one product of mean
rows, so that no cost grows with the square of the documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.compare.neighbours import context_neighbours
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import sparse_rows
from crossdoc.compare.vectors import ContextVectoriser, Texts
from crossdoc.model import Profile, Profiles, Vectors

STANDS_OUT = 0.08
"""Cosine above the median of two documents. Documents of a topic are at least this similar on average. Chosen on ECB+'s
training part: results alike from .06 to .10."""
NEIGHBOURS = 20
AT_ONCE = 1_000
SAMPLED = 20_000

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Topics:
    """Topics of a collection. They let a subset of its documents be assigned exactly as in the full collection."""

    of: Mapping[str, int]
    """Topic number by document."""
    cut: float
    """Least mean cosine of the documents of a topic."""

    def called(self, ids: list[str], group: Ints) -> Ints:
        """Return topic numbers for groups of documents. A group with known documents keeps their topic.

        Other groups get new numbers.
        """
        known = np.array([self.of.get(id, -1) for id in ids], dtype=np.int64)
        number = np.full(group.max(initial=-1) + 1, -1, dtype=np.int64)
        number[group[known >= 0]] = known[known >= 0]
        new = np.flatnonzero(number < 0)
        number[new] = max(self.of.values(), default=-1) + 1 + np.arange(len(new))
        return number[group]


@dataclass(frozen=True)
class Stories:
    """The documents of a collection as rows of unit length, and the topic of each."""

    number: dict[str, int]
    rows: sparse.csr_matrix
    features: npt.NDArray[np.object_] | None
    """The words of the columns."""
    topic: Ints
    cut: float

    @classmethod
    def of(
        cls, profiles: Profiles, texts: Texts, vectoriser: ContextVectoriser, known: Topics | None = None
    ) -> Stories:
        """Return the stories of the documents of profiles; `known` documents keep their topics."""
        language: dict[str, str | None] = {}
        for id, code in zip(*(profiles.column(c).to_pylist() for c in ("document", "language")), strict=True):
            language.setdefault(id or "", code)
        ids = list(language)
        parts = [sparse.csr_matrix((0, max(1, len(vectoriser.document_frequency))), dtype=np.float32)]
        for first in range(0, len(ids), AT_ONCE):
            some = ids[first : first + AT_ONCE]
            text_of = texts(some)
            rows = Profiles.of(Profile(id or "-", id, "", None, text_of.get(id, ""), language[id]) for id in some)
            parts.append(vectoriser.transform(rows).matrix)
        rows = sparse.vstack(parts, format="csr")
        words = np.array(sorted(vectoriser.document_frequency), dtype=object) if rows.nnz else None
        number = {id: at for at, id in enumerate(ids)}
        if known is None:
            cut = usual(rows) + STANDS_OUT
            return cls(number, rows, words, topics(rows, cut), cut)
        before = np.array([known.of.get(id, -1) for id in ids], dtype=np.int64)
        return cls(number, rows, words, known.called(ids, topics(rows, known.cut, before)), known.cut)

    @classmethod
    def without_texts(cls, ids: list[str], known: Topics) -> Stories:
        """Return the topics alone, for documents without text."""
        rows = sparse.csr_matrix((len(ids), 1), dtype=np.float32)
        return cls({id: at for at, id in enumerate(ids)}, rows, None, np.array([known.of[id] for id in ids]), known.cut)

    @property
    def topics(self) -> Topics:
        return Topics({id: int(self.topic[at]) for id, at in self.number.items()}, self.cut)

    def of_profiles(self, profiles: Profiles) -> Ints:
        """Return the number of each profile's document."""
        return np.array([self.number[id or ""] for id in profiles.column("document").to_pylist()], dtype=np.int64)


def topics(rows: sparse.csr_matrix, cut: float, before: Ints | None = None) -> Ints:
    """Return the topic of each row of unit length: average link, cut at a mean cosine of `cut`.

    `before` has the topics of some rows (−1 for others): these are kept, and others may join them.

    >>> words = np.array([[1, 1, 0, 0], [1, 0.9, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0.2]])
    >>> rows = sparse.csr_matrix(words / np.linalg.norm(words, axis=1, keepdims=True))
    >>> topics(rows, 0.5).tolist(), topics(rows, 0.5, np.array([7, 8, -1, -1])).tolist()
    ([0, 0, 1, 1], [0, 1, 2, 2])
    """
    n = rows.shape[0]
    if before is None:
        topic, settled = np.arange(n), np.zeros(n, dtype=bool)
        near = context_neighbours(Vectors(rows), NEIGHBOURS) if n > 1 else np.zeros((0, 2), dtype=np.int32)
    else:
        topic = np.unique(np.where(before < 0, before.max(initial=0) + 1 + np.arange(n), before), return_inverse=True)[
            1
        ]
        settled = np.bincount(topic, before >= 0) > 0
        near = _each_with_all(np.flatnonzero(~settled), len(settled))
    joining = sparse.csr_matrix((np.ones(n, dtype=np.float32), (topic, np.arange(n))), shape=(len(settled), n))
    sums, size = (joining @ rows).tocsr(), joining @ np.ones(n, dtype=np.float32)
    while len(near):
        means = sparse.diags(1 / size) @ sums
        mean = kernels.sparse_cosine(*sparse_rows(Vectors(means.tocsr())), near)
        near, mean = near[mean >= cut], mean[mean >= cut]
        group = _nearest_joined(len(size), near, mean)
        joining = sparse.csr_matrix((np.ones_like(size), (group, np.arange(len(group)))))
        topic, size, sums = group[topic], joining @ size, (joining @ sums).tocsr()
        settled = np.bincount(group, settled) > 0
        near = np.unique(np.sort(group[near], axis=1), axis=0).astype(np.int32)
        near = near[(near[:, 0] != near[:, 1]) & ~settled[near].all(axis=1)]
    return np.unique(topic, return_inverse=True)[1]


def _each_with_all(some: Ints, n: int) -> npt.NDArray[np.int32]:
    """Return the pairs of some of n rows with any row."""
    left, right = np.repeat(some, n), np.tile(np.arange(n), len(some))
    pairs = np.sort(np.column_stack([left, right])[left != right], axis=1)
    return np.unique(pairs, axis=0).astype(np.int32)


def usual(rows: sparse.csr_matrix) -> float:
    """Return the median cosine of two different rows, from a sample."""
    n = rows.shape[0]
    if n < 2:
        return 0.0
    if n == 2:
        return float((rows[0] @ rows[1].T).sum())
    left = np.random.default_rng(0).integers(0, n, SAMPLED)
    right = (left + np.random.default_rng(1).integers(1, n, SAMPLED)) % n
    return float(np.median(np.asarray(rows[left].multiply(rows[right]).sum(axis=1))))


def _nearest_joined(n: int, pairs: npt.NDArray[np.int32], mean: npt.NDArray[np.floating]) -> Ints:
    """Return groups of one or two: rows that are each other's strongest, the first of equals."""
    left = np.concatenate([pairs[:, 0], pairs[:, 1]]).astype(np.int64)
    right = np.concatenate([pairs[:, 1], pairs[:, 0]]).astype(np.int64)
    order = np.lexsort((np.minimum(left, right) * n + np.maximum(left, right), -np.tile(mean, 2), left))
    first = order[np.flatnonzero(np.diff(left[order], prepend=-1))]
    best = np.arange(n)
    best[left[first]] = right[first]
    mutual = best[best] == np.arange(n)
    home = np.where(mutual, np.minimum(best, np.arange(n)), np.arange(n))
    return np.unique(home, return_inverse=True)[1]
