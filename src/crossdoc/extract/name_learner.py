"""Names of people and places learned from the collection itself, for languages without a tagger.

Each capitalised word has counts of the words before and after it (an article, a title, "bei", "in", a mark …). Words
are a mixture of people's names, places and ordinary nouns. Shares of contexts and of endings in each class are
estimated on the collection by EM. First names, the gazetteer and words that occur in small letters say where to begin.
A language adds its frames as words of its pack; one without a pack has marks, capitals and endings alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

from crossdoc.extract.gender import is_first_name
from crossdoc.extract.name_surroundings import is_title
from crossdoc.lang import DEFAULT, pack
from crossdoc.names import fold
from crossdoc.names.gazetteer import find_place

if TYPE_CHECKING:
    from spacy.tokens import Doc

Floats = npt.NDArray[np.float64]
PERSON, PLACE, NOUN = range(3)
BEFORE = ("article", "title", "person", "place", "word", "capital", "mark", "list", "inflected")
"""Kinds of words before a name; `person` and `place` are prepositions that mostly have such names after them."""
AFTER = ("capital", "word", "list", "mark", "other")
SHIPPED = np.array(
    [
        [0.04, 0.10, 0.32, 0.02, 0.14, 0.14, 0.14, 0.08, 0.02],
        [0.06, 0.01, 0.12, 0.40, 0.10, 0.09, 0.12, 0.05, 0.05],
        [0.35, 0.005, 0.08, 0.05, 0.11, 0.07, 0.12, 0.04, 0.175],
    ]
)
"""Share of what stands before (columns of `BEFORE`), for people, places and nouns: where EM begins. Set on two years of
a German diary."""
ALIKE, ROUNDS = np.full(len(SHIPPED), 8.0), 15
"""Occurrences by which words of a class are alike, and rounds of EM."""
SHRINKAGE = 50.0
"""Words. The shipped shares count as much as this many words of the collection. Set by hand."""
LIKELY = 0.5
"""Probability. A word above it is a name."""
_TOKEN = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)*\.?|\d+|[^\w\s]|\n")
_GENITIVE = re.compile(r"[’']?s?$")
_INFLECTED = re.compile(r"(?:e|er|en|em|es)$")
_MARKS = frozenset(".!?:\n―–—-“„”«»()")
_LIST = frozenset(",;")


@cache
def _kinds_of_words(language: str) -> dict[str, str]:
    known = pack(language).function_words
    return {
        **dict.fromkeys(known.where | known.before_places, "place"),
        **dict.fromkeys(known.and_ | known.before_people, "person"),
        **dict.fromkeys(known.articles | known.determiners, "article"),
    }


def _before(word: str, language: str) -> str:
    if word in _MARKS:
        return "mark"
    if word in _LIST:
        return "list"
    plain = word.rstrip(".")
    if is_title(plain, language):
        return "title"
    kind = _kinds_of_words(language).get(plain.lower())
    if kind is not None:
        return kind
    if word[:1].isupper():
        return "capital"
    return "inflected" if _INFLECTED.search(plain) and pack(language).function_words.determiners else "word"


def _after(word: str) -> str:
    if word[:1].isupper():
        return "capital"
    return "word" if word[:1].islower() else "list" if word in _LIST else "mark" if word in _MARKS else "other"


class NameLearner:
    """Counts of the capitalised words of one language, and what they are."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.counts: dict[str, Counter[str]] = {}
        self.small: Counter[str] = Counter()

    def add(self, text: str) -> None:
        words, frames = ["\n", *_TOKEN.findall(text), "\n"], _kinds_of_words(self.language)
        for i in range(1, len(words) - 1):
            word = words[i]
            plain = word.rstrip(".")
            if word[:1].isupper() and len(plain) > 1 and plain.lower() not in frames:
                own = self.counts.setdefault(plain, Counter())
                own[f"before {_before(words[i - 1], self.language)}"] += 1
                own[f"after {_after(words[i + 1])}"] += 1
            elif word.islower():
                self.small[plain] += 1

    def __add__(self, other: NameLearner) -> NameLearner:
        both = NameLearner(self.language)
        both.small = self.small + other.small
        for word, own in [*self.counts.items(), *other.counts.items()]:
            both.counts.setdefault(word, Counter()).update(own)
        return both

    @cached_property
    def types(self) -> dict[str, str]:
        """The words that are names of people or of places."""
        words = sorted(self.counts)
        if not words:
            return {}
        belongs = self._estimated(words)
        named = zip(words, belongs.tolist(), strict=True)
        return {
            word: "person" if person >= place else "place"
            for word, (person, place, _) in named
            if person + place > LIKELY
        }

    def _estimated(self, words: list[str]) -> Floats:
        """The probability of each class for each word, by EM."""
        before, after = (
            np.array([[self.counts[word][f"{side} {kind}"] for kind in kinds] for word in words], dtype=float)
            for side, kinds in (("before", BEFORE), ("after", AFTER))
        )
        start = np.array([self._start(word) for word in words])
        endings = _Endings(words)
        shares, later = SHIPPED, np.full((len(SHIPPED), len(AFTER)), 1 / len(AFTER))
        prior = np.log([0.25, 0.05, 0.7])
        ending = np.zeros_like(start)
        belongs = np.zeros_like(start)
        for _ in range(ROUNDS):
            near = log_likelihoods(before, shares, ALIKE) + 0.5 * log_likelihoods(after, later, ALIKE)
            odds = near + start + ending + prior
            belongs = np.exp(odds - logsumexp(odds, axis=1, keepdims=True))
            shares = updated_shares(before, belongs, shares, SHIPPED, ALIKE)
            later = updated_shares(after, belongs, later, later, ALIKE)
            ending = endings.odds(belongs)
            prior = np.log((belongs.sum(axis=0) + 1) / (belongs.sum() + len(SHIPPED)))
        return belongs

    def _start(self, word: str) -> tuple[float, float, float]:
        """Log weights of the classes before anything is learned; hand-set and outweighed by a dozen occurrences."""
        plain = _GENITIVE.sub("", word)
        person = place = noun = 0.0
        if is_first_name(word, DEFAULT) or is_first_name(plain, DEFAULT):
            person, noun = 3.0, -1.0
        if find_place(word):
            place, noun = 2.5, -1.0
        if small := self.small[word.lower()]:
            often = 2 * small > sum(self.counts[word].values())
            person, place = person - 2.5, place - 2.5 - 2.5 * often
            noun += 2.5 * often
        if f"{word}s" in self.counts or (word.endswith("s") and word[:-1] in self.counts):
            person += 1.0
        if fold(word) in pack(self.language).name_words.not_names:
            noun += 10.0
        return person, place, noun

    def names(self, doc: Doc) -> Iterator[tuple[int, int, str]]:
        """Runs of tokens that are names, with their types; initials belong to people."""
        for kind, run in groupby(range(len(doc)), lambda i: self._type(doc, i)):
            tokens = list(run)
            if kind:
                yield tokens[0], tokens[-1] + 1, kind

    def _type(self, doc: Doc, i: int) -> str:
        word = doc[i].text
        if not word[:1].isupper():
            return ""
        if len(word) == 2 and word[1] == "." and i + 1 < len(doc):
            return "person"
        plain = word.rstrip(".")
        return "" if is_title(plain, doc.lang_) else self.types.get(plain, "")


class _Endings:
    """The last two and three letters of words, and what they say about each class."""

    def __init__(self, words: Iterable[str]) -> None:
        cut = [re.sub(r"[’']s$", "", word).lower() for word in words]
        number: dict[str, int] = {}
        self.rows = np.array([[number.setdefault(word[-size:], len(number)) for size in (3, 2)] for word in cut])
        counted = np.bincount(self.rows.ravel(), minlength=len(number)).astype(float)
        self.usual = counted / counted.sum()

    def odds(self, belongs: Floats) -> Floats:
        """Mean log ratio of the share of a word's endings in each class to that among all words."""
        found = np.empty_like(belongs)
        for number, own in enumerate(belongs.T):
            weights = np.repeat(own, self.rows.shape[1])
            counted = np.bincount(self.rows.ravel(), weights, minlength=len(self.usual))
            share = (counted + SHRINKAGE * self.usual) / (counted.sum() + SHRINKAGE)
            found[:, number] = np.log(share[self.rows] / self.usual[self.rows]).mean(axis=1)
        return found


def log_likelihoods(counts: Floats, shares: Floats, concentration: Floats) -> Floats:
    """Log likelihood of each word's counts in each class: Dirichlet-multinomial."""
    alpha = shares * concentration[:, None]
    cells = (gammaln(counts[:, None, :] + alpha) - gammaln(alpha)).sum(axis=2)
    found: Floats = cells + gammaln(concentration) - gammaln(counts.sum(axis=1)[:, None] + concentration)
    return found


def updated_shares(counts: Floats, belongs: Floats, shares: Floats, shipped: Floats, concentration: Floats) -> Floats:
    """The shares of each class after one round of EM, shrunk towards the shipped ones."""
    alpha = shares * concentration[:, None]
    found = np.empty_like(shares)
    for number, own in enumerate(belongs.T):
        means = (counts + alpha[number]) / (counts.sum(axis=1) + concentration[number])[:, None]
        found[number] = (own @ means + SHRINKAGE * shipped[number]) / (own.sum() + SHRINKAGE)
    return found
