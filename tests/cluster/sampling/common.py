"""What the tests of sampling share: small random graphs and the exact answer over all partitions."""

import numpy as np
from scipy import sparse

from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.model import Vectors
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.scoring import Alignment, b_cubed


def partitions(n):
    """All partitions of n items as restricted growth strings."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*p, k] for p in found for k in range(max(p) + 2)]
    return np.array(found, dtype=np.int32)


def random_rows(rng, n, width=6, density=0.6):
    rows = sparse.random(n, width, density, random_state=rng, dtype=np.float32, format="csr")
    lengths = (
        np.sqrt(rows.multiply(rows).sum(axis=1)).A1
        if hasattr(rows, "A1")
        else np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    )
    lengths[lengths == 0] = 1
    rows = sparse.csr_matrix(sparse.diags(1 / lengths) @ rows).astype(np.float32)
    rows.sort_indices()
    return rows


def affinities(graph, n):
    """query · stored of all pairs of nodes, from the integer rows, and the limits."""
    query, stored = np.zeros((n, graph.n_features + 1)), np.zeros((n, graph.n_features + 1))
    rows = graph.rows
    matrix = np.zeros((n, n))
    for i in range(n):
        for c in range(rows.start[i], rows.start[i + 1]):
            stored[i, rows.cells[c, 0]] += rows.cells[c, 1]
        for c in range(rows.query_start[i], rows.query_start[i + 1]):
            query[i, rows.query_cells[c, 0]] += rows.query_cells[c, 1]
    matrix = query @ stored.T * graph.unit_value
    for i in range(n):
        for c in range(rows.limit_start[i], rows.limit_start[i + 1]):
            matrix[i, rows.limit_other[c]] += rows.limit_weight[c]
    return matrix


def pair_energy(matrix, sizes, labels, bias):
    """S by its definition: Σ (affinity − bias) over pairs within entities."""
    total = 0.0
    for i in range(len(labels)):
        for j in range(i):
            if labels[i] == labels[j]:
                total += matrix[i, j] - bias * sizes[i] * sizes[j]
    return total


def exact(graph, bias, temperature=1.0):
    """All partitions of the nodes and their probabilities."""
    matrix = affinities(graph, graph.n)
    sizes = graph.rows.size
    found = partitions(graph.n)
    energy = np.array([pair_energy(matrix, sizes, labels, bias) for labels in found])
    weight = np.exp(2 * (energy - energy.max()) / temperature)
    return found, weight / weight.sum(), energy


def codes(samples):
    """A number for each partition, whatever its labels are called."""
    samples = np.asarray(samples)
    first = np.argmax(samples[:, :, None] == samples[:, None, :], axis=1)
    return first @ (samples.shape[1] ** np.arange(samples.shape[1]))


def some_limits(n):
    group = np.arange(n, dtype=np.int32)
    return Constraints(
        n, group, np.array([[0, 1]], np.int32), np.array([[1, 2], [0, 3]], np.int32), np.array([0.4, -0.3])
    )


def small_graph(seed=0, n=5):
    return FactorGraph.of(random_rows(np.random.default_rng(seed), n))


def topics(n=400, entities=20, seed=0):
    """Contexts of 12 words, half of them the entity's own, and names that some entities share."""
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, entities, n)
    own = rng.integers(0, 600, (entities, 15))
    words = np.where(rng.random((n, 12)) < 0.5, own[entity][np.arange(n)[:, None], rng.integers(0, 15, (n, 12))],
                     rng.integers(0, 600, (n, 12)))  # fmt: skip
    rows = sparse.csr_matrix((np.ones(n * 12, np.float32), (np.repeat(np.arange(n), 12), words.ravel())), (n, 600))
    rows.sum_duplicates()
    rows = sparse.csr_matrix(rows.multiply(1 / np.sqrt(rows.multiply(rows).sum(axis=1)))).astype(np.float32)
    names = np.array([f"name {e // 2 if r < 0.6 else 100 + e}" for e, r in zip(entity, rng.random(n), strict=True)])
    return Vectors(rows), names, entity


VECTORS, NAMES, ENTITY = topics()


def f1(labels, gold=ENTITY):
    return b_cubed(Alignment.from_labels(labels, gold)).f1
