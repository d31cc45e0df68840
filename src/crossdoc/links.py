"""Whether a table of profiles is one of links: a name and some words around it, and nothing else.

A link's profile has one mention, and what the words around it are worth has to be learned from how they go together in
very many of them: the model of bags does that (docs/sampling.md), where linkage, made for profiles of documents, often
ends below string match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow.compute as pc

from crossdoc.cluster import registry
from crossdoc.compare.specialists.base import attribute_types, relation_types
from crossdoc.model import Profiles
from crossdoc.settings import Settings

FEWEST, FEWEST_NAMES = 500, 50
"""With fewer mentions or names, bags may be worse than string match."""
WORDED = 0.5
"""The part of the profiles that must have a context."""
METHOD = "sampling"


class Seen(NamedTuple):
    """What there is to see of profiles: how many, those with a context, names, and whether there is anything else."""

    profiles: int
    worded: int
    names: int
    more: bool

    @classmethod
    def of(cls, profiles: Profiles) -> Seen:
        worded = pc.greater(pc.fill_null(pc.utf8_length(profiles.column("context")), 0), 0)
        typed = pc.not_equal(pc.fill_null(profiles.column("type"), ""), "")
        stated = any(len(each) for of_kind in (attribute_types, relation_types) for each in of_kind(profiles))
        names = pc.count_distinct(profiles.column("name")).as_py()
        return cls(len(profiles), pc.sum(worded).as_py() or 0, names, stated or bool(pc.any(typed).as_py()))

    @classmethod
    def united(cls, parts: Sequence[Seen]) -> Seen:
        """Of all parts; there are as many names as in one of them, at least."""
        profiles, worded, names, more = zip(*parts, strict=True)
        return cls(sum(profiles), sum(worded), max(names), any(more))

    @property
    def are_links(self) -> bool:
        """
        >>> Seen(5000, 4000, 300, False).are_links, Seen(5000, 4000, 300, True).are_links
        (True, False)
        """
        enough = self.profiles >= FEWEST and self.names >= FEWEST_NAMES
        return enough and self.worded >= WORDED * self.profiles and not self.more


def left_open(settings: Settings) -> bool:
    """Whether nobody has said how profiles are to be clustered, neither by a method nor by what belongs to one."""
    stated = settings.model_fields_set & {"method", "threshold"}
    return not stated and registry.DEFAULT not in settings.parameters


def note(many: int) -> str:
    """
    >>> note(4000)[:75]
    '4,000 profiles with a name and a context each, and no type: clustered as li'
    """
    return (
        f"{many:,} profiles with a name and a context each, and no type: clustered as links, by sampling "
        f"(--method {registry.DEFAULT}: as profiles of documents)"
    )
