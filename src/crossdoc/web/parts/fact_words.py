"""Facts and relations in plain words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crossdoc.names.evidence_types import plain_type
from crossdoc.store.views import FactLine

FACT_KINDS = {
    "descriptor": "Described as", "alternate name": "Also called", "title": "Titles", "born": "Born", "died": "Died",
    "age": "Age", "gender": "Gender", "nationality": "Nationality",
    "party": "Party", "state": "State", "religion": "Religion",
    "ethnicity": "Ethnicity", "email": "E-mail", "phone": "Telephone", "url": "Web address",
}  # fmt: skip
"""Attributes in the order in which they are shown."""
PLAIN_RELATIONS = {
    "employment": "works for", "ownership": "owns", "resident": "lives in", "location": "was in",
    "citizen": "citizen of", "education": "studied at",
    "religion": "is of", "ethnicity": "is of", "family": "related to",
    "list": "named with",
}  # fmt: skip
RELATION_LINKS = {"employment": "at", "ownership": "of", "education": "of", "family": "", "location": "in"}
PLACE_RELATIONS = {"deathplace": "died in", "birthplace": "born in", "childhood": "grew up in"}


def kind_word(kind: str) -> str:
    """Return a kind of fact as it is shown.

    >>> kind_word("descriptor"), kind_word("shoe size")
    ('Described as', 'Shoe size')
    """
    plain = plain_type(kind)
    return FACT_KINDS.get(plain, plain.capitalize())


def relation_word(type: str) -> str:
    """Return a relation as words before the other's name; the detail of its type is after a colon.

    >>> [relation_word(each) for each in ("employment:chairman", "employment", "family:wife", "location:deathplace")]
    ['chairman at', 'works for', 'wife:', 'died in']
    """
    head, _, detail = plain_type(type).partition(":")
    if not detail:
        return PLAIN_RELATIONS.get(head, head)
    if head == "family":
        return f"{detail}:"
    if head == "location":
        return PLACE_RELATIONS.get(detail, f"{detail} in")
    return f"{detail} {RELATION_LINKS.get(head, 'of')}"


def in_order(facts: Iterable[FactLine]) -> list[tuple[str, list[FactLine]]]:
    """Group facts by kind, in the order of `FACT_KINDS`; values that differ only in case are one fact.

    >>> facts = [("age", "58", 1), ("descriptor", "Chairman", 1), ("descriptor", "chairman", 2)]
    >>> found = in_order(FactLine(kind, value, "", None, "p", n) for kind, value, n in facts)
    >>> [(kind, [(fact.value, fact.count) for fact in facts]) for kind, facts in found]
    [('descriptor', [('chairman', 3)]), ('age', [('58', 1)])]
    """
    found: dict[str, dict[str, FactLine]] = {}
    for fact in facts:
        same = found.setdefault(plain_type(fact.kind), {})
        value = {"m": "male", "f": "female"}.get(fact.value, fact.value) if fact.kind == "gender" else fact.value
        before = same.get(value.casefold())
        if before is None:
            same[value.casefold()] = replace(fact, value=value)
        else:
            surer = max(before, replace(fact, value=value), key=lambda each: each.count)
            same[value.casefold()] = replace(surer, count=before.count + fact.count)
    order = list(FACT_KINDS)
    kinds = sorted(found, key=lambda kind: (order.index(kind) if kind in order else len(order), kind))
    return [(kind, sorted(found[kind].values(), key=lambda fact: -fact.count)) for kind in kinds]
