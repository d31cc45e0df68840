"""Whether a table of profiles is one of links: a name and some words around it, and nothing else.

A link's profile has one mention, and what the words around it are worth has to be learned from how they go together in
very many of them: the model of bags does that (docs/sampling.md), where linkage, made for profiles of documents, often
ends below string match.
"""

from __future__ import annotations

import pyarrow.compute as pc

from crossdoc.cluster import registry
from crossdoc.compare.specialists.base import attribute_types, relation_types
from crossdoc.model import Profiles
from crossdoc.settings import Settings

FEWEST, FEWEST_NAMES = 2_000, 50
"""With fewer mentions, bags may be worse than string match where many share a name."""
WORDED = 0.5
"""The part of the profiles that must have a context."""
METHOD = "sampling"


def are_links(profiles: Profiles, of: int) -> bool:
    """Whether profiles, which may be some of so many, are links.

    >>> from crossdoc.model import Profile
    >>> one = Profiles.of([Profile("1", "d", "Ann Lee", None, "of Rome")])
    >>> are_links(one, 1)
    False
    """
    if of < FEWEST or not len(profiles):
        return False
    worded = pc.sum(pc.greater(pc.fill_null(pc.utf8_length(profiles.column("context")), 0), 0)).as_py() or 0
    types = pc.fill_null(profiles.column("type"), "")
    return bool(
        worded >= WORDED * len(profiles)
        and not pc.any(pc.not_equal(types, "")).as_py()
        and pc.count_distinct(profiles.column("name")).as_py() >= FEWEST_NAMES
        and not any(len(each) for of_kind in (attribute_types, relation_types) for each in of_kind(profiles))
    )


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
