"""Mentions and chains of one parsed document, in tokens, and those that are no names.

Nominal mentions ("the company", "the senator") and pronouns are typed by their head word. Only singular heads, which a
chain of one person, organisation or place can have; chains.py decides to whom each refers.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from crossdoc.lang import DEFAULT, pack
from crossdoc.model import MentionKind

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token


@dataclass(slots=True)
class SpanMention:
    """A mention as tokens `start` … `end` − 1 of a parsed document."""

    start: int
    end: int
    type: str
    kind: MentionKind = "name"
    certain: bool = False
    """Whether the words next to a name have settled its type."""

    def span(self, doc: Doc) -> Span:
        return doc[self.start : self.end]

    def text(self, doc: Doc) -> str:
        return str(doc[self.start : self.end].text)


@dataclass(slots=True)
class Chain:
    """All mentions of one entity in one document, in text order; `name` is the fullest name it is given there."""

    type: str
    name: str
    mentions: list[SpanMention] = field(default_factory=list)
    gender: str = ""
    """'m', 'f' or '' where nothing tells."""


def sentence_numbers(doc: Doc) -> list[int]:
    """The number of the sentence that each token is in."""
    return [number - 1 for number in accumulate(bool(token.is_sent_start) or token.i == 0 for token in doc)]


_MODIFIERS = frozenset({"det", "amod", "compound", "poss", "nummod", "nmod", "case", "advmod", "punct"})


@cache
def _types(language: str) -> dict[str, str]:
    known = pack(language).nominals
    # "producer" and "publisher" can be either; a company is what news means by them less often.
    return {
        **dict.fromkeys(known.places, "place"),
        **dict.fromkeys(known.organisations, "organisation"),
        **dict.fromkeys(known.people, "person"),
    }


@lru_cache(maxsize=50_000)
def type_of_head(word: str, language: str = DEFAULT) -> str | None:
    """The entity type of a lower-case noun; compounds go by their last part.

    >>> type_of_head("co-founder"), type_of_head("planemaker"), type_of_head("fireman"), type_of_head("human")
    ('person', 'organisation', 'person', None)
    """
    listed, known = _types(language), pack(language).nominals
    found = listed.get(word) or listed.get(word.rpartition("-")[2])
    if found or word in known.no_compounds:
        return found
    return next((type_ for ending, type_ in known.endings.items() if word.endswith(ending) and len(word) > 5), None)


def find_nominals(doc: Doc, taken: Set[int]) -> Iterator[SpanMention]:
    """Phrases whose head is a listed noun: definite, possessed, in apposition, or a predicate ("is a senator")."""
    for token in doc:
        type_ = type_of_head(token.lower_, doc.lang_)
        if type_ is None or token.tag_ not in {"NN", "NNP"} or token.i in taken or token.dep_ in {"compound", "amod"}:
            continue
        start = _phrase_start(token)
        if start <= token.i and not any(i in taken for i in range(start, token.i + 1) if doc[i].dep_ != "poss"):
            yield SpanMention(start, token.i + 1, type_, "nominal")


def _phrase_start(head: Token) -> int:
    start = head.i
    for child in reversed(list(head.lefts)):
        if child.dep_ not in _MODIFIERS or child.text in {",", "--", ";"}:
            break
        start = min(start, child.left_edge.i)
    while start < head.i and (head.doc[start].is_space or head.doc[start].is_punct):
        start += 1
    return start


def head_of(doc: Doc, mention: SpanMention) -> Token:
    """The head word of a mention; a nominal found here ends with it."""
    return doc[mention.start : mention.end].root


def determiner_of(head: Token) -> str:
    """'definite', 'indefinite', 'possessed' or 'bare'."""
    for child in head.lefts:
        if child.dep_ == "poss":
            return "possessed"
        if child.dep_ == "det":
            return "definite" if child.lower_ in pack(child.lang_).function_words.definite else "indefinite"
    return "bare"


def find_pronouns(doc: Doc, taken: Set[int]) -> Iterator[SpanMention]:
    """Personal pronouns and "who", each by itself; the type is what they mostly stand for."""
    known = pack(doc.lang_).pronouns
    personal = known.personal
    for token in doc:
        word = token.lower_
        if token.i in taken or (word in known.empty and is_empty_subject(token)):
            continue
        if word in personal or (word in known.relative and relative_clause(token) is not None):
            yield SpanMention(
                token.i, token.i + 1, "organisation" if word in known.relative_of_things else "person", "pronoun"
            )
        elif word in known.plural or word in known.thing:
            yield SpanMention(token.i, token.i + 1, "organisation", "pronoun")


def relative_clause(token: Token) -> Token | None:
    """The verb of the relative clause that "who", "whose" or "which" opens."""
    verb = token
    while verb.dep_ != "relcl" and verb.head.i != verb.i:
        verb = verb.head
    return verb if verb.dep_ == "relcl" and verb.left_edge.i <= token.i else None


def is_empty_subject(token: Token) -> bool:
    """Whether "it" refers to nothing: "it rained", "it is likely that", "it seems"."""
    verb, language = token.head, pack(token.lang_)
    if token.dep_ == "expl" or verb.lemma_ in language.pronouns.empty_verbs:
        return True
    if token.lower_ not in language.pronouns.empty or token.dep_ not in {"nsubj", "nsubjpass"}:
        return False
    has_clause = any(child.dep_ in {"ccomp", "xcomp", "advcl", "csubj"} for child in verb.children)
    if verb.lemma_ == language.statements.be:
        predicate = [child for child in verb.children if child.dep_ in {"acomp", "attr"}]
        deeper = any(c.dep_ in {"ccomp", "xcomp", "relcl", "advcl", "acl"} for p in predicate for c in p.children)
        return bool(predicate) and (has_clause or deeper)
    return token.dep_ == "nsubjpass" and any(child.dep_ == "ccomp" for child in verb.children)
