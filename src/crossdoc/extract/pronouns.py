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
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from crossdoc.extract.gender import UNKNOWN, GenderGuess, gender_of_chain, gender_of_mention, with_pronouns
from crossdoc.extract.pronoun_features import (
    FEMININE,
    MASCULINE,
    Features,
    PlacedMention,
    Pronoun,
    PronounScene,
    Running,
    analysed_pronoun,
    anchor_of,
    clause_of,
    pronoun_genders,
    role_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Weights = Mapping[str, Sequence[float]]
CASES = ("nominative", "accusative", "possessive")
SHIPPED = "data/pronouns.json"
SENTENCES_BACK, SENTENCES_AHEAD = 6, 2
THRESHOLD = 0.3
"""Probability. Below it a pronoun is left open. Chosen by cross-validation on the training part of GAP: .2 to .35 do
alike."""
# Rules, not fitted: GAP holds no reflexives, and its two candidates always fit the pronoun's gender.
REFLEXIVE_BONUS = 6.0
# Binding: "John saw him", "her sister Ann", "Ann is her heir". Set by hand; -2.5 to -5 cross-validate alike on GAP.
FORBIDDEN = dict.fromkeys(("object_of_own_subject", "own_phrase", "predicated_of_possessor", "in_same_clause"), -5.0)
LEAST_AGREEMENT = 0.005
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Antecedent:
    """A mention of a person that a pronoun may refer to; mentions of one person share `chain`.

    `female` is the probability that "she" fits, None to have it worked out.
    """

    start: int
    end: int
    chain: int
    female: float | None = None


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
        self._weights = shipped_weights() if weights is None else weights
        self._running = Running(doc)
        self._mentions = sorted((self._mention(c.start, c.end, c.chain) for c in candidates), key=lambda m: m.start)
        words = {word for word in re.findall(r"\w+", title) if word[0].isupper()}
        self._in_title = {c.chain for c in candidates if any(t.text in words for t in doc[c.start : c.end])}
        guesses: dict[int, list[GenderGuess]] = defaultdict(list)
        for c in candidates:
            given = None if c.female is None else GenderGuess(c.female, "given")
            guesses[c.chain].append(given or gender_of_mention(doc[c.start : c.end]))
        self._gender_by_name = {chain: gender_of_chain(own) for chain, own in guesses.items()}
        self._pronoun_counts: dict[tuple[int, str], float] = defaultdict(float)
        self._links: dict[int, dict[int | None, float]] = {}
        self._linked_mentions: list[PlacedMention] = []
        self._genders = pronoun_genders(doc.lang_)
        self.pronouns = [token for token in doc if token.lower_ in self._genders]

    def distribution(self, pronoun: Token) -> Mapping[int | None, float]:
        """Probability of each chain near the pronoun; None is for anyone else."""
        self._weigh_before(pronoun.i + 1)
        return self._links.get(pronoun.i, {None: 1.0})

    def resolve(self, pronoun: Token) -> int | None:
        """The chain the pronoun refers to, or None."""
        distribution = self.distribution(pronoun)
        chains = [chain for chain in distribution if chain is not None]
        best = max(chains, key=lambda chain: distribution[chain], default=None)
        return best if best is not None and distribution[best] >= THRESHOLD else None

    def resolve_all(self) -> dict[int, int | None]:
        """Chain or None for every third-person pronoun, by token index."""
        return {token.i: self.resolve(token) for token in self.pronouns}

    def gender_of(self, chain: int) -> GenderGuess:
        """Gender of a chain by its names and by the pronouns weighed so far."""
        counts = self._pronoun_counts
        by_name = self._gender_by_name.get(chain, UNKNOWN)
        return with_pronouns(by_name, counts[chain, FEMININE], counts[chain, MASCULINE])

    def features(self, token: Token) -> dict[int | None, Features]:
        """Named features of every chain near the pronoun, and of None; earlier pronouns are weighed first."""
        self._weigh_before(token.i)
        return self._features(analysed_pronoun(token, self._running.sentence[token.i]))

    def _weigh_before(self, end: int) -> None:
        while len(self._links) < len(self.pronouns) and self.pronouns[len(self._links)].i < end:
            self._weigh(self.pronouns[len(self._links)])

    def _features(self, pronoun: Pronoun) -> dict[int | None, Features]:
        nearby: dict[int, list[PlacedMention]] = defaultdict(list)
        earliest, latest = pronoun.sentence - SENTENCES_BACK, pronoun.sentence + SENTENCES_AHEAD
        first = bisect_left(self._mentions, earliest, key=lambda m: m.sentence)
        end = bisect_right(self._mentions, latest, key=lambda m: m.sentence)
        for mention in self._mentions[first:end]:
            nearby[mention.chain].append(mention)
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
            features[chain] = scene.features(chain, own)
            if chain in self._in_title:
                features[chain]["in_title"] = 1.0
            features[chain][RULES] = self._rule_score(pronoun, chain, features[chain])
        return features

    def _is_earlier_of_gender(self, at: int, pronoun: Pronoun) -> bool:
        return at < pronoun.token.i and at in self._links and self._genders[self.doc[at].lower_] == pronoun.gender

    def _weigh(self, token: Token) -> None:
        pronoun = analysed_pronoun(token, self._running.sentence[token.i])
        column = CASES.index(pronoun.case)
        scores: dict[int | None, float] = {}
        for chain, features in self._features(pronoun).items():
            fitted = (self._weights[name][column] * value for name, value in features.items() if name in self._weights)
            scores[chain] = features.get(RULES, 0.0) + sum(fitted)
        top = max(scores.values())
        odds = {chain: math.exp(score - top) for chain, score in scores.items()}
        link = {chain: each / sum(odds.values()) for chain, each in odds.items()}
        self._links[token.i] = link
        for chain, probability in link.items():
            if chain is not None:
                self._pronoun_counts[chain, pronoun.gender] += probability
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
        sentence = self._running.sentence[root.i]
        return PlacedMention(start, end, chain, root, anchor, role_of(anchor), sentence, clause_of(root))
