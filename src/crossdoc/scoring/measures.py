"""How good a partition is: purity, B-cubed (plain and extended), pairwise, MUC, CEAF and LEA.

Every measure here is a quotient of sums over gold entities, so each returns a `Tally` of what every gold entity adds to
precision and recall. Groups and bootstrap resamples then cost sums, never another pass over the mentions.
One rule for undefined cases: a quotient 0/0 is 0, as in the CoNLL reference scorer (Pradhan et al. 2014,
doi:10.3115/v1/P14-2006). So MUC and pairwise give 0, not 1, to a perfect answer of singletons only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array, diags_array, hstack
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from crossdoc import errors
from crossdoc.scoring.assignments import Alignment, Assignment, Codes, align

Floats = NDArray[np.float64]
DENSE_CELLS = 10**6
"""Cells. A larger component of the overlap graph is matched sparsely; a dense one of this size needs 8 MB."""

# Extended B-cubed compares this many kinds of items at a time with all others, which bounds its memory.
KINDS_AT_ONCE = 1024


@dataclass(frozen=True, eq=False)
class Tally:
    """Contributions of each gold entity to the two quotients, as rows of `parts`: numerator and denominator of
    precision, then of recall."""

    parts: Floats

    @property
    def precision(self) -> float:
        return float(quotient(*self.parts[:2].sum(axis=1)))

    @property
    def recall(self) -> float:
        return float(quotient(*self.parts[2:].sum(axis=1)))

    @property
    def f1(self) -> float:
        return self.f(0.5)

    def f(self, alpha: float) -> float:
        """F_alpha = 1 / (alpha/precision + (1 - alpha)/recall): alpha is the weight of precision."""
        return float(f_alpha(self.precision, self.recall, alpha))

    def __repr__(self) -> str:
        return f"Tally(precision={self.precision:.3f}, recall={self.recall:.3f}, f1={self.f1:.3f})"


def worked_example() -> Alignment:
    """Six mentions, the example of every measure: in truth {a b c} {d e} {f}, in the answer {a b} {c d e f}."""
    gold = Assignment.of({"a": "x", "b": "x", "c": "x", "d": "y", "e": "y", "f": "z"})
    return align(Assignment.of({"a": "1", "b": "1", "c": "2", "d": "2", "e": "2", "f": "2"}), gold)


def f_alpha(precision: ArrayLike, recall: ArrayLike, alpha: float) -> Floats:
    """F_alpha = 1 / (alpha/P + (1 - alpha)/R), where alpha weights precision (or purity): WePS used 0.5 and 0.2.

    >>> round(float(f_alpha(0.5, 1.0, 0.2)), 3)
    0.833
    """
    p, r = np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64)
    return quotient(p * r, alpha * r + (1 - alpha) * p)


def purity(aligned: Alignment) -> Tally:
    """Purity as precision, inverse purity as recall, F_alpha as `f(alpha)`; entities may overlap.

    Purity = sum_i max_j |C_i & D_j| / sum_i |C_i| over answer entities C and gold entities D; inverse purity swaps
    the two (Artiles, Gonzalo, Sekine 2007, SemEval-2007 task 13). In the example 2 + 2 of 6 mentions are with
    the majority of their answer entity, and the best answers to x, y and z hold 2 + 2 + 1.

    >>> purity(worked_example())
    Tally(precision=0.667, recall=0.833, f1=0.741)

    It does not mean that 67% of the decisions were right: singletons are always pure, one big entity always has inverse
    purity 1, and an answer that adds that one to all singletons cheats both.
    """
    cluster, entity, shared = aligned.overlaps
    best_entity = np.zeros(aligned.predicted.shape[1], dtype=np.int64)
    best_for_cluster = _largest(cluster, shared)
    best_entity[cluster[best_for_cluster]] = entity[best_for_cluster]
    majority = csr_array(
        (aligned.predicted.data.copy(), best_entity[aligned.predicted.indices], aligned.predicted.indptr.copy()),
        shape=aligned.gold.shape,
    )
    majority.sum_duplicates()
    with_majority = majority.multiply(aligned.gold).sum(axis=1)
    best_for_entity = _largest(entity, shared)
    found = _by_entity(aligned, entity[best_for_entity], shared[best_for_entity])
    return _tally(
        _spread(aligned, with_majority),
        _spread(aligned, np.diff(aligned.predicted.indptr)),
        found,
        aligned.gold_sizes,
    )


def b_cubed(aligned: Alignment) -> Tally:
    """B-cubed for partitions (Bagga, Baldwin 1998): the mean over mentions of how right each mention's entity is.

    P = 1/N sum_ij |C_i & D_j|^2 / |C_i|, R = 1/N sum_ij |C_i & D_j|^2 / |D_j|.

    >>> b_cubed(worked_example())
    Tally(precision=0.583, recall=0.778, f1=0.667)

    It does not compare across data sets: singletons alone have precision 1, and where most entities are small their
    recall is high too. Look at the baselines one-in-one and all-in-one before any value.
    """
    _refuse_overlap(aligned, "B-cubed")
    cluster, entity, shared = aligned.overlaps
    squares = shared.astype(np.float64) ** 2
    return _tally(
        _by_entity(aligned, entity, squares / aligned.predicted_sizes[cluster]),
        aligned.gold_sizes,
        _by_entity(aligned, entity, squares / aligned.gold_sizes[entity]),
        aligned.gold_sizes,
    )


def b_cubed_extended(aligned: Alignment) -> Tally:
    """B-cubed for overlapping entities (Amigó, Gonzalo, Artiles, Verdejo 2009, doi:10.1007/s10791-008-9066-8).

    Precision of a pair = min(shared answer entities, shared gold entities) / shared answer entities; averaged over all
    e' that share an answer entity with e, e itself included, then over e. Recall divides by shared gold entities. On
    partitions it equals plain B-cubed. Cost: pairs of distinct kinds of items that share an entity.

    >>> b_cubed_extended(worked_example())
    Tally(precision=0.583, recall=0.778, f1=0.667)
    >>> gold = Assignment.of({"a": ["x", "y"], "b": ["x", "y"], "c": "y"})
    >>> b_cubed_extended(align(Assignment.of({"a": "1", "b": "1", "c": "1"}), gold))
    Tally(precision=1.000, recall=0.778, f1=0.875)

    A precision of 1 does not mean that the answer is right: the measure sees how many entities two items share, not
    which, and an answer with precision and recall 1 can differ from the gold standard.
    """
    if not aligned.overlapping:
        return b_cubed(aligned)
    item, count, kind_of_item = _kinds(aligned)
    precision, recall = _pair_means(aligned.predicted[item], aligned.gold[item], count.astype(np.float64))
    items = _spread(aligned, np.ones(len(kind_of_item)))
    return _tally(_spread(aligned, precision[kind_of_item]), items, _spread(aligned, recall[kind_of_item]), items)


def pairwise(aligned: Alignment, self_pairs: bool = False) -> Tally:
    """Precision and recall over unordered pairs of mentions in one entity; optionally with (e, e) as a pair.

    With n_ij = |C_i & D_j| and pairs(n) = n(n-1)/2, or n(n+1)/2 with self-pairs:
    P = sum_ij pairs(n_ij) / sum_i pairs(|C_i|), R = sum_ij pairs(n_ij) / sum_j pairs(|D_j|).

    >>> pairwise(worked_example())
    Tally(precision=0.286, recall=0.500, f1=0.364)
    >>> pairwise(worked_example(), self_pairs=True)
    Tally(precision=0.615, recall=0.800, f1=0.696)

    It does not weigh mentions alike: an entity of 100 mentions has 4950 pairs and drowns a hundred small ones.
    """
    _refuse_overlap(aligned, "pairwise")
    cluster, entity, shared = aligned.overlaps
    others = 1 if self_pairs else -1
    pairs = shared * (shared + others) / 2
    return _tally(
        hits := _by_entity(aligned, entity, pairs),
        _by_entity(aligned, entity, shared * (aligned.predicted_sizes[cluster] + others) / 2),
        hits,
        aligned.gold_sizes * (aligned.gold_sizes + others) / 2,
    )


def muc(aligned: Alignment) -> Tally:
    """MUC (Vilain et al. 1995, doi:10.3115/1072399.1072405): links kept out of the fewest that hold entities together.

    R = sum_j (|D_j| - parts of D_j in the answer) / sum_j (|D_j| - 1); P swaps answer and gold.

    >>> muc(worked_example())
    Tally(precision=0.500, recall=0.667, f1=0.571)

    It says nothing about singletons, and one wrong merge costs one link however large the two entities: all-in-one
    scores well.
    """
    _refuse_overlap(aligned, "MUC")
    cluster, entity, shared = aligned.overlaps
    sizes = aligned.predicted_sizes[cluster]
    return _tally(
        hits := _by_entity(aligned, entity, shared - 1),
        _by_entity(aligned, entity, shared * (sizes - 1) / sizes),
        hits,
        aligned.gold_sizes - 1,
    )


def ceaf_m(aligned: Alignment) -> Tally:
    """CEAF by mentions (Luo 2005, aclanthology.org/H05-1004): a one-to-one matching that shares most.

    P = R = sum over matched (i, j) of |C_i & D_j| / N.

    >>> ceaf_m(worked_example())
    Tally(precision=0.667, recall=0.667, f1=0.667)

    An entity split in two is credited for its larger part only, so it does not tell a clean split from a mixture.
    """
    _refuse_overlap(aligned, "CEAF")
    _, entity, shared = aligned.overlaps
    matched = best_matching(aligned, shared.astype(np.float64))
    hits = _by_entity(aligned, entity[matched], shared[matched])
    return _tally(hits, aligned.gold_sizes, hits, aligned.gold_sizes)


def ceaf_e(aligned: Alignment) -> Tally:
    """CEAF by entities, phi_4 (Luo 2005, aclanthology.org/H05-1004): entities matched one to one for the best total
    of phi = 2 |C_i & D_j| / (|C_i| + |D_j|).

    P = total / number of answer entities, R = total / number of gold entities.

    >>> ceaf_e(worked_example())
    Tally(precision=0.733, recall=0.489, f1=0.587)

    It does not weigh mentions: a wrong singleton counts as much as a wrong entity of a thousand mentions.
    """
    _refuse_overlap(aligned, "CEAF")
    cluster, entity, shared = aligned.overlaps
    similarity = 2 * shared / (aligned.predicted_sizes[cluster] + aligned.gold_sizes[entity])
    matched = best_matching(aligned, similarity)
    hits = _by_entity(aligned, entity[matched], similarity[matched])
    unmatched = np.ones(aligned.predicted.shape[1], dtype=bool)
    unmatched[cluster[matched]] = False
    # A matched answer entity counts where it was matched, another one is shared out among its mentions' entities.
    share = np.where(unmatched[cluster], shared / aligned.predicted_sizes[cluster], 0.0)
    share[matched] = 1.0
    return _tally(hits, _by_entity(aligned, entity, share), hits, np.ones(aligned.gold.shape[1]))


def lea(aligned: Alignment) -> Tally:
    """LEA (Moosavi, Strube 2016, doi:10.18653/v1/P16-1060): shares of resolved links, weighted by size.

    R = sum_j |D_j| * (sum_i links(n_ij) / links(|D_j|)) / sum_j |D_j| with links(n) = n(n-1)/2; P swaps the two. A
    singleton has one link, to itself, resolved if it is a singleton on the other side as well.

    >>> lea(worked_example())
    Tally(precision=0.444, recall=0.500, f1=0.471)

    It does not reward a mention put right with just one of its fellows in a large entity: nearly all links still lack.
    """
    _refuse_overlap(aligned, "LEA")
    cluster, entity, shared = aligned.overlaps
    ours, theirs = aligned.predicted_sizes[cluster], aligned.gold_sizes[entity]
    both_single = ((ours == 1) & (theirs == 1)).astype(np.float64)
    links = shared * (shared - 1).astype(np.float64)
    return _tally(
        _by_entity(aligned, entity, both_single + quotient(links, ours - 1)),
        aligned.gold_sizes,
        _by_entity(aligned, entity, both_single + quotient(links, theirs - 1)),
        aligned.gold_sizes,
    )


def conll(aligned: Alignment) -> float:
    """The CoNLL average (Pradhan et al. 2012): the mean of the F1 of MUC, B-cubed and CEAF by entities.

    >>> round(conll(worked_example()), 3)
    0.608

    A mean of three F1 values has no precision or recall of its own, and hides which of the three moved.
    """
    return (muc(aligned).f1 + b_cubed(aligned).f1 + ceaf_e(aligned).f1) / 3


def _tally(p_hits: ArrayLike, p_total: ArrayLike, r_hits: ArrayLike, r_total: ArrayLike) -> Tally:
    return Tally(np.stack([np.asarray(part, dtype=np.float64) for part in (p_hits, p_total, r_hits, r_total)]))


def quotient(numerator: ArrayLike, denominator: ArrayLike) -> Floats:
    n, d = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    return np.divide(n, d, out=np.zeros(np.broadcast_shapes(n.shape, d.shape)), where=d != 0)


def _refuse_overlap(aligned: Alignment, measure: str) -> None:
    if aligned.overlapping:
        raise errors.partitions_only(measure)


def _by_entity(aligned: Alignment, entity: Codes, values: ArrayLike) -> Floats:
    return np.bincount(entity, np.asarray(values, dtype=np.float64), aligned.gold.shape[1]).astype(np.float64)


def _spread(aligned: Alignment, per_item: ArrayLike) -> Floats:
    """Sums by gold entity of figures that items have; an item in several entities is divided among them."""
    entities_of_item = np.diff(aligned.gold.indptr)
    values: Floats = aligned.gold.T @ (np.asarray(per_item, dtype=np.float64) / entities_of_item)
    return values


def _largest(key: Codes, size: Codes) -> Codes:
    """The position of the largest value of each key, the first among equals."""
    order = np.lexsort((-size, key))
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.diff(key[order]) != 0
    return order[first]


def _kinds(aligned: Alignment) -> tuple[Codes, Codes, Codes]:
    """Items with the same answer and gold entities are of one kind: an item of each, its count, each item's kind."""
    both = hstack([aligned.predicted, aligned.gold], format="csr")
    both.sort_indices()
    # The numbers of an item's entities as one binary value, which Arrow encodes.
    ends = both.indptr.astype(np.int64) * both.indices.itemsize
    rows = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), both.shape[0], [None, pa.py_buffer(ends), pa.py_buffer(both.indices)]
    )
    kind = rows.dictionary_encode().indices.to_numpy().astype(np.int64)
    _, first, count = np.unique(kind, return_index=True, return_counts=True)
    return first, count, kind


def _pair_means(predicted: csr_array, gold: csr_array, count: Floats) -> tuple[Floats, Floats]:
    """Mean multiplicity precision and recall of each kind over the items that it shares an entity with."""
    precision, recall = np.empty(len(count)), np.empty(len(count))
    for start in range(0, len(count), KINDS_AT_ONCE):
        block = slice(start, start + KINDS_AT_ONCE)
        shared_answer = (predicted[block] @ predicted.T).tocsr()
        shared_gold = (gold[block] @ gold.T).tocsr()
        common = shared_answer.minimum(shared_gold)
        for shared, means in ((shared_answer, precision), (shared_gold, recall)):
            inverse = shared.astype(np.float64)
            neighbours = inverse.astype(bool).astype(np.float64) @ count
            inverse.data = 1 / inverse.data
            means[block] = (common.multiply(inverse) @ count) / neighbours
    return precision, recall


def best_matching(aligned: Alignment, weight: Floats) -> Codes:
    """The cells of the contingency table in a one-to-one matching of answer and gold entities of the most weight."""
    cluster, entity, _ = aligned.overlaps
    clusters, entities = aligned.predicted.shape[1], aligned.gold.shape[1]
    graph = csr_array((np.ones(len(weight)), (cluster, entity + clusters)), shape=(clusters + entities,) * 2)
    component = connected_components(graph, directed=False)[1][cluster]
    order = np.argsort(component, kind="stable")
    cells = np.split(order, np.flatnonzero(np.diff(component[order])) + 1)
    return np.concatenate([_match_component(part, entity[part], cluster[part], weight[part]) for part in cells])


def _match_component(cells: Codes, entity: Codes, cluster: Codes, weight: Floats) -> Codes:
    if len(cells) == 1:
        return cells
    rows, row = np.unique(entity, return_inverse=True)
    columns, column = np.unique(cluster, return_inverse=True)
    if len(rows) == 1 or len(columns) == 1:
        return cells[[np.argmax(weight)]]
    match = _match_densely if len(rows) * len(columns) <= DENSE_CELLS else _match_sparsely
    return cells[match(row, column, weight)]


def _match_densely(row: Codes, column: Codes, weight: Floats) -> Codes:
    table = np.zeros((row.max() + 1, column.max() + 1))
    cell = np.full(table.shape, -1)
    table[row, column] = weight
    cell[row, column] = np.arange(len(weight))
    chosen = cell[linear_sum_assignment(table, maximize=True)]
    return chosen[chosen >= 0]


def _match_sparsely(row: Codes, column: Codes, weight: Floats) -> Codes:
    """With a column of its own to fall back on, every row is matched, and an equal amount added to each cost then
    changes nothing but keeps costs above zero, which the sparse method reads as no edge."""
    rows, columns = int(row.max()) + 1, int(column.max()) + 1
    dearest = weight.max() + 1
    costs = csr_array((dearest - weight, (row, column)), shape=(rows, columns))
    matched = min_weight_full_bipartite_matching(hstack([costs, diags_array(np.full(rows, dearest))], format="csr"))
    column_of_row = np.full(rows, -1)
    column_of_row[matched[0]] = matched[1]
    return np.flatnonzero(column_of_row[row] == column)
