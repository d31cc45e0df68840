"""Typed relations of a document's entities, with the sentence that states each: the ACE types of Huang et al. 2009.

A row of a language's nouns or verbs names a predicate and the slots in which its other end may stand. `descriptions`
finds whom a noun describes. A type is "list", "citizen", "family:wife", "employment:chairman" …: what stands after the
colon is, for kin, what the other is to the profile; for all else, what the person is to the organisation or place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from crossdoc.extract.descriptions import (
    Descriptions,
    affiliations_of,
    asserted,
    describing_nouns,
    entity_text,
    goes_on,
    subject,
    tokens_of,
    words_in_front,
)
from crossdoc.extract.mention_spans import Chain
from crossdoc.extract.mentions import TYPE_OF_LABEL
from crossdoc.lang import Row, pack
from crossdoc.model import Relation
from crossdoc.names.texts import Contact, without_contacts

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

PERSON, ORGANISATION = "person", "organisation"
POSSESSOR, MODIFIER, OBJECT = "'s", "+", "object"
IN_FRONT = ("poss", "compound", "nmod", "amod")
AFFILIATIONS = {"nationality": "citizen", "religion": "religion", "ethnicity": "ethnicity"}
_BEARERS = {"ownership": (PERSON, ORGANISATION)}
LONGEST_EVIDENCE = 400
MOST_CHAINS_IN_A_SENTENCE = 40
"""A "sentence" with more is a table or a list of results, in which standing together says little."""


def relations(
    doc: Doc,
    chains: Sequence[Chain],
    ids: Sequence[str | None],
    described: Descriptions,
    hidden: Sequence[Contact] = (),
) -> list[list[Relation]]:
    """The relations of each chain, in text order; `ids` are the profile ids of the chains.

    If the other end is a chain too, it gets the relation back. `described` are the `descriptions(doc)`; contact details
    that are `hidden` are masked in the evidence.
    """
    return _Reading(doc, chains, ids, described, hidden).relations()


class _Reading:
    """One document's chains, and what has been found of them so far."""

    def __init__(
        self,
        doc: Doc,
        chains: Sequence[Chain],
        ids: Sequence[str | None],
        described: Descriptions,
        hidden: Sequence[Contact],
    ) -> None:
        self.doc, self.chains, self.ids, self.described, self.hidden = doc, chains, ids, described, hidden
        self.language = pack(doc.lang_)
        self.text = doc.text
        self.found: list[dict[tuple[str, str, str | None], Relation]] = [{} for _ in chains]
        self.evidence: dict[int, str] = {}
        self.chain_of: dict[int, int] = {}
        # The shortest mention of a token is set last, and so wins: a name within a phrase keeps its own chain.
        mentions = [(mention, number) for number, chain in enumerate(chains) for mention in chain.mentions]
        for mention, number in sorted(mentions, key=lambda pair: pair[0].start - pair[0].end):
            self.chain_of.update(dict.fromkeys(tokens_of(doc, mention), number))
        self.bearers: dict[int, list[int]] = defaultdict(list)
        for bearer, nouns in described.items():
            for noun in nouns:
                self.bearers[noun].append(bearer)

    def relations(self) -> list[list[Relation]]:
        if self.chains and self.doc.has_annotation("DEP"):
            for kind, predicate, slot in find_slots(self.doc):
                self._read(kind, predicate, slot)
            self._affiliations()
            self._list()
        return [list(found.values()) for found in self.found]

    def _read(self, kind: str, predicate: Token, slot: Token) -> None:
        known, ends = self.language.relations, [slot]
        name = {"dobj": OBJECT, "poss": POSSESSOR, "prep": slot.lower_}.get(slot.dep_, MODIFIER)
        if slot.dep_ == "prep":
            ends = [child for child in slot.rights if child.dep_ == "pobj"]
        for other in ends:
            if kind == "name":
                self._state(known.beside_names, "", name, [predicate], other)
            elif kind == "noun":
                for noun in self._coordinated(predicate, slot):
                    self._state(known.nouns, noun.lemma_.lower(), name, self._holders(noun), other, noun)
            # "In the U.S., Smith said …" tells where the news is, not where he is.
            elif slot.i > predicate.i:
                self._read_verb(predicate, name, other)

    def _read_verb(self, verb: Token, slot: str, other: Token) -> None:
        clause = verb.head if verb.dep_ == "acomp" else verb
        who, passive = subject(clause)
        known = self.language.relations
        if verb.lemma_ in known.degree_verbs and not any(child.lemma_ in known.degrees for child in verb.rights):
            return
        if who is not None and asserted(clause):
            rows = [row for row in known.verbs if row.passive == passive]
            self._state(rows, verb.lemma_.lower(), slot, [who, *who.conjuncts], other)

    def _coordinated(self, noun: Token, slot: Token) -> list[Token]:
        """The noun and those that share its slot: "chairman and chief executive of IBM", "IBM's chairman and chief"."""
        between = (other for other in noun.conjuncts if other.i < slot.i or slot.i < noun.i < other.i)
        return [noun, *(other for other in between if not {"prep", "poss"} & {child.dep_ for child in other.children})]

    def _holders(self, noun: Token) -> list[Token]:
        if noun.lemma_ in self.language.relations.degrees and noun.dep_ == "dobj" and asserted(noun.head):
            who, _ = subject(noun.head)
            return [] if who is None else [who]
        itself = [noun] if noun.i in self.chain_of and not goes_on(noun) else []
        return [self.doc[index] for index in self.bearers.get(noun.i, ())] + itself

    def _whose(self, token: Token) -> list[int]:
        """The chains that a token refers to, itself or through the noun phrase it heads."""
        tokens = [token.i] if token.i in self.chain_of else self.bearers.get(token.i, ())
        return [self.chain_of[index] for index in tokens if index in self.chain_of]

    def _other_end(self, token: Token, wanted: str) -> tuple[str, int | None] | None:
        number = self.chain_of.get(token.i)
        if number is not None:
            return (self.chains[number].name, number) if self.chains[number].type == wanted else None
        if TYPE_OF_LABEL.get(token.ent_type_) == wanted:
            return without_contacts(entity_text(token)), None
        if token.lemma_.lower() in self.language.relations.bridges:
            inner = [child for child in token.children if child.dep_ in {"poss", "compound", "nmod"}]
            joints = [child for child in token.rights if child.lower_ in self.language.relations.bridge_prepositions]
            inner += [grand for child in joints for grand in child.rights]
            return next(filter(None, (self._other_end(child, wanted) for child in inner if child.ent_type_)), None)
        return None

    def _state(
        self, rows: Iterable[Row], word: str, slot: str, who: Iterable[Token], other: Token, noun: Token | None = None
    ) -> None:
        for row in rows:
            if slot not in row.slots or (word and word not in row.words):
                continue
            end = self._other_end(other, row.other)
            if end is None or (row.type == "education" and noun is None and not is_school(end[0], self.doc.lang_)):
                continue
            detail = row.detail if row.detail is not None else _role(noun or other)
            for number in dict.fromkeys(number for token in who for number in self._whose(token)):
                if number == end[1] or self.chains[number].type not in _BEARERS.get(row.type, (PERSON,)):
                    continue
                own = detail
                if row.type == "family" and noun is not None:
                    # `detail` is what the chain is to the other end.
                    gender = self.chains[end[1]].gender if end[1] is not None else ""
                    own = self.language.kinship.inverse_of(detail, gender)
                self._add(end[1], row.type, detail, (self.chains[number].name, number), other)
                self._add(number, row.type, own, end, other)

    def _affiliations(self) -> None:
        for number, chain in enumerate(self.chains):
            nouns = describing_nouns(self.doc, chain, self.described)
            for kind, text, word in affiliations_of(self.doc, chain, nouns) if chain.type == PERSON else ():
                if kind in AFFILIATIONS:
                    self._add(number, AFFILIATIONS[kind], "", (text, None), word)

    def _list(self) -> None:
        for sentence in self.doc.sents:
            present = dict.fromkeys(self.chain_of[i] for i in range(sentence.start, sentence.end) if i in self.chain_of)
            if len(present) > MOST_CHAINS_IN_A_SENTENCE:
                continue
            for one in present:
                for other in (each for each in present if each != one):
                    self._add(one, "list", "", (self.chains[other].name, other), sentence[0])

    def _add(self, number: int | None, type: str, detail: str, end: tuple[str, int | None], at: Token) -> None:
        name, other = end
        if number is None or not name:
            return
        profile = None if other is None else self.ids[other]
        full = f"{type}:{detail}" if detail else type
        if (full, name, profile) not in self.found[number]:
            self.found[number][full, name, profile] = Relation(full, name, profile, self._sentence(at))

    def _sentence(self, token: Token) -> str:
        sentence = token.sent
        if sentence.start not in self.evidence:
            end = min(sentence.end_char, sentence.start_char + LONGEST_EVIDENCE)
            text = without_contacts(self.text, self.hidden, sentence.start_char, end)
            self.evidence[sentence.start] = " ".join(text.split())
        return self.evidence[sentence.start]


def _role(noun: Token) -> str:
    """A role as a few words in lower case, without the organisation: "former vice chairman"."""
    language = pack(noun.lang_)
    words = [noun.lemma_.lower() if noun.tag_ == "NNS" else noun.lower_]
    for token in reversed(words_in_front(noun)):
        is_plain = token.dep_ in {"compound", "nmod"} and token.pos_ == "NOUN" and not token.ent_type_
        if (not is_plain or noun.lemma_ in language.kinship.nouns) and token.lower_ not in language.roles.adjectives:
            break
        words.insert(0, token.lower_)
    return " ".join(words)


@cache
def _predicates(language: str) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """The lemmas of predicates, nouns and verbs, and the words that may stand between each and its other end."""
    known = pack(language).relations
    found = {}
    for kind, rows in (("noun", known.nouns), ("verb", known.verbs), ("name", known.beside_names)):
        words = frozenset().union(*(row.words for row in rows))
        slots = frozenset().union(*(row.slots for row in rows)) - {POSSESSOR, MODIFIER, OBJECT}
        # A role in capitals is tagged as a name, and keeps its capital in the lemma.
        found[kind] = words | {word.capitalize() for word in words}, slots
    return found


def find_slots(doc: Doc) -> Iterator[tuple[str, Token, Token]]:
    """The kind of a predicate ("name": a name before a preposition), the predicate, and the word in one of its slots.

    The words before a name are slots of a role that stands before it, too: "GM chairman John Smith".
    """
    predicates = _predicates(doc.lang_)
    for token in doc:
        kinds = [kind for kind in ("noun", "verb") if token.lemma_ in predicates[kind][0]]
        kinds += ["name"] if token.pos_ == "PROPN" else []
        for child in token.children if kinds else ():
            for kind in kinds:
                relation = child.dep_
                if relation == "prep":
                    fits = child.lower_ in predicates[kind][1]
                else:
                    fits = (kind == "noun" and relation in IN_FRONT) or (kind == "verb" and relation == "dobj")
                if fits:
                    yield kind, token, child
        if "noun" in kinds and token.dep_ == "compound" and token.head.pos_ == "PROPN":
            others = (child for child in token.head.lefts if child.i < token.i and child.dep_ in IN_FRONT)
            yield from (("noun", token, child) for child in others)


def is_school(name: str, language: str) -> bool:
    schools = pack(language).relations.schools
    return any(word in schools for word in name.lower().replace(",", " ").split())
