"""Mentions of one document into chains: names, then appositions and definite descriptions, then pronouns.

Names decide who is there (name_chains.py). A description or a pronoun joins a chain only on evidence: syntax, earlier
descriptions of the entity, or nearness. Otherwise it stays outside.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from crossdoc.extract.gender import LIKELY_GENDER
from crossdoc.extract.mention_spans import (
    Chain,
    SpanMention,
    determiner_of,
    head_of,
    relative_clause,
    type_of_head,
)
from crossdoc.extract.name_chains import Entity, chain_names, name_text, name_tokens, sentence_numbers, titles_before
from crossdoc.extract.pronoun_features import clause_of
from crossdoc.extract.pronouns import Antecedent, PronounResolver
from crossdoc.lang import pack
from crossdoc.lang.en import COUNTRIES, STATES
from crossdoc.names import fold, parse_person, telling_words
from crossdoc.names.words import without_ordinary_words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# Longer sentences are tables or lists, in which nearness and syntax mean nothing.
LONGEST_SENTENCE = 250
SENTENCES_BACK_FOR_ROLE = 12
SENTENCES_BACK_FOR_GENERAL = 2
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
SURE_OF_PERSON = 0.5
"""From here on a pronoun that people and things share is a person's. Set by hand."""


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
    return type_of_head(head_of(doc, mention).lower_, doc.lang_) == "person" and not any(
        e.label_ == "PERSON" for e in mention.span(doc).ents
    )


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
        self.entity_at: dict[int, int] = {}
        self.starts: list[list[int]] = []
        for index, entity in enumerate(entities):
            self.starts.append([m.start for m in entity.mentions])
            for mention in entity.mentions:
                start, end = name_tokens(doc, mention)
                self.entity_at.update(dict.fromkeys(range(start, end), index))
            if entity.type == "person":
                self._read_titles(entity)

    def _read_titles(self, entity: Entity) -> None:
        for mention in entity.mentions:
            start, _ = name_tokens(self.doc, mention)
            for title in (fold(t) for t in titles_before(self.doc, start)):
                self._describe(entity, self.language.titles.role_of.get(title, title))
            for i in range(max(start - 3, 0), start):
                word = self.doc[i]
                if (
                    type_of_head(word.lower_, self.doc.lang_)
                    and word.dep_ in {"compound", "nmod"}
                    and start <= word.head.i < mention.end
                ):
                    self._describe(entity, word.lower_)

    def _describe(self, entity: Entity, role: str) -> None:
        entity.descriptors |= {role} | self.language.roles.same.get(role, frozenset())

    def _join(self, index: int, mention: SpanMention) -> None:
        entity = self.entities[index]
        at = bisect_left(self.starts[index], mention.start)
        self.starts[index].insert(at, mention.start)
        entity.mentions.insert(at, mention)

    # Nominals

    def place_nominal(self, mention: SpanMention) -> None:
        head = head_of(self.doc, mention)
        role = head.lower_
        index = self._by_syntax(head, mention)
        if index is not None:
            self._describe(self.entities[index], role)
            if not self.entities[index].gender:
                self.entities[index].gender = self._gender_of_role(role)
        elif determiner_of(head) == "definite":
            index = self._by_role(mention, role)
            if index is None and not _says_which(mention.span(self.doc)):
                if role in self.language.nominals.general:
                    index = self._by_nearness(mention, role)
                elif role in self.language.nominals.telling:
                    index = self._the_only_one(mention, head)
        if index is None:
            index = self._unnamed(mention, head)
        self._join(index, mention)
        self.entity_at.setdefault(head.i, index)

    def _by_syntax(self, head: Token, mention: SpanMention) -> int | None:
        """ "John Smith, the chairman", "the chairman, John Smith", "John Smith is the chairman"."""
        others: list[Token] = []
        if head.dep_ == "appos":
            others.append(head.head)
        others.extend(child for child in head.children if child.dep_ == "appos")
        if head.dep_ == "attr" and self._is_stated(head.head):
            others.extend(child for child in head.head.children if child.dep_ in SUBJECTS)
        if head.dep_ in {"compound", "nmod"} and mention.end <= head.head.i <= mention.end + 3:
            others.append(head.head)
        for other in others:
            index = self.entity_at.get(other.i)
            if (
                index is not None
                and self.entities[index].type == mention.type
                and self._gender_fits(index, head.lower_)
            ):
                return index
        return None

    def _is_stated(self, verb: Token) -> bool:
        return verb.lemma_ == self.language.statements.be and not any(c.dep_ == "neg" for c in verb.children)

    def _gender_fits(self, index: int, role: str) -> bool:
        gender, wanted = self.entities[index].gender, self._gender_of_role(role)
        return not gender or not wanted or gender == wanted

    def _before(self, index: int, at: int) -> int | None:
        """The last mention of the entity before a token."""
        position = bisect_left(self.starts[index], at)
        return self.starts[index][position - 1] if position else None

    def _by_role(self, mention: SpanMention, role: str) -> int | None:
        """The last mentioned entity that the text describes by this word, or whose name contains it."""
        best, best_at = None, -1
        for index, entity in enumerate(self.entities):
            last = self._before(index, mention.start)
            if entity.type != mention.type or last is None or last <= best_at or not entity.named:
                continue
            if self.sentence[mention.start] - self.sentence[last] > SENTENCES_BACK_FOR_ROLE:
                continue
            in_name = entity.type == "organisation" and any(
                {role, role + "s"} & self._words(m) for m in entity.mentions if m.kind == "name"
            )
            if role in entity.descriptors or in_name:
                best, best_at = index, last
        return best

    def _words(self, mention: SpanMention) -> set[str]:
        return set(telling_words(name_text(self.doc, mention)))

    def _by_nearness(self, mention: SpanMention, role: str) -> int | None:
        """The most prominent entity of the sentences just before."""
        best, best_score = None, 0.0
        for index, entity in enumerate(self.entities):
            last = self._before(index, mention.start)
            if entity.type != mention.type or last is None or not self._gender_fits(index, role):
                continue
            distance = self.sentence[mention.start] - self.sentence[last]
            if distance > SENTENCES_BACK_FOR_GENERAL or not self._kind_of_place_fits(entity, role):
                continue
            score = (
                10.0
                - 2.0 * distance
                + 1.5 * self._is_subject(last)
                + 0.3 * min(bisect_left(self.starts[index], mention.start), 5)
            )
            if entity.named and score > best_score:
                best, best_score = index, score
        return best

    def _the_only_one(self, mention: SpanMention, head: Token) -> int | None:
        """The one named entity in the sentences just before that may be called so, unless there are two."""
        fitting = [i for i in range(len(self.entities)) if self._may_be_called(i, mention, head)]
        return fitting[0] if len(fitting) == 1 else None

    def _may_be_called(self, index: int, mention: SpanMention, head: Token) -> bool:
        entity, last, role = self.entities[index], self._before(index, mention.start), head.lower_
        if last is None or not entity.named or not entity.type == mention.type == type_of_head(role, self.doc.lang_):
            return False
        if self.sentence[mention.start] - self.sentence[last] > SENTENCES_BACK_FOR_GENERAL:
            return False
        # "Ford negotiates with the union", "the bank" after "Ford Motor Company": another one.
        named = {word for m in entity.mentions if m.kind == "name" for word in self._words(m)}
        other_kind = entity.type == "organisation" and any(type_of_head(word, self.doc.lang_) for word in named)
        return self._gender_fits(index, role) and not other_kind and clause_of(self.doc[last]) != clause_of(head)

    def _kind_of_place_fits(self, entity: Entity, role: str) -> bool:
        if entity.type != "place":
            return True
        names = {name_text(self.doc, m) for m in entity.mentions if m.kind == "name"}
        is_country = bool(names & COUNTRIES) or bool(names & {"U.S.", "US", "U.K.", "UK"})
        if role in self.language.nominals.countries:
            return is_country
        if role in self.language.nominals.states:
            return bool(names & STATES)
        return not is_country and (not names & STATES or bool(names & {"New York", "Washington"}))

    def _is_subject(self, start: int) -> bool:
        token = self.doc[start]
        while token.dep_ in {"compound", "det", "poss", "amod", "nmod"} and token.head.i != token.i:
            token = token.head
        return token.dep_ in SUBJECTS

    def _unnamed(self, mention: SpanMention, head: Token) -> int:
        """An entity without a name: the one last called so, if the mention is definite, or else a new one."""
        if determiner_of(head) == "definite":
            for index in range(len(self.entities) - 1, -1, -1):
                entity = self.entities[index]
                if not entity.named and entity.type == mention.type and head.lower_ in entity.descriptors:
                    return index
        entity = Entity(mention.type, gender=self._gender_of_role(head.lower_), descriptors={head.lower_}, named=False)
        self.entities.append(entity)
        self.starts.append([])
        return len(self.entities) - 1

    # Pronouns

    def place_pronouns(self, pronouns: Sequence[SpanMention], title: str) -> list[str]:
        """Adds pronouns to entities; returns the gender of each entity."""
        if not self.doc.has_annotation("SENT_START"):
            return [entity.gender for entity in self.entities]
        known = self.language.pronouns
        wanted = {m.start: m for m in pronouns}
        resolver = PronounResolver(self.doc, self._people(), title=title)
        resolver.pronouns = [token for token in resolver.pronouns if self._in_real_sentence(token.i)]
        by_resolver = resolver.resolve_all() if any(self._is_personal(m) for m in pronouns) else {}
        for at, mention in sorted(wanted.items()):
            word = self.doc[at].lower_
            index: int | None = None
            if word in known.personal:
                index = by_resolver.get(at)
                sure = index is not None and resolver.distribution(self.doc[at])[index] > SURE_OF_PERSON
                if word in known.things_too and not sure:
                    thing = self._thing(self.doc[at])
                    index = index if thing is None else thing
            elif word in known.relative:
                index = self._relative(self.doc[at])
            elif word in known.thing or word in known.plural:
                index = self._thing(self.doc[at])
            if index is not None:
                mention.type = self.entities[index].type
                self._join(index, mention)
        return [self._gender(index, resolver) for index in range(len(self.entities))]

    def _is_personal(self, mention: SpanMention) -> bool:
        return self.doc[mention.start].lower_ in self.language.pronouns.personal

    def _people(self) -> list[Antecedent]:
        return [
            Antecedent(
                m.start, m.end, index, {"f": 0.98, "m": 0.02}.get(self._gender_of_role(head_of(self.doc, m).lower_))
            )
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

    def _relative(self, token: Token) -> int | None:
        verb = relative_clause(token)
        return self.entity_at.get(verb.head.i) if verb is not None else None

    def _thing(self, token: Token) -> int | None:
        """The organisation or place that "it" or "they" refers to: the subject just before, or none.

        In a language whose nouns have genders the pronoun's must be that of the name's article.
        """
        best, best_score = None, 2.0
        plural = token.lower_ in self.language.pronouns.plural
        for index, entity in enumerate(self.entities):
            last = self._before(index, token.i)
            if entity.type == "person" or last is None or (plural and entity.type == "place"):
                continue
            if not self._grammatical_gender_fits(entity, token):
                continue
            distance = self.sentence[token.i] - self.sentence[last]
            if distance > 1 or (plural and self._plural_between(last, token.i)):
                continue
            score = 1.5 * (distance == 0) + 2.0 * self._is_subject(last) + 0.5 * (entity.type == "organisation")
            score += 0.2 * min(bisect_left(self.starts[index], token.i), 5) - 0.01 * (token.i - last)
            score += 0.5 * (token.dep_ == "poss")
            if score > best_score:
                best, best_score = index, score
        return best

    def _grammatical_gender_fits(self, entity: Entity, pronoun: Token) -> bool:
        known = self.language.pronouns
        asked = "Masc" if pronoun.lower_ in known.masculine else "Fem" if pronoun.lower_ in known.feminine else ""
        roots = (mention.span(self.doc).root for mention in entity.mentions if mention.kind == "name")
        articles = (child for root in roots for child in root.lefts if child.dep_ == "det")
        genders = {gender for article in articles for gender in article.morph.get("Gender", [])}
        return not asked or not genders or asked in genders

    def _plural_between(self, start: int, end: int) -> bool:
        return any(self.doc[i].tag_ in {"NNS", "NNPS"} for i in range(start, end) if i not in self.entity_at)

    def _gender_of_role(self, role: str) -> str:
        known = self.language.nominals
        return "f" if role in known.female else "m" if role in known.male else ""
