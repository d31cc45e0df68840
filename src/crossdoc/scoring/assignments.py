"""Assignments of ids to entities: an answer or a gold standard as integer codes, and the alignment of the two.

An id with several entities (in a soft answer, or a WePS page about two namesakes) has several rows. Every row counts as
one membership of any strength; `Assignment.above` applies a threshold to a soft answer first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from crossdoc import errors

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Assignment:
    """Ids and the entities they belong to, one row for each membership.

    `Assignment.of` makes one from a dictionary, `Assignment.from_table` from a table `id, entity`.

    Parameters
    ----------
    ids : pyarrow.Array
        The distinct ids.
    entities : pyarrow.Array
        The distinct entities.
    item : ndarray
        For each row the position of its id in `ids`.
    entity : ndarray
        For each row the position of its entity in `entities`.
    membership : ndarray or None, default None
        For each row the strength of the membership; None: 1.
    groups : pyarrow.Array or None, default None
        The distinct groups, such as ambiguous names.
    group : ndarray or None, default None
        For each id the position of its group in `groups`.

    Examples
    --------
    >>> soft = Assignment.of({"a": "x", "b": ["x", "y"]})
    >>> soft.ids.to_pylist(), soft.item.tolist(), soft.entity.tolist()
    (['a', 'b'], [0, 1, 1], [0, 0, 1])
    """

    ids: pa.Array
    entities: pa.Array
    item: Codes
    entity: Codes
    membership: NDArray[np.float64] | None = None
    groups: pa.Array | None = None
    group: Codes | None = None

    @classmethod
    def of(
        cls, entities: Mapping[str, str | Sequence[str] | set[str]], groups: Mapping[str, str] | None = None
    ) -> Assignment:
        """Make an assignment from a mapping of id to entity or entities; `groups` maps each id to its group."""
        ids, values = list(entities), list(entities.values())
        if not all(isinstance(value, str) for value in values):
            several = [[value] if isinstance(value, str) else sorted(value) for value in values]
            ids = [id_ for id_, names in zip(ids, several, strict=True) for _ in names]
            values = [name for names in several for name in names]
        return cls.from_rows(ids, values, group=None if groups is None else [groups[id_] for id_ in ids])

    @classmethod
    def from_table(cls, table: pa.Table) -> Assignment:
        """Make an assignment from a table with the columns `id`, `entity` and optionally `membership` and `group`."""
        absent = [name for name in ("id", "entity") if name not in table.column_names]
        if absent:
            raise errors.answer_without_columns(absent, table.column_names)
        optional = {name: table[name] for name in ("membership", "group") if name in table.column_names}
        return cls.from_rows(table["id"], table["entity"], **optional)

    @classmethod
    def from_rows(cls, ids: Any, entities: Any, membership: ArrayLike | None = None, group: Any = None) -> Assignment:
        """Make an assignment from columns of equal length: Arrow or numpy arrays, or sequences."""
        distinct_ids, item = _encode(ids, "id")
        distinct_entities, entity = _encode(entities, "entity")
        strengths = None if membership is None else np.asarray(membership, dtype=np.float64)
        if len(item) != len(entity) or (strengths is not None and len(strengths) != len(item)):
            raise errors.uneven_columns()
        if group is None:
            return cls(distinct_ids, distinct_entities, item, entity, strengths)
        groups, group_of_row = _encode(group, "group")
        group_of_id = np.zeros(len(distinct_ids), dtype=np.int64)
        group_of_id[item] = group_of_row
        if (elsewhere := group_of_id[item] != group_of_row).any():
            several = distinct_ids[int(item[elsewhere][0])]
            raise errors.id_in_two_groups(str(several))
        return cls(distinct_ids, distinct_entities, item, entity, strengths, groups, group_of_id)

    def above(self, threshold: float) -> Assignment:
        """Return the memberships above a threshold; an id without any keeps its strongest, as in a `Partition`."""
        kept = self._strengths() > threshold
        with_some = np.zeros(len(self.ids), dtype=bool)
        with_some[self.item[kept]] = True
        return self._rows(kept | (self._is_strongest() & ~with_some[self.item]))

    def strongest(self) -> Assignment:
        """Return each id in its strongest entity only (the first of equally strong ones).

        >>> soft = Assignment.from_rows(["a", "a", "b"], ["x", "y", "y"], membership=[0.4, 0.6, 1.0])
        >>> soft.strongest().entities.to_pylist()
        ['y']
        """
        return self._rows(self._is_strongest())

    def _strengths(self) -> NDArray[np.float64]:
        if self.membership is None:
            raise errors.needs_column("A threshold", "membership")
        return self.membership

    def _is_strongest(self) -> NDArray[np.bool_]:
        order = np.lexsort((-self._strengths(), self.item))
        first = np.diff(self.item[order], prepend=-1) != 0
        strongest = np.zeros(len(self.item), dtype=bool)
        strongest[order[first]] = True
        return strongest

    def _rows(self, kept: NDArray[np.bool_]) -> Assignment:
        group = None if self.group is None or self.groups is None else self.groups.take(self.group[self.item[kept]])
        return Assignment.from_rows(
            self.ids.take(self.item[kept]), self.entities.take(self.entity[kept]), self._strengths()[kept], group
        )


@dataclass(frozen=True, eq=False)
class Alignment:
    """An answer and the gold standard over the gold's ids: two sparse matrices, items by entities, of zeros and ones.

    `group` is each item's group and `entity_group` each gold entity's, the latter once entities are split by group.
    """

    predicted: csr_array
    gold: csr_array
    missing_from_answer: int = 0
    missing_from_gold: int = 0
    groups: tuple[str, ...] = ()
    group: Codes | None = None
    entity_group: Codes | None = None

    @classmethod
    def from_labels(cls, predicted: ArrayLike, gold: ArrayLike) -> Alignment:
        """Align integer labels of the same items in the same order, as clusterers return them."""
        predicted, gold = np.asarray(predicted), np.asarray(gold)
        if predicted.shape != gold.shape or predicted.ndim != 1:
            raise errors.uneven_labels()
        return cls(_labels_to_incidence(predicted), _labels_to_incidence(gold))

    @cached_property
    def overlapping(self) -> bool:
        """Whether some item belongs to several entities in the answer or the gold standard."""
        items = self.gold.shape[0]
        return bool(self.predicted.nnz > items or self.gold.nnz > items)

    @cached_property
    def overlaps(self) -> tuple[Codes, Codes, Codes]:
        """The non-zero cells of the contingency table: answer entity, gold entity, number of items in both."""
        table = (self.predicted.T @ self.gold).tocoo()
        predicted, gold = table.coords
        return predicted.astype(np.int64), gold.astype(np.int64), table.data

    @cached_property
    def predicted_sizes(self) -> Codes:
        return np.bincount(self.predicted.indices, minlength=self.predicted.shape[1])

    @cached_property
    def gold_sizes(self) -> Codes:
        return np.bincount(self.gold.indices, minlength=self.gold.shape[1])

    def split_by_group(self) -> Alignment:
        """Split entities by group, so that each group is scored separately."""
        if self.group is None:
            raise errors.needs_column("An average by group", "group in the gold standard")
        predicted, _ = _split_columns(self.predicted, self.group, len(self.groups))
        gold, entity_group = _split_columns(self.gold, self.group, len(self.groups))
        return Alignment(
            predicted, gold, self.missing_from_answer, self.missing_from_gold, self.groups, self.group, entity_group
        )


def align(predicted: Assignment, gold: Assignment) -> Alignment:
    """Align an answer with the gold standard, over the gold's ids and groups.

    A gold id that is missing from the answer becomes an answer entity of its own; an id that only the answer has is
    left out. Both are counted. Raises `errors.ScoreError` when the two share no id.

    >>> both = align(Assignment.of({"a": "1", "z": "1"}), Assignment.of({"a": "x", "b": "x"}))
    >>> both.missing_from_answer, both.missing_from_gold, both.predicted.toarray().tolist()
    (1, 1, [[1, 0], [0, 1]])
    """
    items = len(gold.ids)
    position = pc.fill_null(pc.index_in(predicted.ids, value_set=gold.ids), -1).to_numpy(zero_copy_only=False)
    row = position.astype(np.int64)[predicted.item]
    kept = row >= 0
    if not kept.any():
        raise errors.nothing_in_common()
    answered = np.zeros(items, dtype=bool)
    answered[row[kept]] = True
    unanswered = np.flatnonzero(~answered)
    singletons = np.arange(len(unanswered)) + len(predicted.entities)
    answer = _incidence(
        np.concatenate([row[kept], unanswered]), np.concatenate([predicted.entity[kept], singletons]), items
    )
    return Alignment(
        answer,
        _incidence(gold.item, gold.entity, items),
        missing_from_answer=len(unanswered),
        missing_from_gold=int((position < 0).sum()),
        groups=() if gold.groups is None else tuple(gold.groups.to_pylist()),
        group=gold.group,
    )


def _encode(values: Any, column: str) -> tuple[pa.Array, Codes]:
    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
    if array.null_count:
        raise errors.empty_values(column, array.null_count)
    # As text, since one file may have the ids as numbers and another as text.
    text = array.cast(pa.large_string())
    joined = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    encoded = joined.dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def _incidence(item: Codes, entity: Codes, items: int) -> csr_array:
    entities = int(entity.max()) + 1
    matrix = coo_array((np.ones(len(item), dtype=np.int64), (item, entity)), shape=(items, entities)).tocsr()
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def _labels_to_incidence(labels: NDArray[Any]) -> csr_array:
    distinct, code = np.unique(labels, return_inverse=True)
    ones = np.ones(len(code), dtype=np.int64)
    return csr_array((ones, code, np.arange(len(code) + 1)), shape=(len(code), len(distinct)))


def _split_columns(matrix: csr_array, group: Codes, groups: int) -> tuple[csr_array, Codes]:
    group_of_row = np.repeat(group, np.diff(matrix.indptr))
    distinct, column = np.unique(matrix.indices.astype(np.int64) * groups + group_of_row, return_inverse=True)
    split = csr_array((matrix.data, column, matrix.indptr), shape=(matrix.shape[0], len(distinct)))
    return split, distinct % groups
