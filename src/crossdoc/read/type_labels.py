"""Entity types of other tools, mapped to person, organisation and place."""

from __future__ import annotations

from crossdoc.model import ENTITY_TYPES

ENTITY_TYPE_OF_LABEL = {
    "PERSON": "person", "PER": "person", "ORG": "organisation", "ORGANIZATION": "organisation", "GPE": "place",
    "LOC": "place", "LOCATION": "place", "FAC": "place", "COMPANY": "organisation", "PERS": "person", "CITY": "place",
    "COUNTRY": "place", "GEO": "place", "FACILITY": "place", "INSTITUTION": "organisation",
    **{type.upper(): type for type in ENTITY_TYPES},
}  # fmt: skip


def type_of(label: str | None) -> str | None:
    """Return the entity type of a label of any tool; None for other types.

    >>> type_of("Organization"), type_of("B-PER"), type_of("event")
    ('organisation', 'person', None)
    """
    return ENTITY_TYPE_OF_LABEL.get((label or "").upper().removeprefix("B-").removeprefix("I-"))
