"""Partitions: profiles with their memberships in clusters; and which identities keep their ids, split or merge.

A cluster takes over the id of the identity with which it shares most profiles (the oldest of several), each id once. A
new identity gets the smallest of its profile ids that is not in use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from crossdoc import errors
from crossdoc.model.rows import FloatArray, Frames, IntArray, Profiles
from crossdoc.names import fold


class Partition(Frames):
    """A soft partition: which profile belongs to which cluster, and how much.

    Parameters
    ----------
    ids : sequence of str or ndarray
        Profile ids, one per row.
    membership : Any
        Sparse matrix, profiles × clusters, values in (0, 1]; rows need not sum to 1.
    entities : sequence of str or None, default None
        What each cluster is called, where it has an id already; left out: see :attr:`entities`.

    Examples
    --------
    >>> partition = Partition(["a", "b", "c"], np.array([[1, 0], [0.6, 0.4], [0.1, 0.9]]))
    >>> partition.labels.tolist(), partition.entities
    ([0, 0, 1], ['a', 'c'])
    >>> partition.threshold(0.3).membership.toarray().tolist()
    [[1.0, 0.0], [0.6, 0.4], [0.0, 0.9]]
    """

    def __init__(
        self, ids: Sequence[str] | npt.NDArray[Any], membership: Any, entities: Sequence[str] | None = None
    ) -> None:
        self.ids = np.asarray(ids, dtype=object)
        # A copy, since dropping zeros in place would change the caller's matrix.
        self.membership = sparse.csr_matrix(membership, dtype=np.float64, copy=True)
        self.membership.sum_duplicates()
        self.membership.eliminate_zeros()
        if not ((self.membership.data > 0) & (self.membership.data <= 1 + 1e-9)).all():
            raise errors.bad_partition("memberships must lie between 0 and 1")
        if self.membership.shape[0] != len(self.ids):
            raise errors.bad_partition(f"{len(self.ids)} ids but {self.membership.shape[0]} rows of memberships")
        if entities is not None and len(entities) != self.n_clusters:
            raise errors.bad_partition(f"{len(entities)} names for {self.n_clusters} clusters")
        self._called = None if entities is None else list(entities)

    @classmethod
    def from_labels(cls, ids: Sequence[str] | npt.NDArray[Any], labels: npt.ArrayLike) -> Partition:
        """A hard partition; a negative label is a profile left out."""
        wanted = np.asarray(labels)
        if not len(wanted):
            return cls(ids, sparse.csr_matrix((0, 0)))
        kept = np.flatnonzero(wanted >= 0)
        distinct, column = np.unique(wanted[kept], return_inverse=True)
        shape = (len(wanted), len(distinct))
        return cls(ids, sparse.csr_matrix((np.ones(len(kept)), (kept, column)), shape=shape))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_clusters(self) -> int:
        return int(self.membership.shape[1])

    @cached_property
    def labels(self) -> IntArray:
        """The best cluster of each profile (the first of several equally good ones), −1 where it has none."""
        m = self.membership
        best = np.full(len(self), -1, dtype=np.int32)
        rows = np.repeat(np.arange(len(self)), np.diff(m.indptr))
        order = np.lexsort((m.indices, -m.data, rows))
        present, first = np.unique(rows[order], return_index=True)
        best[present] = m.indices[order][first]
        return best

    def threshold(self, theta: float, drop: bool = False) -> Partition:
        """Keep memberships above θ. A profile with none above θ keeps its best cluster, or is left out with `drop`.

        The result may overlap: Huang et al. 2009, section 2.2 (P_θ).
        """
        m = self.membership.tocoo()
        keep = m.data > theta
        if not drop:
            lost = np.ones(len(self), dtype=bool)
            lost[m.row[keep]] = False
            keep |= lost[m.row] & (m.col == self.labels[m.row])
        kept = sparse.csr_matrix((m.data[keep], (m.row[keep], m.col[keep])), shape=m.shape)
        return Partition(self.ids, kept, self._called)

    def harden(self) -> Partition:
        """Put each profile in its best cluster alone; clusters that are the best of no profile disappear."""
        hard = Partition.from_labels(self.ids, self.labels)
        if self._called is not None:
            hard._called = [self._called[cluster] for cluster in np.unique(self.labels[self.labels >= 0])]
        return hard

    def called(self, entities: Sequence[str]) -> Partition:
        """The same with other names for its clusters, such as those they had before (:class:`FormerIds`)."""
        return Partition(self.ids, self.membership, entities)

    @cached_property
    def entities(self) -> list[str]:
        """The id of each cluster: the one it was given, or the smallest profile id among its hard members.

        A result keeps an identity's id as long as the identity is recognisably the same. A cluster that is the best of
        no profile is called ``~`` and the id of its strongest member (``~~`` if that is taken).
        """
        if self._called is not None:
            return self._called
        rank = np.empty(len(self), dtype=np.int64)
        # Arrow orders strings by their UTF-8 bytes, which is the order of code points.
        rank[pc.sort_indices(pa.array(self.ids, pa.string())).to_numpy()] = np.arange(len(self))
        names = np.full(self.n_clusters, None, dtype=object)
        rows = np.flatnonzero(self.labels >= 0)
        rows = rows[np.argsort(rank[rows])]
        clusters, first = np.unique(self.labels[rows], return_index=True)
        names[clusters] = self.ids[rows[first]]
        taken = set(self.ids[rows[first]])
        for cluster in np.setdiff1d(np.arange(self.n_clusters), clusters).tolist():
            members, values = self.ranking(cluster)
            strongest = members[values == values[:1]]
            name = f"~{self.ids[strongest[np.argmin(rank[strongest])]] if len(members) else cluster}"
            while name in taken:
                name = f"~{name}"
            taken.add(name)
            names[cluster] = name
        return names.tolist()

    @cached_property
    def _by_cluster(self) -> sparse.csc_matrix:
        return self.membership.tocsc()

    def ranking(self, cluster: int) -> tuple[IntArray, FloatArray]:
        """The rows of a cluster's profiles and their memberships, strongest first."""
        m = self._by_cluster
        part = slice(m.indptr[cluster], m.indptr[cluster + 1])
        rows, values = m.indices[part], m.data[part]
        order = np.lexsort((rows, -values))
        return rows[order].astype(np.int32), values[order]

    @cached_property
    def uncertainty(self) -> FloatArray:
        """Entropy (nats) of each profile's memberships, scaled to sum to 1: 0 is certain, log k torn between k."""
        m = self.membership
        rows = np.repeat(np.arange(len(self)), np.diff(m.indptr))
        totals = np.bincount(rows, weights=m.data, minlength=len(self))
        share = m.data / totals[rows]
        return np.bincount(rows, weights=-share * np.log(share), minlength=len(self)).astype(np.float64)

    def table(self, soft: bool = False) -> pa.Table:
        """Columns `id, entity, membership`: one row an id, its strongest; with `soft` all, the strongest first.

        >>> Partition(["a", "b"], np.array([[1, 0], [0.4, 0.6]])).table().to_pydict()
        {'id': ['a', 'b'], 'entity': ['a', 'b'], 'membership': [1.0, 0.6]}
        """
        m = self.membership.tocoo()
        order = np.lexsort((m.col, -m.data, m.row))
        if not soft:
            order = order[self.membership.indptr[:-1][np.diff(self.membership.indptr) > 0]]
        entities = pa.array(self.entities, pa.string()).take(pa.array(m.col[order].astype(np.int64)))
        ids = pa.array(self.ids, pa.string()).take(pa.array(m.row[order].astype(np.int64)))
        return pa.table({"id": ids, "entity": entities, "membership": m.data[order]})

    @classmethod
    def from_table(cls, ids: Sequence[str] | npt.NDArray[Any], table: pa.Table) -> Partition:
        """The inverse of a soft :meth:`table`; `ids` fixes the rows, clusters come in the order of appearance.

        Clusters keep the names that they have in the table.
        """
        rows = pc.index_in(table.column("id"), value_set=pa.array(ids, pa.string()))
        if rows.null_count:
            missing = table.column("id").filter(pc.is_null(rows))[0].as_py()
            raise errors.bad_partition(f"the table has a membership of {missing!r}, which is not among the ids")
        entities = pc.unique(table.column("entity"))
        columns = pc.index_in(table.column("entity"), value_set=entities)
        values = table.column("membership").to_numpy()
        where = (rows.to_numpy().astype(np.int64), columns.to_numpy().astype(np.int64))
        return cls(ids, sparse.csr_matrix((values, where), shape=(len(ids), len(entities))), entities.to_pylist())

    def to_arrow(self) -> pa.Table:
        """One row an id, its strongest entity; `table(soft=True)` has all of them."""
        return self.table()

    def __repr__(self) -> str:
        return f"<Partition: {len(self):,} profiles in {self.n_clusters:,} clusters>"


What = Literal["appeared", "split", "moved", "merged", "vanished"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to an identity."""

    id: str
    what: What
    other: str | None = None
    """The identity that it split from or merged into, or that its profiles moved to."""
    profiles: int = 0
    when: str = ""
    cause: str = ""
    """The run, the addition or the entry of the log that caused it."""

    def __str__(self) -> str:
        some = f"{self.profiles:,} profile" + ("" if self.profiles == 1 else "s")
        sentences = {
            "appeared": f"{self.id} appeared, {some}",
            "split": f"{self.id} split from {self.other}, {some}",
            "moved": f"{some} moved from {self.id} to {self.other}",
            "merged": f"{self.id} merged into {self.other}, {some}",
            "vanished": f"{self.id} vanished",
        }
        return sentences[self.what]


def _new_id(profiles: list[str], taken: Set[str]) -> str:
    free = next((id for id in profiles if id not in taken), None)
    return free or next(id for id in (f"{profiles[0]}~{number}" for number in count(2)) if id not in taken)


def events(before: Mapping[str, str], now: Mapping[str, str], gone: Iterable[str] = ()) -> list[Event]:
    """List the events between two answers, each a mapping from profile to identity.

    `gone` has identities whose profiles were removed with their documents.

    >>> [str(event) for event in events({"a": "a", "b": "a", "c": "c"}, {"a": "a", "b": "b", "c": "a", "d": "d"})]
    ['b split from a, 1 profile', 'c merged into a, 1 profile', 'd appeared, 1 profile']
    """
    present, sizes = set(now.values()), Counter(now.values())
    old = {*before.values(), *gone}
    went = Counter((before[id], entity) for id, entity in now.items() if id in before and before[id] != entity)
    found = []
    for (a, b), profiles in sorted(went.items()):
        if a not in present:
            found.append(Event(a, "merged", b, profiles))
        else:
            found.append(Event(a, "moved", b, profiles) if b in old else Event(b, "split", a, profiles))
    from_others = {event.id for event in found}
    found += [Event(id, "appeared", None, sizes[id]) for id in sorted(present - old - from_others)]
    found += [Event(id, "vanished") for id in sorted(old - present - from_others)]
    return found


def carried(entity_of: Mapping[str, str], old: Profiles, new: Profiles) -> dict[str, str]:
    """Map present profiles to their former identity: by id, or by document and name (ids change with a text).

    >>> from crossdoc.model import Profile
    >>> old, new = (Profiles.of([Profile(f"d:{at}", "d", "Ann Lee")]) for at in (0, 7))
    >>> carried({"d:0": "c:3"}, old, new)
    {'d:7': 'c:3'}
    """
    was, now = _by_name(old), _by_name(new)
    same = {id: entity_of[id] for id, called in now.items() if was.get(id) == called and id in entity_of}
    left: dict[tuple[str, str], list[str]] = {}
    for id, called in was.items():
        if id not in same and id in entity_of:
            left.setdefault(called, []).append(entity_of[id])
    for id, called in now.items():
        if id not in same and left.get(called):
            same[id] = left[called].pop(0)
    return same


def _by_name(profiles: Profiles) -> dict[str, tuple[str, str]]:
    columns = (profiles.column(name).to_pylist() for name in ("id", "document", "name"))
    return {id: (document or "", fold(name or "")) for id, document, name in zip(*columns, strict=True)}


def labels_of(partition: Partition) -> dict[str, str]:
    entities = np.array([*partition.entities, None], dtype=object)
    pairs = zip(partition.ids.tolist(), entities[partition.labels].tolist(), strict=True)
    return {id: entity for id, entity in pairs if entity is not None}


@dataclass(frozen=True)
class FormerIds:
    """Ids of the answer that a new one replaces. Identities that stay the same keep them."""

    entity_of: Mapping[str, str] = field(default_factory=dict)
    """Former identity of each present profile."""
    ids: Set[str] = frozenset()
    ages: Mapping[str, int] = field(default_factory=dict)
    """Smaller for older identities."""
    used: Set[str] = frozenset()
    """Ids of identities that stay as they are, which are not given out again."""
    late: Set[str] = frozenset()
    """Profiles that are counted only for clusters and ids that are left after all others were counted."""
    given: set[str] = field(default_factory=set)
    """Ids already given to partitions of other types."""

    def keep(self, partition: Partition) -> Partition:
        """Return the partition with the former ids of identities that are recognisably the same.

        >>> now = Partition.from_labels(["a", "b", "c", "d"], [0, 1, 1, 2])
        >>> FormerIds({"a": "a", "b": "a", "c": "a"}, {"a"}).keep(now).entities
        ['a~2', 'a', 'd']
        """
        if not self.ids:
            return partition
        members: dict[int, list[str]] = {}
        for id, cluster in zip(partition.ids.tolist(), partition.labels.tolist(), strict=True):
            members.setdefault(cluster, []).append(id)
        members.pop(-1, None)
        first = {cluster: min(ids) for cluster, ids in members.items()}
        named: dict[int, str] = {}
        for old, cluster in self._by_overlap(members, first):
            if cluster not in named and old not in self.given:
                named[cluster] = old
                self.given.add(old)
        taken = {*self.used, *self.given}
        for cluster in sorted(members.keys() - named.keys(), key=first.__getitem__):
            named[cluster] = _new_id(sorted(members[cluster]), taken)
            taken.add(named[cluster])
        # A cluster that is no profile's best is no identity; its name may change each time.
        kept = partition.called([named.get(number, name) for number, name in enumerate(partition.entities)])
        self.given.update(kept.entities)
        return kept

    def _by_overlap(self, members: Mapping[int, list[str]], first: Mapping[int, str]) -> list[tuple[str, int]]:
        """Return former identities with the clusters of their profiles, those that share most profiles first."""
        votes = [(id, cluster) for cluster, ids in members.items() for id in ids if id in self.entity_of]
        in_order = []
        for are_late in (False, True):
            shared = Counter((self.entity_of[id], cluster) for id, cluster in votes if (id in self.late) == are_late)
            rank = {pair: (-n, self.ages.get(pair[0], 0), pair[0], first[pair[1]]) for pair, n in shared.items()}
            in_order += sorted(shared, key=rank.__getitem__)
        return in_order

    def events(self, now: Mapping[str, str]) -> list[Event]:
        """List the events of this run; a first run has none."""
        return events(self.entity_of, now, self.ids) if self.ids else []
