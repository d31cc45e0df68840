"""Grammatical gender of a person mention: the probability that "she" rather than "he" refers to it.

Evidence in order of strength: title, kin or role noun in apposition, first name, ending of an unlisted first name.
First names: US Census 1990 (public domain), see tools/build_names.py. Guesses are about pronouns, not people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from anyascii import anyascii

from crossdoc.lang import DEFAULT, pack
from crossdoc.names import first_names as first_names

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

SURE_GENDER, LIKELY_GENDER = 0.8, 0.6
"""Confidence. From the first on a gender keeps two names apart, from the second on it is given to a chain. By hand."""
TITLE_CERTAINTY = 0.99
ROLE_CERTAINTY = 0.97
# A lone name is as often a surname ("Kelly", "Scott") as a first name, so its evidence is halved.
LONE_NAME_DISCOUNT = 0.5
ENDING_DISCOUNT = 0.6
ENDING_LENGTHS = (4, 3, 2, 1)
MINIMUM_ENDING_SUPPORT = 5
# One pronoun linked to the chain with certainty counts as odds of e² (7 to 1).
PRONOUN_LOG_ODDS = 2.0
CERTAINTY_LIMIT = 0.995


@dataclass(frozen=True, slots=True)
class GenderGuess:
    """P(female) and the kind of evidence it rests on: title, role, first name, ending, pronouns, given or none."""

    female: float
    evidence: str

    @property
    def confidence(self) -> float:
        return abs(self.female - 0.5) * 2


UNKNOWN = GenderGuess(0.5, "none")


@cache
def _ending_shares() -> dict[str, float]:
    shares: dict[str, list[float]] = {}
    for name, share in first_names().items():
        for length in ENDING_LENGTHS:
            if len(name) > length:
                shares.setdefault(name[-length:], []).append(share)
    # Twice as many female as male names are listed; the mean of both sexes' rates would otherwise lean female.
    female_names = sum(first_names().values())
    prior_odds = female_names / (len(first_names()) - female_names)
    balanced = {}
    for ending, values in shares.items():
        female, male = sum(values) + 1.0, (len(values) - sum(values) + 1.0) * prior_odds
        if len(values) >= MINIMUM_ENDING_SUPPORT:
            balanced[ending] = female / (female + male)
    return balanced


def _discounted(female: float, factor: float) -> float:
    return 1 / (1 + math.exp(-factor * _log_odds(female)))


def _log_odds(female: float) -> float:
    female = min(max(female, 1 - CERTAINTY_LIMIT), CERTAINTY_LIMIT)
    return math.log(female / (1 - female))


def is_first_name(word: str, language: str = DEFAULT) -> bool:
    """Whether a word is a listed first name, of the United States or of the language.

    >>> is_first_name("John"), is_first_name("Hélène", "fr"), is_first_name("Jean-Luc", "fr"), is_first_name("The")
    (True, True, True, False)
    """
    plain = word.lower()
    own = pack(language).name_words.first_names
    return plain in first_names() or (bool(own) and anyascii(plain).split("-")[0].strip(".'") in own)


def gender_of_first_name(name: str, language: str = DEFAULT) -> GenderGuess:
    """Gender of one first name, by the language's own list and the large one, then by its ending."""
    plain = anyascii(name).lower().strip(".'")
    lists = (pack(language).name_words.first_names, first_names())
    for form in (plain, plain.split("-")[0]):
        share = next((listed[form] for listed in lists if form in listed), None)
        if share is not None:
            return GenderGuess(_discounted(share, 1.0), "first name")
    if plain.isalpha() and len(plain) > 2:
        for length in ENDING_LENGTHS:
            if len(plain) > length and plain[-length:] in _ending_shares():
                return GenderGuess(_discounted(_ending_shares()[plain[-length:]], ENDING_DISCOUNT), "ending")
    return UNKNOWN


@cache
def gender_of_name(name: str, language: str = DEFAULT) -> GenderGuess:
    """Gender of a full name such as "Mrs. Jane Roe", by title or first name; a lone word is weak evidence."""
    known = pack(language).titles
    words = name.split()
    while words:
        title = words[0].lower().rstrip(".")
        if title in known.female | known.male:
            return GenderGuess(TITLE_CERTAINTY if title in known.female else 1 - TITLE_CERTAINTY, "title")
        is_initial = len(title) == 1 and len(words) > 1
        if title not in known.neutral and not is_initial:
            break
        words = words[1:]
        if len(words) == 1:  # "Dr. Kelly", "J. Kelly": what remains is the surname
            return UNKNOWN
    if not words:
        return UNKNOWN
    guess = gender_of_first_name(words[0], language)
    if len(words) == 1:
        return GenderGuess(_discounted(guess.female, LONE_NAME_DISCOUNT), guess.evidence)
    return guess


def _role_nouns(mention: Span) -> list[Token]:
    """Nouns that describe the mention itself: "actress X", "X, an actress", "his wife, X", "X is an actress"."""
    root = mention.root
    outside = [t for t in root.children if t.dep_ in {"appos", "compound", "nmod"} and t not in mention]
    if root.dep_ == "appos":
        outside.append(root.head)
    if root.dep_ == "nsubj" and root.head.lemma_ == pack(root.lang_).statements.be:
        outside.extend(t for t in root.head.children if t.dep_ == "attr")
    if mention.start > 0 and mention.doc[mention.start - 1].pos_ == "NOUN":
        outside.append(mention.doc[mention.start - 1])
    return outside


def gender_of_mention(mention: Span) -> GenderGuess:
    language = pack(mention.doc.lang_)
    titles, roles = language.titles, language.roles
    by_name = gender_of_name(mention.text, language.code)
    if by_name.evidence == "title":
        return by_name
    before = mention.doc[mention.start - 1].lower_.rstrip(".") if mention.start > 0 else ""
    if before in titles.female or before in titles.male:
        return GenderGuess(TITLE_CERTAINTY if before in titles.female else 1 - TITLE_CERTAINTY, "title")
    role = next((n.lower_ for n in _role_nouns(mention) if n.lower_ in roles.female or n.lower_ in roles.male), None)
    if role is None:
        return by_name
    return GenderGuess(ROLE_CERTAINTY if role in roles.female else 1 - ROLE_CERTAINTY, "role")


def gender_of_chain(guesses: list[GenderGuess]) -> GenderGuess:
    """Gender of an entity from its mentions: the most confident guess, as mentions repeat the same evidence."""
    return max(guesses, key=lambda guess: guess.confidence, default=UNKNOWN)


def with_pronouns(guess: GenderGuess, feminine: float, masculine: float) -> GenderGuess:
    """Update a chain's gender by the (expected) number of pronouns of each gender already resolved to it."""
    if feminine == masculine:
        return guess
    log_odds = _log_odds(guess.female) + PRONOUN_LOG_ODDS * (feminine - masculine)
    limit = _log_odds(CERTAINTY_LIMIT)
    return GenderGuess(1 / (1 + math.exp(-min(max(log_odds, -limit), limit))), "pronouns")
