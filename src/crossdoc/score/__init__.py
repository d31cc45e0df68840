"""How good an answer is: assignments, measures and intervals. Start with `score`."""

from .assignments import Aligned, Assignment, ScoreError, align
from .intervals import Interval, percentile_interval, resampled_means, resampled_sums
from .measures import (
    Scores,
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
    score,
    worked_example,
)

__all__ = [
    "Aligned",
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
    "score",
    "worked_example",
]
