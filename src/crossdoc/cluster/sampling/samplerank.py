"""The bias and the name weight by SampleRank (Wick, Rohanimanesh, Bellare, Culotta, McCallum 2011, ICML).

While mentions of known entities are moved, each proposal is a training example: where the model's preference between
before and after is not the truth's, a perceptron step mends it. Departing from the paper, what a step adds is scaled to
unit length, since a move between large entities would otherwise outweigh hundreds between small ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.learning import SMALLEST_BIAS, Weights, checked_gold, some_rows, unsupervised
from crossdoc.cluster.sampling.mention_rows import checked_rows, name_codes
from crossdoc.cluster.sampling.proposals import Postings

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

    Give the full corpus, as to :func:`~crossdoc.cluster.sampling.on_development_split`. A step takes a mention to the
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
        raise errors.not_a_number("steps", steps, "a whole number of 0 or more")
    if (gold >= 0).sum() < 2:
        raise errors.nothing_to_learn(0, 0)
    first = unsupervised(matrix, names, seed=seed)
    code = name_codes(names)[0] if names is not None else np.full(len(gold), -1, dtype=np.int32)
    rows = some_rows(matrix, code, np.flatnonzero(gold >= 0), seed)
    spelt = None if names is None else np.asarray(names, dtype=object)[rows]
    walk = _RankWalk(matrix[rows], spelt, gold[rows], max(first.bias, SMALLEST_BIAS), seed)
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

    def __init__(self, rows: sparse.csr_matrix, names: Any, gold: npt.NDArray[Any], unit: float, seed: int) -> None:
        self.rows, self.gold, self.unit = rows, gold, unit
        self.rng = np.random.default_rng(seed)
        self.code = name_codes(names)[0] if names is not None else np.full(len(gold), -1, dtype=np.int32)
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
