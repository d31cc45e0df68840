"""Chains of entities that came with a parse: crossdoc's own chaining for documents of the user's spaCy pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from crossdoc.extract.chains import build_chains
from crossdoc.extract.nominals import find_nominals, find_pronouns
from crossdoc.extract.schemes import as_rules_read
from crossdoc.extract.spans import SpanMention
from crossdoc.model import MentionKind

if TYPE_CHECKING:
    from spacy.tokens import Doc


def chain_entities(
    doc: Doc, entities: Sequence[tuple[int, int, str]], taken: Set[int]
) -> Iterator[tuple[int, int, str, MentionKind, int]]:
    """(start, end, type, kind, chain) of entities, nominals and pronouns, in tokens; none stands where `taken` is."""
    doc = as_rules_read(doc)
    own = taken | {i for start, end, _ in entities for i in range(start, end)}
    found = [SpanMention(*entity) for entity in entities]
    found += [*find_nominals(doc, own), *find_pronouns(doc, own)]
    for number, chain in enumerate(build_chains(doc, found)):
        for mention in chain.mentions:
            yield mention.start, mention.end, chain.type, mention.kind, number
