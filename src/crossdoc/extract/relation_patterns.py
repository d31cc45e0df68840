"""The statements that make a relation, as tables, and the one DependencyMatcher that finds them all in a parse.

A row of `NOUNS` or `VERBS` names a predicate and the slots in which its other end may stand. Types are those of ACE
(Relation Detection and Characterization, 2004 and 2005) that Huang et al. 2009, section 3.3, use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from spacy.matcher import DependencyMatcher
from spacy.vocab import Vocab

from .descriptions import KIN, OFFICES, ROLES

PERSON, ORGANISATION, PLACE = "person", "organisation", "place"
POSSESSOR, MODIFIER, OBJECT = "'s", "+", "object"
IN_FRONT = ("poss", "compound", "nmod", "amod")
DEGREES = frozenset("degree doctorate diploma bachelor master".split())
DEGREE_VERBS = frozenset("earn receive hold".split())


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of statement: its type, its words, the slots in which the other end may stand, and what that must be."""

    type: str
    words: frozenset[str]
    slots: frozenset[str]
    other: str
    detail: str | None = None
    """What stands after the colon; None for the predicate noun itself, '' for nothing."""
    passive: bool = False


def _row(type: str, words: str | frozenset[str], slots: str, other: str, detail: str | None = None) -> Row:
    passive = slots.startswith("passive ")
    predicates = frozenset(words.split()) if isinstance(words, str) else words
    return Row(type, predicates, frozenset(slots.removeprefix("passive ").split()), other, detail, passive)


NOUNS = (
    _row("family", KIN, "of 's", PERSON),
    _row("employment", ROLES, "of at for with 's", ORGANISATION),
    # "Defense Secretary" has a portfolio in front, not an employer.
    _row("employment", ROLES - {"secretary", "minister"}, "+", ORGANISATION),
    _row("employment", OFFICES, "of 's +", PLACE),
    _row("location", ROLES - OFFICES, "in from", PLACE, ""),
    _row("ownership", "owner co-owner founder co-founder shareholder proprietor landlord", "of in 's +", ORGANISATION),
    _row("education", "student graduate alumnus alumna sophomore freshman", "of at from 's +", ORGANISATION),
    _row("education", DEGREES, "from at", ORGANISATION, "graduate"),
    _row("citizen", "citizen national", "of +", PLACE, ""),
    _row("resident", "resident inhabitant", "of +", PLACE, ""),
    _row("location", "native", "of +", PLACE, "native"),
)
VERBS = (
    _row("family", "marry married", "object to", PERSON, "spouse"),
    _row("family", "marry", "passive to", PERSON, "spouse"),
    _row("family", "divorce", "object", PERSON, "former spouse"),
    _row("employment", "head run", "object", ORGANISATION, "head"),
    _row("employment", "lead", "object", ORGANISATION, "leader"),
    _row("employment", "chair", "object", ORGANISATION, "chairman"),
    _row("employment", "manage", "object", ORGANISATION, "manager"),
    _row("employment", "coach", "object", ORGANISATION, "coach"),
    _row("employment", "edit", "object", ORGANISATION, "editor"),
    _row("employment", "join", "object", ORGANISATION, ""),
    _row("employment", "work", "for at with", ORGANISATION, ""),
    _row("employment", "play", "for", ORGANISATION, "player"),
    _row("employment", "teach", "at", ORGANISATION, "teacher"),
    _row("employment", "retire resign", "from", ORGANISATION, ""),
    _row("ownership", "own co-own", "object", ORGANISATION, "owner"),
    _row("ownership", "found co-found establish", "object", ORGANISATION, "founder"),
    _row("education", "graduate", "from", ORGANISATION, "graduate"),
    _row("education", DEGREE_VERBS, "from at", ORGANISATION, "graduate"),
    _row("education", "study enroll", "at", ORGANISATION, "student"),
    _row("education", "attend", "object", ORGANISATION, "student"),
    _row("education", "educate", "passive at", ORGANISATION, "student"),
    _row("resident", "live reside settle", "in at", PLACE, ""),
    _row("resident", "move emigrate", "to", PLACE, ""),
    _row("location", "bear", "passive in", PLACE, "birthplace"),
    _row("location", "grow", "in", PLACE, "childhood"),
    _row("location", "raise", "passive in", PLACE, "childhood"),
    _row("location", "die", "in at", PLACE, "deathplace"),
    _row("location", "visit", "object", PLACE, ""),
    _row("location", "arrive travel fly return speak say stay", "in to", PLACE, ""),
)
BESIDE_NAMES = (
    _row("employment", "", "of", ORGANISATION, ""),
    _row("location", "", "of from", PLACE, ""),
)
SCHOOL_WORDS = frozenset(
    """university college school academy institute seminary conservatory polytechnic harvard yale princeton oxford
    cambridge stanford mit eton juilliard ucla sandhurst""".split()
)


def _lemmas(rows: Iterable[Row]) -> dict[str, list[str]]:
    words = set().union(*(row.words for row in rows))
    # A role in capitals is tagged as a name, and keeps its capital in the lemma.
    return {"IN": sorted(words | {word.capitalize() for word in words})}


def _slots(rows: Iterable[Row]) -> dict[str, list[str]]:
    return {"IN": sorted(set().union(*(row.slots for row in rows)) - {POSSESSOR, MODIFIER, OBJECT})}


def _node(name: str, attributes: Mapping[str, object], of: str | None = None, operator: str = ">") -> dict[str, object]:
    link = {} if of is None else {"LEFT_ID": of, "REL_OP": operator}
    return {"RIGHT_ID": name, "RIGHT_ATTRS": attributes, **link}


def _patterns() -> dict[str, list[dict[str, object]]]:
    """Every pattern is a predicate (or a name beside a preposition) and a slot of it, or a noun and the name after it.

    The object of a preposition is left to the reader: as a node of its own it would cost a third of the matcher's time.
    """
    noun, verb = {"LEMMA": _lemmas(NOUNS)}, {"LEMMA": _lemmas(VERBS)}
    return {
        "noun, preposition": [_node("noun", noun), _preposition("noun", NOUNS)],
        "noun, in front": [_node("noun", noun), _node("slot", {"DEP": {"IN": list(IN_FRONT)}}, "noun")],
        "noun, name": [_node("noun", {**noun, "DEP": "compound"}), _node("name", {"POS": "PROPN"}, "noun", "<")],
        "verb, object": [_node("verb", verb), _node("slot", {"DEP": "dobj"}, "verb")],
        "verb, preposition": [_node("verb", verb), _preposition("verb", VERBS)],
        "name, preposition": [_node("name", {"POS": "PROPN"}), _preposition("name", BESIDE_NAMES)],
    }


def _preposition(of: str, rows: Iterable[Row]) -> dict[str, object]:
    return _node("slot", {"DEP": "prep", "LOWER": _slots(rows)}, of)


@lru_cache(maxsize=8)
def relation_matcher(vocab: Vocab) -> DependencyMatcher:
    matcher = DependencyMatcher(vocab)
    for name, pattern in _patterns().items():
        matcher.add(name, [pattern])
    return matcher


def is_school(name: str) -> bool:
    return any(word in SCHOOL_WORDS for word in name.lower().replace(",", " ").split())
