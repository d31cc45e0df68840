"""Which of many names can be one entity's: found by what the rules compare, never pair by pair.

Every pair that is looked up is asked of the rule (`people.py`, `others.py`), so that the two cannot differ on it; what
is not looked up shares nothing that the rule compares.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import JaroWinkler
from rapidfuzz.process import cdist

from crossdoc.names.grades import Grade
from crossdoc.names.others import (
    SHORTEST_SIMILAR,
    abbreviations,
    place_code,
    plain_name,
    relate_others,
    relate_places,
    short_for,
    telling_words,
)
from crossdoc.names.people import PersonName, compare_people, namesakes, parse_person, relate_surnames, with_particle
from crossdoc.names.words import (
    SAME_SPELLING,
    first_names,
    formal_first_names,
    relate_first_names,
    sound,
    with_one_letter_less,
)

ROWS_AT_ONCE = 1_000

Codes = npt.NDArray[np.int64]
Grades = npt.NDArray[np.int8]
Scores = npt.NDArray[np.float32]
Surname = tuple[str, tuple[str, ...]]
ByFirst = dict[str, list[int]]


class Agreeing(NamedTuple):
    """Pairs of names by their numbers a ≤ b, as sorted codes a·n + b; what is not listed is a clash."""

    n: int
    code: Codes
    grade: Grades
    """People told apart by a title, a generation or a middle name alone are listed too, as a clash."""
    score: Scores
    """How far the names of two people agree; 0 of others."""

    def of(self, pairs: npt.NDArray[Any]) -> tuple[Grades, Scores]:
        """Grade and score of pairs of numbers.

        >>> grade, score = agreeing(["Al Gore", "Tipper Gore", "Gore"], "person").of(np.array([[0, 1], [2, 0], [1, 1]]))
        >>> grade.tolist(), score.astype(float).round(2).tolist()
        ([0, 2, 4], [0.0, 0.35, 0.9])
        """
        at, listed = self._places(pairs)
        return np.where(listed, self.grade[at], np.int8(0)), np.where(listed, self.score[at], np.float32(0))

    def told_apart(self, pairs: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether nothing but a title, a generation or a middle name tells the people of each pair apart."""
        at, listed = self._places(pairs)
        return listed & (self.grade[at] == Grade.CLASH)

    def _places(self, pairs: npt.NDArray[Any]) -> tuple[Codes, npt.NDArray[np.bool_]]:
        if not len(pairs):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
        left, right = np.sort(pairs, axis=1).astype(np.int64).T
        asked = left * self.n + right
        at = np.minimum(np.searchsorted(self.code, asked), len(self.code) - 1)
        return at, self.code[at] == asked

    def pairs(self) -> npt.NDArray[np.int32]:
        """The pairs that agree, each name with itself among them."""
        return np.column_stack(np.divmod(self.code[self.grade > 0], max(self.n, 1))).astype(np.int32)


def agreeing(names: Sequence[str], entity_type: str | None) -> Agreeing:
    """All pairs of names that can be one entity's, each with its grade; without a type, people's.

    >>> found = agreeing(["Bill Clinton", "Hillary Clinton", "William J. Clinton"], "person")
    >>> found.pairs().tolist()
    [[0, 0], [0, 2], [1, 1], [2, 2]]
    """
    return _people(tuple(names)) if entity_type in ("person", None) else _others(tuple(names), entity_type)


def agreeing_names(names: Sequence[str], entity_type: str | None) -> Codes:
    """All ordered pairs of names that agree, as sorted codes a·n + b, each name with itself included.

    >>> agreeing_names(["Bill Clinton", "Hillary Clinton", "William J. Clinton"], "person").tolist()
    [0, 2, 4, 6, 8]
    """
    n = len(names)
    a, b = agreeing(names, entity_type).pairs().astype(np.int64).T
    return np.unique(np.concatenate([np.arange(n) * (n + 1), a * n + b, b * n + a]))


class _Found:
    """Pairs as they are found, some of them twice."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.code, self.grade, self.score = array("q"), array("b"), array("f")

    def add(self, a: int, b: int, grade: Grade, score: float) -> None:
        self.code.append(a * self.n + b if a < b else b * self.n + a)
        self.grade.append(grade)
        self.score.append(score)

    def agreeing(self) -> Agreeing:
        code, first = np.unique(np.array(self.code, dtype=np.int64), return_index=True)
        grade, score = np.array(self.grade, dtype=np.int8), np.array(self.score, dtype=np.float32)
        return Agreeing(self.n, code, grade[first], score[first])


# Organisations and places


@lru_cache(maxsize=4)
def _others(names: tuple[str, ...], entity_type: str) -> Agreeing:
    """Looked up by the words, the first or last of them, their spelling, the letters they come down to, the place."""
    related = relate_places if entity_type == "place" else relate_others
    words = [telling_words(name) for name in names]
    by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
    by_key: dict[tuple[str, str], list[int]] = defaultdict(list)
    keys: list[set[tuple[str, str]]] = []
    for number, (name, own) in enumerate(zip(names, words, strict=True)):
        by_words[own].append(number)
        held = {("plain", "".join(own)), ("plain", plain_name(name))}
        held |= {("letters", letters) for letters in abbreviations(name) | {short_for(name)} if letters}
        if entity_type == "place" and (code := place_code(name)):
            held.add(("place", code))
        if len(plain_name(name)) >= SHORTEST_SIMILAR:
            held |= {("spelling", letters) for letters in with_one_letter_less(plain_name(name))}
        keys.append(held)
        for key in held:
            by_key[key].append(number)
    found = _Found(len(names))
    for number, (name, own) in enumerate(zip(names, words, strict=True)):
        partners = {partner for key in keys[number] for partner in by_key[key]}
        for length in range(1, len(own) + 1):
            partners.update(by_words.get(own[:length], ()))
            partners.update(by_words.get(own[-length:], ()))
        for partner in partners:
            grade = related(name, names[partner])
            if grade or partner == number:
                found.add(number, partner, grade, 0.0)
    return found.agreeing()


# People


@lru_cache(maxsize=4)
def _people(names: tuple[str, ...]) -> Agreeing:
    """Looked up by surnames that relate, then by first names that do; and by whatever else may stand for either."""
    parsed = [parse_person(name) for name in names]
    lookup = _Lookup(parsed)
    found = _Found(len(names))
    for a, b in lookup.namesakes():
        found.add(a, b, *compare_people(parsed[a], parsed[b]))
    for a, b in lookup.turned():
        grade, score = compare_people(parsed[a], parsed[b])
        if grade or namesakes(parsed[a], parsed[b]):
            found.add(a, b, grade, score)
    return found.agreeing()


class _Lookup:
    """Numbers of people by the parts of their names."""

    def __init__(self, parsed: list[PersonName]) -> None:
        self.parsed = parsed
        self.by_surname: dict[Surname, ByFirst] = defaultdict(lambda: defaultdict(list))
        self.by_last: dict[str, ByFirst] = defaultdict(lambda: defaultdict(list))
        self.by_first: ByFirst = defaultdict(list)
        self.by_given: dict[str, dict[tuple[str, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, name in enumerate(parsed):
            first = name.given[0] if name.given else ""
            self.by_surname[name.last, name.pieces][first].append(number)
            self.by_last[name.last][first].append(number)
            self.by_given["".join(name.given)][name.given].append(number)
            for word in {first, name.first}:
                self.by_first[word].append(number)
        firsts = {name.given[0] for name in parsed if name.given}
        self.firsts = _partners(_alike_first_names(firsts), firsts)
        one_of_each = {(name.last, name.pieces): name for name in parsed}
        self.surnames = _partners(_alike_surnames(one_of_each), one_of_each)

    def namesakes(self) -> Iterator[tuple[int, int]]:
        """Each pair whose surnames relate, and first names as far as both are known, once."""
        for surname, others in self.surnames.items():
            for first, numbers in self.by_surname[surname].items():
                for other in others:
                    partners = list(self._of_first(self.by_surname[other], first))
                    yield from ((a, b) for a in numbers for b in partners if a <= b)

    def _of_first(self, near: ByFirst, first: str) -> Iterator[int]:
        for name in near if not first else near.keys() & (self.firsts[first] | {""}):
            yield from near[name]

    def turned(self) -> Iterator[tuple[int, int]]:
        """Pairs that may agree otherwise: words joined or parted, in another order, or standing for other ones."""
        for respaced in self.by_given.values():
            for x, y in combinations(respaced.values(), 2):
                yield from ((a, b) for a in x for b in y)
        called = self._called()
        for number, name in enumerate(self.parsed):
            if not name.given:
                partners = [] if name.title else self.by_first.get(name.last, [])
            else:
                partners = [*self._surname_elsewhere(name)]
                for surname in self.surnames[name.last, name.pieces]:
                    partners += called.get((name.given[0], surname), [])
            yield from ((number, partner) for partner in partners)

    def _surname_elsewhere(self, name: PersonName) -> Iterator[int]:
        """The surname first, in the middle, or one with the word before it."""
        first, rest = name.given[0], name.given[1:]
        if first in self.by_last:
            for given, numbers in self.by_given.get("".join(rest) + name.last, {}).items():
                if given:
                    yield from numbers
            yield from self.by_last[first].get(name.last, ())
        if rest and rest[-1] in self.by_last:
            yield from self._of_first(self.by_last[rest[-1]], first)
            for numbers in self.by_given.get("".join(name.given[:-1]), {}).values():
                yield from (b for b in numbers if self.parsed[b].last == rest[-1])
        if with_particle(name) in self.by_last:
            yield from (b for numbers in self.by_last[with_particle(name)].values() for b in numbers)

    def _called(self) -> dict[tuple[str, Surname], list[int]]:
        """By a middle name that people may go by, or the first half of their surname."""
        found: dict[tuple[str, Surname], list[int]] = defaultdict(list)
        for number, name in enumerate(self.parsed):
            if len(name.given) > 1:
                half = {name.given[-1]} - first_names().keys()
                for word in half | ({name.given[1]} if len(name.given[0]) == 1 else set()):
                    found[word, (name.last, name.pieces)].append(number)
        return found


def _partners(pairs: Iterable[tuple[Any, Any]], of: Iterable[Any]) -> dict[Any, set[Any]]:
    """The partners of each, itself among them."""
    found = {each: {each} for each in of}
    for a, b in pairs:
        found[a].add(b)
        found[b].add(a)
    return found


def _alike_surnames(names: dict[Surname, PersonName]) -> Iterator[tuple[Surname, Surname]]:
    """By the whole, the sound or a part."""
    groups: dict[tuple[str, str], list[Surname]] = defaultdict(list)
    for surname in names:
        last, pieces = surname
        groups["last", last].append(surname)
        groups["sound", sound(last)].append(surname)
        for piece in set(pieces):
            groups["piece", piece].append(surname)
    for group in groups.values():
        yield from (pair for pair in combinations(group, 2) if relate_surnames(names[pair[0]], names[pair[1]]))


def _alike_first_names(firsts: set[str]) -> set[tuple[str, str]]:
    """By an initial, a nickname, the sound or the spelling."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for first in firsts:
        groups["letter", first[0]].append(first)
        groups["sound", sound(first)].append(first)
        for formal in formal_first_names(first):
            groups["formal", formal].append(first)
    pairs: set[tuple[str, str]] = set()
    for (kind, letter), group in groups.items():
        if kind != "letter":
            pairs.update(combinations(group, 2))
            continue
        if letter in firsts:
            pairs.update((letter, first) for first in group)
        for at in range(0, len(group), ROWS_AT_ONCE):
            some = group[at : at + ROWS_AT_ONCE]
            alike = cdist(some, group, scorer=JaroWinkler.similarity, score_cutoff=SAME_SPELLING, dtype=np.float64)
            pairs.update((some[a], group[b]) for a, b in np.argwhere(alike >= SAME_SPELLING).tolist())
    return {pair for pair in pairs if relate_first_names(*pair)}
