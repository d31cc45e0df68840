"""English, the language that crossdoc is written for: the pack has every part.

Below it are lists that belong to no part: words of names, folded (lower-case, without marks) except titles, which are
as written; places, by the codes of the gazetteer; and what comparing reads in a profile's titles, descriptors and
parties, whoever extracted them.
"""

import json
import re
from importlib.resources import files

from crossdoc.lang import by_word, read_language, tables, word_list

_WEIGHTS = json.loads((files(__package__) / "name_model.json").read_text("utf-8"))["weights"]
_MONTH = r"(?:Jan|Feb|March|Mar|April|Apr|May|June|Jun|July|Jul|Aug|Sept|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATELINE = re.compile(
    rf"""(?:^|(?<=\s))(?P<place>[A-Z][A-Z.'’]+(?:[ -][A-Z][A-Z.'’]+){{0,3}})   # all capitals
    (?:,\s[A-Z][A-Za-z.]+(?:\s[A-Z][a-z.]+)?)??                          # the state or country
    (?: (?:,?\s{_MONTH}\s\d{{1,2}})? (?:\s*\([A-Z][\w .]{{1,30}}\))? \s*(?:--|[–—_])
      | ,\s{_MONTH}\s\d{{1,2}} \s*(?:\([A-Z][\w .]{{1,30}}\)\s*)?[-,]
      | \s*\((?:AP|UPI|Reuters?|AFP|CNN|Xinhua)\)
      | \s\d{{4}}-\d\d-\d\d )""",
    re.MULTILINE | re.VERBOSE,
)

LANGUAGE = read_language(
    "en",
    models={"names": {feature: tuple(weights) for feature, weights in _WEIGHTS.items()}},
    function_words={"entity_edges": re.compile(r"^[Tt]he\s+|\s?['’]s?$")},
    dates={
        "date": re.compile(
            r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:(?P<month>[A-Z][a-z]{2,8})\.?,?\s*)?"
            r"(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?\b,?\s*)?(?P<year>1\d{3}|20\d\d)?"
        ),
        "leading": re.compile(r"^(?:on|in|the|last)\s+", re.IGNORECASE),
        "age": re.compile(r"(\d{1,3})(?: years? old)?"),
        "age_after": re.compile(r"\s?(?:,\s(?:aged?\s)?|\((?:aged?\s)?)(\d{1,3})(?:,|\)|\.\s|;|$|\swho\b)"),
        "years_old": re.compile(r"\b(\d{1,3})[- ]years?[- ]old\b"),
        "dateline": _DATELINE,
    },
)

_NAMES = tables("en")["names"]
MALE_TITLES = word_list("en", _NAMES["male_titles"])
FEMALE_TITLES = word_list("en", _NAMES["female_titles"])
TITLES = word_list("en", _NAMES["titles"])
FIRST_NAMES_TOO = word_list("en", _NAMES["first_names_too"])
"""Titles that are first names more often when one word follows: "Dean Smith", "Don Imus", but "Dean Mary Jones"."""
SUFFIXES = word_list("en", _NAMES["suffixes"])
SAME_SUFFIX = by_word(_NAMES["same_suffix"])
GENERATIONS = word_list("en", _NAMES["generations"])
"""Suffixes that distinguish a son from his father; "MD" and "Esq." do not."""
PARTICLES = word_list("en", _NAMES["particles"])
LEGAL_FORMS = word_list("en", _NAMES["legal_forms"])
SMALL_WORDS = word_list("en", _NAMES["small_words"])
FORMS_OF_FIRST_NAMES = by_word(_NAMES["forms_of_first_names"])
"""First names that are written otherwise in other alphabets' transliterations, by one form of each."""
CONJUNCTIONS = word_list("en", _NAMES["conjunctions"])
"""Words that join the names of two people."""
DESIGNATORS = word_list("en", _NAMES["designators"])
"""Words before the name proper of a place, a club or a house, which may be left out."""
HEADS = word_list("en", _NAMES["heads"])
"""Words of many names: alone they are no short form of any."""
BODIES_OF_MANY = word_list("en", _NAMES["bodies_of_many"])
"""Bodies that many countries have, each called so alone where it is clear whose it is."""
SPELLED_OTHERWISE = by_word(_NAMES["spelled_otherwise"])
"""Words of organisations' and places' names in one spelling for all."""
ALSO_CALLED = by_word(_NAMES["also_called"])
"""Organisations and places that are called otherwise than their names would have it, as one word."""

_PLACES = tables("en")["places"]
ARTICLE = re.compile(r"^the\s+|['’]s?$", re.IGNORECASE)
"""Edges that are no part of a name: its article, its possessive ending."""
DIVISIONS_ABBREVIATED = by_word(_PLACES["divisions_abbreviated"])
PLACES_ALSO_CALLED = by_word(_PLACES["also_called"])
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
