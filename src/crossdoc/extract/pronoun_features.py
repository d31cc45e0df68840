"""Named features of a (pronoun, chain of mentions) pair for the pronoun resolver, read off the dependency parse.

They follow the salience factors of Lappin & Leass 1994 (aclanthology J94-4002) and the binding constraints.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from crossdoc.lang import pack

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Features = dict[str, float]
Distribution = Mapping[int | None, float]


FEMININE, MASCULINE, EITHER, PLURAL = "feminine", "masculine", "either", "plural"
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
OBJECTS = frozenset({"dobj", "dative", "attr", "oprd"})
GIVEN_TO = frozenset({"dobj", "dative"})
SUBJECT_SEARCH_TOKENS = 60


@cache
def pronoun_genders(language: str) -> dict[str, str]:
    """The gender or number of each personal pronoun."""
    known = pack(language).pronouns
    lists = ((known.masculine, MASCULINE), (known.feminine, FEMININE), (known.either, EITHER), (known.plural, PLURAL))
    return {word: gender for words, gender in lists for word in words}


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
    bracketed: bool

    @property
    def plain_subject(self) -> bool:
        return self.root.dep_ in SUBJECTS

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
        stands_for_noun = above.dep_ == "relcl" and subject is not None and subject.tag_ in {"WP", "WDT"}
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
    subject = next((t.i for t in above.children if t.dep_ in SUBJECTS), None)
    if above.i == clause.i or clause.dep_ not in {"xcomp", "advcl", "pcomp", "conj"}:
        return None
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


@dataclass(frozen=True, slots=True)
class Running:
    """How many verbs and how many commas and the like a document has before each of its tokens, and in which of its
    quotations each stands, 0 in none."""

    verbs: Sequence[int]
    commas: Sequence[int]
    quotations: Sequence[int]

    @classmethod
    def of(cls, doc: Doc) -> Running:
        verbs = accumulate((token.pos_ == "VERB" for token in doc), initial=0)
        commas = accumulate((token.text in {",", ";", ":"} for token in doc), initial=0)
        return cls(list(verbs), list(commas), _quotations(doc))


OPENING, CLOSING, EITHER_WAY = frozenset("“„«`"), frozenset({"”", "»", "''"}), '"'


def _quotations(doc: Doc) -> list[int]:
    inside, number = False, 0
    found = []
    for token in doc:
        closes = inside and (token.text in CLOSING or token.text == EITHER_WAY)
        if not inside and (token.text in OPENING or token.text == EITHER_WAY):
            inside, number = True, number + 1
        found.append(number if inside else 0)
        inside = inside and not closes
    return found


@dataclass(slots=True)
class PronounScene:
    """The pronoun among all mentions near it: what makes one chain stand out against the others."""

    pronoun: Pronoun
    mentions: Sequence[PlacedMention]  # in text order
    links: Mapping[int, Distribution]  # those of the governing subjects that are pronouns
    running: Running
    recency: dict[int, int] = field(init=False)
    counts: Counter[int] = field(init=False)
    prominent: dict[str, int | None] = field(init=False)
    nearest_subject: int | None = field(init=False)

    def __post_init__(self) -> None:
        at, sentence = self.pronoun.token.i, self.pronoun.sentence
        earlier = [m for m in self.mentions if m.end <= at]
        self.recency = {}
        for mention in reversed(earlier):
            self.recency.setdefault(mention.chain, len(self.recency))
        self.counts = Counter(m.chain for m in self.mentions)
        self.nearest_subject = _nearest_subject(self.pronoun.token)
        ranked = self.counts.most_common(2)
        subjects = [m for m in earlier if m.plain_subject]
        before_sentence = [m for m in subjects if m.sentence < sentence]
        self.prominent = {
            "last_subject": subjects[-1].chain if subjects else None,
            "last_subject_before_sentence": before_sentence[-1].chain if before_sentence else None,
            "most_mentioned": ranked[0][0] if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]) else None,
        }


def chain_features(scene: PronounScene, chain: int, mentions: Sequence[PlacedMention]) -> Features:
    """Features of the pair; `mentions` are those of the chain near the pronoun, at least one, in text order."""
    at = scene.pronoun.token.i
    earlier = [m for m in mentions if m.end <= at]
    later = [m for m in mentions if m.start > at]
    features: Features = {"mentions": math.log(len(mentions)), "earlier_mentions": math.log1p(len(earlier))}
    features.update((name, 1.0) for name, holder in scene.prominent.items() if holder == chain)
    if earlier:
        features.update(_nearest_features(scene, earlier[-1]))
        features.update(_between_features(scene, earlier[-1]))
        features.update(_stated(_company_facts(earlier[-1])))
    else:
        features["no_earlier_mention"] = 1.0
    if later:
        features.update(_stated(_later_facts(scene, later, bool(earlier))))
    features.update(_structure_features(scene, chain, mentions))
    features.update(_stated(_possessed_facts(scene, earlier)))
    features.update(_quotation_features(scene, mentions))
    features.update(_stated(_name_facts(mentions)))
    features.update(_share_features(scene, mentions))
    return features


def _stated(facts: Mapping[str, bool]) -> Features:
    """Facts as features: those that hold have the value 1."""
    return {name: 1.0 for name, holds in facts.items() if holds}


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


def _between_features(scene: PronounScene, nearest: PlacedMention) -> Features:
    """Features of the way from the mention to the pronoun: words, clauses, people, and the path through the parse."""
    pronoun, running, at = scene.pronoun, scene.running, scene.pronoun.token.i
    others = {m.chain for m in scene.mentions if nearest.end <= m.start < at} - {nearest.chain}
    features: Features = {
        "chains_between": float(len(others)),
        "verbs_between": math.log1p(running.verbs[at] - running.verbs[nearest.end]),
        "commas_between": math.log1p(running.commas[at] - running.commas[nearest.end]),
    }
    back = pronoun.sentence - nearest.sentence
    facts: dict[str, bool] = {}
    if back == 0 and (path := _path(nearest.head, pronoun.token)) is not None:
        lengths = f"path_up_{min(len(path[0]), 4)}", f"path_down_{min(len(path[1]), 5)}"
        facts |= dict.fromkeys((f"path_{_sides(*path)}", *lengths), True)
    stated_twice = pronoun.token.dep_ in SUBJECTS and pronoun.clause.dep_ == "conj" and nearest.role == "subject"
    clause = _CLAUSES.get(pronoun.clause.dep_, "other")
    facts[f"before_main_{nearest.role}_{clause}"] = back == 1 and nearest.in_main_clause
    facts["subject_stated_again"] = back == 0 and stated_twice
    return features | _stated(facts)


def _company_facts(nearest: PlacedMention) -> dict[str, bool]:
    """Surroundings of the mention: preposition, clause, title, co-ordination, descriptions."""
    root = nearest.root
    titles = pack(root.lang_).titles
    before = root.doc[nearest.start - 1].lower_.rstrip(".") if nearest.start else ""
    beside = {child.dep_ for child in root.children}
    named_beside = any(child.dep_ == "conj" and child.pos_ == "PROPN" for child in root.children)
    facts = {
        "near_full_name": not nearest.lone_word,
        "near_passive": nearest.anchor.dep_ == "nsubjpass",
        "near_titled": before in titles.neutral or before in titles.male or before in titles.female,
        "near_coordinated": root.dep_ == "conj" or named_beside,
        "near_with_clause": not beside.isdisjoint({"relcl", "acl"}),
        "near_with_apposition": "appos" in beside,
        f"near_in_{_CLAUSES.get(nearest.clause.dep_, 'other')}": True,
        f"near_after_{nearest.anchor.head.lower_}": nearest.anchor.dep_ == "pobj",
    }
    if root.dep_ == "poss":
        facts["near_possessor_of_kin"] = root.head.lower_ in pack(root.lang_).kinship.close
        facts["near_possessor_of_subject"] = root.head.dep_ in SUBJECTS
    return facts


def _possessed_facts(scene: PronounScene, earlier: Sequence[PlacedMention]) -> dict[str, bool]:
    """The noun that a possessive possesses: "her sister", and whether that is a subject."""
    token = scene.pronoun.token
    if token.dep_ != "poss":
        return {}
    role = earlier[-1].role if earlier else "later"
    return {
        f"kin_possessed_{role}": token.head.lower_ in pack(token.lang_).kinship.close,
        f"subject_possessed_{role}": token.head.dep_ in SUBJECTS,
    }


def _quotation_features(scene: PronounScene, mentions: Sequence[PlacedMention]) -> Features:
    """In direct speech the speaker is "I": "Ann said: `She is here`" is about another person."""
    quotations, pronoun = scene.running.quotations, scene.pronoun
    own = quotations[pronoun.token.i]
    if not own:
        return {}
    inside = any(quotations[m.start] == own for m in mentions)
    speaks = any(
        m.role == "subject" and quotations[m.start] != own and abs(m.sentence - pronoun.sentence) <= 1 for m in mentions
    )
    return {"in_same_quotation" if inside else "not_in_quotation": 1.0, "speaks": 1.0 * speaks}


def _share_features(scene: PronounScene, mentions: Sequence[PlacedMention]) -> Features:
    """How much of the text around the pronoun is about the chain."""
    pronoun = scene.pronoun
    last = [m for m in scene.mentions if m.end <= pronoun.token.i and m.sentence >= pronoun.sentence - 2]
    return {
        "share_of_last": sum(m.chain == mentions[0].chain for m in last) / max(1, len(last)),
        "share": len(mentions) / len(scene.mentions),
        "named_first": 1.0 * (scene.mentions[0].chain == mentions[0].chain),
        "subject_mentions": math.log1p(sum(m.role == "subject" for m in mentions)),
        "possessor_mentions": math.log1p(sum(m.role == "possessor" for m in mentions)),
        "lone_share": sum(m.lone_word for m in mentions) / len(mentions),
    }


def _nearest_features(scene: PronounScene, nearest: PlacedMention) -> Features:
    pronoun, role, main = scene.pronoun, nearest.role, nearest.in_main_clause
    token = nearest.head
    commands = nearest.sentence == pronoun.sentence and (
        token.i not in pronoun.ancestors and token.head.i in pronoun.ancestors
    )
    facts = {
        f"sentences_back_{min(pronoun.sentence - nearest.sentence, 3)}": True,
        f"recency_{min(scene.recency[nearest.chain], 4)}": True,
        f"nearest_{role}": True,
        "nearest_main_clause" if main else "nearest_embedded": True,
        "nearest_main_subject" if main else "nearest_embedded_subject": role == "subject",
        "parallel_role": role == pronoun.role,
        f"nearest_{nearest.root.dep_}": nearest.root.dep_ in {"conj", "appos"},
        "commands_as_subject" if role == "subject" else "commands_otherwise": commands,
    }
    return {"distance": math.log1p(pronoun.token.i - nearest.end), **_stated(facts)}


def _later_facts(scene: PronounScene, later: Sequence[PlacedMention], named_before: bool) -> dict[str, bool]:
    """Cataphora: "In his youth, John ..."."""
    pronoun, first = scene.pronoun, later[0]
    in_sentence = [m for m in later if m.sentence == pronoun.sentence]
    facts = {"later_sentence": len(in_sentence) < len(later)}
    for mention in in_sentence:
        facts[f"later_{mention.role if mention.role in {'subject', 'object'} else 'otherwise'}"] = True
        if mention.role == "subject" and mention.anchor.head.i in pronoun.ancestors:
            facts["later_subject_above"] = True
    path = _path(first.root, pronoun.token) if first.sentence == pronoun.sentence else None
    if path is not None:
        facts[f"later_path_{_sides(*path)}"] = True
        # "Among his guests were Ann and Tom"
        facts["later_after_its_verb"] = pronoun.token.i < first.root.head.i < first.start
    facts["later_full_name"] = not first.lone_word
    if in_sentence:
        following = next(m for m in scene.mentions if m.start > pronoun.token.i)
        facts["next_mention"] = following is in_sentence[0]
        facts["only_later"] = not named_before
    return facts


def _structure_features(scene: PronounScene, chain: int, mentions: Sequence[PlacedMention]) -> Features:
    pronoun, token, head = scene.pronoun, scene.pronoun.token, scene.pronoun.token.head
    features: Features = {}
    bound = pronoun.case == "accusative" and not pronoun.reflexive and token.dep_ != "pobj"
    predicated = pronoun.case == "possessive" and head.dep_ in {"attr", "oprd"}
    if bound and any(m.anchor.i == pronoun.implied_subject for m in mentions):
        features["object_of_implied_subject"] = 1.0
    for level, subject in enumerate(pronoun.subjects):
        named = any(m.anchor.i == subject and m.root.dep_ != "conj" for m in mentions)
        share = 1.0 if named else scene.links.get(subject, {}).get(chain, 0.0)
        if share:
            name = f"subject_{min(level, 3)}_up"
            features[name] = max(share, features.get(name, 0.0))
            if subject == pronoun.own_subject and (bound or predicated):
                features["object_of_own_subject" if bound else "predicated_of_possessor"] = share
    for mention in mentions:
        root = mention.root
        if root.i == scene.nearest_subject:
            features["nearest_subject_of_all"] = 1.0
        if mention.sentence != pronoun.sentence:
            continue
        if pronoun.case != "possessive" and _shares_clause(mention, token):
            features["in_same_clause"] = 1.0
        if mention.start > token.i and pronoun.case != "possessive" and any(a.i == head.i for a in root.ancestors):
            features["below_pronoun"] = 1.0
        if pronoun.case == "possessive":
            name_modifies_noun = root.dep_ in {"appos", "compound"} and root.head.i == head.i
            noun_modifies_name = head.dep_ in {"appos", "compound", "nmod"} and head.head.i == root.i
            if head.i == root.i or name_modifies_noun or noun_modifies_name:
                features["own_phrase"] = 1.0
            elif head.head.i == root.i and head.dep_ == "conj":
                features["coordinated_with_possessed"] = 1.0
    return features


def _shares_clause(mention: PlacedMention, pronoun: Token) -> bool:
    """ "Ann and she", "she and Ann", and by a relative clause "Ann, with whom she worked"."""
    root = mention.root
    beside = (pronoun.dep_ == "conj" and pronoun.head.i == root.i) or (root.dep_ == "conj" and root.head.i == pronoun.i)
    verb = pronoun.head
    relative = verb.dep_ == "relcl" and verb.head.i == root.i and pronoun.dep_ in SUBJECTS
    return beside or (relative and any(t.tag_ in {"WP", "WDT"} for t in pronoun.doc[verb.left_edge.i : pronoun.i]))


def _name_facts(mentions: Sequence[PlacedMention]) -> dict[str, bool]:
    first = mentions[0]
    root = first.root
    kin = pack(root.lang_).kinship.close
    introducers = [t.lower_ for t in root.children] + [root.head.lower_] * (root.dep_ == "appos")
    return {
        "introduced_by_lone_name" if first.lone_word else "introduced_by_full_name": True,
        "introduced_as_kin": not kin.isdisjoint(introducers),
        "kin_of": any(m.role == "of_phrase" and m.anchor.head.head.lower_ in kin for m in mentions),
        "always_in_brackets": all(m.bracketed for m in mentions),
    }
