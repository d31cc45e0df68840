"""Rounds over partitions, on any engine: the driver holds references and counts, never the rows.

A round is one shuffle: a task unites the pieces that were dealt to it, runs its kernels, and assigns its entities again
(Singh et al. 2011, section 3.2, where this is a job of MapReduce). Nodes are counted after each. Labels are
saved now and then, so that a run continues after a machine, or the driver, is lost.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from crossdoc import errors
from crossdoc.cluster.sampling.pair_shards import StageCounts
from crossdoc.cluster.sampling.shards import Ints, Shard
from crossdoc.engine import Engine, Lost, Ref
from crossdoc.files import whole_file
from crossdoc.progress import Progress

SECONDS_BETWEEN = 15.0
"""Seconds of work lost with the driver at most, plus one round."""
MOST_LOSSES = 100


class Model(Protocol):
    """Tasks of one model."""

    @property
    def parts(self) -> int: ...

    @property
    def cycles(self) -> int:
        """Rounds that a run has at most."""

    def stages(self, number: int) -> Sequence[Callable[..., tuple[list[Any], StageCounts]]]:
        """Return the tasks of a round, each over all partitions, given pieces, the number and the deadline."""

    def gather(self, held: Sequence[Any], *shared: Any) -> tuple[list[Any], StageCounts]: ...

    def deal(self, held: Sequence[Any], number: int, *shared: Any) -> tuple[list[Any], StageCounts]: ...

    def know(self, told: Sequence[Any], *shared: Any) -> Any:
        """The last of what all tasks share in the next round, from the last piece of each: what it had to tell."""

    def converged(self, history: Sequence[Cycle], tolerance: float) -> bool: ...

    @property
    def closing(self) -> Sequence[Callable[..., tuple[list[Any], StageCounts]]]:
        """Tasks after the last round, each over all partitions."""


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


@dataclass
class Rounds:
    """A run over partitions; `go` does rounds until nothing is gained, or time is up."""

    engine: Engine
    shards: Callable[[], list[Ref]]
    """The nodes as they were at the beginning, made when they are needed: again, if a machine is lost."""
    model: Model
    n: int
    progress: Progress
    folder: Path | None = None
    """Folder of saved labels, for `resume`."""
    tolerance: float = 1e-4
    shared: tuple[Ref, ...] = ()
    """Values that all tasks take in addition to their pieces; the last changes with each round."""
    scattered: bool = False
    """Whether an entity at the beginning may have nodes in several shards."""
    history: list[Cycle] = field(default_factory=list)
    losses: int = 0

    def __post_init__(self) -> None:
        self.shared_at_first = self.shared

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
                if late or len(self.history) >= cycles or self._converged():
                    self._keep(pieces, self.history)
                    return self.finish(pieces), "converged" if self._converged() else "time" if late else "rounds"
                pieces = self.step(pieces, began, deadline)
                if time.monotonic() - kept >= SECONDS_BETWEEN:
                    self._keep(pieces, self.history)
                    kept = time.monotonic()
            except Lost:
                self.losses += 1
                if self.losses > MOST_LOSSES:
                    raise
                pieces, resume = None, True
                continue
            self._tell(cycles)

    def step(
        self, pieces: list[list[Any]], began: float | None = None, deadline: float | None = None
    ) -> list[list[Any]]:
        """The next round, and the partitions of the one after it."""
        number, counts = len(self.history), list[list[StageCounts]]()
        for work in self.model.stages(number):
            pieces, told = self.round(work, pieces, number, deadline)
            counts.append(told)
        self.history.append(self._cycle(counts, time.monotonic() if began is None else began))
        return pieces

    def finish(self, pieces: list[list[Any]]) -> list[list[Any]]:
        """Run the closing tasks of the model."""
        for work in self.model.closing:
            pieces = self.round(work, pieces)[0]
        return pieces

    def round(
        self, work: Callable[..., Any], pieces: list[list[Any]], *arguments: Any
    ) -> tuple[list[list[Any]], list[StageCounts]]:
        tells, given = len(self.shared) > 0, self.engine.put((work, arguments))
        dealt, reports = self.engine.shuffle(_call, pieces, self.model.parts + tells, given, *self.shared)
        if tells:
            known = self.engine.map(_call, [dealt.pop()], self.engine.put((self.model.know, ())), *self.shared)
            self.shared = *self.shared[:-1], known[0]
        counts = [self.engine.get(each) for each in reports]
        if (found := sum(each.nodes for each in counts)) != self.n:
            raise errors.nodes_lost(self.n, found)
        return [[part, *held] for part, held in enumerate(dealt)], counts

    def begin(self, resume: bool) -> list[list[Any]]:
        """The partitions of the first round to do, with the labels that were kept."""
        self.history, self.shared = self._load() if resume else [], self.shared_at_first
        first = [[part, shard] for part, shard in enumerate(self.shards())]
        if self.history and self.folder is not None:
            files = sorted(map(str, (self.folder / f"{len(self.history):05}").glob("*.npy")))
            labelled = self.engine.map(_with_labels, [[shard] for _, shard in first], files)
            first = [[part, ref] for part, ref in enumerate(labelled)]
        if self.history or self.scattered:
            first = self.round(self.model.gather, first)[0]
        return self.round(self.model.deal, first, len(self.history))[0]

    def _cycle(self, stages: Sequence[Sequence[StageCounts]], began: float) -> Cycle:
        every, last = [each for counts in stages for each in counts], stages[-1]
        before = self.history[-1].seconds if self.history else 0.0
        return Cycle(
            len(self.history) + 1,
            max(time.monotonic() - began, before),
            sum(each.seconds for each in every),
            sum(max(each.seconds for each in counts) for counts in stages),
            sum(each.energy for each in last),
            sum(each.entities for each in last),
            sum(each.proposed for each in every),
            sum(each.moved for each in every),
            sum(each.bytes for each in every),
        )

    def _converged(self) -> bool:
        return self.model.converged(self.history, self.tolerance)

    def _tell(self, cycles: int) -> None:
        last = self.history[-1]
        self.progress.start(
            f"round {last.number} over {self.model.parts:,} partitions: {self.n:,} mentions in {last.entities:,} "
            f"entities, energy {last.energy:,.1f}, {last.moved:,} moved",
            cycles,
        )
        self.progress.advance(last.number)

    # -- on disk ---------------------------------------------------------------------------------------------------

    def _keep(self, pieces: list[list[Any]], history: Sequence[Cycle]) -> None:
        """Every partition writes its labels; the run is that round's when all have."""
        if self.folder is None:
            return
        place = self.folder / f"{len(history):05}"
        place.mkdir(parents=True, exist_ok=True)
        for ref in self.engine.map(_write_labels, pieces, str(place)):
            self.engine.get(ref)
        with whole_file(self.folder / "rounds.json") as stream:
            stream.write(json.dumps({"n": self.n, "history": [asdict(each) for each in history]}).encode())
        for old in self.folder.glob("[0-9]" * 5):
            if old != place:
                shutil.rmtree(old, ignore_errors=True)

    def _load(self) -> list[Cycle]:
        if self.folder is None or not (self.folder / "rounds.json").exists():
            return []
        kept = json.loads((self.folder / "rounds.json").read_text())
        if kept["n"] != self.n:
            raise errors.other_checkpoint(self.folder, "another corpus")
        return [Cycle(**each) for each in kept["history"]]


def _call(held: Any, what: tuple[Callable[..., Any], Sequence[Any]], *shared: Any) -> Any:
    work, arguments = what
    return work(held, *arguments, *shared)


def _write_labels(held: Sequence[Any], folder: str) -> None:
    part, *pieces = held
    rows = np.concatenate([np.stack([each.flat["node"], each.flat["label"]], axis=1) for each in pieces])
    with whole_file(Path(folder) / f"{part:05}.npy") as stream:
        np.save(stream, rows[np.argsort(rows[:, 0], kind="stable")])


def _with_labels(held: Sequence[Shard], files: Sequence[str]) -> Shard:
    """A shard with the labels that files have for its nodes; of each only the part is read that is asked for."""
    shard = held[0]
    node: Ints = shard.flat["node"]
    labels = node.copy()
    for path in files:
        rows = np.load(path, mmap_mode="r")
        first, last = np.searchsorted(rows[:, 0], [node.min(initial=0), node.max(initial=-1) + 1])
        some = np.array(rows[first:last])
        at = np.searchsorted(node, some[:, 0])
        inside = at < len(node)
        inside[inside] = node[at[inside]] == some[inside, 0]
        labels[at[inside]] = some[inside, 1]
    return shard.with_labels(labels)
