"""Rounds over partitions on an engine: every machine has the graph, and tasks move the nodes of a partition.

A task runs a cycle of levels on the factor graph of its nodes with the kernels of `pair_run.py`, and assigns its
entities to the partitions of the next round (Singh et al. 2011, section 3.2, where this is a job of MapReduce). A
partition holds complete entities, so that sums over partitions are the sums of the corpus. Labels go to and from the
driver in each round.

After a round, an entity is assigned by super-entity (a canopy, `proposals.py`), or at random. The
assignment depends on the entity and the round only, so that no task has to see all entities.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.mention_clusterer import Saved
from crossdoc.cluster.sampling.pair_run import (
    CYCLES,
    STOP_INTERRUPTED,
    PairRun,
    Plan,
    Round,
    Schedule,
    Stopped,
    Workers,
    partitions_for,
)
from crossdoc.cluster.sampling.proposals import Meeting, canopies, entity_blocks
from crossdoc.cluster.sampling.sampling_clustering import SamplingClustering
from crossdoc.engine import Engine, Lost
from crossdoc.progress import Quiet

Ints = npt.NDArray[np.int64]
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def global_labels(node: Ints, labels: npt.NDArray[Any]) -> Ints:
    """Entities that were found among some nodes by the number of their first, which no other partition has.

    >>> global_labels(np.array([4, 7, 9]), np.array([1, 0, 1])).tolist()
    [4, 7, 4]
    """
    return node[np.unique(labels, return_index=True)[1]][np.unique(labels, return_inverse=True)[1]]


def hashed(key: npt.NDArray[Any], seed: int, into: int) -> Ints:
    """A number below `into` for each key, another with another seed."""
    mixed = (key.astype(np.uint64) + np.uint64(seed * int(HASH_MULTIPLIER) % 2**64)) * HASH_MULTIPLIER
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return ((mixed >> np.uint64(33)) % np.uint64(into)).astype(np.int64)


MOST_LOSSES = 100
IDLE_ROUNDS = 3
"""Rounds over several partitions that gain nothing, taken together, before a run ends."""


class Share(NamedTuple):
    """The nodes of a partition, ascending, and the entity of each, which is the number of one of its nodes."""

    part: int
    node: Ints
    label: Ints


class PartReport(NamedTuple):
    """The entity of each of a partition's nodes after a round, and where it goes; counts add up over partitions."""

    label: Ints
    goes_to: Ints
    counts: tuple[float, ...]
    """S, and the numbers of entities, proposals, evaluated and accepted ones."""


@dataclass(frozen=True)
class PairWork:
    """The settings that every partition needs."""

    plan: Plan
    meeting: Meeting
    parts: int

    def goes_to(self, graph: FactorGraph, label: Ints, number: int) -> Ints:
        """The partition of each node in the cycle of that number: that of its entity."""
        seed = self.seed_of(number)
        if self.meeting == "random":
            return hashed(label, seed, self.parts)
        # An entity draws its canopy by the sum of its rows: parts of one entity have similar sums.
        entity = entity_blocks(label)
        canopy = canopies(graph.contract(entity), seed)[1][entity]
        # Without features it is a canopy of its own, wherever it is.
        key = np.where(canopy > graph.n_features, label + graph.n_features + 1, canopy)
        return hashed(key, seed, self.parts)

    def seed_of(self, *numbers: int) -> int:
        """A seed for each round, and each partition of a round."""
        return int(np.random.SeedSequence([self.plan.seed, *numbers]).generate_state(1)[0])


def sample_part(
    share: Share, whole: FactorGraph, work: PairWork, number: int, temperature: float, deadline: float | None
) -> PartReport:
    """Run the cycle of that number on the nodes of a partition, and deal its entities."""
    graph, levels = whole.restricted(share.node), len(CYCLES[work.plan.hierarchy])
    # Each partition of each cycle draws for itself.
    plan = replace(work.plan, seed=work.seed_of(number, share.part), temperature=Schedule(temperature))
    run = PairRun(graph, plan, entity_blocks(share.label), Quiet(), rounds=number * levels)
    with Workers(1, 1, work.meeting) as kernels:
        run.go(kernels, (number + 1) * levels, None if deadline is None else max(0.01, deadline - time.time()))
    label = global_labels(share.node, run.labels)
    moves = np.array([(each.proposed, each.evaluated, each.accepted) for each in run.history]).reshape(-1, 3)
    counts = run.energy, int(run.labels.max()) + 1, *moves.sum(axis=0).tolist()
    return PartReport(label, work.goes_to(graph, label, number + 1), counts)


class EngineSampling(SamplingClustering):
    """`SamplingClustering` on an engine. One partition is sampled in this process."""

    engine: Engine

    def _saved_run(self, corpus: Iterable[npt.NDArray[Any]], nodes: int) -> Saved | None:
        self._parts = self.partitions or partitions_for(nodes)
        return super()._saved_run(corpus, nodes)

    def _settings(self) -> str:
        return super()._settings() + f" over {self._parts} partitions" * (self._parts > 1)

    def _new_run(self, *given: Any, **state: Any) -> PairRun:
        if self._parts == 1:
            return super()._new_run(*given, **state)
        run = EngineRun(*given, **state)
        run.engine, run.parts = self.engine, self._parts
        self.where_ = f"over {self._parts:,} partitions"
        return run


class EngineRun(PairRun):
    """A run whose rounds are cycles of levels on the partitions of an engine. Its last labels are the best."""

    engine: Engine
    parts: int
    losses: int = 0

    def go(
        self,
        engine: Workers,
        rounds: int,
        time_limit: float | None,
        after_round: Callable[[PairRun], None] | None = None,
    ) -> Stopped:
        graph, levels = self.graph, len(CYCLES[self.plan.hierarchy])
        self.label = global_labels(np.arange(graph.n), self.labels)
        self.work = PairWork(self.plan, engine.meeting, self.parts)
        self.goes_to = self.work.goes_to(graph, self.label, self.rounds)
        self.sent = self.engine.put(graph)
        why = super().go(engine, max(1, math.ceil(rounds / levels)), time_limit, after_round)
        self.dot, self.pairs = graph.sums(self.labels)
        self.best, self.best_energy = self.labels, self.energy
        return why

    def _converged(self) -> bool:
        """Two parts of an entity that have not met may yet meet in one of a few rounds."""
        levels, last = len(CYCLES[self.plan.hierarchy]), self.history[-1].temperature
        return self.plan.converged([each.energy for each in self.history], IDLE_ROUNDS, last, levels)

    def _round(self, engine: Workers, temperature: float, deadline: float | None) -> None:
        nodes = [(part, np.flatnonzero(self.goes_to == part)) for part in range(self.parts)]
        shares = [Share(part, node, self.label[node]) for part, node in nodes if len(node)]
        # Clocks of machines agree on the time of day only.
        ends = None if deadline is None else time.time() + deadline - time.monotonic()
        # Tasks cannot end a round early, so Ctrl-C ends the run at once; its labels were saved.
        engine.stop[0] = STOP_INTERRUPTED
        reports = self._reports(shares, self.work, self.rounds, temperature, ends)
        engine.stop[0] = 0
        for share, report in zip(shares, reports, strict=True):
            self.label[share.node], self.goes_to[share.node] = report.label, report.goes_to
        self.labels = self.best = entity_blocks(self.label)
        self._record([report.counts for report in reports], temperature)

    def _reports(self, shares: list[Share], *how: Any) -> list[PartReport]:
        """Run a round, again if the graph was lost with its machine."""
        while True:
            try:
                return [self.engine.get(ref) for ref in self.engine.map(sample_part, shares, self.sent, *how)]
            except Lost:
                self.losses += 1
                if self.losses > MOST_LOSSES:
                    raise
                self.sent = self.engine.put(self.graph)

    def _record(self, counts: list[tuple[float, ...]], temperature: float) -> None:
        energy, *others = np.sum(counts, axis=0).tolist()
        entities, proposed, evaluated, accepted = map(int, others)
        self.rounds, self.seconds = self.rounds + 1, time.monotonic() - self.began
        moves = proposed, evaluated, accepted
        self.history.append(Round(self.rounds, "cycle", self.seconds, energy, entities, *moves, temperature))

    def _tell(self, rounds: int, deadline: float | None) -> None:
        last = self.history[-1]
        self.progress.start(
            f"round {last.number} over {self.parts:,} partitions: {self.graph.n:,} mentions in {last.entities:,} "
            f"entities, energy {last.energy:,.1f}, {last.accepted:,} moved",
            rounds,
        )
        self.progress.advance(last.number)
