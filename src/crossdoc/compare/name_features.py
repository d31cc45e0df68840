"""Names as columns beside the context's, so that one dot product is the sampling model's affinity without its bias:
cos(m, n) + w·STREQ(m, n) (Singh et al. 2011). Sums over an entity's mentions stay sums of rows.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from scipy import sparse

from crossdoc.compare.vectors import raw_words
from crossdoc.model import Profiles, Vectors


def name_vectors(profiles: Profiles, weight: float = 0.8, word_weight: float = 0.0) -> Vectors:
    """One column for each distinct name, of value √weight, and for each word of a name, of value √word_weight.

    Row i · row j = weight·[same name] + word_weight·(words of two letters or more that both names have). A profile
    without a name is like no other. Names are compared as they are written: the paper's STREQ, and its w = 0.8,
    found on Wikipedia links.

    >>> from crossdoc.model import Profile
    >>> profiles = Profiles.of(Profile(name, name, name) for name in ("John Smith", "J. Smith"))
    >>> rows = name_vectors(profiles, 0.5, 0.25).matrix
    >>> (rows @ rows.T).toarray().round(3).tolist()
    [[1.0, 0.25], [0.25, 0.75]]
    """
    for given in (weight, word_weight):
        if not 0 <= given < np.inf:
            raise ValueError(f"a weight must be 0 or more, not {given}")
    names = [name or "" for name in profiles.column("name").to_pylist()]
    whole = _columns([[name] if name else [] for name in names], weight)
    if not word_weight:
        return whole
    parts = [sorted({word for word in raw_words(name) if len(word) > 1}) for name in names]
    return _beside(whole, _columns(parts, word_weight))


def with_names(vectors: Vectors, profiles: Profiles, weight: float = 0.8, word_weight: float = 0.0) -> Vectors:
    """The rows of contexts with those of :func:`name_vectors` beside them; dot products add up.

    The rows are longer than 1, so `Vectors.cosine` is not for them: take products of `matrix`.
    """
    if len(vectors) != len(profiles):
        raise ValueError(f"{len(vectors)} rows but {len(profiles)} profiles")
    return _beside(vectors, name_vectors(profiles, weight, word_weight))


def _columns(labels: list[list[str]], weight: float) -> Vectors:
    known = sorted(set(chain.from_iterable(labels)))
    code = {label: number for number, label in enumerate(known)}
    ends = np.cumsum([0, *map(len, labels)])
    columns = np.fromiter((code[label] for label in chain.from_iterable(labels)), np.int32, count=ends[-1])
    values = np.full(len(columns), np.sqrt(weight), dtype=np.float32)
    shape = (len(labels), len(known))
    return Vectors(sparse.csr_matrix((values, columns, ends), shape=shape), np.array(known, dtype=np.object_))


def _beside(left: Vectors, right: Vectors) -> Vectors:
    matrix = sparse.hstack([left.matrix, right.matrix], format="csr")
    if left.features is None or right.features is None:
        return Vectors(matrix)
    return Vectors(matrix, np.concatenate([left.features, right.features]))
