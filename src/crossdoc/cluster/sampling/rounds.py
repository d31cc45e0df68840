"""Rounds over partitions on an engine: every machine has the graph, and tasks move the nodes of a partition.

A task runs a cycle of levels on the factor graph of its nodes with the kernels of `pair_run.py` (Singh et al. 2011,
section 3.2, where this is a job of MapReduce). A partition holds complete entities, so that sums over partitions are
the sums of the corpus. Labels go to and from the driver, which deals entities for each round (`proposals.py`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.mention_clusterer import Saved
from crossdoc.cluster.sampling.pair_run import (
    CYCLES,
    STOP_INTERRUPTED,
    Labels,
    PairRun,
    Plan,
    Round,
    Schedule,
    Stopped,
    Workers,
    partitions_for,
)
from crossdoc.cluster.sampling.proposals import Meeting, deal, entity_blocks
from crossdoc.cluster.sampling.sampling_clustering import SamplingClustering
from crossdoc.engine import Engine, Lost
from crossdoc.progress import Quiet

Ints = npt.NDArray[np.int64]

MOST_LOSSES = 100
IDLE_ROUNDS = 3
"""Rounds over several partitions that gain nothing, taken together, before a run ends."""


class Share(NamedTuple):
    """The nodes of a partition, ascending, and the entity of each."""

    part: int
    node: Ints
    label: Labels


class PartReport(NamedTuple):
    """The entity of each of a partition's nodes after a round; counts add up over partitions."""

    label: Labels
    counts: tuple[float, ...]
    """S, and the numbers of entities, proposals, evaluated and accepted ones."""


def seed_of(plan: Plan, *numbers: int) -> int:
    """A seed for each round, and each partition of a round."""
    return int(np.random.SeedSequence([plan.seed, *numbers]).generate_state(1)[0])


def sample_part(
    share: Share,
    whole: FactorGraph,
    plan: Plan,
    meeting: Meeting,
    number: int,
    temperature: float,
    deadline: float | None,
) -> PartReport:
    """Run the cycle of that number on the nodes of a partition."""
    graph, levels = whole.restricted(share.node), len(CYCLES[plan.hierarchy])
    # Each partition of each cycle draws for itself.
    plan = replace(plan, seed=seed_of(plan, number, share.part), temperature=Schedule(temperature))
    run = PairRun(graph, plan, entity_blocks(share.label), Quiet(), rounds=number * levels)
    with Workers(1, 1, meeting) as kernels:
        run.go(kernels, (number + 1) * levels, None if deadline is None else max(0.01, deadline - time.time()))
    moves = np.array([(each.proposed, each.evaluated, each.accepted) for each in run.history]).reshape(-1, 3)
    return PartReport(run.labels, (run.energy, int(run.labels.max()) + 1, *moves.sum(axis=0).tolist()))


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
        levels = len(CYCLES[self.plan.hierarchy])
        self.sent = self.engine.put(self.graph)
        why = super().go(engine, max(1, math.ceil(rounds / levels)), time_limit, after_round)
        self.dot, self.pairs = self.graph.sums(self.labels)
        self.best, self.best_energy = self.labels, self.energy
        return why

    def _converged(self) -> bool:
        """Two parts of an entity that have not met may yet meet in one of a few rounds."""
        levels, last = len(CYCLES[self.plan.hierarchy]), self.history[-1].temperature
        return self.plan.converged([each.energy for each in self.history], IDLE_ROUNDS, last, levels)

    def _round(self, engine: Workers, temperature: float, deadline: float | None) -> None:
        parts, seed = max(1, min(self.parts, self.graph.n)), seed_of(self.plan, self.rounds)
        dealt = map(np.sort, deal(self.graph, self.labels, parts, engine.meeting, seed, self.threads))
        shares = [Share(part, node.astype(np.int64), self.labels[node]) for part, node in enumerate(dealt) if len(node)]
        # Clocks of machines agree on the time of day only.
        ends = None if deadline is None else time.time() + deadline - time.monotonic()
        # Tasks cannot end a round early, so Ctrl-C ends the run at once; its labels were saved.
        engine.stop[0] = STOP_INTERRUPTED
        reports = self._reports(shares, self.plan, engine.meeting, self.rounds, temperature, ends)
        engine.stop[0] = 0
        labels, first = np.empty(self.graph.n, dtype=np.int64), 0
        for share, report in zip(shares, reports, strict=True):
            labels[share.node] = report.label + first
            first += len(share.node)
        self.labels = self.best = entity_blocks(labels)
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
