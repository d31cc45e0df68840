"""The specialists: one small file for each kind of evidence, and how users add their own.

A package offers specialists under the entry point group `crossdoc.specialists`: a `Specialist`, or something that makes
one when called without arguments.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from crossdoc import errors
from crossdoc.compare.specialists.base import PairwiseSpecialist, Specialist, specialist
from crossdoc.compare.specialists.dates import Contradictions, LifeDates
from crossdoc.compare.specialists.jiang_conrath import Descriptors, Posts
from crossdoc.compare.specialists.name_similarity import Acronyms, OtherNames, PersonNames
from crossdoc.compare.specialists.offices import Office, Party, State
from crossdoc.compare.specialists.places import PeoplesPlaces, PlaceNames
from crossdoc.compare.specialists.surroundings import Contacts, Contexts, CoOccurring, RelatedNames
from crossdoc.compare.vectors import ContextVectoriser

ENTRY_POINTS = "crossdoc.specialists"

__all__ = [
    "Acronyms",
    "CoOccurring",
    "Contacts",
    "Contexts",
    "Contradictions",
    "LifeDates",
    "Office",
    "OtherNames",
    "PairwiseSpecialist",
    "Party",
    "PersonNames",
    "RelatedNames",
    "Specialist",
    "State",
    "all_specialists",
    "default_specialists",
    "specialist",
]


def default_specialists(vectoriser: ContextVectoriser | None = None) -> list[Specialist[Any]]:
    """crossdoc's own specialists, always in this order.

    >>> [specialist.name for specialist in default_specialists()][:3]
    ['person_name', 'other_name', 'acronym']
    """
    return [
        PersonNames(),
        OtherNames(),
        Acronyms(),
        RelatedNames("list_names", "list"),
        RelatedNames("family_names", "family"),
        RelatedNames("employer_names", "employment", "ownership"),
        RelatedNames("residence_names", "resident", "location", "citizen"),
        CoOccurring("list_people", "person"),
        CoOccurring("list_organisations", "organisation"),
        CoOccurring("list_places", "place"),
        CoOccurring("list_others", None),
        Descriptors(),
        Posts("employment"),
        Posts("ownership"),
        PlaceNames(),
        PeoplesPlaces(),
        Party(),
        State(),
        Office(),
        LifeDates(),
        Contradictions(),
        Contacts(),
        Contexts(vectoriser),
    ]


def all_specialists(vectoriser: ContextVectoriser | None = None) -> list[Specialist[Any]]:
    """crossdoc's own specialists and those that installed packages offer, by name; two of one name are an error."""
    specialists = default_specialists(vectoriser)
    origin = {specialist.name: "crossdoc" for specialist in specialists}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value)):
        offered = point.load()
        added = offered if isinstance(offered, Specialist) else offered()
        if not isinstance(added, Specialist):
            raise errors.bad_specialist(point.name, f"({point.value}) is not a crossdoc.Specialist")
        if added.name in origin:
            raise errors.bad_specialist(added.name, f"comes from both {origin[added.name]} and {point.value}")
        origin[added.name] = point.value
        specialists.append(added)
    return specialists
