"""Which of the listed people does a third-person pronoun refer to? A log-linear ranker over syntactic salience.

A softmax over the chains near the pronoun and "none of them" (None) turns weighted features into probabilities.
Features are in pronoun_features.py. Their weights, one for each case of the pronoun, are in data/pronouns.json, fitted
on GAP (Webster et al. 2018, aclanthology Q18-1042) by `experiments/gap_pronouns.py --fit`, which writes it.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from crossdoc.extract.gender import UNKNOWN, GenderGuess, gender_of_chain, gender_of_mention, with_pronouns
from crossdoc.extract.pronoun_features import (
    FEMININE,
    MASCULINE,
    PLURAL,
    Features,
    PlacedMention,
    Pronoun,
    PronounScene,
    Running,
    analysed_pronoun,
    anchor_of,
    chain_features,
    clause_of,
    pronoun_genders,
    role_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Weights = Mapping[str, Sequence[float]]
CASES = ("nominative", "accusative", "possessive")
SHIPPED = "data/pronouns.json"
SENTENCES_BACK = 6
SENTENCES_AHEAD = 2
# Below it a pronoun is left open; chosen by cross-validation on the training part of GAP, where 0.2 to 0.35 do alike.
THRESHOLD = 0.3
# Rules, not fitted: GAP holds no reflexives, and its two candidates always fit the pronoun's gender.
REFLEXIVE_BONUS = 6.0
# Binding: "John saw him", "her sister Ann", "Ann is her heir". Set by hand; -2.5 to -5 cross-validate alike on GAP.
FORBIDDEN = dict.fromkeys(("object_of_own_subject", "own_phrase", "predicated_of_possessor", "in_same_clause"), -5.0)
LEAST_AGREEMENT = 0.005
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Antecedent:
    """A mention that a pronoun may refer to; mentions of one person share `chain`.

    `female` is the probability that "she" fits, None to have it worked out. Only plural candidates are open to "they".
    """

    start: int
    end: int
    chain: int
    female: float | None = None
    plural: bool = False


@cache
def shipped_weights() -> Weights:
    """By feature, its weight for a pronoun in each case of `CASES`."""
    weights: Weights = json.loads((files("crossdoc") / SHIPPED).read_text("utf-8"))["weights"]
    return weights


class PronounResolver:
    """Resolves the pronouns of one document, in reading order, against a fixed list of candidate mentions.

    A pronoun once weighed is evidence for later ones: as a mention linked to each chain by its probability, and for
    the gender of the chain. Whom the title of the document names is more likely meant.
    """

    def __init__(
        self, doc: Doc, candidates: Sequence[Antecedent], weights: Weights | None = None, title: str = ""
    ) -> None:
        self.doc = doc
        self.candidates = candidates
        self._weights = shipped_weights() if weights is None else weights
        self._sentence_of = [0] * len(doc)
        for number, sentence in enumerate(doc.sents):
            self._sentence_of[sentence.start : sentence.end] = [number] * len(sentence)
        self._bracketed = _bracketed(doc)
        self._running = Running.of(doc)
        self._genders = pronoun_genders(doc.lang_)
        self._plural = frozenset(c.chain for c in candidates if c.plural)
        self._mentions = sorted((self._mention(c.start, c.end, c.chain) for c in candidates), key=lambda m: m.start)
        self._in_title = self._named_in(title)
        self._name_genders = self._genders_by_name()
        self._pronoun_counts: dict[int, dict[str, float]] = {}
        self._links: dict[int, dict[int | None, float]] = {}
        self._linked_mentions: list[PlacedMention] = []
        self.pronouns = [token for token in doc if token.lower_ in self._genders]

    def distribution(self, pronoun: Token) -> Mapping[int | None, float]:
        """Probability of each chain near the pronoun; None is for anyone else."""
        self._weigh_before(pronoun.i + 1)
        return self._links.get(pronoun.i, {None: 1.0})

    def scores(self, pronoun: Token) -> list[float]:
        """The probability of each candidate's chain, in the order of the candidates."""
        distribution = self.distribution(pronoun)
        return [distribution.get(candidate.chain, 0.0) for candidate in self.candidates]

    def resolve(self, pronoun: Token, threshold: float = THRESHOLD) -> int | None:
        """The chain the pronoun refers to, or None."""
        distribution = self.distribution(pronoun)
        chains = [chain for chain in distribution if chain is not None]
        best = max(chains, key=lambda chain: distribution[chain], default=None)
        return best if best is not None and distribution[best] >= threshold else None

    def resolve_all(self, threshold: float = THRESHOLD) -> dict[int, int | None]:
        """Chain or None for every third-person pronoun, by token index."""
        return {token.i: self.resolve(token, threshold) for token in self.pronouns}

    def gender_of(self, chain: int) -> GenderGuess:
        """Gender of a chain by its names and by the pronouns weighed so far."""
        counts = self._pronoun_counts.get(chain, {})
        by_name = self._name_genders.get(chain, UNKNOWN)
        return with_pronouns(by_name, counts.get(FEMININE, 0.0), counts.get(MASCULINE, 0.0))

    def features(self, token: Token) -> dict[int | None, Features]:
        """Named features of every chain near the pronoun, and of None; earlier pronouns are weighed first."""
        self._weigh_before(token.i)
        return self._features(analysed_pronoun(token, self._sentence_of[token.i]))

    def _weigh_before(self, end: int) -> None:
        while len(self._links) < len(self.pronouns) and self.pronouns[len(self._links)].i < end:
            self._weigh(self.pronouns[len(self._links)])

    def _features(self, pronoun: Pronoun) -> dict[int | None, Features]:
        nearby: dict[int, list[PlacedMention]] = {}
        earliest, latest = pronoun.sentence - SENTENCES_BACK, pronoun.sentence + SENTENCES_AHEAD
        first = bisect_left(self._mentions, earliest, key=lambda m: m.sentence)
        end = bisect_right(self._mentions, latest, key=lambda m: m.sentence)
        for mention in self._mentions[first:end]:
            if (mention.chain in self._plural) == (pronoun.gender == PLURAL):
                nearby.setdefault(mention.chain, []).append(mention)
        # A person long unnamed is kept in play by the last pronoun since; one named nearby is placed by the name.
        for mention in reversed(self._linked_mentions):
            if mention.sentence < earliest:
                break
            if self._is_earlier_of_gender(mention.start, pronoun):
                nearby.setdefault(mention.chain, [mention])
        mentions = sorted((m for chain in nearby.values() for m in chain), key=lambda m: m.start)
        links = {at: self._links[at] for at in pronoun.subjects if self._is_earlier_of_gender(at, pronoun)}
        scene = PronounScene(pronoun, mentions, links, self._running)
        features: dict[int | None, Features] = {None: {"nobody": 1.0}}
        for chain, own in nearby.items():
            features[chain] = chain_features(scene, chain, own)
            if chain in self._in_title:
                features[chain]["in_title"] = 1.0
            features[chain][RULES] = self._rule_score(pronoun, chain, features[chain])
        return features

    def _is_earlier_of_gender(self, at: int, pronoun: Pronoun) -> bool:
        return at < pronoun.token.i and at in self._links and self._genders[self.doc[at].lower_] == pronoun.gender

    def _weigh(self, token: Token) -> None:
        pronoun = analysed_pronoun(token, self._sentence_of[token.i])
        column = CASES.index(pronoun.case)
        scores: dict[int | None, float] = {}
        for chain, features in self._features(pronoun).items():
            fitted = (self._weights[name][column] * value for name, value in features.items() if name in self._weights)
            scores[chain] = features.get(RULES, 0.0) + sum(fitted)
        top = max(scores.values())
        total = sum(math.exp(score - top) for score in scores.values())
        link = {chain: math.exp(score - top) / total for chain, score in scores.items()}
        self._links[token.i] = link
        for chain, probability in link.items():
            if chain is not None:
                counts = self._pronoun_counts.setdefault(chain, {})
                counts[pronoun.gender] = counts.get(pronoun.gender, 0.0) + probability
        best = max(link, key=lambda chain: link[chain])
        if best is not None:
            self._linked_mentions.append(self._mention(token.i, token.i + 1, best))

    def _rule_score(self, pronoun: Pronoun, chain: int, features: Features) -> float:
        """The part of the score that needs no fitting: binding, log-likelihood of the gender, reflexives."""
        score = sum(penalty * features.pop(name, 0.0) for name, penalty in FORBIDDEN.items())
        if pronoun.gender in (FEMININE, MASCULINE):
            female = self.gender_of(chain).female
            agreement = female if pronoun.gender == FEMININE else 1 - female
            score += math.log(2 * max(agreement, LEAST_AGREEMENT))
        if pronoun.reflexive:
            score += REFLEXIVE_BONUS * features.get("subject_0_up", 0.0)
        return score

    def _mention(self, start: int, end: int, chain: int) -> PlacedMention:
        root = self.doc[start:end].root
        anchor = anchor_of(root)
        return PlacedMention(
            start=start,
            end=end,
            chain=chain,
            root=root,
            anchor=anchor,
            role=role_of(anchor),
            sentence=self._sentence_of[root.i],
            clause=clause_of(root),
            bracketed=self._bracketed[start],
        )

    def _named_in(self, title: str) -> frozenset[int]:
        words = {word for word in re.findall(r"\w+", title) if word[0].isupper()}
        return frozenset(c.chain for c in self.candidates if any(t.text in words for t in self.doc[c.start : c.end]))

    def _genders_by_name(self) -> dict[int, GenderGuess]:
        guesses: dict[int, list[GenderGuess]] = {}
        for c in self.candidates:
            if c.female is None:
                guess = gender_of_mention(self.doc[c.start : c.end])
            else:
                guess = GenderGuess(c.female, "given")
            guesses.setdefault(c.chain, []).append(guess)
        return {chain: gender_of_chain(of_chain) for chain, of_chain in guesses.items()}


def _bracketed(doc: Doc) -> list[bool]:
    depth = 0
    inside = []
    for token in doc:
        if token.is_sent_start:  # an unclosed bracket must not swallow the rest of the text
            depth = 0
        depth = max(0, depth + (token.text in {"(", "["}) - (token.text in {")", "]"}))
        inside.append(depth > 0)
    return inside
