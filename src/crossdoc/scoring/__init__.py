"""Scores of answers: assignments, measures and intervals. Start with `score_assignments`."""

from crossdoc.errors import ScoreError
from crossdoc.scoring.assignments import Alignment, Assignment, align
from crossdoc.scoring.measures import (
    Tally,
    b_cubed,
    b_cubed_extended,
    ceaf_e,
    ceaf_m,
    conll,
    f_alpha,
    lea,
    muc,
    pairwise,
    purity,
    worked_example,
)
from crossdoc.scoring.scores import (
    Interval,
    Scores,
    percentile_interval,
    resampled_means,
    resampled_sums,
    score_assignments,
)

__all__ = [
    "Alignment",
    "Assignment",
    "Interval",
    "ScoreError",
    "Scores",
    "Tally",
    "align",
    "b_cubed",
    "b_cubed_extended",
    "ceaf_e",
    "ceaf_m",
    "conll",
    "f_alpha",
    "lea",
    "muc",
    "pairwise",
    "percentile_interval",
    "purity",
    "resampled_means",
    "resampled_sums",
    "score_assignments",
    "worked_example",
]
