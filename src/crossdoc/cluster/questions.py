"""Which question about a clustering would change it most: the pairs of rows to show to a person first.

A question is of two groups that are clusters of their own (should they be one?), or that a cluster falls into when its
weakest tie is cut (should they be two?), and is asked of the middle row of each. Its value is the expected change:
the probability that the answer so far is wrong times √(|A|·|B|), the profiles whose company would change. Strengths
nearest to the threshold are the likeliest to be wrong; what was answered about a cluster before counts too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import linkage, to_tree
from scipy.spatial.distance import squareform
from scipy.special import expit, logit

from crossdoc.cluster.estimators import kept_apart
from crossdoc.model.evidence_protocol import Constraints

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

TWO_SLOPE, TWO_START = 2.0, -1.0
"""Log odds that two clusters are one, as a linear function of the log odds of their strength over the threshold."""
ONE_SLOPE, ONE_START, ONE_SIZE = 0.9, -0.3, 0.6
"""The same for the halves of one cluster, with a term for the logarithm of its size."""
JOINED_WORTH, KEPT_WORTH, CONFIRMED = 1.0, 1.5, 3.0
"""Log odds added by earlier answers: clusters that were merged are incomplete more often, those kept apart stay so,
and confirmed ones are complete. All were chosen on WePS-1 (experiments/reviewing.py)."""
EDGE = 1e-4


@dataclass(frozen=True, slots=True)
class Question:
    """Are rows `a` and `b` one entity? `joined` is the answer so far, `worth` the change to expect of another."""

    a: int
    b: int
    joined: bool
    wrong: float
    """How likely the answer so far is wrong."""
    worth: float


@dataclass(frozen=True, slots=True)
class Answered:
    """Earlier answers as pairs of rows: a merge of two clusters, a pair that is one, a pair that is not."""

    merged: Rows
    same: Rows
    different: Rows

    @classmethod
    def nothing(cls) -> Answered:
        return cls(*(np.zeros((0, 2), dtype=np.int64) for _ in range(3)))


def questions(
    strength: npt.NDArray[np.floating],
    labels: npt.NDArray[np.integer],
    limits: Constraints,
    answered: Answered | None = None,
    *,
    threshold: float = 0.5,
    most: int = 10,
) -> list[Question]:
    """Return the `most` valuable questions about a clustering of rows by their strengths, best first.

    `threshold` is the strength of even odds. Pairs that are judged already, or kept apart by a rule, are left out.

    >>> strength = np.array([[1, .9, .55, .1], [.9, 1, .5, .1], [.55, .5, 1, .1], [.1, .1, .1, 1]])
    >>> first, *_ = questions(strength, np.array([0, 0, 1, 2]), Constraints.none(4))
    >>> first.a, first.b, first.joined
    (0, 2, False)
    """
    numbered = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    view = _View(np.asarray(strength, dtype=np.float64), numbered, limits, answered or Answered.nothing(), threshold)
    found = [*view.of_two(most), *view.of_one()]
    return sorted(found, key=lambda question: -question.worth)[:most]


class _View:
    """A clustering and all that its questions are about."""

    def __init__(
        self, strength: Floats, labels: Rows, limits: Constraints, answered: Answered, threshold: float
    ) -> None:
        self.strength, self.labels, self.limits, self.threshold = strength, labels, limits, threshold
        self.groups = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
        self.sizes = np.array([len(rows) for rows in self.groups], dtype=np.float64)
        self.merged, self.confirmed = (self._within(pairs) for pairs in (answered.merged, answered.same))
        ends = labels[answered.different]
        self.kept = np.bincount(ends[ends[:, 0] != ends[:, 1]].ravel(), minlength=len(self.sizes))

    def _within(self, pairs: Rows) -> npt.NDArray[np.int64]:
        """How many of the pairs are within each cluster."""
        ends = self.labels[pairs]
        return np.bincount(ends[ends[:, 0] == ends[:, 1], 0], minlength=len(self.sizes))

    def of_two(self, most: int) -> list[Question]:
        """Pairs of clusters that might be one."""
        k = len(self.sizes)
        if k < 2:
            return []
        sums = np.array([self.strength[:, rows].sum(axis=1) for rows in self.groups]).T
        highest = np.array([self.strength[:, rows].max(axis=1) for rows in self.groups]).T
        mean = np.array([sums[rows].sum(axis=0) for rows in self.groups]) / np.outer(self.sizes, self.sizes)
        odds = self._odds(0.5 * mean + 0.5 * np.array([highest[rows].max(axis=0) for rows in self.groups]))
        before = 2 * JOINED_WORTH * self.merged - KEPT_WORTH * self.kept
        wrong = expit(TWO_SLOPE * odds + TWO_START + before[:, None] + before[None, :])
        apart = kept_apart(self.limits)
        wrong[self.labels[apart[:, 0]], self.labels[apart[:, 1]]] = 0.0
        wrong[self.labels[apart[:, 1]], self.labels[apart[:, 0]]] = 0.0
        worth = np.triu(wrong * np.sqrt(np.outer(self.sizes, self.sizes)), k=1)
        best = np.argsort(-worth, axis=None, kind="stable")[:most]
        pairs = [divmod(int(at), k) for at in best if worth.flat[at] > 0]
        middle = {cluster: self._middle(self.groups[cluster]) for pair in pairs for cluster in pair}
        return [Question(middle[c], middle[d], False, float(wrong[c, d]), float(worth[c, d])) for c, d in pairs]

    def of_one(self) -> list[Question]:
        """Clusters that might be two, cut where they hang together least; what is judged one is never cut."""
        found = []
        for cluster, rows in enumerate(self.groups):
            halves = self._halves(rows)
            if halves is None:
                continue
            between = self.strength[np.ix_(*halves)]
            odds = self._odds(0.5 * between.mean() + 0.5 * between.max())
            log_odds = ONE_SLOPE * odds + ONE_START + ONE_SIZE * np.log(len(rows)) + CONFIRMED * self.confirmed[cluster]
            wrong = float(expit(-log_odds))
            a, b = map(self._middle, halves)
            found.append(Question(a, b, True, wrong, wrong * float(np.sqrt(between.size))))
        return found

    def _halves(self, rows: Rows) -> tuple[Rows, Rows] | None:
        _, group = np.unique(self.limits.group[rows], return_inverse=True)
        k = int(group.max()) + 1
        if k < 2:
            return None
        among = self.strength[np.ix_(rows, rows)]
        member = np.zeros((len(rows), k))
        member[np.arange(len(rows)), group] = 1.0
        sizes = member.sum(axis=0)
        far = np.clip(1.0 - member.T @ among @ member / np.outer(sizes, sizes), 0.0, None)
        np.fill_diagonal(far, 0.0)
        root = to_tree(linkage(squareform((far + far.T) / 2, checks=False), "average"))
        one = np.isin(group, root.get_left().pre_order())
        return rows[one], rows[~one]

    def _middle(self, rows: Rows) -> int:
        """The row that is most like the others of its group."""
        return int(rows[np.argmax(self.strength[np.ix_(rows, rows)].sum(axis=1))])

    def _odds(self, strength: Floats) -> Floats:
        return logit(np.clip(strength, EDGE, 1 - EDGE)) - logit(min(max(self.threshold, EDGE), 1 - EDGE))
