"""The types of attributes and relations of profiles: what each means, and one spelling for all ways to write it."""

from __future__ import annotations

import re
from functools import lru_cache

ATTRIBUTES = {
    "descriptor": 'what it is described as: "chairman of General Motors"',
    "title": 'what stands before a person\'s name: "Sen.", "Dr."',
    "gender": "m, f, male or female",
    "gender_confidence": "how sure the gender is, 0 to 1; a gender without it is believed",
    "born": "the date of birth, as precise as is known: 1931, 1931-05 or 1931-05-03",
    "died": "the date of death, likewise",
    "age": "in years",
    "nationality": 'a country or its people: "French"',
    "party": 'a politician\'s: "Democrat", "GOP"',
    "state": 'the American state that a politician stands for: "N.Y."',
    "email": "an e-mail address, or its hash",
    "phone": "a telephone number, or its hash",
    "url": "a web address, or its hash",
}
RELATIONS = {
    "list": "who or what is named with it: in its sentence, among the authors of its paper",
    "family": 'kin, and after a colon what the other is to it: "family:wife"',
    "employment": 'the employer, and the role: "employment:chairman"',
    "ownership": 'what one owns or founded: "ownership:founder"',
    "resident": "the place where one lives",
    "location": "a place where one was: born, visited, died",
    "citizen": "the country whose citizen one is",
}
SHOWN_ATTRIBUTES = {
    "first": "a person's first name",
    "middle": "middle names or initials",
    "last": "the last name",
    "suffix": '"jr", "iii"',
    "alternate name": "another name that its document gives it",
    "written": "when its document was written: 1987, 1987-03 or 1987-03-21",
    "religion": "a person's faith",
    "ethnicity": "a person's people, if not a nation",
}
SHOWN_RELATIONS = {
    "education": 'where one studied: "education:graduate"',
    "religion": "a faith that one belongs to",
    "ethnicity": "a people that one belongs to",
}
"""Found by crossdoc's own extraction for people to read; no specialist of a trained model compares them."""

_JOINTS = re.compile(r"[\s_-]+")


@lru_cache(maxsize=10_000)
def plain_type(type: str) -> str:
    """A type of attribute or relation in the one spelling by which types are matched; what stands after a colon stays.

    >>> plain_type(" Gender-Confidence"), plain_type("EMPLOYMENT : Vice-President")
    ('gender confidence', 'employment:Vice-President')
    """
    head, colon, detail = type.partition(":")
    return _JOINTS.sub(" ", head).strip().lower() + colon + detail.strip()


@lru_cache(maxsize=10_000)
def relation_type(type: str) -> str:
    """The type alone, without what stands after a colon.

    >>> relation_type("Family:wife")
    'family'
    """
    return plain_type(type).partition(":")[0]
