"""Estimator of the pairwise model of Singh et al. 2011: vectors and names in, a partition with memberships out.

At temperature 1 the chain's partitions are draws from the model (Singh et al. 2011, equation 1, with log p = 2S), if
there is one partition of the nodes.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.cluster.estimators import A_LITTLE, MOST_ALTERNATIVES, SMALLEST_MEMBERSHIP, _keep_apart
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling import learning
from crossdoc.cluster.sampling.entity_tables import MASS, ask_entity, entities_of, entity_dot
from crossdoc.cluster.sampling.factor_graph import FactorGraph, in_pieces, members_of
from crossdoc.cluster.sampling.mention_clusterer import Agreeing, MentionClusterer, Names, with_names
from crossdoc.cluster.sampling.pair_moves import limit_sum
from crossdoc.cluster.sampling.pair_run import CYCLES, Hierarchy, PairRun, Plan, Schedule, Workers, partitions_for
from crossdoc.cluster.sampling.proposals import Meeting, Neighbours
from crossdoc.model import Vectors
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress


def conditional_memberships(
    graph: FactorGraph, labels: npt.NDArray[np.int32], neighbours: Neighbours, bias: float, threads: int = 1
) -> sparse.csr_matrix:
    """u_ic ∝ exp(2 Σψ(i, c)): where a node would go at temperature 1 if all others stayed; candidates as for moves."""
    n, k = graph.n, int(labels.max(initial=-1)) + 1
    if not n:
        return sparse.csr_matrix((0, 0))
    nodes = np.arange(n, dtype=np.int32)
    entities = entities_of(graph.rows, nodes, labels)
    entity = np.full((n, MOST_ALTERNATIVES + 1), -1, dtype=np.int32)
    value = np.zeros(entity.shape)
    # Members of an entity one after another find its table in the cache.
    args = graph.rows, entities, neighbours, members_of(labels)[0], bias, graph.unit_value
    in_pieces(conditionals, n, threads, *args, entity, value)
    valid = entity >= 0
    row = np.repeat(nodes, valid.sum(axis=1))
    values = np.where(valid, 2 * value, -np.inf)
    weight = np.exp(values - values.max(axis=1, keepdims=True))[valid]
    return sparse.csr_matrix((weight, (row, entity[valid])), shape=(n, k))


def settled(memberships: sparse.csr_matrix, labels: npt.NDArray[Any], constraints: Constraints) -> sparse.csr_matrix:
    """Rows that add up to 1, whose largest is the label, and that honour the constraints.

    Rows that must be one share theirs; a cluster that holds a row it may not be with counts nothing.
    """
    n = memberships.shape[0]
    if not n:
        return memberships
    _, first, group = np.unique(constraints.group, return_index=True, return_inverse=True)
    joined = sparse.csr_matrix((np.ones(n), (group, np.arange(n))), shape=(len(first), n)) @ memberships
    shared = normalize(joined.tocsr(), norm="l1").tolil() if len(constraints.cannot) else normalize(joined, norm="l1")
    home = labels[first].astype(np.int64)
    for a, b in group[constraints.cannot]:
        shared[a, home[b]] = 0
        shared[b, home[a]] = 0
    shared = sparse.csr_matrix(shared)
    shared.data[shared.data < SMALLEST_MEMBERSHIP] = 0
    rows = np.arange(len(first))
    own = np.asarray(shared[rows, home]).ravel()
    others = shared - sparse.csr_matrix((own, (rows, home)), shape=shared.shape)
    own = np.maximum(own, others.max(axis=1).toarray().ravel() * (1 + A_LITTLE))
    own[own == 0] = 1.0
    shared = others + sparse.csr_matrix((own, (rows, home)), shape=shared.shape)
    shared.eliminate_zeros()
    shared = normalize(sparse.csr_matrix(shared), norm="l1")
    _keep_apart(shared, home, group[constraints.cannot])
    return shared[group]


@njit(cache=True, nogil=True)
def conditionals(rows, entities, neighbours, order, bias, unit_value, entity, value, first, last):  # type: ignore[no-untyped-def]
    """For each node its own entity (without it) and some others that hold neighbours of it, with Σψ."""
    labels, record, arena = entities.label, entities.record, entities.arena
    query, query_start, cells, start = rows.query_cells, rows.query_start, rows.cells, rows.start
    limits = rows.limit_start, rows.limit_other, rows.limit_weight
    for i in range(first, last):
        node = order[i]
        entity[node, 0] = labels[node]
        many = 1
        for other in neighbours[node]:
            if other < 0 or many == entity.shape[1]:
                continue
            e = labels[other]
            at = 0
            while at < many and entity[node, at] != e:
                at += 1
            if at == many:
                entity[node, many] = e
                many += 1
                ask_entity(query, query_start, cells, start, record, arena, node, np.int64(e))
        for at in range(many):
            e = np.int64(entity[node, at])
            dot = entity_dot(query, query_start, cells, start, record, arena, node, e)
            mass = record[e, MASS]
            if at == 0:
                dot, mass = dot - rows.own[node], mass - rows.size[node]
            value[node, at] = np.float64(dot) * unit_value - bias * np.float64(rows.size[node]) * np.float64(mass)
            if limits[0][node + 1] > limits[0][node]:
                value[node, at] += limit_sum(*limits, labels, node, e)


Proposals = Literal["informed", "flat"]


@dataclass(eq=False, repr=False)
class SamplingClustering(MentionClusterer):
    """Entities of many mentions, sampled from the pairwise factor graph of Singh et al. 2011.

    The affinity of two mentions is ψ = cos(contexts) + name_weight·[same name] − clash_weight·[names clash] − bias.
    S = Σψ over the pairs within entities, and p ∝ exp(2S / temperature). For tables of names and contexts,
    :class:`~crossdoc.cluster.BagClustering` needs no bias and usually finds more.

    Parameters
    ----------
    bias : float or None, default None
        Mean affinity above which two groups of mentions are one entity; None estimates it without labels, see
        :func:`crossdoc.cluster.sampling.learning.unsupervised`.
    name_weight : float or None, default None
        Affinity of two mentions with the same name; None estimates it with the bias.
    clash_weight : float, default 0.0
        Cost of a pair of names that cannot belong to one entity (`agreeing` in `fit`): 0 lets contexts alone join
        "Bill" and "Hillary Clinton", 1 or more never joins them. A mention without a name clashes with all others.
    proposals : {"informed", "flat"}, default "informed"
        "informed" draws targets from postings of a mention's heavy features and name; "flat" is the paper's
        uniform proposal.
    hierarchy : {"combined", "sub", "super", "flat"}, default "combined"
        "combined" moves mentions, entities and sub-entities in turn, and canopies (super-entities) decide which
        entities meet; "sub" has the blocks only, "super" the canopies only, "flat" neither.
    max_iter : int, default 100
        Maximum number of rounds; a round is one sweep over all nodes.
    time_limit : float or None, default None
        Maximum number of seconds of search, after the bias has been estimated.
    tol : float, default 0.0001
        At temperature 0, stop when a full cycle of levels raised S by less than this share of it.
    temperature : float or tuple[float, float], default 0.0
        0 takes the best move each time; a number is fixed; (start, end) falls geometrically over the run.
    threads : int or None, default None
        Number of threads; None is all cores.
    partitions : int or None, default None
        Disjoint sets of entities in a round; None follows from the number of rows: 1 below 5,000, 2 below 78,000,
        then proportional to its square root.
    start : str or ndarray, default "singletons"
        "singletons", "names" (string match), or labels to begin with.
    united_bias : float or None, default None
        If given, the bias between united bags of blocks: the paper's own factors for blocks, instead of sums over
        pairs.
    random_state : int, default 0
        The same seed, partitions and rounds give the same answer, whatever the number of threads and the order of
        the rows.
    checkpoint : path or None, default None
        A file to which the run is saved every 15 seconds and at its end.
    resume : bool, default False
        Whether to continue from it.
    progress : Progress or None, default None
        Receiver of progress reports; None reports nothing.

    Attributes
    ----------
    labels_ : ndarray of int
        The best partition found.
    partition_ : Partition
        Memberships: the probability of each cluster at temperature 1 if all other mentions stay.
    energy_ : float
        S of the best partition.
    n_iter_ : int
        The number of rounds done.
    bias_ : float
        The bias that was used.
    name_weight_ : float
        The name weight that was used.
    weights_origin_ : str
        How both were found.
    history_ : list
        One :class:`~crossdoc.cluster.sampling.pair_run.Round` for each round.
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

    bias: float | None = None
    name_weight: float | None = None
    clash_weight: float = 0.0
    proposals: Proposals = "informed"
    hierarchy: Hierarchy = "combined"
    max_iter: int = 100
    time_limit: float | None = None
    tol: float = 1e-4
    temperature: float | tuple[float, float] = 0.0
    threads: int | None = None
    partitions: int | None = None
    start: str | npt.NDArray[Any] = "singletons"
    united_bias: float | None = None
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
        agreeing: Agreeing | None = None,
        constraints: Constraints | None = None,
    ) -> SamplingClustering:
        """Cluster the rows of X (contexts of unit length); `names` are compared as they are written.

        `agreeing` takes the distinct names and returns which pairs can belong to one entity, as
        :func:`crossdoc.names.agreeing_names` does; a `clash_weight` needs it.
        """
        if names is not None and self.clash_weight and agreeing is None:
            raise errors.needs_option("clash_weight", "agreeing=…, which tells which names agree")
        matrix, names, limits = self._read(X, names, constraints)
        matrix = matrix[self._order]
        del X
        self._choose_weights(matrix, names)
        # Names that agree get the clash weight back.
        self._bias = self.bias_ + (self.clash_weight if names is not None else 0.0)
        rows = with_names(matrix, names, self.name_weight_, self.clash_weight, agreeing)
        graph = FactorGraph.of(*rows, limits)
        # The graph holds all that is needed, and the rows may be the largest thing in memory.
        del matrix, rows
        node = np.unique(limits.group, return_inverse=True)[1]
        run = self._run(graph, node, names, limits)
        with Workers(self._n_threads, self.partitions or partitions_for(graph.n), self._meeting) as workers:
            self.stopped_ = run.go(workers, self.max_iter, self.time_limit, self._saver())
            self._save(run)
        self._finish(run, node, limits)
        return self

    def _check_parameters(self) -> None:
        for what, name, known in (
            ("kind of proposals", self.proposals, ["informed", "flat"]),
            ("hierarchy", self.hierarchy, list(CYCLES)),
        ):
            if name not in known:
                raise errors.unknown_choice(what, name, known)
        super()._check_parameters()
        self._check_numbers("partitions", low=1, whole=True)
        Schedule(self.temperature)
        if self.hierarchy in ("flat", "super") and self.united_bias is not None:
            raise errors.not_usable_with("united_bias", f"the hierarchy {self.hierarchy!r}", ["combined", "sub"])
        if self.united_bias is not None and self.clash_weight:
            raise errors.one_of_two("united_bias", "clash_weight")
        self._check_numbers("bias", "united_bias")
        self._check_numbers("name_weight", "clash_weight", low=0)

    def _choose_weights(self, matrix: sparse.csr_matrix, names: Any) -> None:
        if self.bias is not None and (self.name_weight is not None or names is None):
            self.bias_, self.name_weight_ = float(self.bias), float(self.name_weight or 0.0)
            self.weights_origin_ = "given"
            return
        self._report.start("estimating the bias without labels")
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
            self._bias - self.bias_ + learning.SUB_BIAS * self.bias_,
            self.united_bias,
            falling=self._from_singletons and Schedule(self.temperature).start == 0,
            thorough=not self._from_singletons,
            clash=self._bias - self.bias_,
            tolerance=self.tol,
            seed=self.random_state,
        )

    @property
    def _meeting(self) -> Meeting:
        return "canopies" if self.hierarchy in ("combined", "super") else "random"

    def _settings(self) -> str:
        values = [self._bias, self.name_weight_, self.hierarchy, self.proposals, self.temperature, self.united_bias,
                  self.random_state, self.partitions, self._from_singletons]  # fmt: skip
        return json.dumps(values)

    def _run(self, graph: FactorGraph, node: npt.NDArray[Any], names: Any, limits: Constraints) -> PairRun:
        rows = graph.rows
        arrays = [rows.start, rows.cells, rows.size, rows.limit_start, rows.limit_other, rows.limit_weight]
        arrays += [rows.query_cells] * (rows.query_cells is not rows.cells)
        how: dict[str, Any] = {"threads": self._n_threads}
        if (saved := self._saved_run(arrays, graph.n)) is None:
            labels = self._start_labels(node, names, limits)
        else:
            state, labels, best = saved
            how |= {"rounds": state.rounds, "seconds": state.seconds, "history": state.history, "best": best}
        return self._new_run(graph, self._plan(), labels, self._report, **how)

    def _new_run(self, *given: Any, **state: Any) -> PairRun:
        return PairRun(*given, **state)

    def _finish(self, run: PairRun, node: npt.NDArray[Any], limits: Constraints) -> None:
        best = renumber(run.best) if run.graph.n else run.best
        labels = renumber(best[node]) if len(node) else best
        self.energy_ = run.graph.energy(best, self._bias) if run.graph.n else 0.0
        self.n_iter_, self.history_ = run.rounds, run.history
        relabelled = np.zeros(run.graph.n, dtype=np.int32)
        relabelled[node] = labels
        alone = conditional_memberships(
            run.graph, relabelled, run.neighbours(self.random_state), self._bias, run.threads
        )
        self._set_answer(labels, settled(alone[node] if len(node) else alone, labels, limits))
