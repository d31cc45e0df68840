"""How many clusters there are, from the values of a criterion at k = 1, 2, … alone: deltaK, PK1, PK2, PK3 and the Gap
(Pedersen & Kulkarni 2006, sections 4 and 5).

The released program, SenseClusters, decides PK2, PK3 and the Gap otherwise than the paper: `form="program"`.
`compat="senseclusters"` does that too and keeps as few digits as the program, whose answers come out exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossdoc import errors

Compat = Literal["senseclusters"] | None
Form = Literal["paper", "program"]
Values = Sequence[float] | npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

PK1_THRESHOLD = -0.70
"""Standardised criterion. Below it PK1 stops. Chosen by Pedersen & Kulkarni 2006 on their data."""
DELTA = 0.02
"""An improvement by so small a share counts as none; tried on name conflations of Reuters-21578
(experiments/context_stopping.py conflation reuters --deltas)."""
DIGITS, RATIO_DECIMALS = 3, 4
"""Decimals that the released program keeps of a criterion's value, and of a ratio."""


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


def delta_k(values: Values, delta: float | None = None, compat: Compat = None, *, first: int = 1) -> int:
    """The first k at which the criterion hardly improves on k − 1; the last k given, if it always does.

    `delta` is the share of the value below which an improvement counts as none (default 0.02). With
    `compat="senseclusters"` it is a number of units in the last of the three digits kept (default 1 if that digit is a
    fraction, otherwise 0). `values[0]` is that of k = `first`.

    >>> delta_k([40.0, 54.6, 68.3, 80.0, 80.0, 80.0]), delta_k([40.0, 54.6])
    (5, 2)
    """
    checked = _checked(values, compat)
    for place in range(1, len(checked)):
        if hardly_improved(checked[place - 1], checked[place], delta, compat):
            return first + place
    return first + len(checked) - 1


def pk1(
    values: Values,
    threshold: float = PK1_THRESHOLD,
    *,
    minimised: bool = False,
    compat: Compat = None,
    first: int = 1,
) -> Decision:
    """PK1(k) = (C(k) − mean) / std; the k before the first whose value is above the threshold, or the last.

    Parameters
    ----------
    values : array-like
        C(first), …, C(deltaK).
    threshold : float, default -0.7
        The value above which k is too large.
    minimised : bool, default False
        Whether smaller values are better, as for E1.
    compat : {"senseclusters"} or None, default None
        "senseclusters" rounds as the program does.
    first : int, default 1
        The k of the first value.

    Returns
    -------
    Decision
        The number of clusters `k`, and the values behind it.

    References
    ----------
    Pedersen, Kulkarni 2006, Automatic Cluster Stopping with Criterion Functions and the Gap Statistic, HLT-NAACL.

    Examples
    --------
    >>> pk1([40.0, 54.6, 68.3, 80.0, 80.0]).k
    1
    """
    curve = _checked(values, compat)
    at = np.arange(first, first + len(curve))
    spread = curve.std()
    if not spread > 1e-12 * np.abs(curve).max(initial=1.0):
        return Decision(first, at, np.zeros(len(curve)), threshold)
    scores = (curve - curve.mean()) / spread * (-1 if minimised else 1)
    scores = _rounded(scores, compat)
    above = np.flatnonzero(scores > threshold)
    place = int(above[0]) - 1 if len(above) else len(scores) - 1
    return Decision(first + max(place, 0), at, scores, threshold)


def pk2(
    values: Values, *, minimised: bool = False, form: Form = "paper", compat: Compat = None, first: int = 1
) -> Decision:
    """PK2(k) = C(k) / C(k − 1), inverted if the criterion is minimised; the k whose value is nearest to, but not
    below, 1 + std. The program: of the values outside mean ± std that are at least 1 the smallest.

    Parameters
    ----------
    values : array-like
        C(first), …, C(deltaK).
    minimised : bool, default False
        Whether smaller values are better, as for E1.
    form : {"paper", "program"}, default "paper"
        How to decide: as the paper says, or as the released program does.
    compat : {"senseclusters"} or None, default None
        "senseclusters" also rounds as the program does.
    first : int, default 1
        The k of the first value.

    Returns
    -------
    Decision
        The number of clusters `k`, and the values behind it.

    References
    ----------
    Pedersen, Kulkarni 2006, Automatic Cluster Stopping with Criterion Functions and the Gap Statistic, HLT-NAACL.

    Examples
    --------
    >>> curve = [40.0, 54.6, 68.3, 80.0, 80.0]
    >>> pk2(curve).k, pk2(curve, compat="senseclusters").k
    (4, 5)
    """
    curve = _checked(values, compat)
    ratios = _rounded(_ratio(curve[1:], curve[:-1], minimised), compat)
    at = np.arange(first + 1, first + 1 + len(ratios))
    if _as_program(form, compat):
        return _outside(ratios, at, first)
    low = 1 + (float(ratios.std()) if len(ratios) else 0.0)
    return _nearest(ratios, at, ratios >= low, low, first)


def pk3(
    values: Values, *, minimised: bool = False, form: Form = "paper", compat: Compat = None, first: int = 1
) -> Decision:
    """PK3(k) = 2 C(k) / (C(k − 1) + C(k + 1)), inverted if the criterion is minimised; the k whose value is nearest
    to, but above, 1 + std. The program decides as it does for PK2.

    Parameters
    ----------
    values : array-like
        C(first), …, C(deltaK).
    minimised : bool, default False
        Whether smaller values are better, as for E1.
    form : {"paper", "program"}, default "paper"
        How to decide: as the paper says, or as the released program does.
    compat : {"senseclusters"} or None, default None
        "senseclusters" also rounds as the program does.
    first : int, default 1
        The k of the first value.

    Returns
    -------
    Decision
        The number of clusters `k`, and the values behind it.

    References
    ----------
    Pedersen, Kulkarni 2006, Automatic Cluster Stopping with Criterion Functions and the Gap Statistic, HLT-NAACL.

    Examples
    --------
    >>> pk3([40.0, 54.6, 68.3, 80.0, 80.0]).k
    4
    """
    curve = _checked(values, compat)
    ratios = _rounded(_ratio(2 * curve[1:-1], curve[:-2] + curve[2:], minimised), compat)
    at = np.arange(first + 1, first + 1 + len(ratios))
    if _as_program(form, compat):
        return _outside(ratios, at, first)
    low = 1 + (float(ratios.std()) if len(ratios) else 0.0)
    return _nearest(ratios, at, ratios > low, low, first)


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
    form: Form = "paper",
    compat: Compat = None,
    first: int = 1,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> GapDecision:
    """Gap(k) = C(k) − mean C*(k) over B reference data sets (rows of `references`), signed so that better is larger;
    the k of the largest. s(k) = std C*(k) · √(1 + 1/B).

    The program instead takes the first k with Gap(k) ≥ Gap(k + 1) − s(k + 1). Resampling the references gives
    an interval for each Gap(k), and how often the answer stays the same.

    Parameters
    ----------
    values : array-like
        C(first), C(first + 1), …
    references : array-like
        The same of each reference data set, one per row.
    minimised : bool, default False
        Whether smaller values are better, as for E1.
    form : {"paper", "program"}, default "paper"
        How to decide: as the paper says, or as the released program does.
    compat : {"senseclusters"} or None, default None
        "senseclusters" also rounds as the program does.
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

    References
    ----------
    Pedersen, Kulkarni 2006, Automatic Cluster Stopping with Criterion Functions and the Gap Statistic, HLT-NAACL.

    Examples
    --------
    >>> gap([2.0, 5.0, 5.5], [[2.0, 3.0, 4.0], [2.1, 3.1, 4.1]]).k
    2
    """
    if not 0 < confidence < 1:
        raise errors.bad_confidence(confidence)
    curve = _checked(values, compat)
    drawn = np.atleast_2d(np.asarray(references, dtype=np.float64))
    if drawn.ndim != 2 or drawn.shape[1] != len(curve) or not len(drawn):
        raise errors.bad_references(drawn.shape, len(curve))
    drawn = np.stack([_checked(row, compat) for row in drawn])
    sign = -1.0 if minimised else 1.0
    count = len(drawn)
    gaps = sign * (curve - drawn.mean(axis=0))
    error = drawn.std(axis=0) * np.sqrt(1 + 1 / count)
    program = _as_program(form, compat)
    place = _gap_place(gaps, error, program)
    picks = np.random.default_rng(seed).integers(count, size=(resamples, count))
    resampled = sign * (curve - drawn[picks].mean(axis=1))
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    interval = np.quantile(resampled, tails, axis=0).T
    same = np.mean([_gap_place(row, error, program) == place for row in resampled])
    at = np.arange(first, first + len(curve))
    return GapDecision(first + place, at, gaps, error=error, interval=interval, support=float(same))


def _as_program(form: Form, compat: Compat) -> bool:
    if form not in ("paper", "program"):
        raise errors.unknown_choice("form of the stopping rules", form, ["paper", "program"])
    return form == "program" or compat is not None


def _gap_place(gaps: Floats, error: Floats, program: bool) -> int:
    if not program:
        return int(np.argmax(gaps))
    enough = np.flatnonzero(gaps[:-1] >= gaps[1:] - error[1:])
    return int(enough[0]) if len(enough) else len(gaps) - 1


def three_digits(values: Values) -> Floats:
    """The values as the released program reads them.

    >>> three_digits([40.04, 1234.5, 0.98765, 0.0]).tolist()
    [40.0, 1230.0, 0.988, 0.0]
    """
    return np.array([float(f"{value:.{DIGITS - 1}e}") for value in values])


def _checked(values: Values, compat: Compat) -> Floats:
    if compat not in (None, "senseclusters"):
        raise errors.unknown_choice("program to be compatible with", str(compat), ["senseclusters"])
    curve = np.asarray(values, dtype=np.float64)
    if curve.ndim != 1 or not len(curve) or not np.isfinite(curve).all():
        raise errors.bad_criterion_values()
    return three_digits(curve) if compat else curve


def hardly_improved(before: float, now: float, delta: float | None = None, compat: Compat = None) -> bool:
    """Return whether one more cluster hardly improved the criterion, see :func:`delta_k`."""
    if compat:
        before, now = three_digits([before, now])
    gain = abs(now - before)
    if compat is None:
        return bool(gain <= (DELTA if delta is None else delta) * abs(before))
    exponent = int(f"{before:e}".split("e")[1])
    unit = 10.0 ** (exponent - (DIGITS - 1))
    units = delta if delta is not None else (0 if exponent >= DIGITS - 1 else 1)
    # A part of a unit more, since 68.4 − 68.3 is above 0.1 in binary.
    return bool(gain <= (units + 1e-6) * unit)


def _ratio(above: Floats, below: Floats, minimised: bool) -> Floats:
    if minimised:
        above, below = below, above
    # A criterion of 0 before and after is no improvement.
    return np.divide(above, below, out=np.ones(len(above)), where=below != 0)


def _rounded(ratios: Floats, compat: Compat) -> Floats:
    return np.round(ratios, RATIO_DECIMALS) if compat else ratios


def _nearest(ratios: Floats, at: npt.NDArray[np.int64], allowed: npt.NDArray[np.bool_], low: float, k: int) -> Decision:
    """The allowed value nearest to the bound; a ratio of 1 is no improvement, and without any the answer is one."""
    eligible = np.flatnonzero(allowed & (ratios > 1 + 1e-9))
    if len(eligible):
        k = int(at[eligible[np.argmin(ratios[eligible])]])
    return Decision(k, at, ratios, 2 - low, low)


def _outside(ratios: Floats, at: npt.NDArray[np.int64], k: int) -> Decision:
    """The released program's PK2 and PK3: of the values outside mean ± std that are at least 1 the smallest."""
    if not len(ratios):
        return Decision(k, at, ratios)
    mean, spread = float(ratios.mean()), float(ratios.std())
    eligible = np.flatnonzero((np.abs(ratios - mean) > spread) & (ratios >= 1))
    if len(eligible):
        k = int(at[eligible[np.argmin(ratios[eligible])]])
    return Decision(k, at, ratios, mean - spread, mean + spread)
