"""Scores of answers: assignments, measures and intervals. Start with `score_assignments`."""

# ruff: noqa: I001 - a name that is exported is imported as itself

from crossdoc.errors import ScoreError as ScoreError
from crossdoc.scoring.assignments import Alignment as Alignment, Assignment as Assignment, align as align
from crossdoc.scoring.measures import (
    Tally as Tally,
    b_cubed as b_cubed,
    b_cubed_extended as b_cubed_extended,
    ceaf_e as ceaf_e,
    ceaf_m as ceaf_m,
    conll as conll,
    f_alpha as f_alpha,
    lea as lea,
    muc as muc,
    pairwise as pairwise,
    purity as purity,
    worked_example as worked_example,
)
from crossdoc.scoring.scores import (
    Interval as Interval,
    Scores as Scores,
    percentile_interval as percentile_interval,
    resampled_sums as resampled_sums,
    score_assignments as score_assignments,
)
