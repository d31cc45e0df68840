"""Whether bags of words and names explain a collection better than names alone, measured on words that were held out.

The words are split into two halves. Bags are found by the names and the first half; then the second half and the names
are scored by the log odds of the bag model (`bags.py`), once with these bags and once with one bag per name. Bags that
follow topics or articles instead of entities lose on names what they gain on words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.bags.bag_run import BEGINNING, CYCLE, BagRun
from crossdoc.cluster.bags.bags import BagMentions, Labels
from crossdoc.cluster.bags.informative_words import WordChoice, mentions_looked_at, which_words_tell
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling.hierarchy import entity_blocks
from crossdoc.cluster.sampling.mention_clusterer import label_by_code
from crossdoc.cluster.sampling.mention_rows import name_codes
from crossdoc.cluster.sampling.rounds import hashed
from crossdoc.cluster.sampling.workers import Workers
from crossdoc.model.constraints import Constraints
from crossdoc.progress import Quiet

FIT_CYCLES = 2
"""Cycles of the run that finds bags by half of the words."""
LEAST_OWN_CONTEXTS = 0.25
"""Share of the mentions. Below it most windows overlap with those of other names, and bags would rest on few.

Chosen on tables of running text (.02 to .27, linkage is better) and generated links (.32 to 1, bags are better)."""
SURE_GAIN = 2.0
"""Standard errors by which bags must be better. Chosen on generated links, whose gains are 2.7 errors or more."""


class BagFit(NamedTuple):
    """How well bags and names explain some mentions."""

    own: float
    """The share of mentions whose context no mention of another name shares."""
    words: WordChoice
    """The words that distinguish entities (`informative_words.py`)."""
    gain: float = 0.0
    """Mean over mentions of the log odds of its name and held-out words: with bags, minus with one bag per name."""
    error: float = 0.0
    """Standard error of the gain."""

    @property
    def is_better(self) -> bool:
        """Whether bags explain the mentions better than names do.

        A choice of words that tell has been checked by names that had no part in it, so that it counts by itself.
        """
        return self.own > LEAST_OWN_CONTEXTS and (self.words == "some" or self.gain > SURE_GAIN * self.error)


def fit_of_bags(matrix: sparse.csr_matrix, names: npt.NDArray[Any], *, seed: int = 0, threads: int = 1) -> BagFit:
    """Measure how well bags explain mentions.

    Parameters
    ----------
    matrix : sparse.csr_matrix
        One row per mention; non-zero where its context has the word.
    names : array
        The name of each mention, as it is compared.

    Notes
    -----
    Linear in the words of the mentions. About 20,000 mentions of neighbouring topics of a large collection are used.
    """
    by_name = renumber(label_by_code(name_codes(names)[0]))
    mentions = BagMentions.of(matrix, names, Constraints.none(len(by_name)), threads)
    mentions, by_name = mentions_looked_at(mentions, by_name, seed, threads)
    own = float((np.diff(mentions.words.start) > 0).mean()) if mentions.n else 0.0
    if not 1 < len(np.unique(by_name)) < len(by_name):
        return BagFit(own, "none")
    which = which_words_tell(mentions, by_name, seed, threads)
    if which != "all":
        return BagFit(own, which)
    by_name = entity_blocks(by_name)
    first = hashed(mentions.words.feature, seed, 2) > 0
    bags = _find_bags(_with_half(mentions, first), by_name, seed, threads)
    rest = _with_half(mentions, ~first)
    gain = _log_odds(rest, bags, by_name, seed, threads) - _log_odds(rest, by_name, by_name, seed, threads)
    return BagFit(own, which, float(gain.mean()), float(gain.std() / np.sqrt(mentions.n)))


def _with_half(mentions: BagMentions, kept: npt.NDArray[np.bool_]) -> BagMentions:
    """Keep some words of each mention, which are half of all, and half of its length."""
    words = mentions.words.of_cells(kept)
    return replace(mentions, words=words._replace(length=words.length / 2))


def _find_bags(mentions: BagMentions, by_name: Labels, seed: int, threads: int) -> Labels:
    alone = np.arange(mentions.n, dtype=np.int32)
    run = BagRun(mentions, alone, by_name, Quiet(), together=False, seed=seed, threads=threads)
    with Workers(threads) as engine:
        run.go(engine, len(BEGINNING) + FIT_CYCLES * len(CYCLE), None)
    return run.labels


def _log_odds(
    mentions: BagMentions, labels: Labels, by_name: Labels, seed: int, threads: int
) -> npt.NDArray[np.float64]:
    return BagRun(mentions, labels, by_name, Quiet(), together=False, seed=seed, threads=threads).final_log_odds()
