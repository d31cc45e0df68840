"""The pairwise model over partitions, on any engine: the driver builds the graph, and deals it to tasks.

A round is one shuffle: a task unites the pieces that were dealt to it, runs a cycle of levels on its own factor graph
with the kernels of `pair_run.py`, and assigns its entities again (Singh et al. 2011, section 3.2, where this is a job
of MapReduce). A partition holds complete entities, so that sums over partitions are the sums of the corpus. The driver
gets the labels after each round, so that it can deal all nodes again after a machine is lost.

After a round, an entity is assigned by super-entity (a canopy, `proposals.py`), or at random. The
assignment depends on the entity and the round only, so that no task has to see all entities.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.sampling.entity_tables import NodeRows
from crossdoc.cluster.sampling.factor_graph import FactorGraph, starts_among
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


class Shard(NamedTuple):
    """Some nodes: `flat` has a value for each, among them `node` (its number in the corpus) and `label` (the number of
    one node of its entity); of `ragged` columns each has where its values begin, and the values."""

    flat: Mapping[str, npt.NDArray[Any]]
    ragged: Mapping[str, tuple[npt.NDArray[Any], ...]]

    @property
    def n(self) -> int:
        return len(self.flat["node"])

    def take(self, rows: Ints) -> Shard:
        """
        >>> shard = Shard({"node": np.array([5, 7])}, {"rows": (np.array([0, 2, 3]), np.array([1, 2, 3]))})
        >>> shard.take(np.array([1])).ragged["rows"]
        (array([0, 1]), array([3]))
        """
        return Shard(
            {name: column[rows] for name, column in self.flat.items()},
            {name: taken(column, rows) for name, column in self.ragged.items()},
        )

    def with_labels(self, labels: Ints) -> Shard:
        return self._replace(flat={**self.flat, "label": labels})

    def split(self, goes_to: Ints, into: int) -> list[Shard]:
        """The nodes by where they go."""
        order = np.argsort(goes_to, kind="stable")
        bounds = np.searchsorted(goes_to[order], np.arange(into + 1))
        return [self.take(order[first:last]) for first, last in pairwise(bounds.tolist())]

    @classmethod
    def united(cls, pieces: Sequence[Shard]) -> Shard:
        """Pieces in one, by ascending numbers of nodes; the arrays are new ones, which numba takes for what they are.

        Arrays of an object store cannot be written to: of those every kernel would be compiled once more.
        """
        first = pieces[0]
        flat = {name: np.concatenate([each.flat[name] for each in pieces]) for name in first.flat}
        ragged = {name: _joined([each.ragged[name] for each in pieces]) for name in first.ragged}
        whole = cls(flat, ragged)
        order = np.argsort(flat["node"], kind="stable")
        return whole if (np.diff(order) == 1).all() else whole.take(order)

    def local_labels(self) -> npt.NDArray[np.int32]:
        """The entities numbered 0, 1, … here."""
        return np.unique(self.flat["label"], return_inverse=True)[1].astype(np.int32)

    def limits_here(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The judgements between nodes that are both here, by their places."""
        start, other, weight = self.ragged["limits"]
        node = self.flat["node"]
        at = np.minimum(np.searchsorted(node, other), max(len(node) - 1, 0))
        here = node[at] == other if len(node) else np.zeros(0, dtype=np.bool_)
        return starts_among(start, here), at[here].astype(np.int32), weight[here]


def shard_of(graph: FactorGraph, labels: npt.NDArray[np.int32]) -> Shard:
    """All nodes of a graph, in these entities."""
    rows, node = graph.rows, np.arange(graph.n, dtype=np.int64)
    flat = {"node": node, "label": node, "size": rows.size, "own": rows.own}
    ragged = {
        "rows": (rows.start, rows.cells),
        "limits": (rows.limit_start, node[rows.limit_other], rows.limit_weight),
    }
    if rows.query_cells is not rows.cells:
        ragged["query"] = (rows.query_start, rows.query_cells)
    shard = Shard(flat, ragged)
    return shard.with_labels(global_labels(shard, labels))


def taken(column: tuple[npt.NDArray[Any], ...], rows: Ints) -> tuple[npt.NDArray[Any], ...]:
    """Some rows of a ragged column: where each begins, and the values."""
    start, *values = column
    many = np.diff(start)[rows]
    begins = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
    cells = np.repeat(start[rows] - begins[:-1], many) + np.arange(begins[-1])
    return begins, *(each[cells] for each in values)


def _joined(columns: Sequence[tuple[npt.NDArray[Any], ...]]) -> tuple[npt.NDArray[Any], ...]:
    ends = np.cumsum([0, *(column[0][-1] for column in columns)])
    start = [column[0][:-1] + end for column, end in zip(columns, ends, strict=False)]
    values = (np.concatenate(each) for each in zip(*(column[1:] for column in columns), strict=True))
    return np.concatenate([*start, ends[-1:]]).astype(np.int64), *values


def global_labels(shard: Shard, labels: npt.NDArray[Any]) -> Ints:
    """Entities that were found here by the number of their first node, which no other partition has."""
    first = np.full(int(labels.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[labels[::-1]] = shard.flat["node"][::-1]
    return first[labels]


def hashed(key: npt.NDArray[Any], seed: int, into: int) -> Ints:
    """A number below `into` for each key, another with another seed."""
    mixed = (key.astype(np.uint64) + np.uint64(seed * int(HASH_MULTIPLIER) % 2**64)) * HASH_MULTIPLIER
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return ((mixed >> np.uint64(33)) % np.uint64(into)).astype(np.int64)


MOST_LOSSES = 100
IDLE_ROUNDS = 3
"""Rounds over several partitions that gain nothing, taken together, before a run ends."""


class PartReport(NamedTuple):
    """The entities of a partition's nodes after a round, and counts that add up over all partitions."""

    node: Ints
    label: Ints
    counts: tuple[float, ...]
    """S, and the numbers of entities, proposals, evaluated and accepted ones."""


@dataclass(frozen=True)
class PairWork:
    """The settings and sizes that every partition needs."""

    plan: Plan
    features: int
    unit_value: float
    meeting: Meeting
    parts: int

    def graph(self, shard: Shard) -> FactorGraph:
        start, cells = shard.ragged["rows"]
        query_start, query_cells = shard.ragged.get("query", (start, cells))
        size, own = shard.flat["size"], shard.flat["own"]
        rows = NodeRows(start, cells, query_start, query_cells, size, own, *shard.limits_here())
        return FactorGraph(rows, self.features, self.unit_value)

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

    def seed_of(self, *numbers: int) -> int:
        """A seed for each round, and each partition of a round."""
        return int(np.random.SeedSequence([self.plan.seed, *numbers]).generate_state(1)[0])


def sample_part(
    held: Sequence[Any], work: PairWork, number: int, temperature: float, deadline: float | None
) -> tuple[list[Shard], PartReport]:
    """Run the cycle of that number on a partition, given as its own number and its pieces, and deal its entities."""
    part, *pieces = held
    shard = Shard.united(pieces)
    graph, labels, counts = work.graph(shard), shard.local_labels(), (0.0,) * 5
    if shard.n:
        levels = len(CYCLES[work.plan.hierarchy])
        # Each partition of each cycle draws for itself.
        plan = replace(work.plan, seed=work.seed_of(number, part), temperature=Schedule(temperature))
        run = PairRun(graph, plan, labels, Quiet(), rounds=number * levels)
        left = None if deadline is None else max(0.01, deadline - time.time())
        with Workers(1, 1, work.meeting) as kernels:
            run.go(kernels, (number + 1) * levels, left)
        labels = entity_blocks(run.labels)
        moves = np.array([(each.proposed, each.evaluated, each.accepted) for each in run.history]).reshape(-1, 3)
        counts = (run.energy, int(labels.max()) + 1, *moves.sum(axis=0).tolist())
    found = shard.with_labels(global_labels(shard, labels))
    report = PartReport(found.flat["node"], found.flat["label"], counts)
    return found.split(work.goes_to(graph, labels, found, number + 1), work.parts), report


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
        cycles, deadline = max(1, math.ceil(rounds / levels)), None if time_limit is None else time.time() + time_limit
        work = PairWork(self.plan, graph.n_features, graph.unit_value, engine.meeting, self.parts)
        pieces = list[list[Any]]()
        # Tasks cannot end a round early, so Ctrl-C ends the run at once; its labels were saved.
        engine.stop[0] = STOP_INTERRUPTED
        while (why := self._over(cycles, deadline)) is None:
            done = self.rounds / max(cycles - 1, 1)
            if deadline is not None and time_limit is not None:
                done = max(done, 1 - (deadline - time.time()) / time_limit)
            temperature = self.plan.temperature.at(done)
            try:
                pieces = pieces or self._dealt(work)
                how = work, self.rounds, temperature, deadline
                dealt, reports = self.engine.shuffle(sample_part, pieces, self.parts, *how)
                self._take([*map(self.engine.get, reports)], temperature)
            except Lost:
                self.losses += 1
                if self.losses > MOST_LOSSES:
                    raise
                pieces = []
                continue
            pieces = [[part, *held] for part, held in enumerate(dealt)]
            self._tell_cycle(cycles)
            if after_round is not None:
                after_round(self)
        engine.stop[0] = 0
        self.dot, self.pairs = graph.sums(self.labels)
        self.best, self.best_energy = self.labels, self.energy
        return why

    def _over(self, cycles: int, deadline: float | None) -> Stopped | None:
        """Return why the run is over: two parts of an entity that have not met may yet meet in one of a few rounds."""
        levels, last = len(CYCLES[self.plan.hierarchy]), self.history[-1].temperature if self.history else 0.0
        if self.plan.converged([each.energy for each in self.history], IDLE_ROUNDS, last, levels):
            return "converged"
        if deadline is not None and time.time() >= deadline:
            return "time"
        return "rounds" if self.rounds >= cycles else None

    def _dealt(self, work: PairWork) -> list[list[Any]]:
        """All nodes by partition for the next round, each with its number."""
        shard = shard_of(self.graph, self.labels)
        goes_to = work.goes_to(self.graph, self.labels, shard, self.rounds)
        return [[part, self.engine.put(piece)] for part, piece in enumerate(shard.split(goes_to, self.parts))]

    def _take(self, reports: Sequence[PartReport], temperature: float) -> None:
        """Set labels and record of a round from the reports of its partitions."""
        labels = np.full(self.graph.n, -1, dtype=np.int64)
        for each in reports:
            labels[each.node] = each.label
        if missing := np.count_nonzero(labels < 0):
            raise errors.nodes_lost(self.graph.n, self.graph.n - missing)
        self.labels = self.best = entity_blocks(labels)
        counts: list[float] = np.sum([each.counts for each in reports], axis=0).tolist()
        entities, proposed, evaluated, accepted = map(int, counts[1:])
        self.rounds, self.seconds = self.rounds + 1, time.monotonic() - self.began
        moves = proposed, evaluated, accepted
        self.history.append(Round(self.rounds, "cycle", self.seconds, counts[0], entities, *moves, temperature))

    def _tell_cycle(self, cycles: int) -> None:
        last = self.history[-1]
        self.progress.start(
            f"round {last.number} over {self.parts:,} partitions: {self.graph.n:,} mentions in {last.entities:,} "
            f"entities, energy {last.energy:,.1f}, {last.accepted:,} moved",
            cycles,
        )
        self.progress.advance(last.number)
