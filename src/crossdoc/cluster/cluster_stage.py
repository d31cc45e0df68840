"""Evidence → Partition: the parts a method works on, each clustered by itself, on all cores."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.clusterer import Answer, Clusterer, Work
from crossdoc.engine import LocalEngine
from crossdoc.model import Evidence, Partition
from crossdoc.progress import Quiet

Rows = npt.NDArray[np.int64]
ALONE_ANSWER = Answer(sparse.csr_matrix([[1.0]]))
LARGE_PART, SMALL_PART = 2_000, 50
"""Rows of a part: above, it is clustered by itself; below, most of its time is Python's, and threads only wait."""


@dataclass(frozen=True, slots=True)
class Clustered:
    """The partition of the profiles of one type, what there is to say of it, and how long it took."""

    partition: Partition
    notes: list[str]
    seconds: float = 0.0
    facts: list[Mapping[str, Any]] = field(default_factory=list)
    """Facts of its parts, for the method's notes."""
    remarks: list[str] = field(default_factory=list)
    """Notes of its parts."""


def cluster(
    evidence: Evidence,
    clusterer: Clusterer,
    work: Work | None = None,
    parts: Sequence[Rows] | None = None,
    **filled: Any,
) -> Clustered:
    """Cluster the rows of the evidence, part by part; `filled` are parameters that count where none were given.

    `parts` are the rows that are clustered together, if they were found before.

    Parts share nothing, so that the answer does not depend on how many are clustered at a time, unless a time limit
    ends the work on one (as of correlation clustering with a certificate, 10 or 60 seconds a part). Large parts come
    one after the other, since each takes its square in memory.
    """
    work = work or Work()
    begun = time.perf_counter()
    parts = parts_of(evidence, clusterer) if parts is None else parts
    work.progress.start(f"clustering {evidence.entity_type or 'profile'}s", len(evidence) if len(parts) > 1 else None)
    answers = _answers(evidence, parts, clusterer, work, filled)
    facts, remarks = [a.facts for a in answers if a.facts], [note for a in answers for note in a.notes]
    partition = Partition(evidence.ids, _stacked(len(evidence), parts, answers))
    notes = notes_on(clusterer, evidence.entity_type, facts, remarks)
    return Clustered(partition, notes, time.perf_counter() - begun, facts, remarks)


def notes_on(
    clusterer: Clusterer, entity_type: str | None, facts: Sequence[Mapping[str, Any]], remarks: Sequence[str]
) -> list[str]:
    """Return the notes on the profiles of a type, from the facts and remarks of all their parts."""
    return [f"{entity_type or 'profile'}s: {note}" for note in [*clusterer.method.notes_from(facts), *remarks]]


def parts_of(evidence: Evidence, clusterer: Clusterer) -> Sequence[Rows]:
    scope = clusterer.method.scope
    if scope == "type":
        return [np.arange(len(evidence))]
    return evidence.components() if scope == "component" else evidence.blocks()


def _answers(
    evidence: Evidence, parts: Sequence[Rows], clusterer: Clusterer, work: Work, filled: dict[str, Any]
) -> list[Answer]:
    """One answer a part; the largest parts are begun first, so that none is waited for at the end."""
    answers = [ALONE_ANSWER] * len(parts)
    whole = len(parts) == 1
    # A method that has everything to itself may use all threads and report on itself.
    inside = work if whole else replace(work, progress=Quiet(), threads=1)

    def solve(number: int) -> int:
        part = evidence if whole else evidence.part(parts[number])
        answers[number] = clusterer.partition(part, inside, **filled)
        return number

    waiting = [number for number in np.argsort([-len(rows) for rows in parts], kind="stable") if len(parts[number]) > 1]
    if not whole:
        work.progress.advance(len(parts) - len(waiting))
    first = sum(len(parts[number]) > LARGE_PART for number in waiting)
    last = sum(len(parts[number]) >= SMALL_PART for number in waiting)
    pooled = _done(solve, waiting[first:last], work.threads or os.cpu_count() or 1)
    for number in chain(map(solve, waiting[:first]), pooled, map(solve, waiting[last:])):
        work.progress.advance(len(parts[number]))
    return answers


def _done(solve: Any, waiting: Sequence[int], threads: int) -> Iterator[int]:
    if threads == 1 or len(waiting) < 2:
        yield from map(solve, waiting)
        return
    with LocalEngine(threads) as engine:
        # A failure or Ctrl-C does not wait for parts that have not started.
        refs = engine.map(solve, waiting)
        yield from (engine.get(refs[at]) for at in engine.done(refs))


def _stacked(n: int, parts: Sequence[Rows], answers: Sequence[Answer]) -> sparse.csr_matrix:
    """One matrix of all parts: each has clusters of its own."""
    alone = ALONE_ANSWER.membership.tocoo()
    cells = [alone if answer is ALONE_ANSWER else answer.membership.tocoo() for answer in answers]
    widths = np.array([each.shape[1] for each in cells], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(widths)])
    rows = np.concatenate([np.zeros(0, np.int64), *(part[each.row] for part, each in zip(parts, cells, strict=True))])
    columns = np.concatenate([np.zeros(0, np.int64), *(each.col + at for each, at in zip(cells, first, strict=False))])
    values = np.concatenate([np.zeros(0), *(each.data for each in cells)])
    return sparse.csr_matrix((values, (rows, columns)), shape=(n, int(first[-1])))
