"""Counts over a collection, before any document is parsed: how its words are written, and which names are people's.

Headlines in capitals are read as a text would write them, after Lita, Ittycheriah, Roukos, Kambhatla 2003,
*tRuEcasIng*, with unigrams alone. Counts are kept by the hash of a word, so that their memory is the same for ten
documents and ten million, and their sum is so in whatever order.

Each capitalised word also has three counts of cues: occurrences without a cue, with a cue of a person (a title, an
office, a first name or initials before it, a verb of saying or thinking after it, brackets around it as in "the Consul
(Caldwell)", the last line of a text), and with a cue of something else ("in", "the"). Words are a mixture of classes,
in each of which the counts follow a Dirichlet-multinomial distribution. The shares of cues in each class are estimated
on the collection by EM (as Dawid and Skene 1979 estimate error rates of observers), shrunk towards shipped shares.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, cached_property
from zlib import crc32

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from crossdoc.extract.gender import is_first_name
from crossdoc.extract.name_learner import Floats, NameLearner, log_likelihoods, updated_shares
from crossdoc.extract.name_surroundings import is_title
from crossdoc.lang import DEFAULT, pack
from crossdoc.names import fold

SMALL, TITLE, CAPITALS = range(3)
PLAIN, PERSON, OTHER = range(3)
SLOTS, CUE_SLOTS = 1 << 21, 1 << 19
"""Counts of words by their case, and of names by the cues next to them."""
LEAST_RUN = 3
"""Words in capitals, one after the other in a line, from which on they are a headline and no names."""
LONGEST_UNSEEN_ACRONYM = 4
"""Letters. A longer word that never occurs in small letters is a name, not an acronym. Set by hand."""
SHIPPED = np.array([[0.40, 0.52, 0.08], [0.55, 0.03, 0.42], [0.95, 0.03, 0.02]])
"""Share of occurrences by cue (columns) for people, for places and bodies, and for other words (rows): where EM begins.
Rounded from the labelled words of AIDA train and six volumes of FRUS, whose fits differ by .1."""
CONCENTRATION = np.array([2.3, 12.0, 60.0])
"""Occurrences. How alike the words of a class are: high where all have nearly the same shares. The same data; with 30
in place of 60 the most frequent name of one volume, with cues in a fifth of its occurrences, is typed as no person."""
ROUNDS = 10
LEAST_OCCURRENCES = 3
"""Occurrences of a word that takes part in the estimate."""
LONGEST_TITLE = 20
"""Characters before a name in which its title is looked for."""
LONGEST_ABBREVIATION = 4
"""Letters of a title before a full stop; after a longer word a sentence ends."""
OPENINGS = frozenset({"general", "chief", "vice", "attorney"})
"""Titles that open names of organisations, too: "General Electric"."""
OF_OTHERS = frozenset({"the", "where"})
"""Cues of names that are no person's."""
LONGEST_SIGNATURE = 40
"""Characters of a last line that is a signature."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_HEAD = re.compile(r"\b(?=[^\W\d_a-z])[^\W\d_]{2,}\b(?:['’][^\W\d_]+\b)?(?! [^\W\d_a-z])")
_POSSESSIVE = re.compile(r"['’]s$")
_ENDS_SENTENCE = frozenset('.!?:"“”‘`*-')
_INITIALS = re.compile(r"(?:[^\W\d_]\. ){1,3}[^\W\d_][\w'’-]+$")
_BEFORE = re.compile(r"([^\W\d_]+)(\.?)\s+$")
_INITIAL_BEFORE = re.compile(r"(?<![\w.])(?:[^\W\d_]\. ?){1,3}$")
_SIGNED = re.compile(r"[^\W\d_][\w'’-]*(?: (?:[^\W\d_]\.|[^\W\d_][\w'’-]*))*")


class CaseCounts:
    """Counts of each word of a collection: in small letters, with a capital within a sentence, in capitals."""

    def __init__(self) -> None:
        self.table: npt.NDArray[np.uint32] = np.zeros((SLOTS + CUE_SLOTS, 3), np.uint32)
        self.headlines = 0
        """Lines in capitals, which are what the counts are for."""
        self.learners: dict[str, NameLearner] = {}
        """By language without a tagger, what its words are."""
        self._known_odds: dict[int, tuple[float, float]] = {}

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
                elif (preceding := line[: match.start()].rstrip()) and preceding[-1] not in _ENDS_SENTENCE:
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
        for code, learner in [*self.learners.items(), *other.learners.items()]:
            both.learners[code] = both.learners.get(code, NameLearner(code)) + learner
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
    def cue_shares(self) -> Floats:
        """Shares of cues by class of words, estimated when all is counted."""
        return estimate_shares(self.table[SLOTS:])


def _slot(word: str) -> int:
    return crc32(word.encode()) % SLOTS


def _cue_slot(word: str) -> int:
    return SLOTS + crc32(_POSSESSIVE.sub("", word).lower().encode()) % CUE_SLOTS


# Headlines


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
    lines = []
    for line in text.split("\n"):
        words = list(_WORD.finditer(line))
        for start, end in _runs(words):
            forms = _usual([word[0] for word in words[start:end]], counts, kept)
            # A list of acronyms, or of names alone, is no headline.
            if any(form.islower() for form in forms):
                for match, form in zip(words[start:end], forms, strict=True):
                    if len(form) == len(match[0]):
                        line = line[: match.start()] + form + line[match.end() :]
        lines.append(line)
    return "\n".join(lines)


def _usual(words: list[str], counts: CaseCounts, kept: Set[str]) -> list[str]:
    """Words of a headline as they are mostly written, two that are mostly a name together as one."""
    pairs = {i for i in range(len(words) - 1) if counts.of(f"{words[i]} {words[i + 1]}")[TITLE] > 1}
    forms = []
    for i, word in enumerate(words):
        small, title, capitals = counts.of(word)
        unseen = capitals > max(small, title) or small + title == 0
        if word in kept or len(word) == 1:
            forms.append(word)
        elif i in pairs or i - 1 in pairs:
            forms.append(word.capitalize())
        elif len(word) <= LONGEST_UNSEEN_ACRONYM and unseen:
            forms.append(word)
        else:
            forms.append(word.lower() if small >= max(title, 1) else word.capitalize())
    return forms


# Cues of people's names


def estimate_shares(counts: npt.NDArray[np.integer]) -> Floats:
    """The shares of cues in each class, by EM over the counts of words (rows: plain, person, other)."""
    words = counts[counts.sum(axis=1) >= LEAST_OCCURRENCES].astype(float)
    shares, prior = SHIPPED, np.full(len(SHIPPED), 1 / len(SHIPPED))
    for _ in range(ROUNDS if len(words) else 0):
        likelihoods = log_likelihoods(words, shares, CONCENTRATION) + np.log(prior)
        belongs = np.exp(likelihoods - logsumexp(likelihoods, axis=1, keepdims=True))
        sizes = belongs.sum(axis=0)
        prior = (sizes + 1) / (sizes + 1).sum()
        shares = updated_shares(words, belongs, shares, SHIPPED, CONCENTRATION)
    return shares


def class_odds(counts: Sequence[int], shares: Floats) -> tuple[float, float]:
    """Log odds of a word's counts among people's names, and among those of things, against the other classes.

    >>> [[round(odds, 1) for odds in class_odds(counts, SHIPPED)] for counts in ((0, 0, 0), (80, 20, 0), (60, 2, 38))]
    [[0.0, 0.0], [4.6, -12.1], [-4.4, 4.4]]
    """
    person, thing, other = log_likelihoods(np.array([counts], dtype=float), shares, CONCENTRATION)[0].tolist()
    return person - max(thing, other), thing - max(person, other)


def _cues(text: str) -> Iterator[tuple[int, int]]:
    """The slot and the kind of cue of each word that ends a name; "New" of "New York" does not."""
    no_names = pack(DEFAULT).function_words.stop
    for match in _HEAD.finditer(text):
        if not match[0].isupper() and match[0].lower() not in no_names:
            cue = cue_at(text, *match.span())
            if cue != "first":  # Many words are some first name: "Son Hardware".
                yield _cue_slot(match[0]), PLAIN if not cue else OTHER if cue in OF_OTHERS else PERSON


@cache
def _after(language: str) -> re.Pattern[str]:
    known = pack(language).statements
    skipped, verbs = ("|".join(sorted(words)) for words in (known.auxiliaries, known.of_people))
    return re.compile(rf"(?:\s(?:{skipped})){{0,2}}\s(?:{verbs})\b" if verbs else r"(?!)")


@cache
def heads_of_names(language: str) -> frozenset[str]:
    """Words that end names of organisations and places."""
    known = pack(language).name_words
    return known.organisations | known.places | known.bodies | known.clubs | known.trades


def cue_at(text: str, start: int, end: int, language: str = DEFAULT) -> str:
    """Return the cue of a name: "title", "initials", "first", "verb", "bracket", "signed", "where", "the" or ''.

    >>> cue_at("by R. J. Okafor", 3, 15), cue_at("U.S. Steel", 0, 10), cue_at("the Consul (Poole)", 12, 17)
    ('initials', '', 'bracket')
    >>> cue_at("General Nasution left", 8, 16), cue_at("Sukarno had said so", 0, 7), cue_at("in Java", 3, 7)
    ('title', 'verb', 'where')
    >>> cue_at("the General Assembly", 12, 20), cue_at("Colonel Emerson left", 0, 15), cue_at("Stop.\\nPage\\n", 6, 10)
    ('', 'title', 'signed')
    """
    name = text[start:end]
    first, _, rest = name.partition(" ")
    if fold(name.rpartition(" ")[2]) in heads_of_names(language):
        return ""
    if rest and fold(first) not in OPENINGS and is_title(first, language):
        return "title"
    initials = _INITIAL_BEFORE.search(text, max(start - LONGEST_TITLE, 0), start)
    if _INITIALS.match(name) or initials:
        return "initials"
    if text[start - 1 : start] == "(" and text[end : end + 1] == ")" and start > 1:
        return "bracket"
    if text[start - 1 : start] == "\n" and _is_signature(text, start):
        return "signed"
    before = _BEFORE.search(text, max(start - LONGEST_TITLE, 0), start)
    if before is not None:
        word, known = before[1], pack(language)
        titled = is_title(word, language) or fold(word) in known.roles.offices
        # "Gov. Lee", but not "elected him governor. Lee".
        titled = titled and not (before[2] and (word[0].islower() or len(word) > LONGEST_ABBREVIATION))
        if titled and not is_title(name, language):
            return "title"
        # In "King Hussein of Jordan said" Jordan says nothing.
        if word in known.function_words.where:
            return "where"
        if word in known.function_words.of:
            return ""
        if word.lower() in known.function_words.the:
            return "the"
        if not before[2] and word[0].isupper() and is_first_name(word, language):
            return "first"
    return "verb" if _after(language).match(text, end) else ""


def _is_signature(text: str, start: int) -> bool:
    """Whether the line that begins here is a name and the last one of a text."""
    line = text[start:].rstrip() if len(text) - start <= 2 * LONGEST_SIGNATURE else ""
    return bool(line) and len(line) <= LONGEST_SIGNATURE and bool(_SIGNED.fullmatch(line))
