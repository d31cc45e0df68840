"""Sampling over partitions: from the parts of the input to shards of rows, and from final labels to clusters.

Names and their weights are handled in one task; contexts are not: each part makes the rows of its own profiles. Judged
rows are few and form one shard of their own, since rows that must be together are one node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.bags.bag_partitions import JudgedPairs, bag_partitions_for
from crossdoc.cluster.bags.bag_shards import BagWork
from crossdoc.cluster.bags.passages import ContextRows
from crossdoc.cluster.baselines import with_constraints
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling.factor_graph import FactorGraph, column_totals, scale_for
from crossdoc.cluster.sampling.learning import Weights, unsupervised
from crossdoc.cluster.sampling.mention_clusterer import label_by_code
from crossdoc.cluster.sampling.mention_rows import compatibility, name_codes
from crossdoc.cluster.sampling.pair_shards import PairWork, shard_of
from crossdoc.cluster.sampling.posterior import settled
from crossdoc.cluster.sampling.shards import Shard
from crossdoc.compare.collection import names_evidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.model.constraints import Constraints
from crossdoc.run.partition_tasks import Found, How, Ints
from crossdoc.run.stages import run_fills
from crossdoc.run.stored_collection import StoredCollection
from crossdoc.store.folder import FolderStore


class Rows(NamedTuple):
    """Unjudged rows of one type in a part, and the numbers of their names (−1: none)."""

    row: Ints
    code: npt.NDArray[np.int32]
    entity: Ints
    """The node (a row of the corpus) whose entity each row starts in."""


class Judged(NamedTuple):
    """Judged rows (of the corpus), the first row of each must-link group, and weighted pairs (−inf: cannot link).

    `worth` has, for all parts, the weights between names if clashing names are kept apart.
    """

    row: Ints
    code: npt.NDArray[np.int32]
    node: Ints
    entity: Ints
    pairs: Ints
    weight: npt.NDArray[np.float64]
    worth: sparse.csr_matrix | None


class Named(NamedTuple):
    """Facts about one type that the driver needs."""

    nodes: int
    names: int
    parameters: Mapping[str, Any]
    """Parameters of the estimator, completed from the names and the model."""
    judged_in: list[int]
    """The parts that have judged rows."""


def named_rows(kind: str, how: How, adapted: Any, firsts: Ints) -> tuple[list[Rows | Judged], Named]:
    """Return the rows of one type by part, and the judged ones, from names alone."""
    model: LearnedModel = adapted[0]
    with FolderStore.at(how.folder) as store:
        place = store.rows_by_id()
        collection = StoredCollection.judged(store, model, how.name is not None, how.judgements, uses_topics=False)
        rows = place[collection.names.rows(kind)]
        # In the order of the parts.
        order = np.argsort(rows)
        rows, evidence = rows[order], names_evidence(collection, kind).part(order)
        limits = evidence.constraints
    clusterer = how.settings.clusterer()
    filled = {**clusterer.method.from_evidence(evidence), **run_fills(clusterer, how.settings.seed, model)}
    parameters = clusterer.estimator(filled).get_params()
    code, distinct = np.full(len(rows), -1, dtype=np.int32), list[str]()
    if evidence.names is not None:
        code, distinct = name_codes(evidence.names)
    worth = None
    if parameters.get("clash_weight") and distinct:
        agree = compatibility(distinct, evidence.agreeing).astype(np.float32) * np.float32(parameters["clash_weight"])
        same = sparse.identity(len(distinct), dtype=np.float32, format="csr")
        worth = agree + same * np.float32(parameters["name_weight"] or 0.0)
    group, first, inverse = np.unique(limits.group, return_index=True, return_inverse=True)
    several = np.bincount(inverse)[inverse] > 1
    pairs = np.concatenate([limits.cannot, limits.soft]).astype(np.int64)
    judged_rows = np.unique(np.concatenate([np.flatnonzero(several), pairs.ravel()]))
    node = rows[first[inverse]]
    weight = np.concatenate([np.full(len(limits.cannot), -np.inf), limits.soft_weight])
    entity = _first_entities(code, limits, node) if str(parameters["start"]) == "names" else node
    some = judged_rows
    judged = Judged(rows[some], code[some], node[some], entity[some], node[pairs], weight, worth)
    free = np.ones(len(rows), dtype=np.bool_)
    free[judged_rows] = False
    part = np.searchsorted(firsts, rows, side="right") - 1
    pieces: list[Rows | Judged] = []
    for at, begins in enumerate(firsts.tolist()):
        own = np.flatnonzero(free & (part == at))
        pieces.append(Rows(rows[own] - begins, code[own], entity[own]))
    return [*pieces, judged], Named(len(group), len(distinct), parameters, np.unique(part[judged_rows]).tolist())


def _first_entities(code: npt.NDArray[np.int32], limits: Constraints, node: Ints) -> Ints:
    """Return the entity of each row by string match, as the first of its nodes, with judgements respected."""
    labels = with_constraints(renumber(label_by_code(code)), limits)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return node[first[inverse]]


MOST_IN_ONE_TASK = 2_000_000
"""Mentions whose bags one task holds, in some 8 GB. Up to this, the answer equals that of one machine."""


def bag_partitions(named: Named) -> int:
    """Return over how many partitions the bags of a type are clustered."""
    return int(named.parameters["partitions"] or bag_partitions_for(named.nodes, MOST_IN_ONE_TASK))


def bag_contexts(held: Sequence[Any], firsts: Ints) -> ContextRows:
    """Return the context rows of a part of the input."""
    number, matrix, rows = held
    return _contexts(matrix[rows.row], rows.row + firsts[number], rows.row + firsts[number], rows.code)


def judged_contexts(held: Sequence[Any], firsts: Ints) -> ContextRows:
    """Return the judged rows, from the vectors of the parts they are in."""
    numbers, judged, *matrices = held
    matrix = _judged_rows(numbers, judged, matrices, firsts)
    return _contexts(matrix, judged.row, judged.node, judged.code)


def _contexts(matrix: sparse.csr_matrix, row: Ints, node: Ints, code: npt.NDArray[np.int32]) -> ContextRows:
    matrix.sort_indices()
    return ContextRows(row, node, code, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32))


def judgements(judged: Judged) -> JudgedPairs:
    return JudgedPairs(judged.pairs.reshape(-1, 2), judged.weight)


def rows_apart(judged: Judged) -> Ints:
    return judged.row


MOST_ESTIMATED = 2_000_000
"""Rows on which a bias is estimated, in one task."""


def estimated(held: Sequence[Any], parameters: Mapping[str, Any]) -> Weights:
    """Estimate the bias and the name weight without labels, from the vectors and names of some parts."""
    many, *both = held
    matrix = sparse.vstack([vectors[rows.row] for vectors, rows in zip(both[:many], both[many:], strict=True)])
    # Names are represented by numbers; 0 is none.
    names = np.concatenate([rows.code for rows in both[many:]]).astype(np.int64) + 1
    given = names if names.any() else None
    return unsupervised(
        matrix.tocsr(), given, bias=parameters["bias"], name_weight=parameters["name_weight"],
        seed=parameters["random_state"],
    )  # fmt: skip


class Weighed(NamedTuple):
    """Numbers of word and name features, and the weight of names."""

    words: int
    names: int
    name_weight: float

    @property
    def width(self) -> int:
        return self.words + self.names


def _beside(matrix: sparse.csr_matrix, code: Any, weighed: Weighed, worth: sparse.csr_matrix | None) -> Any:
    """Return stored rows and query rows (None: the same) in the form of `features.with_names`."""
    named_rows = np.flatnonzero(code >= 0)
    value = np.full(len(named_rows), 1.0 if worth is not None else np.sqrt(weighed.name_weight), dtype=np.float32)
    which = sparse.csr_matrix((value, (named_rows, code[named_rows])), shape=(len(code), weighed.names))
    which.eliminate_zeros()
    stored = sparse.hstack([matrix, which], format="csr", dtype=np.float32)
    stored.sort_indices()
    if worth is None:
        return stored, None
    query = sparse.hstack([matrix, (which @ worth).tocsr()], format="csr", dtype=np.float32)
    query.sort_indices()
    return stored, query


def totals_of(held: Sequence[Any], weighed: Weighed) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Sum the columns of a part, stored and query. The sums set the scale of integers that cannot overflow."""
    _, matrix, rows, judged = held
    made = [each for each in _beside(matrix[rows.row], rows.code, weighed, judged.worth) if each is not None]
    ones = np.ones(len(rows.row))
    sums = [column_totals(each.indptr, each.indices, each.data, ones, weighed.width) for each in made]
    return sums[0], sums[-1]


def sum_totals(held: Sequence[Any]) -> Any:
    return tuple(np.sum([each[at] for each in held], axis=0) for at in (0, 1))


def scale_of(totals: Any) -> float:
    return scale_for(*totals)


def pair_shard(held: Sequence[Any], weighed: Weighed, totals: Any, firsts: Ints) -> Shard:
    """Return the rows of a part of the input as nodes."""
    number, matrix, rows, judged = held
    stored, query = _beside(matrix[rows.row], rows.code, weighed, judged.worth)
    graph = FactorGraph.of(stored, query, scale=scale_for(*totals))
    return shard_of(graph, rows.row + firsts[number]).with_labels(rows.entity)


def judged_shard(held: Sequence[Any], weighed: Weighed, totals: Any, firsts: Ints) -> Shard:
    """Return the judged nodes, from the vectors of the parts they are in."""
    numbers, judged, *matrices = held
    matrix = _judged_rows(numbers, judged, matrices, firsts)
    stored, query = _beside(matrix, judged.code, weighed, judged.worth)
    nodes, first, group = np.unique(judged.node, return_index=True, return_inverse=True)
    graph = FactorGraph.of(stored, query, scale=scale_for(*totals)).contract(group.astype(np.int32))
    pairs = np.searchsorted(nodes, judged.pairs)
    return shard_of(graph.with_limits(pairs.reshape(-1, 2), judged.weight), nodes).with_labels(judged.entity[first])


def _judged_rows(numbers: Sequence[int], judged: Judged, matrices: Sequence[Any], firsts: Ints) -> sparse.csr_matrix:
    part = np.searchsorted(firsts, judged.row, side="right") - 1
    found = [matrix[judged.row[part == at] - firsts[at]] for at, matrix in zip(numbers, matrices, strict=True)]
    return sparse.vstack(found, format="csr") if found else sparse.csr_matrix((0, 0), dtype=np.float32)


def clusters_found(held: Sequence[Any], work: PairWork | BagWork, judged: Judged, bundle: int, *shared: Any) -> Found:
    """Return the final clusters and memberships of a partition; must-link rows share those of their node."""
    shard, (node, entity, weight) = work.memberships(held, *shared)
    entities, labels = np.unique(shard.flat["label"], return_inverse=True)
    at = np.searchsorted(shard.flat["node"], node)
    matrix = sparse.csr_matrix((weight, (at, np.searchsorted(entities, entity))), shape=(shard.n, len(entities)))
    start, other, worth = shard.limits_here()
    left = np.repeat(np.arange(shard.n), np.diff(start))
    never = np.flatnonzero((worth == -np.inf) & (left < other))
    cannot = np.stack([left[never], other[never]], axis=1).astype(np.int32)
    limits = replace(Constraints.none(shard.n), cannot=cannot)
    matrix = sparse.csr_matrix(settled(matrix, labels, limits))
    # A node of several rows counts as that many rows.
    rows = np.setdiff1d(shard.flat["node"], judged.node)
    some = np.isin(judged.node, shard.flat["node"])
    row, of_node = np.concatenate([rows, judged.row[some]]), np.concatenate([rows, judged.node[some]])
    order = np.argsort(row, kind="stable")
    row, matrix = row[order], matrix[np.searchsorted(shard.flat["node"], of_node[order])]
    numbers = np.full(len(row), bundle, dtype=np.int64)
    return Found(row, numbers, matrix.indptr.astype(np.int64), entities[matrix.indices], matrix.data)
