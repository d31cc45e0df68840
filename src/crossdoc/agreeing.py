"""Which of many names can be one entity's, found by what the rules of `names.py` compare instead of pair by pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import JaroWinkler
from rapidfuzz.process import cdist

from crossdoc.names import (
    SAME_SPELLING,
    acronym,
    first_names_agree,
    formal_first_names,
    is_acronym,
    last_names_agree,
    others_agree,
    parse_person,
    persons_agree,
    sound,
    telling_words,
)

SHORTEST_HALF = 5
"""Letters of the second half of a double name, at least."""
ROWS_AT_ONCE = 1_000

Codes = npt.NDArray[np.int64]


def agreeing_names(names: Sequence[str], entity_type: str | None) -> Codes:
    """All ordered pairs of names that agree, as sorted codes a·n + b, each name with itself included.

    >>> agreeing_names(["Bill Clinton", "Hillary Clinton", "William J. Clinton"], "person").tolist()
    [0, 2, 4, 6, 8]
    """
    return agreeing_persons(names) if entity_type in ("person", None) else agreeing_others(names)


def agreeing_others(names: Sequence[str]) -> Codes:
    """The pairs for which `others_agree`: looked up by the words, the first or last of them, and the initials."""
    words = [telling_words(name) for name in names]
    by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
    by_letters: dict[str, set[int]] = defaultdict(set)
    for number, (name, own) in enumerate(zip(names, words, strict=True)):
        by_words[own].append(number)
        by_words["".join(own), ""].append(number)
        by_letters["".join(word[0] for word in own)].add(number)
        by_letters[acronym(name)].add(number)
    pairs: set[tuple[int, int]] = set()
    for number, (name, own) in enumerate(zip(names, words, strict=True)):
        partners = {*by_words["".join(own), ""]}
        for length in range(1, len(own) + 1):
            partners.update(by_words.get(own[:length], ()))
            partners.update(by_words.get(own[-length:], ()))
        if is_acronym(name):
            partners |= by_letters[acronym(name)]
        pairs.update((number, partner) for partner in partners if others_agree(name, names[partner]))
    return _codes(pairs, len(names))


def agreeing_persons(names: Sequence[str]) -> Codes:
    """The pairs for which `persons_agree`: looked up by last names that agree, then by first names that do."""
    parsed = [parse_person(name) for name in names]
    by_last: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    by_first: dict[str, list[int]] = defaultdict(list)
    for number, parts in enumerate(parsed):
        by_last[parts.last][parts.first].append(number)
        by_first[parts.first].append(number)
    firsts = _partners(_alike_first_names(set(by_first) - {""}), by_first)
    pairs: set[tuple[int, int]] = set()
    for last, others in _partners(_alike_last_names(set(by_last)), by_last).items():
        for first, numbers in by_last[last].items():
            for other in others:
                near = by_last[other]
                agree = near if not first else firsts[first] | {""}
                partners = [each for name in (near.keys() & agree) for each in near[name]]
                pairs.update((a, b) for a in numbers for b in partners if persons_agree(parsed[a], parsed[b]))
    for short, parts in enumerate(parsed):
        if not parts.first:
            pairs.update((short, b) for b in by_first.get(parts.last, ()) if persons_agree(parts, parsed[b]))
    return _codes(pairs, len(names))


def _codes(pairs: set[tuple[int, int]], n: int) -> Codes:
    a, b = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return np.unique(np.concatenate([np.arange(n) * (n + 1), a * n + b, b * n + a]))


def _partners(pairs: Iterable[tuple[str, str]], of: Mapping[str, Any]) -> dict[str, set[str]]:
    """The partners of each word, itself among them."""
    found = {word: {word} for word in of}
    for a, b in pairs:
        found[a].add(b)
        found[b].add(a)
    return found


def _alike_last_names(lasts: set[str]) -> set[tuple[str, str]]:
    by_sound: dict[str, list[str]] = defaultdict(list)
    for last in lasts:
        by_sound[sound(last)].append(last)
    pairs = {pair for group in by_sound.values() for pair in combinations(group, 2)}
    pairs |= {
        (last, last[at:]) for last in lasts for at in range(1, len(last) - SHORTEST_HALF + 1) if last[at:] in lasts
    }
    return {pair for pair in pairs if last_names_agree(*pair)}


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
    return {pair for pair in pairs if first_names_agree(*pair)}
