"""Words of names in English texts, folded (lower-case, without marks), except titles, which are as written."""

from __future__ import annotations

from crossdoc.lang.word_tables import by_word, tables, word_list

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
