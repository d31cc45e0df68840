"""English: what comparing reads in a profile's titles, descriptors and parties, whoever extracted them."""

import re

from crossdoc.lang.word_tables import by_word, tables, word_list

_LISTS = tables("en")["descriptors"]
PARTIES = by_word(_LISTS["parties"])
OFFICES = (
    (re.compile(r"\bsen(?:ator)?\b"), "senator"),
    (re.compile(r"\b(?:rep(?:resentative)?|congress(?:man|woman|person))\b"), "representative"),
    (re.compile(r"\bgov(?:ernor)?\b"), "governor"),
    (re.compile(r"\bmayor\b"), "mayor"),
    (re.compile(r"(?<!vice )(?<!vice-)\bpresident\b"), "president"),
    (re.compile(r"\bvice[ -]president\b"), "vice president"),
    (re.compile(r"\b(?:prime minister|premier)\b"), "prime minister"),
    (re.compile(r"\b(?:judge|justice)\b"), "judge"),
    (re.compile(r"\bambassador\b"), "ambassador"),
    (re.compile(r"\bpope\b"), "pope"),
)
OF_A_STATE = word_list("en", _LISTS["of_a_state"])
"""Offices whose holders newspapers follow with a party and a state, as in "D-N.Y."."""
OF_A_COUNTRY = r"president|premier|chancellor|minister|(?:foreign|home|defen[cs]e) secretary"
"""Offices of one country, as part of a pattern."""
OFFICE_MODIFIERS = r"vice|deputy|former|then|late|new|acting|prime|foreign|defen[cs]e|finance|interior|interim"
"""Words between a country and an office: "the Egyptian deputy prime minister"."""
FORMER_COUNTRIES = {name: country for country, names in _LISTS["former_countries"].items() for name in names}
"""Names of states that no gazetteer has, with the country that took their place."""
ABBREVIATED_TITLES = by_word(_LISTS["abbreviated_titles"])
COURTESIES = word_list("en", _LISTS["courtesies"])
PREPOSITIONS = word_list("en", _LISTS["prepositions"])
PARTS = re.compile(r"[,;:/()&]|\b(?:and|or)\b", re.IGNORECASE)
"""Marks between two descriptions."""
