"""spaCy: a corpus of Docs resolved, and a pipeline component that sets `span._.identity` against an existing answer."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span

from crossdoc import errors
from crossdoc.extract.given import chain_entities
from crossdoc.model import Document
from crossdoc.progress import Progress
from crossdoc.read.docbin import document_of
from crossdoc.run.resolution import Resolution
from crossdoc.run.resolve import resolve
from crossdoc.settings import Settings

EXTENSIONS = ("identity", "identity_name", "identity_certainty")
"""Attributes of a span, `span._.NAME`; None for an entity of a type that crossdoc does not resolve."""
BATCH = 64
"""Docs that a pipeline adds at once."""


def set_extensions() -> None:
    for name in EXTENSIONS:
        if not Span.has_extension(name):
            Span.set_extension(name, default=None)


def from_spacy(
    docs: Iterable[Doc],
    *,
    output: str | Path | None = None,
    settings: str | Path | Settings | None = None,
    progress: Progress | None = None,
) -> Resolution:
    """Resolve a corpus of spaCy Docs: their entities are the mentions, and get `span._.identity`.

    Parameters
    ----------
    docs : iterable of Doc
        The id of a document is ``doc.user_data["id"]``, else a hash of its text. Coreference clusters
        (``doc.spans["coref…"]``) and ``ent.kb_id_`` are kept as chains.
    output : path or None, default None
        The .crossdoc file to write; without it the answer stays in memory.
    settings : path or Settings or None, default None
        A crossdoc.toml, or a `Settings`.
    progress : Progress or None, default None
        Where progress is reported.

    Returns
    -------
    Resolution
        The answer.

    Examples
    --------
    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> _ = nlp.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Ann Lee"}])
    >>> docs = [nlp("Ann Lee sang in Rome."), nlp("In Rome, Ann Lee sang.")]
    >>> with from_spacy(docs) as answer:
    ...     [identity.name for identity in answer.identities()], docs[0].ents[0]._.identity_name
    (['Ann Lee'], 'Ann Lee')
    """
    listed = list(docs)
    if not listed or not all(isinstance(doc, Doc) for doc in listed):
        kind = type(listed[0]).__name__ if listed else "nothing"
        raise errors.not_an_input(kind, "spaCy Docs were expected")
    documents = [_document(doc) for doc in listed]
    answer = resolve(documents, output=output, settings=settings, progress=progress)
    _mark(listed, documents, answer)
    return answer


class CrossdocComponent:
    """Sets `span._.identity` of entities. The file is changed only with `write`; else a copy takes the documents in."""

    def __init__(self, resolution: str, write: bool = False) -> None:
        Resolution.open(resolution).close()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        path = Path(resolution)
        if not write:
            self._folder = tempfile.TemporaryDirectory(prefix="crossdoc-")
            path = Path(shutil.copy(path, self._folder.name))
        self.answer = Resolution.open(path)
        if not self.answer.store.count("documents"):
            self.answer.close()
            raise errors.other_kind_of_input(resolution, "profiles")

    def __call__(self, doc: Doc) -> Doc:
        self._take([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], batch_size: int = BATCH) -> Iterator[Doc]:
        """Yield docs with identities; a batch is added to the answer at once."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            self._take(batch)
            yield from batch

    def _take(self, docs: list[Doc]) -> None:
        documents = [_document(doc) for doc in docs]
        if named := [document for document in documents if document.mentions]:
            self.answer.add(named)
        _mark(docs, documents, self.answer)


def make_component(nlp: Language, name: str, resolution: str | None, write: bool) -> CrossdocComponent:
    """Return the component of `nlp.add_pipe("crossdoc", config={"resolution": "answer.crossdoc"})`."""
    if resolution is None:
        raise errors.component_needs_answer()
    set_extensions()
    return CrossdocComponent(resolution, write)


def _document(doc: Doc) -> Document:
    return document_of(doc, hashlib.sha256(doc.text.encode()).hexdigest()[:16], chain_entities)


def _mark(docs: list[Doc], documents: list[Document], answer: Resolution) -> None:
    set_extensions()
    wanted = {document.id for document in documents}
    rows: dict[tuple[str, int, int], dict[str, Any]] = {
        (row["document"], row["start"], row["end"]): row
        for row in answer.answer("mention").to_pylist() if row["document"] in wanted
    }  # fmt: skip
    for doc, document in zip(docs, documents, strict=True):
        for entity in doc.ents:
            row = rows.get((document.id, entity.start_char, entity.end_char), {})
            for extension, column in zip(EXTENSIONS, ("entity", "identity_name", "membership"), strict=True):
                entity._.set(extension, row.get(column))


Language.factory("crossdoc", default_config={"resolution": None, "write": False}, func=make_component)
