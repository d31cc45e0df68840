"""Which of many names can be one entity's, found by what the rules compare, never pair by pair; and the keys of names.

Every pair that is looked up is asked of the rule (`people.py`, `others.py`), so that the two cannot differ on it; what
is not looked up shares nothing that the rule compares.

Keys are for names that are kept: names that agree have a key in common, one kept under a key by which the other asks.
Names with a common key need not agree, so that what is found is asked of the rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import JaroWinkler, Levenshtein
from rapidfuzz.process import cdist

from crossdoc.names.others import (
    abbreviations,
    place_code,
    plain_name,
    relate_others,
    relate_places,
    short_for,
    telling_words,
)
from crossdoc.names.people import PersonName, compare_people, parse_person, relate_surnames, with_particle
from crossdoc.names.words import (
    LONGEST_SIMILAR,
    SAME_SPELLING,
    SHORTEST_MISREAD,
    SHORTEST_SIMILAR,
    Grade,
    first_letters,
    first_names,
    formal_first_names,
    one_form,
    relate_first_names,
    sound,
    thirds,
    thirds_near,
    transliteration,
    with_one_letter_less,
)

ROWS_AT_ONCE = 1_000

Codes = npt.NDArray[np.int64]
Grades = npt.NDArray[np.int8]
Scores = npt.NDArray[np.float32]
Surname = tuple[str, tuple[str, ...]]
ByFirst = dict[str, list[int]]


class Agreeing(NamedTuple):
    """Pairs of names by their numbers a ≤ b, as sorted codes a·n + b; what is not listed is a clash.

    Listed as clashes are people whom nothing but a title, a generation or a middle name tells apart.
    """

    n: int
    code: Codes
    grade: Grades
    score: Scores
    """How far the names of two people agree; 0 of others."""

    def of(self, pairs: npt.NDArray[Any]) -> tuple[Grades, Scores]:
        """Grade and score of pairs of numbers.

        >>> grade, score = agreeing(["Al Gore", "Tipper Gore", "Gore"], "person").of(np.array([[0, 1], [2, 0], [1, 1]]))
        >>> grade.tolist(), score.astype(float).round(2).tolist()
        ([0, 2, 4], [0.0, 0.35, 0.9])
        """
        at, listed = self.places(pairs)
        return np.where(listed, self.grade[at], np.int8(0)), np.where(listed, self.score[at], np.float32(0))

    def told_apart(self, pairs: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether nothing but a title, a generation or a middle name tells the people of each pair apart."""
        at, listed = self.places(pairs)
        return listed & (self.grade[at] == Grade.CLASH)

    def places(self, pairs: npt.NDArray[Any]) -> tuple[Codes, npt.NDArray[np.bool_]]:
        """The places of pairs in the list, and whether they are in it."""
        left, right = np.sort(pairs.reshape(-1, 2), axis=1).astype(np.int64).T
        if not len(self.code):
            return np.zeros(len(left), dtype=np.int64), np.zeros(len(left), dtype=bool)
        at = np.minimum(np.searchsorted(self.code, left * self.n + right), len(self.code) - 1)
        return at, self.code[at] == left * self.n + right

    def pairs(self) -> npt.NDArray[np.int32]:
        """The pairs that agree, each name with itself among them."""
        return np.column_stack(np.divmod(self.code[self.grade > 0], max(self.n, 1))).astype(np.int32)


def agreeing(names: Sequence[str], entity_type: str | None, asked: Iterable[int] | None = None) -> Agreeing:
    """All pairs of names that can be one entity's, each with its grade; without a type, people's.

    With numbers of names that are `asked` for, their pairs alone.

    >>> names = ["Bill Clinton", "Hillary Clinton", "William J. Clinton"]
    >>> agreeing(names, "person").pairs().tolist()
    [[0, 0], [0, 2], [1, 1], [2, 2]]
    >>> agreeing(names, "person", [2]).pairs().tolist()
    [[0, 2], [2, 2]]
    """
    kind = None if entity_type == "person" else entity_type
    return _looked_up(tuple(names), kind, None if asked is None else frozenset(asked))


def agreeing_names(names: Sequence[str], entity_type: str | None) -> Codes:
    """All ordered pairs of names that agree, as sorted codes a·n + b, each name with itself included.

    >>> agreeing_names(["Bill Clinton", "Hillary Clinton", "William J. Clinton"], "person").tolist()
    [0, 2, 4, 6, 8]
    """
    n = len(names)
    a, b = agreeing(names, entity_type).pairs().astype(np.int64).T
    return np.unique(np.concatenate([np.arange(n) * (n + 1), a * n + b, b * n + a]))


@lru_cache(maxsize=8)
def _looked_up(names: tuple[str, ...], entity_type: str | None, asked: frozenset[int] | None) -> Agreeing:
    """Look up pairs; people have no type."""
    found = _related_others(names, entity_type, asked) if entity_type is not None else _related_people(names, asked)
    rows = ((a * len(names) + b if a < b else b * len(names) + a, grade, score) for a, b, grade, score in found)
    # A pair may be found twice.
    pairs = np.fromiter(rows, dtype=[("code", np.int64), ("grade", np.int8), ("score", np.float32)])
    pairs = pairs[np.unique(pairs["code"], return_index=True)[1]]
    return Agreeing(len(names), pairs["code"].copy(), pairs["grade"].copy(), pairs["score"].copy())


# Organisations and places


def _related_others(
    names: tuple[str, ...], entity_type: str, asked: frozenset[int] | None
) -> Iterator[tuple[int, int, int, float]]:
    """Look up by the words, the first or last of them, and the keys of names that are kept."""
    related = relate_places if entity_type == "place" else relate_others
    words, plain = [telling_words(name) for name in names], [plain_name(name) for name in names]
    by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
    by_key: dict[str, list[int]] = defaultdict(list)
    same, spelt = [_exact_keys(name, entity_type) for name in names], [_spelling_keys(letters) for letters in plain]
    for number, own in enumerate(words):
        by_words[own].append(number)
        for key in same[number] | spelt[number].kept:
            by_key[key].append(number)
    for number, own in enumerate(words):
        partners = {number, *chain.from_iterable(by_key[key] for key in same[number])}
        for length in range(1, len(own) + 1):
            partners.update(by_words.get(own[:length], ()), by_words.get(own[-length:], ()))
        near = set(chain.from_iterable(by_key.get(key, ()) for key in spelt[number].asked)) - partners
        partners |= {other for other in near if Levenshtein.distance(plain[number], plain[other], score_cutoff=2) <= 2}
        for partner in partners if asked is None or number in asked else partners & asked:
            grade = related(names[number], names[partner])
            if grade or partner == number:
                yield number, partner, grade, 0.0


# People


def _related_people(names: tuple[str, ...], asked: frozenset[int] | None) -> Iterator[tuple[int, int, int, float]]:
    """Look up by surnames that relate, then by first names that do; and by whatever else may stand for either."""
    lookup = _Lookup([parse_person(name) for name in names])
    for a, b in chain(lookup.in_order(asked), lookup.turned()):
        if asked is None or a in asked or b in asked:
            grade, score = compare_people(lookup.parsed[a], lookup.parsed[b])
            if grade or lookup.namesakes(a, b):
                yield a, b, grade, score


class _Lookup:
    """Numbers of people by the parts of their names."""

    def __init__(self, parsed: list[PersonName]) -> None:
        self.parsed = parsed
        self.by_surname: dict[Surname, ByFirst] = defaultdict(lambda: defaultdict(list))
        self.by_last: dict[str, ByFirst] = defaultdict(lambda: defaultdict(list))
        self.by_word: ByFirst = defaultdict(list)
        """By what may be alone: the first name, a nickname, the first of two surnames."""
        self.by_given: dict[str, dict[tuple[str, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, name in enumerate(parsed):
            first = name.given[0] if name.given else ""
            self.by_surname[name.last, name.pieces][first].append(number)
            self.by_last[name.last][first].append(number)
            self.by_given["".join(name.given)][name.given].append(number)
            for word in {first, name.first, name.called, *name.given[-1:]} - {""}:
                self.by_word[word].append(number)
        words = {word for name in parsed for word in (*name.given[:1], name.called)} | {""}
        self.words = _partners(_alike_first_names(words - {""}), words)
        self.by_spelling: dict[str, list[str]] = defaultdict(list)
        for last in self.by_last if any(map(with_particle, parsed)) else ():
            for key in _spellings(last):
                self.by_spelling[key].append(last)
        one_of_each = {(name.last, name.pieces): name for name in parsed}
        self.surnames = _partners(_alike_surnames(one_of_each), one_of_each)

    def namesakes(self, a: int, b: int) -> bool:
        """Whether surnames relate, and first names as far as both are known."""
        x, y = self.parsed[a], self.parsed[b]
        if (y.last, y.pieces) not in self.surnames[x.last, x.pieces]:
            return False
        known = x.given and y.given
        return not known or y.given[0] in self.words[x.given[0]] or "".join(x.given) == "".join(y.given)

    def in_order(self, asked: frozenset[int] | None) -> Iterator[tuple[int, int]]:
        """Each pair (of those asked for) of namesakes by surname and first name, once."""
        for surname, others in self.surnames.items():
            for first, all_numbers in self.by_surname[surname].items():
                numbers = all_numbers if asked is None else [a for a in all_numbers if a in asked]
                partners = [
                    number
                    for other in (others if numbers else ())
                    for group in self._related(self.by_surname[other], first)
                    for number in group
                ]
                yield from ((a, b) for a in numbers for b in partners if a <= b or (asked and b not in asked))

    def _related(self, near: dict[str, Any], word: str) -> Iterator[Any]:
        """The values of all words that relate to one, and of no word."""
        yield from (near[other] for other in (near.keys() & (self.words[word] | {""}) if word else near))

    def turned(self) -> Iterator[tuple[int, int]]:
        """Pairs that may agree otherwise: words joined or parted, in another order, or standing for other ones."""
        for respaced in self.by_given.values():
            for x, y in combinations(respaced.values(), 2):
                yield from ((a, b) for a in x for b in y)
        called = self._called()
        for number, name in enumerate(self.parsed):
            if not name.given:
                partners = self.by_word.get(name.last, [])
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
            yield from chain.from_iterable(self._related(self.by_last[rest[-1]], first))
            for numbers in self.by_given.get("".join(name.given[:-1]), {}).values():
                yield from (b for b in numbers if self.parsed[b].last == rest[-1])
        if whole := with_particle(name):
            for last in {last for key in _spellings(whole) for last in self.by_spelling.get(key, ())}:
                yield from (b for numbers in self.by_last[last].values() for b in numbers)

    def _called(self) -> dict[tuple[str, Surname], list[int]]:
        """By a nickname or a middle name that people may go by, or the first half of their surname."""
        found: dict[tuple[str, Surname], list[int]] = defaultdict(list)
        for number, name in enumerate(self.parsed):
            words = set(self.words[name.called]) if name.called else set()
            if len(name.given) > 1:
                words |= {name.given[-1]} if name.given[-1] not in first_names() else set()
                words |= {name.given[1]} if len(name.given[0]) == 1 else set()
            for word in words:
                found[word, (name.last, name.pieces)].append(number)
        return found


def _partners(pairs: Iterable[tuple[Any, Any]], of: Iterable[Any]) -> dict[Any, set[Any]]:
    """The partners of each, itself among them."""
    found = {each: {each} for each in of}
    for a, b in pairs:
        found[a].add(b)
        found[b].add(a)
    return found


def _spellings(word: str) -> set[str]:
    """Keys of which surnames that relate by their spelling have one in common."""
    if len(word) < SHORTEST_SIMILAR:
        return {word}
    return with_one_letter_less(word) | {f"={transliteration(word)}"}


def _alike_surnames(names: dict[Surname, PersonName]) -> Iterator[tuple[Surname, Surname]]:
    """Looked up by all of it, its spelling or a part."""
    groups: dict[str, list[Surname]] = defaultdict(list)
    for surname in names:
        last, pieces = surname
        for key in {f".{last}", *_spellings(last), *_spellings("".join(pieces)), *(f"-{piece}" for piece in pieces)}:
            groups[key].append(surname)
    for group in groups.values():
        if len(group) > 1:
            yield from (pair for pair in combinations(group, 2) if relate_surnames(names[pair[0]], names[pair[1]]))


def _alike_first_names(firsts: set[str]) -> set[tuple[str, str]]:
    """By an initial, a nickname, another form, the sound or the spelling."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    pairs: set[tuple[str, str]] = set()
    for first in firsts:
        groups["letter", first[0]].append(first)
        groups["sound", sound(first)].append(first)
        groups["form", one_form(first)].append(first)
        for formal in formal_first_names(first):
            groups["formal", formal].append(first)
        pairs.update((letter, first) for letter in first_letters(first) & firsts)
    for (kind, _), group in groups.items():
        if kind != "letter":
            pairs.update(combinations(group, 2))
            continue
        for at in range(0, len(group), ROWS_AT_ONCE):
            some = group[at : at + ROWS_AT_ONCE]
            alike = cdist(some, group, scorer=JaroWinkler.similarity, score_cutoff=SAME_SPELLING, dtype=np.float64)
            pairs.update((some[a], group[b]) for a, b in np.argwhere(alike >= SAME_SPELLING).tolist())
    return {pair for pair in pairs if relate_first_names(*pair)}


# Keys of names that are kept


class Keys(NamedTuple):
    """Keys under which a name is kept, and keys by which it asks."""

    kept: set[str]
    asked: set[str]


def lookup_keys(name: str, entity_type: str | None) -> Keys:
    """The keys of a name; without a type, of a person's.

    >>> found, bare = lookup_keys("Ronald Reagan", "person"), lookup_keys("Reagn", "person")
    >>> sorted(found.kept & lookup_keys("Ronald", "person").asked), bool(found.kept & lookup_keys("Lee", None).asked)
    (['+ronald'], False)
    """
    return _person(name) if entity_type in ("person", None, "") else _other(name, entity_type)


def bearing_on(names: Iterable[str], entity_type: str, like: Callable[[Set[str]], Mapping[str, int]]) -> dict[str, int]:
    """The names of organisations or places that decide the prior of these, with their counts.

    They agree with them, or with others of their words or spelling, since the prior of a short name depends on the
    names it is a part of; all spellings are included, since it matters which are usual. `like` returns the counts of
    names that are kept under one of the keys.
    """
    own = set(names)
    found = dict(like(asked_keys(own, entity_type)))
    if equals := equal_names(found, own) - own:
        found |= like(asked_keys(equals, entity_type))
    found |= like({f".{plain_name(name)}" for name in found})
    return {name: found[name] for name in sorted(found)}


def equal_names(names: Iterable[str], own: Iterable[str]) -> set[str]:
    """Names of organisations or places that have the words or the plain form of some."""
    words, plain = {telling_words(name) for name in own}, {plain_name(name) for name in own}
    return {name for name in names if telling_words(name) in words or plain_name(name) in plain}


class Index:
    """Names by the keys under which they are kept, with their counts.

    >>> index = Index([("Bo Kim", "+bo .kim", 2), ("Al Kim", "+al .kim", 1), ("Al", ".al", 1)])
    >>> index.like({".kim", "+bo"}), index.like({"kim"})
    ({'Bo Kim': 2, 'Al Kim': 1}, {})
    """

    def __init__(self, kept: Iterable[tuple[str, str, int]]) -> None:
        self._often: dict[str, int] = {}
        self._by_key: dict[str, list[str]] = defaultdict(list)
        for name, keys, n in kept:
            self._often[name] = n
            for key in keys.split(" "):
                self._by_key[key].append(name)

    def like(self, keys: Set[str]) -> dict[str, int]:
        """The names that are kept under one of the keys."""
        found = {name for key in keys & self._by_key.keys() for name in self._by_key[key]}
        return {name: n for name, n in self._often.items() if name in found}


def asked_keys(names: Iterable[str], entity_type: str) -> set[str]:
    """By which keys the names ask for others."""
    return {key for name in names for key in lookup_keys(name, entity_type).asked}


def _person(name: str) -> Keys:
    """By surnames that relate; by a word of one that is the surname of the other."""
    parsed = parse_person(name)
    if not parsed.last:
        return Keys(set(), set())
    lasts = {parsed.last, "".join(parsed.pieces), with_particle(parsed)} - {""}
    words = {parsed.first, parsed.called, *parsed.given} - {""}
    surname = {f".{last}" for last in lasts} | {f"-{piece}" for piece in parsed.pieces}
    surname |= {f"={transliteration(last)}" for last in lasts if len(last) >= SHORTEST_SIMILAR}
    return Keys(
        surname | {f"+{word}" for word in words} | {key for last in lasts for key in _halves(last)},
        surname
        | {f".{word}" for word in words}
        | {f"+{parsed.last}"}
        | {key for last in lasts for key in _halves(last, 1)},
    )


def _other(name: str, entity_type: str) -> Keys:
    """By the first and the last word, the letters that they come down to, their spelling, a third of it, the place."""
    words = telling_words(name)
    if not words:
        return Keys(set(), set())
    keys = {f"^{words[0]}", f"${words[-1]}"} | _exact_keys(name, entity_type)
    spelling = _spelling_keys(plain_name(name))
    return Keys(keys | spelling.kept, keys | spelling.asked)


def _exact_keys(name: str, entity_type: str) -> set[str]:
    """Keys of an organisation or place: its words in one, its letters, and which place it is."""
    if not (words := telling_words(name)):
        return set()
    keys = {f".{''.join(words)}", f".{plain_name(name)}"}
    keys |= {f"*{letters}" for letters in abbreviations(name) | {short_for(name)} if letters}
    if entity_type == "place" and (code := place_code(name)):
        keys.add(f"@{code}".replace(" ", "_"))
    return keys


def _spelling_keys(plain: str) -> Keys:
    """Keys of words one or two letters apart: halves and thirds."""
    if not SHORTEST_MISREAD <= len(plain) <= LONGEST_SIMILAR:
        return Keys(_halves(plain), _halves(plain, 1))
    own, near = ({"/".join(map(str, third)) for third in found(plain)} for found in (thirds, thirds_near))
    return Keys(_halves(plain) | own, _halves(plain, 1) | near)


def _halves(word: str, more: int = 0) -> set[str]:
    """Keys of which words one letter apart share one: the first half, the last half, or the sorted letters.

    `more` is how many letters more or less another may have, so that its halves are others.
    """
    n = len(word)
    if n < SHORTEST_SIMILAR:
        return set()
    sizes = {(n + other) // 2 for other in range(-more, more + 1)}
    halves = {f"<{word[:size]}" for size in sizes} | {f">{word[n - size :]}" for size in sizes}
    return halves | {f"~{''.join(sorted(word))}"}
