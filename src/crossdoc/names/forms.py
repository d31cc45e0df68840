"""Names of one entity in one form: of several languages and cases ("Theresy May", "Терезы Мэй"), or abbreviated.

Words of names in Slavic languages are taken for the commonest word of the collection that sounds like them, endings
aside; places for what the gazetteer calls them; what languages translate for the English name. A German, Swedish or
Finnish name loses an ending where the collection has it without. All others stay as they are: there names are spelt
alike, and Jean is not Jane.

A collection also tells which names of people are inflected or abbreviated forms of others. "Saltens" is Salten's
genitive in a German diary and another surname in English newswire. Which it is, is estimated from how many names of the
collection occur with and without the ending. An abbreviation with a full stop ("Gustav Schw.", "Rich.") stands for the
name of the collection that it abbreviates, if one is far more frequent than others.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat

from rapidfuzz.distance import JaroWinkler, Prefix
from scipy.special import betaln, expit, logit

from crossdoc.lang.en import SUFFIXES, TITLES
from crossdoc.lang.foreign_names import (
    CALLED,
    INFLECTING,
    NOMINATIVE,
    OF_PEOPLE,
    PLAIN_ENDINGS,
    SLAVIC_ENDINGS,
    SOFTENED,
    spell_sounds,
)
from crossdoc.names.gazetteer import find_place
from crossdoc.names.words import fold, transliteration

PLAIN, INFLECTED = (1.0, 80.0), (2.0, 6.0)
"""Beta distributions of the share of surnames that also occur with an ending, where names are not inflected and where
they are. Their means are .012 and .25: on AIDA CoNLL and six volumes of FRUS the share is 0 to .012, in two years of a
German diary .25."""
PRIOR_INFLECTED = 0.02
"""Prior probability that the names of a collection are inflected. Set by hand; only collections of few names change."""
LEAST_OFTEN, SHORTEST_BASE = 3, 4
"""Mentions and letters. A rarer or shorter surname does not count in the estimate."""
FAR_MORE = 4.0
"""Ratio. An abbreviation is written out if so many times more mentions have one of the names it may stand for than all
others together. 2 to 8 differ by .001 in B³ on two years of a German diary."""


def full_forms(names: Mapping[str, int]) -> dict[str, str]:
    """Return by name the form that it stands for, for names that are forms of others; `names` has their frequencies.

    >>> sorted(full_forms({"Gustav Schwarzkopf": 9, "Gustav Schw.": 2, "Rich.": 1, "Richard": 3}).items())
    [('Gustav Schw.', 'Gustav Schwarzkopf'), ('Rich.', 'Richard')]
    """
    abbreviated = _Abbreviations(names)
    plain = {name: abbreviated.written_out(name) or name for name in names}
    lasts = Counter[str]()
    for name, n in names.items():
        lasts[plain[name].rpartition(" ")[2]] += n
    base_of = _inflected(lasts)
    found = {}
    for name, written in plain.items():
        before, space, last = written.rpartition(" ")
        form = f"{before}{space}{base_of.get(last, last)}"
        if form != name:
            found[name] = form
    return found


def probability_inflected(both: int, surnames: int) -> float:
    """Return the probability that names of a collection are inflected, if so many surnames occur in both forms.

    A beta-binomial Bayes factor, as for :func:`crossdoc.compare.name_prior.probability_chosen`.
    """
    likelihood = [betaln(a + both, b + surnames - both) - betaln(a, b) for a, b in (INFLECTED, PLAIN)]
    return float(expit(logit(PRIOR_INFLECTED) + likelihood[0] - likelihood[1]))


def _inflected(counts: Mapping[str, int]) -> dict[str, str]:
    """Return by last word its base, if last words of the collection are inflected and the base occurs in it."""
    frequent = [word for word, n in counts.items() if n >= LEAST_OFTEN and len(word) >= SHORTEST_BASE]
    both = sum(word + _ending(word) in counts for word in frequent)
    if probability_inflected(both, len(frequent)) <= 0.5:
        return {}
    return {inflected: word for word in counts if len(word) > 1 and (inflected := word + _ending(word)) in counts}


def _ending(word: str) -> str:
    return "ens" if word[-1] in "sxzß" else "s"


class _Abbreviations:
    """Names by the words that an abbreviation may stand for."""

    def __init__(self, names: Mapping[str, int]) -> None:
        self._full: dict[tuple[int, str, str], Counter[str]] = defaultdict(Counter)
        for name, n in names.items():
            words = _bare(name)
            if words and not any(map(_is_abbreviation, words)):
                first, last = fold(words[0]), fold(words[-1])
                for start in {first, first[:1]}:
                    self._full[len(words), start, last[:1]][" ".join(words)] += n

    def written_out(self, name: str) -> str | None:
        """Return the name that an abbreviated one stands for, or None."""
        words = _bare(name)
        short = [_is_abbreviation(word) for word in words]
        # "J. Smith" is compared by its initial; one letter alone may be anybody.
        if not any(short) or (not short[-1] and all(len(fold(w)) == 1 for w, s in zip(words, short, strict=True) if s)):
            return None
        if len(words) == 1 and len(fold(words[0])) == 1:
            return None
        first, last = fold(words[0]), fold(words[-1])
        found = self._full.get((len(words), first[:1] if short[0] else first, last[:1]), Counter())
        fits = Counter({full: n for full, n in found.items() if _fits(words, short, full.split())})
        if not fits:
            return None
        best, n = min(fits.most_common(), key=lambda item: (-item[1], item[0]))
        return best if n >= FAR_MORE * (fits.total() - n) else None


def _bare(name: str) -> list[str]:
    """Return the words of a name, the surname last, without the titles before and the suffixes after it."""
    surname, _, rest = name.partition(",")
    words = [*rest.split(), *surname.split()]
    while len(words) > 1 and fold(words[0]) in TITLES:
        del words[0]
    while len(words) > 1 and fold(words[-1]) in SUFFIXES:
        del words[-1]
    return words


def _is_abbreviation(word: str) -> bool:
    return word.endswith(".") and word[:-1].isalpha() and word[0].isupper()


def _fits(words: list[str], short: list[bool], full: list[str]) -> bool:
    """Return whether each word is one of a full name, or abbreviates it."""
    pairs = zip(map(fold, words), short, map(fold, full), strict=True)
    return all(other.startswith(word) if is_short else other == word for word, is_short, other in pairs)


ALIKE = 0.88
"""Jaro-Winkler of two words as they are heard, with or without endings, from which they are one."""
SHORTEST_STEM = 3
SHORTEST_NAME = 3
"""Letters, at least, of a word that may be another's form."""
LONGEST_INVARIABLE_ACRONYM = 5
SHORTEST_PREFIX = 5
"""Letters that two words have in common, at least, if one is another case of the other."""

_APART = re.compile(r"([\s-]+)")
# Longer spellings first; what is left of two ways to write one sound is one letter.
_SOUNDS = (
    ("shch", "s"), ("tsch", "c"), ("dzh", "j"), ("tch", "c"), ("sch", "s"), ("zh", "j"), ("sh", "s"), ("cz", "c"),
    ("sz", "s"), ("rz", "j"), ("ch", "c"), ("kh", "h"), ("ts", "c"), ("tz", "c"), ("dj", "j"), ("dz", "j"),
    ("ph", "f"), ("th", "t"), ("ck", "k"), ("qu", "kv"), ("x", "ks"), ("q", "k"), ("w", "v"), ("y", "i"), ("gi", "ji"),
    ("ge", "je"), ("z", "s"), ("c", "k"),
)  # fmt: skip


@lru_cache(maxsize=50_000)
def heard(word: str) -> str:
    """A folded word with one letter for each sound, so that transliterations meet other spellings."""
    for spelt, sound in _SOUNDS:
        word = word.replace(spelt, sound)
    return re.sub(r"(.)\1+", r"\1", word)


@lru_cache(maxsize=50_000)
def skeleton(word: str) -> str:
    """The consonants of a folded word as they are heard, and its first letter.

    >>> skeleton("johnson"), skeleton("dzhonson"), skeleton("farage"), skeleton("faradzh")
    ('jnsn', 'jnsn', 'frj', 'frj')
    """
    sounds = heard(word)
    return re.sub(r"(.)\1+", r"\1", sounds[:1] + re.sub(r"[aeiouh]", "", sounds[1:]))


@lru_cache(maxsize=50_000)
def stems(word: str, language: str | None) -> frozenset[str]:
    """A word, folded, as it is written and as its language reads it, and what is left of it without an ending.

    >>> sorted(stems("Theresy", "pl")), sorted(stems("Mayová", "cs")), sorted(stems("Theresa", "en"))
    (['theres', 'theresy'], ['may', 'mayov', 'mayova'], ['theresa'])
    """
    found = {fold(word), fold(spell_sounds(word.lower(), language))}
    if language in INFLECTING:
        found |= {stem for whole in tuple(found) for stem in _without_ending(whole)}
    return frozenset(found)


def _without_ending(word: str) -> Iterator[str]:
    for ending in SLAVIC_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            yield word.removesuffix(ending)


@lru_cache(maxsize=50_000)
def place_named(name: str, language: str | None) -> str:
    """The gazetteer's name of a place whose name may be inflected, a country before a town; '' if it knows none.

    >>> place_named("Канады", "ru"), place_named("Лондона", "ru"), place_named("Rovinovka", "ru")
    ('Canada', 'London', '')
    """
    tried = [name]
    if " " not in name:
        bare = sorted(stems(name, language), key=len, reverse=True)
        tried += [stem + ending for stem in bare for ending in NOMINATIVE]
    found = [(place, len(one)) for one in tried if (place := find_place(one)) is not None]
    country = next((place.name for place, _ in found if not place.city and not place.division), "")
    # "Ross" is left of "Россия": a town must be named by all that is left, or nearly.
    return country or next((place.name for place, length in found if length >= len(fold(name)) - 2), "")


def in_one_form(names: Sequence[str], languages: Sequence[str | None], types: Sequence[str | None]) -> list[str]:
    """Names of a collection as they can be compared, each with the words of the commonest forms.

    >>> names, languages = ["Theresa May", "Theresy May", "Терезы Мэй", "Jane May"], ["en", "pl", "ru", "en"]
    >>> in_one_form(names, languages, ["person"] * 4)
    ['Theresa May', 'Theresa May', 'Theresa May', 'Jane May']
    """
    named = list(zip(without_cases(names, languages, types), types, languages, strict=True))
    # A language by itself needs no translation, and may write the name in ways that are not listed.
    several = len(set(languages) - {None}) > 1
    bodies = [body_named(name, language) if several and type != "person" else "" for name, type, language in named]
    if not INFLECTING & set(languages):
        return [body or name for body, (name, *_) in zip(bodies, named, strict=True)]
    words = CollectionWords((word, language, type) for name, type, language in named for word in _words(name))
    whole = (words.whole(*each) if each[2] in INFLECTING else each[0] for each in named)
    return [body or name for body, name in zip(bodies, whole, strict=True)]


@lru_cache(maxsize=50_000)
def body_named(name: str, language: str | None) -> str:
    """The English name of a country or international body that its language translates; '' of all others.

    >>> body_named("Unii Europejskiej", "pl"), body_named("ЕС", "ru"), body_named("ES", "es")
    ('European Union', 'European Union', '')
    """
    words = _APART.split(name)
    for called, english in CALLED.get(language or "", ()):
        own = _APART.split(called)
        inflected = len(own) == len(words) and not called.isupper() and all(map(_may_be, words, own, repeat(language)))
        if name == called or inflected:
            return english
    return ""


def _may_be(word: str, other: str, language: str | None) -> bool:
    """Whether two words may be one in two cases: by their stems, or in all but the three last letters."""
    if language in PLAIN_ENDINGS:
        return fold(other) in (fold(word), *_plain_forms(word, language))
    x, y = fold(word), fold(other)
    shared = Prefix.similarity(x, y) if language in INFLECTING else 0
    return shared >= max(SHORTEST_PREFIX, min(len(x), len(y)) - 3) or bool(
        stems(word, language) & stems(other, language)
    )


def without_cases(names: Sequence[str], languages: Sequence[str | None], types: Sequence[str | None]) -> list[str]:
    """Names without an ending that marks a case, where the collection or the gazetteer has a name without it."""
    named = list(zip(names, languages, types, strict=True))
    spelt: dict[tuple[str | None, str | None, str], Counter[str]] = defaultdict(Counter)
    for name, language, type in named:
        if language in PLAIN_ENDINGS:
            spelt[language, type, fold(name)][name] += 1
    found = []
    for name, language, type in named:
        plain = ""
        if language in PLAIN_ENDINGS and (type != "person" or language in OF_PEOPLE):
            bare = list(_plain_forms(name, language))
            known = [
                (spelt[at].total(), spelt[at].most_common(1)[0][0])
                for f in bare
                if (at := (language, type, f)) in spelt
            ]
            plain = max(known, default=(0, ""))[1]
            if not plain and type == "place" and find_place(name) is None:
                plain = next((place.name for form in bare if (place := find_place(form)) is not None), "")
        found.append(plain or name)
    return found


@lru_cache(maxsize=50_000)
def _plain_forms(name: str, language: str) -> tuple[str, ...]:
    """Forms of a folded name without its ending, the longest ending first."""
    whole = fold(name)
    found = []
    for ending in sorted(PLAIN_ENDINGS[language], key=len, reverse=True):
        if whole.endswith(ending) and len(whole) - len(ending) > SHORTEST_STEM:
            stem = whole.removesuffix(ending)
            found.append(stem)
            for softened, plain in SOFTENED.get(language, ()):
                head, at, tail = stem.rpartition(softened)
                if at and len(tail) < 2:
                    found.append(head + plain + tail)
    return tuple(found)


def _words(name: str) -> list[str]:
    return [word for word in _APART.split(name) if may_vary(word)]


@lru_cache(maxsize=50_000)
def may_vary(word: str) -> bool:
    """Whether a word may be written otherwise elsewhere: no acronym, no number and no short word."""
    bare = word.strip(".,()\"'")
    return len(fold(word)) >= SHORTEST_NAME and not (bare.isupper() and len(bare) <= LONGEST_INVARIABLE_ACRONYM)


class CollectionWords:
    """The words of a collection's names, each with the common form of all that sound like it.

    Words of languages without cases come first, then by how often they occur; one that is no form of any before it
    is its own form. Two words of one language without cases are two.
    """

    def __init__(self, written: Iterable[tuple[str, str | None, str | None]]) -> None:
        counted: dict[tuple[str | None, str], Counter[tuple[str, str | None]]] = defaultdict(Counter)
        for word, language, type in written:
            counted[type, fold(word)][word, language] += 1
        plain = {key: {language for _, language in forms} - INFLECTING - {None} for key, forms in counted.items()}
        self._form: dict[tuple[str | None, str], str] = {}
        standing: dict[tuple[str | None, str], list[_CommonForm]] = defaultdict(list)
        for key in sorted(counted, key=lambda key: (not plain[key], -counted[key].total(), key[1])):
            one = _CommonForm(max(counted[key], key=lambda form: (counted[key][form], form[0]))[0], plain[key])
            for word, language in counted[key]:
                one.heard |= {heard(stem) for stem in stems(word, language)}
                one.spelt |= {transliteration(stem) for stem in stems(word, language)}
                one.keys |= {(key[0], skeleton(stem)) for stem in stems(word, language)}
            near = {id(other): other for at in one.keys for other in standing[at]}.values()
            best = max(near, key=one.likeness, default=None)
            if best is None or one.likeness(best) < ALIKE:
                best = one
                for at in one.keys:
                    standing[at].append(one)
            self._form[key] = best.form

    def whole(self, name: str, type: str | None, language: str | None) -> str:
        """A name with each word in its common form."""
        place = place_named(name, language) if type == "place" else ""
        parts = (self._form.get((type, fold(part)), part) if may_vary(part) else part for part in _APART.split(name))
        return place or "".join(parts)


@dataclass(slots=True)
class _CommonForm:
    """A word that is the common form of others."""

    form: str
    plain: set[str | None]
    """The languages without cases that it is of."""
    heard: set[str] = field(default_factory=set)
    spelt: set[str] = field(default_factory=set)
    keys: set[tuple[str | None, str]] = field(default_factory=set)

    def likeness(self, other: _CommonForm) -> float:
        if self.plain & other.plain:
            return 0.0
        if self.spelt & other.spelt:
            return 1.0
        return max(JaroWinkler.similarity(a, b) for a in self.heard for b in other.heard)
