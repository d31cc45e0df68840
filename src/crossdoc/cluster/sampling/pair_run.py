"""One run: rounds of the levels in turn until time, rounds or gains are used up; the best so far is always kept.

In a round, threads run kernels over disjoint sets of entities: a worker moves its own nodes among its own entities. Its
tables are built from the labels at the start of each round: a few per cent of its time, and no state is shared.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.sampling.entity_tables import entities_of
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_moves import best_moves, chain
from crossdoc.cluster.sampling.proposals import (
    BLOCK_WIDTH,
    Meeting,
    Neighbours,
    Postings,
    deal,
    entity_blocks,
    lift,
    united,
    with_partners,
    within_entities,
)
from crossdoc.progress import Progress

SHARE_NEW, SHARE_FLAT = 0.05, 0.05
"""Informed proposals that try a new entity, and any entity, so that every partition can be reached."""
MOVE_CANDIDATES = 6
"""Entities that a best move compares."""
TRIES = 4
"""Proposals in a row for one node: its value in its own entity is computed once."""

Stop = npt.NDArray[np.int64]
"""One number that the kernels look at: 0 go on, or why to stop."""
STOP_TIME, STOP_INTERRUPTED = 1, 2


class MoveCounts(NamedTuple):
    """Counts of a kernel, in its order (`pair_moves.py`)."""

    proposed: int
    evaluated: int
    accepted: int
    dot: int
    pairs: int


@dataclass
class Workers:
    """Rounds over all nodes with `parts` logical workers on `threads` threads."""

    threads: int = 1
    parts: int = 1
    meeting: Meeting = "canopies"

    def __post_init__(self) -> None:
        self.stop: Stop = np.zeros(1, dtype=np.int64)
        self.pool = ThreadPoolExecutor(self.threads)
        self.on_interrupt: Any = None

    def __enter__(self) -> Workers:
        """From here on the first Ctrl-C ends the round; only a second one raises."""
        if threading.current_thread() is threading.main_thread():
            self.on_interrupt = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop[0] = self.stop[0] or STOP_TIME
        self.pool.shutdown()
        if self.on_interrupt is not None:
            signal.signal(signal.SIGINT, self.on_interrupt)

    def _interrupt(self, *_: object) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.stop[0] = STOP_INTERRUPTED

    def run(
        self,
        graph: FactorGraph,
        labels: npt.NDArray[np.int32],
        neighbours: Neighbours,
        bias: float,
        *,
        temperature: float = 0.0,
        sweeps: float = 1.0,
        thorough: bool = False,
        seed: int = 0,
        deadline: float | None = None,
    ) -> tuple[npt.NDArray[np.int32], MoveCounts]:
        """One round: `sweeps` proposals for each node (or best-move sweeps); ends early at the deadline.

        The new entities are counted from 0. A worker whose tables run out of room ends its round there.
        """
        flat, bias = neighbours.shape[1] == 0, float(bias)
        given = entity_blocks(labels)
        dealt = deal(graph, given, max(1, min(self.parts, graph.n)), self.meeting, seed, self.threads)

        def work(part: int, nodes: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
            entities = entities_of(graph.rows, nodes, entity_blocks(given[nodes]))
            args = graph.rows, entities, neighbours
            if temperature == 0 and not flat:
                steps = max(1, round(sweeps))
                counted = best_moves(*args, MOVE_CANDIDATES, bias, graph.unit_value, steps, thorough, self.stop)
            else:
                shares = (0.0, 1.0) if flat else (SHARE_NEW, SHARE_FLAT)
                steps, tries = max(1, round(sweeps * len(nodes))), 1 if flat else TRIES
                state = np.random.SeedSequence([seed, part]).generate_state(1, np.uint64)
                how = bias, graph.unit_value, temperature, not flat, tries, steps, state, self.stop
                counted = chain(*args, *shares, *how)
            return entities.label[nodes], counted

        jobs = [(nodes, self.pool.submit(work, part, nodes)) for part, nodes in enumerate(dealt) if len(nodes)]
        self._wait([job for _, job in jobs], deadline)
        out, total, first = np.empty(graph.n, dtype=np.int32), np.zeros(5, dtype=np.int64), 0
        for nodes, job in jobs:
            found, counted = job.result()
            out[nodes] = found + first
            first += len(nodes)
            total += counted
        return out, MoveCounts(*total.tolist())

    def _wait(self, jobs: list[Any], deadline: float | None) -> None:
        """Until all are done; at the deadline they stop at once, with what they have."""
        left = None if deadline is None else min(max(0.0, deadline - time.monotonic()), threading.TIMEOUT_MAX)
        if wait(jobs, left, FIRST_EXCEPTION).not_done:
            self.stop[0] = self.stop[0] or STOP_TIME
            wait(jobs)

    @property
    def interrupted(self) -> bool:
        return bool(self.stop[0] == STOP_INTERRUPTED)


Level = Literal["mentions", "entities", "sub-entities", "cycle"]
Stopped = Literal["converged", "rounds", "time", "interrupted"]
Hierarchy = Literal["combined", "sub", "super", "flat"]

_BLOCKS: tuple[Level, ...] = ("mentions", "entities", "mentions", "entities", "mentions", "sub-entities")
CYCLES: dict[str, tuple[Level, ...]] = {
    "combined": _BLOCKS,
    "sub": _BLOCKS,
    "super": ("mentions",),
    "flat": ("mentions",),
}
"""Fix two levels, sample the third; entities as blocks are sub-entities that fill their entity."""

FALLING = (2.5, 2.5, 1.8, 1.8, 1.3, 1.3)
"""Factors of the bias in the first rounds from singletons: the most similar mentions are joined first, as in
agglomerative clustering, and mentions that share one rare word by chance are not."""


class Schedule:
    """A temperature, or one that falls geometrically from a start to an end over the run.

    >>> [round(Schedule((4.0, 0.25)).at(done), 2) for done in (0.0, 0.5, 1.0)]
    [4.0, 1.0, 0.25]
    >>> Schedule(0.0).at(0.3)
    0.0
    """

    def __init__(self, temperature: float | Sequence[float]) -> None:
        given = (temperature, temperature) if isinstance(temperature, Real) else tuple(np.atleast_1d(temperature))
        real = len(given) == 2 and all(isinstance(t, Real) and 0 <= float(t) < float("inf") for t in given)
        if not real or (given[0] != given[1] and min(given) <= 0):
            wanted = "0 (only moves that gain), a positive number, or a start and an end, both positive, as in (4, 0.1)"
            raise errors.bad_parameter("temperature", temperature, wanted)
        self.start, self.end = map(float, given)

    def at(self, done: float) -> float:
        """The temperature when a share of the run is done."""
        if self.start == self.end:
            return self.start
        return self.start * (self.end / self.start) ** min(max(done, 0.0), 1.0)


@dataclass(frozen=True)
class Round:
    """Record of one round; `history_` holds these."""

    number: int
    level: Level
    seconds: float
    """Since the run began, earlier sittings included."""
    energy: float
    entities: int
    proposed: int
    evaluated: int
    accepted: int
    temperature: float


Labels = npt.NDArray[np.int32]


def partitions_for(n: int) -> int:
    """How many partitions n nodes are dealt to, whatever machine they are on: one, two from 5,000 on, then as √n.

    With more of them those that belong together meet in fewer rounds; with fewer each is larger.

    >>> [partitions_for(n) for n in (4_000, 5_000, 200_000, 1_500_000, 40_000_000)]
    [1, 2, 4, 11, 57]
    """
    return 1 if n < 5_000 else max(2, round((n / 12_500) ** 0.5))


@dataclass(frozen=True)
class Plan:
    """Settings of a run, apart from its length."""

    bias: float
    hierarchy: str = "combined"
    informed: bool = True
    temperature: Schedule = field(default_factory=lambda: Schedule(0.0))
    sub_bias: float = 0.0
    united_bias: float | None = None
    """The bias between united bags; None moves blocks in the flat model."""
    falling: bool = False
    """Whether the first rounds have a larger bias."""
    thorough: bool = False
    """Whether best moves look at every node, as they have to if what they begin with may hold too much in one."""
    clash: float = 0.0
    """The part of the bias that names which agree get back."""
    sweeps: float = 1.0
    tolerance: float = 1e-4
    seed: int = 0

    def converged(self, energies: Sequence[float], back: int, temperature: float, levels: int = 1) -> bool:
        """Return whether the last `back` rounds, of so many levels each, raised S by next to nothing.

        Only best moves converge. Above temperature 0 S falls while the run is hot, and flat proposals gain at random.
        """
        first = math.ceil(len(FALLING) * self.falling / levels)
        if temperature > 0 or not self.informed or len(energies) <= back + first:
            return False
        return energies[-1] - energies[-1 - back] <= self.tolerance * abs(energies[-1])


@dataclass
class PairRun:
    """State of a run over a graph; `go` does rounds until a limit or convergence."""

    graph: FactorGraph
    plan: Plan
    labels: Labels
    progress: Progress
    rounds: int = 0
    seconds: float = 0.0
    history: list[Round] = field(default_factory=list)
    best: Labels = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    best_energy: float = -math.inf
    threads: int = 1

    def __post_init__(self) -> None:
        self.began = time.monotonic() - self.seconds
        self.labels = entity_blocks(self.labels)
        self.dot, self.pairs = self.graph.sums(self.labels)
        needed = self.plan.informed or "sub-entities" in CYCLES[self.plan.hierarchy]
        self.postings = Postings.of(self.graph, self.threads) if needed else None
        if len(self.best):
            self.best_energy = self.graph.energy(self.best, self.plan.bias)
        self._keep_best()

    @property
    def energy(self) -> float:
        return self.graph.value(self.dot, self.pairs, self.plan.bias) + self.graph.soft_sum(self.labels)

    @property
    def saved(self) -> tuple[int, Labels, Labels]:
        """Content of a checkpoint: rounds, the labels after them, and the best."""
        return self.rounds, self.labels, self.best

    def neighbours(self, seed: int) -> Neighbours:
        if not self.plan.informed:
            return np.zeros((self.graph.n, 0), dtype=np.int32)
        return self._drawn(seed)

    def _drawn(self, seed: int) -> Neighbours:
        assert self.postings is not None
        return with_partners(self.postings.draw(seed, self.threads), self.graph.rows, seed)

    def go(
        self,
        engine: Workers,
        rounds: int,
        time_limit: float | None,
        after_round: Callable[[PairRun], None] | None = None,
    ) -> Stopped:
        """Rounds until `rounds` are done in all, the seconds are used up, or the last ones gained next to nothing."""
        before = self.seconds
        deadline = None if time_limit is None else time.monotonic() + time_limit
        while self.rounds < rounds:
            if deadline is not None and time.monotonic() >= deadline:
                return "time"
            done = self.rounds / max(rounds - 1, 1)
            if time_limit is not None:
                done = max(done, (time.monotonic() - self.began) / (before + time_limit))
            self._round(engine, self.plan.temperature.at(done), deadline)
            self._tell(rounds, deadline)
            if after_round is not None:
                after_round(self)
            if engine.stop[0]:
                return "interrupted" if engine.interrupted else "time"
            if self._converged():
                return "converged"
        return "rounds"

    def _converged(self) -> bool:
        energies = [each.energy for each in self.history]
        return self.plan.converged(energies, len(CYCLES[self.plan.hierarchy]), self.history[-1].temperature)

    def _round(self, engine: Workers, temperature: float, deadline: float | None) -> None:
        cycle = CYCLES[self.plan.hierarchy]
        level = cycle[self.rounds % len(cycle)]
        state = np.random.SeedSequence([self.plan.seed, self.rounds]).generate_state(1, np.uint64)
        seed = int(state[0] >> np.uint64(1))
        how: dict[str, Any] = {"temperature": temperature, "sweeps": self.plan.sweeps, "seed": seed,
                               "thorough": self.plan.thorough, "deadline": deadline}  # fmt: skip
        if level == "mentions":
            self.labels, counts = engine.run(self.graph, self.labels, self.neighbours(seed), self._bias_now, **how)
        else:
            blocks = entity_blocks(self.labels)
            if level == "sub-entities":
                blocks = self._sub_entities(engine, seed, deadline)
            counts = self._move_blocks(engine, blocks, how)
        if self.plan.united_bias is not None and level != "mentions":
            self.dot, self.pairs = self.graph.sums(self.labels)
        else:
            self.dot += counts.dot
            self.pairs += counts.pairs
        self.labels = entity_blocks(self.labels)
        self.rounds += 1
        self.seconds = time.monotonic() - self.began
        self._keep_best()
        entities = int(self.labels.max(initial=-1)) + 1
        self.history.append(Round(self.rounds, level, self.seconds, self.energy, entities, *counts[:3], temperature))

    @property
    def _bias_now(self) -> float:
        falling = FALLING if self.plan.falling else ()
        times = falling[self.rounds] if self.rounds < len(falling) else 1.0
        return self.plan.clash + (self.plan.bias - self.plan.clash) * times

    def _sub_entities(self, engine: Workers, seed: int, deadline: float | None) -> Labels:
        """Groups inside entities, at a higher bias: best moves from singletons among neighbours of the same entity."""
        inside = within_entities(self._drawn(seed), self.labels)
        alone = np.arange(self.graph.n, dtype=np.int32)
        subs, _ = engine.run(self.graph, alone, inside, self.plan.sub_bias, seed=seed, deadline=deadline)
        # A round that was cut short, or a new entity's number, may not cross entities.
        return entity_blocks(self.labels.astype(np.int64) * self.graph.n + entity_blocks(subs))

    def _move_blocks(self, engine: Workers, blocks: Labels, how: dict[str, Any]) -> MoveCounts:
        graph, bias = self.graph.contract(blocks), self._bias_now
        if self.plan.united_bias is not None:
            graph, bias = united(graph), self.plan.united_bias
        near = np.zeros((graph.n, 0), dtype=np.int32)
        if self.plan.informed:
            near = lift(self.neighbours(how["seed"]), blocks, BLOCK_WIDTH, how["seed"], self.threads)
        entity = np.empty(graph.n, dtype=np.int32)
        entity[blocks] = self.labels
        moved, counts = engine.run(graph, entity, near, bias, **how)
        self.labels = moved[blocks]
        return counts

    def _keep_best(self) -> None:
        energy = self.energy
        if energy >= self.best_energy:
            self.best, self.best_energy = self.labels, energy

    def _tell(self, rounds: int, deadline: float | None) -> None:
        last = self.history[-1]
        accepted = last.accepted / max(last.proposed, 1)
        some = self.history[-1 - len(CYCLES[self.plan.hierarchy]) :]
        each = (last.seconds - some[0].seconds) / (len(some) - 1) if len(some) > 1 else last.seconds
        left = (rounds - last.number) * each
        if deadline is not None:
            left = max(0.0, min(left, deadline - time.monotonic()))
        self.progress.start(
            f"round {last.number} ({last.level}): energy {last.energy:,.1f}, {last.entities:,} entities, "
            f"{accepted:.0%} accepted, ≤ {left:.0f} s left",
            rounds,
        )
        self.progress.advance(last.number)
