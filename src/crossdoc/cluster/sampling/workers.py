"""One round, as a pure function, and the threads that run it over disjoint sets of entities.

Workers get complete entities; a worker moves its own nodes among its own entities. `sample_round` takes arrays
and gives labels and counts, so that another engine can run it anywhere, unchanged. Its tables are built from the labels
at the start of each round: a few per cent of its time, and no state is shared.
"""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.sampling.entity_tables import NodeRows, entities_of
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.hierarchy import Meeting, deal, entity_blocks
from crossdoc.cluster.sampling.pair_moves import ACCEPTED, DOT, EVALUATED, PAIRS, PROPOSED, best_moves, chain
from crossdoc.cluster.sampling.proposals import Neighbours

SHARE_NEW, SHARE_FLAT = 0.05, 0.05
"""Informed proposals that try a new entity, and any entity, so that every partition can be reached."""
MOVE_CANDIDATES = 6
"""Entities that a best move compares."""
TRIES = 4
"""Proposals in a row for one node: its value in its own entity is computed once."""

Stop = npt.NDArray[np.int64]
"""One number that the kernels look at: 0 go on, or why to stop."""
STOP_TIME, STOP_INTERRUPTED = 1, 2


class Task(NamedTuple):
    """Settings of one worker in one round."""

    bias: float
    unit_value: float
    temperature: float
    greedy: bool
    """Best-move sweeps instead of Metropolis-Hastings."""
    steps: int
    """Proposals, or sweeps for best moves."""
    in_order: bool
    thorough: bool
    """Best moves look at nodes whose neighbours are all at home, too."""
    seed: int


class MoveCounts(NamedTuple):
    proposed: int
    evaluated: int
    accepted: int
    dot: int
    pairs: int

    def plus(self, other: MoveCounts) -> MoveCounts:
        return MoveCounts(*(a + b for a, b in zip(self, other, strict=True)))


NO_MOVES = MoveCounts(0, 0, 0, 0, 0)


def sample_round(
    rows: NodeRows,
    nodes: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    neighbours: Neighbours,
    task: Task,
    place: npt.NDArray[np.float64],
    here: npt.NDArray[np.bool_],
    stop: Stop,
) -> tuple[npt.NDArray[np.int32], MoveCounts]:
    """The new entities of some nodes, and what was counted; a round whose tables run out of room ends there.

    `labels` are the nodes' entities, numbered below len(nodes), and so are the new ones. `place` and `here` (of all
    nodes, or empty) keep several workers exact, see `moves.stays`. `stop[0]` other than 0 ends the round early.
    """
    entities = entities_of(rows, nodes, labels)
    state = np.array([task.seed], dtype=np.uint64)
    if task.greedy:
        how = MOVE_CANDIDATES, task.bias, task.unit_value, task.steps, task.thorough
        counted = best_moves(rows, entities, neighbours, *how, stop)
    else:
        shares = (SHARE_NEW, SHARE_FLAT) if neighbours.shape[1] else (0.0, 1.0)
        samples = np.zeros((0, 0), dtype=np.int32)
        counted = chain(
            rows, entities, neighbours, *shares, task.bias, task.unit_value, task.temperature, task.in_order,
            TRIES if task.in_order else 1, task.steps, place, here, state, stop, samples, 0,
        )  # fmt: skip
    counts = MoveCounts(*(int(counted[k]) for k in (PROPOSED, EVALUATED, ACCEPTED, DOT, PAIRS)))
    return entities.label[nodes], counts


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
        """One round: `sweeps` proposals for each node (or best-move sweeps); ends early at the deadline."""
        greedy = temperature == 0 and neighbours.shape[1] > 0
        exact = temperature > 0
        flat = neighbours.shape[1] == 0
        given = entity_blocks(labels)
        parts = max(1, min(self.parts, graph.n))
        dealt = deal(graph, given, parts, self.meeting, seed, exact=exact or flat, threads=self.threads)
        out = np.empty(graph.n, dtype=np.int32)
        jobs = []
        for part, nodes in enumerate(dealt.nodes):
            if not len(nodes):
                continue
            local = entity_blocks(given[nodes])
            here = dealt.worker == part if exact and parts > 1 else np.zeros(0, dtype=np.bool_)
            steps = max(1, round(sweeps)) if greedy else max(1, round(sweeps * len(nodes)))
            how = greedy, steps, not flat, thorough, _mixed(seed, part)
            task = Task(bias * graph.scaled_bias, graph.unit_value, temperature, *how)
            work = (graph.rows, nodes, local, neighbours, task, dealt.place, here, self.stop)
            jobs.append((nodes, self.pool.submit(sample_round, *work)))
        self._wait([job for _, job in jobs], deadline)
        total, first = NO_MOVES, 0
        for nodes, job in jobs:
            found, counts = job.result()
            out[nodes] = found + first
            first += len(nodes)
            total = total.plus(counts)
        return out, total

    def _wait(self, jobs: list[Any], deadline: float | None) -> None:
        """Until all are done; at the deadline they stop at once, with what they have."""
        left = None if deadline is None else min(max(0.0, deadline - time.monotonic()), threading.TIMEOUT_MAX)
        if wait(jobs, left, FIRST_EXCEPTION).not_done:
            self.stop[0] = self.stop[0] or STOP_TIME
            wait(jobs)

    @property
    def interrupted(self) -> bool:
        return bool(self.stop[0] == STOP_INTERRUPTED)


def _mixed(seed: int, part: int) -> int:
    """A seed for each part of each round."""
    return int(np.random.SeedSequence([seed, part]).generate_state(1, np.uint64)[0])
