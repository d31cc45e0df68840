"""English names of places: how they are abbreviated and what else they are called, by the codes of the gazetteer."""

import re

from crossdoc.lang.word_tables import by_word, tables

_PLACES = tables("en")["places"]
ARTICLE = re.compile(r"^the\s+|['’]s?$", re.IGNORECASE)
"""Edges that are no part of a name: its article, its possessive ending."""
DIVISIONS_ABBREVIATED = by_word(_PLACES["divisions_abbreviated"])
ALSO_CALLED = by_word(_PLACES["also_called"])
