"""All measures of one answer, by group and with intervals.

Confidence intervals are by the percentile bootstrap (Efron 1979, doi:10.1214/aos/1176344552). Groups (names) are
resampled if the score is a mean over groups, and gold entities otherwise, never single mentions: mentions of one entity
are right or wrong together, and resampling them one by one would make the interval far too narrow. The answer is not
computed again, so the interval does not include its randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from operator import itemgetter
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossdoc import errors
from crossdoc.scoring.assignments import Alignment, Assignment, Codes, align
from crossdoc.scoring.measures import (
    Tally,
    b_cubed,
    b_cubed_extended,
    ceaf_e,
    ceaf_m,
    f_alpha,
    lea,
    muc,
    pairwise,
    purity,
    quotient,
)

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    low: float
    high: float


Figures = dict[str, dict[str, float]]
Intervals = dict[str, dict[str, Interval]]


def resampled_sums(contributions: Floats, resamples: int, seed: int) -> Floats:
    """Return column sums over units drawn with replacement: from (units, columns) to (resamples, columns).

    A score that is a quotient of sums over gold entities costs one row of a matrix product for each resample. Answer
    entities keep the sizes that they have in the full data: a drawn gold entity brings along what its mentions scored.

    >>> resampled_sums(np.array([[1.0], [1.0]]), 3, seed=0).ravel().tolist()
    [2.0, 2.0, 2.0]
    """
    units = len(contributions)
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, contributions.shape[1]))
    for resample in range(resamples):
        times_drawn = np.bincount(rng.integers(units, size=units), minlength=units)
        sums[resample] = times_drawn @ contributions
    return sums


def percentile_interval(samples: Floats, level: float = 0.95) -> Interval:
    """Return the middle share `level` of the resampled figures.

    It does not say that the true score lies inside with that probability for few units: under some twenty groups or
    entities it is too narrow.

    >>> percentile_interval(np.arange(101.0), level=0.5)
    Interval(low=25.0, high=75.0)
    """
    low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


ANY_COVER: dict[str, Callable[[Alignment], Tally]] = {"purity": purity, "b3_extended": b_cubed_extended}
PARTITIONS_ONLY: dict[str, Callable[[Alignment], Tally]] = {
    "b3": b_cubed,
    "pairwise": pairwise,
    "pairwise_self": lambda aligned: pairwise(aligned, self_pairs=True),
    "muc": muc,
    "ceaf_m": ceaf_m,
    "ceaf_e": ceaf_e,
    "lea": lea,
}


@dataclass(frozen=True)
class Scores:
    """Every figure of one answer; `crossdoc.score` makes it.

    With `by="group"` the values are means over groups, F included.

    Parameters
    ----------
    values : dict
        `values[measure][figure]`, for instance `values["b3"]["f1"]`.
    counts : dict[str, int]
        How many items, entities and groups there were, and what was missing.
    notes : list[str], optional
        What to know when reading the figures.
    groups : dict[str, Figures], optional
        With `by="group"`, the values of each group.
    intervals : dict, optional
        95% intervals of the values.

    Examples
    --------
    >>> from crossdoc.scoring import Assignment, score_assignments
    >>> gold = Assignment.of({"a": "x", "b": "x", "c": "y"})
    >>> scores = score_assignments(Assignment.of({"a": "1", "b": "1", "c": "1"}), gold)
    >>> round(scores.values["b3"]["f1"], 3)
    0.714
    """

    values: Figures
    counts: dict[str, int]
    notes: list[str] = field(default_factory=list)
    groups: dict[str, Figures] = field(default_factory=dict)
    intervals: Intervals = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, tuples and numbers, for JSON; intervals as (low, high)."""
        return asdict(self)


def score_assignments(
    predicted: Assignment,
    gold: Assignment,
    *,
    by: Literal["group"] | None = None,
    bootstrap: int = 0,
    seed: int = 0,
    alpha: Sequence[float] = (0.5, 0.2),
) -> Scores:
    """Compute all measures that are defined for the two assignments, over the gold's ids.

    `by="group"` scores each gold group by itself and averages (WePS: one group a name). `bootstrap` is the number of
    resamples for 95% intervals, of groups with `by`, else of gold entities. `alpha` are the weights of purity in F.

    >>> gold = Assignment.of({"a": "x", "b": "x", "c": "y"})
    >>> scores = score_assignments(Assignment.of({"a": "1", "b": "1", "c": "1"}), gold)
    >>> scores.values["purity"]["f0.5"], scores.counts["missing_from_answer"]
    (0.8, 0)
    """
    if by not in (None, "group"):
        raise errors.unknown_choice("way to average by", str(by), ["group"])
    if not all(0 <= weight <= 1 for weight in alpha):
        raise errors.UsageError(f"alpha {list(alpha)} is not all between 0 and 1.", "It is the weight of purity in F.")
    aligned = align(predicted, gold)
    notes = _notes(aligned, by)
    if by == "group":
        aligned = aligned.split_by_group()
    measures = ANY_COVER if aligned.overlapping else {**PARTITIONS_ONLY, **ANY_COVER}
    tallies = {name: measure(aligned).parts for name, measure in measures.items()}
    counts = _counts(aligned)
    if aligned.entity_group is not None:
        per_group = _figures(_sums_by_group(tallies, aligned.entity_group, len(aligned.groups)), alpha)
        values = _floats(per_group, np.mean)
        groups = {name: _floats(per_group, itemgetter(i)) for i, name in enumerate(aligned.groups)}
        intervals = _intervals_by_group(per_group, bootstrap, seed) if bootstrap else {}
        return Scores(values, counts, notes, groups, intervals)
    values = _floats(_figures({name: parts.sum(axis=1) for name, parts in tallies.items()}, alpha), float)
    intervals = _intervals_by_entity(tallies, alpha, bootstrap, seed) if bootstrap else {}
    return Scores(values, counts, notes, intervals=intervals)


def _sums_by_group(tallies: dict[str, Floats], group: Codes, groups: int) -> dict[str, Floats]:
    return {
        name: np.stack([np.bincount(group, row, groups).astype(np.float64) for row in parts])
        for name, parts in tallies.items()
    }


def _intervals_by_group(per_group: dict[str, dict[str, Floats]], resamples: int, seed: int) -> Intervals:
    table = np.column_stack([row for rows in per_group.values() for row in rows.values()])
    samples = iter(resampled_sums(table, resamples, seed).T / len(table))
    return {measure: {name: percentile_interval(next(samples)) for name in rows} for measure, rows in per_group.items()}


def _intervals_by_entity(tallies: dict[str, Floats], alpha: Sequence[float], resamples: int, seed: int) -> Intervals:
    sums = resampled_sums(np.concatenate(list(tallies.values())).T, resamples, seed)
    resampled = {name: sums[:, 4 * i : 4 * i + 4].T for i, name in enumerate(tallies)}
    return {
        measure: {name: percentile_interval(samples) for name, samples in rows.items()}
        for measure, rows in _figures(resampled, alpha).items()
    }


def _figures(sums: dict[str, Floats], alpha: Sequence[float]) -> dict[str, dict[str, Floats]]:
    """The figures of each measure from its four sums, of one answer, of many groups or of many resamples at once."""
    figures: dict[str, dict[str, Floats]] = {}
    for name, (p_hits, p_total, r_hits, r_total) in sums.items():
        precision, recall = quotient(p_hits, p_total), quotient(r_hits, r_total)
        if name == "purity":
            weighted = {f"f{weight:g}": f_alpha(precision, recall, weight) for weight in alpha}
            figures[name] = {"purity": precision, "inverse_purity": recall, **weighted}
        else:
            figures[name] = {"precision": precision, "recall": recall, "f1": f_alpha(precision, recall, 0.5)}
    if "muc" in figures:
        average = (figures["muc"]["f1"] + figures["b3"]["f1"] + figures["ceaf_e"]["f1"]) / 3
        figures["conll"] = {"f1": average}
    return figures


def _floats(figures: dict[str, dict[str, Floats]], pick: Callable[[Floats], Any]) -> Figures:
    return {measure: {name: float(pick(row)) for name, row in rows.items()} for measure, rows in figures.items()}


def _counts(aligned: Alignment) -> dict[str, int]:
    return {
        "items": aligned.gold.shape[0],
        "gold_entities": aligned.gold.shape[1],
        "answer_entities": int((aligned.predicted_sizes > 0).sum()),
        "groups": len(aligned.groups),
        "missing_from_answer": aligned.missing_from_answer,
        "missing_from_gold": aligned.missing_from_gold,
    }


def _notes(aligned: Alignment, by: str | None) -> list[str]:
    notes = []
    if aligned.missing_from_answer:
        notes.append(f"{aligned.missing_from_answer} ids missing from the answer count as singletons")
    if aligned.missing_from_gold:
        notes.append(f"{aligned.missing_from_gold} ids missing from the gold standard are left out")
    if aligned.overlapping:
        left_out = ", ".join([*PARTITIONS_ONLY, "conll"])
        notes.append(f"some ids belong to several entities; defined for partitions only and left out: {left_out}")
    if by is None and aligned.group is not None:
        spanning = aligned.split_by_group().gold.shape[1] - aligned.gold.shape[1]
        if spanning:
            notes.append("some gold entities span several groups and count as one; by='group' keeps groups apart")
    return notes
