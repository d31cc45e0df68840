"""Base of the estimators over millions of mentions: input checks, row order, start labels and checkpoints."""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags

from crossdoc import errors
from crossdoc.cluster.baselines import with_constraints
from crossdoc.cluster.estimator_inputs import check_number, check_seed, validated
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.mention_rows import check_memory, checked_rows, name_codes, row_order
from crossdoc.cluster.sampling.pair_moves import best_moves
from crossdoc.cluster.sampling.pair_run import Round
from crossdoc.files import whole_file
from crossdoc.model import Partition, Vectors
from crossdoc.model.constraints import Constraints
from crossdoc.progress import Progress, Quiet

CHECKPOINT_VERSION = 1
MOST_STATE_BYTES = 1 << 26
"""Bytes of a checkpoint without its labels."""
ROUND = {field.name for field in fields(Round)}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Labels of the nodes now and at the best energy so far (by bags, which are settled), after so many rounds."""

    corpus: str
    settings: str
    rounds: int
    seconds: float
    labels: npt.NDArray[np.int32]
    best: npt.NDArray[np.int32]
    history: list[Round]

    def save(self, path: Path) -> None:
        state = {"version": CHECKPOINT_VERSION, "corpus": self.corpus, "settings": self.settings, "rounds": self.rounds,
                 "seconds": self.seconds, "history": [asdict(each) for each in self.history]}  # fmt: skip
        with whole_file(path) as stream:
            np.savez(stream, told=np.array(json.dumps(state)), labels=self.labels, best=self.best)

    @classmethod
    def load(cls, path: Path, corpus: str, settings: str, n: int) -> Checkpoint:
        """Read a checkpoint of n nodes and refuse one of another corpus or other settings, or that is none at all."""
        if not path.is_file():
            raise errors.no_such_path(path)
        try:
            with zipfile.ZipFile(path) as packed:
                if sum(part.file_size for part in packed.infolist()) > 8 * n + MOST_STATE_BYTES:
                    raise errors.not_a_checkpoint(path, "it holds more than its corpus needs")
            with np.load(path, allow_pickle=False) as archive:
                state = json.loads(str(archive["told"]))
                if not isinstance(state["history"], list) or not all(map(_is_round, state["history"])):
                    raise errors.not_a_checkpoint(path, "its rounds cannot be read")
                history = [Round(**each) for each in state["history"]]
                found = cls(state["corpus"], state["settings"], state["rounds"], state["seconds"], archive["labels"],
                            archive["best"], history)  # fmt: skip
        except errors.CrossdocError:
            raise
        except Exception as error:
            raise errors.not_a_checkpoint(path, "it cannot be read, or is not whole") from error
        if state.get("version") != CHECKPOINT_VERSION:
            raise errors.not_a_checkpoint(path, f"its version is {state.get('version')}, not {CHECKPOINT_VERSION}")
        if found.corpus != corpus:
            raise errors.other_checkpoint(path, "another corpus, or of other weights")
        if found.settings != settings:
            raise errors.other_checkpoint(path, "other settings")
        if not found._fits(n):
            raise errors.not_a_checkpoint(path, "its numbers do not fit together")
        return found

    def _fits(self, n: int) -> bool:
        """Whether every label is that of a node: the kernels look places up by them unasked."""
        for labels in (self.labels, self.best):
            if labels.dtype != np.int32 or labels.shape != (n,) or (n and not 0 <= labels.min() <= labels.max() < n):
                return False
        kinds = (self.rounds, int), (self.seconds, (int, float))
        if not all(isinstance(value, kind) and not isinstance(value, bool) for value, kind in kinds):
            return False
        return self.rounds >= 0 and 0 <= self.seconds < 1e12


def _is_round(record: Any) -> bool:
    """Return whether a record has the fields of a round: `level` a text, everything else a number."""
    if not isinstance(record, dict) or record.keys() != ROUND:
        return False
    numbers = (value for name, value in record.items() if name != "level")
    return isinstance(record["level"], str) and all(isinstance(value, int | float) for value in numbers)


def corpus_fingerprint(graph: FactorGraph) -> str:
    """The same rows, names and constraints give the same one."""
    rows = graph.rows
    arrays = [rows.start, rows.cells, rows.size, rows.limit_start, rows.limit_other, rows.limit_weight]
    return fingerprint(arrays + [rows.query_cells] * (rows.query_cells is not rows.cells))


def fingerprint(arrays: Iterable[npt.NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


SECONDS_BETWEEN_CHECKPOINTS = 60.0
LARGEST_FLOAT = float(np.finfo(np.float64).max)

Names = Sequence[str] | npt.NDArray[Any]


class MentionRun(Protocol):
    """State of a search that a checkpoint can keep."""

    seconds: float
    history: list[Round]

    @property
    def saved(self) -> tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Rounds done, the labels after them, and the run's second array (see `Checkpoint`)."""


class MentionClusterer(ClusterMixin, BaseEstimator):
    """Parameters and steps that `SamplingClustering` and `BagClustering` share."""

    max_iter: int
    time_limit: float | None
    tol: float
    threads: int | None
    partitions: int | None
    start: str | npt.NDArray[Any]
    random_state: int
    checkpoint: str | os.PathLike[str] | None
    resume: bool
    progress: Progress | None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        if isinstance(self.start, str) and self.start not in ("singletons", "names"):
            raise errors.unknown_choice("start", self.start, ["singletons", "names"])
        check_seed(self.random_state)
        for name, lowest in (("max_iter", 0), ("threads", 1), ("partitions", 1)):
            if (value := getattr(self, name)) is not None or name == "max_iter":
                check_number(name, value, f"a whole number of {lowest} or more", lowest, whole=True)
        if self.resume and self.checkpoint is None:
            raise errors.resume_without_checkpoint()
        self._check_finite("time_limit", "tol", low=0.0)

    def _check_finite(self, *names: str, low: float = -LARGEST_FLOAT) -> None:
        """Refuse parameters that are neither None nor finite numbers of at least `low`."""
        wanted = "a finite number" + (" of 0 or more" if low == 0 else "")
        for name in names:
            if (value := getattr(self, name)) is not None:
                check_number(name, value, wanted, low, LARGEST_FLOAT)

    @property
    def _n_threads(self) -> int:
        return self.threads or os.cpu_count() or 1

    @property
    def _report(self) -> Progress:
        return self.progress or Quiet()

    @property
    def _from_singletons(self) -> bool:
        return isinstance(self.start, str) and self.start == "singletons"

    def _read(
        self, X: Vectors | sparse.csr_matrix | npt.NDArray[Any], names: Names | None, constraints: Constraints | None
    ) -> tuple[sparse.csr_matrix, npt.NDArray[Any] | None, Constraints]:
        """Check the input; return the rows as given, and names and constraints in the order of `_order`."""
        self._check_parameters()
        if names is None and isinstance(self.start, str) and self.start == "names":
            raise errors.start_without_names()
        matrix = checked_rows(validated(self, X, errors.bad_vectors, accept_sparse=True))
        n = matrix.shape[0]
        limits = constraints or Constraints.none(n)
        check_memory(n, matrix.nnz)
        _report_compilation(self._report)
        if limits.n != n:
            raise errors.constraints_of_other_rows(limits.n, n)
        self._order = row_order(matrix, names)
        limits = limits.restrict(self._order)
        limits = replace(limits, group=renumber(limits.group))
        return matrix, None if names is None else np.asarray(names, dtype=object)[self._order], limits

    def _start_labels(self, node: npt.NDArray[Any], names: Any, limits: Constraints) -> npt.NDArray[np.int32]:
        """Return the first labels of the nodes, changed where they break a constraint."""
        first = np.unique(node, return_index=True)[1]
        if self._from_singletons:
            return np.arange(len(first), dtype=np.int32)
        if isinstance(self.start, str):
            labels = label_by_code(name_codes(names)[0])
        else:
            labels = np.asarray(self.start)
            if labels.shape != node.shape or labels.dtype.kind not in "iuU":
                raise errors.bad_start(len(node))
            labels = labels[self._order]
        return renumber(with_constraints(renumber(labels), limits)[first])

    def _set_answer(self, labels: npt.NDArray[np.int32], memberships: sparse.csr_matrix) -> None:
        """Set `labels_` and `partition_` in the caller's row order, clusters numbered by their first rows."""
        place = np.argsort(self._order)
        before = labels[place]
        self.labels_: npt.NDArray[np.int32] = renumber(before) if len(before) else before
        column = np.zeros(memberships.shape[1], dtype=np.int64)
        column[self.labels_] = before
        self.partition_ = Partition([str(i) for i in range(len(place))], memberships[place][:, column])

    # -- checkpoints -------------------------------------------------------------------------------------------------

    def _settings(self) -> str:
        """Return what the course of a run depends on, apart from its length."""
        raise NotImplementedError

    def _saved_run(self, corpus: str, nodes: int) -> Checkpoint | None:
        """Return the run to resume, if there is one; `corpus` is the fingerprint of the input."""
        self._corpus = corpus
        if not self.resume or self.checkpoint is None or not Path(self.checkpoint).exists():
            return None
        return Checkpoint.load(Path(self.checkpoint), corpus, self._settings(), nodes)

    def _saver(self) -> Callable[[MentionRun], None] | None:
        last = time.monotonic()

        def save(run: MentionRun) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS_BETWEEN_CHECKPOINTS:
                self._save(run)
                last = time.monotonic()

        return None if self.checkpoint is None else save

    def _save(self, run: MentionRun) -> None:
        if self.checkpoint is not None:
            rounds, labels, best = run.saved
            state = rounds, run.seconds, labels, best, run.history[:rounds]
            Checkpoint(self._corpus, self._settings(), *state).save(Path(self.checkpoint))


def label_by_code(code: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Label rows by the codes of their names; a row without a name (−1) is alone.

    >>> label_by_code(np.array([0, -1, 0, -1], dtype=np.int32)).tolist()
    [0, 2, 0, 4]
    """
    return np.where(code >= 0, code.astype(np.int64), int(code.max(initial=-1)) + 1 + np.arange(len(code)))


def _report_compilation(progress: Progress) -> None:
    """Report that the kernels are compiled, unless numba's cache has them."""
    if best_moves.signatures:
        return
    cached = Path(best_moves._cache.cache_path)
    if not any(cached.glob("pair_moves.best_moves-*.nbi")):
        progress.start("compiling the sampler, which happens once and takes about a minute")
