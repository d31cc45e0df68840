"""How many clusters there are, from the values of a criterion at k = 1, 2, … alone: deltaK, PK1, PK2, PK3 and the Gap
(Pedersen & Kulkarni 2006, sections 4 and 5).

The Gap needs reference data: rows that have nothing to do with each other but keep the observed marginals. Counts are
shuffled one by one, which keeps every row's and every column's sum exactly. Other numbers are dealt out as they are
and then scaled until the sums are right (Deming & Stephan 1940). If some are negative, as after a singular value
decomposition, each column is shuffled by itself, which keeps the columns' sums and the rows' on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.contexts.partitioning import Method, Search, clusterings
from crossdoc.cluster.contexts.spaces import ContextMatrix, Floats
from crossdoc.model.evidence_protocol import Constraints

Values = Sequence[float] | npt.NDArray[Any]

PK1_THRESHOLD = -0.70
"""Standardised criterion. Below it PK1 stops. Chosen by Pedersen & Kulkarni 2006 on their data."""
DELTA = 0.02
"""An improvement by so small a share counts as none; tried on name conflations of Reuters-21578
(experiments/context_stopping.py conflation reuters --deltas)."""
MOST_SCALINGS = 50
CLOSE_ENOUGH = 1e-6


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision of a rule: `k`, and the values `at` each number of clusters from which it says so.

    `low` and `high` bound the region in which a value says nothing (PK1: the threshold, and no upper bound).
    """

    k: int
    at: npt.NDArray[np.int64]
    value: Floats
    low: float = -np.inf
    high: float = np.inf


def delta_k(values: Values, delta: float = DELTA, *, first: int = 1) -> int:
    """The first k at which the criterion hardly improves on k − 1; the last k given, if it always does.

    `values[0]` is that of k = `first`.

    >>> delta_k([40.0, 54.6, 68.3, 80.0, 80.0, 80.0]), delta_k([40.0, 54.6])
    (5, 2)
    """
    curve = _checked(values)
    done = np.flatnonzero(hardly_improved(curve[:-1], curve[1:], delta))
    return first + (int(done[0]) + 1 if len(done) else len(curve) - 1)


def hardly_improved(before: Any, now: Any, delta: float = DELTA) -> Any:
    """Return whether one more cluster improved the criterion by no more than a share `delta`."""
    return np.abs(now - before) <= delta * np.abs(before)


def pk1(values: Values, threshold: float = PK1_THRESHOLD, *, minimised: bool = False, first: int = 1) -> Decision:
    """PK1(k) = (C(k) − mean) / std; the k before the first whose value is above the threshold, or the last.

    Parameters
    ----------
    values : array-like
        C(first), …, C(deltaK).
    threshold : float, default -0.7
        The value above which k is too large.
    minimised : bool, default False
        Whether smaller values are better, as for E1.
    first : int, default 1
        The k of the first value.

    Returns
    -------
    Decision
        The number of clusters `k`, and the values behind it.

    Examples
    --------
    >>> pk1([40.0, 54.6, 68.3, 80.0, 80.0]).k
    1
    """
    curve = _checked(values)
    at = np.arange(first, first + len(curve))
    spread = curve.std()
    if not spread > 1e-12 * np.abs(curve).max(initial=1.0):
        return Decision(first, at, np.zeros(len(curve)), threshold)
    scores = (curve - curve.mean()) / spread * (-1 if minimised else 1)
    above = np.flatnonzero(scores > threshold)
    place = int(above[0]) - 1 if len(above) else len(scores) - 1
    return Decision(first + max(place, 0), at, scores, threshold)


def pk2(values: Values, *, minimised: bool = False, first: int = 1) -> Decision:
    """PK2(k) = C(k) / C(k − 1), inverted if the criterion is minimised; the k nearest to, but not below, 1 + std.

    Parameters
    ----------
    values : array-like
        C(first), …, C(deltaK).
    minimised : bool, default False
        Whether smaller values are better, as for E1.
    first : int, default 1
        The k of the first value.

    Returns
    -------
    Decision
        The number of clusters `k`, and the values behind it.

    Examples
    --------
    >>> pk2([40.0, 54.6, 68.3, 80.0, 80.0]).k
    4
    """
    curve = _checked(values)
    ratios = _ratio(curve[1:], curve[:-1], minimised)
    return _nearest(ratios, ratios >= _bound(ratios), first)


def pk3(values: Values, *, minimised: bool = False, first: int = 1) -> Decision:
    """PK3(k) = 2 C(k) / (C(k − 1) + C(k + 1)), inverted if the criterion is minimised; the k nearest to, but above,
    1 + std.

    Parameters
    ----------
    values : array-like
        C(first), …, C(deltaK).
    minimised : bool, default False
        Whether smaller values are better, as for E1.
    first : int, default 1
        The k of the first value.

    Returns
    -------
    Decision
        The number of clusters `k`, and the values behind it.

    Examples
    --------
    >>> pk3([40.0, 54.6, 68.3, 80.0, 80.0]).k
    4
    """
    curve = _checked(values)
    ratios = _ratio(2 * curve[1:-1], curve[:-2] + curve[2:], minimised)
    return _nearest(ratios, ratios > _bound(ratios), first)


@dataclass(frozen=True, slots=True)
class GapDecision(Decision):
    """Decision of the Gap; `error` is s(k), and `interval` holds the gap of each k with the confidence asked for."""

    error: Floats = field(default_factory=lambda: np.zeros(0))
    interval: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    support: float = 1.0
    """The share of resamples of the references in which the answer is the same k."""


def gap(
    values: Values,
    references: npt.ArrayLike,
    *,
    minimised: bool = False,
    first: int = 1,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> GapDecision:
    """Gap(k) = C(k) − mean C*(k) over B reference data sets (rows of `references`), signed so that better is larger;
    the k of the largest. s(k) = std C*(k) · √(1 + 1/B).

    Resampling the references gives an interval for each Gap(k), and how often the answer stays the same.

    Parameters
    ----------
    values : array-like
        C(first), C(first + 1), …
    references : array-like
        The same of each reference data set, one per row.
    minimised : bool, default False
        Whether smaller values are better, as for E1.
    first : int, default 1
        The k of the first value.
    confidence : float, default 0.95
        The confidence of the intervals.
    resamples : int, default 1000
        How often the references are resampled.
    seed : int, default 0
        The seed of the resampling.

    Returns
    -------
    GapDecision
        The number of clusters `k`, and the intervals behind it.

    Examples
    --------
    >>> gap([2.0, 5.0, 5.5], [[2.0, 3.0, 4.0], [2.1, 3.1, 4.1]]).k
    2
    """
    if not 0 < confidence < 1:
        raise errors.bad_parameter("confidence", confidence, "between 0 and 1, such as 0.95")
    curve = _checked(values)
    drawn = np.atleast_2d(np.asarray(references, dtype=np.float64))
    if drawn.ndim != 2 or drawn.shape[1] != len(curve) or not len(drawn):
        raise errors.bad_parameter(
            "references", drawn.shape, f"rows of {len(curve):,} values, one row for each data set"
        )
    for row in drawn:
        _checked(row)
    sign = -1.0 if minimised else 1.0
    count = len(drawn)
    gaps = sign * (curve - drawn.mean(axis=0))
    place = int(gaps.argmax())
    picks = np.random.default_rng(seed).integers(count, size=(resamples, count))
    resampled = sign * (curve - drawn[picks].mean(axis=1))
    return GapDecision(
        first + place,
        np.arange(first, first + len(curve)),
        gaps,
        error=drawn.std(axis=0) * np.sqrt(1 + 1 / count),
        interval=np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0).T,
        support=float((resampled.argmax(axis=1) == place).mean()),
    )


def stopping_figure(
    criterion: str, values: Floats, first: int, decisions: Mapping[str, Decision], *, minimised: bool
) -> str:
    """Return the paper's plots as SVG: the criterion and what PK1, PK2 and PK3 make of it (Figure 1), the observed and
    the reference criterion and the Gap between them (Figure 2). The region in which a value says nothing is grey."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise errors.needs_extra("--plot", "matplotlib", "plot") from error
    name, at = criterion.upper(), np.arange(first, first + len(values))
    panels: list[tuple[str, dict[str, Any], Decision | None]] = [(f"{name} vs k", {"": (at, values)}, None)]
    for rule, made in decisions.items():
        if isinstance(made, GapDecision):
            reference = values + made.value if minimised else values - made.value
            both = {"observed": (at, values), "reference": (at, reference)}
            panels.append((f"{name}, observed and reference", both, None))
        if len(made.value):
            title = f"{rule.capitalize() if rule == 'gap' else rule.upper()} vs k: {made.k}"
            panels.append((title, {"": (made.at, made.value)}, made))
    # With a fixed salt and no date the same curve gives the same file.
    with rc_context({"svg.hashsalt": "crossdoc", "svg.fonttype": "none"}):
        figure = Figure(figsize=(5.0, 2.0 * len(panels)), layout="constrained")
        for axes, (title, series, decision) in zip(
            figure.subplots(len(panels), squeeze=False)[:, 0], panels, strict=True
        ):
            axes.set_title(title, loc="left", fontsize=9)
            for label, (k, value) in series.items():
                axes.plot(k, value, "o-", label=label, markersize=3, linewidth=1)
            if len(series) > 1:
                axes.legend(frameon=False)
            if decision is not None:
                lowest, highest = axes.get_ylim()
                axes.axhspan(max(decision.low, lowest), min(decision.high, highest), color="0.9", zorder=0)
                axes.plot(decision.k, decision.value[decision.at == decision.k], "o", color="C0", markersize=8)
        drawn = StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def _checked(values: Values) -> Floats:
    curve = np.asarray(values, dtype=np.float64)
    if curve.ndim != 1 or not len(curve) or not np.isfinite(curve).all():
        raise errors.bad_criterion_values()
    return curve


def _ratio(above: Floats, below: Floats, minimised: bool) -> Floats:
    # A criterion of 0 before and after is no improvement.
    return _quotient(below, above) if minimised else _quotient(above, below)


def _bound(ratios: Floats) -> float:
    return 1 + (float(ratios.std()) if len(ratios) else 0.0)


def _nearest(ratios: Floats, allowed: npt.NDArray[np.bool_], first: int) -> Decision:
    """The allowed value nearest to the bound; a ratio of 1 is no improvement, and without any the answer is one."""
    at = np.arange(first + 1, first + 1 + len(ratios))
    eligible = np.flatnonzero(allowed & (ratios > 1 + 1e-9))
    k = int(at[eligible[np.argmin(ratios[eligible])]]) if len(eligible) else first
    low = _bound(ratios)
    return Decision(k, at, ratios, 2 - low, low)


def reference_values(
    given: ContextMatrix, weight: Floats, method: Method, search: Search, first: int, count: int, references: int
) -> Floats:
    """The criterion's values for k = first, … on each of some reference data sets, clustered as the data itself.

    References know nothing of constraints. If one has fewer rows than clusters, its last value is repeated.
    """
    values = np.empty((references, count))
    for number in range(references):
        drawn = reference_rows(given.raw, np.random.default_rng([search.seed, 1, number]))
        space = ContextMatrix.of(drawn).space(weight, Constraints.none(len(weight)))
        filled = np.flatnonzero(space.itself > 0)
        curve = [each.value for each in islice(clusterings(space.subset(filled), method, search, first), count)]
        values[number] = [*curve, *[curve[-1]] * (count - len(curve))]
    return values


def reference_rows(matrix: sparse.csr_matrix, rng: np.random.Generator) -> sparse.csr_matrix:
    """Random rows with the row and column sums of the given ones.

    >>> counts = sparse.csr_matrix(np.array([[2, 1, 0], [0, 1, 3]]))
    >>> drawn = reference_rows(counts, np.random.default_rng(0))
    >>> drawn.sum(axis=0).tolist(), drawn.sum(axis=1).tolist()
    ([[2.0, 2.0, 3.0]], [[3.0], [4.0]])
    """
    given = sparse.csr_matrix(matrix, dtype=np.float64).tocoo()
    if not given.nnz:
        return given.tocsr()
    if (given.data < 0).any():
        return sparse.csr_matrix(rng.permuted(given.toarray(), axis=0))
    if (given.data == np.round(given.data)).all():
        times = given.data.astype(np.int64)
        rows, columns = np.repeat(given.row, times), np.repeat(given.col, times)
        return sparse.csr_matrix((np.ones(len(rows)), (rows, rng.permutation(columns))), shape=given.shape)
    order = rng.permutation(given.nnz)
    dealt = sparse.csr_matrix((given.data[order], (given.row, given.col[order])), shape=given.shape)
    return _scaled(dealt, _sums(given, 1), _sums(given, 0))


def _scaled(matrix: sparse.csr_matrix, rows: Floats, columns: Floats) -> sparse.csr_matrix:
    for _ in range(MOST_SCALINGS):
        by_row = _quotient(rows, _sums(matrix, 1))
        matrix = sparse.diags(by_row) @ matrix
        by_column = _quotient(columns, _sums(matrix, 0))
        matrix = matrix @ sparse.diags(by_column)
        if np.abs(by_row - 1).max() < CLOSE_ENOUGH:
            break
    return sparse.csr_matrix(matrix)


def _sums(matrix: Any, axis: int) -> Floats:
    return np.asarray(matrix.sum(axis=axis), dtype=np.float64).ravel()


def _quotient(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.ones(len(above)), where=below != 0)
