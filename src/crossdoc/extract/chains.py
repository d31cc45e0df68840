"""Mentions of one document into chains: names, then appositions and definite descriptions, then pronouns.

Names decide who is there (name_chains.py). A description or a pronoun joins a chain only on evidence: syntax, earlier
descriptions of the entity, or nearness. Otherwise it stays outside.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from crossdoc.extract.gender import LIKELY_GENDER
from crossdoc.extract.mention_spans import (
    Chain,
    SpanMention,
    determiner_of,
    head_of,
    relative_clause,
    sentence_numbers,
    type_of_head,
)
from crossdoc.extract.name_chains import Entity, chain_names, name_text, name_tokens, titles_before
from crossdoc.extract.pronoun_features import clause_of
from crossdoc.extract.pronouns import Antecedent, PronounResolver
from crossdoc.lang import pack
from crossdoc.lang.en import COUNTRIES, STATES
from crossdoc.names import fold, parse_person, telling_words
from crossdoc.names.words import without_ordinary_words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

LONGEST_SENTENCE = 250
"""Tokens. Longer sentences are tables or lists, in which nearness and syntax mean nothing."""
SENTENCES_BACK_FOR_ROLE = 12
SENTENCES_BACK_FOR_GENERAL = 2
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
SURE_OF_PERSON = 0.5
"""From here on a pronoun that people and things share is a person's. Set by hand."""
FEDERATIONS = frozenset({"U.S.", "US", "U.K.", "UK"})


def build_chains(doc: Doc, mentions: Iterable[SpanMention], unnamed: bool = False, title: str = "") -> list[Chain]:
    """Chains in the order of their first mentions, each mention in one at most; the title is that of the document.

    Chains without any name are returned only with `unnamed`; a pronoun that nothing claims is in none.
    """
    ordered = sorted(mentions, key=lambda m: (m.start, m.end))
    roles = [m for m in ordered if m.kind == "name" and _is_role(doc, m)]
    builder = _ChainBuilder(doc, chain_names(doc, [m for m in ordered if m.kind == "name" and m not in roles]))
    for mention in ordered:
        if mention.kind == "nominal" or mention in roles:
            builder.place_nominal(mention)
    genders = builder.place_pronouns([m for m in ordered if m.kind == "pronoun"], title)
    chains = []
    for entity, gender in zip(builder.entities, genders, strict=True):
        if entity.named or (unnamed and entity.mentions):
            own = sorted(entity.mentions, key=lambda m: (m.start, m.end))
            chains.append(Chain(entity.type, _fullest_name(doc, entity), own, gender))
    return sorted(chains, key=lambda c: (c.mentions[0].start, c.mentions[0].end))


def _is_role(doc: Doc, mention: SpanMention) -> bool:
    """Whether what was given as a name is an office: "the Prime Minister of Canada"."""
    if mention.type != "person" or mention.end - mention.start < 2:
        return False
    is_name = any(entity.label_ == "PERSON" for entity in mention.span(doc).ents)
    return type_of_head(head_of(doc, mention).lower_, doc.lang_) == "person" and not is_name


def _fullest_name(doc: Doc, entity: Entity) -> str:
    names = [name_text(doc, m) for m in entity.mentions if m.kind == "name"]
    if not names:
        return max((m.text(doc) for m in entity.mentions), key=len)
    if entity.type == "person":
        plain = [name for name in names if without_ordinary_words(name) not in {*names} - {name}]
        return max(plain, key=lambda n: (bool(parse_person(n).first), len(n.split()), not n.isupper(), len(n)))
    return max(names, key=lambda n: (len(n.split()), not n.isupper(), len(n)))


def _says_which(phrase: Span) -> bool:
    """Whether a description says by itself whom it means: "the actress who left", "the Craiova-based car maker"."""
    clauses = [child for child in phrase.root.rights if child.dep_ in {"relcl", "acl"}]
    restrictive = any(phrase.doc[clause.left_edge.i - 1].text != "," for clause in clauses)
    return restrictive or any(token.pos_ == "PROPN" for token in phrase if token.i != phrase.root.i)


class _ChainBuilder:
    """The entities of a document while descriptions and pronouns are being added to them."""

    def __init__(self, doc: Doc, entities: list[Entity]) -> None:
        self.doc = doc
        self.language = pack(doc.lang_)
        self.entities = entities
        self.sentence = sentence_numbers(doc)
        self.sentence_length = Counter(self.sentence)
        self.entity_at: dict[int, Entity] = {}
        for entity in entities:
            for mention in entity.mentions:
                self.entity_at.update(dict.fromkeys(range(*name_tokens(doc, mention)), entity))
            if entity.type == "person":
                self._read_titles(entity)

    def _read_titles(self, entity: Entity) -> None:
        for mention in entity.mentions:
            start, _ = name_tokens(self.doc, mention)
            for title in (fold(t) for t in titles_before(self.doc, start)):
                self._describe(entity, self.language.titles.role_of.get(title, title))
            for word in self.doc[max(start - 3, 0) : start]:
                beside = word.dep_ in {"compound", "nmod"} and start <= word.head.i < mention.end
                if beside and type_of_head(word.lower_, self.doc.lang_):
                    self._describe(entity, word.lower_)

    def _describe(self, entity: Entity, role: str) -> None:
        entity.descriptors |= {role} | self.language.roles.same.get(role, frozenset())

    def _before(self, entity: Entity, at: int) -> list[SpanMention]:
        return entity.mentions[: bisect_left(entity.mentions, at, key=lambda m: m.start)]

    def _join(self, entity: Entity, mention: SpanMention) -> None:
        entity.mentions.insert(len(self._before(entity, mention.start)), mention)

    def _recent(self, at: int, types: Set[str], sentences_back: int) -> Iterator[tuple[Entity, int, int, int]]:
        """Entities mentioned just before a token: the last mention, how many sentences ago, and how often so far."""
        for entity in self.entities:
            earlier = self._before(entity, at) if entity.type in types else ()
            if earlier:
                last = earlier[-1].start
                distance = self.sentence[at] - self.sentence[last]
                if distance <= sentences_back:
                    yield entity, last, distance, len(earlier)

    # Nominals

    def place_nominal(self, mention: SpanMention) -> None:
        head = head_of(self.doc, mention)
        role, nominals = head.lower_, self.language.nominals
        entity = self._by_syntax(head, mention)
        if entity is not None:
            self._describe(entity, role)
            entity.gender = entity.gender or self._gender_of_role(role)
        elif determiner_of(head) == "definite":
            entity = self._by_role(mention, role)
            if entity is None and not _says_which(mention.span(self.doc)):
                if role in nominals.general:
                    entity = self._by_nearness(mention, role)
                elif role in nominals.telling:
                    entity = self._the_only_one(mention, head)
        if entity is None:
            entity = self._unnamed(mention, head)
        self._join(entity, mention)
        self.entity_at.setdefault(head.i, entity)

    def _by_syntax(self, head: Token, mention: SpanMention) -> Entity | None:
        """ "John Smith, the chairman", "the chairman, John Smith", "John Smith is the chairman"."""
        others: list[Token] = []
        if head.dep_ == "appos":
            others.append(head.head)
        others.extend(child for child in head.children if child.dep_ == "appos")
        if head.dep_ == "attr" and head.head.lemma_ == self.language.statements.be:
            clause = list(head.head.children)
            others.extend(child for child in clause if child.dep_ in SUBJECTS and all(c.dep_ != "neg" for c in clause))
        if head.dep_ in {"compound", "nmod"} and mention.end <= head.head.i <= mention.end + 3:
            others.append(head.head)
        found = [self.entity_at[other.i] for other in others if other.i in self.entity_at]
        fitting = (e for e in found if e.type == mention.type and self._gender_fits(e, head.lower_))
        return next(fitting, None)

    def _gender_fits(self, entity: Entity, role: str) -> bool:
        wanted = self._gender_of_role(role)
        return not entity.gender or not wanted or entity.gender == wanted

    def _gender_of_role(self, role: str) -> str:
        known = self.language.nominals
        return "f" if role in known.female else "m" if role in known.male else ""

    def _by_role(self, mention: SpanMention, role: str) -> Entity | None:
        """The last mentioned entity that the text describes by this word, or whose name contains it."""
        best, best_at = None, -1
        for entity, last, *_ in self._recent(mention.start, {mention.type}, SENTENCES_BACK_FOR_ROLE):
            in_name = entity.type == "organisation" and {role, role + "s"} & self._words_of_names(entity)
            if entity.named and last > best_at and (role in entity.descriptors or in_name):
                best, best_at = entity, last
        return best

    def _names(self, entity: Entity) -> set[str]:
        return {name_text(self.doc, m) for m in entity.mentions if m.kind == "name"}

    def _words_of_names(self, entity: Entity) -> set[str]:
        return {word for name in self._names(entity) for word in telling_words(name)}

    def _by_nearness(self, mention: SpanMention, role: str) -> Entity | None:
        """The most prominent entity of the sentences just before."""
        best, best_score = None, -math.inf
        for entity, last, distance, mentions in self._recent(mention.start, {mention.type}, SENTENCES_BACK_FOR_GENERAL):
            score = -2.0 * distance + 1.5 * self._is_subject(last) + 0.3 * min(mentions, 5)
            fits = entity.named and self._gender_fits(entity, role) and self._kind_of_place_fits(entity, role)
            if fits and score > best_score:
                best, best_score = entity, score
        return best

    def _the_only_one(self, mention: SpanMention, head: Token) -> Entity | None:
        """The one named entity in the sentences just before that may be called so, unless there are two."""
        if mention.type != type_of_head(head.lower_, self.doc.lang_):
            return None
        fitting = []
        for entity, last, *_ in self._recent(mention.start, {mention.type}, SENTENCES_BACK_FOR_GENERAL):
            # "Ford negotiates with the union", "the bank" after "Ford Motor Company": another one.
            words = self._words_of_names(entity) if entity.type == "organisation" else ()
            another = any(type_of_head(word, self.doc.lang_) for word in words)
            fits = entity.named and self._gender_fits(entity, head.lower_) and not another
            if fits and clause_of(self.doc[last]) != clause_of(head):
                fitting.append(entity)
        return fitting[0] if len(fitting) == 1 else None

    def _kind_of_place_fits(self, entity: Entity, role: str) -> bool:
        if entity.type != "place":
            return True
        names, known = self._names(entity), self.language.nominals
        is_country = bool(names & (COUNTRIES | FEDERATIONS))
        if role in known.countries:
            return is_country
        if role in known.states:
            return bool(names & STATES)
        return not is_country and (not names & STATES or bool(names & {"New York", "Washington"}))

    def _is_subject(self, start: int) -> bool:
        token = self.doc[start]
        while token.dep_ in {"compound", "det", "poss", "amod", "nmod"} and token.head.i != token.i:
            token = token.head
        return token.dep_ in SUBJECTS

    def _unnamed(self, mention: SpanMention, head: Token) -> Entity:
        """An entity without a name: the one last called so, if the mention is definite, or else a new one."""
        if determiner_of(head) == "definite":
            for entity in reversed(self.entities):
                if not entity.named and entity.type == mention.type and head.lower_ in entity.descriptors:
                    return entity
        gender = self._gender_of_role(head.lower_)
        self.entities.append(Entity(mention.type, gender=gender, descriptors={head.lower_}, named=False))
        return self.entities[-1]

    # Pronouns

    def place_pronouns(self, pronouns: Sequence[SpanMention], title: str) -> list[str]:
        """Adds pronouns to entities; returns the gender of each entity."""
        if not self.doc.has_annotation("SENT_START"):
            return [entity.gender for entity in self.entities]
        known = self.language.pronouns
        resolver = PronounResolver(self.doc, self._people(), title=title)
        resolver.pronouns = [token for token in resolver.pronouns if self._in_real_sentence(token.i)]
        if any(self.doc[m.start].lower_ in known.personal for m in pronouns):
            resolver.resolve_all()
        for mention in sorted({m.start: m for m in pronouns}.values(), key=lambda m: m.start):
            token = self.doc[mention.start]
            entity: Entity | None = None
            if token.lower_ in known.personal:
                index = resolver.resolve(token)
                entity = None if index is None else self.entities[index]
                sure = index is not None and resolver.distribution(token)[index] > SURE_OF_PERSON
                if token.lower_ in known.things_too and not sure:
                    entity = self._thing(token) or entity
            elif token.lower_ in known.relative:
                verb = relative_clause(token)
                entity = None if verb is None else self.entity_at.get(verb.head.i)
            elif token.lower_ in known.thing or token.lower_ in known.plural:
                entity = self._thing(token)
            if entity is not None:
                mention.type = entity.type
                self._join(entity, mention)
        return [self._gender(index, resolver) for index in range(len(self.entities))]

    def _people(self) -> list[Antecedent]:
        female = {"f": 0.98, "m": 0.02}
        return [
            Antecedent(m.start, m.end, index, female.get(self._gender_of_role(head_of(self.doc, m).lower_)))
            for index, entity in enumerate(self.entities)
            if entity.type == "person"
            for m in entity.mentions
            if self._in_real_sentence(m.start)
        ]

    def _in_real_sentence(self, at: int) -> bool:
        return self.sentence_length[self.sentence[at]] <= LONGEST_SENTENCE

    def _gender(self, index: int, resolver: PronounResolver) -> str:
        if self.entities[index].type != "person":
            return ""
        guess = resolver.gender_of(index)
        return "" if guess.confidence < LIKELY_GENDER else "f" if guess.female > 0.5 else "m"

    def _thing(self, token: Token) -> Entity | None:
        """The organisation or place that "it" or "they" refers to: the subject just before, or none.

        In a language whose nouns have genders the pronoun's must be that of the name's article.
        """
        best, best_score = None, 2.0
        plural = token.lower_ in self.language.pronouns.plural
        types = {"organisation"} if plural else {"organisation", "place"}
        for entity, last, distance, mentions in self._recent(token.i, types, 1):
            between = (self.doc[i] for i in range(last, token.i) if i not in self.entity_at)
            if plural and any(word.tag_ in {"NNS", "NNPS"} for word in between):
                continue
            if not self._grammatical_gender_fits(entity, token):
                continue
            score = 1.5 * (distance == 0) + 2.0 * self._is_subject(last) + 0.5 * (entity.type == "organisation")
            score += 0.2 * min(mentions, 5) - 0.01 * (token.i - last)
            score += 0.5 * (token.dep_ == "poss")
            if score > best_score:
                best, best_score = entity, score
        return best

    def _grammatical_gender_fits(self, entity: Entity, pronoun: Token) -> bool:
        known = self.language.pronouns
        asked = "Masc" if pronoun.lower_ in known.masculine else "Fem" if pronoun.lower_ in known.feminine else ""
        roots = (mention.span(self.doc).root for mention in entity.mentions if mention.kind == "name")
        articles = (child for root in roots for child in root.lefts if child.dep_ == "det")
        genders = {gender for article in articles for gender in article.morph.get("Gender", [])}
        return not asked or not genders or asked in genders
