"""A corpus of links that the tests of bags share."""

import numpy as np
from scipy import sparse


def links(n=3000, entities=90, topics=5, own_share=0.35, shared=0.3, seed=0, length=14):
    """Contexts of an entity's words, its topic's and others; a part of the names are shared by several entities."""
    rng = np.random.default_rng(seed)
    entity = rng.permutation(np.arange(n) % entities)
    own, topical = rng.integers(0, 8000, (entities, 25)), rng.integers(0, 8000, (topics, 60))
    kind = rng.random((n, length))
    words = np.where(kind < own_share, own[entity[:, None], rng.integers(0, 25, (n, length))],
                     topical[(entity % topics)[:, None], rng.integers(0, 60, (n, length))])  # fmt: skip
    words = np.where(kind > 0.7, rng.integers(0, 8000, (n, length)), words)
    rows = sparse.csr_matrix((np.ones(words.size, np.float32), (np.repeat(np.arange(n), length), words.ravel())))
    which = rng.integers(0, 2, n)
    pooled = rng.random((entities, 2)) < shared
    names = np.where(pooled, rng.integers(0, 20, (entities, 2)), 100 + np.arange(2 * entities).reshape(entities, 2))
    return rows, np.array([f"n{name}" for name in names[entity, which]]), entity


ROWS, NAMES, ENTITY = links()
