"""Ids of identities, carried from an answer to the one that replaces it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from crossdoc.model import Partition, Profiles, lineage
from crossdoc.store import Store


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
    """Profiles that are counted after all others (:func:`lineage.kept_ids`)."""
    given: set[str] = field(default_factory=set)
    """Ids already given to partitions of other types."""

    @classmethod
    def of(cls, old: Store, now: Profiles) -> FormerIds:
        was = old.entity_of()
        entity_of = lineage.carried(was, old.named(), now)
        return cls(entity_of, set(was.values()), old.ages())

    def keep(self, partition: Partition) -> Partition:
        """Return the partition with the former ids of its identities."""
        if not self.ids:
            return partition
        left = {id: entity for id, entity in self.entity_of.items() if entity not in self.given}
        named = lineage.kept_ids(partition, left, self.ages, self.used | self.given, self.late)
        self.given.update(named.entities)
        return named

    def events(self, now: Mapping[str, str]) -> list[lineage.Event]:
        """List the events of this run; a first run has none."""
        return lineage.events(self.entity_of, now, self.ids) if self.ids else []
