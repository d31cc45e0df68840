"""Documents that the user's own spaCy pipeline has annotated: a DocBin file, `DocBin(docs=…).to_disk("docs.spacy")`.

Its entities become the document's mentions. They are chained by coreference clusters (`doc.spans["coref…"]`) and by
`ent_kb_id_`; else, if the document is parsed, by the function `chain` (`extract/given.py` has crossdoc's); else by
their names.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

import spacy
from spacy.tokens import Doc, DocBin, Span

from crossdoc import errors
from crossdoc.model import Document, Mention, MentionKind
from crossdoc.read.profiles import ENTITY_TYPE_OF_LABEL
from crossdoc.read.sources import Source

COREFERENCE = "coref"
_TEXTS = ("title", "language", "date", "source")

Tokens = tuple[int, int]


ChainFunction = Callable[
    [Doc, Sequence[tuple[int, int, str]], Set[int]], Iterable[tuple[int, int, str, MentionKind, int]]
]
"""Chains the entities (start, end, type, in tokens) of a parsed document and other references to them. Tokens in the
set belong to the user's chains. Returns start, end, type, kind and the number of a chain."""


def read_docbin(source: Source, chain: ChainFunction | None = None) -> Iterator[Document]:
    """Yield documents in file order; an id is `doc.user_data["id"]`, or the file's with a running number."""
    with source.open() as stream:
        content = stream.read()
    collects = gc.isenabled()
    try:
        # The vocabulary of a language has lexical attributes that a DocBin does not keep.
        docs = DocBin().from_bytes(content).get_docs(spacy.blank("en").vocab)
        for number, doc in enumerate(docs, 1):
            yield document_of(doc, f"{source.id}/{number}", chain)
    except errors.CrossdocError:
        raise
    except Exception as error:
        # The unpacker disables the garbage collector, and leaves it disabled if it fails.
        if collects:
            gc.enable()
        # spaCy does not check its input, so a file that is no DocBin fails in many ways.
        raise errors.unreadable(source.path, f"it is not a DocBin of spaCy 3 ({type(error).__name__})") from error


def document_of(doc: Doc, id: str, chain: ChainFunction | None = None) -> Document:
    """Return a document with the entities of a Doc as mentions; `id` is used if its `user_data` have none."""
    # DocBin keeps user_data only with store_user_data=True.
    facts = {key: str(doc.user_data[key]) for key in ("id", *_TEXTS) if doc.user_data.get(key) is not None}
    id = facts.pop("id", id)
    return Document(id, doc.text, **facts, mentions=tuple(_mentions(id, doc, chain)))


def _mentions(id: str, doc: Doc, chain: ChainFunction | None) -> Iterator[Mention]:
    entities = [entity for entity in doc.ents if entity.label_.upper() in ENTITY_TYPE_OF_LABEL]
    given = dict(_given_chains(doc, entities))
    rest = [entity for entity in entities if (entity.start, entity.end) not in given]
    for (start, end), (type, key) in given.items():
        yield _mention(id, doc, start, end, type, _kind(doc[start:end], entities), key)
    if chain is not None and doc.has_annotation("DEP"):
        taken = {i for start, end in given for i in range(start, end)}
        for start, end, type, kind, number in chain(doc, [(e.start, e.end, _type(e)) for e in rest], taken):
            yield _mention(id, doc, start, end, type, kind, f"chain:{number}")
    else:
        yield from (_mention(id, doc, e.start, e.end, _type(e), "name", None) for e in rest)


def _given_chains(doc: Doc, entities: list[Span]) -> Iterator[tuple[Tokens, tuple[str, str]]]:
    """Yield (start, end), (type, chain) of the user's chains; a cluster without an entity is left out."""
    for entity in entities:
        if entity.kb_id_ and entity.kb_id_ != "NIL":
            yield (entity.start, entity.end), (_type(entity), f"kb:{entity.kb_id_}")
    for key in sorted(doc.spans):
        if not key.startswith(COREFERENCE):
            continue
        spans = list(doc.spans[key])
        named = [entity for entity in entities if any(_same(entity, span) for span in spans)]
        if not named:
            continue
        # Clusters with the same link are one chain.
        link = next((f"kb:{entity.kb_id_}" for entity in named if entity.kb_id_), key)
        for span in (*named, *(span for span in spans if not any(_same(entity, span) for entity in named))):
            yield (span.start, span.end), (_type(named[0]), link)


def _same(entity: Span, span: Span) -> bool:
    """Return whether an entity is the head of a span, as "John Smith" of "chairman John Smith"."""
    if span.doc.has_annotation("DEP"):
        return bool(entity.start <= span.root.i < entity.end)
    return bool(span.start <= entity.start and entity.end == span.end)


def _kind(span: Span, entities: list[Span]) -> MentionKind:
    if any(entity.start <= span.start and span.end <= entity.end for entity in entities):
        return "name"
    return "pronoun" if len(span) == 1 and span[0].pos_ in ("PRON", "") else "nominal"


def _type(entity: Span) -> str:
    return ENTITY_TYPE_OF_LABEL[entity.label_.upper()]


def _mention(id: str, doc: Doc, start: int, end: int, type: str, kind: MentionKind, chain: str | None) -> Mention:
    span = doc[start:end]
    return Mention.at(id, span.start_char, span.end_char, span.text, type, kind, chain)
