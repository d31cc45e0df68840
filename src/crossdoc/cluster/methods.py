"""The clusterers by the name a user calls them, behind one function: strengths of a block in, memberships out."""

from __future__ import annotations

from collections.abc import Sequence

from scipy import sparse

from crossdoc import errors
from crossdoc.cluster import baselines
from crossdoc.cluster.constraints import Constraints
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.model import Partition, Relations

LINKAGES = {"average-linkage": "average", "single-linkage": "single", "complete-linkage": "complete"}
BASELINES = ("string-match", "one-in-one", "all-in-one")
METHODS = (*LINKAGES, *BASELINES)
EDGE_METHODS = (*LINKAGES, "one-in-one", "all-in-one")


def cluster_relations(
    method: str, relations: Relations, constraints: Constraints, threshold: float, max_block: int
) -> sparse.csr_matrix:
    """Memberships from strengths."""
    if method not in LINKAGES:
        raise errors.unknown_method(method, METHODS)
    clusterer = LinkageClustering(LINKAGES[method], threshold, max_block)  # type: ignore[arg-type]
    return clusterer.fit(relations, constraints=constraints).partition_.membership


def cluster_names(method: str, names: Sequence[str], constraints: Constraints) -> sparse.csr_matrix:
    """Memberships from names alone: the baselines."""
    if method == "string-match":
        labels = baselines.string_match(names)
    elif method == "one-in-one":
        labels = baselines.one_in_one(len(names))
    elif method == "all-in-one":
        labels = baselines.all_in_one(len(names))
    else:
        raise errors.unknown_method(method, METHODS)
    return Partition.from_labels(list(names), baselines.with_constraints(labels, constraints)).membership
