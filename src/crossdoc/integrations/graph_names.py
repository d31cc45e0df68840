"""Nodes of a knowledge graph that is keyed by name: one name per identity, and no name for two.

Graph builders merge nodes of equal names. Their nodes are renamed to the name of the identity, followed by its
description if several identities have that name.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossdoc.run.mention_answer import MentionAnswer, resolve_mentions
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

    @classmethod
    def of(cls, mentions: int, renamed: Iterable[tuple[str, str]], others: int = 0) -> GraphCounts:
        """Count former and new names of mentions; `others` are nodes without mentions.

        >>> GraphCounts.of(3, [("a", "x"), ("b", "x"), ("b", "y")])
        GraphCounts(mentions=3, nodes_before=2, nodes=2, joined=1, split=1)
        """
        pairs = set(renamed)
        before, after = Counter(old for old, _ in pairs), Counter(new for _, new in pairs)
        joined, split = sum(n - 1 for n in after.values()), sum(n > 1 for n in before.values())
        return cls(mentions, len(before) + others, len(after) + others, joined, split)


def mention_row(id: str, name: str, label: str | None, text: str, document: str) -> dict[str, Any]:
    """Return a row for `resolve_mentions`; a label that says nothing about the type is left out.

    >>> [mention_row("1", "Ann", label, "", "d")["type"] for label in ("entity", "Person", "EVENT")]
    [None, 'Person', 'EVENT']
    """
    kind = None if (label or "").strip().lower() in GENERIC_TYPES else label
    return {"id": id, "name": name, "type": kind, "text": text, "document": document}


def unique_names(
    resolution: Resolution, reserved: Iterable[str] = (), form: Callable[[str], str] = str
) -> dict[str, str]:
    """Return a name for each identity, no two alike and none of `reserved` (names of nodes that were not resolved).

    `form` gives names the form that the graph expects.
    """
    identities = sorted(resolution.store.identities(), key=lambda each: each.id)
    shared = Counter(form(each.name) for each in identities)
    taken = set(reserved)
    names: dict[str, str] = {}
    for each in identities:
        plain = shared[form(each.name)] == 1 or not each.descriptor
        name = wanted = form(each.name if plain else f"{each.name} ({each.descriptor})")
        number = 1
        while name in taken:
            number += 1
            name = f"{wanted} ({number})"
        taken.add(name)
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
    return renamed, GraphCounts.of(len(names), zip(names, renamed, strict=True))


class NewNames:
    """New names of the mentions in `rows`, each of a name in a place (a chunk or unit of text).

    `output` keeps the answer. `names` has the new name of each row.
    """

    def __init__(
        self,
        rows: Sequence[dict[str, Any]],
        places: Sequence[str],
        output: str | Path | None = None,
        form: Callable[[str], str] = str,
    ) -> None:
        former = [row["name"] for row in rows]
        with resolve_mentions(rows, output=output) as answer:
            self.names, self.counts = new_names(answer, former, form)
        self._named = dict(zip(zip(former, places, strict=True), self.names, strict=True))
        usual: dict[str, Counter[str]] = defaultdict(Counter)
        for (name, _), new in self._named.items():
            usual[name][new] += 1
        self._usual = {name: found.most_common(1)[0][0] for name, found in usual.items()}

    def of(self, name: str, place: str) -> str:
        """Return the new name in a place. A relationship may be in a place from which its entity was not taken."""
        return self._named.get((name, place)) or self._usual.get(name, name)


def joined_descriptions(descriptions: Iterable[Any]) -> str:
    return "\n".join(dict.fromkeys(str(each) for each in descriptions if each))


def further_id(former: str, key: str) -> str:
    """Return an id for a second record that a former one becomes."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{former}\n{key}"))
