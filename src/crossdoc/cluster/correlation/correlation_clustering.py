"""The estimator: strengths, a bias and constraints in, labels and, if wanted, how far from the optimum they can be out.

Correlation clustering as in Van Gael & Zhu 2007, "Correlation Clustering for Crosslingual Link Detection". `auto`
is local moves, or chooses by size among the solvers that prove how good their answer is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.correlation import exact, full_program, local_search, relaxation
from crossdoc.cluster.correlation.problem import CorrelationProblem, Missing, Solution, build, group_codes
from crossdoc.cluster.estimators import SimilarityClusterer, check_number, check_seed, leaned, soften, validated
from crossdoc.model import IntArray, Partition, Relations
from crossdoc.model.evidence_protocol import Constraints

Solver = Literal["auto", "exact", "lp", "moves", "full", "chunking"]
SOLVERS: tuple[Solver, ...] = ("auto", "exact", "lp", "moves", "full", "chunking")

EXACT_PAIRS, EXACT_SECONDS = 5_000, 10.0
"""`auto` with a certificate is exact up to so many attractive pairs, for so long (unless a time limit is given)."""
LP_PAIRS, LP_SECONDS = 500_000, 60.0


@dataclass(eq=False, repr=False)
class CorrelationClustering(SimilarityClusterer):
    """The clustering of least disagreement: Σ_{E+} w x + Σ_{E−} |w| (1 − x), x = 1 for a pair that is cut.

    Parameters
    ----------
    solver : {"auto", "exact", "lp", "moves", "full", "chunking"}, default "auto"
        `exact` (integer optimum), `lp` (linear relaxation, rounded by region growing, then local moves), `moves`
        (local search alone, which proves nothing), `full` and `chunking` (the paper's ways to solve the linear
        program; baselines), or `auto`: with a certificate exact up to 5,000 attractive pairs, lp up to 500,000, else
        moves; without one moves.
    certificate : bool, default True
        Whether `auto` is to prove how far from the optimum the answer can be, which takes most of the time, and
        `moves` to search for longer; the other solvers prove it in any case.
    bias : float or None, default None
        A pair's weight is its strength − bias; None where X holds signed weights.
    missing : {"complete", "sparse"}, default "complete"
        A pair not listed has `default_strength` on a `complete` graph (so the weight default − bias), and the
        weight 0 on a `sparse` one.
    time_limit : float or None, default None
        Seconds after which the best found is taken. None: no limit; under `auto` with a certificate 10 s for
        exact and 60 s for lp.
    n_init : int or None, default None
        Starts of the local search, the first one included, of which the best counts; None: by size, 13 or 4 or 1
        (without a certificate 4 or 1).
    random_state : int, default 0
        The same seed gives the same answer (unless a time limit stops the work).

    Attributes
    ----------
    labels_ : ndarray of int
        The cluster of each row, numbered in order of first appearance.
    partition_ : Partition
        Soft memberships, see :func:`crossdoc.cluster.estimators.soften`.
    objective_ : float
        The cost.
    lower_bound_ : float or None
        A cost that no clustering is below; None for `moves`, unless the answer is optimal at first sight (nothing
        is cut).
    gap_ : float or None
        (cost − bound) / cost, or None like the bound.
    chosen_ : str
        The solver that was used.
    solver_ : str
        What was chosen, why, and how far from the optimum the answer can be, in words.
    solution_ : Solution
        The solver's own answer, with the fractional cuts of a linear program.
    n_features_in_ : int
        Rows, since each row has a strength to every one.

    Notes
    -----
    `moves` takes O(pairs) per pass. `lp` adds the triangles that are violated until none is, in time that depends on
    their number; `exact` is exponential at worst. A cost within `gap_` of the bound is proven.

    References
    ----------
    Van Gael, Zhu 2007, Correlation Clustering for Crosslingual Link Detection, IJCAI.

    Examples
    --------
    The example of section 4.1, whose optimum is {1}, {2, 3, 4} at the cost 30:

    >>> toy = np.array([[0, -1000, 30, 0], [-1000, 0, 25, 20], [30, 25, 0, 15], [0, 20, 15, 0.0]])
    >>> found = CorrelationClustering().fit(toy)
    >>> found.labels_.tolist(), found.objective_, found.gap_
    ([0, 1, 1, 1], 30.0, 0.0)
    """

    solver: Solver = "auto"
    certificate: bool = True
    bias: float | None = None
    missing: Missing = "complete"
    time_limit: float | None = None
    n_init: int | None = None
    random_state: int = 0

    def fit(
        self,
        X: Relations | npt.NDArray[Any],
        y: object = None,
        *,
        constraints: Constraints | None = None,
        sample_weight: npt.NDArray[Any] | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> CorrelationClustering:
        """Cluster a square matrix or :class:`Relations`.

        `sample_weight` counts a row as that many. No cluster holds two rows of one of the `groups` (one label per
        row, None for no group).
        """
        self._check_parameters()
        X = validated(self, X, errors.bad_similarities)
        problem = build(
            X, bias=self.bias, missing=self.missing, constraints=constraints, groups=groups, sample_weight=sample_weight
        )
        chosen, why, seconds = self._choice(problem)
        solution = self._solve(problem, chosen, seconds)
        self.solution_ = solution
        self.labels_ = solution.labels
        proven = chosen != "moves" or solution.gap == 0
        self.objective_ = solution.objective
        self.lower_bound_ = solution.lower_bound if proven else None
        self.gap_ = solution.gap if proven else None
        self.chosen_ = chosen
        self.solver_ = f"{chosen}{why}: {solution.note}; {_distance(solution.objective, self.gap_)}"
        limits = constraints or Constraints.none(problem.n)
        # The problem of a large matrix is as large again, and no longer needed.
        del problem
        self.partition_ = self._partition(X, limits, groups)
        return self

    def _check_parameters(self) -> None:
        if self.solver not in SOLVERS:
            raise errors.unknown_choice("solver", self.solver, SOLVERS)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, "above 0 seconds", np.nextafter(0, 1))
        if self.n_init is not None:
            check_number("n_init", self.n_init, "a whole number of at least 1", 1, whole=True)
        check_seed(self.random_state)

    def _choice(self, problem: CorrelationProblem) -> tuple[str, str, float | None]:
        """The solver, why, and the seconds it may take."""
        if self.solver != "auto":
            return self.solver, "", self.time_limit
        if not self.certificate:
            return "moves", "", self.time_limit
        pairs = len(problem.positive[0])
        why = f" (of {pairs:,} attractive pairs)"
        if pairs <= EXACT_PAIRS:
            return "exact", why, self.time_limit or EXACT_SECONDS
        if pairs <= LP_PAIRS:
            return "lp", why, self.time_limit or LP_SECONDS
        return "moves", why, self.time_limit

    def _solve(self, problem: CorrelationProblem, solver: str, seconds: float | None) -> Solution:
        restarts = None if self.n_init is None else self.n_init - 1
        how: dict[str, Any] = {"restarts": restarts, "seed": self.random_state, "time_limit": seconds}
        if solver == "exact":
            return exact.solve(problem, **how)
        if solver == "moves":
            return local_search.solve(problem, quick=not self.certificate, **how)
        if solver == "lp":
            return relaxation.solve(problem, **how)
        chunk = full_program.CHUNK_ROWS if solver == "chunking" else None
        return full_program.solve(problem, chunk=chunk, **how)

    def _partition(
        self, X: Relations | npt.NDArray[Any], constraints: Constraints, groups: npt.ArrayLike | None
    ) -> Partition:
        """Memberships from the mean strength to each cluster; the threshold is the bias."""
        threshold = 0.0 if self.bias is None else float(self.bias)
        given = X if isinstance(X, Relations) else Relations.from_dense(X)
        if self.missing == "sparse":
            # As far from the bias as can be without leaning to either side.
            near = float(np.nextafter(np.float32(threshold), np.float32(-1)))
            given = Relations(given.n, given.left, given.right, given.strength, near)
        pairs = leaned(given, constraints)
        limits = constraints if groups is None else _with_groups(constraints, groups, self.labels_, pairs)
        memberships = soften(pairs, self.labels_, limits, max(threshold, 0.0))
        return Partition([str(i) for i in range(pairs.n)], memberships)


def _distance(objective: float, gap: float | None) -> str:
    cost = f"cost {objective:g}"
    if gap is None:
        return f"{cost}, with no certificate of how far from the optimum that is"
    if gap == 0:
        return f"{cost}, which is optimal"
    return f"{cost}, at most {100 * gap:.2g}% of it above the optimum"


def _with_groups(constraints: Constraints, groups: npt.ArrayLike, labels: IntArray, pairs: Relations) -> Constraints:
    """The constraints, and for each row one row of its group in every cluster that a listed pair leads to."""
    kind = group_codes(groups)
    k = int(labels.max(initial=-1)) + 1
    rows = np.flatnonzero(kind >= 0)
    if not len(rows):
        return constraints
    present, first = np.unique(kind[rows] * k + labels[rows], return_index=True)
    a, b = np.concatenate([pairs.left, pairs.right]), np.concatenate([pairs.right, pairs.left])
    wanted = kind[a] * k + labels[b]
    at = np.minimum(np.searchsorted(present, wanted), len(present) - 1)
    met = (kind[a] >= 0) & (present[at] == wanted) & (labels[a] != labels[b])
    apart = np.unique(np.stack([a[met], rows[first[at[met]]]], axis=1), axis=0)
    return replace(constraints, cannot=np.concatenate([constraints.cannot, apart]).astype(np.int32))
