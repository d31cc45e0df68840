"""Mentions and the bags of words and names of entities: the log odds of a mention with a bag.

Singh et al. 2011 compare sub- and super-entities by their united bags; here mentions are compared with bags too. If a
mention belongs to an entity, each of its words comes from the background or from the entity's bag, else all come from
the background (a mixture language model, Zhai & Lafferty 2004, doi:10.1145/984321.984322):

    evidence = Σ log(β + (1 − β)(n_w / p_w + μ) / (N + μ))

n_w of N words of the bag, without the mention, are w, and p_w is its share of the background. Names are features of
another family, with a β and μ of their own. The prior is that of Pitman and Yor: an entity of n mentions draws another
with n − ½, a new one with 1 + k/2, if there are k. There is no threshold: the weight of a word depends on the size of
the bag and the number of entities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from crossdoc.cluster.bags import bag_kernels as kernels
from crossdoc.cluster.bags.passages import first_alike
from crossdoc.cluster.estimators import symmetric_rows
from crossdoc.cluster.sampling.factor_graph import in_pieces, members_of, starts_among, taken
from crossdoc.cluster.sampling.mention_clusterer import checked_codes
from crossdoc.model.evidence_protocol import Constraints


def transposed(
    begins: npt.NDArray[np.int64], column: npt.NDArray[np.int32], columns: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the bounds of each column, the rows that have it, ascending, and where each of these cells is.

    >>> [each.tolist() for each in transposed(np.array([0, 2, 3]), np.array([0, 2, 0], dtype=np.int32), 3)]
    [[0, 2, 2, 3], [0, 1, 0], [0, 2, 1]]
    """
    cells = sparse.csr_matrix((np.arange(len(column)), column, begins), shape=(len(begins) - 1, columns)).tocsc()
    return cells.indptr.astype(np.int64), cells.indices.astype(np.int32), cells.data


@njit(cache=True, nogil=True)
def united_features(start, feature, count, odds, holds, order, label, width):  # type: ignore[no-untyped-def]
    """Return the features of each entity, their counts, and their odds (the least of the members').

    `order` has the nodes by entity.
    """
    cells, entities = 0, 0
    for i in order:
        entities = label[i] + 1
        if holds[i]:
            cells += start[i + 1] - start[i]
    place = np.full(width, -1, dtype=np.int64)
    own = np.empty(cells, dtype=np.int32)
    times = np.empty(cells, dtype=np.int32)
    least = np.empty(cells, dtype=np.float32)
    begins = np.zeros(entities + 1, dtype=np.int64)
    many = 0
    for i in order:
        begun = begins[label[i]]
        if holds[i]:
            for c in range(start[i], start[i + 1]):
                f = feature[c]
                k = place[f]
                if k >= begun:
                    times[k] += count[c]
                    least[k] = min(least[k], odds[c])
                else:
                    place[f] = many
                    own[many] = f
                    times[many] = count[c]
                    least[many] = odds[c]
                    many += 1
        begins[label[i] + 1] = many
    return begins, own[:many], times[:many], least[:many]


DISCOUNT = 0.5
"""How many of the first mentions of entities the prior takes for the only ones: half, between none and all."""
WORD_FLOORS = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
WORD_WEIGHTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""μ in lengths of a mean context."""
NAME_FLOORS = (0.01, 0.03, 0.1, 0.2, 0.4)
NAME_WEIGHTS = (0.3, 1.0, 3.0, 10.0)
UNSEEN_NAMESAKES = 0.3
"""Entities. Guess of the unseen entities of a name."""
FITTED = 20_000
"""Mentions on which β and μ are fitted."""
MOST_FILLED = 0.5
JUDGED = 10.0
"""Log odds of a soft judgement of weight 1."""

Labels = npt.NDArray[np.int32]


class Features(NamedTuple):
    """Rows of features, how often each occurs there and 1 / its share of the background; and the rows' lengths."""

    start: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int32]
    times: npt.NDArray[np.int32]
    odds: npt.NDArray[np.float32]
    length: npt.NDArray[np.float64]

    def only(self, rows: npt.NDArray[np.int64]) -> Features:
        start, feature, times, odds = taken(self[:4], rows)
        return Features(start, feature, times, odds, self.length[rows])

    def of_cells(self, kept: npt.NDArray[np.bool_]) -> Features:
        """The same rows, as long as they were, with some of their features."""
        start = starts_among(self.start, kept)
        return Features(start, self.feature[kept], self.times[kept], self.odds[kept], self.length)

    def none(self) -> Features:
        """As many rows without any feature."""
        start = np.zeros_like(self.start)
        return Features(start, self.feature[:0], self.times[:0], self.odds[:0], np.zeros_like(self.length))


class Holders(NamedTuple):
    """For each feature who holds it, how often and at what odds (ends[f]:ends[f + 1]); and the entities' lengths."""

    ends: npt.NDArray[np.int64]
    entity: npt.NDArray[np.int32]
    times: npt.NDArray[np.int32]
    odds: npt.NDArray[np.float32]
    size: npt.NDArray[np.float64]

    def rows(self) -> Features:
        """Return the features of each entity."""
        start, feature, at = transposed(self.ends, self.entity, len(self.size))
        return Features(start, feature, self.times[at], self.odds[at], self.size)


class NodeLimits(NamedTuple):
    start: npt.NDArray[np.int64]
    other: npt.NDArray[np.int32]
    weight: npt.NDArray[np.float64]


class Strengths(NamedTuple):
    """(β, μ) of words and of names, and log(1 + k/2): the weight of a new entity."""

    words: tuple[float, float]
    names: tuple[float, float]
    new: float

    def __str__(self) -> str:
        return f"β {self.words[0]:g}, μ {self.words[1]:.0f} words; of names {self.names[0]:g}, {self.names[1]:g}"


@dataclass(frozen=True)
class BagMentions:
    """The nodes: mentions, or those that must be one."""

    words: Features
    names: Features
    share: npt.NDArray[np.float64]
    """Share of each word in all words."""
    different_names: int
    weight: npt.NDArray[np.float64]
    """How many mentions a node is."""
    stands_for: npt.NDArray[np.int64]
    """The first node with the same context: a passage is counted once, and is no evidence for itself. One that
    several names share says nothing of any of them, and has no words here."""
    limits: NodeLimits

    @property
    def n(self) -> int:
        return len(self.weight)

    @cached_property
    def holds(self) -> npt.NDArray[np.bool_]:
        return self.stands_for == np.arange(self.n)

    def only(self, rows: npt.NDArray[np.int64]) -> BagMentions:
        """Some of the nodes, by ascending numbers, without judgements; a passage that is left out stands for none."""
        place = np.full(self.n, -1)
        place[rows] = np.arange(len(rows))
        first = place[self.stands_for[rows]]
        stands_for = np.where(first < 0, np.arange(len(rows)), first)
        none = np.zeros(0, dtype=np.int64)
        limits = NodeLimits(*symmetric_rows(len(rows), none, none, np.zeros(0)))
        words, names = self.words.only(rows), self.names.only(rows)
        return BagMentions(words, names, self.share, self.different_names, self.weight[rows], stands_for, limits)

    def unnamed(self) -> BagMentions:
        return replace(self, names=self.names.none())

    def speaking(self, kept: npt.NDArray[np.bool_]) -> BagMentions:
        """With some of their words, the others of which only count as words."""
        return replace(self, words=self.words.of_cells(kept))

    def wordless(self) -> BagMentions:
        return replace(self, words=self.words.none())

    @classmethod
    def of(
        cls,
        matrix: sparse.csr_matrix,
        names: Sequence[str] | npt.NDArray[Any] | None,
        constraints: Constraints,
        threads: int = 1,
    ) -> BagMentions:
        """From rows of contexts, of which only counts which words they have, and names as they are written."""
        rows = matrix.shape[0]
        node = np.unique(constraints.group, return_inverse=True)[1].astype(np.int32)
        code = np.full(rows, -1, dtype=np.int32) if names is None else checked_codes(names, rows)
        named_rows = np.flatnonzero(code >= 0)
        ones = np.ones(len(named_rows), dtype=np.int32)
        named = sparse.csr_matrix((ones, (named_rows, code[named_rows])), shape=(rows, int(code.max(initial=-1)) + 1))
        words, share = _features(_without_shared(matrix, code, threads), node)
        name_rows, _ = _features(named, node, fewest=1)
        pairs = node[np.concatenate([constraints.cannot, constraints.soft]).astype(np.int64)]
        worth = np.concatenate([np.full(len(constraints.cannot), -np.inf), JUDGED * constraints.soft_weight])
        weight = np.bincount(node, minlength=len(words.length)).astype(np.float64)
        limits = NodeLimits(*symmetric_rows(len(weight), pairs[:, 0], pairs[:, 1], worth))
        return cls(words, name_rows, share, named.shape[1], weight, _passages(words, weight, threads), limits)


def are_words(matrix: sparse.csr_matrix) -> bool:
    """Whether rows may be contexts as counted or weighted words: none negative, and most of them 0."""
    return bool((matrix.data >= 0).all() and matrix.nnz <= MOST_FILLED * matrix.shape[0] * matrix.shape[1])


def present(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Which words rows have, without their values."""
    return sparse.csr_matrix((np.ones(matrix.nnz, dtype=np.bool_), matrix.indices, matrix.indptr), shape=matrix.shape)


def _features(
    matrix: sparse.csr_matrix, node: npt.NDArray[np.int32], fewest: int = 2
) -> tuple[Features, npt.NDArray[np.float64]]:
    """The features of each node, without those that only one row has, and the share of each in all."""
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    kept = np.flatnonzero(frequency >= fewest)
    number = np.full(matrix.shape[1], -1, dtype=np.int32)
    number[kept] = np.arange(len(kept))
    feature = number[matrix.indices]
    known = feature >= 0
    start, feature = starts_among(matrix.indptr, known), feature[known]
    count = np.ones(len(feature), dtype=np.int32)
    length = np.diff(matrix.indptr).astype(np.float64)
    nodes = int(node.max(initial=-1)) + 1
    if nodes < matrix.shape[0]:
        into = sparse.csr_matrix((np.ones(len(node), np.int32), (node, np.arange(len(node)))))
        found = sparse.csr_matrix(into @ sparse.csr_matrix((count, feature, start), shape=(len(node), len(kept))))
        found.sort_indices()
        start, feature, count = found.indptr.astype(np.int64), found.indices.astype(np.int32), found.data
        length = np.bincount(node, length, nodes)
    share = frequency[kept] / max(matrix.nnz, 1)
    return Features(start, feature, count, (1 / share).astype(np.float32)[feature], length), share


def _passages(words: Features, weight: npt.NDArray[np.float64], threads: int) -> npt.NDArray[np.int64]:
    """For each node the first of its passage; those of several mentions stand for themselves."""
    single = weight == 1
    first = first_alike(words.start, words.feature, threads)
    return np.where(single & single[first], first, np.arange(len(weight)))


def _without_shared(matrix: sparse.csr_matrix, code: npt.NDArray[np.int32], threads: int) -> sparse.csr_matrix:
    """Rows without the words of those that several names share, as the links of one paragraph do."""
    first = first_alike(matrix.indptr, matrix.indices, threads)
    several = np.zeros(len(code), dtype=np.bool_)
    several[first[code != code[first]]] = True
    if not several.any():
        return matrix
    kept = np.repeat(~several[first], np.diff(matrix.indptr))
    start = starts_among(matrix.indptr, kept)
    return sparse.csr_matrix((matrix.data[kept], matrix.indices[kept], start), shape=matrix.shape)


@dataclass(frozen=True)
class EntityBags:
    """The entities of some labels (numbered 0 … k − 1): who holds what, and how many mentions each has."""

    mentions: BagMentions
    labels: Labels
    words: Holders
    names: Holders
    mass: npt.NDArray[np.float64]

    @classmethod
    def of(cls, mentions: BagMentions, labels: Labels) -> EntityBags:
        order = members_of(labels)[0]
        mass = np.bincount(labels, mentions.weight).astype(np.float64)

        def holders(rows: Features, holds: npt.NDArray[np.bool_], width: int) -> Holders:
            begins, feature, times, odds = united_features(*rows[:4], holds, order, labels, width)
            ends, entity, at = transposed(begins, feature, width)
            size = np.bincount(labels, np.where(holds, rows.length, 0.0), len(mass)).astype(np.float64)
            return Holders(ends, entity, times[at], odds[at], size)

        words = holders(mentions.words, mentions.holds, len(mentions.share))
        names = holders(mentions.names, np.ones(mentions.n, dtype=np.bool_), mentions.different_names)
        return cls(mentions, labels, words, names, mass)

    def name_odds(self) -> npt.NDArray[np.float32]:
        """1 / the chance that another entity goes by the same name, for each name of each mention.

        A name has 1 / Σ share² entities, by the shares of its mentions in entities. One of them is the one in question.
        """
        ends, _, times, *_ = self.names
        name = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        total, squares = (np.bincount(name, times.astype(np.float64) ** power, len(ends) - 1) for power in (1, 2))
        bearers = total**2 / np.maximum(squares, 1)
        odds = (bearers.sum() / (bearers - 1 + UNSEEN_NAMESAKES)).astype(np.float32)
        return odds[self.mentions.names.feature]


def guessed(bags: EntityBags) -> Strengths:
    """Before anything is fitted, if there are half as many entities as bags."""
    many = max(len(bags.mass) / 2, np.sqrt(bags.mentions.n))
    return Strengths((0.5, 25 * _mean_length(bags.mentions)), (0.05, 1.0), float(np.log1p(DISCOUNT * many)))


def fitted(
    bags: EntityBags, before: Strengths, certain: float, words_only: bool = False, seed: int = 0, threads: int = 1
) -> Strengths:
    """β and μ with which mentions are most likely, given that the rest of its bag is each one's with some certainty."""
    mentions = bags.mentions
    several = np.flatnonzero(bags.mass[bags.labels] > mentions.weight)
    if not len(several):
        return before
    rng = np.random.default_rng(seed)
    nodes = np.sort(rng.choice(several, min(FITTED, len(several)), replace=False))
    weights = [_mean_length(mentions) * times for times in WORD_WEIGHTS]
    said = own_evidence(bags, "words", nodes)
    found = before._replace(words=_best(said, certain, WORD_FLOORS, weights, threads))
    if words_only:
        return found
    named = nodes[mentions.names.length[nodes] > 0]
    if len(named):
        said = own_evidence(bags, "names", named)
        found = found._replace(names=_best(said, certain, NAME_FLOORS, NAME_WEIGHTS, threads))
    return found._replace(new=float(np.log1p(DISCOUNT * len(bags.mass))))


def own_evidence(
    bags: EntityBags, family: Literal["words", "names"], nodes: npt.NDArray[np.int64]
) -> Callable[[tuple[float, float]], npt.NDArray[np.float64]]:
    """Return the evidence of some nodes with the rest of their bags, by the features of one family, for a (β, μ)."""
    rows, holders, first = bags.mentions.words, bags.words, bags.mentions.stands_for[nodes]
    if family == "names":
        rows, holders, first = bags.mentions.names, bags.names, nodes
    cells_of, *cells = taken((rows.start, rows.times, rows.odds), nodes)
    many, label = np.diff(cells_of), bags.labels[nodes]
    held = np.empty(cells_of[-1], dtype=np.int32)
    kernels.held_by(rows.start, rows.feature, bags.labels, *holders[:3], nodes, held)
    # A bag that holds the features of a node's passage holds them once, from the first of the passage.
    left_out = bags.labels[first] == label
    held -= np.where(np.repeat(left_out, many), cells[0], 0)
    size = holders.size[label] - np.where(left_out, rows.length[first], 0.0)

    def of(strengths: tuple[float, float]) -> npt.NDArray[np.float64]:
        found = np.empty(len(nodes))
        kernels.evidence(held, many, *cells, rows.length[nodes], size, strengths, found)
        return found

    return of


def _best(
    evidence: Callable[[tuple[float, float]], npt.NDArray[np.float64]], certain: float, floors: Sequence[float],
    weights: Sequence[float], threads: int,
) -> tuple[float, float]:  # fmt: skip
    """The (β, μ) with the largest Σ log(π e^L + 1 − π), L being the evidence of each node with the rest of its bag."""
    grid = list(product(floors, weights))

    def likelihoods(first: int, last: int) -> list[float]:
        found = (evidence(strengths) for strengths in grid[first:last])
        return [float(np.logaddexp(np.log(certain) + each, np.log1p(-certain)).sum()) for each in found]

    return grid[int(np.argmax(np.concatenate(in_pieces(likelihoods, len(grid), threads))))]


def _mean_length(mentions: BagMentions) -> float:
    return max(float(mentions.words.length.sum() / max(mentions.weight.sum(), 1)), 1.0)
