"""Documents know each other: how alike they are as wholes, and the topics they fall into, computed once a run.

TF-IDF of whole documents. Topics are average link over cosines: clusters that are each other's nearest are joined,
round after round, while the mean cosine between them stands out from what is usual. Only documents near each other by
their heaviest words are looked at (`neighbours.py`), and the mean over all pairs of two clusters is one product of mean
rows, so that nothing grows with the square of the documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.compare.neighbours import context_neighbours
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.contexts import sparse_rows
from crossdoc.compare.vectors import ContextVectoriser, Texts
from crossdoc.model import Profile, Profiles, Vectors

STANDS_OUT = 0.08
"""Above the median cosine of two documents: how alike those of a topic have to be on average. Chosen on ECB+'s training
part, where .06 to .10 do alike."""
NEIGHBOURS = 20
AT_ONCE = 1_000
SAMPLED = 20_000

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Stories:
    """The documents of a collection as rows of unit length, and the topic of each."""

    number: dict[str, int]
    rows: sparse.csr_matrix
    features: npt.NDArray[np.object_] | None
    """The words of the columns."""
    topic: Ints

    @classmethod
    def of(cls, profiles: Profiles, texts: Texts, vectoriser: ContextVectoriser) -> Stories:
        """Those of the documents that profiles are from."""
        language: dict[str, str | None] = {}
        for id, code in zip(*(profiles.column(c).to_pylist() for c in ("document", "language")), strict=True):
            language.setdefault(id or "", code)
        ids = list(language)
        parts = [sparse.csr_matrix((0, max(1, len(vectoriser.document_frequency))), dtype=np.float32)]
        for first in range(0, len(ids), AT_ONCE):
            some = ids[first : first + AT_ONCE]
            known = texts(some)
            rows = Profiles.of(Profile(id or "-", id, "", None, known.get(id, ""), language[id]) for id in some)
            parts.append(vectoriser.transform(rows).matrix)
        rows = sparse.vstack(parts, format="csr")
        words = np.array(sorted(vectoriser.document_frequency), dtype=object) if rows.nnz else None
        return cls({id: at for at, id in enumerate(ids)}, rows, words, topics(rows))

    def of_profiles(self, profiles: Profiles) -> Ints:
        """The number of each profile's document."""
        return np.array([self.number[id or ""] for id in profiles.column("document").to_pylist()], dtype=np.int64)


def topics(rows: sparse.csr_matrix, stands_out: float = STANDS_OUT, seed: int = 0) -> Ints:
    """The topic of each row of unit length: average link, cut where it stands out from the median cosine.

    >>> words = np.array([[1, 1, 0, 0], [1, 0.9, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0.2]])
    >>> topics(sparse.csr_matrix(words / np.linalg.norm(words, axis=1, keepdims=True))).tolist()
    [0, 0, 1, 1]
    """
    n = rows.shape[0]
    cut = usual(rows, seed) + stands_out
    topic, sums, size = np.arange(n), rows, np.ones(n, dtype=np.float32)
    near = context_neighbours(Vectors(rows), NEIGHBOURS) if n > 1 else np.zeros((0, 2), dtype=np.int32)
    while len(near):
        means = sparse.diags(1 / size) @ sums
        mean = kernels.sparse_cosine(*sparse_rows(Vectors(means.tocsr())), near)
        near, mean = near[mean >= cut], mean[mean >= cut]
        group = _nearest_joined(len(size), near, mean)
        joining = sparse.csr_matrix((np.ones_like(size), (group, np.arange(len(group)))))
        topic, size, sums = group[topic], joining @ size, (joining @ sums).tocsr()
        near = np.unique(np.sort(group[near], axis=1), axis=0).astype(np.int32)
        near = near[near[:, 0] != near[:, 1]]
    return np.unique(topic, return_inverse=True)[1]


def usual(rows: sparse.csr_matrix, seed: int = 0) -> float:
    """The median cosine of two different rows, of a sample."""
    n = rows.shape[0]
    if n < 2:
        return 0.0
    if n == 2:
        return float((rows[0] @ rows[1].T).sum())
    left = np.random.default_rng(seed).integers(0, n, SAMPLED)
    right = (left + np.random.default_rng(seed + 1).integers(1, n, SAMPLED)) % n
    return float(np.median(np.asarray(rows[left].multiply(rows[right]).sum(axis=1))))


def _nearest_joined(n: int, pairs: npt.NDArray[np.int32], mean: npt.NDArray[np.floating]) -> Ints:
    """Groups of one or two: of the pairs of each row the strongest, if it is that for both, of equals the first."""
    left = np.concatenate([pairs[:, 0], pairs[:, 1]]).astype(np.int64)
    right = np.concatenate([pairs[:, 1], pairs[:, 0]]).astype(np.int64)
    order = np.lexsort((np.minimum(left, right) * n + np.maximum(left, right), -np.tile(mean, 2), left))
    first = order[np.flatnonzero(np.diff(left[order], prepend=-1))]
    best = np.arange(n)
    best[left[first]] = right[first]
    mutual = best[best] == np.arange(n)
    home = np.where(mutual, np.minimum(best, np.arange(n)), np.arange(n))
    return np.unique(home, return_inverse=True)[1]
