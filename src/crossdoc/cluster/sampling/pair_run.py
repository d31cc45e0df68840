"""One run: rounds of the levels in turn until time, rounds or gains are used up; the best so far is always kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.hierarchy import entity_blocks, united, within_entities
from crossdoc.cluster.sampling.proposals import BLOCK_WIDTH, NEIGHBOUR_WIDTH, Neighbours, Postings, lift, with_partners
from crossdoc.cluster.sampling.workers import MoveCounts, Workers
from crossdoc.progress import Progress

Level = Literal["mentions", "entities", "sub-entities"]
Stopped = Literal["converged", "rounds", "time", "interrupted"]
Hierarchy = Literal["combined", "sub", "super", "flat"]
HIERARCHIES: tuple[Hierarchy, ...] = ("combined", "sub", "super", "flat")

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
        if len(given) != 2 or not all(isinstance(t, Real) and 0 <= float(t) < float("inf") for t in given):
            raise errors.bad_temperature(str(temperature))
        self.start, self.end = map(float, given)
        if self.start != self.end and min(given) <= 0:
            raise errors.bad_temperature(str(temperature))

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
        self.postings = Postings.of(self.graph, self.threads) if self.plan.informed else None
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
        if self.postings is None:
            return np.zeros((self.graph.n, 0), dtype=np.int32)
        return with_partners(self.postings.draw(seed, self.threads), self.graph.rows, seed)

    def go(
        self,
        engine: Workers,
        rounds: int,
        time_limit: float | None,
        after_round: Callable[[PairRun], None] | None = None,
    ) -> Stopped:
        """Rounds until `rounds` are done in all, the seconds are used up, or a full cycle gained next to nothing."""
        cycle = CYCLES[self.plan.hierarchy]
        before = self.seconds
        deadline = None if time_limit is None else time.monotonic() + time_limit
        while self.rounds < rounds:
            if deadline is not None and time.monotonic() >= deadline:
                return "time"
            done = self.rounds / max(rounds - 1, 1)
            if time_limit is not None:
                done = max(done, (time.monotonic() - self.began) / (before + time_limit))
            temperature = self.plan.temperature.at(done)
            self._round(engine, cycle[self.rounds % len(cycle)], temperature, deadline)
            self._tell(rounds, deadline)
            if after_round is not None:
                after_round(self)
            if engine.interrupted:
                return "interrupted"
            if engine.stop[0]:
                return "time"
            if self.plan.converged([each.energy for each in self.history], len(cycle), temperature):
                return "converged"
        return "rounds"

    def _round(self, engine: Workers, level: Level, temperature: float, deadline: float | None) -> None:
        seed = _round_seed(self.plan.seed, self.rounds)
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
        neighbours = self.neighbours(seed) if self.postings is not None else self._any_within(seed)
        inside = within_entities(neighbours, self.labels)
        alone = np.arange(self.graph.n, dtype=np.int32)
        subs, _ = engine.run(self.graph, alone, inside, self.plan.sub_bias, seed=seed, deadline=deadline)
        # A round that was cut short, or a new entity's number, may not cross entities.
        return entity_blocks(self.labels.astype(np.int64) * self.graph.n + entity_blocks(subs))

    def _any_within(self, seed: int) -> Neighbours:
        """Random other members of a node's entity, for runs without postings."""
        order = np.argsort(self.labels, kind="stable")
        starts = np.searchsorted(self.labels[order], np.arange(self.labels.max(initial=-1) + 2))
        size = np.diff(starts)[self.labels]
        drawn = np.random.default_rng(seed).random((self.graph.n, NEIGHBOUR_WIDTH))
        found = order[starts[self.labels][:, None] + (drawn * size[:, None]).astype(np.int64)].astype(np.int32)
        return np.where(found == np.arange(self.graph.n)[:, None], -1, found).astype(np.int32)

    def _move_blocks(self, engine: Workers, blocks: Labels, how: dict[str, Any]) -> MoveCounts:
        graph, bias = self.graph.contract(blocks, self.threads), self._bias_now
        if self.plan.united_bias is not None:
            graph, bias = united(graph), self.plan.united_bias
        near = np.zeros((graph.n, 0), dtype=np.int32)
        if self.postings is not None:
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


def _round_seed(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0] >> np.uint64(1))
