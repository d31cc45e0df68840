"""Single words of names: folded, by their sound, and how two first names or two surnames relate."""

from __future__ import annotations

import csv
import re
from functools import cache, lru_cache
from importlib.resources import files

from anyascii import anyascii
from metaphone import doublemetaphone
from nicknames import NickNamer
from rapidfuzz.distance import JaroWinkler

from crossdoc.names.grades import Grade

SAME_SPELLING, SAME_SOUND = 0.93, 0.75
"""At which Jaro-Winkler two first names are spellings of one: by itself, and where they sound alike ("Pyotr", "Peter";
"John" and "Jane" are .67)."""
SAME_SURNAME = 0.85
"""At which Jaro-Winkler two surnames that sound alike are spellings of one."""
SHORTEST_VARIANT = 4
"""Letters, at least, of a word that may be another's spelling: Li, Liu and Lee sound alike and are three surnames."""
ONE_GENDER = 0.95
"""The share of one gender among the bearers of a first name from which it tells men from women."""

_NICKNAMER = NickNamer()


@lru_cache(maxsize=200_000)
def fold(text: str) -> str:
    """Lower-case ASCII letters and digits of a word in any script.

    >>> fold("Müller-Ångström"), fold("Чернов")
    ('mullerangstrom', 'chernov')
    """
    return re.sub(r"[^a-z0-9]", "", anyascii(text).lower())


@lru_cache(maxsize=200_000)
def sound(word: str) -> str:
    """A phonetic key of a folded word: the primary Double Metaphone code, without an article or particle in front.

    >>> sound("tchernov") == sound("chernov"), sound("alrashid") == sound("alrasheed")
    (True, True)
    """
    bare = re.sub(r"^(?:al|el)(?=[a-z]{4})", "", word)
    return doublemetaphone(bare)[0] or word


@lru_cache(maxsize=200_000)
def formal_first_names(first: str) -> frozenset[str]:
    """A first name and what it can be short for.

    >>> sorted(formal_first_names("bill"))
    ['bill', 'robert', 'will', 'william', 'willis']
    """
    return frozenset({first}) | frozenset(_NICKNAMER.canonicals_of(first))


@cache
def first_names() -> dict[str, float]:
    """First names and the share of women among their bearers (US Census 1990; tools/build_names.py)."""
    table = (files("crossdoc") / "data" / "first_names.csv").read_text(encoding="ascii")
    return {row["name"]: float(row["female_share"]) for row in csv.DictReader(table.splitlines())}


def gender_of_first(first: str) -> str:
    """'m' or 'f' where nearly all bearers of a folded first name are of one gender, else ''.

    >>> gender_of_first("john"), gender_of_first("jane"), gender_of_first("pat")
    ('m', 'f', '')
    """
    share = first_names().get(first, 0.5)
    return "f" if share >= ONE_GENDER else "m" if share <= 1 - ONE_GENDER else ""


def is_nickname(short: str, full: str) -> bool:
    """Whether the dictionary has one first name as short for another; of another gender only if it is truly shorter.

    >>> is_nickname("alex", "alexandra"), is_nickname("louis", "louise")
    (True, False)
    """
    if full not in _NICKNAMER.canonicals_of(short):
        return False
    return {gender_of_first(short), gender_of_first(full)} != {"m", "f"} or len(full) - len(short) > 1


@lru_cache(maxsize=200_000)
def relate_first_names(a: str, b: str) -> Grade:
    """Equal; variants by an initial or a nickname; similar in spelling; or a clash.

    A man's name is no spelling of a woman's; only a nickname may be both ("Sam" of "Samuel" and "Samantha").

    >>> [str(relate_first_names(*pair)) for pair in (("bill", "william"), ("r", "robert"), ("yousef", "yusuf"))]
    ['variant', 'variant', 'similar']
    >>> str(relate_first_names("john", "jane")), str(relate_first_names("paul", "paula"))
    ('clash', 'clash')
    """
    if a == b:
        return Grade.EQUAL
    if len(a) == 1 or len(b) == 1:
        return Grade.VARIANT if a[0] == b[0] else Grade.CLASH
    if is_nickname(a, b) or is_nickname(b, a):
        return Grade.VARIANT
    if {gender_of_first(a), gender_of_first(b)} == {"m", "f"}:
        return Grade.CLASH
    if _NICKNAMER.canonicals_of(a) & _NICKNAMER.canonicals_of(b):
        return Grade.VARIANT
    if a[0] != b[0] or not (a + b).isalpha():
        return Grade.CLASH
    alike = JaroWinkler.similarity(a, b)
    by_sound = min(len(a), len(b)) >= SHORTEST_VARIANT and alike >= SAME_SOUND and sound(a) == sound(b)
    return Grade.SIMILAR if alike >= SAME_SPELLING or by_sound else Grade.CLASH


def first_names_agree(a: str, b: str) -> bool:
    """Whether two first names can be one person's; one that is not known agrees with any.

    >>> first_names_agree("bill", "william"), first_names_agree("", "robert"), first_names_agree("bill", "hillary")
    (True, True, False)
    """
    return not a or not b or relate_first_names(a, b) > Grade.CLASH


@lru_cache(maxsize=200_000)
def surnames_sound_alike(a: str, b: str) -> bool:
    """Whether two surnames of four letters or more are spellings of one.

    >>> surnames_sound_alike("regan", "reagan"), surnames_sound_alike("li", "liu")
    (True, False)
    """
    # What differs in digits is numbered, not spelt otherwise.
    if min(len(a), len(b)) < SHORTEST_VARIANT or not (a + b).isalpha() or sound(a) != sound(b):
        return False
    return JaroWinkler.similarity(a, b) >= SAME_SURNAME
