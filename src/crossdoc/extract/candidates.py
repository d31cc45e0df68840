"""Candidates for names in a parsed document, found by the model or as runs of capitalised words, and their features.

name_model.py weighs the features: words of the candidate, its neighbours, its row in a table, the topic of the
document, and the type that the same words have elsewhere in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from crossdoc.extract.gender import is_first_name
from crossdoc.extract.name_surroundings import NameSpan, is_title, surname_of, text_of, wraps
from crossdoc.lang import pack
from crossdoc.lang.en import COUNTRIES, state_named
from crossdoc.names import fold
from crossdoc.names.gazetteer import find_place

if TYPE_CHECKING:
    from spacy.tokens import Doc

NUMBER = re.compile(r"[-+(]?[\d.,:/-]*\d[\d.,:/-]*(?:st|nd|rd|th)?")
_MARK = re.compile(r"[^\w\s]+")
LONGEST_RUN = 6
OPENING = 12
"""TokenKinds at a document's opening in which the sport of a report is named."""
LEAST_SAID = 3
"""TokenKinds of a sport, at least, in a report that does not name it at its opening."""
MANY_ROWS = 4
"""Names before numbers from which on a document has a table."""


@dataclass(frozen=True, slots=True)
class TokenKinds:
    """The words of a document as lists, since asking spaCy for each takes long."""

    text: list[str]
    kind: list[str]
    """The kind of each word: "space", "line" (a final line end), "number", "capital", "word", or the mark itself."""

    @classmethod
    def of(cls, doc: Doc) -> TokenKinds:
        text = [token.text for token in doc]
        kind = [_kind(word) for word in text]
        for i, each in enumerate(kind):
            if each == "line" and wraps(doc, i):
                kind[i] = "space"
            if each == "-" and _is_one_word(doc, kind, i):
                kind[i : i + 3] = ["capital"] * 3
        return cls(text, kind)

    def left(self, start: int) -> int:
        """The token before a span, -1 where there is none or the end of a line."""
        i = start - 1
        while i >= 0 and self.kind[i] == "space":
            i -= 1
        return i if i >= 0 and self.kind[i] != "line" else -1

    def right(self, end: int) -> int:
        i = self.over_space(end)
        return i if i < len(self.text) and self.kind[i] != "line" else -1

    def over_space(self, i: int) -> int:
        while i < len(self.kind) and self.kind[i] == "space":
            i += 1
        return i


def _is_one_word(doc: Doc, kind: Sequence[str], i: int) -> bool:
    """Whether a hyphen is the first of a name such as "Inzamam-ul-Haq"."""
    within = 0 < i < len(kind) - 3 and kind[i - 1] == kind[i + 3] == "capital" and kind[i + 2] == "-"
    return within and kind[i + 1] == "word" and not any(token.whitespace_ for token in doc[i - 1 : i + 3])


@lru_cache(maxsize=100_000)
def _kind(word: str) -> str:
    if word.isspace():
        return "line" if "\n" in word else "space"
    if word[:1].isupper():
        return "capital"
    if NUMBER.fullmatch(word):
        return "number"
    return word[:2] if _MARK.fullmatch(word) else "word"


def runs(words: TokenKinds, particles: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Longest stretches of words with capitals; a particle or "&" may stand within."""
    i, n = 0, len(words.text)
    while i < n:
        if words.kind[i] != "capital":
            i += 1
            continue
        end = i + 1
        while (at := words.over_space(end)) < n:
            if words.text[at] in particles:
                at = words.over_space(at + 1)
            if at >= n or words.kind[at] != "capital":
                break
            end = at + 1
        if end - i <= LONGEST_RUN:
            yield i, end
        i = end


@dataclass(frozen=True, slots=True)
class DocumentScene:
    """Facts about a document that all its candidates share."""

    words: TokenKinds
    sport: str
    """"team" or "single" where the document reports a sport, '' elsewhere."""
    numbers: bool
    """Whether many names stand between numbers, as in tables."""


def scene_of(doc: Doc, words: TokenKinds) -> DocumentScene:
    known = pack(doc.lang_).name_words
    lower = [word.lower() for word in words.text]
    opening = [word for word in lower[:OPENING] if word in known.team_sports or word in known.single_sports]
    if opening:
        sport = "team" if opening[0] in known.team_sports else "single"
    else:
        team, single = (sum(word in listed for word in lower) for listed in (known.team_sports, known.single_sports))
        sport = "" if team + single < LEAST_SAID else "team" if team >= single else "single"
    kinds = words.kind
    beside = sum(a == "capital" and b == "number" for a, b in pairwise(kinds))
    return DocumentScene(words, sport, beside >= MANY_ROWS)


@lru_cache(maxsize=100_000)
def place_kind(name: str) -> str:
    """Whether a name is that of a country, a state, a city, or of nothing in the gazetteer.

    >>> place_kind("France"), place_kind("CHICAGO"), place_kind("Ajax Amsterdam")
    ('country', 'city', '')
    """
    plain = name.title() if name.isupper() and len(name) > 3 else name
    if plain in COUNTRIES:
        return "country"
    if state_named(plain):
        return "state"
    place = find_place(plain)
    return "" if place is None else "city" if place.city else "division" if place.division else "country"


@lru_cache(maxsize=50_000)
def _of_words(text: str, language: str) -> tuple[str, ...]:
    """Features of the words of a candidate, without their context."""
    known = pack(language).name_words
    parts = text.split()
    plain = [fold(part) for part in parts]
    whole = place_kind(text)
    features = [f"words {min(len(parts), 4)}", f"shape {_shape(parts)}", f"place {whole}"]
    if len(parts) > 1 and not whole:
        # "Mary" is a city too.
        about = " after first name" if is_first_name(parts[0], language) else ""
        if last := place_kind(parts[-1]):
            features.append(f"ends in {last}{about}")
        if not about and (first := place_kind(parts[0])):
            features.append(f"opens with {first}")
    for label, listed in (
        ("organisations", known.organisations),
        ("clubs", known.clubs),
        ("bodies", known.bodies),
        ("trades", known.trades),
        ("places", known.places),
        ("no names", known.table_words),
    ):
        if plain[-1] in listed:
            features.append(f"last of {label} {len(parts) > 1}")
        if plain[0] in listed and len(parts) > 1:
            features.append(f"first of {label}")
    if is_first_name(parts[0], language):
        features.append(f"first name {len(parts) > 1}")
    if re.fullmatch(r"(?:[A-Z]\.-?)+", parts[0]) and len(parts) > 1:
        features.append("initials")
    if is_title(parts[0], language):
        features.append("title")
    if any("&" in part for part in parts):
        features.append("&")
    return tuple(features)


def _shape(parts: Sequence[str]) -> str:
    if all(part.isupper() for part in parts):
        length = sum(map(len, parts))
        return "acronym" if len(parts) == 1 and length <= 5 else "capitals"
    return "mixed" if any(sum(c.isupper() for c in part) > 1 for part in parts) else "title"


class NameCandidate(NamedTuple):
    """A span of tokens, the name that the model and the rules found there, if any, and its features."""

    start: int
    end: int
    found: NameSpan | None
    features: list[str]


def candidates(doc: Doc, names: Sequence[NameSpan]) -> list[NameCandidate]:
    """All names found so far, and all runs of words with capitals that are none of them."""
    words = TokenKinds.of(doc)
    scene = scene_of(doc, words)
    spans: dict[tuple[int, int], NameSpan | None] = {(name.start, name.end): name for name in names}
    known = pack(doc.lang_).function_words
    no_opening = known.stop | pack(doc.lang_).name_words.units
    for start, end in runs(words, known.particles | {"&"}):
        while start < end and words.text[start].lower() in no_opening:
            start += 1
        if start < end and words.text[start][:1].isalpha():
            spans.setdefault((start, end), None)
    called = _Called(doc, words, names)
    return [
        NameCandidate(*span, found, list(dict.fromkeys(_features(doc, span, found, scene, called))))
        for span, found in spans.items()
    ]


class _Called:
    """Types that the words of a candidate have elsewhere in the document, and names that overlap it."""

    def __init__(self, doc: Doc, words: TokenKinds, names: Sequence[NameSpan]) -> None:
        self.words = words
        self.at = {i: name for name in names for i in range(name.start, name.end)}
        self.types: dict[str, Counter[str]] = {}
        self.surnames: set[str] = set()
        self.first_words: set[str] = set()
        self.openings: set[str] = set()
        for name in names:
            text = text_of(doc, name)
            self.types.setdefault(text, Counter())[name.type] += 1
            if name.type == "person" and (surname := surname_of(doc, name)):
                self.surnames.add(surname)
                self.first_words.add(text.split()[0])
            elif name.type == "organisation" and " " in text:
                self.openings.add(text.split()[0])

    def of(self, span: tuple[int, int], text: str, found: NameSpan | None) -> Iterator[str]:
        start, end = span
        own = found.type if found else ""
        for type_, count in self.types.get(text, {}).items():
            if count > (type_ == own):
                yield f"elsewhere {type_}"
        for listed, about in (
            (self.surnames, "surname here"), (self.first_words, "opens person"), (self.openings, "opens organisation")
        ):  # fmt: skip
            if text in listed:
                yield from (about, f"{about} {own}")
        if found is not None:
            if start and self.words.kind[start - 1] == "capital":
                yield "capital before"
            if end < len(self.words.kind) and self.words.kind[end] == "capital":
                yield "capital after"
            return
        inside = {id(name): name for i in range(start, end) if (name := self.at.get(i))}.values()
        yield from sorted({f"holds {name.type}" for name in inside} or {"holds nothing"})
        if any(name.start < start or name.end > end for name in inside):
            yield "cut"


def _features(
    doc: Doc, span: tuple[int, int], found: NameSpan | None, scene: DocumentScene, called: _Called
) -> Iterator[str]:
    start, end = span
    words = scene.words
    text = " ".join(word for word in words.text[start:end] if not word.isspace())
    own = _of_words(text, doc.lang_)
    size, shape, place, *_ = own
    name = f"called {found.type if found else 'nothing'}"
    left, right = words.left(start), words.right(end)
    before = "line" if left < 0 else words.kind[left]
    after = "line" if right < 0 else words.kind[right]
    yield ""
    yield name
    yield from own
    yield from called.of(span, text, found)
    if found and found.certain:
        yield f"settled {found.type}"
    yield from (f"before {before}", f"after {after}", f"between {before} {after}")
    if before == "word":
        yield f"before: {words.text[left].lower()}"
    if after == "word":
        yield f"after: {words.text[right].lower()}"
    root = doc[start:end].root if end - start > 1 else doc[start]
    root = doc[end - 1] if root.is_space else root
    yield from (f"tag {root.tag_}", f"role {root.dep_}")
    if root.head.i != root.i and root.head.is_lower:
        yield f"head: {root.head.lemma_}"
    if end - start == 1 and root.is_sent_start:
        yield "opens sentence"
    sport = f"sport {scene.sport}{' table' if 'number' in (before, after) else ''}"
    yield from (sport, f"{sport} {name}", f"{sport} {place}", f"{name} {place}", f"{name} {shape}", f"{name} {size}")
    yield from (f"{sport} {about}" for about in own if about.startswith(("ends in", "first name")))
    if scene.numbers:
        yield from ("numbers", f"numbers {sport} {shape}")
