"""Headlines in capitals as a text would write them, by how the collection's other lines write each word.

The same pass counts how often each name has a cue of a person next to it (type_cues.py).

After Lita, Ittycheriah, Roukos, Kambhatla 2003, *tRuEcasIng*, with unigrams alone. Counts are kept by the hash of a
word, so that their memory is the same for ten documents and ten million, and their sum is so in whatever order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from zlib import crc32

import numpy as np
import numpy.typing as npt

from crossdoc.extract.name_learner import NameLearner
from crossdoc.extract.type_cues import OF_OTHERS, OTHER, PERSON, PLAIN, Floats, class_odds, cue_at, estimate_shares
from crossdoc.lang import DEFAULT, pack

SMALL, TITLE, CAPITALS = range(3)
SLOTS, CUE_SLOTS = 1 << 21, 1 << 19
"""Counts of words by their case, and of names by the cues next to them."""
LEAST_RUN = 3
"""Words in capitals, one after the other in a line, from which on they are a headline and no names."""
LONGEST_UNSEEN_ACRONYM = 4
"""Letters. A longer word that never occurs in small letters is a name, not an acronym. Set by hand."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_HEAD = re.compile(r"\b(?=[^\W\d_a-z])[^\W\d_]{2,}\b(?:['’][^\W\d_]+\b)?(?! [^\W\d_a-z])")
_POSSESSIVE = re.compile(r"['’]s$")
_ENDS_SENTENCE = frozenset('.!?:"“”‘`*-')


class CaseCounts:
    """Counts of each word of a collection: in small letters, with a capital within a sentence, in capitals."""

    def __init__(self) -> None:
        self.table: npt.NDArray[np.uint32] = np.zeros((SLOTS + CUE_SLOTS, 3), np.uint32)
        self.headlines = 0
        """Lines in capitals, which are what the counts are for."""
        self.learners: dict[str, NameLearner] = {}
        """By language without a tagger, what its words are."""

    def add(self, text: str) -> None:
        """Count the words of a text, except those that open a sentence or are part of a headline."""
        counted: Counter[tuple[str, int]] = Counter()
        for line in text.split("\n"):
            words = list(_WORD.finditer(line))
            shouted = {number for run in _runs(words) for number in range(*run)}
            self.headlines += bool(shouted)
            named = ""
            for number, match in enumerate(words):
                word = match[0]
                name = ""
                if number in shouted or len(word) < 2:
                    pass
                elif word.islower():
                    counted[word, SMALL] += 1
                elif word.isupper():
                    counted[word.lower(), CAPITALS] += 1
                elif not _opens_sentence(line, match.start()):
                    name = word.lower()
                    counted[name, TITLE] += 1
                    # "New York" is a name, whatever else is new.
                    counted[f"{named} {name}", TITLE] += bool(named)
                named = name
        for (word, case), count in counted.items():
            self.table[_slot(word), case] += count
        for (slot, cue), count in Counter(_cues(text)).items():
            self.table[slot, cue] += count

    def learn_names(self, text: str, language: str) -> None:
        """Count the words of a text by which names are found where there is no tagger."""
        self.learners.setdefault(language, NameLearner(language)).add(text)

    def __add__(self, other: CaseCounts) -> CaseCounts:
        both = CaseCounts()
        both.table = self.table + other.table
        both.headlines = self.headlines + other.headlines
        own, others = self.learners, other.learners
        both.learners = {
            code: own[code] + others[code] if code in own and code in others else own.get(code) or others[code]
            for code in own.keys() | others.keys()
        }
        return both

    def update(self, texts: Iterable[str]) -> CaseCounts:
        for text in texts:
            self.add(text)
        return self

    def listed(self) -> Iterator[tuple[int, int, int]]:
        """All that was counted, so that it can be kept: slot, case and number."""
        # With few texts nearly all cells are empty; comparing flat cells is ten times as fast as asking the matrix.
        cells = self.table.reshape(-1)
        counted = np.flatnonzero(cells != 0)
        slots, cases = np.divmod(counted, self.table.shape[1])
        return zip(slots.tolist(), cases.tolist(), cells[counted].tolist(), strict=True)

    def put(self, listed: Iterable[tuple[int, int, int]]) -> None:
        """Add what was kept."""
        slots, cases, counts = np.array(list(listed), dtype=np.int64).reshape(-1, 3).T
        self.table[slots, cases] += counts.astype(np.uint32)

    def of(self, word: str) -> tuple[int, int, int]:
        """Counts of a word in each case."""
        small, title, capitals = self.table[_slot(word.lower())].tolist()
        return small, title, capitals

    def person_odds(self, name: str) -> float:
        """Log odds that the last word of a name is a person's, by the cues next to it in the collection."""
        words = _WORD.findall(name)
        return 0.0 if not words else self._odds(words[-1])[0]

    def is_thing(self, word: str) -> bool:
        """Whether a word is likelier a place's or a body's than a person's or an ordinary one, by its cues."""
        return self._odds(word)[1] > 0

    def _odds(self, word: str) -> tuple[float, float]:
        slot = _cue_slot(word)
        if slot not in self._known_odds:
            self._known_odds[slot] = class_odds(self.table[slot].tolist(), self.cue_shares)
        return self._known_odds[slot]

    @cached_property
    def _known_odds(self) -> dict[int, tuple[float, float]]:
        return {}

    @cached_property
    def cue_shares(self) -> Floats:
        """Shares of cues by class of words, estimated when all is counted."""
        return estimate_shares(self.table[SLOTS:])


def _cues(text: str) -> Iterator[tuple[int, int]]:
    """The slot and the kind of cue of each word that ends a name; "New" of "New York" does not."""
    no_names = pack(DEFAULT).function_words.stop
    for match in _HEAD.finditer(text):
        if not match[0].isupper() and match[0].lower() not in no_names:
            cue = cue_at(text, *match.span())
            if cue == "first":  # Many words are some first name: "Son Hardware".
                continue
            yield _cue_slot(match[0]), PLAIN if not cue else OTHER if cue in OF_OTHERS else PERSON


def _cue_slot(word: str) -> int:
    return SLOTS + crc32(_POSSESSIVE.sub("", word).lower().encode()) % CUE_SLOTS


def _slot(word: str) -> int:
    return crc32(word.encode()) % SLOTS


def _opens_sentence(line: str, at: int) -> bool:
    before = line[:at].rstrip()
    return not before or before[-1] in _ENDS_SENTENCE


def _runs(words: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Stretches of words in capitals, single letters not counted, long enough to be a headline."""
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and words[end][0].isupper():
            end += 1
        if sum(len(word[0]) > 1 for word in words[start:end]) >= LEAST_RUN:
            yield start, end
        start = max(end, start) + 1


def truecased(text: str, counts: CaseCounts, kept: Set[str] = frozenset()) -> str:
    """The text with its headlines in the case of running text but for `kept` words; every character stays in place.

    >>> counts = CaseCounts().update(["the Bank of Japan raised rates again, as OPEC said"])
    >>> truecased("BANK OF JAPAN RAISED RATES, OPEC SAID", counts)
    'Bank of Japan raised rates, OPEC said'
    """
    parts: list[str] = []
    done = offset = 0
    for line in text.split("\n"):
        words = list(_WORD.finditer(line))
        for start, end in _runs(words):
            forms = _usual([word[0] for word in words[start:end]], counts, kept)
            # A list of acronyms, or of names alone, is no headline.
            if not any(form.islower() for form in forms):
                continue
            for match, form in zip(words[start:end], forms, strict=True):
                if len(form) == len(match[0]):
                    parts += text[done : offset + match.start()], form
                    done = offset + match.end()
        offset += len(line) + 1
    return "".join([*parts, text[done:]])


def _usual(words: list[str], counts: CaseCounts, kept: Set[str]) -> list[str]:
    """Words of a headline as they are mostly written, two that are mostly a name together as one."""
    paired = [False] * len(words)
    for number in range(len(words) - 1):
        if counts.of(f"{words[number]} {words[number + 1]}")[TITLE] > 1:
            paired[number] = paired[number + 1] = True
    return [
        word if word in kept or len(word) == 1 else _one_usual(word, counts, pair)
        for word, pair in zip(words, paired, strict=True)
    ]


def _one_usual(word: str, counts: CaseCounts, paired: bool) -> str:
    small, title, capitals = counts.of(word)
    if paired:
        return word.capitalize()
    if len(word) <= LONGEST_UNSEEN_ACRONYM and (capitals > max(small, title) or small + title == 0):
        return word
    return word.lower() if small >= max(title, 1) else word.capitalize()
