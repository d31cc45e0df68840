"""Named features of a (pronoun, chain of mentions) pair for the pronoun resolver, read off the dependency parse.

They follow the salience factors of Lappin & Leass 1994 (aclanthology J94-4002) and the binding constraints.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from crossdoc.extract.mention_spans import sentence_numbers
from crossdoc.lang import pack

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Features = dict[str, float]
"""By name; a fact that holds has the value 1."""
Distribution = Mapping[int | None, float]

FEMININE, MASCULINE, EITHER = "feminine", "masculine", "either"
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
OBJECTS = frozenset({"dobj", "dative", "attr", "oprd"})
GIVEN_TO = frozenset({"dobj", "dative"})
WHO = frozenset({"WP", "WDT"})
SUBJECT_SEARCH_TOKENS = 60
OPENING, CLOSING, EITHER_WAY = frozenset("“„«`"), frozenset({"”", "»", "''"}), '"'
# Relations of a word to its head, coarsely: each of dozens of labels would be too rare.
_RELATIONS = {
    **dict.fromkeys(("nsubj", "csubj"), "subject"),
    **dict.fromkeys(("dobj", "attr", "oprd", "dative"), "object"),
    **dict.fromkeys(("prep", "agent", "pobj"), "preposition"),
    **dict.fromkeys(("ccomp", "xcomp"), "complement"),
    **{label: label for label in ("nsubjpass", "conj", "advcl", "relcl", "acl", "poss", "appos")},
}
_CLAUSES = {
    **dict.fromkeys(("relcl", "acl"), "relcl"),
    **dict.fromkeys(("ccomp", "csubj", "parataxis"), "ccomp"),
    **{label: label for label in ("ROOT", "conj", "advcl", "xcomp", "pcomp")},
}


@cache
def pronoun_genders(language: str) -> dict[str, str]:
    """The gender of each personal pronoun."""
    known = pack(language).pronouns
    lists = ((known.masculine, MASCULINE), (known.feminine, FEMININE), (known.either, EITHER))
    return {word: gender for words, gender in lists for word in words}


class Running:
    """By token of a document: its sentence, verbs and commas before it, in which quotation it stands (0 in none), and
    whether in brackets."""

    def __init__(self, doc: Doc) -> None:
        self.sentence = sentence_numbers(doc)
        self.verbs = list(accumulate((token.pos_ == "VERB" for token in doc), initial=0))
        self.commas = list(accumulate((token.text in {",", ";", ":"} for token in doc), initial=0))
        self.quotations: list[int] = []
        self.bracketed: list[bool] = []
        quoted, quotations, depth = False, 0, 0
        for token in doc:
            closes = quoted and (token.text in CLOSING or token.text == EITHER_WAY)
            if not quoted and (token.text in OPENING or token.text == EITHER_WAY):
                quoted, quotations = True, quotations + 1
            self.quotations.append(quotations if quoted else 0)
            quoted = quoted and not closes
            # An unclosed bracket must not swallow the rest of the text.
            depth = 0 if token.is_sent_start else depth
            depth = max(0, depth + (token.text in {"(", "["}) - (token.text in {")", "]"}))
            self.bracketed.append(depth > 0)


@dataclass(frozen=True, slots=True)
class PlacedMention:
    """A name of a chain, or a pronoun already linked to it, with its place in the parse."""

    start: int
    end: int
    chain: int
    root: Token
    anchor: Token  # the root, or what it is coordinated with or in apposition to
    role: str
    sentence: int
    clause: Token

    @property
    def in_main_clause(self) -> bool:
        return self.clause.dep_ == "ROOT" or (self.clause.dep_ == "conj" and self.clause.head.dep_ == "ROOT")

    @property
    def lone_word(self) -> bool:
        return self.end - self.start == 1

    @property
    def head(self) -> Token:
        """The word whose place in the sentence the mention takes: for an apposition, the noun that it explains."""
        return self.anchor if self.root.dep_ == "appos" else self.root


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A third-person pronoun with what the parse says of its surroundings."""

    token: Token
    gender: str
    case: str
    role: str
    sentence: int
    clause: Token
    ancestors: frozenset[int]
    subjects: tuple[int, ...]  # of its own clause, of the clause above, and so on
    own_subject: int | None  # only if stated in its own clause, not taken over from one above
    implied_subject: int | None  # who does what the clause tells, if it does not say so: "Ann met him, kissing him"

    @property
    def reflexive(self) -> bool:
        return self.token.lower_ in pack(self.token.lang_).pronouns.reflexive


def anchor_of(token: Token) -> Token:
    while token.dep_ in {"conj", "appos"} and token.head.i != token.i:
        token = token.head
    return token


def clause_of(token: Token) -> Token:
    while token.pos_ not in {"VERB", "AUX"} and token.head.i != token.i:
        token = token.head
    return token


def role_of(anchor: Token) -> str:
    relation = anchor.dep_
    if relation in SUBJECTS:
        return "subject"
    if relation in OBJECTS:
        return "object"
    if relation == "pobj":
        return "of_phrase" if anchor.head.lower_ in pack(anchor.lang_).function_words.of else "oblique"
    if relation == "poss":
        return "possessor"
    return "modifier" if relation in {"compound", "nmod", "amod"} else "other"


def case_of(token: Token) -> str:
    """Case of a third-person pronoun; the parse distinguishes the two uses of "her"."""
    word, known = token.lower_, pack(token.lang_).pronouns
    if word in known.nominative:
        return "nominative"
    unclear = word in known.accusative_or_possessive
    if word in known.accusative or (unclear and token.dep_ != "poss" and token.tag_ != "PRP$"):
        return "accusative"
    return "possessive"


def analysed_pronoun(token: Token, sentence: int) -> Pronoun:
    case, clause = case_of(token), clause_of(token)
    if case == "accusative" and token.dep_ in SUBJECTS:  # "let him go": the object of the verb above
        clause = clause_of(clause.head)
    subjects: list[int] = []
    own_subject = None
    above = clause
    while True:
        subject = next((t for t in above.children if t.dep_ in SUBJECTS and t.i != token.i), None)
        stands_for_noun = above.dep_ == "relcl" and subject is not None and subject.tag_ in WHO
        if stands_for_noun or (subject is None and above.dep_ == "acl"):
            subject = anchor_of(above.head)
        if subject is not None and subject.i not in subjects:
            subjects.append(subject.i)
            if above.i == clause.i:
                own_subject = subject.i
        if above.head.i == above.i:
            break
        above = clause_of(above.head)
    ancestors = frozenset(t.i for t in token.ancestors)
    gender, role = pronoun_genders(token.lang_)[token.lower_], role_of(anchor_of(token))
    implied = _implied_subject(clause) if own_subject is None else None
    return Pronoun(token, gender, case, role, sentence, clause, ancestors, tuple(subjects), own_subject, implied)


def _implied_subject(clause: Token) -> int | None:
    """Eve in "Ann asked Eve to help her", Ann in "Ann, to help her, left"."""
    above = clause_of(clause.head)
    if above.i == clause.i or clause.dep_ not in {"xcomp", "advcl", "pcomp", "conj"}:
        return None
    subject = next((t.i for t in above.children if t.dep_ in SUBJECTS), None)
    recipient = next((t.i for t in above.children if t.dep_ in GIVEN_TO), None) if clause.dep_ == "xcomp" else None
    return subject if recipient is None else recipient


def _nearest_subject(token: Token) -> int | None:
    """The last subject before the pronoun that may be a person, whether or not it is a candidate."""
    not_people = pack(token.lang_).pronouns.not_people
    for i in range(token.i - 1, max(-1, token.i - SUBJECT_SEARCH_TOKENS), -1):
        word = token.doc[i]
        is_nominal = word.pos_ in {"NOUN", "PROPN", "PRON"} and word.tag_ not in {"WDT", "WP", "EX"}
        if word.dep_ in SUBJECTS and is_nominal and word.lower_ not in not_people:
            return i
    return None


class PronounScene:
    """The pronoun among all mentions near it, in text order: what makes one chain stand out against the others.

    `links` are those of the governing subjects that are pronouns.
    """

    def __init__(
        self,
        pronoun: Pronoun,
        mentions: Sequence[PlacedMention],
        links: Mapping[int, Distribution],
        running: Running,
    ) -> None:
        self.pronoun, self.mentions, self.links, self.running = pronoun, mentions, links, running
        self.nearest_subject = _nearest_subject(pronoun.token)
        earlier = [m for m in mentions if m.end <= pronoun.token.i]
        self.recency: dict[int, int] = {}
        for mention in reversed(earlier):
            self.recency.setdefault(mention.chain, len(self.recency))
        subjects = [m for m in earlier if m.root.dep_ in SUBJECTS]
        before_sentence = [m for m in subjects if m.sentence < pronoun.sentence]
        ranked = [*Counter(m.chain for m in mentions).most_common(2), (None, 0), (None, 0)]
        self.prominent = {
            "last_subject": subjects[-1].chain if subjects else None,
            "last_subject_before_sentence": before_sentence[-1].chain if before_sentence else None,
            "most_mentioned": ranked[0][0] if ranked[0][1] > ranked[1][1] else None,
        }

    def features(self, chain: int, mentions: Sequence[PlacedMention]) -> Features:
        """Features of a chain; `mentions` are those near the pronoun, at least one, in text order."""
        at = self.pronoun.token.i
        earlier = [m for m in mentions if m.end <= at]
        later = [m for m in mentions if m.start > at]
        found: Features = {"mentions": math.log(len(mentions)), "earlier_mentions": math.log1p(len(earlier))}
        found |= {name: holder == chain for name, holder in self.prominent.items()}
        if earlier:
            found |= self._nearest(earlier[-1]) | self._between(earlier[-1]) | self._company(earlier[-1])
        else:
            found["no_earlier_mention"] = True
        if later:
            found |= self._later(later, bool(earlier))
        found |= self._structure(chain, mentions) | self._possessed(earlier) | self._quotation(mentions)
        found |= self._names(mentions) | self._shares(mentions)
        return {name: float(value) for name, value in found.items() if value}

    def _nearest(self, nearest: PlacedMention) -> Features:
        pronoun, role, main = self.pronoun, nearest.role, nearest.in_main_clause
        token, in_sentence = nearest.head, nearest.sentence == pronoun.sentence
        commands = in_sentence and token.i not in pronoun.ancestors and token.head.i in pronoun.ancestors
        return {
            "distance": math.log1p(pronoun.token.i - nearest.end),
            f"sentences_back_{min(pronoun.sentence - nearest.sentence, 3)}": True,
            f"recency_{min(self.recency[nearest.chain], 4)}": True,
            f"nearest_{role}": True,
            "nearest_main_clause" if main else "nearest_embedded": True,
            "nearest_main_subject" if main else "nearest_embedded_subject": role == "subject",
            "parallel_role": role == pronoun.role,
            f"nearest_{nearest.root.dep_}": nearest.root.dep_ in {"conj", "appos"},
            "commands_as_subject" if role == "subject" else "commands_otherwise": commands,
        }

    def _between(self, nearest: PlacedMention) -> Features:
        """Features of the way from the mention to the pronoun: words, clauses, people, the path through the parse."""
        pronoun, running, at = self.pronoun, self.running, self.pronoun.token.i
        others = {m.chain for m in self.mentions if nearest.end <= m.start < at} - {nearest.chain}
        clause, back = _CLAUSES.get(pronoun.clause.dep_, "other"), pronoun.sentence - nearest.sentence
        stated_twice = pronoun.token.dep_ in SUBJECTS and pronoun.clause.dep_ == "conj" and nearest.role == "subject"
        found: Features = {
            "chains_between": len(others),
            "verbs_between": math.log1p(running.verbs[at] - running.verbs[nearest.end]),
            "commas_between": math.log1p(running.commas[at] - running.commas[nearest.end]),
            f"before_main_{nearest.role}_{clause}": back == 1 and nearest.in_main_clause,
            "subject_stated_again": back == 0 and stated_twice,
        }
        if back == 0 and (path := _path(nearest.head, pronoun.token)) is not None:
            lengths = f"path_up_{min(len(path[0]), 4)}", f"path_down_{min(len(path[1]), 5)}"
            found |= dict.fromkeys((f"path_{_sides(*path)}", *lengths), True)
        return found

    def _company(self, nearest: PlacedMention) -> Features:
        """Surroundings of the mention: preposition, clause, title, co-ordination, descriptions."""
        root = nearest.root
        titles = pack(root.lang_).titles
        before = root.doc[nearest.start - 1].lower_.rstrip(".") if nearest.start else ""
        beside = {child.dep_ for child in root.children}
        named_beside = any(child.dep_ == "conj" and child.pos_ == "PROPN" for child in root.children)
        possesses = root.dep_ == "poss"
        return {
            "near_full_name": not nearest.lone_word,
            "near_passive": nearest.anchor.dep_ == "nsubjpass",
            "near_titled": before in titles.neutral or before in titles.male or before in titles.female,
            "near_coordinated": root.dep_ == "conj" or named_beside,
            "near_with_clause": not beside.isdisjoint({"relcl", "acl"}),
            "near_with_apposition": "appos" in beside,
            f"near_in_{_CLAUSES.get(nearest.clause.dep_, 'other')}": True,
            f"near_after_{nearest.anchor.head.lower_}": nearest.anchor.dep_ == "pobj",
            "near_possessor_of_kin": possesses and root.head.lower_ in pack(root.lang_).kinship.close,
            "near_possessor_of_subject": possesses and root.head.dep_ in SUBJECTS,
        }

    def _later(self, later: Sequence[PlacedMention], named_before: bool) -> Features:
        """Cataphora: "In his youth, John ..."."""
        pronoun, first = self.pronoun, later[0]
        in_sentence = [m for m in later if m.sentence == pronoun.sentence]
        found: Features = {"later_sentence": len(in_sentence) < len(later), "later_full_name": not first.lone_word}
        for mention in in_sentence:
            found[f"later_{mention.role if mention.role in {'subject', 'object'} else 'otherwise'}"] = True
            if mention.role == "subject" and mention.anchor.head.i in pronoun.ancestors:
                found["later_subject_above"] = True
        path = _path(first.root, pronoun.token) if first.sentence == pronoun.sentence else None
        if path is not None:
            found[f"later_path_{_sides(*path)}"] = True
            # "Among his guests were Ann and Tom"
            found["later_after_its_verb"] = pronoun.token.i < first.root.head.i < first.start
        if in_sentence:
            following = next(m for m in self.mentions if m.start > pronoun.token.i)
            found |= {"next_mention": following is in_sentence[0], "only_later": not named_before}
        return found

    def _structure(self, chain: int, mentions: Sequence[PlacedMention]) -> Features:
        pronoun, token, head = self.pronoun, self.pronoun.token, self.pronoun.token.head
        found: Features = {}
        bound = pronoun.case == "accusative" and not pronoun.reflexive and token.dep_ != "pobj"
        predicated = pronoun.case == "possessive" and head.dep_ in {"attr", "oprd"}
        if bound and any(m.anchor.i == pronoun.implied_subject for m in mentions):
            found["object_of_implied_subject"] = True
        for level, subject in enumerate(pronoun.subjects):
            named = any(m.anchor.i == subject and m.root.dep_ != "conj" for m in mentions)
            share = 1.0 if named else self.links.get(subject, {}).get(chain, 0.0)
            name = f"subject_{min(level, 3)}_up"
            found[name] = max(share, found.get(name, 0.0))
            if subject == pronoun.own_subject and (bound or predicated):
                found["object_of_own_subject" if bound else "predicated_of_possessor"] = share
        for mention in mentions:
            root = mention.root
            if root.i == self.nearest_subject:
                found["nearest_subject_of_all"] = True
            if mention.sentence != pronoun.sentence:
                continue
            if pronoun.case == "possessive":
                name_modifies_noun = root.dep_ in {"appos", "compound"} and root.head.i == head.i
                noun_modifies_name = head.dep_ in {"appos", "compound", "nmod"} and head.head.i == root.i
                if head.i == root.i or name_modifies_noun or noun_modifies_name:
                    found["own_phrase"] = True
                elif head.head.i == root.i and head.dep_ == "conj":
                    found["coordinated_with_possessed"] = True
                continue
            if _shares_clause(mention, token):
                found["in_same_clause"] = True
            if mention.start > token.i and any(a.i == head.i for a in root.ancestors):
                found["below_pronoun"] = True
        return found

    def _possessed(self, earlier: Sequence[PlacedMention]) -> Features:
        """The noun that a possessive possesses: "her sister", and whether that is a subject."""
        token, role = self.pronoun.token, earlier[-1].role if earlier else "later"
        return {
            f"kin_possessed_{role}": token.dep_ == "poss" and token.head.lower_ in pack(token.lang_).kinship.close,
            f"subject_possessed_{role}": token.dep_ == "poss" and token.head.dep_ in SUBJECTS,
        }

    def _quotation(self, mentions: Sequence[PlacedMention]) -> Features:
        """In direct speech the speaker is "I": "Ann said: `She is here`" is about another person."""
        quotations, pronoun = self.running.quotations, self.pronoun
        own = quotations[pronoun.token.i]
        inside = any(quotations[m.start] == own for m in mentions)
        near = [m for m in mentions if m.role == "subject" and abs(m.sentence - pronoun.sentence) <= 1]
        return {
            "in_same_quotation" if inside else "not_in_quotation": own > 0,
            "speaks": own > 0 and any(quotations[m.start] != own for m in near),
        }

    def _names(self, mentions: Sequence[PlacedMention]) -> Features:
        first = mentions[0]
        root = first.root
        kin = pack(root.lang_).kinship.close
        introducers = [t.lower_ for t in root.children] + [root.head.lower_] * (root.dep_ == "appos")
        return {
            "introduced_by_lone_name" if first.lone_word else "introduced_by_full_name": True,
            "introduced_as_kin": not kin.isdisjoint(introducers),
            "kin_of": any(m.role == "of_phrase" and m.anchor.head.head.lower_ in kin for m in mentions),
            "always_in_brackets": all(self.running.bracketed[m.start] for m in mentions),
        }

    def _shares(self, mentions: Sequence[PlacedMention]) -> Features:
        """How much of the text around the pronoun is about the chain."""
        pronoun = self.pronoun
        last = [m for m in self.mentions if m.end <= pronoun.token.i and m.sentence >= pronoun.sentence - 2]
        return {
            "share_of_last": sum(m.chain == mentions[0].chain for m in last) / max(1, len(last)),
            "share": len(mentions) / len(self.mentions),
            "named_first": self.mentions[0].chain == mentions[0].chain,
            "subject_mentions": math.log1p(sum(m.role == "subject" for m in mentions)),
            "possessor_mentions": math.log1p(sum(m.role == "possessor" for m in mentions)),
            "lone_share": sum(m.lone_word for m in mentions) / len(mentions),
        }


def _path(mention: Token, pronoun: Token) -> tuple[list[Token], list[Token]] | None:
    """The words from the mention and from the pronoun up to, not with, the lowest that is above both; else None."""
    above_mention = [mention, *mention.ancestors]
    above_pronoun = [pronoun, *pronoun.ancestors]
    place = {token.i: at for at, token in enumerate(above_mention)}
    meeting = next((at for at, token in enumerate(above_pronoun) if token.i in place), None)
    if meeting is None:
        return None
    return above_mention[: place[above_pronoun[meeting].i]], above_pronoun[:meeting]


def _sides(up: Sequence[Token], down: Sequence[Token]) -> str:
    """Relations of the two to the word where their paths meet: "subject_advcl" in "Ann fell when she ran"."""
    return "_".join(_RELATIONS.get(side[-1].dep_, "other") if side else "self" for side in (up, down))


def _shares_clause(mention: PlacedMention, pronoun: Token) -> bool:
    """ "Ann and she", "she and Ann", and by a relative clause "Ann, with whom she worked"."""
    root = mention.root
    beside = (pronoun.dep_ == "conj" and pronoun.head.i == root.i) or (root.dep_ == "conj" and root.head.i == pronoun.i)
    verb = pronoun.head
    relative = verb.dep_ == "relcl" and verb.head.i == root.i and pronoun.dep_ in SUBJECTS
    return beside or (relative and any(t.tag_ in WHO for t in pronoun.doc[verb.left_edge.i : pronoun.i]))
