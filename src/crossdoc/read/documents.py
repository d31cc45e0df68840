"""Batches of the `Documents` table from all formats: text, HTML, office documents, JSONL, CSV, Parquet, spaCy's DocBin,
and annotations of other tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, cast, get_args

from crossdoc import errors
from crossdoc.model import Document, Documents, Mention, MentionKind
from crossdoc.read.clean_text import LEAST_CERTAINTY, NotText, decode, html_to_text, identify_language, printable, tidy
from crossdoc.read.conll import read_conll2012
from crossdoc.read.office import read_office
from crossdoc.read.profiles import OTHER, read_type
from crossdoc.read.records import Problems, Record, RowNotes, UniqueIds, check_columns, rows
from crossdoc.read.sources import FOLDER_KINDS, READ_ERRORS, Source, reason

if TYPE_CHECKING:
    from crossdoc.read.docbin import ChainFunction


_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ].*)?)?)?$")
_BATCH_CHARACTERS = 4_000_000
_CHUNK_BYTES = 1 << 24
_RECORDS_TO_CHECK = 100


class DocumentReader:
    """Reads documents in batches. A file in a folder that cannot be read is left out and noted in `skipped`.

    A broken line or field in a table is an error, since its author can correct it. `chain` chains the entities of a
    DocBin whose documents are parsed; without it they are chained by their names. A part of the input (`is_part`) may
    have no document that can be read.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        batch_size: int = 256,
        max_document_characters: int = 20_000_000,
        chain: ChainFunction | None = None,
        is_part: bool = False,
    ) -> None:
        self.sources = sources
        self.is_part = is_part
        self.batch_size = batch_size
        self.max_document_characters = max_document_characters
        self.chain = chain
        self.skipped: list[str] = []
        self.notes: Counter[str] = Counter()
        self.rows = RowNotes()

    def __iter__(self) -> Iterator[Documents]:
        """Yield batches of at most `batch_size` documents and a few million characters; ids must be unique."""
        ids = UniqueIds()
        batch: list[Document] = []
        characters = 0
        for source, document in self._documents():
            ids.add(document.id, source)
            if ids.repeated:
                continue
            batch.append(document)
            characters += len(document.text)
            if len(batch) >= self.batch_size or characters > _BATCH_CHARACTERS:
                yield Documents.of(batch)
                batch, characters = [], 0
        ids.raise_if_repeated()
        if batch:
            yield Documents.of(batch)
        if not ids.seen and not self.is_part:
            raise nothing_read(self.sources, self.skipped)

    def _documents(self) -> Iterator[tuple[Source, Document]]:
        for source in self.sources:
            for document in self._read(source):
                yield source, self._complete(document)

    def _read(self, source: Source) -> Iterator[Document]:
        if source.kind == "docbin":
            # Only DocBin needs spaCy, which takes seconds to import.
            from crossdoc.read.docbin import read_docbin

            yield from read_docbin(source, self.chain)
        elif source.kind not in FOLDER_KINDS:
            yield from self._from_table(source)
        else:
            try:
                yield from self._from_folder_kind(source)
            except errors.InputError as problem:
                if len(self.sources) == 1 and not self.is_part:
                    raise
                self.skipped.append(problem.what)

    def _from_folder_kind(self, source: Source) -> Iterator[Document]:
        limit = self.max_document_characters
        if source.kind == "office":
            try:
                yield from read_office(source, limit, self.notes)
            except errors.UsageError as error:
                # A package is missing: a note for a file in a folder, an error for a single file.
                raise errors.InputError(f"{source.path}: {error.what} {error.hint}") from error
        elif source.kind == "conll2012":
            for document in read_conll2012(source):
                if len(document.text) > limit:
                    raise errors.too_large(f"{source.path}, document {document.id}", limit)
                yield replace(document, id=printable(document.id), text=printable(document.text))
        else:
            yield self._from_file(source)

    def _complete(self, document: Document) -> Document:
        if not document.text.strip():
            self.notes["empty documents"] += 1
            return document
        if document.language is None:
            return replace(document, language=identify_language(document.text, LEAST_CERTAINTY))
        return document

    def _from_file(self, source: Source) -> Document:
        limit = self.max_document_characters
        try:
            with source.open() as stream:
                # No encoding takes more than four bytes per character.
                raw = _read_at_most(stream, 4 * limit + 1)
            text = decode(raw, html=source.kind == "html") if len(raw) <= 4 * limit else None
            if text is None or len(text) > limit:
                raise errors.too_large(source.path, limit)
            title = None
            if source.kind == "html":
                text, title = html_to_text(text)
            return Document(source.id, tidy(text), title)
        except NotText as error:
            raise errors.undecodable(source.path, str(error)) from error
        except READ_ERRORS as error:
            raise errors.unreadable(source.path, reason(error)) from error

    def _from_table(self, source: Source) -> Iterator[Document]:
        problems, given = Problems(source, self.rows), set[str]()
        for number, (line, record) in enumerate(rows(source, problems)):
            if not number:
                check_columns(source, record, ["text", "name"])
                given = set(record)
            if "id" not in given and "id" not in record:
                record = {**record, "id": source.row_id(line)}
                self.rows.number(record["id"])
            document = self._from_record(Record(record, problems, line))
            if document is not None and not problems:
                yield document
        problems.raise_if_any()

    def _from_record(self, record: Record) -> Document | None:
        id, text = record.text("id", required=True), record.text("text", required=True, empty=True)
        optional = {name: record.text(name) for name in ("title", "language", "date", "source")}
        if optional["date"] and not _DATE.match(optional["date"]):
            self.notes["dates that are not ISO 8601 (ignored)"] += 1
            optional["date"] = None
        if text is not None and len(text) > self.max_document_characters:
            where = f"{record.problems.source.path}, line {record.line:,}"
            raise errors.too_large(where, self.max_document_characters)
        if id is None or text is None:
            return None
        mentions = given_mentions(record, id, text)
        return Document(id, text, **optional, mentions=mentions) if record.sound else None


def given_mentions(record: Record, document: str, text: str) -> tuple[Mention, ...] | None:
    """Return the mentions of a document's record, checked against its text."""
    given = record.fields.get("mentions")
    if given is None:
        return None
    if not isinstance(given, list):
        record.fault(f"the field 'mentions' must be a list, not {type(given).__name__}")
        return None
    mentions = []
    for number, item in enumerate(given, 1):
        if not isinstance(item, dict):
            record.fault(f"mention {number} must be an object, not {type(item).__name__}")
            continue
        inner = Record(item, record.problems, record.line, f"mention {number}: ")
        span, type_ = inner.span(text), read_type(inner)
        id, chain, kind = inner.texts("id", "chain", "kind")
        if span is None and inner.sound:
            inner.fault("'start' and 'end' must be whole numbers")
        if (kind or "name") not in get_args(MentionKind):
            inner.fault(f"the kind must be one of {', '.join(get_args(MentionKind))}, not {kind!r}")
        if span is not None and type_ != OTHER and inner.sound:
            id, named = id or f"{document}:{span[0]}:{span[1]}", cast(MentionKind, kind or "name")
            mentions.append(Mention(id, document, *span, text[slice(*span)], type_, named, chain))
    return tuple(mentions)


def _read_at_most(stream: BinaryIO, size: int) -> bytes:
    """Read in chunks, since a file object may reserve the requested size at once."""
    chunks: list[bytes] = []
    while size > 0 and (chunk := stream.read(min(size, _CHUNK_BYTES))):
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def nothing_read(sources: Sequence[Source], skipped: Sequence[str]) -> errors.CrossdocError:
    """Return the error that no document could be read."""
    if skipped:
        return errors.InputError("None of the files could be read:\n  " + "\n  ".join(skipped[:20]))
    return errors.no_records(", ".join(str(source.path) for source in sources[:3]), "document")


def holds_profiles(source: Source) -> bool:
    """Return whether a table holds profiles: its first records have names or contexts and no text."""
    if source.kind in (*FOLDER_KINDS, "docbin"):
        return False
    fields = {field for _, record in islice(rows(source, Problems(source)), _RECORDS_TO_CHECK) for field in record}
    return bool(fields & {"name", "context"}) and "text" not in fields
