"""Descriptors, employment and ownership of people and organisations, by Jiang-Conrath similarity.

Huang et al. 2009, section 2.3 ("President" ~ "Commander in Chief"). The values of two profiles are compared by a
best-match average: every value on either side takes its best partner's score. Words that WordNet lacks are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, meanings, related, values_of
from crossdoc.compare.specialists.related_names import MOST_SHOWN
from crossdoc.compare.wordnet import GROUP, LOCATION, PERSON, Vocabulary, word_similarity, wordnet
from crossdoc.lang.en import ABBREVIATED_TITLES, COURTESIES, PARTS, PREPOSITIONS
from crossdoc.model import Profile, Profiles
from crossdoc.names import agreeing_names, parse_person, telling_words
from crossdoc.names.evidence_types import ATTRIBUTES, RELATIONS

KIND_OF_TYPE = {"person": PERSON, "organisation": GROUP, "place": LOCATION}
LONGEST_PHRASE = 5
LONGEST_TEXT = 400
MOST_VALUES = 32
"""Distinct values of one kind per profile; further ones are ignored. crossdoc's own extraction keeps 12 descriptors."""
LARGEST_CACHE = 1 << 20

_WORD = re.compile(r"[^\W\d_](?:[^\W_]|['’.-](?=\w))*")


@lru_cache(maxsize=100_000)
def head_phrases(text: str) -> tuple[str, ...]:
    """The WordNet lemmas that head a descriptor's parts: the longest phrase that holds the last noun of each.

    Words after a preposition belong to the noun before it, unless both are one phrase.

    >>> head_phrases("former vice president of General Motors"), head_phrases("Commander in Chief")
    (('vice_president',), ('commander_in_chief',))
    >>> head_phrases("French poet and painter"), head_phrases("xyzzy")
    (('poet', 'painter'), ())
    """
    found = []
    for part in PARTS.split(text[:LONGEST_TEXT]):
        words = _WORD.findall(re.sub(r"['’]s\b", "", part))
        stop = next((place for place, word in enumerate(words) if word.lower() in PREPOSITIONS), len(words))
        lemma = _longest(words, stop - 1) if stop else None
        if lemma is not None:
            found.append(lemma)
        if stop < len(words):
            break
    return tuple(dict.fromkeys(found))


def _longest(words: Sequence[str], head: int) -> str | None:
    """The longest phrase of WordNet with the head noun in it, of two equally long ones that which ends in it."""
    net = wordnet()
    for length in range(min(LONGEST_PHRASE, len(words)), 0, -1):
        for end in range(head + 1, min(head + length, len(words)) + 1):
            if end >= length and (lemma := net.lemma(" ".join(words[end - length : end]))) is not None:
                return lemma
    # "ex-president", "vice-captain": WordNet lists few of these, and the last part has the meaning.
    return net.lemma(words[head].rpartition("-")[2])


class Values(NamedTuple):
    """Each profile's values: the number of a word in a vocabulary and of another entity's name, −1 for none."""

    starts: npt.NDArray[np.int64]
    words: npt.NDArray[np.int32]
    names: npt.NDArray[np.int32]
    sense_starts: npt.NDArray[np.int64]
    senses: npt.NDArray[np.int32]
    agreeing: npt.NDArray[np.int64]
    """Sorted: a · number of names + b for all names a and b that agree."""
    n_names: int


Value = tuple[str, int, str]
"""A lemma ('' for none), its kind, and the name of another entity ('' for none)."""


class _JiangConrath(Specialist[Values]):
    """Best-match average over values that `values` reads off a table."""

    def values(self, profiles: Profiles) -> Iterable[Iterable[Value]]:
        raise NotImplementedError

    def encode(self, profiles: Profiles) -> Values:
        words: dict[tuple[str, int | None], int] = {}
        names: dict[str, int] = {}
        rows: list[tuple[int, int]] = []
        starts = [0]
        for given in self.values(profiles):
            for lemma, kind, name in _first_distinct(given):
                word = words.setdefault((lemma, kind), len(words)) if lemma else -1
                rows.append((word, names.setdefault(name, len(names)) if name else -1))
            starts.append(len(rows))
        vocabulary = Vocabulary(list(words), wordnet())
        numbers = np.array(rows, dtype=np.int32).reshape(-1, 2)
        return Values(
            np.array(starts, dtype=np.int64),
            numbers[:, 0].copy(),
            numbers[:, 1].copy(),
            vocabulary.starts,
            vocabulary.senses,
            agreeing_names(list(names), "organisation"),
            len(names),
        )

    def compare(self, encoded: Values, pairs: Pairs) -> Scores:
        net = wordnet()
        # Direct-mapped, so that any number of words fits; a power of two, so that a mask finds the slot.
        slots = min(LARGEST_CACHE, 1 << max(8, (4 * len(pairs)).bit_length()))
        return _best_matches(
            np.ascontiguousarray(pairs, dtype=np.int32),
            encoded,
            net.graph,
            net.greatest,
            np.full(slots, -1, dtype=np.int64),
            np.empty(slots, dtype=np.float32),
        )

    def evidence(self, left: Profile, right: Profile) -> str:
        both = Profiles.of([left, right])
        sides = [
            ", ".join(
                list(dict.fromkeys(_shown(lemma, name) for lemma, _, name in _first_distinct(given)))[:MOST_SHOWN]
            )
            for given in self.values(both)
        ]
        return " ~ ".join(sides) if all(sides) else ""


class Descriptors(_JiangConrath):
    """Descriptors of two entities: the heads of their descriptors, and a person's titles of office."""

    name = "descriptor"
    reads_attributes = meanings(ATTRIBUTES, "descriptor", "title")

    def values(self, profiles: Profiles) -> Iterator[list[Value]]:
        types = profiles.column("type").to_pylist()
        columns = zip(types, values_of(profiles, "descriptor"), values_of(profiles, "title"), strict=True)
        for type, descriptors, titles in columns:
            kind = KIND_OF_TYPE.get(type, PERSON)
            lemmas = [lemma for text in descriptors[:MOST_VALUES] for lemma in head_phrases(text)]
            lemmas += [lemma for text in titles[:MOST_VALUES] for lemma in head_phrases(_title(text))]
            yield [(lemma, kind, "") for lemma in lemmas]


class _Posts(_JiangConrath):
    """Roles of a person in organisations: half the score by role and half by the organisation's name.

    If a role is missing, or WordNet lacks it, the name alone decides. An organisation's or place's own relations lead
    to the people who hold its posts.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.reads_relations = meanings(RELATIONS, name)

    def values(self, profiles: Profiles) -> Iterator[list[Value]]:
        for kind, relations in zip(profiles.column("type").to_pylist(), related(profiles, self.name), strict=True):
            # A profile may hold thousands that say the same, so that only the distinct ones are read closer.
            distinct = dict.fromkeys((type.partition(":")[2], name) for type, name in relations)
            yield [
                (next(iter(head_phrases(role)), ""), PERSON, _other_end(name, kind))
                for role, name in list(distinct)[:MOST_VALUES]
            ]


def _other_end(name: str, type: str | None) -> str:
    """The name to compare; of a person, first and last name, or '' where there is only one of them."""
    if type in {"organisation", "place"}:
        parts = parse_person(name)
        return f"{parts.first} {parts.last}" if parts.first else ""
    return name if telling_words(name) else ""


class Employment(_Posts):
    def __init__(self) -> None:
        super().__init__("employment")


class Ownership(_Posts):
    def __init__(self) -> None:
        super().__init__("ownership")


def _title(title: str) -> str:
    words = (ABBREVIATED_TITLES.get(word, word) for word in title.lower().replace(".", " ").split())
    plain = " ".join(words)
    return "" if plain in COURTESIES else plain


def _first_distinct(values: Iterable[Value]) -> list[Value]:
    return [value for value in dict.fromkeys(values) if value[0] or value[2]][:MOST_VALUES]


def _shown(lemma: str, name: str) -> str:
    return " of ".join(filter(None, [lemma.replace("_", " "), name]))


@njit(cache=True, nogil=True)
def _best_matches(pairs, values, graph, greatest, keys, known):  # type: ignore[no-untyped-def]
    # Each look at a tuple's array costs a reference count, hence the locals.
    starts, words, names, agreeing, n_names = values.starts, values.words, values.names, values.agreeing, values.n_names
    n_words = len(values.sense_starts) - 1
    scores = np.full(len(pairs), np.nan, dtype=np.float32)
    best = np.empty(MOST_VALUES, dtype=np.float64)
    for pair in range(len(pairs)):
        left, right = pairs[pair, 0], pairs[pair, 1]
        first, last = starts[right], starts[right + 1]
        best[: last - first] = -1.0
        total = 0.0
        count = 0
        for i in range(starts[left], starts[left + 1]):
            own = -1.0
            for j in range(first, last):
                score = -1.0
                u, v = min(words[i], words[j]), max(words[i], words[j])
                if u >= 0:
                    key = np.int64(u) * n_words + v
                    slot = key & (len(keys) - 1)
                    if keys[slot] != key:
                        keys[slot] = key
                        known[slot] = word_similarity(u, v, values.sense_starts, values.senses, graph, greatest)
                    score = known[slot]
                if names[i] >= 0 and names[j] >= 0:
                    code = np.int64(names[i]) * n_names + names[j]
                    place = np.searchsorted(agreeing, code)
                    agree = 1.0 if place < len(agreeing) and agreeing[place] == code else 0.0
                    score = agree if score < 0 else 0.5 * (score + agree)
                own = max(own, score)
                best[j - first] = max(best[j - first], score)
            if own >= 0:
                total += own
                count += 1
        others = 0.0
        for j in range(last - first):
            if best[j] >= 0:
                others += best[j]
                count += 1
        if count:
            scores[pair] = min((total + others) / count, 1.0)
    return scores
