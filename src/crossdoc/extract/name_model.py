"""Which candidates are names, and of what: a log-linear model over what is known of each.

Candidates are names that spaCy's model and the rules found, and runs of capitalised words. The model corrects spaCy's
where it was not trained: tables, clubs called by their towns, headlines, acronyms. It is fitted on labelled newswire by
experiments/extraction.py, and is part of a language's pack; a language without one keeps what the parser and the rules
found. In running text of another kind it is one voice of several: whether a name is a person's is the sum of its log
odds, of the tagger's and of the cues (truecase.py).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from crossdoc.extract.gender import is_first_name
from crossdoc.extract.mention_spans import SpanMention
from crossdoc.extract.name_surroundings import is_title, place_kind, surname_of, text_of, wraps
from crossdoc.extract.truecase import CaseCounts, cue_at
from crossdoc.lang import pack
from crossdoc.names import SUFFIXES, fold

if TYPE_CHECKING:
    from spacy.tokens import Doc

CLASSES = ("", "person", "organisation", "place")
"""Types that a candidate can have; '' is no name."""
RUNNING_TEXT = "sport "
"""The feature of a candidate that stands neither in a report of a sport nor in a table."""
SURELY_NONE = 0.75
"""Above this probability a name that was found is none. On AIDA train .5 to .9 differ by .005 in F1; on the sample,
other text than the model was fitted to, .5 loses a tenth of the organisations."""
PROBABLY_NONE = 0.5
"""Probability. Above it a run of words that neither model nor rules found is no name, whatever its likeliest type."""
SURELY_PERSON = 0.7
"""Probability. In reports of sports and in tables, above it what was found as something else is a person. On AIDA train
0 to .8 differ by .002 in F1; in Reuters-21578 companies of two words would otherwise be people."""
MODEL_BOUND = 3.0
"""Log odds. In running text the model says at most so much for or against a person: it was fitted to newswire, which
introduces people by their full names, and takes lone surnames for companies. Chosen on AIDA train and the first 80
documents of six volumes of FRUS; 2 types up to .06 more of FRUS's people, and people of AIDA have .002 less in F1."""
FOUND_PERSON, FOUND_OTHER = 3.0, -0.85
"""Log odds for a person where the tagger and the rules found one, which the model alone cannot outweigh, and where they
found another type. 2 was too little: on one volume of FRUS it types .016 fewer people,
below the tagger."""
CUES = {"title": 4.0, "initials": 3.0, "verb": 1.6, "bracket": 4.0, "signed": 4.0}
"""Log odds for a person by the cue of a mention, as counted on AIDA train for single words; `initials` set by hand,
`bracket` and `signed` counted on FRUS (.24 and .19 of the people's, .0002 of other names, in one volume)."""
LEAST_SMALL = 3
"""Occurrences of a word in small letters from which on, if they are most of them, it is no name by itself. Set by
hand."""
MISSED_SURNAME = 4.0
"""Log odds. Above it a lone word that the tagger took for no name is one: signatures, names in brackets. Chosen on six
volumes of FRUS and AIDA testa; sensitivity not measured."""
MOST_CUES = 5.0
"""Log odds, at most, of all cues of a name in the collection. Few cues say nothing: names in lists and signatures have
none."""
NUMBER = re.compile(r"[-+(]?[\d.,:/-]*\d[\d.,:/-]*(?:st|nd|rd|th)?")
_MARK = re.compile(r"[^\w\s]+")
LONGEST_RUN = 6
OPENING = 12
"""Tokens at a document's opening in which the sport of a report is named."""
LEAST_SAID = 3
"""Tokens of a sport, at least, in a report that does not name it at its opening."""
MANY_ROWS = 4
"""Names before numbers from which on a document has a table."""
Weights = Mapping[str, Sequence[float]]
"""By feature, one number for each class."""


def weighed(doc: Doc, names: Sequence[SpanMention], cases: CaseCounts | None = None) -> list[SpanMention]:
    """The names of a document after all is weighed: some are new, some have another type, some are none.

    `cases` are the counts of the collection, which say how often each name has a cue of a person next to it.
    """
    weights = pack(doc.lang_).models.names
    if not weights or not len(doc):
        return list(names)
    scored = [(candidate, shares(candidate.features, weights)) for candidate in candidates(doc, names)]
    scored.sort(key=lambda row: (-max(row[1][1:]), row[0].start, -row[0].end))
    kept: list[SpanMention] = []
    taken: set[int] = set()
    # spaCy puts the text together each time it is asked for.
    text = doc.text
    for candidate, share in scored:
        start, end, found, _ = candidate
        cues = _cue_odds(doc, text, candidate, cases)
        is_none = share[0] > (SURELY_NONE if found else PROBABLY_NONE)
        if cases is not None:
            is_none = is_none and not _is_missed(doc, candidate, cues, cases)
            is_none = is_none or _is_ordinary(doc, candidate, cues, cases)
        if not is_none and taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            certain = found is not None and found.certain
            kept.append(SpanMention(start, end, _type(candidate, share, cues), certain=certain))
    return sorted(kept, key=lambda name: name.start)


def _type(candidate: NameCandidate, share: Sequence[float], cues: float) -> str:
    _, person, organisation, place = share
    other = "organisation" if organisation > place else "place"
    found = candidate.found
    if RUNNING_TEXT not in candidate.features:
        return "person" if person > max(organisation, place) else other
    odds = cues + max(-MODEL_BOUND, min(MODEL_BOUND, math.log(person / (organisation + place))))
    if found is not None:
        is_person = found.type == "person"
        odds += FOUND_PERSON if is_person else FOUND_OTHER
    return "person" if odds > 0 else other


def _cue_odds(doc: Doc, text: str, candidate: NameCandidate, cases: CaseCounts | None) -> float:
    """Log odds for a person by the cues of a mention, and of its name in the collection."""
    span = doc[candidate.start : candidate.end]
    odds = CUES.get(cue_at(text, span.start_char, span.end_char, doc.lang_), 0.0)
    is_name = candidate.found is not None and candidate.found.type == "person"
    # The last word of "Marine Station" says nothing about the full name.
    if cases is not None and (len(span) == 1 or is_name or is_first_name(span[0].text, doc.lang_)):
        odds += max(0.0, min(MOST_CUES, cases.person_odds(span.text)))
    return odds


def _is_missed(doc: Doc, candidate: NameCandidate, cues: float, cases: CaseCounts) -> bool:
    """Whether a lone word that the tagger does not see is a surname: by its cues, and seldom in small letters."""
    word = doc[candidate.start].text
    small, title, _ = cases.of(word)
    alone = candidate.end - candidate.start == 1 and len(word) > 2 and not word.isupper() and not place_kind(word)
    return alone and cues > MISSED_SURNAME and small * 4 <= title


def _is_ordinary(doc: Doc, candidate: NameCandidate, cues: float, cases: CaseCounts) -> bool:
    """Whether a name is an ordinary word of the collection ("Telegram", "Tab B"), a lone office or a suffix."""
    words = [token.text for token in doc[candidate.start : candidate.end] if not token.is_space]
    if all(len(word.strip(".")) < 2 or fold(word) in SUFFIXES for word in words):
        return len(words) == 1
    word = words[0]
    if len(words) > 1 + (len(words[-1]) == 1) or cues > 0 or word.isupper() or place_kind(word):
        return False
    small, title, _ = cases.of(word)
    return small >= LEAST_SMALL and small > title


def shares(features: Sequence[str], weights: Weights) -> list[float]:
    """The probability of each class: the softmax of the summed weights of all features.

    >>> shares(["in a table"], {"in a table": (0.0, 0.0, math.log(2), 0.0)})
    [0.2, 0.2, 0.4, 0.2]
    """
    known = [own for feature in features if (own := weights.get(feature))]
    sums = [sum(column) for column in zip(*known, strict=True)] or [0.0] * len(CLASSES)
    top = max(sums)
    odds = [math.exp(each - top) for each in sums]
    return [each / sum(odds) for each in odds]


# Candidates and their features


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

    def has_table(self) -> bool:
        """Whether many names stand before numbers."""
        return sum(a == "capital" and b == "number" for a, b in pairwise(self.kind)) >= MANY_ROWS

    def runs(self, particles: frozenset[str]) -> Iterator[tuple[int, int]]:
        """Longest stretches of words with capitals; a particle or "&" may stand within."""
        i, n = 0, len(self.text)
        while i < n:
            if self.kind[i] != "capital":
                i += 1
                continue
            end = i + 1
            while (at := self.over_space(end)) < n:
                if self.text[at] in particles:
                    at = self.over_space(at + 1)
                if at >= n or self.kind[at] != "capital":
                    break
                end = at + 1
            if end - i <= LONGEST_RUN:
                yield i, end
            i = end


@lru_cache(maxsize=100_000)
def _kind(word: str) -> str:
    if word.isspace():
        return "line" if "\n" in word else "space"
    if word[:1].isupper():
        return "capital"
    if NUMBER.fullmatch(word):
        return "number"
    return word[:2] if _MARK.fullmatch(word) else "word"


def sport_of(words: Sequence[str], language: str) -> str:
    """ "team" or "single" where a document reports a sport, '' elsewhere."""
    known, lower = pack(language).name_words, [word.lower() for word in words]
    team, single = known.team_sports, known.single_sports
    if opening := next((word for word in lower[:OPENING] if word in team | single), ""):
        return "team" if opening in team else "single"
    of_teams, of_one = (sum(word in listed for word in lower) for listed in (team, single))
    return "" if of_teams + of_one < LEAST_SAID else "team" if of_teams >= of_one else "single"


class NameCandidate(NamedTuple):
    """A span of tokens, the name that the model and the rules found there, if any, and its features."""

    start: int
    end: int
    found: SpanMention | None
    features: list[str]


def candidates(doc: Doc, names: Sequence[SpanMention]) -> list[NameCandidate]:
    """All names found so far, and all runs of words with capitals that are none of them."""
    scene = _Scene(doc, names)
    words, known = scene.words, pack(doc.lang_)
    spans: dict[tuple[int, int], SpanMention | None] = {(name.start, name.end): name for name in names}
    no_opening = known.function_words.stop | known.name_words.units
    for start, end in words.runs(known.function_words.particles | {"&"}):
        while start < end and words.text[start].lower() in no_opening:
            start += 1
        if start < end and words.text[start][:1].isalpha():
            spans.setdefault((start, end), None)
    return [
        NameCandidate(*span, found, list(dict.fromkeys(scene.features(*span, found)))) for span, found in spans.items()
    ]


class _Scene:
    """Facts about a document that all its candidates share, among them the types that words have elsewhere in it."""

    def __init__(self, doc: Doc, names: Sequence[SpanMention]) -> None:
        self.doc = doc
        self.words = TokenKinds.of(doc)
        self.sport = sport_of(self.words.text, doc.lang_)
        self.has_table = self.words.has_table()
        self.name_at = {i: name for name in names for i in range(name.start, name.end)}
        self.types: dict[str, Counter[str]] = defaultdict(Counter)
        self.parts: dict[str, set[str]] = {"surname here": set(), "opens person": set(), "opens organisation": set()}
        for name in names:
            text = text_of(doc, name)
            self.types[text][name.type] += 1
            if name.type == "person" and (surname := surname_of(doc, name)):
                self.parts["surname here"].add(surname)
                self.parts["opens person"].add(text.split()[0])
            elif name.type == "organisation" and " " in text:
                self.parts["opens organisation"].add(text.split()[0])

    def features(self, start: int, end: int, found: SpanMention | None) -> Iterator[str]:
        doc, words = self.doc, self.words
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
        yield from self._elsewhere(text, found.type if found else "")
        yield from self._overlapping(start, end) if found is None else self._beside(start, end)
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
        sport = f"sport {self.sport}{' table' if 'number' in (before, after) else ''}"
        yield from (sport, f"{sport} {name}", f"{sport} {place}")
        yield from (f"{name} {each}" for each in (place, shape, size))
        yield from (f"{sport} {about}" for about in own if about.startswith(("ends in", "first name")))
        if self.has_table:
            yield from ("numbers", f"numbers {sport} {shape}")

    def _elsewhere(self, text: str, own: str) -> Iterator[str]:
        for type_, count in self.types.get(text, {}).items():
            if count > (type_ == own):
                yield f"elsewhere {type_}"
        for about, listed in self.parts.items():
            if text in listed:
                yield from (about, f"{about} {own}")

    def _beside(self, start: int, end: int) -> Iterator[str]:
        kind = self.words.kind
        if start and kind[start - 1] == "capital":
            yield "capital before"
        if end < len(kind) and kind[end] == "capital":
            yield "capital after"

    def _overlapping(self, start: int, end: int) -> Iterator[str]:
        inside = [self.name_at[i] for i in range(start, end) if i in self.name_at]
        yield from sorted({f"holds {name.type}" for name in inside} or {"holds nothing"})
        if any(name.start < start or name.end > end for name in inside):
            yield "cut"


@lru_cache(maxsize=50_000)
def _of_words(text: str, language: str) -> tuple[str, ...]:
    """Features of the words of a candidate, without their context."""
    known = pack(language).name_words
    parts = text.split()
    plain = [fold(part) for part in parts]
    several, is_given = len(parts) > 1, is_first_name(parts[0], language)
    whole = place_kind(text)
    features = [f"words {min(len(parts), 4)}", f"shape {_shape(parts)}", f"place {whole}"]
    if several and not whole:
        # "Mary" is a city too.
        if last := place_kind(parts[-1]):
            features.append(f"ends in {last}{' after first name' if is_given else ''}")
        if not is_given and (first := place_kind(parts[0])):
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
            features.append(f"last of {label} {several}")
        if plain[0] in listed and several:
            features.append(f"first of {label}")
    if is_given:
        features.append(f"first name {several}")
    if re.fullmatch(r"(?:[A-Z]\.-?)+", parts[0]) and several:
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
