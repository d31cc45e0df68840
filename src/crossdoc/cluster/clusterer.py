"""Methods of clustering as a run sees them: their input, their scope, and how their estimator is called.

A `Method` is the registry's entry; a `Clusterer` is a method with its parameters, ready to partition evidence.

Evidence → Partition: the parts a method works on, each clustered by itself, on all cores.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_type_hints

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, TypeAdapter, ValidationError
from scipy import sparse

from crossdoc import errors
from crossdoc.engine import Engine
from crossdoc.model import Evidence, Partition
from crossdoc.progress import Progress, Quiet

Takes = Literal["relations", "vectors", "names", "nothing"]
Scope = Literal["component", "block", "type"]
MAX_ROWS = 20_000
EVEN = 0.5
"""The strength at which a pair is as usual for one entity as for two: where a method joins unless it learned better."""

RUNS_OWN = ("checkpoint", "resume", "progress")
"""Parameters of estimators that only a run sets."""

FORMER_PARAMETERS = {
    ("sampling", "model"): "; the bag model is a method of its own now (--method bags)",
    ("mean-max-linkage", "share"): "; it is ½ (0 is --method single-linkage, 1 average-linkage)",
    ("sampling", "samples"): "; samples are drawn no longer",
}
"""By method and former parameter, what to use instead."""
SCOPES: dict[Scope, str] = {
    "component": "works on groups of profiles connected by agreeing names, and forms no identity across groups",
    "block": "works block by block, and forms no identity across names without a common blocking key",
    "type": "works on all profiles of a type at once",
}


@dataclass(frozen=True)
class Work:
    """The circumstances of a run, which the answer does not depend on (but for time limits)."""

    max_rows: int = MAX_ROWS
    """The most rows of which all pairs are compared."""
    threads: int = 0
    """0 is one a core."""
    progress: Progress = field(default_factory=Quiet)
    checkpoint: Path | None = None
    """Checkpoint of a method that can resume."""
    resume: bool = False
    engine: Engine | None = None
    """Engine that runs rounds of sampling; None is this process."""


@dataclass(frozen=True)
class Answer:
    """Result of a clusterer: memberships (rows × clusters), facts and notes."""

    membership: sparse.csr_matrix
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Input of the method's `notes_from`, which sees the facts of all parts."""
    notes: tuple[str, ...] = ()


Fit = Callable[[Any, Evidence, Work], Answer]


def fit_to_relations(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    """Fit to all pairs, or only to candidates if there are too many."""
    if len(evidence) <= work.max_rows:
        fitted = estimator.fit(evidence.relations(), constraints=evidence.limits)
        return Answer(fitted.partition_.membership)
    candidates = evidence.candidates()
    fitted = estimator.fit(candidates, constraints=evidence.constraints)
    pairs = f"{len(candidates):,} pairs whose names agree"
    note = f"a component of {len(evidence):,} profiles: only the {pairs} were compared"
    return Answer(fitted.partition_.membership, notes=(note,))


def fit_to_vectors(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    return Answer(estimator.fit(evidence.vectors, constraints=evidence.limits).partition_.membership)


DEFAULT_FITS: dict[Takes, Fit] = {"relations": fit_to_relations, "vectors": fit_to_vectors}


@dataclass(frozen=True)
class Method:
    """A method of clustering, by the name a user calls it.

    Parameters
    ----------
    name : str
        The name that users write.
    about : str
        One sentence that describes it.
    takes : {"relations", "vectors", "names", "nothing"}
        The part of the evidence that it uses.
    scope : {"component", "block", "type"}
        The rows of one call: the rows that candidates connect (component), a block, or all rows of a type.
    estimator : Callable[[], type[Any]]
        Gives the scikit-learn estimator behind it; called when needed, since importing one takes long.
    threshold : str or None, default None
        The estimator's parameter that is the strength at which two clusters are one, if it has one.
    joins : Callable[[mapping[str, Any]], bool], optional
        Whether the threshold counts, given the other parameters.
    max_rows : int or None, default None
        Maximum number of rows that it takes at a time, if it has a limit of its own.
    fixed : mapping[str, Any], optional
        Parameters that make the estimator this method.
    usual : mapping[str, Any], optional
        Defaults of a run in place of the estimator's own.
    from_evidence : Callable[[Evidence], mapping[str, Any]], optional
        Parameters that the evidence knows best, where a user gave none.
    fit : callable or None, default None
        Builds X from the evidence and calls the estimator; left out: its relations or vectors as they are.
    notes_from : Callable[[Sequence[mapping[str, Any]]], list[str]], optional
        Notes on a run, from the facts of each part.
    start : str or None, default None
        The estimator's parameter that takes labels to begin with, if it can go on from an earlier answer; a
        method that cannot is run in full on the parts of a collection that a change touches.
    soft : bool, default True
        Whether soft judgements count.
    signed : bool, default False
        Whether strengths may be weights below 0.
    resumable : bool, default False
        Whether it can continue from a checkpoint.

    Examples
    --------
    >>> from crossdoc.cluster.hierarchical import LinkageClustering as Linkage
    >>> mine = Method("mine", "Average link.", "relations", "component", lambda: Linkage, threshold="threshold")
    >>> mine.name, mine.resumable
    ('mine', False)
    """

    name: str
    about: str
    takes: Takes
    scope: Scope
    estimator: Callable[[], type[Any]]
    threshold: str | None = None
    joins: Callable[[Mapping[str, Any]], bool] = lambda parameters: True
    max_rows: int | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    usual: Mapping[str, Any] = field(default_factory=dict)
    from_evidence: Callable[[Evidence], Mapping[str, Any]] = lambda evidence: {}
    fit: Fit | None = None
    notes_from: Callable[[Sequence[Mapping[str, Any]]], list[str]] = lambda facts: []
    start: str | None = None
    soft: bool = True
    signed: bool = False
    resumable: bool = False

    @property
    def compares(self) -> bool:
        """Whether it uses more than names."""
        return self.takes in ("relations", "vectors")

    @property
    def adds(self) -> str:
        """How what is added to an answer is placed.

        >>> from crossdoc.cluster.methods import method_named
        >>> method_named("sampling").adds
        'are placed by continuing from the present answer'
        """
        if self.start is not None:
            return "are placed by continuing from the present answer"
        touched = {"component": "components of profiles", "block": "blocks", "type": "types"}[self.scope]
        return f"are placed by a full run of the method on the {touched} that they affect"

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Parameters that a user may set: the estimator's, except those that make it this method."""
        known = inspect.signature(self.estimator()).parameters
        return {name: known[name] for name in known if name not in self.fixed and name not in RUNS_OWN}

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters by name, each of its type; or a message that names the right ones.

        >>> from crossdoc.cluster.methods import method_named
        >>> method_named("karc").checked({"variant": "paper", "m": "1.8"})
        {'variant': 'paper', 'm': 1.8}
        """
        types = get_type_hints(self.estimator().__init__)  # type: ignore[misc]
        problems, values = [], {}
        for name, value in given.items():
            if name not in self.parameters:
                hint = FORMER_PARAMETERS.get((self.name, name), "")
                problems.append(f"{name}: there is no such parameter, only {', '.join(self.parameters)}{hint}")
                continue
            adapter = TypeAdapter(types.get(name, Any), config=ConfigDict(arbitrary_types_allowed=True))
            try:
                values[name] = adapter.validate_python(value)
            except ValidationError as error:
                message = " or ".join(dict.fromkeys(each["msg"].lower() for each in error.errors()))
                problems.append(f"{name}: {message} (not {value!r})")
        if problems:
            raise errors.bad_settings(f"The parameters of {self.name} are not right", problems)
        return values


@dataclass(frozen=True)
class Clusterer:
    """A method with its parameters; a run fills in what is not among them."""

    method: Method
    parameters: Mapping[str, Any]

    def __post_init__(self) -> None:
        check = getattr(self.estimator({}), "_check_parameters", None)
        if check is not None:
            check()

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def threshold(self) -> str | None:
        """The parameter that is the strength at which it joins, if that counts."""
        return self.method.threshold if self.method.joins(self.parameters) else None

    def filled(self, values: Mapping[str, Any], *, over: bool = False) -> Clusterer:
        """With values for parameters that were not given, or (`over`) in place of those that were."""
        known = {name: value for name, value in values.items() if name in self.method.parameters}
        return replace(self, parameters={**self.parameters, **known} if over else {**known, **self.parameters})

    def estimator(self, filled: Mapping[str, Any]) -> Any:
        """A new estimator; what the run fills in counts where nothing was given and the estimator has it."""
        known = self.method.parameters
        own = {name: value for name, value in {**self.method.usual, **filled}.items() if name in known}
        return self.method.estimator()(**{**own, **self.parameters, **self.method.fixed})

    def partition(self, evidence: Evidence, work: Work | None = None, **filled: Any) -> Answer:
        """Memberships of the rows of the evidence, and what there is to say of them."""
        work = work or Work()
        most = min(work.max_rows, self.method.max_rows or work.max_rows)
        work = replace(work, max_rows=most)
        if len(evidence) > most and self.method.scope == "block":
            others = ["average-linkage", "correlation", "sampling"]
            raise errors.too_many(len(evidence), "profiles of one block", f"the method {self.name}", most, others)
        fit = self.method.fit or DEFAULT_FITS[self.method.takes]
        # Only candidates of a large component are compared, but they may still fill a matrix.
        rows = max(most, MAX_ROWS) if self.method.scope == "component" else most
        filled = {"max_block": rows, **self.method.from_evidence(evidence), **filled}
        return fit(self.estimator(filled), evidence, work)


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
    partition = Partition(evidence.ids, stacked(len(evidence), parts, [answer.membership for answer in answers]))
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
    pool = ThreadPoolExecutor(threads)
    try:
        yield from (done.result() for done in as_completed([pool.submit(solve, number) for number in waiting]))
    finally:
        # A failure or Ctrl-C does not wait for parts that have not started.
        pool.shutdown(cancel_futures=True)


def stacked(n: int, parts: Sequence[Rows], memberships: Sequence[sparse.csr_matrix]) -> sparse.csr_matrix:
    """One matrix of all parts: each has clusters of its own."""
    alone = ALONE_ANSWER.membership.tocoo()
    cells = [alone if each is ALONE_ANSWER.membership else each.tocoo() for each in memberships]
    widths = np.array([each.shape[1] for each in cells], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(widths)])
    rows = np.concatenate([np.zeros(0, np.int64), *(part[each.row] for part, each in zip(parts, cells, strict=True))])
    columns = np.concatenate([np.zeros(0, np.int64), *(each.col + at for each, at in zip(cells, first, strict=False))])
    values = np.concatenate([np.zeros(0), *(each.data for each in cells)])
    return sparse.csr_matrix((values, (rows, columns)), shape=(n, int(first[-1])))
