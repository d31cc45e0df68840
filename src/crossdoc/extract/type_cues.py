"""Cues in plain text that a name is a person's, or something else's, and which words are people's names by their cues.

A cue of a person: a title, an office, a first name or initials before it, a verb of saying or thinking after it,
brackets around it ("the Consul (Caldwell)"), the last line of a text. Something else's: "in", "the". They need no
parse, so they can be counted over the collection before any document is read.

Each capitalised word has three counts: occurrences without a cue, with a cue of a person (a title before it, a verb of
saying after it …), and with a cue of something else ("in", "the"). Words are a mixture of classes, in each of which the
counts follow a Dirichlet-multinomial distribution. The shares of cues in each class are estimated on the collection by
EM (as Dawid and Skene 1979 estimate error rates of observers), shrunk towards shipped shares.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

from crossdoc.extract.gender import is_first_name
from crossdoc.extract.name_surroundings import is_title
from crossdoc.lang import DEFAULT, pack
from crossdoc.names import fold
from crossdoc.names.gazetteer import find_place

Floats = npt.NDArray[np.float64]

PLAIN, PERSON, OTHER = range(3)
SHIPPED = np.array([[0.40, 0.52, 0.08], [0.55, 0.03, 0.42], [0.95, 0.03, 0.02]])
"""Share of occurrences by cue (columns) for people, for places and bodies, and for other words (rows): where EM begins.
Rounded from the labelled words of AIDA train and six volumes of FRUS, whose fits differ by .1."""
CONCENTRATION = np.array([2.3, 12.0, 60.0])
"""Occurrences. How alike the words of a class are: high where all have nearly the same shares. The same data; with 30
in place of 60 the most frequent name of one volume, with cues in a fifth of its occurrences, is typed as no person."""
SHRINKAGE = 50.0
"""Words. The shipped shares count as much as this many words of the collection. Set by hand."""
ROUNDS = 10
LEAST_OCCURRENCES = 3
"""Occurrences of a word that takes part in the estimate."""


def estimate_shares(counts: npt.NDArray[np.integer]) -> Floats:
    """The shares of cues in each class, by EM over the counts of words (rows: plain, person, other)."""
    words = counts[counts.sum(axis=1) >= LEAST_OCCURRENCES].astype(float)
    shares, prior = SHIPPED, np.full(len(SHIPPED), 1 / len(SHIPPED))
    for _ in range(ROUNDS if len(words) else 0):
        likelihoods = log_likelihoods(words, shares) + np.log(prior)
        belongs = np.exp(likelihoods - logsumexp(likelihoods, axis=1, keepdims=True))
        sizes = belongs.sum(axis=0)
        prior = (sizes + 1) / (sizes + 1).sum()
        alpha = shares * CONCENTRATION[:, None]
        for number, own in enumerate(belongs.T):
            means = (words + alpha[number]) / (words.sum(axis=1) + CONCENTRATION[number])[:, None]
            shares = shares.copy()
            shares[number] = (own @ means + SHRINKAGE * SHIPPED[number]) / (own.sum() + SHRINKAGE)
    return shares


def log_likelihoods(counts: Floats, shares: Floats) -> Floats:
    """Log likelihood of each word's counts in each class."""
    alpha = (shares * CONCENTRATION[:, None])[None]
    cells = gammaln(counts[:, None, :] + alpha) - gammaln(alpha)
    total = counts.sum(axis=1)[:, None]
    found: Floats = cells.sum(axis=2) + gammaln(CONCENTRATION) - gammaln(total + CONCENTRATION)
    return found


def class_odds(counts: Sequence[int], shares: Floats) -> tuple[float, float]:
    """Log odds of a word's counts among people's names, and among those of things, against the other classes.

    >>> [[round(odds, 1) for odds in class_odds(counts, SHIPPED)] for counts in ((0, 0, 0), (80, 20, 0), (60, 2, 38))]
    [[0.0, 0.0], [4.6, -12.1], [-4.4, 4.4]]
    """
    person, thing, other = log_likelihoods(np.array([counts], dtype=float), shares)[0].tolist()
    return person - max(thing, other), thing - max(person, other)


LONGEST_TITLE = 20
"""Characters before a name in which its title is looked for."""
LONGEST_ABBREVIATION = 4
"""Letters of a title before a full stop; after a longer word a sentence ends."""
OPENINGS = frozenset({"general", "chief", "vice", "attorney"})
"""Titles that open names of organisations, too: "General Electric"."""

OF_OTHERS = frozenset({"the", "where"})
"""Cues of names that are no person's."""
_POINTS = frozenset({"N.", "S.", "E.", "W."})
LONGEST_SIGNATURE = 40
"""Characters of a last line that is a signature."""

_INITIALS = re.compile(r"(?:[^\W\d_]\. ){1,3}[^\W\d_][\w'’-]+$")
_BEFORE = re.compile(r"([^\W\d_]+)(\.?)\s+$")
_INITIAL_BEFORE = re.compile(r"(?<![\w.])(?:[^\W\d_]\. ?){1,3}$")
_SIGNED = re.compile(r"[^\W\d_][\w'’-]*(?: (?:[^\W\d_]\.|[^\W\d_][\w'’-]*))*")


@cache
def _after(language: str) -> re.Pattern[str]:
    known = pack(language).statements
    if not known.of_people:
        return re.compile(r"(?!)")
    skipped, verbs = ("|".join(sorted(words)) for words in (known.auxiliaries, known.of_people))
    return re.compile(rf"(?:\s(?:{skipped})){{0,2}}\s(?:{verbs})\b")


@cache
def _heads(language: str) -> frozenset[str]:
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
    own = fold(text[start:end].rpartition(" ")[2])
    if own in _heads(language):
        return ""
    first, _, rest = text[start:end].partition(" ")
    if rest and fold(first) not in OPENINGS and is_title(first, language):
        return "title"
    initials = _INITIAL_BEFORE.search(text, max(start - LONGEST_TITLE, 0), start)
    if _INITIALS.match(text[start:end]) or (initials and not _is_place(initials[0].strip(), text[start:end])):
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
        if titled and not is_title(text[start:end], language):
            return "title"
        # In "King Hussein of Jordan said" Jordan says nothing.
        if word in known.function_words.where:
            return "where"
        if word in known.function_words.of:
            return ""
        if word.lower() in known.function_words.the:
            return "the"
        given = not before[2] and word[0].isupper() and is_first_name(word, language) and not is_title(word, language)
        if given and not _is_place(word, text[start:end]):
            return "first"
    return "verb" if _after(language).match(text, end) else ""


def _is_place(before: str, name: str) -> bool:
    """Whether a name and the word before it are a place: "U.S. Open", "S. Korea", "Hong Kong"."""
    return bool(find_place(before) or find_place(f"{before} {name}") or (before in _POINTS and find_place(name)))


def _is_signature(text: str, start: int) -> bool:
    """Whether the line that begins here is a name and the last one of a text."""
    near = len(text) - start <= 2 * LONGEST_SIGNATURE
    line = text[start:].rstrip() if near else ""
    return bool(line) and len(line) <= LONGEST_SIGNATURE and bool(_SIGNED.fullmatch(line))
