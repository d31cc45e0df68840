"""Mentions that came with documents, without who is who in them, through the within-document resolver (`chains.py`).

Names alone are chained by whether they agree (`extractor.py`), which needs no parse. Where descriptions or pronouns are
among them, the text is parsed: "she" and "the actress" are somebody whom the document names, and no names themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from crossdoc.extract import models
from crossdoc.extract.chains import build_chains
from crossdoc.extract.pieces import PIECE_CHARACTERS, without_runs
from crossdoc.extract.schemes import as_rules_read
from crossdoc.extract.spans import SpanMention
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Document, Mention, MentionKind
from crossdoc.names.heads import is_description

Chains = list[list[Mention]]
AT_ONCE = 32


def resolved(documents: Iterable[Document], language_model: str | None = None) -> dict[str, Chains]:
    """By document, the chains of those that the resolver is for: every mention in one, in the order of the text."""
    by_model: dict[str, list[Document]] = {}
    for document in documents:
        known = [replace(mention, kind=kind_of(mention, document.language)) for mention in document.mentions or ()]
        if _wants_parse(document, known) and not models.lacks_model(document.language, language_model):
            model = models.model_for(document.language, language_model)
            by_model.setdefault(model, []).append(replace(document, mentions=tuple(known)))
    found: dict[str, Chains] = {}
    for model, rows in by_model.items():
        for first in range(0, len(rows), AT_ONCE):
            some = rows[first : first + AT_ONCE]
            found.update(zip((document.id for document in some), _chained(model, some), strict=True))
    return found


def kind_of(mention: Mention, language: str | None) -> MentionKind:
    """The kind of a mention, of one that is given as a name by how it is written.

    >>> said = [Mention(w, "d", 0, 1, w) for w in ("She", "the actress", "Tara Reid")]
    >>> [kind_of(mention, "en") for mention in said]
    ['pronoun', 'nominal', 'name']
    """
    known = pack(language or DEFAULT).pronouns
    if mention.kind != "name" or (language or DEFAULT) != DEFAULT:
        return mention.kind
    pronouns = known.personal | known.thing | known.plural | known.relative | known.speakers
    if mention.text in pronouns or mention.text in {word.capitalize() for word in pronouns}:
        return "pronoun"
    return "nominal" if is_description(mention.text) else "name"


def _wants_parse(document: Document, mentions: Sequence[Mention]) -> bool:
    """Whether nobody said who is who, and the mentions are more than names; very long texts are not parsed."""
    open_ = all(mention.chain is None for mention in mentions) and len(document.text) <= PIECE_CHARACTERS
    return open_ and len(mentions) > 1 and any(mention.kind != "name" for mention in mentions)


def _chained(model: str, documents: Sequence[Document]) -> Iterator[Chains]:
    nlp = models.load(model)
    with nlp.memory_zone():
        texts = (without_runs(document.text) for document in documents)
        for document, doc in zip(documents, nlp.pipe(texts), strict=True):
            read = as_rules_read(doc)
            mention_of: dict[int, Mention] = {}
            spans = []
            for mention in document.mentions or ():
                place = read.char_span(mention.start, mention.end, alignment_mode="expand")
                if place is not None:
                    spans.append(SpanMention(place.start, place.end, mention.type or "person", mention.kind))
                    mention_of[id(spans[-1])] = mention
            chains = [[mention_of[id(span)] for span in c.mentions] for c in build_chains(read, spans, unnamed=True)]
            placed = {mention.id for chain in chains for mention in chain}
            chains += [[mention] for mention in document.mentions or () if mention.id not in placed]
            yield sorted(chains, key=lambda chain: (chain[0].start, chain[0].end))
