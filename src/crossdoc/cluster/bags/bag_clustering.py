"""Estimator of the bag model: vectors and names in, a partition with memberships out."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.bags.bag_run import BagRun
from crossdoc.cluster.bags.bags import BagMentions, are_words, present
from crossdoc.cluster.bags.informative_words import WordChoice, mentions_that_tell, words_that_count
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling.mention_clusterer import MentionClusterer, Names, label_by_code, name_codes
from crossdoc.cluster.sampling.pair_run import Workers
from crossdoc.cluster.sampling.sampling_clustering import settled
from crossdoc.model import Vectors
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress


@dataclass(eq=False, repr=False)
class BagClustering(MentionClusterer):
    """Entities of many mentions, each compared with the bag of words and names of an entity.

    A mention goes to the entity under which its words and name are most likely, given the bag of words and names of
    the other members and the background of its topic (:mod:`crossdoc.cluster.bags.bags`). The values of X do not
    count, only which words a row has.

    Parameters
    ----------
    max_iter : int, default 100
        Maximum number of rounds; a round is one sweep over all mentions or all bags.
    time_limit : float or None, default None
        Maximum number of seconds of search.
    tol : float, default 0.0001
        Stop when a sweep moved fewer than fifty times this share of the mentions, or a cycle ended no higher than
        the one before.
    threads : int or None, default None
        Number of threads; None is all cores.
    start : str or ndarray, default "singletons"
        "singletons", "names" (string match), or labels to begin with.
    words : {"all", "some", "none"} or None, default None
        The words that count: all, all without those of articles, or none, so that names are entities; None measures
        which of these agree with the names.
    random_state : int, default 0
        The same seed and rounds give the same answer, whatever the number of threads and the order of the rows.
    checkpoint : path or None, default None
        A file to which the run is saved every 15 seconds and at its end.
    resume : bool, default False
        Whether to continue from it.
    progress : Progress or None, default None
        Receiver of progress reports; None reports nothing.

    Attributes
    ----------
    labels_ : ndarray of int
        The last partition.
    partition_ : Partition
        Memberships: the probability of each entity if all other mentions stay.
    energy_ : float
        Sum over mentions of the log odds of a mention with its entity against an entity of its own.
    n_iter_ : int
        The number of rounds done.
    weights_origin_ : str
        The words that count, and the fitted strengths of words and names.
    history_ : list
        One :class:`~crossdoc.cluster.sampling.pair_run.Round` for each round.
    n_features_in_ : int
        Columns of X.
    stopped_ : str
        "converged", "rounds", "time" or "interrupted" (Ctrl-C; the labels so far are the answer).

    Notes
    -----
    A round is linear in the words of the mentions.

    Examples
    --------
    >>> rows = sparse.csr_matrix(np.repeat(np.eye(2, 9), 4, axis=0))
    >>> BagClustering(words="all", threads=1).fit(rows, names=["Ann"] * 4 + ["Bo"] * 4).labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """

    max_iter: int = 100
    time_limit: float | None = None
    tol: float = 1e-4
    threads: int | None = None
    start: str | npt.NDArray[Any] = "singletons"
    words: WordChoice | None = None
    random_state: int = 0
    checkpoint: str | os.PathLike[str] | None = None
    resume: bool = False
    progress: Progress | None = None

    def fit(
        self,
        X: Vectors | sparse.csr_matrix | npt.NDArray[Any],
        y: object = None,
        *,
        names: Names | None = None,
        constraints: Constraints | None = None,
    ) -> BagClustering:
        """Cluster the rows of X (one per mention, a column per word); `names` are compared as they are written."""
        matrix, names, limits = self._read(X, names, constraints)
        if not are_words(matrix):
            raise errors.not_words()
        # The rows may be the largest thing in memory, and their values do not count.
        matrix = present(matrix)[self._order]
        del X
        mentions = BagMentions.of(matrix, names, limits, self._n_threads)
        del matrix
        node = np.unique(limits.group, return_inverse=True)[1]
        start = self._start_labels(node, names, limits)
        by_name, names_differ = _nodes_by_name(node, names)
        words: WordChoice = "all"
        if names_differ or self.words is not None:
            mentions, words = mentions_that_tell(mentions, by_name, self.random_state, self._n_threads, self.words)
        run = self._run(mentions, start, by_name)
        with Workers(self._n_threads) as workers:
            self.stopped_ = run.go(workers, self.max_iter, self.time_limit, self._saver())
            self._save(run)
        self._finish(run, words, node, limits)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.words not in (None, *(known := get_args(WordChoice))):
            raise errors.unknown_choice("choice of words", str(self.words), list(known))

    def _settings(self) -> str:
        return json.dumps([self.random_state, self._from_singletons])

    def _run(self, mentions: BagMentions, start: npt.NDArray[np.int32], by_name: npt.NDArray[np.int32]) -> BagRun:
        rows = mentions.words, mentions.names, mentions.limits
        how = by_name, self._report, not self._from_singletons, self.tol, self.random_state, self._n_threads
        if (saved := self._saved_run((each for row in rows for each in row), mentions.n)) is None:
            return BagRun(mentions, start, *how)
        state, labels, settled_ones = saved
        return BagRun(mentions, labels, *how, state.rounds, state.seconds, state.history, settled_ones > 0)

    def _finish(self, run: BagRun, words: WordChoice, node: npt.NDArray[Any], limits: Constraints) -> None:
        labels = renumber(run.labels[node]) if len(node) else run.labels
        self.energy_ = run.energy(refit=True) if run.history else 0.0
        self.n_iter_, self.history_ = run.rounds, run.history
        self.weights_origin_ = words_that_count(words)
        if words != "none":
            self.weights_origin_ += f": {run.strengths_now}"
        numbers = np.zeros(run.mentions.n, dtype=np.int32)
        numbers[node] = labels
        self._set_answer(labels, settled(run.memberships(numbers)[node], labels, limits))


def _nodes_by_name(node: npt.NDArray[Any], names: Any) -> tuple[npt.NDArray[np.int32], bool]:
    """Label nodes by name, or alone if all have one name or none; also return whether names differ."""
    first = np.unique(node, return_index=True)[1]
    alone = np.arange(len(first), dtype=np.int32)
    labels = alone if names is None else renumber(label_by_code(name_codes(names)[0])[first])
    differ = 0 < int(labels.max(initial=0)) < len(first) - 1
    return labels if labels.max(initial=0) > 0 else alone, differ
