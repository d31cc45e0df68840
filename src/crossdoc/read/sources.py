"""Files to read below the given paths, with their kind, compression and id."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from crossdoc import errors
from crossdoc.read.clean_text import printable

Kind = Literal[
    "text", "html", "jsonl", "json", "csv", "parquet", "docbin", "office", "conll2012", "memory",
]  # fmt: skip

_ENDINGS_OF_KIND: dict[Kind, str] = {
    "text": ".txt .md",
    "html": ".html .htm",
    "jsonl": ".jsonl .ndjson",
    "json": ".json",
    "csv": ".csv .tsv",
    "parquet": ".parquet",
    "docbin": ".spacy",
    "conll2012": ".conll .v4_gold_conll .v4_auto_conll",
    "office": ".pdf .docx .rtf .odt .epub .eml .mbox",
}
ENDINGS = {ending: kind for kind, endings in _ENDINGS_OF_KIND.items() for ending in endings.split()}
FOLDER_KINDS = ("text", "html", "office", "conll2012")
TABLE_KINDS: tuple[Kind, ...] = ("jsonl", "json", "csv", "parquet")
COMPRESSIONS = (".gz", ".xz", ".zst", ".bz2")
ARCHIVES = (".zip", ".tar", ".tgz")
STDIN = "-"
MOST_UNPACKED, MOST_TIMES = 1 << 28, 200
"""Bytes, and times the compressed size. A file above both is a bomb; texts reach a tenth of the ratio."""
READ_ERRORS = (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, pa.ArrowException)
"""Errors of reading a broken, truncated or unreadable file."""


@dataclass(frozen=True)
class Source:
    """A file to read. `id` is its path below the input."""

    path: Path
    id: str
    kind: Kind
    columns: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    """(column, field) pairs of a table whose columns have other names."""
    prefix: str = field(default="", kw_only=True)
    """Prefix of the ids of rows without one; by default the name of the file."""

    def row_id(self, line: int) -> str:
        return f"{self.prefix or self.path.stem}:{line}"

    before: int = field(default=0, kw_only=True)
    """Lines or rows of the file before this part of it."""
    copy: Path | None = field(default=None, kw_only=True)
    """The file with the content, if `path` names a part of an archive or standard input."""

    def open(self) -> BinaryIO:
        return open_binary(self.path, self.copy)

    def batches(self, most: int) -> Iterator[pa.RecordBatch]:
        with self.open() as stream:
            file = pq.ParquetFile(stream if stream.seekable() else pa.BufferReader(stream.read()))
            yield from file.iter_batches(batch_size=most)

    def stamp(self) -> tuple[Any, ...]:
        """Return a value that changes with the content."""
        if self.copy is not None:
            with self.copy.open("rb") as stream:
                return str(self.path), self.copy.stat().st_size, zlib.crc32(stream.read(1 << 24))
        stat = self.path.stat()
        return str(self.path.resolve()), stat.st_size, stat.st_mtime_ns


_copies = count()


@cache
def _folder_of_copies() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="crossdoc-")


def new_copy() -> Path:
    """Return a new path for the copy of a source; it is deleted when the process ends."""
    return Path(_folder_of_copies().name, str(next(_copies)))


class _BoundedStream(io.RawIOBase):
    """Decompressed bytes of a file, up to a size that no text reaches."""

    def __init__(self, raw: BinaryIO, path: Path) -> None:
        self._raw, self._stream = raw, decompress(raw, path)
        self._packed, self._size = os.fstat(raw.fileno()).st_size, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._stream.read(len(buffer))
        self._size += len(found)
        check_unpacked(self._size, self._packed)
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._stream.close()
        self._raw.close()
        super().close()


def check_unpacked(size: int, packed: int) -> None:
    if size > MOST_UNPACKED and size > MOST_TIMES * packed:
        raise OSError(f"it unpacks to more than {MOST_TIMES} times its size, as no text does")


def open_binary(path: Path, copy: Path | None = None) -> BinaryIO:
    """Open the decompressed bytes of a file, or of its copy."""
    raw = (copy or path).open("rb")
    return io.BufferedReader(_BoundedStream(raw, path), 1 << 18) if path.suffix.lower() in _UNPACKING else raw


_UNPACKING: dict[str, Callable[[Any], Any]] = {
    ".gz": gzip.open,
    ".tgz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
    ".zst": lambda raw: io.BufferedReader(pa.CompressedInputStream(raw, "zstd")),
}


def decompress(raw: BinaryIO, path: Path) -> BinaryIO:
    """Return a stream of the decompressed bytes of an open file; its path shows how it is compressed."""
    stream: BinaryIO = _UNPACKING.get(path.suffix.lower(), lambda raw: raw)(raw)
    return stream


def reason(error: BaseException) -> str:
    """Return the reason of a failed read for a message."""
    message = getattr(error, "strerror", None) or str(error)
    return message.splitlines()[0].rstrip(".") if message else "it ends early"


@contextmanager
def reading(path: str | os.PathLike[str], *others: type[Exception]) -> Iterator[None]:
    """Turn a failure to read a file, or one of `others`, into an error that names the file."""
    try:
        yield
    except (*READ_ERRORS, *others) as error:
        raise errors.unreadable(path, reason(error)) from error


def kind_of(path: Path) -> Kind | None:
    """
    >>> kind_of(Path("page.HTML.gz")), kind_of(Path("picture.png"))
    ('html', None)
    """
    return ENDINGS.get(ending_of(path))


def ending_of(path: Path) -> str:
    return os.path.splitext(without_compression(path))[1]


def without_compression(path: Path) -> str:
    """Return the file's name in lower case, without the ending of its compression."""
    name, ending = os.path.splitext(path.name.lower())
    return name if ending in COMPRESSIONS else name + ending


class Sources(list[Source]):
    """The files to read, and notes about other files next to them."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        super().__init__(sources)
        self.skipped: Counter[str] = Counter()
        self.tables: list[str] = []
        self.closed: list[str] = []

    def include(self, others: Sources) -> None:
        """Add other sources with their notes."""
        self.extend(others)
        self.skipped += others.skipped
        self.tables += others.tables
        self.closed += others.closed

    @property
    def notes(self) -> list[str]:
        notes = []
        if self.skipped:
            listed = ", ".join(f"{count:,} {kind}" for kind, count in self.skipped.most_common())
            notes.append(f"skipped, because crossdoc does not read them: {listed}")
        if self.tables:
            shown = ", ".join(self.tables[:10]) + (f" and {len(self.tables) - 10:,} more" if self.tables[10:] else "")
            notes.append(f"tables next to the documents were skipped (name them to read them): {shown}")
        notes += [f"the folder {folder} could not be opened" for folder in self.closed]
        return notes


def find_sources(paths: Iterable[str | os.PathLike[str]]) -> Sources:
    """Return the files below the given paths, in a fixed order; `-` is standard input, archives are like folders.

    In a folder only text, HTML, office and annotated documents are read, since a table next to the articles may be
    anything. A folder without any of them is read as plain text files.
    """
    sources = Sources()
    for given in paths:
        path = Path(given)
        if str(given) == STDIN:
            sources.append(_standard_input())
            continue
        if path.is_dir():
            sources.include(_folder_sources(path))
            continue
        check_file(path)
        if is_archive(path):
            sources.include(_archive_sources(path, ""))
            continue
        kind = kind_of(path)
        if kind is None:
            raise errors.unknown_format(path, [*ENDINGS, *ARCHIVES])
        sources.append(Source(path, printable(path.name), kind))
    return sources


def is_archive(path: Path) -> bool:
    """
    >>> is_archive(Path("a.tar.gz")), is_archive(Path("a.ZIP")), is_archive(Path("a.txt.gz"))
    (True, True, False)
    """
    return without_compression(path).endswith(ARCHIVES)


def _archive_sources(path: Path, below: str) -> Sources:
    # Most runs read none.
    from crossdoc.read.archives import parts_of

    with reading(path):
        parts, others = parts_of(path, below, lambda part: kind_of(part) is not None)
    chosen = _choose([(part, kind_of(part.path)) for part in parts])
    if not chosen and (tables := [part for part in parts if kind_of(part.path) in TABLE_KINDS]):
        chosen = Sources(replace(part, kind=kind_of(part.path) or "text") for part in tables)
    if not chosen:
        raise errors.nothing_to_read(path, list(ENDINGS))
    chosen.skipped.update(others)
    return chosen


def _standard_input() -> Source:
    """Copy standard input to a temporary file, since documents are read twice; its first bytes show the format."""
    copy = new_copy()
    with copy.open("w+b") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.seek(0)
        path = Path("stdin" + _ending_by_content(kept.read(1 << 16)))
    return Source(path, "stdin", kind_of(path) or "text", copy=copy)


def _ending_by_content(head: bytes) -> str:
    """
    >>> [_ending_by_content(head) for head in (b'{"id": 1}', b"id,text\\n1,x", b"<!doctype html>", b"John Smith left.")]
    ['.jsonl', '.csv', '.html', '.txt']
    """
    for mark, ending in ((b"%PDF", ".pdf"), (b"PAR1", ".parquet"), (b"{\\rtf", ".rtf")):
        if head.startswith(mark):
            return ending
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] == b"{":
        return ".jsonl"
    if start[:1] == b"[":
        return ".json"
    if start[:1] == b"<" and (b"<html" in start.lower() or b"<!doctype" in start[:20].lower()):
        return ".html"
    first = {cell.strip(b'" \r') for cell in start.split(b"\n")[0].replace(b";", b",").replace(b"\t", b",").split(b",")}
    return ".csv" if len(first) > 1 and first & {b"text", b"name", b"context"} else ".txt"


def check_file(path: Path) -> None:
    """Refuse missing files, and pipes and devices, on which a reader could wait for ever."""
    if not os.path.lexists(path):
        raise errors.no_such_path(path)
    if not path.is_file():
        raise errors.not_a_file(path)


def _folder_sources(folder: Path) -> Sources:
    files, closed, skipped = _files_below(folder)
    found = [
        (Source(p, printable(p.relative_to(folder).as_posix()), "text"), kind_of(p)) for p in files if not is_archive(p)
    ]
    chosen = _choose(found)
    for path in filter(is_archive, files):
        try:
            chosen.include(_archive_sources(path, f"{path.relative_to(folder).as_posix()}/"))
        except errors.InputError:
            chosen.skipped[f"archives with nothing to read ({path.name})"] += 1
    if not chosen:
        chosen = Sources(source for source, kind in found if kind is None)
    if not chosen and files:
        raise errors.only_tables(folder, files[0].name)
    chosen.closed += closed
    chosen.skipped.update(skipped)
    if not chosen:
        raise errors.nothing_to_read(folder, list(ENDINGS))
    return chosen


def _files_below(folder: Path) -> tuple[list[Path], list[str], Counter[str]]:
    """Return the files that are not hidden, the folders that could not be opened, and counts of other entries."""
    closed: list[str] = []
    files: list[Path] = []
    others: Counter[str] = Counter()
    for place, folders, names in os.walk(folder, onerror=lambda error: closed.append(str(error.filename))):
        folders[:] = [name for name in folders if not name.startswith(".")]
        shown = [Path(place, name) for name in names if not name.startswith(".")]
        files += [path for path in shown if path.is_file()]
        others["links to folders"] += sum(Path(place, name).is_symlink() for name in folders)
        others["links to nowhere"] += sum(not path.exists() for path in shown)
        others["pipes or devices"] += sum(path.exists() and not path.is_file() for path in shown)
    return sorted(files), closed, +others


def _choose(found: Sequence[tuple[Source, Kind | None]]) -> Sources:
    """Return the files of a folder or an archive that are read, with notes about the others."""
    sources = Sources(replace(source, kind=kind) for source, kind in found if kind is not None and kind in FOLDER_KINDS)
    for source, kind in found if sources else ():
        if kind in TABLE_KINDS:
            sources.tables.append(source.id)
        elif kind not in FOLDER_KINDS:
            sources.skipped[ending_of(source.path) or "without an ending"] += 1
    return sources
