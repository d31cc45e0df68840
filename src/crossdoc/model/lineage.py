"""Identities before → identities now: which keeps its id, and which appeared, split, merged or vanished.

A cluster takes over the id of the identity with which it shares most profiles (the oldest of several), each id once. A
new identity gets the smallest of its profile ids that is not in use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

import numpy as np

from crossdoc.model import Partition, Profiles
from crossdoc.names import fold

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


def kept_ids(
    partition: Partition,
    before: Mapping[str, str],
    age: Mapping[str, int] | None = None,
    used: Set[str] = frozenset(),
    late: Set[str] = frozenset(),
) -> Partition:
    """Return the partition with the ids of the identities `before` (by profile) that are recognisably the same.

    `age` is smaller for older identities; `used` has ids of others, which are not given out again. Profiles in `late`
    are counted only for clusters and ids that are left after all other profiles were counted.

    >>> now = Partition.from_labels(["a", "b", "c", "d"], [0, 1, 1, 2])
    >>> kept_ids(now, {"a": "a", "b": "a", "c": "a"}).entities
    ['a~2', 'a', 'd']
    """
    members: dict[int, list[str]] = {}
    for id, cluster in zip(partition.ids.tolist(), partition.labels.tolist(), strict=True):
        members.setdefault(cluster, []).append(id)
    members.pop(-1, None)
    born = age or {}
    votes = [(id, before[id], cluster) for cluster, ids in members.items() for id in ids if id in before]
    shared = Counter((old, cluster) for id, old, cluster in votes if id not in late)
    shared_late = Counter((old, cluster) for id, old, cluster in votes if id in late)
    named: dict[int, str] = {}
    given: set[str] = set()
    first = {cluster: min(ids) for cluster, ids in members.items()}

    def in_order(counted: Counter[tuple[str, int]]) -> list[tuple[str, int]]:
        return sorted(counted, key=lambda pair: (-counted[pair], born.get(pair[0], 0), pair[0], first[pair[1]]))

    for old, cluster in [*in_order(shared), *in_order(shared_late)]:
        if cluster not in named and old not in given:
            named[cluster] = old
            given.add(old)
    taken = given | used
    for cluster in sorted(members.keys() - named.keys(), key=first.__getitem__):
        named[cluster] = _new_id(sorted(members[cluster]), taken)
        taken.add(named[cluster])
    # A cluster that is no profile's best is no identity; its name may change each time.
    return partition.called([named.get(number, name) for number, name in enumerate(partition.entities)])


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
    """Return the id of each profile's identity."""
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
    used: Set[str] = frozenset()
    """Ids of identities that stay as they are."""
    late: Set[str] = frozenset()
    """Profiles that are counted after all others (:func:`kept_ids`)."""
    given: set[str] = field(default_factory=set)
    """Ids already given to partitions of other types."""

    @classmethod
    def of(cls, was: Mapping[str, str], named: Profiles, ages: Mapping[str, int], now: Profiles) -> FormerIds:
        """Return the ids of an answer: the identity of each of its profiles (`named`), and how old identities are."""
        return cls(carried(was, named, now), set(was.values()), ages)

    def keep(self, partition: Partition) -> Partition:
        """Return the partition with the former ids of its identities."""
        if not self.ids:
            return partition
        left = {id: entity for id, entity in self.entity_of.items() if entity not in self.given}
        named = kept_ids(partition, left, self.ages, self.used | self.given, self.late)
        self.given.update(named.entities)
        return named

    def events(self, now: Mapping[str, str]) -> list[Event]:
        """List the events of this run; a first run has none."""
        return events(self.entity_of, now, self.ids) if self.ids else []
