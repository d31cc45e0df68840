"""The clusterers by the name a user calls them: strengths, vectors or names of a block in, memberships out.

Imported when called: a run needs one of them, and a solver or a sampler takes long to load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scipy import sparse

from crossdoc import errors
from crossdoc.agreeing import agreeing_names
from crossdoc.cluster import baselines
from crossdoc.cluster.constraints import Constraints
from crossdoc.model import Partition, Relations, Vectors
from crossdoc.names import fold
from crossdoc.progress import Progress
from crossdoc.settings import Settings

LINKAGES = {"average-linkage": "average", "single-linkage": "single", "complete-linkage": "complete"}
FUZZY = ("karc", "arca", "frc")
CORRELATION = "correlation"
CONTEXTS = "contexts"
SAMPLING = "sampling"
BASELINES = ("string-match", "one-in-one", "all-in-one")
METHODS = (*LINKAGES, *FUZZY, CORRELATION, CONTEXTS, SAMPLING, *BASELINES)
EDGE_METHODS = (*LINKAGES, *FUZZY, CORRELATION, "one-in-one", "all-in-one")
WITHOUT_THRESHOLD = ("arca", "frc", CONTEXTS, SAMPLING, *BASELINES)
"""Methods that find the number of clusters by themselves, or need none."""


def cluster_relations(
    method: str, relations: Relations, constraints: Constraints, threshold: float, max_block: int, seed: int = 0
) -> sparse.csr_matrix:
    """Memberships from strengths."""
    if method in LINKAGES:
        from crossdoc.cluster.hierarchical import LinkageClustering

        linkage = LinkageClustering(LINKAGES[method], threshold, max_block)  # type: ignore[arg-type]
        return linkage.fit(relations, constraints=constraints).partition_.membership
    if method in FUZZY:
        from crossdoc.cluster.fuzzy import cluster_fuzzy

        return cluster_fuzzy(method, relations, constraints, threshold=threshold, seed=seed, max_block=max_block)
    if method == CORRELATION:
        return cluster_correlation(relations, constraints, threshold, seed).membership
    raise errors.unknown_method(method, METHODS)


class Correlated(NamedTuple):
    """Memberships, the solver chosen, and how far from the optimum the answer can be, as a share of its cost."""

    membership: sparse.csr_matrix
    solver: str
    gap: float


def cluster_correlation(relations: Relations, constraints: Constraints, bias: float, seed: int) -> Correlated:
    from crossdoc.cluster.correlation import CorrelationClustering

    found = CorrelationClustering(bias=bias, random_state=seed).fit(relations, constraints=constraints)
    return Correlated(found.partition_.membership, found.chosen_, found.gap_)


def cluster_vectors(
    method: str, vectors: Vectors, constraints: Constraints, even: float | None, seed: int
) -> sparse.csr_matrix:
    """Memberships from the vectors of contexts; `even` is the cosine that speaks neither for nor against."""
    if method == CONTEXTS:
        from crossdoc.cluster.contexts.clustering import EVEN, cluster_contexts

        return cluster_contexts(vectors, constraints, seed, EVEN if even is None else even)
    raise errors.unknown_method(method, METHODS)


def cluster_names(method: str, names: Sequence[str], constraints: Constraints) -> sparse.csr_matrix:
    """Memberships from names alone: the baselines."""
    if method == "string-match":
        labels = baselines.string_match([fold(name) for name in names])
    elif method == "one-in-one":
        labels = baselines.one_in_one(len(names))
    elif method == "all-in-one":
        labels = baselines.all_in_one(len(names))
    else:
        raise errors.unknown_method(method, METHODS)
    return Partition.from_labels(list(names), baselines.with_constraints(labels, constraints)).membership


@dataclass(frozen=True, slots=True)
class Sampled:
    """What sampling found: memberships, what it says of itself, and whether it stopped before its end."""

    membership: sparse.csr_matrix
    told: str
    stopped: bool


def cluster_sampled(
    vectors: Vectors,
    names: Sequence[str] | None,
    entity_type: str | None,
    constraints: Constraints,
    weights: tuple[float, float] | None,
    settings: Settings,
    checkpoint: Path | None,
    resume: bool,
    progress: Progress,
) -> Sampled:
    """Memberships of all profiles of a type by sampling; names that clash are kept apart where the type is known."""
    from crossdoc.cluster.sampling import SamplingClustering

    bias, name_weight = weights if weights is not None else (None, None)
    found = SamplingClustering(
        bias=bias,
        name_weight=name_weight,
        clash_weight=1.0 if names is not None and entity_type else 0.0,
        time_limit=settings.time_limit,
        threads=settings.threads or None,
        random_state=settings.seed,
        checkpoint=checkpoint,
        resume=resume,
        progress=progress,
    ).fit(vectors, names=names, agreeing=partial(agreeing_names, entity_type=entity_type), constraints=constraints)
    told = f"{found.n_iter_:,} rounds, energy {found.energy_:,.1f}, {found.weights_said_}"
    return Sampled(found.partition_.membership, told, found.stopped_ in ("time", "interrupted"))


def largest_block(method: str, max_block: int) -> int:
    """The most profiles of one block that a method takes."""
    if method in FUZZY:
        from crossdoc.cluster.fuzzy.base import MAX_BLOCK

        return min(max_block, MAX_BLOCK)
    return max_block
