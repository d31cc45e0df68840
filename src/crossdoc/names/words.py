"""Single words of names: folded, by their sound, how usual they are, and how two first names or two surnames relate.

How usual a name is tells the share of people who bear it, by the US Census of 1990 (tools/build_names.py): two mentions
of "John Smith" are two people far more easily than two of "Zbigniew Brzezinski".
"""

from __future__ import annotations

import csv
import gzip
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from anyascii import anyascii
from metaphone import doublemetaphone
from nicknames import NickNamer
from rapidfuzz.distance import OSA, JaroWinkler, Levenshtein

from crossdoc.lang import languages, pack
from crossdoc.lang.en import FORMS_OF_FIRST_NAMES

SAME_SPELLING, SAME_SOUND = 0.93, 0.75
"""At which Jaro-Winkler two first names are spellings of one: by itself, and where they sound alike ("Pyotr", "Peter";
"John" and "Jane" are .67)."""
SHORTEST_VARIANT = 4
"""Letters, at least, of a first name that may be another's spelling."""
SHORTEST_SIMILAR = 6
"""Letters, at least, of any other name that may be another's spelling: of four and five most are others' ("Leon",
"Lyon"; "Berri", "Berry")."""
SHORTEST_MISREAD, SHORTEST_OF_UNKNOWN = 7, 9
"""Letters, at least, of a name two of which may be wrong: where one of the names is a place's, and where neither is."""
LONGEST_SIMILAR = 50
"""Letters, at most, of such a name: what is longer is a list or a sentence."""
SHORTEST_PLURAL = 4
"""Letters, at least, of a noun that may be a plural."""
SHORTEST_MISSPELT = 5
"""Letters, at least, of a surname that may be a typing error, where one of the two is rare."""
ONE_GENDER = 0.95
"""The share of one gender among the bearers of a first name from which it tells men from women."""

UNLISTED_LAST = 5e-6
"""The share of a surname that is not listed: the Bureau rounds to 1e-5, and what is below half of that is left out."""
UNLISTED_FIRST = 2e-5
"""The share of a first name that is not listed, and the least that any has: those not listed are a tenth of all people,
in some five thousand names."""
FREQUENT_WORD = 20
"""Texts of 10,000 that have a word. Rarer words may be foreign names ("Saddam" 11). Set by hand."""

_NICKNAMER = NickNamer()


class Grade(IntEnum):
    """How two names relate, weakest first; the weakest of its parts is a name's.

    >>> Grade.PART > Grade.SIMILAR > Grade.CLASH, str(Grade.EQUAL)
    (True, 'equal')
    """

    CLASH = 0
    """Something in the names says that they are two entities'."""
    SIMILAR = 1
    """Another spelling: "Hussein" and "Hussain"."""
    PART = 2
    """One has less than the other: a bare surname, a bare first name, a title and surname, "Ford" of "Ford Motor"."""
    VARIANT = 3
    """The same name written otherwise: nickname, initial, hyphen, particle, order, acronym, "U.S."."""
    EQUAL = 4

    def __str__(self) -> str:
        return self.name.lower()


@lru_cache(maxsize=50_000)
def fold(text: str) -> str:
    """Lower-case ASCII letters and digits of a word in any script.

    >>> fold("Müller-Ångström"), fold("Чернов")
    ('mullerangstrom', 'chernov')
    """
    return re.sub(r"[^a-z0-9]", "", anyascii(text).lower())


@lru_cache(maxsize=200_000)
def in_singular(name: str) -> str:
    """Return a name with a common noun at its end in the singular.

    A last word in small letters is a noun; in capitals, an s makes another name ("Robert", "Roberts").

    >>> [in_singular(name) for name in ("Prime ministers", "heads of state", "U.S. Senators", "glass", "Roberts")]
    ['Prime minister', 'heads of state', 'U.S. Senators', 'glass', 'Roberts']
    """
    *before, last = [word for word in name.split() if fold(word)] or [""]
    noun = fold(last)
    plural = last[:1].islower() and len(noun) >= SHORTEST_PLURAL and noun[-1] == "s" and noun[-2] != "s"
    return " ".join([*before, noun[:-1]]) if plural else name


@lru_cache(maxsize=200_000)
def in_one_spelling(name: str) -> str:
    """Return a name folded word by word, with a common noun in the singular."""
    return " ".join(filter(None, map(fold, in_singular(name).split()))) or name


def without_signs(text: str) -> str:
    """Without what is no letter in any script: emoji, marks of direction."""
    if text.isascii():
        return text
    kinds = ((letter, unicodedata.category(letter)) for letter in text)
    return "".join(" " if kind in ("So", "Cs", "Co", "Cn") else letter for letter, kind in kinds if kind != "Cf")


@lru_cache(maxsize=50_000)
def sound(word: str) -> str:
    """A phonetic key of a folded word: the primary Double Metaphone code, without an article or particle in front.

    >>> sound("tchernov") == sound("chernov"), sound("alrashid") == sound("alrasheed")
    (True, True)
    """
    bare = re.sub(r"^(?:al|el)(?=[a-z]{4})", "", word)
    return doublemetaphone(bare)[0] or word


_ONE_SPELLING = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"(?:[yij]?[eo])(?:v|w|ff)$", "UF"),
        (r"schtsch|stsch|chtch|shch", "S"),
        (r"^ch(?=[rl])", "K"),
        (r"tsch|tch|tsh|sch|sh|sz|zh|cz|ch", "S"),
        (r"kh|gh|ck|q|g|k|c(?![eiy])", "K"),
        (r"x", "Ks"),
        (r"ph|ff|v|w|f", "F"),
        (r"tz|ts|dz|ds|z|s|c", "s"),
        (r"dh", "d"),
        (r"th", "t"),
        (r"(?<=.)h(?=[bdlmnprst]|$)", ""),
        (r"^(?:[yji]e|e)", "i"),
        (r"^[yj](?=[aou])", ""),
        (r"[aeo]?[iyj]+[eao]?|ee|e", "i"),
        (r"oo|ou|u|o", "u"),
        (r"(.)\1+", r"\1"),
    )
]


@lru_cache(maxsize=50_000)
def transliteration(word: str) -> str:
    """One spelling of a folded word for the ways in which English, German and French write Russian and Arabic.

    >>> {transliteration(name) for name in ("gorbachev", "gorbachov", "gorbatschow")}
    {'KurbaSUF'}
    >>> {transliteration(name) for name in ("gaddafi", "qaddafi", "khadafy", "kadhafi")}
    {'KadaFi'}
    """
    for pattern, sound_of in _ONE_SPELLING:
        word = pattern.sub(sound_of, word)
    return word


def one_letter_apart(a: str, b: str) -> bool:
    """Whether one letter more, less, wrong or changed with its neighbour makes one word of the other."""
    return max(len(a), len(b)) <= LONGEST_SIMILAR and OSA.distance(a, b, score_cutoff=1) == 1


def with_one_letter_less(word: str) -> set[str]:
    """A word, and all that is left of it without one letter: words one letter apart have one of these in common."""
    letters = range(len(word) if len(word) <= LONGEST_SIMILAR else 0)
    return {word, *(word[:at] + word[at + 1 :] for at in letters)}


def two_letters_apart(a: str, b: str) -> bool:
    """Whether two letters more, less or wrong, none of them the first, make one word of the other."""
    long = max(len(a), len(b)) > LONGEST_SIMILAR
    return a[:1] == b[:1] and not long and Levenshtein.distance(a, b, score_cutoff=2) == 2


Third = tuple[str, int, int, str]
"""The first letter and the length of a word, the number of the third, its letters."""


def thirds(word: str) -> Iterator[Third]:
    for number, (start, end) in enumerate(pairwise(_cuts(len(word)))):
        yield word[0], len(word), number, word[start:end]


def thirds_near(word: str) -> Iterator[Third]:
    """The thirds that words two letters apart may have: two wrong letters spare one, and move it by two at most
    (Li, Deng, Wang, Feng 2011: Pass-Join).
    """
    for length in range(len(word) - 2, len(word) + 3):
        for number, (start, end) in enumerate(pairwise(_cuts(length))):
            for at in range(max(start - 2, 0), min(start + 2, len(word) - (end - start)) + 1):
                yield word[0], length, number, word[at : at + end - start]


def _cuts(length: int) -> tuple[int, ...]:
    return 0, length // 3, 2 * length // 3, length


@lru_cache(maxsize=50_000)
def formal_first_names(first: str) -> frozenset[str]:
    """A first name and what it can be short for.

    >>> sorted(formal_first_names("bill"))
    ['bill', 'robert', 'will', 'william', 'willis']
    """
    return frozenset({first}) | frozenset(_NICKNAMER.canonicals_of(first))


def _table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table that comes with crossdoc, none if there is no such table."""
    path = files("crossdoc") / "data" / name
    if not path.is_file():
        return []
    content = path.read_bytes()
    text = gzip.decompress(content) if name.endswith(".gz") else content
    return list(csv.DictReader(text.decode().splitlines()))


@cache
def first_names() -> dict[str, float]:
    """First names and the share of women among their bearers (US Census 1990; tools/build_names.py)."""
    return {row["name"]: float(row["female_share"]) for row in _table("first_names.csv")}


@cache
def last_names() -> dict[str, float]:
    """Surnames and the share of people who bear them (US Census 1990; tools/build_names.py)."""
    return {row["name"]: float(row["share"]) for row in _table("last_names.csv.gz")}


def gender_of_first(first: str) -> str:
    """'m' or 'f' where nearly all bearers of a folded first name are of one gender, else ''."""
    share = first_names().get(first, 0.5)
    return "f" if share >= ONE_GENDER else "m" if share <= 1 - ONE_GENDER else ""


def of_two_genders(a: str, b: str) -> bool:
    """Whether one first name is a man's and the other a woman's, in the United States or in a language that knows both.

    >>> of_two_genders("john", "jane"), of_two_genders("jean", "jeanne"), of_two_genders("pat", "john")
    (True, True, False)
    """
    return any(
        min(shares[a], shares[b]) <= 1 - ONE_GENDER and max(shares[a], shares[b]) >= ONE_GENDER
        for shares in _lists_of_first_names()
        if a in shares and b in shares
    )


@cache
def _lists_of_first_names() -> tuple[Mapping[str, float], ...]:
    """First names with the share of women among their bearers: the census's, and those of each language."""
    packs = (pack(code).name_words.first_names for code in sorted(languages()))
    return first_names(), *filter(None, packs)


def one_form(first: str) -> str:
    """A first name in one form for all of its transliterations."""
    return FORMS_OF_FIRST_NAMES.get(first, first)


def is_letter(word: str) -> bool:
    """Return whether a word is a single letter, which may stand for any name that begins with it.

    >>> [is_letter(word) for word in ("a", "al", "7", "")]
    [True, False, False, False]
    """
    return len(word) == 1 and word.isalpha()


@lru_cache(maxsize=50_000)
def first_letters(first: str) -> frozenset[str]:
    """The initials of a first name and of what it is short for."""
    return frozenset(name[0] for name in formal_first_names(first))


def is_nickname(short: str, full: str) -> bool:
    """Whether the dictionary has one first name as short for another; of another gender only if it is truly shorter.

    >>> is_nickname("alex", "alexandra"), is_nickname("louis", "louise")
    (True, False)
    """
    if full not in formal_first_names(short):
        return False
    return {gender_of_first(short), gender_of_first(full)} != {"m", "f"} or len(full) - len(short) > 1


@lru_cache(maxsize=50_000)
def relate_first_names(a: str, b: str) -> Grade:
    """Equal; variants by an initial or a nickname; similar in spelling; or a clash.

    A man's name is no spelling of a woman's; only a nickname may be both ("Sam" of "Samuel" and "Samantha").
    """
    if a == b:
        return Grade.EQUAL
    if len(a) == 1 or len(b) == 1:
        return Grade.VARIANT if a[0] in first_letters(b) or b[0] in first_letters(a) else Grade.CLASH
    if is_nickname(a, b) or is_nickname(b, a):
        return Grade.VARIANT
    if of_two_genders(a, b):
        return Grade.CLASH
    if not formal_first_names(a).isdisjoint(formal_first_names(b)) or one_form(a) == one_form(b):
        return Grade.VARIANT
    if a[0] != b[0] or not (a + b).isalpha():
        return Grade.CLASH
    alike = JaroWinkler.similarity(a, b)
    by_sound = min(len(a), len(b)) >= SHORTEST_VARIANT and alike >= SAME_SOUND and sound(a) == sound(b)
    return Grade.SIMILAR if alike >= SAME_SPELLING or by_sound else Grade.CLASH


def first_names_agree(a: str, b: str) -> bool:
    """Whether two first names can be one person's; one that is not known agrees with any."""
    return not a or not b or relate_first_names(a, b) > Grade.CLASH


@lru_cache(maxsize=50_000)
def relate_spellings(a: str, b: str, usual: int) -> Grade:
    """How two surnames relate that are not the same, of which `usual` (0, 1 or 2) are in the census.

    Two usual surnames are two families': "Regan" is not "Reagan" (docs/names.md has the figures). Two
    transliterations of one name of six letters or more are variants if neither is usual, else similar; with one letter
    wrong they are similar. Shorter ones are nearly always two people's.

    >>> [str(relate_spellings(*pair)) for pair in (("jelzin", "yeltsin", 0), ("hussein", "hussain", 1))]
    ['variant', 'similar']
    >>> [str(relate_spellings(*pair)) for pair in (("reagan", "regan", 2), ("berri", "berry", 1))]
    ['clash', 'clash']
    """
    # Names that differ in digits are numbered, not spelt otherwise.
    if usual == 2 or min(len(a), len(b)) < SHORTEST_SIMILAR or not (a + b).isalpha() or _a_womans(a, b):
        return Grade.CLASH
    if transliteration(a) == transliteration(b):
        return Grade.SIMILAR if usual else Grade.VARIANT
    return Grade.SIMILAR if a[0] == b[0] and one_letter_apart(a, b) else Grade.CLASH


def _a_womans(a: str, b: str) -> bool:
    """Whether one is what the other's wife or sister is called in Russian: "Gorbacheva"."""
    short, long = sorted((a, b), key=len)
    ending = re.search(r"(?:ov|ev|yov|in|yn|sk[iy]y?|skij)$", short)
    return (
        ending is not None
        and re.fullmatch(rf"{short[: ending.start()]}(?:{ending[0]}a|skaya|skaia|skaja)", long) is not None
    )


def is_misspelling(rare: str, frequent: str) -> bool:
    """Whether a rare surname is probably a typing error of a frequent one: five letters or more, one of them wrong, and
    not both usual in the census.
    """
    long_enough = min(len(rare), len(frequent)) >= SHORTEST_MISSPELT and (rare + frequent).isalpha()
    both_usual = rare in last_names() and frequent in last_names()
    return long_enough and not both_usual and one_letter_apart(rare, frequent)


@cache
def _last() -> dict[str, float]:
    return _with_initials(last_names())


@cache
def _first() -> dict[str, float]:
    return _with_initials({row["name"]: max(float(row["share"]), UNLISTED_FIRST) for row in _table("first_names.csv")})


def _with_initials(shares: dict[str, float]) -> dict[str, float]:
    """The names, and under each letter the sum of those that begin with it."""
    letters: dict[str, float] = defaultdict(float)
    for name, share in shares.items():
        letters[name[0]] += share
    return {**shares, **letters}


@cache
def usual_words(language: str) -> dict[str, int]:
    """How many of 10,000 texts have each word; empty if the language has no table."""
    return {row["word"]: int(row["texts"]) for row in _table(f"usual_words_{language}.csv.gz")}


def is_ordinary_word(word: str) -> bool:
    """Return whether a folded word is common in general texts and neither a first name nor a surname."""
    return word in usual_words("en") and word not in _first() and word not in _last()


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
    """The share of people with a folded surname; of an initial, of all with such a surname."""
    return _last().get(word, UNLISTED_LAST)


def share_of_first(word: str) -> float:
    """The share of people with a folded first name; of an initial, of all with such a first name."""
    return _first().get(word, UNLISTED_FIRST)
