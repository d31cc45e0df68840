"""The bias and the name weight of Singh et al. 2011, estimated without labels or learned.

The bias is the fragile part of the model: the paper's 1e−4 makes everything one entity on other corpora. Two groups
are better off together when the mean affinity between them is positive, so the bias has to lie between the mean cosine
within entities and the mean cosine across them.

SampleRank (Wick, Rohanimanesh, Bellare, Culotta, McCallum 2011, ICML): while mentions of known entities are moved, each
proposal is a training example. If the model's preference between before and after is not the truth's, a perceptron step
mends it. Departing from the paper, what a step adds is scaled to unit length, since a move between large entities would
otherwise outweigh hundreds between small ones.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.mention_clusterer import checked_codes, checked_rows, named_rows
from crossdoc.cluster.sampling.pair_run import PairRun, Plan, Workers
from crossdoc.cluster.sampling.proposals import Neighbours, Postings
from crossdoc.progress import Quiet
from crossdoc.scoring import Alignment, b_cubed

SAMPLED_PAIRS = 200_000
LARGER_BIASES, NEXT_TO_BEST = (1.25, 1.1), 0.98
"""With names the bias may be larger than for contexts alone, since names keep together what it would tear apart: by the
first of these with which contexts alone still agree nearly as well with the names."""
NAME_SHARE = 1.1
"""The name weight as a share of the bias, where nothing was learned: mentions of one name are apart if they have next
to nothing else in common and much in common with others."""
STRING_MATCH = (1.0, 1.2)
"""A bias and a name weight with which entities are names."""
SMALLEST_BIAS = 1e-6
NEARLY = 0.999
"""A bias a little below the mean cosine makes one entity of mentions that are all alike."""
FACTORS = (0.4, 0.6, 0.8, 1.0, 1.25, 1.6, 2.0)
BIAS_ROUNDS = 12
SAMPLE, BALLS = 20_000, 8
"""Mentions that are clustered to choose a bias, and in how many places they lie."""
LEAST_CONTEXT_AGREEMENT = 0.2
"""Clusters of contexts have to come this much closer to full agreement with the names than mentions left alone are."""
NAME_IN_A_BALL = 0.05
"""Cosine. Weight of the same name when rows of a ball are chosen: about one word."""
SUB_BIAS = 3.0
"""Sub-entities' bias as a multiple of the entities'."""


class Weights(NamedTuple):
    """`origin` says how they were found, for the record."""

    bias: float
    name_weight: float
    origin: str


def unsupervised(
    matrix: sparse.csr_matrix,
    names: Sequence[str] | npt.NDArray[Any] | None = None,
    *,
    bias: float | None = None,
    name_weight: float | None = None,
    seed: int = 0,
) -> Weights:
    """A bias without labels, for which names are a second, independent view.

    A first guess lies half way between the mean cosine of mentions with the same name, which are mostly one entity, and
    of mentions with different names, which are mostly two. Then, for some multiples of it, up to 20,000 mentions
    that lie close together are clustered by their contexts alone, and the bias is taken whose clusters agree best (B³)
    with the names: too small a one mixes names, too large a one tears them apart. If none agrees clearly better than
    mentions left alone do, contexts say nothing of who is who (as where all links of a paragraph share one), and
    entities are names. If all names are alike they say nothing, and the bias is the mean cosine of all pairs, so
    that entities are what is more alike than chance.

    Given values are kept. The bias for contexts and names is up to a quarter larger than that for contexts alone,
    and the weight of the same name is a tenth more than the bias, or nothing where all are alike: both were near the
    best on synthetic corpora of several kinds (docs/sampling.md).

    >>> unsupervised(sparse.csr_matrix(np.array([[1.0, 0], [0.8, 0.6], [0, 1]]))).origin
    'the mean cosine of all pairs'
    """
    matrix = checked_rows(matrix)
    n = matrix.shape[0]
    code = checked_codes(names, n) if names is not None else np.zeros(n, dtype=np.int32)
    origin, usual_weight = "given", None
    if bias is None:
        rng = np.random.default_rng(seed)
        guess = first_guess(matrix, code, rng)
        if guess is None:
            bias, usual_weight = NEARLY * _mean_cosine(matrix, *_pairs(n, rng)), 0.0
            origin = "the mean cosine of all pairs"
        elif (bias := _best_by_names(matrix, code, guess, seed)) is not None:
            origin = "the clusters of contexts that agree best with the names"
        else:
            bias, usual_weight = STRING_MATCH
            origin = "names alone: no clusters of contexts agree with them"
        bias = max(bias, SMALLEST_BIAS)
    if usual_weight is None:
        usual_weight = NAME_SHARE * max(bias, 0.0) if names is not None and code.max(initial=0) > 0 else 0.0
    return Weights(float(bias), float(usual_weight if name_weight is None else name_weight), origin)


def first_guess(matrix: sparse.csr_matrix, code: npt.NDArray[np.int32], rng: np.random.Generator) -> float | None:
    """Half way between the mean cosines of different names and of the same one; None where names tell nothing."""
    left, right = _pairs(len(code), rng)
    apart = code[left] != code[right]
    same = _same_name(code, rng)
    if not len(same) or apart.sum() <= len(left) / 2:
        return None
    means = _mean_cosine(matrix, left[apart], right[apart]), _mean_cosine(matrix, *same.T)
    return max(sum(means) / 2, SMALLEST_BIAS)


def _pairs(n: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random pairs of different rows."""
    pairs = rng.integers(0, n, (2, SAMPLED_PAIRS)) if n else np.zeros((2, 0), dtype=np.int64)
    return pairs[:, pairs[0] != pairs[1]]


def _best_by_names(matrix: sparse.csr_matrix, code: npt.NDArray[np.int32], guess: float, seed: int) -> float | None:
    """The bias whose clusters of contexts agree best with the names, or a little more; None if those of none do."""
    rows = some_rows(matrix, code, np.arange(matrix.shape[0]), seed)
    graph = FactorGraph.of(matrix[rows])
    named = np.flatnonzero(code[rows] >= 0)

    def agreement(labels: npt.NDArray[Any]) -> float:
        return float(b_cubed(Alignment.from_labels(labels[named], code[rows][named])).f1)

    alone = agreement(np.arange(graph.n))
    score: dict[float | None, float] = {None: alone + LEAST_CONTEXT_AGREEMENT * (1 - alone)}
    for factor in FACTORS:
        score[guess * factor] = agreement(clustered(graph, guess * factor, seed))
    best = max(score, key=lambda bias: score[bias])
    if best is None:
        return None
    for times in LARGER_BIASES:
        if agreement(clustered(graph, best * times, seed)) >= NEXT_TO_BEST * score[best]:
            return best * times
    return best


def clustered(
    graph: FactorGraph, bias: float, seed: int, threads: int = 1, clash: float = 0.0
) -> npt.NDArray[np.int32]:
    """Labels after a few rounds from singletons."""
    plan = Plan(clash + bias, clash=clash, sub_bias=clash + SUB_BIAS * bias, falling=True, seed=seed)
    run = PairRun(graph, plan, np.arange(graph.n, dtype=np.int32), Quiet(), threads=threads)
    with Workers(threads, threads) as engine:
        run.go(engine, BIAS_ROUNDS, None)
        if engine.interrupted:
            raise KeyboardInterrupt
    return run.best


def some_rows(
    matrix: sparse.csr_matrix, code: npt.NDArray[np.int32], centres: npt.NDArray[Any], seed: int
) -> npt.NDArray[np.int64]:
    """All rows, or of a large matrix as many as are enough, round some of the centres: alike, or of one name."""
    if matrix.shape[0] <= SAMPLE:
        return np.arange(matrix.shape[0])
    stored = named_rows(matrix, code, NAME_IN_A_BALL)
    return close_together(Postings.of(FactorGraph.of(stored)).draw(seed), centres, SAMPLE, seed)


def close_together(neighbours: Neighbours, centres: npt.NDArray[Any], wanted: int, seed: int) -> npt.NDArray[np.int64]:
    """Rows in a few balls: from a random centre, always the row that most of those taken have drawn as a neighbour.

    Rows drawn at random would leave each entity and its likes one or two mentions, and any bias would do.
    """
    rng = np.random.default_rng(seed)
    taken: set[int] = set()
    for ball in range(BALLS):
        goal = wanted * (ball + 1) // BALLS
        drawn: Counter[int] = Counter()
        heap: list[tuple[int, int]] = []
        while len(taken) < goal:
            row = heapq.heappop(heap)[1] if heap else int(rng.choice(centres))
            if row in taken:
                continue
            taken.add(row)
            for other in neighbours[row].tolist():
                if other >= 0 and other not in taken:
                    drawn[other] += 1
                    heapq.heappush(heap, (-drawn[other], other))
    return np.array(sorted(taken), dtype=np.int64)


def _same_name(code: npt.NDArray[np.int32], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Pairs of rows with the same name: a random row and a random other one of its name."""
    order = np.argsort(code, kind="stable")
    start = np.searchsorted(code[order], code, "left")
    count = np.searchsorted(code[order], code, "right") - start
    rows = np.flatnonzero((count > 1) & (code >= 0))
    if not len(rows):
        return np.zeros((0, 2), dtype=np.int64)
    rows = rng.choice(rows, SAMPLED_PAIRS)
    others = order[start[rows] + (rng.random(SAMPLED_PAIRS) * count[rows]).astype(np.int64)]
    pairs = np.stack([rows, others], axis=1)
    return pairs[rows != others]


def _mean_cosine(matrix: sparse.csr_matrix, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
    if not len(left):
        return 0.0
    total = 0.0
    for at in range(0, len(left), 20_000):
        piece = slice(at, at + 20_000)
        total += float(matrix[left[piece]].multiply(matrix[right[piece]]).sum())
    return total / len(left)


def checked_gold(entity: npt.ArrayLike, rows: int) -> npt.NDArray[np.int64]:
    """Check that there is an integer for each row."""
    gold = np.asarray(entity)
    if gold.dtype.kind not in "iu":
        raise errors.bad_parameter("entity", gold.dtype, "whole numbers, one for each row, −1 where it is not known")
    if gold.shape != (rows,):
        raise errors.misfit("The entities", rows, f"there are {len(gold):,}")
    return gold.astype(np.int64)


STEPS_A_MENTION = 15
RATE = 0.01
LEAST_CONTEXT = 0.01
"""Contexts never count for less than this, so that the other weights, which are multiples of it, are finite."""
Floats = npt.NDArray[np.float64]


def sample_rank(
    matrix: sparse.csr_matrix,
    names: Sequence[str] | npt.NDArray[Any] | None,
    entity: npt.NDArray[np.integer[Any]],
    *,
    steps: int | None = None,
    rate: float = RATE,
    seed: int = 0,
) -> Weights:
    """The bias and name weight from mentions whose entities are known; −1 marks the others, which are of other ones.

    Give the full corpus: the others are what they are mistaken for. A step takes a mention to the
    entity of one that is like it, has its name or is truly the same, or to a new one; by default 15 steps for each.
    Nothing is learned from two mentions of unknown entities, but they form the entities that others are
    mistaken for. The weights are averaged over all steps.

    >>> rows = sparse.csr_matrix(np.array([[1.0, 0], [0.8, 0.6], [0.6, 0.8], [0, 1.0]], dtype=np.float32))
    >>> learned = sample_rank(rows, None, np.array([0, 0, 1, 1]))
    >>> bool(learned.bias > 0)
    True
    """
    matrix = checked_rows(matrix)
    gold = checked_gold(entity, matrix.shape[0])
    if steps is not None and steps < 0:
        raise errors.bad_parameter("steps", steps, "a whole number of 0 or more")
    if (gold >= 0).sum() < 2:
        raise errors.nothing_to_learn(0, 0)
    first = unsupervised(matrix, names, seed=seed)
    code = checked_codes(names, len(gold)) if names is not None else np.full(len(gold), -1, dtype=np.int32)
    rows = some_rows(matrix, code, np.flatnonzero(gold >= 0), seed)
    walk = _RankWalk(matrix[rows], code[rows], gold[rows], max(first.bias, SMALLEST_BIAS), seed)
    theta = np.array([1.0, first.name_weight / walk.unit, 1.0])
    total = np.zeros(3)
    count = STEPS_A_MENTION * len(rows) if steps is None else steps
    for _ in range(count):
        theta = walk.step(theta, rate)
        total += theta
    context, name, bias = total / count if count else theta
    origin = f"SampleRank: {count:,} moves, {(gold[rows] >= 0).sum():,} labelled mentions"
    return Weights(walk.unit * float(bias / context), walk.unit * float(name / context), origin)


class _RankWalk:
    """A partition that changes, and the sums that its moves are judged by: cosines, equal names and pairs.

    Names and pairs are counted in units of a first bias, so that all three weights are of one size.
    """

    def __init__(
        self, rows: sparse.csr_matrix, code: npt.NDArray[Any], gold: npt.NDArray[Any], unit: float, seed: int
    ) -> None:
        self.rows, self.code, self.gold, self.unit = rows, code, gold, unit
        self.rng = np.random.default_rng(seed)
        self.alike = Postings.of(FactorGraph.of(rows)).draw(seed)
        self.by_name = _groups(self.code)
        self.by_entity = _groups(gold)
        self.label = np.arange(len(gold))
        self.members = [{row} for row in range(len(gold))]
        self.empty: list[int] = []

    def step(self, theta: Floats, rate: float) -> Floats:
        """Propose a move, learn from it, and make it if the model wants it."""
        mention = int(self.rng.integers(len(self.gold)))
        source = int(self.label[mention])
        target = self._target(mention)
        alone = len(self.members[source]) == 1
        if target == source or (target < 0 and alone):
            return theta
        features, truth = np.zeros(3), 0
        for sign, place in ((1, target), (-1, source)):
            others = np.array(sorted(self.members[place] - {mention}) if place >= 0 else [], dtype=np.int64)
            found, right = self._sums(mention, others)
            features += sign * found
            truth += sign * right
        length = float(np.linalg.norm(features))
        if truth and length > 0 and truth * float(theta @ features) <= 0:
            theta = theta + rate * np.sign(truth) * features / length
            theta[0] = max(theta[0], LEAST_CONTEXT)
            theta[1] = max(theta[1], 0.0)
        if theta @ features > 0:
            self._move(mention, source, target)
        return theta

    def _target(self, mention: int) -> int:
        """The entity to go to, −1 for a new one: by likeness, by name, by the truth, or none, with equal chances."""
        kind = self.rng.integers(4)
        if kind == 3:
            return -1
        drawn = self.alike[mention][self.alike[mention] >= 0]
        same_name = self.by_name.get(int(self.code[mention]), drawn)
        pool = (drawn, same_name, self.by_entity.get(int(self.gold[mention]), drawn))[kind]
        return int(self.label[int(self.rng.choice(pool))]) if len(pool) else -1

    def _sums(self, mention: int, others: npt.NDArray[np.int64]) -> tuple[Floats, int]:
        """Return the features of the mention with the others, and the number of right minus wrong pairs."""
        if not len(others):
            return np.zeros(3), 0
        cosine = float((self.rows[others] @ self.rows[mention].T).sum())
        named = int((self.code[others] == self.code[mention]).sum()) if self.code[mention] >= 0 else 0
        labelled = (self.gold[others] >= 0) | (self.gold[mention] >= 0)
        right = int(np.where(self.gold[others] == self.gold[mention], 1, -1)[labelled].sum())
        return np.array([cosine, self.unit * named, -self.unit * len(others)]), right

    def _move(self, mention: int, source: int, target: int) -> None:
        self.members[source].discard(mention)
        if target < 0:
            # At most as many entities as mentions, so one is always empty when a new one is wanted.
            target = self.empty.pop()
        self.members[target].add(mention)
        self.label[mention] = target
        if not self.members[source]:
            self.empty.append(source)


def _groups(code: npt.NDArray[Any]) -> dict[int, npt.NDArray[np.int64]]:
    """The rows of each code; −1 is none."""
    order = np.argsort(code, kind="stable")
    codes, start = np.unique(code[order], return_index=True)
    pieces = np.split(order, start[1:])
    return {int(value): rows for value, rows in zip(codes, pieces, strict=True) if value >= 0}
