"""Sampling over partitions: from the parts of the input to shards of rows, and from final labels to clusters.

Names and their weights are handled in one task; contexts are not: each part makes the rows of its own profiles. Judged
rows are few and form one shard of their own, since rows that must be together are one node.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.baselines import with_constraints
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling.factor_graph import FactorGraph, column_totals, scale_for
from crossdoc.cluster.sampling.learning import Weights, unsupervised
from crossdoc.cluster.sampling.mention_clusterer import compatibility, label_by_code, name_codes
from crossdoc.cluster.sampling.pair_run import CYCLES, partitions_for
from crossdoc.cluster.sampling.rounds import PairWork, Rounds, Shard, shard_of
from crossdoc.cluster.sampling.sampling_clustering import settled
from crossdoc.compare.collection import names_evidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.engine import Ref
from crossdoc.model import Partition, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.run.one_part import RunContext
from crossdoc.run.partition_driver import PartitionDriver
from crossdoc.run.partitions import MOST_ESTIMATED, Ints, Spread, collection_of, profiles_of
from crossdoc.run.stages import described, run_fills
from crossdoc.store.answers import identity_rows, membership_rows
from crossdoc.store.folder import ROUNDS, FolderStore, write_part


class PartRows(NamedTuple):
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


def named_rows(kind: str, how: RunContext, adapted: Any, firsts: Ints) -> tuple[list[PartRows | Judged], Named]:
    """Return the rows of one type by part, and the judged ones, from names alone."""
    model: LearnedModel = adapted[0]
    with FolderStore.at(how.folder) as store:
        place = store.rows_by_id()
        collection = collection_of(how, store, model, topics=False)
        rows = place[collection.names.rows(kind)]
        # In the order of the parts.
        order = np.argsort(rows)
        rows, evidence = rows[order], names_evidence(collection, kind).part(order)
        limits = evidence.constraints
    clusterer = how.clusterer
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
    pieces: list[PartRows | Judged] = []
    for at, begins in enumerate(firsts.tolist()):
        own = np.flatnonzero(free & (part == at))
        pieces.append(PartRows(rows[own] - begins, code[own], entity[own]))
    return [*pieces, judged], Named(len(group), len(distinct), parameters, np.unique(part[judged_rows]).tolist())


def _first_entities(code: npt.NDArray[np.int32], limits: Constraints, node: Ints) -> Ints:
    """Return the entity of each row by string match, as the first of its nodes, with judgements respected."""
    labels = with_constraints(renumber(label_by_code(code)), limits)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return node[first[inverse]]


def partitions_of(named: Named) -> int:
    """Return over how many partitions the profiles of a type are clustered."""
    return int(named.parameters["partitions"] or partitions_for(named.nodes))


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
    sums = [column_totals(each) for each in made]
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


# -- describe ------------------------------------------------------------------------------------------------------


def describe_sampled(
    held: Sequence[Any],
    how: RunContext,
    vectoriser: ContextVectoriser,
    adapted: Any,
    spread: Spread,
    firsts: Ints,
    work: PairWork,
    judged: Judged,
) -> int:
    """Write the identities of a partition, whose number and pieces are given; return the number of profiles."""
    number, *pieces = held
    row, membership = clusters_found(pieces, work, judged)
    if not len(row):
        return 0
    profiles = profiles_at(how.folder, row, firsts)
    # Sorted by id, as in one process, so that sums are equal to the last digit.
    order = np.argsort(profiles.ids.astype(str), kind="stable")
    profiles, partition = profiles.take(order), Partition(profiles.ids[order], membership[order])
    with FolderStore.at(how.folder) as store:
        facts = store.facts(profiles)
    usual = spread.get(profiles.column("type")[0].as_py() or "")
    identities = described(partition, profiles, vectoriser.transform(profiles), facts, adapted[0], usual=usual)
    write_part(how.folder, "identities", number, identity_rows(identities))
    write_part(how.folder, "memberships", number, membership_rows(partition))
    return len(profiles)


def clusters_found(pieces: Sequence[Any], work: PairWork, judged: Judged) -> tuple[Ints, sparse.csr_matrix]:
    """Return the rows of a partition and their final memberships; must-link rows share those of their node."""
    shard, (node, entity, weight) = work.memberships(pieces)
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
    matrix = matrix[np.searchsorted(shard.flat["node"], of_node[order])]
    return row[order], matrix[:, np.unique(matrix.indices)]


def profiles_at(folder: Path, rows: Ints, firsts: Ints) -> Profiles:
    """Return profiles by their numbers over all parts, one part after the other."""
    part = np.searchsorted(firsts, rows, side="right") - 1
    found = [profiles_of(folder, at).take(rows[part == at] - firsts[at]).arrow for at in np.unique(part).tolist()]
    return Profiles(pa.concat_tables([Profiles.of(()).arrow, *found]))


# -- the driver ------------------------------------------------------------------------------------------------------


def width_of(matrix: sparse.csr_matrix) -> int:
    return int(matrix.shape[1])


def sample(driver: PartitionDriver) -> bool:
    """Cluster all profiles in rounds over partitions, and write their identities.

    Return whether that was done: profiles that fit in one task are clustered as on one machine.
    """
    engine, how, clusterer = driver.engine, driver.how, driver.how.clusterer
    firsts, many, found = engine.put(driver.firsts), len(driver.firsts), list[Ref]()
    by_type = list[tuple[str, Named, list[Ref]]]()
    for kind in driver.types:
        by_part, reports = engine.shuffle(named_rows, [kind], many + 1, driver.shared, driver.adapted, firsts)
        counted: Named = engine.get(reports[0])
        if counted.nodes:
            by_type.append((kind, counted, [piece[0] for piece in by_part]))
    if all(partitions_of(named) == 1 for _, named, _ in by_type):
        return False
    for kind, named, pieces in by_type:
        estimator = clusterer.method.estimator()(**named.parameters)
        if named.parameters.get("samples") or not isinstance(estimator.start, str):
            raise errors.not_over_partitions("Drawing samples, or starting from labels,")
        if estimator.start == "names" and not named.names:
            raise errors.start_without_names()
        run = _rounds(driver, estimator, kind, named, pieces, firsts)
        run.folder = how.folder / ROUNDS / (kind or "profile")
        parts, why = run.go(run.model.cycles, how.settings.time_limit, driver.resume)
        driver.notes.append(
            f"{kind or 'profile'}s: {len(run.history):,} rounds over {run.model.parts:,} partitions ({why}), "
            f"energy {run.history[-1].energy if run.history else 0.0:,.1f}"
        )
        shared = driver.shared, driver.vectoriser, driver.adapted, driver.spread, firsts
        found += [
            engine.map(describe_sampled, [[len(found) + at, *part]], *shared, engine.put(run.model), pieces[-1])[0]
            for at, part in enumerate(parts)
        ]
    driver.check(sum(map(engine.get, found)))
    return True


def _rounds(driver: PartitionDriver, estimator: Any, kind: str, named: Named, pieces: list[Ref], firsts: Ref) -> Rounds:
    """Prepare the rounds of one type."""
    engine, vectors = driver.engine, driver.vectors
    *rows, judged = pieces
    if estimator.bias is None or estimator.name_weight is None:
        driver.report.start("estimating the bias without labels")
        some = max(1, min(len(rows), len(rows) * MOST_ESTIMATED // named.nodes))
        weights = driver.one(estimated, [some, *vectors[:some], *rows[:some]], named.parameters)
        estimator.set_params(bias=weights.bias, name_weight=weights.name_weight)
        names = f"names {weights.name_weight:.4f} ({weights.origin})"
        driver.notes.append(f"{kind or 'profile'}s: bias {weights.bias:.4f}, {names}")
    weighed = Weighed(driver.one(width_of, vectors[0]), named.names, float(estimator.name_weight or 0.0))
    parts = [[number, vectors[number], own, judged] for number, own in enumerate(rows)]
    totals = driver.summed(engine.map(totals_of, parts, weighed), sum_totals)
    plan, meeting = estimator.plan_for(float(estimator.bias), weighed.name_weight, bool(named.names))
    cycles = max(1, math.ceil(estimator.max_iter / len(CYCLES[estimator.hierarchy])))
    scale = driver.one(scale_of, totals)
    into, limit = partitions_of(named), driver.how.settings.time_limit
    work = PairWork(plan, weighed.width, 1.0 / scale**2, meeting, into, cycles, limit)
    shared = weighed, totals, firsts

    def shards() -> list[Ref]:
        made = engine.map(pair_shard, parts, *shared)
        if named.judged_in:
            own = [named.judged_in, judged, *(vectors[number] for number in named.judged_in)]
            made += engine.map(judged_shard, [own], *shared)
        return made

    from_names = estimator.start == "names"
    return Rounds(engine, shards, work, named.nodes, driver.report, scattered=from_names)
