"""The parts of a name: title, first, middle, last, suffix of a person's; the telling words of any other.

Used by extraction (which mentions of a document are one chain) and by comparison (which profiles may meet).
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from anyascii import anyascii
from metaphone import doublemetaphone
from nicknames import NickNamer
from rapidfuzz.distance import JaroWinkler

MALE_TITLES = frozenset("mr sir lord king prince father brother monsieur m herr señor don".split())
FEMALE_TITLES = frozenset("mrs ms miss lady queen princess sister madame mme mlle frau señora doña dame".split())
TITLES = (
    MALE_TITLES
    | FEMALE_TITLES
    | frozenset(
        """dr doctor prof professor president vice governor gov senator sen representative rep congressman
        congresswoman chairman chairwoman mayor judge justice chief general gen colonel col captain capt major maj
        lieutenant lt sergeant sgt corporal cpl private pvt admiral adm commander cmdr secretary minister premier
        chancellor ambassador pope cardinal bishop archbishop rev reverend pastor rabbi imam sheikh saint st officer
        detective inspector sheriff coach attorney dean elder hon honorable baron baroness count countess duke duchess
        emperor emir sultan président docteur professeur ministre sénateur gouverneur maire juge général""".split()
    )
)
# Titles that are first names more often when one word follows: "Dean Smith", "Don Imus", but "Dean Mary Jones".
FIRST_NAMES_TOO = frozenset("dean don duke m".split())
SUFFIXES = frozenset("jr sr junior senior ii iii iv esq phd md qc kc mp obe".split())
GENERATIONS = frozenset("jr sr ii iii".split())
"""Suffixes that tell a son from his father."""
PARTICLES = frozenset("van von der den de la le du da di del della dos ter ten al el bin ibn abu ben st mac".split())
LEGAL_FORMS = frozenset(
    """inc corp corporation co company ltd limited plc llc llp lp sa ag gmbh nv bv spa kk group holdings holding cie
    sarl""".split()
)
SMALL_WORDS = frozenset("the of and for in on at a an to de la le les du des et von und für der die das del".split())

SAME_SPELLING, SAME_SOUND = 0.93, 0.75
"""At which Jaro-Winkler two first names are spellings of one: by itself, and where they sound alike ("Pyotr", "Peter";
"John" and "Jane" are .67)."""
ONE_GENDER = 0.95
"""The share of one gender among the bearers of a first name from which it tells men from women."""

_TOKEN = re.compile(r"[^\s,()\"“”]+")
_NICKNAMER = NickNamer()


@lru_cache(maxsize=200_000)
def fold(text: str) -> str:
    """Lower-case ASCII letters and digits of a word in any script.

    >>> fold("Müller-Ångström"), fold("Чернов")
    ('mullerangstrom', 'chernov')
    """
    return re.sub(r"[^a-z0-9]", "", anyascii(text).lower())


@dataclass(frozen=True, slots=True)
class PersonName:
    """A person's name in folded parts; what is not known is empty."""

    title: str = ""
    first: str = ""
    middle: tuple[str, ...] = ()
    last: str = ""
    suffix: str = ""

    @property
    def gender(self) -> str:
        """What the title says: 'm', 'f' or ''."""
        titles = set(self.title.split())
        if titles & FEMALE_TITLES:
            return "f"
        return "m" if titles & MALE_TITLES else ""


@lru_cache(maxsize=200_000)
def parse_person(name: str) -> PersonName:
    """Split a person's name into its parts.

    >>> parse_person("Sen. Hillary R. Clinton")
    PersonName(title='sen', first='hillary', middle=('r',), last='clinton', suffix='')
    >>> parse_person("Smith, John A.").first, parse_person("Ludwig van Beethoven").last
    ('john', 'vanbeethoven')
    """
    name = re.sub(r"['’]s\b", "", name)
    before, comma, after = name.partition(",")
    if comma and after.strip() and fold(after) not in SUFFIXES and len(before.split()) <= 2:
        name = f"{after} {before}"
    raw = _TOKEN.findall(name)
    tokens = [(fold(token), token) for token in raw]
    tokens = [(folded, token) for folded, token in tokens if folded]
    titles = []
    while len(tokens) > 1 and tokens[0][0] in TITLES and not (len(tokens) == 2 and tokens[0][0] in FIRST_NAMES_TOO):
        titles.append(tokens.pop(0)[0])
    suffix = ""
    while len(tokens) > 1 and tokens[-1][0] in SUFFIXES:
        suffix = {"junior": "jr", "senior": "sr"}.get(tokens[-1][0], tokens[-1][0])
        tokens.pop()
    parts = [folded for folded, _ in tokens]
    # "J.R." and "J. R." are two initials, whatever the typist did.
    if len(parts) > 1 and re.fullmatch(r"(?:[^\W\d_]\.){2,}", tokens[0][1]):
        parts = [*parts[0], *parts[1:]]
    if not parts:
        return PersonName(" ".join(titles), suffix=suffix)
    if len(parts) == 1:
        return PersonName(" ".join(titles), last=parts[0], suffix=suffix)
    start = len(parts) - 1
    while start > 1 and parts[start - 1] in PARTICLES:
        start -= 1
    return PersonName(" ".join(titles), parts[0], tuple(parts[1:start]), "".join(parts[start:]), suffix)


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
    """First names and the share of women among their bearers (US Census 1990; tools/build_first_names.py)."""
    table = (files("crossdoc") / "data" / "first_names.csv").read_text(encoding="ascii")
    return {row["name"]: float(row["female_share"]) for row in csv.DictReader(table.splitlines())}


def gender_of_first(first: str) -> str:
    """'m' or 'f' where nearly all bearers of a folded first name are of one gender, else ''.

    >>> gender_of_first("john"), gender_of_first("jane"), gender_of_first("pat")
    ('m', 'f', '')
    """
    share = first_names().get(first, 0.5)
    return "f" if share >= ONE_GENDER else "m" if share <= 1 - ONE_GENDER else ""


@lru_cache(maxsize=200_000)
def first_names_agree(a: str, b: str) -> bool:
    """Whether two first names can be one person's: equal, an initial, a nickname, or another spelling.

    A man's name is no spelling of a woman's; only a nickname may be both ("Sam" of "Samuel" and "Samantha").

    >>> first_names_agree("bill", "william"), first_names_agree("r", "robert"), first_names_agree("bill", "hillary")
    (True, True, False)
    >>> first_names_agree("sam", "samantha"), first_names_agree("paul", "paula")
    (True, False)
    """
    if not a or not b or a == b:
        return True
    if len(a) == 1 or len(b) == 1:
        return a[0] == b[0]
    if is_nickname(a, b) or is_nickname(b, a):
        return True
    if {gender_of_first(a), gender_of_first(b)} == {"m", "f"}:
        return False
    if _NICKNAMER.canonicals_of(a) & _NICKNAMER.canonicals_of(b):
        return True
    if a[0] != b[0]:
        return False
    alike = JaroWinkler.similarity(a, b)
    return alike >= SAME_SPELLING or (alike >= SAME_SOUND and sound(a) == sound(b) and min(len(a), len(b)) > 3)


def is_nickname(short: str, full: str) -> bool:
    """Whether the dictionary has one first name as short for another; of another gender only if it is truly shorter.

    >>> is_nickname("alex", "alexandra"), is_nickname("louis", "louise")
    (True, False)
    """
    if full not in _NICKNAMER.canonicals_of(short):
        return False
    return {gender_of_first(short), gender_of_first(full)} != {"m", "f"} or len(full) - len(short) > 1


@lru_cache(maxsize=200_000)
def last_names_agree(a: str, b: str) -> bool:
    """Equal, the second half of a double name, or another spelling of one that sounds alike."""
    if a == b:
        return True
    if not a or not b:
        return False
    if min(len(a), len(b)) >= 5 and (a.endswith(b) or b.endswith(a)):
        return True
    return sound(a) == sound(b) and JaroWinkler.similarity(a, b) >= 0.85


def persons_agree(a: PersonName, b: PersonName) -> bool:
    """Whether nothing in two names says that they are two people.

    >>> george, jeb = parse_person("George W. Bush"), parse_person("Jeb Bush")
    >>> persons_agree(george, jeb), persons_agree(george, parse_person("President Bush"))
    (False, True)
    """
    if a.gender and b.gender and a.gender != b.gender:
        return False
    if a.suffix and b.suffix and a.suffix != b.suffix and {a.suffix, b.suffix} & GENERATIONS:
        return False
    if not a.first and not b.first:
        return last_names_agree(a.last, b.last)
    if not a.first or not b.first:
        short, full = (a, b) if not a.first else (b, a)
        return last_names_agree(short.last, full.last) or (not short.title and short.last == full.first)
    if not last_names_agree(a.last, b.last) or not first_names_agree(a.first, b.first):
        return False
    return _middles_agree(a.middle, b.middle)


def _middles_agree(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    if not a or not b:
        return True
    if {len(a), len(b)} == {1, 2} and a[0][0] != b[0][0]:
        return False
    return all(x[0] == y[0] and (len(x) == 1 or len(y) == 1 or x == y) for x, y in zip(a, b, strict=False)) and (
        len(a) == len(b)
    )


@lru_cache(maxsize=200_000)
def telling_words(name: str) -> tuple[str, ...]:
    """The folded words of an organisation's or place's name, without articles, prepositions and legal forms.

    >>> telling_words("The General Motors Corp.")
    ('general', 'motors')
    """
    folded = [fold(token) for token in re.findall(r"[^\s,()\"“”/-]+", re.sub(r"['’]s\b", "", name))]
    kept = [word for word in folded if word and word not in SMALL_WORDS]
    bare = [word for word in kept if word not in LEGAL_FORMS]
    return tuple(bare or kept or [word for word in folded if word])


@lru_cache(maxsize=200_000)
def acronym(name: str) -> str:
    """The letters a name abbreviates to, or the name itself if it is one; '' if neither.

    >>> acronym("National Cycling Association"), acronym("U.N."), acronym("Boston")
    ('nca', 'un', '')
    """
    bare = re.sub(r"[\s.&]", "", re.sub(r"['’]s\b", "", name))
    if 2 <= len(bare) <= 6 and bare.isupper() and bare.isalpha():
        return fold(bare)
    words = [fold(word) for word in re.findall(r"[^\s,()\"“”/-]+", name) if word[:1].isupper()]
    words = [word for word in words if word and word not in SMALL_WORDS]
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def is_acronym(name: str) -> bool:
    return bool(acronym(name)) and len(name.split()) == 1


def others_agree(a: str, b: str) -> bool:
    """Whether two names of organisations or places can be one: the same telling words, or fewer of them, or an acronym.

    >>> others_agree("NCA", "National Cycling Association"), others_agree("General Motors", "Motors Liquidation")
    (True, False)
    """
    x, y = telling_words(a), telling_words(b)
    if not x or not y:
        return False
    if x == y or "".join(x) == "".join(y):
        return True
    if is_acronym(a) or is_acronym(b):
        return (
            acronym(a) == acronym(b) or "".join(w[0] for w in x) == acronym(b) or "".join(w[0] for w in y) == acronym(a)
        )
    short, full = (x, y) if len(x) < len(y) else (y, x)
    return full[: len(short)] == short or (len(short) > 1 and full[-len(short) :] == short)
