"""The few place names that reading news needs by heart: American states with their abbreviations, and countries.

States tell a party-and-state attribute ("D-N.Y.") from a name, and "the state" or "the country" from "the city".
"""

from __future__ import annotations

from crossdoc.lang.word_tables import by_word, tables

_PLACES = tables("en")["places"]
STATES: frozenset[str] = frozenset(_PLACES["states"])
COUNTRIES: frozenset[str] = frozenset(_PLACES["countries"])
SAME_PLACE = by_word(_PLACES["same_place"])
STATE_OF_ABBREVIATION = by_word(_PLACES["states"]) | {state: state for state in STATES}


def state_named(text: str) -> str | None:
    """The full name of a state written out or abbreviated.

    >>> state_named("N.Y."), state_named("Texas"), state_named("Paris")
    ('New York', 'Texas', None)
    """
    return STATE_OF_ABBREVIATION.get(text.strip().rstrip("."))
