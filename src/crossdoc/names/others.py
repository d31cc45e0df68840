"""Names of organisations and places: their distinctive words, their acronyms, and how two of them relate."""

from __future__ import annotations

import re
from functools import lru_cache

from crossdoc.lang import en
from crossdoc.names.gazetteer import find_place, gazetteer
from crossdoc.names.words import (
    SHORTEST_MISREAD,
    SHORTEST_OF_UNKNOWN,
    SHORTEST_SIMILAR,
    Grade,
    fold,
    is_letter,
    one_letter_apart,
    two_letters_apart,
    without_signs,
)

LONGEST_ACRONYM = 6
"""Letters. Longer words in capitals are no acronyms. Set by hand."""
SHORTEST_WORD = 4
"""Letters, at least, of an acronym that is written as a word: "Nato", "Opec"."""

_GENERAL = en.LANGUAGE.name_words.too_general | en.HEADS
_WORD = re.compile(r"[^\s,()\"“”/-]+")
_SEVERAL = re.compile(r"[,;/&(]")
_POSSESSIVE = re.compile(r"['’]s\b")


@lru_cache(maxsize=50_000)
def telling_words(name: str) -> tuple[str, ...]:
    """The folded words of an organisation's or place's name, without articles, prepositions and legal forms.

    >>> telling_words("The General Motors Corp.")
    ('general', 'motors')
    """
    folded = _folded(name)
    kept = [word for word in folded if word not in en.SMALL_WORDS]
    bare = [word for word in kept if word not in en.LEGAL_FORMS]
    return tuple(bare or kept or folded)


def _folded(name: str) -> list[str]:
    return [word for word in map(fold, _WORD.findall(_POSSESSIVE.sub("", without_signs(name)))) if word]


@lru_cache(maxsize=50_000)
def acronym(name: str) -> str:
    """The letters a name abbreviates to, or the name itself if it is one; '' if neither."""
    if is_acronym(name):
        return fold(name)
    words = [fold(word) for word in _WORD.findall(name) if word[:1].isupper()]
    words = [word for word in words if word and word not in en.SMALL_WORDS]
    return initials(words) if len(words) > 1 else ""


@lru_cache(maxsize=50_000)
def is_acronym(name: str) -> bool:
    """Whether a name is two to six capitals."""
    bare = re.sub(r"[\s.&]", "", _POSSESSIVE.sub("", name))
    return 2 <= len(bare) <= LONGEST_ACRONYM and bare.isupper() and bare.isalpha() and len(name.split()) == 1


@lru_cache(maxsize=50_000)
def abbreviations(name: str) -> frozenset[str]:
    """The letters that may stand for a name of several words: with and without legal forms and small words."""
    if len(telling_words(name)) < 2:
        return frozenset()
    told = [word for word in _WORD.findall(name) if fold(word) not in en.SMALL_WORDS]
    whole = "".join(fold(word) if is_acronym(word) else fold(word)[:1] for word in told)
    forms = {acronym(name), initials(telling_words(name)), initials(_folded(name)), whole}
    return frozenset(forms) - {""}


@lru_cache(maxsize=50_000)
def short_for(name: str) -> str:
    """The letters of a name that may stand for a longer one; '' of one that cannot.

    >>> short_for("U.N."), short_for("Nato"), short_for("Fiat SpA")
    ('un', 'nato', '')
    """
    if is_acronym(name):
        return fold(name)
    letters = fold(name)
    return letters if name.isalpha() and name[0].isupper() and SHORTEST_WORD <= len(letters) <= LONGEST_ACRONYM else ""


def initials(words: tuple[str, ...] | list[str]) -> str:
    return "".join(word[0] for word in words)


@lru_cache(maxsize=50_000)
def plain_name(name: str) -> str:
    """The distinctive words joined, in one spelling, and one form for all names of an entity with several.

    >>> plain_name("U.S."), plain_name("America"), plain_name("N.Y."), plain_name("The New-York Times")
    ('unitedstates', 'unitedstates', 'newyork', 'newyorktimes')
    >>> plain_name("Fed"), plain_name("St. Louis"), plain_name("World Health Organisation")
    ('federalreserve', 'saintlouis', 'worldhealthorganization')
    """
    joined = "".join(telling_words(name))
    if known := en.SAME_PLACE.get(joined) or en.ALSO_CALLED.get(joined) or fold(en.state_named(name) or ""):
        return known
    # A letter alone is no point of the compass.
    if len(joined) < 2:
        return joined
    spelt = (en.SPELLED_OTHERWISE.get(word, word).replace("isation", "ization") for word in telling_words(name))
    return "".join(spelt)


@lru_cache(maxsize=50_000)
def place_code(name: str) -> str:
    """Which place of the gazetteer a name is, '' if none or one of several."""
    found = find_place(name)
    return found.chain[0] if found is not None else ""


@lru_cache(maxsize=50_000)
def is_place(name: str) -> bool:
    """Whether there is a place of that name, or several."""
    return bool(gazetteer().candidates(name)) or bool(place_code(name))


def too_general(words: tuple[str, ...]) -> bool:
    """Whether words are one that is no name by itself: "General" is not General Motors, nor "Bank" one of America."""
    return len(words) == 1 and (words[0] in _GENERAL or is_letter(words[0]))


def is_generic(words: tuple[str, ...]) -> bool:
    """Whether words are one that many countries or cities have one of: a "Treasury" may be any, alone."""
    return too_general(words) or (len(words) == 1 and words[0] in en.BODIES_OF_MANY)


@lru_cache(maxsize=50_000)
def is_doubtful_abbreviation(name: str) -> bool:
    """Whether a name is two capitals that stand for more than one place: no state's usual abbreviation, no "U.S.".

    >>> [is_doubtful_abbreviation(name) for name in ("LA", "L.A.", "C.A.", "IV", "N.Y.", "La.", "UK")]
    [True, True, True, True, False, False, False]
    """
    if not is_acronym(name) or len(fold(name)) != 2 or fold(name) in en.SAME_PLACE:
        return False
    return "." not in name or en.state_named(name) is None


@lru_cache(maxsize=50_000)
def relate_others(a: str, b: str) -> Grade:
    """How two names of organisations relate: the same distinctive words; another spelling or an acronym; a part.

    Two letters stand for many names, so that they are a part.

    >>> [str(relate_others("General Motors", name)) for name in ("General Motors Corp.", "GM", "General Motors Europe")]
    ['equal', 'part', 'part']
    >>> [str(relate_others("Federal Reserve", name)) for name in ("Fed", "Federal", "Reserve")]
    ['variant', 'clash', 'part']
    """
    if grade := _by_words(a, b):
        return grade
    if short_for(a) in abbreviations(b) or short_for(b) in abbreviations(a):
        return Grade.PART if is_doubtful_abbreviation(a) or is_doubtful_abbreviation(b) else Grade.VARIANT
    for short, full in ((a, b), (b, a)):
        if follows(short, full, places=True) or is_head(short, full):
            return Grade.PART
    return _by_spelling(a, b)


@lru_cache(maxsize=50_000)
def relate_places(a: str, b: str) -> Grade:
    """How two names of places relate: by their words, and by which place of the gazetteer each is.

    >>> str(relate_places("London", "Londres")), str(relate_places("U.S.", "America"))
    ('variant', 'variant')
    >>> str(relate_places("Kansas", "Kansas City")), str(relate_places("Paris", "Paris, Texas"))
    ('clash', 'clash')
    >>> str(relate_places("Zürich", "Stadt Zürich")), str(relate_places("Zürich", "Kanton Zürich"))
    ('variant', 'clash')
    >>> str(relate_places("Gloucefler", "Gloucester")), str(relate_places("Plymouth", "Weymouth"))
    ('similar', 'clash')
    >>> [str(relate_places("LA", name)) for name in ("Los Angeles", "Louisiana", "Lancaster")]
    ['part', 'part', 'clash']
    """
    grade = _by_words(a, b)
    if is_doubtful_abbreviation(a) or is_doubtful_abbreviation(b):
        may_be = grade or short_for(a) in abbreviations(b) or short_for(b) in abbreviations(a)
        return Grade.PART if may_be else Grade.CLASH
    if grade >= Grade.VARIANT or (grade and is_generic(telling_words(a))):
        return grade
    x, y = place_code(a), place_code(b)
    if x and y:
        return Grade.VARIANT if x == y else Grade.CLASH
    # "N.Y." is New York, and not North Yemen.
    if (not x and short_for(a) in abbreviations(b)) or (not y and short_for(b) in abbreviations(a)):
        return Grade.VARIANT
    # A city is often called one; a canton or county of that name has its own entry in the gazetteer.
    if follows(a, b) or follows(b, a):
        return Grade.VARIANT
    return Grade.PART if grade or is_head(a, b) or is_head(b, a) else _by_spelling(a, b)


def _by_words(a: str, b: str) -> Grade:
    """Equal; variants by another spelling; one the beginning or the end (of two words or more) of the other."""
    x, y = telling_words(a), telling_words(b)
    if not x or not y:
        return Grade.CLASH
    if x == y:
        return Grade.PART if is_generic(x) else Grade.EQUAL
    if "".join(x) == "".join(y) or plain_name(a) == plain_name(b):
        return Grade.VARIANT
    short, full = (x, y) if len(x) < len(y) else (y, x)
    part = full[: len(short)] == short or (len(short) > 1 and full[-len(short) :] == short)
    return Grade.PART if part and not too_general(short) else Grade.CLASH


def follows(short: str, full: str, *, places: bool = False) -> bool:
    """Whether one word is all of a name but what may be left out: "Porto" of "FC Porto", "Mets" of "New York Mets"."""
    *before, last = telling_words(full) or ("",)
    if telling_words(short) != (last,) or too_general((last,)):
        return False
    return set(before) <= en.DESIGNATORS or (
        places and not too_general(tuple(before)) and bool(place_code(" ".join(before)))
    )


@lru_cache(maxsize=50_000)
def is_head(short: str, full: str) -> bool:
    """Whether one word is what a name is about, and other words than places and designations stand before it.

    >>> is_head("Fund", "International Monetary Fund"), is_head("Shell", "Royal Dutch Shell")
    (True, True)
    >>> is_head("Oxford", "University of Oxford"), is_head("Sydney", "North Sydney"), is_head("Mets", "New York Mets")
    (False, False, False)
    """
    *before, last = telling_words(full) or ("",)
    if not before or telling_words(short) != (last,) or too_general((last,)) or set(before) & en.HEADS:
        return False
    listed = _SEVERAL.search(full) or set(_folded(full)[1:]) & en.SMALL_WORDS
    return not listed and not follows(short, full, places=True)


def _by_spelling(a: str, b: str) -> Grade:
    """Similar with one letter of six or more wrong, or two of seven or more, unless there are places of both names.

    The first letter is the least often wrong, so that it may be so only of the name of a place that there is.
    """
    x, y = plain_name(a), plain_name(b)
    shortest = min(len(x), len(y))
    if shortest < SHORTEST_SIMILAR or not (x + y).isalpha():
        return Grade.CLASH
    known = is_place(a) + is_place(b)
    near = (known or x[0] == y[0]) and one_letter_apart(x, y)
    near = near or (shortest >= (SHORTEST_MISREAD if known else SHORTEST_OF_UNKNOWN) and two_letters_apart(x, y))
    return Grade.SIMILAR if near and known < 2 else Grade.CLASH


def others_agree(a: str, b: str, entity_type: str | None = None) -> bool:
    """Whether two names of organisations, or of places, can be one with no other evidence than one document: no clash,
    and more than a last word in common.
    """
    grade = (relate_places if entity_type == "place" else relate_others)(a, b)
    return grade > Grade.CLASH and not is_head(a, b) and not is_head(b, a)
