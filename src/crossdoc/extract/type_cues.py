"""Cues in plain text that a name is a person's: a title or office before it, a verb of saying or thinking after it.

They need no parse, so they can be counted over the collection before any document is read. A name whose cues are
frequent is a person's, also where the tagger takes it for a place.
"""

from __future__ import annotations

import re
from functools import cache
from math import lgamma

from crossdoc.extract.name_evidence import is_title
from crossdoc.lang import DEFAULT, pack
from crossdoc.names import fold

LONGEST_TITLE = 20
"""Characters before a name in which its title is looked for."""
OF_PEOPLE, OF_OTHERS = (0.6, 1.8), (1.0, 40.0)
"""Parameters of two beta distributions: the share of occurrences with a cue, of people's names and of other names.
Their means are .25 and .024. The likelihood fits AIDA train (places .9, 33; people .4, 2.7) and three volumes of FRUS
(people .8, 1.5); of these the values are a rounded compromise.
With (1, 25) two volumes have .03 and .07 fewer people."""
LONGEST_ABBREVIATION = 4
"""Letters of a title before a full stop; after a longer word a sentence ends."""
OPENINGS = frozenset({"general", "chief", "vice", "attorney"})
"""Titles that open names of organisations, too: "General Electric"."""

_INITIALS = re.compile(r"(?:[^\W\d_]\. ){1,3}[^\W\d_][\w'’-]+$")
_BEFORE = re.compile(r"([^\W\d_]+)(\.?)\s+$")


@cache
def _after(language: str) -> re.Pattern[str]:
    known = pack(language).statements
    if not known.of_people:
        return re.compile(r"(?!)")
    skipped, verbs = ("|".join(sorted(words)) for words in (known.auxiliaries, known.of_people))
    return re.compile(rf"(?:\s(?:{skipped})){{0,2}}\s(?:{verbs})\b")


@cache
def _heads(language: str) -> frozenset[str]:
    known = pack(language).name_words
    return known.organisations | known.places | known.bodies | known.clubs | known.trades


def cue_at(text: str, start: int, end: int, language: str = DEFAULT) -> str:
    """Return the cue of a name: "title", "initials", "verb" or ''.

    >>> cue_at("by R. J. Okafor", 3, 15), cue_at("U.S. Steel", 0, 10)
    ('initials', '')
    >>> cue_at("General Nasution left", 8, 16), cue_at("Sukarno had said so", 0, 7), cue_at("in Java", 3, 7)
    ('title', 'verb', '')
    >>> cue_at("the General Assembly", 12, 20), cue_at("Colonel Emerson left", 0, 15)
    ('', 'title')
    """
    own = fold(text[start:end].rpartition(" ")[2])
    if own in _heads(language):
        return ""
    first, _, rest = text[start:end].partition(" ")
    if rest and fold(first) not in OPENINGS and is_title(first, language):
        return "title"
    if _INITIALS.match(text[start:end]):
        return "initials"
    before = _BEFORE.search(text, max(start - LONGEST_TITLE, 0), start)
    if before is not None:
        word, known = before[1], pack(language)
        titled = is_title(word, language) or fold(word) in known.roles.offices
        # "Gov. Lee", but not "elected him governor. Lee".
        titled = titled and not (before[2] and (word[0].islower() or len(word) > LONGEST_ABBREVIATION))
        if titled and not is_title(text[start:end], language):
            return "title"
        # In "King Hussein of Jordan said" Jordan says nothing.
        if word in known.function_words.of | known.function_words.where:
            return ""
    return "verb" if _after(language).match(text, end) else ""


def cue_odds(occurrences: int, cued: int) -> float:
    """Log odds that a name is a person's, by how many of its occurrences in the collection have a cue.

    >>> [round(cue_odds(n, cued), 1) for n, cued in ((0, 0), (100, 3), (100, 20))]
    [0.0, -1.1, 4.2]
    """
    return _log_likelihood(occurrences, cued, OF_PEOPLE) - _log_likelihood(occurrences, cued, OF_OTHERS)


def _log_likelihood(n: int, k: int, beta: tuple[float, float]) -> float:
    """Log likelihood of k in n under a beta-binomial distribution, without the binomial coefficient."""
    a, b = beta
    return lgamma(a + k) + lgamma(b + n - k) - lgamma(a + b + n) - lgamma(a) - lgamma(b) + lgamma(a + b)
