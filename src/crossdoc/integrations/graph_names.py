"""Nodes of a knowledge graph that is keyed by name: one name per identity, and no name for two.

Graph builders merge nodes of equal names. Their nodes are renamed to the name of the identity, followed by its
description if several identities have that name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from crossdoc.run.mention_answer import MentionAnswer
from crossdoc.run.resolution import Resolution

GENERIC_TYPES = frozenset({"", "entity", "node", "unknown", "concept", "object", "thing", "none", "other"})
"""Labels that say nothing about the type. They are left out of the comparison."""


@dataclass(frozen=True)
class GraphCounts:
    """Effect of a resolution on a graph."""

    mentions: int
    nodes_before: int
    """Different names."""
    nodes: int
    joined: int
    """Names that went into a node with another name."""
    split: int
    """Names that became several nodes."""


def type_or_none(label: str | None) -> str | None:
    """Return the label of a node, or None if it says nothing about its type.

    >>> type_or_none("entity"), type_or_none("Person"), type_or_none("EVENT")
    (None, 'Person', 'EVENT')
    """
    return None if (label or "").strip().lower() in GENERIC_TYPES else label


def unique_names(
    resolution: Resolution, reserved: Iterable[str] = (), form: Callable[[str], str] = str
) -> dict[str, str]:
    """Return a name for each identity, no two alike and none of `reserved` (names of nodes that were not resolved).

    `form` gives names the form that the graph expects.
    """
    identities = sorted(resolution.store.identities(), key=lambda each: each.id)
    shared = Counter(form(each.name) for each in identities)
    taken = Counter(reserved)
    names: dict[str, str] = {}
    for each in identities:
        plain = shared[form(each.name)] == 1 or not each.descriptor
        name = wanted = form(each.name if plain else f"{each.name} ({each.descriptor})")
        number = 1
        while taken[name]:
            number += 1
            name = f"{wanted} ({number})"
        taken[name] += 1
        names[each.id] = name
    return names


def new_names(
    answer: MentionAnswer, names: list[str], form: Callable[[str], str] = str
) -> tuple[list[str], GraphCounts]:
    """Return the new name of each row, given its present name, and the counts."""
    owners = answer.resolution.store.entity_of()
    identities = [owners.get(id) if id else None for id in answer.ids]
    kept = {name for name, identity in zip(names, identities, strict=True) if identity is None}
    unique = unique_names(answer.resolution, kept, form)
    renamed = [unique[identity] if identity else name for name, identity in zip(names, identities, strict=True)]
    pairs = set(zip(names, renamed, strict=True))
    before, after = Counter(old for old, _ in pairs), Counter(new for _, new in pairs)
    joined = sum(count - 1 for count in after.values())
    split = sum(count > 1 for count in before.values())
    return renamed, GraphCounts(len(names), len(before), len(after), joined, split)
