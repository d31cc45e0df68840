"""Base of the estimators over millions of mentions: input checks, row order, start labels and checkpoints.

Rows of contexts with names as further columns, from which the factor graph is built.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import njit
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags

from crossdoc import errors
from crossdoc.cluster.baselines import with_constraints
from crossdoc.cluster.estimators import check_number, check_seed, checked_limits, validated
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling.pair_moves import best_moves
from crossdoc.cluster.sampling.pair_run import Round
from crossdoc.files import whole_file
from crossdoc.model import Partition, Vectors
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress, Quiet, free_bytes

Agreeing = Callable[[Sequence[str]], npt.ArrayLike]
"""Returns the pairs of n distinct names that can be one entity's, as sorted codes a·n + b, each name with itself
included."""


BYTES_PER_CELL = 34
"""8 for the rows, 8 for the blocks (at most as many cells again), 18 for tables: slots of 8 bytes, half full."""
BYTES_PER_NODE = 400


def check_memory(mentions: int, cells: int) -> None:
    """Refuse a job that needs more memory than is free."""
    needed, free = BYTES_PER_CELL * cells + BYTES_PER_NODE * mentions, free_bytes()
    if free is not None and needed > free:
        raise errors.too_little_memory(mentions, needed, free)


def checked_rows(X: Any) -> sparse.csr_matrix:
    """A matrix of finite numbers with sorted rows, or a message that says what is wrong with it."""
    given = X.matrix if isinstance(X, Vectors) else X
    try:
        matrix = sparse.csr_matrix(given)
    except (TypeError, ValueError) as error:
        raise errors.bad_vectors(f"they are not numbers ({error})") from error
    if matrix.dtype.kind not in "fiu":
        raise errors.bad_vectors(f"they are {matrix.dtype}, not numbers")
    if matrix.dtype != np.float32:
        matrix = matrix.astype(np.float32)
    if not np.isfinite(matrix.data).all():
        raise errors.bad_vectors("some are not finite (NaN or infinite)")
    if not matrix.has_canonical_format:
        matrix = matrix.copy() if matrix is given else matrix
        matrix.sum_duplicates()
    return matrix


def row_order(matrix: sparse.csr_matrix, names: Sequence[str] | npt.NDArray[Any] | None) -> npt.NDArray[np.int64]:
    """Rows by name and by a hash of what they hold, so that whatever is drawn at random is drawn whatever their order.

    >>> rows = sparse.csr_matrix(np.array([[1, 0], [0, 2], [1, 0]], dtype=np.float32))
    >>> row_order(rows, ["b", "b", "a"])[0]
    np.int64(2)
    """
    n = matrix.shape[0]
    rank = np.zeros(n, dtype=np.int64)
    if names is not None:
        code, distinct = checked_codes(names, n), name_codes(names)[1]
        place = np.empty(len(distinct) + 1, dtype=np.int64)
        place[sorted(range(len(distinct)), key=distinct.__getitem__)] = np.arange(len(distinct))
        place[-1] = -1
        rank = place[code]
    return np.lexsort((row_hashes(matrix.indptr, matrix.indices, matrix.data.view(np.uint32)), rank))


@njit(cache=True, nogil=True)
def row_hashes(start, feature, bits):  # type: ignore[no-untyped-def]
    """A number for each row that depends on its features and the bits of their values."""
    found = np.empty(len(start) - 1, dtype=np.uint64)
    for i in range(len(found)):
        z = np.uint64(0x9E3779B97F4A7C15)
        for c in range(start[i], start[i + 1]):
            z ^= (np.uint64(feature[c]) << np.uint64(32)) | np.uint64(bits[c])
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found[i] = z
    return found


def with_names(
    matrix: sparse.csr_matrix,
    names: Sequence[str] | npt.NDArray[Any] | None,
    weight: float,
    compatible: float = 0.0,
    agreeing: Agreeing | None = None,
) -> tuple[sparse.csr_matrix, sparse.csr_matrix | None]:
    """Stored rows, and query rows where they differ: query · stored = cos + weight·[same name] + compatible·[agree].

    A name is a column. If only the same name counts, its value is √weight on both sides, else it is 1 in the stored
    row, and the query row holds the weight of each name that agrees with it. An empty name is like no other. `agreeing`
    says which names agree, and is needed where `compatible` is above 0.
    """
    if names is None:
        return matrix, None
    code = checked_codes(names, matrix.shape[0])
    if not compatible:
        return named_rows(matrix, code, weight), None
    if agreeing is None:
        raise errors.needs_option("clash_weight", "agreeing=…, which tells which names agree")
    distinct = name_codes(names)[1]
    which = _one_column_a_name(code, len(distinct))
    agree = compatibility(distinct, agreeing).astype(np.float32) * np.float32(compatible)
    worth = agree + sparse.identity(len(distinct), dtype=np.float32, format="csr") * np.float32(weight)
    cells = np.diff(worth.indptr)[code[code >= 0]].sum()
    check_memory(matrix.shape[0], 2 * matrix.nnz + int(cells))
    return _beside(matrix, which), _beside(matrix, (which @ worth).tocsr())


def named_rows(matrix: sparse.csr_matrix, code: npt.NDArray[np.int32], weight: float) -> sparse.csr_matrix:
    """Append a column for each name, of value √weight."""
    if not weight or not (code >= 0).any():
        return matrix
    names = _one_column_a_name(code, int(code.max()) + 1)
    return _beside(matrix, names * np.float32(np.sqrt(weight)))


def _one_column_a_name(code: npt.NDArray[np.int32], names: int) -> sparse.csr_matrix:
    named = np.flatnonzero(code >= 0)
    ones = np.ones(len(named), dtype=np.float32)
    return sparse.csr_matrix((ones, (named, code[named])), shape=(len(code), names))


def checked_codes(names: Sequence[str] | npt.NDArray[Any], rows: int) -> npt.NDArray[np.int32]:
    """The number of each row's name, or a message that there is not one for each."""
    if isinstance(names, str) or np.ndim(np.asarray(names, dtype=object)) != 1:
        raise errors.misfit("The names", rows, "they are not a list of names")
    if len(names) != rows:
        raise errors.misfit("The names", rows, f"there are {len(names):,}")
    return name_codes(names)[0]


def name_codes(names: Sequence[str] | npt.NDArray[Any]) -> tuple[npt.NDArray[np.int32], list[str]]:
    """A number for each distinct name, −1 for an empty one (None, "" or NaN), and the names in that order.

    >>> name_codes(["b", "a", "", "b"])
    (array([ 0,  1, -1,  0], dtype=int32), ['b', 'a'])
    """
    encoded = pa.array(
        [str(name) if name and name == name else None for name in names], pa.string()
    ).dictionary_encode()
    code = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return code, encoded.dictionary.to_pylist()


def _beside(left: sparse.csr_matrix, right: sparse.csr_matrix) -> sparse.csr_matrix:
    both = sparse.hstack([left, right], format="csr", dtype=np.float32)
    both.sort_indices()
    return both


def compatibility(names: Sequence[str], agreeing: Agreeing) -> sparse.csr_matrix:
    """Which distinct names can be one entity's, the diagonal included.

    >>> def same_initial(names):
    ...     return [a * len(names) + b for a, x in enumerate(names) for b, y in enumerate(names) if x[0] == y[0]]
    >>> compatibility(["Ann", "Bob", "A."], same_initial).toarray().astype(int).tolist()
    [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    """
    n = len(names)
    a, b = np.divmod(np.asarray(agreeing(names), dtype=np.int64), max(n, 1))
    return sparse.csr_matrix((np.ones(len(a), dtype=np.float32), (a, b)), shape=(n, n))


class RunState(BaseModel):
    """A run in a checkpoint, without its arrays: the labels of the nodes now, and those of the best energy.

    For bags, the second array says which mentions are settled.
    """

    model_config = ConfigDict(ser_json_inf_nan="constants")

    version: Literal[1] = 1
    corpus: str
    settings: str
    rounds: NonNegativeInt
    seconds: Annotated[float, Field(ge=0, lt=1e12)]
    history: list[Round]


Saved = tuple[RunState, npt.NDArray[np.int32], npt.NDArray[np.int32]]


def load_checkpoint(path: Path, corpus: str, settings: str, n: int) -> Saved:
    """Read a checkpoint of n nodes and refuse one of another corpus or other settings, or that is none at all."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            state = RunState.model_validate_json(str(archive["told"]))
            labels, best = archive["labels"], archive["best"]
    except Exception as error:
        raise errors.not_a_checkpoint(path, "it cannot be read, or is not whole") from error
    if state.corpus != corpus:
        raise errors.other_checkpoint(path, "another corpus, or of other weights")
    if state.settings != settings:
        raise errors.other_checkpoint(path, "other settings")
    for each in (labels, best):
        # The kernels look places up by labels unasked.
        if each.dtype != np.int32 or each.shape != (n,) or (n and not 0 <= each.min() <= each.max() < n):
            raise errors.not_a_checkpoint(path, "its numbers do not fit together")
    return state, labels, best


def fingerprint(arrays: Iterable[npt.NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


SECONDS_BETWEEN_CHECKPOINTS = 15.0
LARGEST_FLOAT = float(np.finfo(np.float64).max)

Names = Sequence[str] | npt.NDArray[Any]


class MentionClusterer(ClusterMixin, BaseEstimator):
    """Parameters and steps that `SamplingClustering` and `BagClustering` share."""

    max_iter: int
    time_limit: float | None
    tol: float
    threads: int | None
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
        check_number("max_iter", self.max_iter, "a whole number of 0 or more", 0, whole=True)
        self._check_numbers("threads", low=1, whole=True)
        if self.resume and self.checkpoint is None:
            raise errors.needs_option("resume", "checkpoint=FILE")
        self._check_numbers("time_limit", "tol", low=0)

    def _check_numbers(self, *names: str, low: float = -LARGEST_FLOAT, whole: bool = False) -> None:
        """Refuse parameters that are neither None nor finite numbers of at least `low`."""
        wanted = f"a {'whole' if whole else 'finite'} number" + ("" if low < 0 else f" of {low:g} or more")
        for name in names:
            if (value := getattr(self, name)) is not None:
                check_number(name, value, wanted, low, LARGEST_FLOAT, whole=whole)

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
            raise errors.needs_option("The start 'names'", "fit(…, names=…)")
        matrix = checked_rows(validated(self, X, errors.bad_vectors, accept_sparse=True))
        n = matrix.shape[0]
        check_memory(n, matrix.nnz)
        _report_compilation(self._report)
        limits = checked_limits(constraints, n)
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
                raise errors.misfit("The labels to start from", len(node), "they must be as many numbers or texts")
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

    def _saved_run(self, corpus: Iterable[npt.NDArray[Any]], nodes: int) -> Saved | None:
        """Return the run to resume, if there is one; `corpus` has the input's arrays."""
        if self.checkpoint is None:
            return None
        self._corpus = fingerprint(corpus)
        if not self.resume or not Path(self.checkpoint).exists():
            return None
        return load_checkpoint(Path(self.checkpoint), self._corpus, self._settings(), nodes)

    def _saver(self) -> Callable[[Any], None] | None:
        last = time.monotonic()

        def save(run: Any) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS_BETWEEN_CHECKPOINTS:
                self._save(run)
                last = time.monotonic()

        return None if self.checkpoint is None else save

    def _save(self, run: Any) -> None:
        """Save a `PairRun` or a `BagRun`, if there is a file for it."""
        if self.checkpoint is None:
            return
        rounds, labels, best = run.saved
        state = RunState(
            corpus=self._corpus, settings=self._settings(), rounds=rounds, seconds=run.seconds,
            history=run.history[:rounds],
        )  # fmt: skip
        with whole_file(Path(self.checkpoint)) as stream:
            np.savez(stream, told=np.array(state.model_dump_json()), labels=labels, best=best)


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
