"""Batches of the `Documents` table from all formats: text, HTML, office documents, JSONL, CSV, Parquet, spaCy's DocBin,
annotations of other tools, and formats of installed packages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, TypeGuard, cast, get_args

from crossdoc import errors
from crossdoc.model import Document, Documents, Mention, MentionKind
from crossdoc.read.annotated import read_annotated
from crossdoc.read.clean_text import LEAST_CERTAINTY, NotText, decode, html_to_text, identify_language, printable, tidy
from crossdoc.read.formats import read_added
from crossdoc.read.office import read_office
from crossdoc.read.profiles import OTHER, read_type
from crossdoc.read.records import Problems, RowNotes, UniqueIds, as_text, check_columns, rows
from crossdoc.read.sources import ANNOTATED, FOLDER_KINDS, READ_ERRORS, Source, reason

if TYPE_CHECKING:
    from crossdoc.read.docbin import ChainFunction

_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ].*)?)?)?$")
_BATCH_CHARACTERS = 4_000_000
_CHUNK_BYTES = 1 << 24
_RECORDS_TO_CHECK = 100


class DocumentReader:
    """Reads documents in batches. A file in a folder that cannot be read is left out and noted in `skipped`.

    A broken line or field in a table is an error, since its author can correct it. `chain` chains the entities of a
    DocBin whose documents are parsed; without it they are chained by their names.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        batch_size: int = 256,
        max_document_characters: int = 20_000_000,
        chain: ChainFunction | None = None,
    ) -> None:
        self.sources = sources
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
        if not ids.seen:
            raise self._nothing_read()

    def _nothing_read(self) -> errors.CrossdocError:
        if self.skipped:
            return errors.InputError("None of the files could be read:\n  " + "\n  ".join(self.skipped[:20]))
        return errors.no_records(", ".join(str(s.path) for s in self.sources[:3]), "document")

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
            except errors.InputError as error:
                self._skip(error)

    def _from_folder_kind(self, source: Source) -> Iterator[Document]:
        limit = self.max_document_characters
        if source.kind == "added":
            yield from read_added(source, limit)
        elif source.kind == "office":
            try:
                yield from read_office(source, limit, self.notes)
            except errors.UsageError as error:
                # A package is missing: a note for a file in a folder, an error for a single file.
                raise errors.InputError(f"{source.path}: {error.what} {error.hint}") from error
        elif source.kind in ANNOTATED:
            for document in read_annotated(source):
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

    def _skip(self, problem: errors.InputError) -> None:
        if len(self.sources) == 1:
            raise problem
        self.skipped.append(problem.what)

    def _from_table(self, source: Source) -> Iterator[Document]:
        problems, given = Problems(source, self.rows), set[str]()
        for number, (line, record) in enumerate(rows(source, problems)):
            if not number:
                check_columns(source, record, ["text", "name"])
                given = set(record)
            if "id" not in given and "id" not in record:
                record = {**record, "id": source.row_id(line)}
                self.rows.number(record["id"])
            document = self._from_record(record, problems, line)
            if document is not None and not problems:
                yield document
        problems.raise_if_any()

    def _from_record(self, record: dict[str, Any], problems: Problems, line: int) -> Document | None:
        before = len(problems.found)
        id = as_text(record, "id", problems, line, required=True)
        text = as_text(record, "text", problems, line, required=True, empty=True)
        optional = {name: as_text(record, name, problems, line) for name in ("title", "language", "date", "source")}
        if optional["date"] and not _DATE.match(optional["date"]):
            self.notes["dates that are not ISO 8601 (ignored)"] += 1
            optional["date"] = None
        if text is not None and len(text) > self.max_document_characters:
            raise errors.too_large(f"{problems.source.path}, line {line:,}", self.max_document_characters)
        mentions = None
        if id is not None and text is not None and record.get("mentions") is not None:
            mentions = given_mentions(record["mentions"], id, text, problems, line)
        if id is None or text is None or len(problems.found) > before:
            return None
        return Document(id, text, **optional, mentions=mentions)


def given_mentions(given: Any, document: str, text: str, problems: Problems, line: int) -> tuple[Mention, ...] | None:
    """Return the mentions of a document's record, checked against its text."""
    if not isinstance(given, list):
        problems.add(line, f"the field 'mentions' must be a list, not {type(given).__name__}")
        return None
    mentions = []
    for number, item in enumerate(given, 1):
        where = f"mention {number}"
        if not isinstance(item, dict):
            problems.add(line, f"{where} must be an object, not {type(item).__name__}")
            continue
        start, end = item.get("start", ""), item.get("end", "")
        if not _whole(start) or not _whole(end):
            problems.add(line, f"{where}: 'start' and 'end' must be whole numbers")
            continue
        if not 0 <= start < end <= len(text):
            problems.add(line, f"{where}: {start}–{end} does not lie within the text of {len(text):,} characters")
            continue
        known = len(problems.found)
        kind = read_type(item, problems, line)
        if kind == OTHER or len(problems.found) > known:
            continue
        id = as_text(item, "id", problems, line) or f"{document}:{start}:{end}"
        chain = as_text(item, "chain", problems, line)
        named = as_text(item, "kind", problems, line) or "name"
        if named not in get_args(MentionKind):
            problems.add(line, f"{where}: the kind must be one of {', '.join(get_args(MentionKind))}, not {named!r}")
            continue
        mentions.append(Mention(id, document, start, end, text[start:end], kind, cast(MentionKind, named), chain))
    return tuple(mentions)


def _read_at_most(stream: BinaryIO, size: int) -> bytes:
    """Read in chunks, since a file object may reserve the requested size at once."""
    chunks: list[bytes] = []
    while size > 0 and (chunk := stream.read(min(size, _CHUNK_BYTES))):
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def holds_profiles(source: Source) -> bool:
    """Return whether a table holds profiles: its first records have names or contexts and no text."""
    if source.kind in (*FOLDER_KINDS, "docbin"):
        return False
    fields = {field for _, record in islice(rows(source, Problems(source)), _RECORDS_TO_CHECK) for field in record}
    return bool(fields & {"name", "context"}) and "text" not in fields
