"""The few place names that reading news needs by heart: American states with their abbreviations, and countries.

States tell a party-and-state attribute ("D-N.Y.") from a name, and "the state" or "the country" from "the city".
"""

from __future__ import annotations

import re

from crossdoc.lang.en.place_lists import COUNTRY_NAMES, STATE_NAMES
from crossdoc.lang.en.place_lists import SAME_PLACE as SAME_PLACE

STATE_OF_ABBREVIATION: dict[str, str] = {}
for _entry in STATE_NAMES.split(";"):
    _full, *_short = _entry.split()
    STATE_OF_ABBREVIATION.update(dict.fromkeys([_full.replace("_", " "), *_short], _full.replace("_", " ")))
STATES = frozenset(STATE_OF_ABBREVIATION.values())
COUNTRIES = frozenset(re.sub(r"\s*\n\s*", "", COUNTRY_NAMES).split(","))


def state_named(text: str) -> str | None:
    """The full name of a state written out or abbreviated.

    >>> state_named("N.Y."), state_named("Texas"), state_named("Paris")
    ('New York', 'Texas', None)
    """
    return STATE_OF_ABBREVIATION.get(text.strip().rstrip("."))
