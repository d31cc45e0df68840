"""The estimator: vectors and names in, a partition with memberships out, in the time that is given."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from crossdoc import errors
from crossdoc.cluster.baselines import with_constraints
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.inputs import check_seed, validated
from crossdoc.cluster.sampling import learning
from crossdoc.cluster.sampling.bag_run import BagRun
from crossdoc.cluster.sampling.bags import Mentions, are_words, present
from crossdoc.cluster.sampling.checkpoint import Checkpoint, corpus_fingerprint, fingerprint
from crossdoc.cluster.sampling.engine import Engine
from crossdoc.cluster.sampling.features import Agreeing, checked_rows, name_codes, row_order, with_names
from crossdoc.cluster.sampling.hierarchy import Meeting
from crossdoc.cluster.sampling.memory import check_memory, say_if_compiling
from crossdoc.cluster.sampling.model import FactorGraph
from crossdoc.cluster.sampling.posterior import (
    Samples,
    conditional_memberships,
    pair_probability,
    sampled_memberships,
    settled,
)
from crossdoc.cluster.sampling.run import Plan, Round, Run
from crossdoc.cluster.sampling.schedule import HIERARCHIES, Hierarchy, Schedule
from crossdoc.cluster.sampling.shards import partitions_for
from crossdoc.cluster.sampling.telling import Which, mentions_that_tell, words_that_count
from crossdoc.constraints import Constraints
from crossdoc.model import Partition, Vectors
from crossdoc.progress import Progress, Quiet

Proposals = Literal["informed", "flat"]
Model = Literal["bags", "pairs"]
OF_PAIRS = {"bias": None, "name_weight": None, "clash_weight": 0.0, "proposals": "informed", "hierarchy": "combined",
            "temperature": 0.0, "partitions": None, "samples": 0, "sub_bias": None, "united_bias": None}  # fmt: skip
"""Parameters that only the pairwise model has, and what they are if nothing is asked for."""
SECONDS_BETWEEN_CHECKPOINTS = 60.0


class SamplingClustering(ClusterMixin, BaseEstimator):
    """Entities of millions of mentions on one machine: by bags, or by the factor graph of Singh et al. 2011.

    By bags (:mod:`crossdoc.cluster.sampling.bags`) a mention goes where its words and name are most likely, given the
    bag of words and names of the rest of the entity and the background of its topic. In the pairwise model the
    affinity of two mentions is ψ = cos(contexts) + name_weight·[same name] − clash_weight·[names clash] − bias;
    S = Σψ over the pairs within entities, and p ∝ exp(2S / temperature).

    Parameters
    ----------
    bias : float or None, default None
        What two mentions must have in common on average to be one entity; None estimates it without labels, see
        :func:`crossdoc.cluster.sampling.learning.unsupervised`.
    name_weight : float or None, default None
        What the same name is worth; None estimates it with the bias.
    clash_weight : float, default 0.0
        What two names cost that cannot be one entity's (`agreeing` in `fit`): 0 lets contexts alone join "Bill"
        and "Hillary Clinton", 1 or more never joins them. A mention without a name clashes with all others.
    proposals : {"informed", "flat"}, default "informed"
        "informed" draws targets from postings of a mention's heavy features and name; "flat" is the paper's
        uniform proposal.
    hierarchy : {"combined", "sub", "super", "flat"}, default "combined"
        "combined" moves mentions, whole entities and sub-entities in turn and lets canopies (super-entities)
        decide who meets; "sub" has the blocks alone, "super" the canopies alone, "flat" neither.
    max_iter : int, default 100
        Maximum number of rounds; a round is one sweep over all nodes.
    time_limit : float or None, default None
        Maximum number of seconds of search, after the bias has been estimated.
    tol : float, default 0.0001
        At temperature 0, stop when a whole cycle of levels raised S by less than this share of it; by bags, when
        a sweep moved fewer than fifty times this share of the mentions, or a cycle ended no higher than the last.
    temperature : float or tuple[float, float], default 0.0
        0 takes the best move each time; a number is fixed; (start, end) falls geometrically over the run.
    threads : int or None, default None
        Threads at work; None is all cores.
    partitions : int or None, default None
        Disjoint sets of entities in a round of the pairwise model; None follows from the number of rows: 1 below
        5,000, 2 below 78,000, then as its root. On an engine of several machines bags have partitions, too.
    start : str or ndarray, default "singletons"
        "singletons", "names" (string match), or labels to begin with.
    samples : int, default 0
        Partitions to draw at temperature 1 after the search, for posteriors.
    model : {"bags", "pairs"} or None, default None
        "bags" or "pairs"; None takes bags, unless something is asked for that only the pairwise model has (bias,
        name_weight, clash_weight, proposals, hierarchy, temperature, partitions, samples, sub_bias, united_bias,
        weights of rows), or rows are not like words: negative, or mostly other than 0.
    words : {"all", "some", "none"} or None, default None
        The words that bags count: all, without those of articles, or names alone; None measures which of these agree
        with the names. The pairwise model counts all.
    sub_bias : float or None, default None
        The bias of sub-entities; None is 3 × bias.
    united_bias : float or None, default None
        If given, the bias between united bags of blocks: the paper's own factors for blocks, instead of sums over
        pairs.
    random_state : int, default 0
        The same seed, partitions and rounds give the same answer, whatever the number of threads and the order of
        the rows.
    checkpoint : path or None, default None
        A file to which the run is saved every minute and at its end.
    resume : bool, default False
        Whether to continue from it.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.

    Attributes
    ----------
    labels_ : ndarray of int
        The best partition found.
    partition_ : Partition
        Memberships: with `samples` the expected share of a mention's entity that lies in each cluster, else where
        it would go at temperature 1 if all others stayed.
    energy_ : float
        S of the best partition; by bags the log odds of all mentions with their entities, added up.
    n_iter_ : int
        The rounds done.
    bias_ : float
        The bias that was used (NaN by bags).
    name_weight_ : float
        The name weight that was used (NaN by bags).
    weights_origin_ : str
        How both were found.
    history_ : list
        One :class:`~crossdoc.cluster.sampling.run.Round` for each round.
    samples_ : ndarray
        The labels of each sample, one per row.
    n_features_in_ : int
        Columns of X.
    stopped_ : str
        "converged", "rounds", "time" or "interrupted" (Ctrl-C; the best so far is the answer).

    Notes
    -----
    A proposal costs O(non-zeros of the row), a round O(non-zeros); memory about 40 bytes for each non-zero.

    References
    ----------
    Singh, Subramanya, Pereira, McCallum 2011, Large-Scale Cross-Document Coreference Using Distributed Inference and
    Hierarchical Models, ACL. https://aclanthology.org/P11-1080

    Examples
    --------
    >>> rows = Vectors(sparse.csr_matrix(np.array([[1.0, 0], [0.8, 0.6], [0, 1]])))
    >>> SamplingClustering(bias=0.7, threads=1).fit(rows).labels_.tolist()
    [0, 0, 1]
    """

    def __init__(
        self,
        bias: float | None = None,
        name_weight: float | None = None,
        clash_weight: float = 0.0,
        proposals: Proposals = "informed",
        hierarchy: Hierarchy = "combined",
        max_iter: int = 100,
        time_limit: float | None = None,
        tol: float = 1e-4,
        temperature: float | tuple[float, float] = 0.0,
        threads: int | None = None,
        partitions: int | None = None,
        start: str | npt.NDArray[Any] = "singletons",
        samples: int = 0,
        model: Model | None = None,
        words: Which | None = None,
        sub_bias: float | None = None,
        united_bias: float | None = None,
        random_state: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.bias = bias
        self.name_weight = name_weight
        self.clash_weight = clash_weight
        self.proposals = proposals
        self.hierarchy = hierarchy
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.tol = tol
        self.temperature = temperature
        self.threads = threads
        self.partitions = partitions
        self.start = start
        self.samples = samples
        self.model = model
        self.words = words
        self.sub_bias = sub_bias
        self.united_bias = united_bias
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.resume = resume
        self.progress = progress

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(
        self,
        X: Vectors | sparse.csr_matrix | npt.NDArray[Any],
        y: object = None,
        *,
        names: Sequence[str] | npt.NDArray[Any] | None = None,
        agreeing: Agreeing | None = None,
        constraints: Constraints | None = None,
        sample_weight: npt.NDArray[Any] | None = None,
    ) -> SamplingClustering:
        """Cluster the rows of X (contexts of unit length); `names` are compared as they are written.

        `sample_weight` counts a row as that many mentions that must be one. `agreeing` takes the distinct names and
        returns which can be one entity's, as :func:`crossdoc.names.agreeing_names` does; a `clash_weight` needs it.
        """
        self._check_parameters()
        if names is None and isinstance(self.start, str) and self.start == "names":
            raise errors.start_without_names()
        if names is not None and self.clash_weight and agreeing is None:
            raise errors.clash_without_agreeing()
        matrix = checked_rows(validated(self, X, errors.bad_vectors, accept_sparse=True))
        n = matrix.shape[0]
        report = self.progress or Quiet()
        threads = self.threads or os.cpu_count() or 1
        limits = constraints or Constraints.none(n)
        check_memory(n, matrix.nnz)
        say_if_compiling(report)
        if limits.n != n:
            raise errors.constraints_of_other_rows(limits.n, n)
        self._order = row_order(matrix, names)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        by_bags = self._by_bags(matrix, weights)
        # Of bags it counts which words a row has, and the rows may be the largest thing in memory.
        matrix = (present(matrix) if by_bags else matrix)[self._order]
        limits = limits.restrict(self._order)
        limits = replace(limits, group=renumber(limits.group))
        names = None if names is None else np.asarray(names, dtype=object)[self._order]
        weights = weights[self._order] if weights is not None and weights.shape == (n,) else weights
        del X
        if by_bags:
            mentions = Mentions.of(matrix, names, limits, threads)
            del matrix
            self._fit_bags(mentions, names, limits, threads, report)
        else:
            given = [matrix]
            del matrix
            self._fit_pairs(given, names, agreeing, limits, weights, threads, report)
        self._in_given_order()
        return self

    def _fit_pairs(
        self, given: list[sparse.csr_matrix], names: Any, agreeing: Agreeing | None, limits: Constraints, weights: Any,
        threads: int, report: Progress,
    ) -> None:  # fmt: skip
        matrix = given.pop()
        self._choose_weights(matrix, names, report)
        clash = self.clash_weight if names is not None else 0.0
        # Names that agree get it back.
        self._bias = self.bias_ + clash
        rows = with_names(matrix, names, self.name_weight_, self.clash_weight, agreeing)
        graph = FactorGraph.of(*rows, limits, weights)
        # The graph holds all that is needed, and the rows may be the largest thing in memory.
        del matrix, rows
        node = np.unique(limits.group, return_inverse=True)[1]
        run = self._run(graph, node, names, limits, threads, report)
        meeting: Meeting = "canopies" if self.hierarchy in ("combined", "super") else "random"
        with Engine(threads, self.partitions or partitions_for(graph.n), meeting) as engine:
            self.stopped_ = run.go(engine, self.max_iter, self.time_limit, self._saver())
            self._save(run)
            drawn = self._draw(run, engine, report)
        self._finish(run, drawn, node, limits)

    def _in_given_order(self) -> None:
        """What was found, row by row as the caller gave them, clusters numbered by their first rows there."""
        place = np.argsort(self._order)
        before: npt.NDArray[np.int32] = self.labels_[place]
        membership: sparse.csr_matrix = self.partition_.membership[place]
        self.labels_: npt.NDArray[np.int32] = renumber(before) if len(before) else before
        column = np.zeros(membership.shape[1], dtype=np.int64)
        column[self.labels_] = before
        self.samples_: Samples = self.samples_[:, place]
        self.partition_: Partition = Partition([str(i) for i in range(len(place))], membership[:, column])

    def _by_bags(self, matrix: sparse.csr_matrix, weights: object) -> bool:
        asked = [name for name, usual in OF_PAIRS.items() if getattr(self, name) != usual]
        asked += ["sample_weight"] * (weights is not None)
        words = are_words(matrix)
        if self.model == "bags" and asked:
            raise errors.only_of_pairs(asked)
        if self.model == "bags" and not words:
            raise errors.bad_vectors("bags are of words, and these rows are negative or mostly other than 0")
        return self.model == "bags" or (self.model is None and not asked and words)

    def _fit_bags(self, mentions: Mentions, names: Any, limits: Constraints, threads: int, report: Progress) -> None:
        node = np.unique(limits.group, return_inverse=True)[1]
        start = self._start(node, names, limits)
        by_name, names_differ = self._by_name(node, names)
        self.bias_ = float("nan")
        self.name_weight_, self._bias = self.bias_, self.bias_
        telling: Which = "all"
        if names_differ or self.words is not None:
            mentions, telling = mentions_that_tell(mentions, by_name, self.random_state, threads, self.words)
        rows = mentions.words, mentions.names, mentions.limits
        self._corpus = "" if self.checkpoint is None else fingerprint([each for row in rows for each in row])
        settings = mentions, start, by_name, report, not self._from_singletons, self.tol, self.random_state, threads
        run = BagRun(*settings)
        if self.resume and self.checkpoint is not None and Path(self.checkpoint).exists():
            loaded = Checkpoint.load(Path(self.checkpoint), self._corpus, self._settings(), mentions.n)
            history = [Round(**record) for record in loaded.history]
            state = loaded.rounds, loaded.seconds, history, loaded.best > 0
            run = BagRun(mentions, loaded.labels, *settings[2:], *state)
        with Engine(threads) as engine:
            self.stopped_ = run.go(engine, self.max_iter, self.time_limit, self._saver())
            self._save(run)
        self.labels_ = renumber(run.labels[node]) if len(node) else run.labels
        self.energy_ = run.final_energy() if run.history else 0.0
        self.n_iter_, self.history_ = run.rounds, run.history
        self.samples_ = np.zeros((0, len(node)), dtype=np.int32)
        self.weights_origin_ = words_that_count(telling)
        if telling != "none":
            self.weights_origin_ += f": {run.strengths_now}"
        numbers = np.zeros(mentions.n, dtype=np.int32)
        numbers[node] = self.labels_
        memberships = settled(run.memberships(numbers)[node], self.labels_, limits)
        self.partition_ = Partition([str(i) for i in range(len(node))], memberships)

    def coreference(self, pairs: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The probability that the mentions of each pair are one entity, from the samples."""
        check_is_fitted(self)
        if not len(self.samples_):
            raise errors.not_a_number("samples", self.samples, "at least 1, since probabilities come from samples")
        asked = np.asarray(pairs)
        n = self.samples_.shape[1]
        if (
            asked.ndim != 2
            or asked.shape[1] != 2
            or asked.dtype.kind not in "iu"
            or not ((asked >= 0) & (asked < n)).all()
        ):
            raise errors.not_a_number("pairs", asked.shape, f"two columns of row numbers from 0 to {n - 1:,}")
        return pair_probability(self.samples_, asked)

    def _check_parameters(self) -> None:
        for what, name, known in (
            ("kind of proposals", self.proposals, ["informed", "flat"]),
            ("hierarchy", self.hierarchy, list(HIERARCHIES)),
            ("model", self.model or "bags", ["bags", "pairs"]),
            ("words", self.words or "all", ["all", "some", "none"]),
        ):
            if name not in known:
                raise errors.unknown_choice(what, name, known)
        if isinstance(self.start, str) and self.start not in ("singletons", "names"):
            raise errors.unknown_choice("start", self.start, ["singletons", "names"])
        Schedule(self.temperature)
        check_seed(self.random_state)
        for what, value, lowest in (
            ("max_iter", self.max_iter, 0), ("samples", self.samples, 0),
            ("threads", 1 if self.threads is None else self.threads, 1),
            ("partitions", 1 if self.partitions is None else self.partitions, 1),
        ):  # fmt: skip
            if not isinstance(value, int | np.integer) or value < lowest:
                raise errors.not_a_number(what, value, f"a whole number of {lowest} or more")
        if self.resume and self.checkpoint is None:
            raise errors.resume_without_checkpoint()
        if self.hierarchy in ("flat", "super") and (self.sub_bias is not None or self.united_bias is not None):
            raise errors.no_blocks(self.hierarchy)
        if self.united_bias is not None and self.clash_weight:
            raise errors.united_with_clash()
        for what, number, least in (
            ("bias", self.bias, None), ("name_weight", self.name_weight, 0), ("time_limit", self.time_limit, 0),
            ("clash_weight", self.clash_weight, 0), ("tol", self.tol, 0),
            ("sub_bias", self.sub_bias, None), ("united_bias", self.united_bias, None),
        ):  # fmt: skip
            if number is None:
                continue
            if not isinstance(number, Real) or not np.isfinite(number) or (least is not None and number < least):
                raise errors.not_a_number(what, number, "a finite number" + ("" if least is None else " of 0 or more"))

    def _choose_weights(self, matrix: sparse.csr_matrix, names: Any, report: Progress) -> None:
        if self.bias is not None and (self.name_weight is not None or names is None):
            self.bias_, self.name_weight_, self.weights_origin_ = (
                float(self.bias),
                float(self.name_weight or 0.0),
                "given",
            )
            return
        report.start("estimating the bias without labels")
        found = learning.unsupervised(
            matrix, names, bias=self.bias, name_weight=self.name_weight, seed=self.random_state
        )
        self.bias_, self.name_weight_, self.weights_origin_ = found

    def _plan(self) -> Plan:
        return Plan(
            self._bias,
            self.hierarchy,
            self.proposals == "informed",
            Schedule(self.temperature),
            self._bias - self.bias_ + (learning.SUB_BIAS * self.bias_ if self.sub_bias is None else self.sub_bias),
            self.united_bias,
            falling=self._from_singletons and Schedule(self.temperature).start == 0,
            thorough=not self._from_singletons,
            clash=self._bias - self.bias_,
            tolerance=self.tol,
            seed=self.random_state,
        )

    def plan_for(self, bias: float, name_weight: float, named: bool) -> tuple[Plan, Meeting]:
        """What a run with these weights does, and how entities meet, for runs over partitions."""
        self.bias_, self.name_weight_ = bias, name_weight
        self._bias = bias + (self.clash_weight if named else 0.0)
        return self._plan(), "canopies" if self.hierarchy in ("combined", "super") else "random"

    def _settings(self) -> str:
        """What the course of a run depends on, apart from its length."""
        values = [self._bias, self.name_weight_, self.hierarchy, self.proposals, self.temperature, self.sub_bias,
                  self.united_bias, self.random_state, self.partitions,
                  self._from_singletons]  # fmt: skip
        return json.dumps(values)

    def _run(
        self, graph: FactorGraph, node: Any, names: Any, limits: Constraints, threads: int, report: Progress
    ) -> Run:
        plan = self._plan()
        self._corpus = corpus_fingerprint(graph) if self.checkpoint is not None else ""
        if self.resume and self.checkpoint is not None and Path(self.checkpoint).exists():
            loaded = Checkpoint.load(Path(self.checkpoint), self._corpus, self._settings(), graph.n)
            history = [Round(**record) for record in loaded.history]
            state = loaded.rounds, loaded.seconds, history, loaded.best
            return Run(graph, plan, loaded.labels, report, *state, threads=threads)
        return Run(graph, plan, self._start(node, names, limits), report, threads=threads)

    def _start(self, node: npt.NDArray[Any], names: Any, limits: Constraints) -> npt.NDArray[np.int32]:
        """The first labels of the nodes, mended where they break a constraint."""
        first = np.unique(node, return_index=True)[1]
        if self._from_singletons:
            return np.arange(len(first), dtype=np.int32)
        if isinstance(self.start, str):
            labels = _by_spelling(names)
        else:
            labels = np.asarray(self.start)
            if labels.shape != node.shape or labels.dtype.kind not in "iuU":
                raise errors.bad_start(len(node))
            labels = labels[self._order]
        return renumber(with_constraints(renumber(labels), limits)[first])

    def _by_name(self, node: npt.NDArray[Any], names: Any) -> tuple[npt.NDArray[np.int32], bool]:
        """Nodes of one name together, unless all have the same or none; and whether names differ."""
        first = np.unique(node, return_index=True)[1]
        alone = np.arange(len(first), dtype=np.int32)
        labels = alone if names is None else renumber(_by_spelling(names)[first])
        differ = 0 < int(labels.max(initial=0)) < len(first) - 1
        return labels if labels.max(initial=0) > 0 else alone, differ

    @property
    def _from_singletons(self) -> bool:
        return isinstance(self.start, str) and self.start == "singletons"

    def _saver(self) -> Any:
        last = time.monotonic()

        def save(run: Run | BagRun) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS_BETWEEN_CHECKPOINTS:
                self._save(run)
                last = time.monotonic()

        return None if self.checkpoint is None else save

    def _save(self, run: Run | BagRun) -> None:
        if self.checkpoint is not None:
            rounds, labels, best = run.saved
            history = [asdict(record) for record in run.history[:rounds]]
            state = (rounds, run.seconds, labels, best, history)
            Checkpoint(self._corpus, self._settings(), *state).save(Path(self.checkpoint))

    def _draw(self, run: Run, engine: Engine, report: Progress) -> Samples:
        """Partitions at temperature 1, one a sweep of proposals, beginning at the best one."""
        wanted = self.samples if self.stopped_ != "interrupted" else 0
        if not wanted:
            return np.zeros((0, run.graph.n), dtype=np.int32)
        engine.stop[0] = 0
        report.start("drawing samples", wanted)
        labels, drawn = run.best, []
        for number in range(wanted):
            seed = self.random_state + 1_000_003 * (number + 1)
            labels, _ = engine.run(
                run.graph, labels, run.neighbours(seed), self._bias, temperature=1.0, sweeps=4.0, seed=seed
            )
            drawn.append(labels)
            report.advance()
            if engine.interrupted:
                self.stopped_ = "interrupted"
                break
        return np.stack(drawn)

    def _finish(self, run: Run, drawn: Samples, node: npt.NDArray[Any], limits: Constraints) -> None:
        best = renumber(run.best) if run.graph.n else run.best
        self.labels_ = renumber(best[node]) if len(node) else best
        self.energy_ = run.graph.energy(best, self._bias) if run.graph.n else 0.0
        self.n_iter_, self.history_ = run.rounds, run.history
        self.samples_ = drawn[:, node]
        if len(drawn):
            memberships = sampled_memberships(self.samples_, self.labels_, limits)
        else:
            near = np.zeros((run.graph.n, 0), dtype=np.int32)
            if run.postings is not None:
                near = run.neighbours(self.random_state)
            relabelled = np.zeros(run.graph.n, dtype=np.int32)
            relabelled[node] = self.labels_
            alone = conditional_memberships(run.graph, relabelled, near, self._bias, run.threads)
            memberships = settled(alone[node] if len(node) else alone, self.labels_, limits)
        self.partition_ = Partition([str(i) for i in range(len(node))], memberships)


def _by_spelling(names: Any) -> npt.NDArray[np.int64]:
    return by_code(name_codes(names)[0])


def by_code(code: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Label rows by the codes of their names; a row without a name (−1) is alone.

    >>> by_code(np.array([0, -1, 0, -1], dtype=np.int32)).tolist()
    [0, 2, 0, 4]
    """
    return np.where(code >= 0, code.astype(np.int64), int(code.max(initial=-1)) + 1 + np.arange(len(code)))
