"""A person's name in its parts, and how two people's names relate: the one rule of all rooms.

The steps of the score are ours; an ensemble learns their weights for a collection.

Cultures differ in the position of the surname and the word by which people are called. Chinese, Koreans and Hungarians
put it first, Japanese either way; a Vietnamese is called by the last word, whatever it is; of two Spanish surnames the
first counts; Icelanders have a father's name instead. Lists of surnames have the most usual first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from crossdoc.lang import en
from crossdoc.names.words import (
    Grade,
    first_names,
    fold,
    is_letter,
    last_names,
    relate_first_names,
    relate_spellings,
    without_signs,
)

FIRST_SAME, FIRST_RESPACED, FIRST_VARIANT, FIRST_INITIALS, FIRST_INITIAL = 0.90, 0.88, 0.75, 0.65, 0.60
NO_FIRST, ONE_FIRST, FIRST_ALONE = 0.40, 0.35, 0.30
MIDDLE_SAME, MIDDLE_INITIALS, MIDDLE_INITIAL = 1.0, 0.7, 0.5
MIDDLE_MORE, MIDDLE_MISSING = 0.6, 0.95
SURNAME_VARIANT = 0.85
SUFFIX_SAME = 0.3
"""Scores of each agreement of two names: see :func:`compare_people`."""

_CHINESE = """wang wong li zhang chang cheung liu lau chen chan yang zhao huang zhou chou wu xu hsu sun hu zhu chu gao
lin he ho guo kwok ma luo liang leung song zheng xie hsieh han tang feng yu dong xiao cheng cao yuan deng teng fu shen
zeng peng lu su jiang chiang cai tsai jia ding wei xue ye yan pan du dai xia zhong tian ren fan fang shi yao tan liao
zou xiong jin hao kong bai cui mao qiu qin gu hou shao meng long wan duan qian yin yi wen xi bo hua qiao tung tsang
ong goh soong lai"""
_KOREAN = """kim lee park pak choi jung chung jeong kang cho yoon jang lim han shin seo kwon hwang ahn song ryu hong
jeon ko moon son bae baek heo nam roh noh rhee chun ban paik yoo yun oh suh chon ro an kwak min"""
_JAPANESE = """sato suzuki takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato yoshida yamada sasaki
yamaguchi matsumoto inoue kimura hayashi shimizu saito mori abe ikeda hashimoto yamashita ishikawa nakajima maeda
fujita ogawa goto okada hasegawa murakami kondo ishii sakamoto endo aoki fujii nishimura fukuda ota miura takeuchi
nakagawa okamoto matsuda nakano harada ono tamura takeda ueda mishima koizumi nakasone takeshita miyazawa hosokawa
murayama obuchi kurosawa kawabata oe hirohito noda hatoyama aso kishi"""
_HUNGARIAN_FIRST = """laszlo janos jozsef istvan ferenc gyula sandor miklos zoltan attila gabor viktor imre bela
karoly lajos mihaly gyorgy pal andras balazs zsolt csaba arpad denes kalman erno jeno gergely matyas ilona erzsebet
katalin zsuzsanna judit tamas"""
_ICELANDIC_FIRST = """olafur steingrimur david jon gunnar halldor geir bjorn sigurdur gudmundur einar magnus bjarni
ragnar thor thorvaldur helgi kristjan sveinn palmi gudni johann johannes kari haraldur asgeir eidur gylfi hannes"""
_SPANISH = """garcia gonzalez lopez rodriguez perez sanchez romero torres ruiz diaz moreno alvarez ramos morales
ortega delgado castro ortiz rubio marin nunez iglesias medina garrido santos castillo cortes guerrero lozano cano
prieto cruz calvo gallego vidal leon herrera marquez pena flores cabrera campos vega fuentes carrasco diez reyes
caballero nieto aguilar pascual santana herrero montero lorenzo hidalgo gimenez ibanez ferrer duran benitez mora
vargas arias carmona crespo roman pastor soto saez velasco soler moya esteban parra bravo gallardo rojas salinas
mendoza guzman rivera silva pinochet allende borges llosa lorca neruda paz franco"""

EAST_ASIAN = {name: rank for names in (_KOREAN, _CHINESE) for rank, name in enumerate(names.split())}
JAPANESE = frozenset(_JAPANESE.split())
HUNGARIAN_FIRST = frozenset(_HUNGARIAN_FIRST.split())
ICELANDIC_FIRST = frozenset(_ICELANDIC_FIRST.split())
SPANISH = frozenset(_SPANISH.split())

_VIETNAMESE = frozenset("nguyen tran le pham huynh hoang phan vu vo dang bui do ho ngo duong ly truong dinh".split())
GIVEN_TOO = frozenset({"kim", "lee"})
MOST_USUAL = 5
"""Rank. The first surnames of a people are likelier than another at the end: "Kim Dae Jung", "Li Peng". By hand."""
USUAL = 5e-5
"""The share of people from which a surname is likelier than a given name that looks alike: "Han Hunter", "Yao Ming"."""

_SYLLABLE = (
    r"(?:zh|ch|sh|hs|ts|tz|kw|hw|[bpmfdtnlgkhjqxrzcsyw])?"
    r"(?:iao|uai|iou|eou|yeo|yae|wae|eui|uei|ia|ie|iu|io|ua|uo|ui|ue|ai|ei|ao|ou|ae|eo|eu|ew|oe|oo|ee|ya|yo|yu|ye|wa|wo"
    r"|wi|we|a|e|i|o|u)"
    r"(?:ng|n|r|l|m|k|p|t|h)?"
)
_ONE, _TWO = re.compile(_SYLLABLE), re.compile(_SYLLABLE * 2)

Compared = tuple[Grade, float]
CLASHING: Compared = (Grade.CLASH, 0.0)

_TOKEN = re.compile(r"[^\s,()\[\]\"“”]+")
_HYPHEN = re.compile(r"[-‐‑–]")
_INITIALS = re.compile(r"(?:[^\W\d_]\.){2,}")
# A nickname or maiden name in brackets or quotes is no middle name; at the very beginning it is all there is.
_ASIDE = re.compile(r"(?<=\w)\W*\s(\([^()]*\)|\[[^\[\]]*\]|\"[^\"]*\"|“[^”]*”|['‘]\w+['’](?=\s))")
# "Señora" is folded here, too.
_TITLES, _FEMALE, _MALE = (frozenset(map(fold, titles)) for titles in (en.TITLES, en.FEMALE_TITLES, en.MALE_TITLES))
_KUNYAS = frozenset({"abu", "ibn", "umm"})
"""Words that form one name with the next word: "Abu Nidal"."""


@dataclass(frozen=True, slots=True)
class PersonName:
    """A person's name in folded parts; what is not known is empty."""

    title: str = ""
    first: str = ""
    middle: tuple[str, ...] = ()
    last: str = ""
    suffix: str = ""
    given: tuple[str, ...] = field(default=(), repr=False)
    """First and middle names, hyphens taken apart."""
    pieces: tuple[str, ...] = field(default=(), repr=False)
    """The parts of the surname, without particles."""
    called: str = field(default="", repr=False)
    """A nickname that stood in quotes or brackets."""

    @property
    def gender(self) -> str:
        """The gender of the title: 'm', 'f' or ''."""
        titles = set(self.title.split())
        female, male = bool(titles & _FEMALE), bool(titles & _MALE)
        return "" if female == male else "f" if female else "m"

    @property
    def generation(self) -> str:
        return self.suffix if self.suffix in en.GENERATIONS else ""


class _NameToken(NamedTuple):
    word: str
    raw: str
    pieces: tuple[str, ...]


@lru_cache(maxsize=50_000)
def parse_person(name: str) -> PersonName:
    """Split a person's name into its parts. One word alone is a surname; of "John and Mary Smith" the first counts.

    >>> parse_person("Sen. Hillary R. Clinton")
    PersonName(title='sen', first='hillary', middle=('r',), last='clinton', suffix='')
    >>> parse_person("Smith, John A.").first, parse_person("Ludwig van Beethoven").last
    ('john', 'vanbeethoven')
    >>> name = parse_person("Jean-Luc de la Croix-Rouge")
    >>> name.first, name.given, name.last, name.pieces
    ('jeanluc', ('jean', 'luc'), 'delacroixrouge', ('croix', 'rouge'))
    """
    unsigned = re.sub(r"['’]s\b", "", without_signs(name)).replace(" & ", " and ")
    plain, called = _without_asides(unsigned)
    given, family = _in_order(plain)
    if not family:
        given = _without_role(given)
    titles: list[str] = []
    while (
        given
        and len(given) + len(family) > 1
        and (given[0].word in _TITLES or given[0].word in en.CONJUNCTIONS)
        and not (len(given) + len(family) == 2 and given[0].word in en.FIRST_NAMES_TOO)
    ):
        titles.append(given.pop(0).word)
    suffix = ""
    for words in (family, given):
        while words and len(given) + len(family) > 1 and words[-1].word in en.SUFFIXES:
            suffix = words.pop().word
    given = _first_of_two(given)
    # "J.R." and "J. R." are two initials, whatever the typist did.
    if len(given) + len(family) > 1 and given and _INITIALS.fullmatch(given[0].raw):
        given[:1] = [_NameToken(letter, letter, (letter,)) for letter in given[0].word]
    if not family:
        given, family = _parted(given)
    last = "".join(token.word for token in family)
    bare = tuple(piece for token in family for piece in token.pieces if piece not in en.PARTICLES and piece != "y")
    return PersonName(
        " ".join(title for title in titles if title not in en.CONJUNCTIONS),
        given[0].word if given else "",
        tuple(token.word for token in given[1:]),
        last,
        en.SAME_SUFFIX.get(suffix, suffix),
        tuple(piece for token in given for piece in token.pieces),
        bare or ((last,) if last else ()),
        called,
    )


def _without_asides(name: str) -> tuple[str, str]:
    """A name without its parts in quotes or brackets, and that part if it is one word."""
    if not any(mark in name for mark in "([\"“'‘"):
        return name, ""
    aside = _ASIDE.search(name)
    words = _tokens(aside[1]) if aside else []
    return _ASIDE.sub(" ", name), words[0].word if len(words) == 1 else ""


def _tokens(text: str) -> list[_NameToken]:
    found = []
    for raw in _TOKEN.findall(text):
        word = fold(raw)
        if word:
            found.append(_NameToken(word, raw, tuple(filter(None, map(fold, _HYPHEN.split(raw))))))
    return found


def _in_order(name: str) -> tuple[list[_NameToken], list[_NameToken]]:
    """The words of a name, and those of its surname if it stood first, before a comma.

    The word after the comma of "John Smith, London" is no part of the name.
    """
    before, _, after = name.partition(",")
    family, given = _tokens(before), _tokens(after)
    if all(token.word in en.SUFFIXES for token in given):
        return family + given, []
    listed = first_names()
    telling = [token.word for token in family if token.word not in en.PARTICLES and token.word not in _TITLES]
    described = len(telling) > 1 and telling[0] in listed and given[0].word not in listed
    if described or (len(telling) > 2 and given[0].word not in listed):
        return family, []
    lead = next((i for i, token in enumerate(family[:-1]) if token.word not in _TITLES), max(len(family) - 1, 0))
    return family[:lead] + given, family[lead:]


def _without_role(words: list[_NameToken]) -> list[_NameToken]:
    """Without the small words before a name: "actress Tara Reid", but not "staff of Boeing", nor "jo li"."""
    start = next((i for i, token in enumerate(words) if not token.raw.islower()), 0)
    role = {token.word for token in words[:start]}
    if not start or words[-1].raw.islower() or words[0].word in _TITLES or role & (en.PARTICLES | en.SMALL_WORDS):
        return words
    return words if any(len(word) == 1 or word in first_names() for word in role) else words[start:]


def _first_of_two(given: list[_NameToken]) -> list[_NameToken]:
    """ "John Smith" of "John and Mary Smith"; "John Smith" of "John Smith and Mary Jones"."""
    at = next((i for i, token in enumerate(given) if token.word in en.CONJUNCTIONS), len(given) - 1)
    left, right = given[:at], given[at + 1 :]
    if not right:
        return given
    return left + right[_surname_start(right) :] if len(left) == 1 and len(right) > 1 else left


def _parted(tokens: list[_NameToken]) -> tuple[list[_NameToken], list[_NameToken]]:
    """First and middle names, and the surname, wherever it stands."""
    words = [piece for at, token in enumerate(tokens) for piece in (token.pieces if at else (token.word,))]
    if surname_first(words, hyphen=len(words) > len(tokens)):
        return tokens[1:], tokens[:1]
    start = _surname_start(tokens)
    return tokens[:start], tokens[start:]


def _surname_start(tokens: list[_NameToken]) -> int:
    """The start of the surname: the last word, or the particles before it; 0 in "van der Berg"."""
    words = [token.word for token in tokens]
    if len(words) == 2 and words[0] in _KUNYAS:
        return 0
    lead = next((i for i, word in enumerate(words[:-1]) if word not in en.PARTICLES), max(len(words) - 1, 0))
    mixed = not all(token.raw.islower() for token in tokens)
    if lead > 0 and len(words) - lead <= 2 and (lead > 1 or (mixed and tokens[0].raw.islower())):
        return 0
    start = max(len(words) - 1, 0)
    # "José Ortega y Gasset".
    if start > 1 and tokens[start - 1].raw == "y":
        return start - 2
    while start > 1 and words[start - 1] in en.PARTICLES and is_particle(words[start - 1], words):
        start -= 1
    return start


def compare_people(a: PersonName, b: PersonName) -> Compared:
    """How two people's names relate, and how far they agree in [0, 1].

    With the same surname: the same first and middle names 1.0, middle initials .97, first name alone .90, one side with
    a middle name .86, a nickname or another spelling .75, initials .65, an initial for the name .60; a bare surname .40
    on both sides and .35 on one. A variant of the surname (spelling, half of a double name, particle, surname first)
    takes 15 % off, the same generation suffix closes 30 % of what is missing.

    >>> grade, score = compare_people(parse_person("Nasser Hussain"), parse_person("N. Hussein"))
    >>> str(grade), round(score, 2)
    ('similar', 0.51)
    """
    grade, score = _compare_names(a, b)
    if not grade or _titles_clash(a, b):
        return CLASHING
    if a.generation and a.generation == b.generation:
        score += (1 - score) * SUFFIX_SAME
    return (Grade.VARIANT if grade == Grade.EQUAL and a.suffix != b.suffix else grade), score


def relate_people(a: str, b: str) -> Grade:
    """How two people's names relate."""
    return compare_people(parse_person(a), parse_person(b))[0]


def persons_agree(a: PersonName, b: PersonName) -> bool:
    """Whether nothing in two names says that they are two people."""
    return compare_people(a, b)[0] > Grade.CLASH


def relate_surnames(a: PersonName, b: PersonName) -> Grade:
    """Equal; variants if one has all parts of the other (half of a double name, a particle); similar; or a clash."""
    if a.last == b.last:
        return Grade.EQUAL
    if not a.last or not b.last:
        return Grade.CLASH
    if set(a.pieces).issubset(b.pieces) or set(b.pieces).issubset(a.pieces):
        return Grade.VARIANT
    usual = (a.last in last_names()) + (b.last in last_names())
    bare = relate_spellings("".join(a.pieces), "".join(b.pieces), usual)
    return bare or relate_spellings(a.last, b.last, usual)


def _titles_clash(a: PersonName, b: PersonName) -> bool:
    if a.generation and b.generation and a.generation != b.generation:
        return True
    return bool(a.gender and b.gender and a.gender != b.gender)


def _compare_names(a: PersonName, b: PersonName) -> Compared:
    if bool(a.given) != bool(b.given):
        return _compare_short(b, a) if a.given else _compare_short(a, b)
    surname = relate_surnames(a, b)
    worth = 1.0 if surname == Grade.EQUAL else SURNAME_VARIANT
    if not a.given:
        whole = bool(a.last) and a.title == b.title and a.last not in _TITLES and not is_letter(a.last)
        return min(surname, Grade.EQUAL if whole else Grade.PART), NO_FIRST * worth
    if not surname:
        return max(_compare_turned(a, b), _compare_turned(b, a))
    grade, score = _compare_given(a.given, b.given)
    if not grade:
        grade, score = max(_goes_by_middle(a, b), _goes_by_middle(b, a))
    return min(grade, surname), score * worth


def _compare_short(short: PersonName, full: PersonName) -> Compared:
    """A name without a first name and one with it: a surname, or else a first name."""
    surname = relate_surnames(short, full)
    if surname:
        return min(surname, Grade.PART), ONE_FIRST * (1.0 if surname == Grade.EQUAL else SURNAME_VARIANT)
    if len(short.last) < 2:
        return CLASHING
    if goes_by(full, short):
        return Grade.PART, ONE_FIRST
    if not short.title and short.last in (full.first, full.given[0], full.called):
        return Grade.PART, FIRST_ALONE
    return min(relate_particles(full, short), Grade.PART), ONE_FIRST


def goes_by(full: PersonName, short: PersonName) -> bool:
    """Whether one word is what a person is called by that has another surname: the first of two Spanish or Portuguese
    ones, the first name of Icelanders.
    """
    if full.given[-1:] == (short.last,) and is_spanish(full.pieces[-1]):
        return is_spanish(short.last) or short.last not in first_names()
    return short.last == full.first and is_icelander(full.first, full.last)


def relate_particles(a: PersonName, b: PersonName) -> Grade:
    """How a name that may be all surname, such as "Van Buren" or "Al Rasheed", relates to a surname."""
    whole = with_particle(a)
    return Grade.EQUAL if whole == b.last else relate_spellings(whole, b.last, int(b.last in last_names()))


def with_particle(name: PersonName) -> str:
    """ "vanburen" of "Van Buren", which may be all of a surname; '' of other names."""
    return name.first + name.last if name.first in en.PARTICLES and not name.middle else ""


def _compare_given(x: tuple[str, ...], y: tuple[str, ...]) -> Compared:
    """First and middle names, in their order: "W." is no part of "H. W."."""
    if x != y and "".join(x) == "".join(y):
        # "Seong-Nam" and "Seongnam", "J. R." and "JR".
        return Grade.VARIANT, FIRST_RESPACED if sum(map(len, x)) > 3 else FIRST_INITIALS
    grade, score = _compare_first(x[0], y[0])
    if not grade or len(x) == len(y) == 1:
        return grade, score
    if len(x) == 1 or len(y) == 1:
        return min(grade, Grade.VARIANT), score * MIDDLE_MISSING
    worst = MIDDLE_SAME
    for one, other in zip(x[1:], y[1:], strict=False):
        agreed, value = _compare_first(one, other)
        if not agreed:
            return CLASHING
        grade = min(grade, agreed)
        if value != FIRST_SAME:
            worst = min(worst, MIDDLE_INITIALS if value == FIRST_INITIALS else MIDDLE_INITIAL)
    if len(x) != len(y):
        grade, worst = min(grade, Grade.VARIANT), worst * MIDDLE_MORE
    return grade, score + (1 - score) * worst


def _compare_first(x: str, y: str) -> Compared:
    grade = relate_first_names(x, y)
    if grade == Grade.EQUAL:
        return grade, FIRST_SAME if len(x) > 1 else FIRST_INITIALS
    return grade, FIRST_INITIAL if len(x) == 1 or len(y) == 1 else FIRST_VARIANT


def _goes_by_middle(full: PersonName, short: PersonName) -> Compared:
    """ "Edgar Hoover" of "J. Edgar Hoover"; the surname alone in "García Márquez" and "Van Buren"."""
    called = short.given[0]
    if spelt := relate_particles(short, full):
        return min(spelt, Grade.PART), ONE_FIRST
    if full.called and relate_first_names(full.called, called) >= Grade.VARIANT:
        return Grade.VARIANT, FIRST_VARIANT
    if len(called) == 1:
        return CLASHING
    if len(full.given[0]) == 1 and full.given[1:2] == (called,):
        return Grade.VARIANT, FIRST_INITIAL
    alone = len(short.given) == 1 and full.given[-1] == called and called not in first_names()
    return (Grade.PART, ONE_FIRST) if alone else CLASHING


def _compare_turned(a: PersonName, b: PersonName) -> Compared:
    """Compare names whose surnames clash: surname first in one, or half of a double surname missing at the end of b."""
    first = a.given[0]
    if first == b.last:
        if "".join(a.given[1:]) + a.last == "".join(b.given):
            return Grade.VARIANT, FIRST_SAME * SURNAME_VARIANT
        if b.given[0] == a.last:
            grade, score = _compare_given((first, *a.given[1:]), (first, *b.given[1:]))
            return min(grade, Grade.VARIANT), score * SURNAME_VARIANT
    # "Gabriel García" and "Gabriel García Márquez": the surname of one stands where the other's middle name does.
    if len(a.given) > 1 and len(b.last) > 1 and a.given[-1] == b.last:
        grade, score = _compare_given(a.given[:-1], b.given)
        return min(grade, Grade.VARIANT), score * SURNAME_VARIANT
    return min(relate_particles(a, b), Grade.PART), ONE_FIRST


def surname_first(words: Sequence[str], *, hyphen: bool = False) -> bool:
    """Whether the first of two or three folded words is the surname; a hyphen between the others makes them a given
    name.

    >>> [surname_first(name.split()) for name in ("deng xiaoping", "kim dae jung", "jung bin kim", "orban viktor")]
    [True, True, False, True]
    >>> [surname_first(name.split()) for name in ("kim novak", "lee hunter", "bruce lee", "wei wang", "tanaka kakuei")]
    [False, False, False, False, True]
    """
    if not 2 <= len(words) <= 3:
        return False
    surname, *given = words
    if surname in EAST_ASIAN:
        return _east_asian(surname, given, hyphen)
    last = given[-1]
    if len(given) > 1 or surname in first_names():
        return False
    if surname in JAPANESE:
        return last not in JAPANESE and last not in last_names()
    return last in HUNGARIAN_FIRST and surname not in HUNGARIAN_FIRST


def _east_asian(surname: str, given: list[str], hyphen: bool) -> bool:
    """Two syllables at most are left, and they are no likelier to end in a surname."""
    if not all(map(_ONE.fullmatch, given)) and not (len(given) == 1 and _TWO.fullmatch(given[0])):
        return False
    last = given[-1]
    if hyphen:
        return True
    if len(given) == 1 and surname in GIVEN_TOO and last in last_names():
        return False
    if last in EAST_ASIAN:
        return EAST_ASIAN[surname] < min(EAST_ASIAN[last], MOST_USUAL)
    return len(given) == 2 or last_names().get(last, 0.0) < USUAL


def is_particle(word: str, words: Sequence[str]) -> bool:
    """Whether a word that is a particle elsewhere is one in a name: not "Bin" of "Jung Bin Kim", nor "Van" of "Nguyen
    Van Linh".
    """
    return not (word == "bin" and words[-1] in EAST_ASIAN) and not (word == "van" and words[0] in _VIETNAMESE)


def is_spanish(surname: str) -> bool:
    """Whether it is a Spanish or Portuguese surname."""
    return surname in SPANISH or surname.endswith("ez")


def is_icelander(first: str, last: str) -> bool:
    """Whether a surname is a father's or mother's name, so that one is called by the first."""
    return last.endswith("dottir") or (last.endswith("sson") and first in ICELANDIC_FIRST)
