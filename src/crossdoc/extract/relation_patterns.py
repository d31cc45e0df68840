"""The statements that make a relation: the one DependencyMatcher that finds them all in a parse.

A row of a language's nouns or verbs names a predicate and the slots in which its other end may stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from crossdoc.lang import Relations, Row, pack

if TYPE_CHECKING:
    from spacy.matcher import DependencyMatcher
    from spacy.vocab import Vocab

PERSON, ORGANISATION, PLACE = "person", "organisation", "place"
POSSESSOR, MODIFIER, OBJECT = "'s", "+", "object"
IN_FRONT = ("poss", "compound", "nmod", "amod")


def _lemmas(rows: Iterable[Row]) -> dict[str, list[str]]:
    words = set().union(*(row.words for row in rows))
    # A role in capitals is tagged as a name, and keeps its capital in the lemma.
    return {"IN": sorted(words | {word.capitalize() for word in words})}


def _slots(rows: Iterable[Row]) -> dict[str, list[str]]:
    return {"IN": sorted(set().union(*(row.slots for row in rows)) - {POSSESSOR, MODIFIER, OBJECT})}


def _node(name: str, attributes: Mapping[str, object], of: str | None = None, operator: str = ">") -> dict[str, object]:
    link = {} if of is None else {"LEFT_ID": of, "REL_OP": operator}
    return {"RIGHT_ID": name, "RIGHT_ATTRS": attributes, **link}


def _patterns(known: Relations) -> dict[str, list[dict[str, object]]]:
    """Every pattern is a predicate (or a name before a preposition) and a slot of it, or a noun and the name after it.

    The object of a preposition is left to the reader: as a node of its own it would cost a third of the matcher's time.
    """
    noun, verb = {"LEMMA": _lemmas(known.nouns)}, {"LEMMA": _lemmas(known.verbs)}
    return {
        "noun, preposition": [_node("noun", noun), _preposition("noun", known.nouns)],
        "noun, in front": [_node("noun", noun), _node("slot", {"DEP": {"IN": list(IN_FRONT)}}, "noun")],
        "noun, name": [_node("noun", {**noun, "DEP": "compound"}), _node("name", {"POS": "PROPN"}, "noun", "<")],
        "verb, object": [_node("verb", verb), _node("slot", {"DEP": "dobj"}, "verb")],
        "verb, preposition": [_node("verb", verb), _preposition("verb", known.verbs)],
        "name, preposition": [_node("name", {"POS": "PROPN"}), _preposition("name", known.beside_names)],
    }


def _preposition(of: str, rows: Iterable[Row]) -> dict[str, object]:
    return _node("slot", {"DEP": "prep", "LOWER": _slots(rows)}, of)


@lru_cache(maxsize=8)
def relation_matcher(vocab: Vocab) -> DependencyMatcher:
    from spacy.matcher import DependencyMatcher

    matcher = DependencyMatcher(vocab)
    for name, pattern in _patterns(pack(vocab.lang).relations).items():
        matcher.add(name, [pattern])
    return matcher


def is_school(name: str, language: str) -> bool:
    schools = pack(language).relations.schools
    return any(word in schools for word in name.lower().replace(",", " ").split())
