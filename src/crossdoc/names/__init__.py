"""Parts of names, and how two names relate: one rule, for a pair or many at once (docs/names.md)."""

from crossdoc.lang.en import GENERATIONS, LEGAL_FORMS, PARTICLES, SMALL_WORDS, SUFFIXES, TITLES
from crossdoc.names.index import Agreeing, agreeing, agreeing_names
from crossdoc.names.others import acronym, is_acronym, others_agree, relate_others, relate_places, telling_words
from crossdoc.names.people import (
    PersonName,
    compare_people,
    goes_by,
    parse_person,
    persons_agree,
    relate_people,
    relate_surnames,
)
from crossdoc.names.words import (
    Grade,
    first_names,
    first_names_agree,
    fold,
    in_one_spelling,
    in_singular,
    sound,
)

__all__ = [
    "GENERATIONS",
    "LEGAL_FORMS",
    "PARTICLES",
    "SMALL_WORDS",
    "SUFFIXES",
    "TITLES",
    "Agreeing",
    "Grade",
    "PersonName",
    "acronym",
    "agreeing",
    "agreeing_names",
    "compare_people",
    "first_names",
    "first_names_agree",
    "fold",
    "goes_by",
    "in_one_spelling",
    "in_singular",
    "is_acronym",
    "others_agree",
    "parse_person",
    "persons_agree",
    "relate",
    "relate_surnames",
    "sound",
    "telling_words",
]


def relate(a: str, b: str, entity_type: str | None = "person") -> Grade:
    """How two names relate; without a type, as people's.

    >>> str(relate("Bill Clinton", "William J. Clinton")), str(relate("GM", "General Motors", "organisation"))
    ('variant', 'part')
    """
    if entity_type in ("person", None):
        return relate_people(a, b)
    return relate_places(a, b) if entity_type == "place" else relate_others(a, b)
