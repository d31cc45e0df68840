"""`crossdoc.score`: scores of an answer that is on file or in memory. The measures are in scoring/."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Partition
from crossdoc.read import read_answer
from crossdoc.run.resolution import Resolution
from crossdoc.scoring import Assignment, Scores
from crossdoc.scoring.scores import score_assignments
from crossdoc.store.schema import LEVELS

Answer = Any
"""A path, a Partition, a Resolution, a mapping of id to entity, an Assignment, or a frame or table `id, entity`."""


def score(
    answer: Answer,
    gold: Answer,
    *,
    by: Literal["group"] | None = None,
    theta: float | None = None,
    level: str = "profile",
    bootstrap: int = 1000,
    seed: int = 0,
) -> Scores:
    """Score an answer against a gold standard: B³, purity, pairwise, MUC, CEAF, LEA, CoNLL.

    `crossdoc score` prints the same figures. Ids that only the answer has are left out; ids that only the gold standard
    has count as singletons.

    Parameters
    ----------
    answer : path, Partition, Resolution, mapping, Assignment, frame or table
        The answer: a .crossdoc file or folder, a table on file, or one in memory with the columns `id, entity` and
        optionally `membership`; or a mapping of id to entity or to several entities.
    gold : path, Partition, Resolution, mapping, Assignment, frame or table
        The gold standard, in the same forms; a table may have a column `group`.
    by : str or None, default None
        "group" averages over the groups of the gold standard.
    theta : float or None, default None
        Count memberships above this value. By default each id counts in its strongest entity only.
    level : str, default "profile"
        For a result: "profile" or "mention", as the ids of the gold standard.
    bootstrap : int, default 1000
        Number of resamples for 95% intervals; 0 for none.
    seed : int, default 0
        Seed of the resamples.

    Returns
    -------
    Scores
        All measures, the counts behind them, notes and intervals.

    Examples
    --------
    >>> scores = score({"a": "1", "b": "1", "c": "1"}, {"a": "x", "b": "x", "c": "y"})
    >>> round(scores.values["b3"]["f1"], 3)
    0.714
    """
    if level not in LEVELS:
        raise errors.unknown_choice("level", level, list(LEVELS))
    if theta is not None and not 0 <= theta <= 1:
        raise errors.bad_parameter("theta", theta, "a number from 0 to 1")
    if bootstrap < 0:
        raise errors.bad_parameter("bootstrap", bootstrap, "0 or more")
    predicted = _read_assignment(answer, level, soft=theta is not None)
    if theta is not None:
        predicted = predicted.above(theta)
    elif predicted.membership is not None:
        predicted = predicted.strongest()
    return score_assignments(predicted, _read_assignment(gold, level), by=by, bootstrap=bootstrap, seed=seed)


def _read_assignment(given: Answer, level: str, *, soft: bool = False) -> Assignment:
    if isinstance(given, Assignment):
        return given
    if isinstance(given, Mapping):
        return Assignment.of(given)
    if isinstance(given, str | os.PathLike) and Path(given).suffix == ".crossdoc":
        with Resolution.open(given) as opened:
            return Assignment.from_table(opened.answer(level, soft=soft))
    if isinstance(given, str | os.PathLike):
        return Assignment.from_table(read_answer(Path(given)))
    if isinstance(given, Resolution):
        return Assignment.from_table(given.answer(level, soft=soft))
    if isinstance(given, Partition):
        return Assignment.from_table(given.table(soft=soft))
    try:
        table = pa.table(given)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise errors.not_an_answer(type(given).__name__) from error
    return Assignment.from_table(table)
