"""Long texts in pieces: where they are cut, and which profiles of several pieces are one.

A piece is chained by itself. Across pieces two profiles are one if they have the same name, or else names that agree,
and neither could as well be one with another profile: what chaining kept apart in a piece stays apart.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from crossdoc.extract.attributes import most_telling
from crossdoc.extract.extractor import Described, fullest, merged
from crossdoc.model import Document, Profile
from crossdoc.names import agreeing_names, fold, parse_person
from crossdoc.names.texts import ContactPolicy, window

LONG_TEXT, PIECE_CHARACTERS = 100_000, 60_000
"""Characters. A longer text is read in pieces of at most so many: the parser holds 3 KB for each character it reads
at once. Set by hand."""
SENTENCE_CHARACTERS = 5_000
"""Characters. A longer stretch without an end is no sentence: parsing it as one takes the square of its length."""
LONGEST_RUN = 500
"""Characters without a space. In a longer run, marks and repetitions are blanked: the tokenizer takes them off one by
one, in time that grows with the square of the run. A run of this length takes it less than 0.05 s."""
_RUN = re.compile(rf"\S{{{LONGEST_RUN},}}")
_MARKS = re.compile(rf"(?:[^\w\s]|_){{{LONGEST_RUN},}}")
_REPEATED = re.compile(rf"(\S{{1,4}}?)\1{{{LONGEST_RUN // 4 - 1},}}")
_SENTENCE_END = re.compile(r"[.!?;:][\"'”’)\]]{0,3}\s|\n")

Key = tuple[str | None, str]


def is_long(text: str) -> bool:
    """Whether a text is read in pieces."""
    return len(text) > LONG_TEXT


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """(start, piece) of a text, cut at paragraph or line ends, else at spaces; also where no sentence ends for long.

    >>> [start for start, _ in pieces("word. " * 30_000)]
    [0, 60000, 120000]
    """
    start, size = 0, PIECE_CHARACTERS if is_long(text) else len(text)
    while start < len(text):
        end = start + size
        if end < len(text):
            end = _cut(text, start + size // 2, end, ("\n\n", "\n", ". ", " "))
        last = start
        for match in _SENTENCE_END.finditer(text, start, min(end, len(text))):
            if match.end() - last > SENTENCE_CHARACTERS:
                break
            last = match.end()
        if min(end, len(text)) - last > SENTENCE_CHARACTERS:
            end = _cut(text, last + SENTENCE_CHARACTERS // 2, last + SENTENCE_CHARACTERS, (", ", " "))
        yield start, text[start:end]
        start = end


def without_runs(text: str) -> str:
    """Blank long runs of marks, and of a few characters that are repeated; every other character stays where it was.

    >>> without_runs("Ann " + "<" * 600 + " Lee").split()
    ['Ann', 'Lee']
    """
    return _RUN.sub(_blanked, text)


def _blanked(run: re.Match[str]) -> str:
    text = _MARKS.sub(lambda match: " " * len(match[0]), run[0])
    return _REPEATED.sub(lambda match: " " * len(match[0]) if len(match[0]) >= LONGEST_RUN else match[0], text)


def _cut(text: str, least: int, most: int, marks: Sequence[str]) -> int:
    for mark in marks:
        at = text.rfind(mark, least, most)
        if at > 0:
            return at + len(mark)
    return most


def join_pieces(
    document: Document, read: Sequence[Sequence[Described]], reach: int, contacts: ContactPolicy
) -> Iterator[Described]:
    """The profiles of a document, from those of its pieces; a relation to what is no profile keeps the name alone."""
    if len(read) == 1:
        entities = [[described] for described in read[0]]
    else:
        joining = _Joining(profile for piece in read for _, profile in piece)
        for piece in read:
            joining.add(piece)
        entities = joining.entities
    renamed = {profile.id: own[0][1].id for own in entities for _, profile in own}
    return (_one(document, own, renamed, reach, contacts) for own in entities)


class _Joining:
    """The entities of the pieces so far, each with at most one profile of a piece."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self.entities: list[list[Described]] = []
        self.by_key: dict[Key, set[int]] = defaultdict(set)
        self.by_name: dict[Key, set[int]] = defaultdict(set)
        self.agreeing = _agreeing(profiles)

    def add(self, piece: Sequence[Described]) -> None:
        for described, home in zip(piece, self._homes([profile for _, profile in piece]), strict=True):
            number = len(self.entities) if home is None else home
            if home is None:
                self.entities.append([])
            self.entities[number].append(described)
            self.by_key[_key(described[1])].add(number)
            self.by_name[described[1].type, described[1].name].add(number)

    def _homes(self, profiles: Sequence[Profile]) -> list[int | None]:
        """The entity that each profile of a piece belongs to, by its very name before any that agrees with it."""
        homes: list[int | None] = [None] * len(profiles)
        for candidates in (self._namesakes, self._possible):
            offers = {row: candidates(profiles[row]) for row, home in enumerate(homes) if home is None}
            wanted = Counter(number for found in offers.values() for number in found)
            taken = set(homes)
            for row, found in offers.items():
                if len(found) == 1 and wanted[found[0]] == 1 and found[0] not in taken:
                    homes[row] = found[0]
        return homes

    def _namesakes(self, profile: Profile) -> list[int]:
        return [n for n in self.by_key.get(_key(profile), ()) if self._may_be(profile, n)]

    def _possible(self, profile: Profile) -> list[int]:
        names = self.agreeing[profile.type, profile.name]
        near = {number for name in names for number in self.by_name.get((profile.type, name), ())}
        return [n for n in near if self._may_be(profile, n) and all(p.name in names for _, p in self.entities[n])]

    def _may_be(self, profile: Profile, number: int) -> bool:
        """Whether neither gender nor generation tells a profile from an entity; a missing "Jr." is another's name."""
        own = [other for _, other in self.entities[number]]
        genders = {gender for p in (profile, *own) for gender in p.attributes.get("gender", ())}
        return len(genders) < 2 and {_generation(p) for p in own} == {_generation(profile)}


def _key(profile: Profile) -> Key:
    """Type and name, with its suffix."""
    return profile.type, fold(profile.name)


def _generation(profile: Profile) -> str:
    return parse_person(profile.name).generation if profile.type == "person" else ""


def _agreeing(profiles: Iterable[Profile]) -> dict[Key, set[str]]:
    """By type and name, the names of that type that agree with it."""
    distinct = dict.fromkeys((profile.type, profile.name) for profile in profiles)
    found: dict[Key, set[str]] = defaultdict(set)
    for type in dict.fromkeys(type for type, _ in distinct):
        own = [name for other, name in distinct if other == type]
        for code in agreeing_names(own, type).tolist():
            found[type, own[code // len(own)]].add(own[code % len(own)])
    return found


def _one(
    document: Document, own: Sequence[Described], renamed: dict[str, str], reach: int, contacts: ContactPolicy
) -> Described:
    """One profile for those of an entity, under the first one's id, with all that the pieces say and its context."""
    mentions = [replace(mention, chain=own[0][1].id) for found, _ in own for mention in found]
    profile = own[0][1] if len(own) == 1 else _merged([each for _, each in own])
    # Each relation once, to profiles that are still there.
    links = [replace(link, profile=renamed.get(link.profile or "")) for link in profile.relations]
    distinct = {(link.type, link.name, link.profile): link for link in reversed(links)}
    context = contacts.clean(window(document.text, [(m.start, m.end) for m in mentions], reach))
    return mentions, replace(profile, context=context, relations=tuple(reversed(distinct.values())))


def _merged(own: Sequence[Profile]) -> Profile:
    attributes, relations = merged(own)
    if "descriptor" in attributes:
        attributes["descriptor"] = most_telling(attributes["descriptor"])
    surest = max(own, key=lambda profile: float(profile.attributes.get("gender_confidence", ["0"])[0]))
    attributes.update({key: surest.attributes[key] for key in ("gender", "gender_confidence") if key in attributes})
    return replace(own[0], name=fullest(profile.name for profile in own), attributes=attributes, relations=relations)
