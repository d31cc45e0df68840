"""Keys under which names are kept, so that those that can be one entity's are found without reading all of them.

Names that agree (`index.py`) have a key in common: one is kept under a key by which the other asks. Names that have one
need not agree, so that what is found is asked of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import NamedTuple

from crossdoc.names.others import abbreviations, place_code, plain_name, short_for, telling_words
from crossdoc.names.people import parse_person, with_particle
from crossdoc.names.words import (
    LONGEST_SIMILAR,
    SHORTEST_MISREAD,
    SHORTEST_SIMILAR,
    thirds,
    thirds_near,
    transliteration,
)


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

    >>> kept = {"Fed": 3, "Federal Reserve": 2, "Federal Reserve Board": 1, "Lloyds": 5}
    >>> def like(keys):
    ...     return {name: n for name, n in kept.items() if keys & lookup_keys(name, "organisation").kept}
    >>> bearing_on(["Fed"], "organisation", like)
    {'Fed': 3, 'Federal Reserve': 2, 'Federal Reserve Board': 1}
    """
    own = set(names)
    found = dict(like(asked_keys(own, entity_type)))
    if equals := equal_names(found, own) - own:
        found |= like(asked_keys(equals, entity_type))
    found |= like({f".{plain_name(name)}" for name in found})
    return {name: found[name] for name in sorted(found)}


def equal_names(names: Iterable[str], own: Iterable[str]) -> set[str]:
    """Names of organisations or places that have the words or the plain form of some.

    >>> sorted(equal_names(["The Fed", "Federal Reserve", "Fiat"], ["Fed"]))
    ['Federal Reserve', 'The Fed']
    """
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
        self._by_key: dict[str, list[str]] = {}
        by_key = self._by_key
        for name, keys, n in kept:
            self._often[name] = n
            for key in keys.split(" "):
                if key in by_key:
                    by_key[key].append(name)
                else:
                    by_key[key] = [name]

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
    plain = plain_name(name)
    keys = {f"^{words[0]}", f"${words[-1]}", f".{''.join(words)}", f".{plain}"}
    keys |= {f"*{letters}" for letters in abbreviations(name) | {short_for(name)} if letters}
    if entity_type == "place" and (code := place_code(name)):
        keys.add(f"@{code}".replace(" ", "_"))
    if not SHORTEST_MISREAD <= len(plain) <= LONGEST_SIMILAR:
        return Keys(keys | _halves(plain), keys | _halves(plain, 1))
    own, near = ({"/".join(map(str, third)) for third in found(plain)} for found in (thirds, thirds_near))
    return Keys(keys | _halves(plain) | own, keys | _halves(plain, 1) | near)


def _halves(word: str, more: int = 0) -> set[str]:
    """Keys of which words one letter apart share one: the first half, the last half, or the sorted letters.

    `more` is how many letters more or less another may have, so that its halves are others.

    >>> sorted(_halves("odessa")), sorted(_halves("odesa", 1))
    (['<ode', '>ssa', '~adeoss'], [])
    """
    n = len(word)
    if n < SHORTEST_SIMILAR:
        return set()
    sizes = {(n + other) // 2 for other in range(-more, more + 1)}
    halves = {f"<{word[:size]}" for size in sizes} | {f">{word[n - size :]}" for size in sizes}
    return halves | {f"~{''.join(sorted(word))}"}
