"""How usual a name is: the share of people who bear it, by the US Census of 1990 (tools/build_names.py).

Two mentions of "John Smith" are two people far more easily than two of "Zbigniew Brzezinski".
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from functools import cache, lru_cache
from importlib.resources import files

from crossdoc.names.people import PersonName
from crossdoc.names.words import fold, last_names

UNLISTED_LAST = 5e-6
"""The share of a surname that is not listed: the Bureau rounds to 1e-5, and what is below half of that is left out."""
UNLISTED_FIRST = 2e-5
"""The share of a first name that is not listed, and the least that any has: those not listed are a tenth of all people,
in some five thousand names."""

FREQUENT_WORD = 20
"""Texts of 10,000 that have a word. Rarer words may be foreign names ("Saddam" 11). Set by hand."""

Shares = dict[str, float]


@cache
def _last() -> Shares:
    return _with_initials(last_names())


@cache
def _first() -> Shares:
    table = (files("crossdoc") / "data" / "first_names.csv").read_text(encoding="ascii")
    rows = csv.DictReader(table.splitlines())
    return _with_initials({row["name"]: max(float(row["share"]), UNLISTED_FIRST) for row in rows})


def _with_initials(shares: Shares) -> Shares:
    """The names, and under each letter the sum of those that begin with it."""
    letters: Shares = defaultdict(float)
    for name, share in shares.items():
        letters[name[0]] += share
    return {**shares, **letters}


@cache
def usual_words(language: str) -> dict[str, int]:
    """How many of 10,000 texts have each word; empty if the language has no table.

    >>> usual_words("en")["university"], usual_words("xx")
    (189, {})
    """
    table = files("crossdoc") / "data" / f"usual_words_{language}.csv.gz"
    if not table.is_file():
        return {}
    rows = csv.DictReader(gzip.decompress(table.read_bytes()).decode().splitlines())
    return {row["word"]: int(row["texts"]) for row in rows}


def is_ordinary_word(word: str, language: str = "en") -> bool:
    """Return whether a folded word is common in general texts and neither a first name nor a surname.

    >>> [is_ordinary_word(word) for word in ("industry", "rose", "ball", "seiho")]
    [True, False, False, False]
    """
    return word in usual_words(language) and word not in _first() and word not in _last()


def without_ordinary_words(name: str) -> str:
    """Return a name without frequent ordinary words before and after it, which a tagger took into it.

    >>> [without_ordinary_words(name) for name in ("Sato Recommendation", "Defense McNamara", "Saddam Hussein")]
    ['Sato', 'McNamara', 'Saddam Hussein']
    """
    words = name.split()
    while len(words) > 1 and _is_frequent(words[-1]):
        del words[-1]
    while len(words) > 1 and _is_frequent(words[0]):
        del words[0]
    return " ".join(words)


def _is_frequent(word: str) -> bool:
    folded = fold(word)
    return usual_words("en").get(folded, 0) >= FREQUENT_WORD and is_ordinary_word(folded)


def share_of_last(word: str) -> float:
    """The share of people with a folded surname; of an initial, of all with such a surname.

    >>> share_of_last("smith"), share_of_last("gorbachev"), round(share_of_last("s"), 3)
    (0.01006, 5e-06, 0.074)
    """
    return _last().get(word, UNLISTED_LAST)


def share_of_first(word: str) -> float:
    """The share of people with a folded first name; of an initial, of all with such a first name.

    >>> share_of_first("john"), share_of_first("zbigniew"), round(share_of_first("j"), 3)
    (0.016415, 2e-05, 0.122)
    """
    return _first().get(word, UNLISTED_FIRST)


@lru_cache(maxsize=50_000)
def name_share(name: PersonName) -> float:
    """The share of people with a name: that of its surname times that of its first name, as far as it has them.

    One word without a title may be either, so that the more usual one counts; what has no letters says nothing: 1.

    >>> from crossdoc.names.people import parse_person
    >>> [f"{name_share(parse_person(name)):.1e}" for name in ("John Smith", "J. Smith", "Mr. Smith", "John")]
    ['1.7e-04', '1.2e-03', '1.0e-02', '1.6e-02']
    """
    if not name.last:
        return 1.0
    if name.first:
        return share_of_last(name.last) * share_of_first(name.first)
    return share_of_last(name.last) if name.title else max(share_of_last(name.last), share_of_first(name.last))
