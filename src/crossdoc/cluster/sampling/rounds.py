"""The pairwise model over partitions, on any engine: the driver builds the graph, and holds references from then on.

A round is one shuffle: a task unites the pieces that were dealt to it, runs a cycle of levels on its own factor graph
with the kernels of `pair_run.py`, and assigns its entities again (Singh et al. 2011, section 3.2, where this is a job
of MapReduce). A partition holds complete entities, so that sums over partitions are the sums of the corpus. Nodes are
counted after each round. Labels are saved now and then, so that a run continues after a machine, or the driver, is
lost.

After a round, an entity is assigned by super-entity (a canopy, `proposals.py`), or at random. The
assignment depends on the entity and the round only, so that no task has to see all entities.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.sampling.entity_tables import NodeRows
from crossdoc.cluster.sampling.factor_graph import FactorGraph, starts_among
from crossdoc.cluster.sampling.pair_run import (
    CYCLES,
    STOP_INTERRUPTED,
    PairRun,
    Plan,
    Schedule,
    Stopped,
    Workers,
    partitions_for,
)
from crossdoc.cluster.sampling.proposals import Meeting, canopies, entity_blocks
from crossdoc.cluster.sampling.sampling_clustering import SamplingClustering
from crossdoc.engine import Engine, Lost, Ref
from crossdoc.files import whole_file
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress, Quiet

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

    @property
    def bytes(self) -> int:
        return sum(each.nbytes for column in self.ragged.values() for each in column)

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


def pair_shards(graph: FactorGraph, labels: npt.NDArray[Any], parts: int) -> list[Shard]:
    """A graph in memory, cut into so many pieces."""
    node = np.arange(graph.n, dtype=np.int64)
    _, first, entity = np.unique(labels, return_index=True, return_inverse=True)
    whole = shard_of(graph, node).with_labels(node[first][entity])
    return [whole.take(some) for some in np.array_split(node, parts)]


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


SECONDS_BETWEEN = 15.0
"""Seconds of work lost with the driver at most, plus one round."""
MOST_LOSSES = 100


class PartCounts(NamedTuple):
    """Counts of a partition after a task; they add up over all."""

    nodes: int
    entities: int = 0
    proposed: int = 0
    moved: int = 0
    energy: float = 0.0
    seconds: float = 0.0
    """In its kernels; the rest of the time of a round is the engine's."""
    bytes: int = 0
    """Bytes of its rows."""


@dataclass(frozen=True)
class Cycle:
    """Record of one round over all partitions."""

    number: int
    seconds: float
    """Wall clock since the run began."""
    busy: float
    """Seconds of tasks in their kernels, summed; `longest` has the longest task."""
    longest: float
    energy: float
    entities: int
    proposed: int
    moved: int
    bytes: int
    """That changed hands."""


IDLE_ROUNDS = 3
"""Rounds over several partitions that gain nothing, taken together, before a run ends."""


@dataclass(frozen=True)
class PairWork:
    """Tasks of the pairwise model over partitions, with the settings and sizes that every partition needs."""

    plan: Plan
    features: int
    unit_value: float
    meeting: Meeting
    parts: int
    cycles: int = 1
    """That a run has at most: a temperature falls over them."""
    time_limit: float | None = None
    """Seconds that a run has at most: a temperature falls over them, too."""

    def graph(self, shard: Shard) -> FactorGraph:
        start, cells = shard.ragged["rows"]
        query_start, query_cells = shard.ragged.get("query", (start, cells))
        size, own = shard.flat["size"], shard.flat["own"]
        rows = NodeRows(start, cells, query_start, query_cells, size, own, *shard.limits_here())
        return FactorGraph(rows, self.features, self.unit_value)

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
        return shard.split(hashed(shard.flat["label"], self.plan.seed, self.parts), self.parts), PartCounts(shard.n)

    def seed_of(self, *numbers: int) -> int:
        """A seed for each round, and each partition of a round."""
        return int(np.random.SeedSequence([self.plan.seed, *numbers]).generate_state(1)[0])

    def converged(self, history: Sequence[Cycle]) -> bool:
        """Whether the last rounds gained nothing: two parts of an entity that have not met yet may meet in the next."""
        back = 1 if self.parts == 1 else IDLE_ROUNDS
        energies, temperature = [each.energy for each in history], self._temperature(len(history) - 1)
        return self.plan.converged(energies, back, temperature, len(CYCLES[self.plan.hierarchy]))

    def _temperature(self, number: int, deadline: float | None = None) -> float:
        """Return the temperature of the cycle of that number, lower if more of the time than of the cycles is over."""
        done = number / max(self.cycles - 1, 1)
        if deadline is not None and self.time_limit:
            done = max(done, 1 - (deadline - time.time()) / self.time_limit)
        return self.plan.temperature.at(done)


@dataclass
class Rounds:
    """A run over partitions; `go` does rounds until nothing is gained, or time is up."""

    engine: Engine
    shards: Callable[[Ints | None], list[Ref]]
    """The nodes with these labels, or (None) as they were at the beginning; made again if a machine is lost."""
    model: PairWork
    n: int
    progress: Progress
    file: Path | None = None
    """File of saved labels, for `resume`."""
    scattered: bool = False
    """Whether an entity at the beginning may have nodes in several shards."""
    history: list[Cycle] = field(default_factory=list)
    losses: int = 0
    kept: tuple[list[Cycle], Ints] | None = None
    """History and labels after the last round that was saved."""

    def go(
        self, cycles: int, time_limit: float | None = None, resume: bool = False
    ) -> tuple[list[list[Any]], Literal["converged", "rounds", "time"]]:
        """The partitions at the end, each its number and its pieces, and why it ended."""
        began = time.monotonic()
        deadline = None if time_limit is None else time.time() + time_limit
        pieces: list[list[Any]] | None = None
        kept = time.monotonic()
        while True:
            try:
                pieces = self.begin(resume) if pieces is None else pieces
                late = deadline is not None and time.time() >= deadline
                if late or len(self.history) >= cycles or self.model.converged(self.history):
                    self._keep(pieces)
                    return pieces, "converged" if self.model.converged(self.history) else "time" if late else "rounds"
                pieces, counts = self.round(self.model.cycle, pieces, len(self.history), deadline)
                self.history.append(self._cycle(counts, began))
                if time.monotonic() - kept >= SECONDS_BETWEEN:
                    self._keep(pieces)
                    kept = time.monotonic()
            except Lost:
                self.losses += 1
                if self.losses > MOST_LOSSES:
                    raise
                pieces, resume = None, True
                continue
            self._tell(cycles)

    def round(
        self, work: Callable[..., Any], pieces: list[list[Any]], *arguments: Any
    ) -> tuple[list[list[Any]], list[PartCounts]]:
        dealt, reports = self.engine.shuffle(_call, pieces, self.model.parts, self.engine.put((work, arguments)))
        counts = [self.engine.get(each) for each in reports]
        if (found := sum(each.nodes for each in counts)) != self.n:
            raise errors.nodes_lost(self.n, found)
        return [[part, *held] for part, held in enumerate(dealt)], counts

    def begin(self, resume: bool) -> list[list[Any]]:
        """The partitions of the first round to do, with the labels that were kept."""
        kept = (self.kept or self._load()) if resume else None
        self.history, labels = ([*kept[0]], kept[1]) if kept else ([], None)
        first = [[part, shard] for part, shard in enumerate(self.shards(labels))]
        if kept or self.scattered:
            first = self.round(self.model.gather, first)[0]
        return self.round(self.model.deal, first, len(self.history))[0]

    def labels(self, pieces: list[list[Any]]) -> Ints:
        """The entity of each node."""
        found: Ints = np.concatenate([*map(self.engine.get, self.engine.map(labels_in, pieces))])
        labels = np.empty(self.n, dtype=np.int64)
        labels[found[:, 0]] = found[:, 1]
        return labels

    def _cycle(self, counts: Sequence[PartCounts], began: float) -> Cycle:
        before = self.history[-1].seconds if self.history else 0.0
        total = PartCounts(*map(sum, zip(*counts, strict=True)))
        return Cycle(
            len(self.history) + 1,
            max(time.monotonic() - began, before),
            total.seconds,
            max(each.seconds for each in counts),
            *(total.energy, total.entities, total.proposed, total.moved, total.bytes),
        )

    def _tell(self, cycles: int) -> None:
        last = self.history[-1]
        self.progress.start(
            f"round {last.number} over {self.model.parts:,} partitions: {self.n:,} mentions in {last.entities:,} "
            f"entities, energy {last.energy:,.1f}, {last.moved:,} moved",
            cycles,
        )
        self.progress.advance(last.number)

    def _keep(self, pieces: list[list[Any]]) -> None:
        self.kept = [*self.history], self.labels(pieces)
        if self.file is not None:
            told = json.dumps([asdict(each) for each in self.history])
            with whole_file(self.file) as stream:
                np.savez(stream, labels=self.kept[1], history=np.array(told))

    def _load(self) -> tuple[list[Cycle], Ints] | None:
        if self.file is None or not self.file.exists():
            return None
        with np.load(self.file, allow_pickle=False) as kept:
            if len(kept["labels"]) != self.n:
                raise errors.other_checkpoint(self.file, "another corpus")
            return [Cycle(**each) for each in json.loads(str(kept["history"]))], kept["labels"]


def _call(held: Any, what: tuple[Callable[..., Any], Sequence[Any]]) -> Any:
    work, arguments = what
    return work(held, *arguments)


def labels_in(held: Sequence[Any]) -> Ints:
    """Node and entity of all nodes of a partition, given as its number and its pieces."""
    return np.concatenate([np.stack([each.flat["node"], each.flat["label"]], axis=1) for each in held[1:]])


class EngineSampling(SamplingClustering):
    """`SamplingClustering` on an engine. One partition is sampled in this process."""

    engine: Engine

    def _run(self, graph: FactorGraph, node: npt.NDArray[Any], names: Any, limits: Constraints) -> PairRun:
        parts = self.partitions or partitions_for(graph.n)
        if parts == 1:
            return super()._run(graph, node, names, limits)
        labels = self._start_labels(node, names, limits)
        run = EngineRun(graph, self._plan(), labels, self._report, threads=self._n_threads)
        run.engine, run.parts, run.resume = self.engine, parts, self.resume
        run.scattered = not self._from_singletons
        if self.checkpoint is not None:
            run.file, self.checkpoint = Path(f"{self.checkpoint}.rounds"), None
        self.where_ = f"over {parts:,} partitions"
        return run


class EngineRun(PairRun):
    """A run whose rounds are cycles of levels on the partitions of an engine."""

    engine: Engine
    parts: int
    resume: bool
    scattered: bool
    """Whether an entity at the beginning may have nodes in several pieces."""
    file: Path | None = None
    """File of saved labels."""

    def go(
        self,
        engine: Workers,
        rounds: int,
        time_limit: float | None,
        after_round: Callable[[PairRun], None] | None = None,
    ) -> Stopped:
        cycles = max(1, math.ceil(rounds / len(CYCLES[self.plan.hierarchy])))
        graph, n = self.graph, self.graph.n
        work = PairWork(
            self.plan, graph.n_features, graph.unit_value, engine.meeting, self.parts, cycles, time_limit
        )  # fmt: skip

        def shards(labels: Ints | None) -> list[Ref]:
            cut = pair_shards(graph, self.labels if labels is None else labels, self.parts)
            return [*map(self.engine.put, cut)]

        run = Rounds(self.engine, shards, work, n, self.progress, self.file, self.scattered)
        # Tasks cannot end a round early, so Ctrl-C ends the run at once; its labels were saved.
        engine.stop[0] = STOP_INTERRUPTED
        held, why = run.go(cycles, time_limit, self.resume)
        engine.stop[0] = 0
        self.labels, self.rounds = entity_blocks(run.labels(held)), len(run.history)
        self.dot, self.pairs = graph.sums(self.labels)
        self.best, self.best_energy = self.labels, self.energy
        if self.file is not None and why != "time":
            self.file.unlink(missing_ok=True)
        return why
