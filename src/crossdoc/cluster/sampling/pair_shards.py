"""The pairwise model over partitions: a task runs a cycle of levels on its own nodes, then assigns its entities again.

Each task makes a factor graph of its rows and runs the kernels of `pair_run.py` on it. A partition holds complete
entities, so that sums over partitions are the sums of the corpus.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.sampling.entity_tables import NodeRows
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_run import CYCLES, PairRun, Plan, Schedule, Workers
from crossdoc.cluster.sampling.proposals import Meeting, canopies, entity_blocks
from crossdoc.cluster.sampling.rounds import Cycle, Ints, PartCounts, Shard, global_labels, hashed
from crossdoc.cluster.sampling.sampling_clustering import conditional_memberships
from crossdoc.progress import Quiet

IDLE_ROUNDS = 3
"""Rounds over several partitions that gain nothing, taken together, before a run ends."""


@dataclass(frozen=True)
class PairWork:
    """Tasks of the pairwise model over partitions, with the settings and sizes that every partition needs."""

    plan: Plan
    features: int
    unit_value: float
    size_unit: float
    meeting: Meeting
    parts: int
    cycles: int = 1
    """That a run has at most: a temperature falls over them."""
    time_limit: float | None = None
    """Seconds that a run has at most: a temperature falls over them, too."""

    @property
    def seed(self) -> int:
        return self.plan.seed

    def graph(self, shard: Shard) -> FactorGraph:
        start, cells = shard.ragged["rows"]
        query_start, query_cells = shard.ragged.get("query", (start, cells))
        size, own = shard.flat["size"], shard.flat["own"]
        rows = NodeRows(start, cells, query_start, query_cells, size, own, *shard.limits_here())
        return FactorGraph(rows, self.features, self.unit_value, self.size_unit)

    def cycle(self, held: Sequence[Any], number: int, deadline: float | None) -> tuple[list[Shard], PartCounts]:
        """The cycle of that number on a partition, given as its own number and its pieces."""
        part, *pieces = held
        shard = Shard.united(pieces)
        begun = time.perf_counter()
        levels = CYCLES[self.plan.hierarchy]
        done = number * len(levels)
        # Each partition of each cycle draws for itself.
        temperature = Schedule(self._temperature(number, deadline))
        plan = replace(self.plan, seed=self.seed_of(number, part), temperature=temperature)
        graph = self.graph(shard)
        labels, proposed, moved, energy = shard.local_labels(), 0, 0, 0.0
        if shard.n:
            run = PairRun(graph, plan, labels, Quiet(), rounds=done)
            left = None if deadline is None else max(0.01, deadline - time.time())
            with Workers(1, 1, self.meeting) as kernels:
                run.go(kernels, done + len(levels), left)
            labels, energy = run.labels, run.energy
            proposed = sum(each.proposed for each in run.history)
            moved = sum(each.accepted for each in run.history)
        labels = entity_blocks(labels)
        found = shard.with_labels(global_labels(shard, labels))
        entities, seconds = int(labels.max(initial=-1)) + 1, time.perf_counter() - begun
        counts = PartCounts(shard.n, entities, proposed, moved, energy, seconds, shard.bytes)
        return found.split(self.goes_to(graph, labels, found, number + 1), self.parts), counts

    def deal(self, held: Sequence[Any], number: int) -> tuple[list[Shard], PartCounts]:
        """Only deal the entities for the round of that number."""
        shard = Shard.united(held[1:])
        goes_to = self.goes_to(self.graph(shard), shard.local_labels(), shard, number)
        return shard.split(goes_to, self.parts), PartCounts(shard.n)

    def goes_to(self, graph: FactorGraph, labels: npt.NDArray[np.int32], shard: Shard, number: int) -> Ints:
        """The partition of each node in the cycle of that number: that of its entity."""
        if not shard.n:
            return np.zeros(0, dtype=np.int64)
        seed = self.seed_of(number)
        if self.meeting == "random":
            return hashed(shard.flat["label"], seed, self.parts)
        # An entity draws its canopy by the sum of its rows: parts of one entity have similar sums.
        canopy = canopies(graph.contract(labels), seed)[1][labels]
        # Without features it is a canopy of its own, wherever it is.
        key = np.where(canopy > graph.n_features, shard.flat["label"] + graph.n_features + 1, canopy)
        return hashed(key, seed, self.parts)

    def gather(self, held: Sequence[Any]) -> tuple[list[Shard], PartCounts]:
        """Bring the nodes of each entity together, wherever they are."""
        shard = Shard.united(held[1:])
        return shard.split(hashed(shard.flat["label"], self.seed, self.parts), self.parts), PartCounts(shard.n)

    def memberships(self, held: Sequence[Any]) -> tuple[Shard, tuple[Ints, Ints, npt.NDArray[np.float64]]]:
        """The nodes with their entities, and (node, entity, weight) of where each would go if all others stayed."""
        shard = Shard.united(held[1:])
        if not shard.n:
            return shard, (shard.flat["label"], shard.flat["label"], np.zeros(0))
        graph, labels = self.graph(shard), shard.local_labels()
        entity = shard.flat["label"][np.unique(labels, return_index=True)[1]]
        near = PairRun(graph, self.plan, labels, Quiet()).neighbours(self.seed)
        found = sparse.coo_matrix(conditional_memberships(graph, labels, near, self.plan.bias))
        return shard, (shard.flat["node"][found.row], entity[found.col], found.data)

    def seed_of(self, *numbers: int) -> int:
        """A seed for each round, and each partition of a round."""
        return int(np.random.SeedSequence([self.seed, *numbers]).generate_state(1)[0])

    def converged(self, history: Sequence[Cycle], tolerance: float) -> bool:
        """Whether the last rounds gained nothing: two parts of an entity that have not met yet may meet in the next."""
        back = 1 if self.parts == 1 else IDLE_ROUNDS
        plan, levels = replace(self.plan, tolerance=tolerance), len(CYCLES[self.plan.hierarchy])
        return plan.converged([each.energy for each in history], back, self._temperature(len(history) - 1), levels)

    def _temperature(self, number: int, deadline: float | None = None) -> float:
        """Return the temperature of the cycle of that number, lower if more of the time than of the cycles is over."""
        done = number / max(self.cycles - 1, 1)
        if deadline is not None and self.time_limit:
            done = max(done, 1 - (deadline - time.time()) / self.time_limit)
        return self.plan.temperature.at(done)


def pair_work(graph: FactorGraph, plan: Plan, meeting: Meeting, parts: int, cycles: int = 1) -> PairWork:
    """The work for a graph in memory."""
    return PairWork(plan, graph.n_features, graph.unit_value, graph.size_unit, meeting, parts, cycles)


def pair_shards(graph: FactorGraph, labels: npt.NDArray[Any], parts: int) -> list[Shard]:
    """A graph in memory, cut into so many pieces."""
    node = np.arange(graph.n, dtype=np.int64)
    _, first, entity = np.unique(labels, return_index=True, return_inverse=True)
    whole = shard_of(graph, node).with_labels(node[first][entity])
    return [whole.take(some) for some in np.array_split(node, parts)]


def shard_of(graph: FactorGraph, node: Ints) -> Shard:
    """The nodes of a graph, which have these numbers in the corpus, each an entity of its own."""
    rows = graph.rows
    flat = {"node": node, "label": node, "size": rows.size, "own": rows.own}
    ragged = {
        "rows": (rows.start, rows.cells),
        "limits": (rows.limit_start, node[rows.limit_other], rows.limit_weight),
    }
    if rows.query_cells is not rows.cells:
        ragged["query"] = (rows.query_start, rows.query_cells)
    return Shard(flat, ragged)
