"""English: what comparing reads in a profile's titles, descriptors and parties, whoever extracted them."""

import re

from crossdoc.lang.language import words

PARTIES = {
    **dict.fromkeys(("democrat", "democratic", "dem"), "democrat"),
    **dict.fromkeys(("republican", "gop", "rep"), "republican"),
    **dict.fromkeys(("independent", "ind"), "independent"),
    **dict.fromkeys(("conservative", "tory", "tories"), "conservative"),
    **dict.fromkeys(("labour", "labor"), "labour"),
}
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
OF_A_STATE = words("senator representative governor")
"""Offices whose holders newspapers follow with a party and a state, as in "D-N.Y."."""
OF_A_COUNTRY = r"president|premier|chancellor|minister|(?:foreign|home|defen[cs]e) secretary"
"""Offices of one country, as part of a pattern."""
OFFICE_MODIFIERS = r"vice|deputy|former|then|late|new|acting|prime|foreign|defen[cs]e|finance|interior|interim"
"""Words between a country and an office: "the Egyptian deputy prime minister"."""
FORMER_COUNTRIES = {"Soviet": "Russia", "Soviet Union": "Russia", "USSR": "Russia", "U.S.S.R.": "Russia"}
"""Names of states that no gazetteer has, with the country that took their place."""
ABBREVIATED_TITLES = dict(
    pair.split(":")
    for pair in """sen:senator gov:governor rep:representative prof:professor gen:general col:colonel capt:captain
    maj:major lt:lieutenant sgt:sergeant cpl:corporal pvt:private adm:admiral cmdr:commander rev:reverend
    dr:doctor""".split()
)
# Everyone has these, or they are half a title, or WordNet knows them in another meaning (a monk's "brother").
COURTESIES = words(
    """mr mrs ms miss sir lady madame mme mlle monsieur m herr frau señor señora don doña dame hon honorable elder st
    saint father brother sister vice"""
)
PREPOSITIONS = words("of at for in with from on to by under against who that")
PARTS = re.compile(r"[,;:/()&]|\b(?:and|or)\b", re.IGNORECASE)
"""Marks between two descriptions."""
