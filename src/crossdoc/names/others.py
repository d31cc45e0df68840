"""Names of organisations and places: their telling words, their acronyms, and how two of them relate."""

from __future__ import annotations

import re
from functools import lru_cache

from crossdoc.geography import SAME_PLACE, state_named
from crossdoc.lang.en.names import LEGAL_FORMS, SMALL_WORDS
from crossdoc.names.grades import Grade
from crossdoc.names.words import fold

_WORD = re.compile(r"[^\s,()\"“”/-]+")
_POSSESSIVE = re.compile(r"['’]s\b")


@lru_cache(maxsize=200_000)
def telling_words(name: str) -> tuple[str, ...]:
    """The folded words of an organisation's or place's name, without articles, prepositions and legal forms.

    >>> telling_words("The General Motors Corp.")
    ('general', 'motors')
    """
    folded = [fold(token) for token in _WORD.findall(_POSSESSIVE.sub("", name))]
    kept = [word for word in folded if word and word not in SMALL_WORDS]
    bare = [word for word in kept if word not in LEGAL_FORMS]
    return tuple(bare or kept or [word for word in folded if word])


@lru_cache(maxsize=200_000)
def acronym(name: str) -> str:
    """The letters a name abbreviates to, or the name itself if it is one; '' if neither.

    >>> acronym("National Cycling Association"), acronym("U.N."), acronym("Boston")
    ('nca', 'un', '')
    """
    bare = re.sub(r"[\s.&]", "", _POSSESSIVE.sub("", name))
    if 2 <= len(bare) <= 6 and bare.isupper() and bare.isalpha():
        return fold(bare)
    words = [fold(word) for word in _WORD.findall(name) if word[:1].isupper()]
    words = [word for word in words if word and word not in SMALL_WORDS]
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def is_acronym(name: str) -> bool:
    return bool(acronym(name)) and len(name.split()) == 1


@lru_cache(maxsize=200_000)
def plain_name(name: str) -> str:
    """The telling words as one, and one spelling for all names of a country or state.

    >>> plain_name("U.S."), plain_name("America"), plain_name("N.Y."), plain_name("The New-York Times")
    ('unitedstates', 'unitedstates', 'newyork', 'newyorktimes')
    """
    joined = "".join(telling_words(name))
    return SAME_PLACE.get(joined) or fold(state_named(name) or "") or joined


@lru_cache(maxsize=200_000)
def relate_others(a: str, b: str) -> Grade:
    """How two names of organisations or places relate: the same telling words; an acronym or another name of a place;
    the beginning or the end.

    >>> [str(relate_others("General Motors", name)) for name in ("General Motors Corp.", "GM", "General Motors Europe")]
    ['equal', 'variant', 'part']
    >>> str(relate_others("U.S.", "America")), str(relate_others("General Motors", "Motors Liquidation"))
    ('variant', 'clash')
    """
    x, y = telling_words(a), telling_words(b)
    if not x or not y:
        return Grade.CLASH
    if x == y:
        return Grade.EQUAL
    if "".join(x) == "".join(y) or plain_name(a) == plain_name(b):
        return Grade.VARIANT
    if is_acronym(a) or is_acronym(b):
        letters = (acronym(a), acronym(b))
        same = letters[0] == letters[1] or initials(x) == letters[1] or initials(y) == letters[0]
        return Grade.VARIANT if same else Grade.CLASH
    short, full = (x, y) if len(x) < len(y) else (y, x)
    part = full[: len(short)] == short or (len(short) > 1 and full[-len(short) :] == short)
    return Grade.PART if part else Grade.CLASH


def initials(words: tuple[str, ...]) -> str:
    """
    >>> initials(("general", "motors"))
    'gm'
    """
    return "".join(word[0] for word in words)


def others_agree(a: str, b: str) -> bool:
    """Whether two names of organisations or places can be one: the same telling words, or fewer of them, or an acronym.

    >>> others_agree("NCA", "National Cycling Association"), others_agree("General Motors", "Motors Liquidation")
    (True, False)
    """
    return relate_others(a, b) > Grade.CLASH
