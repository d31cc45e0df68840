"""Atomic files: written under a temporary name in the same folder and renamed when complete. Rows in three formats."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from crossdoc import errors

if TYPE_CHECKING:
    import pyarrow as pa


@contextmanager
def whole_file(path: Path | None) -> Iterator[BinaryIO]:
    """A file that appears under its name only when it is complete; None is standard output."""
    if path is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            # A pipe or a device, /dev/null among them, is written to and never replaced.
            with path.open("wb") as stream:
                yield stream
        else:
            with _replacing(path.resolve()) as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise errors.cannot_write(path, error.strerror or str(error)) from error


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".crossdoc-", delete=False) as stream:
            temporary = Path(stream.name)
            yield stream  # type: ignore[misc]
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, mode_of(path) or 0o666 & ~_umask())
        os.replace(temporary, path)
        temporary = None
        with replaced(path):
            flush_to_disk(path.parent)
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextmanager
def replaced(path: Path) -> Iterator[None]:
    """Report a failure inside the block as one that came after the new file got its name."""
    try:
        yield
    except OSError as error:
        raise errors.written_but_unsafe(path, error.strerror or str(error)) from error


def flush_to_disk(path: Path) -> None:
    """Make a file, or the names in a folder, survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network file systems cannot flush a folder.
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP) or not path.is_dir():
            raise
    finally:
        os.close(handle)


def mode_of(path: Path) -> int | None:
    """Return the permissions of a file; None if it does not exist."""
    try:
        return stat.S_IMODE(path.stat().st_mode) & 0o777
    except OSError:
        return None


@contextmanager
def created_like(path: Path | None) -> Iterator[None]:
    """Restrict files created inside the block, by any library, to the permissions of this one."""
    mode = None if path is None else mode_of(path)
    before = os.umask(0o777)
    os.umask(before if mode is None else before | (0o666 & ~mode))
    try:
        yield
    finally:
        os.umask(before)


def same_file(a: Path, b: Path) -> bool:
    """Return whether two paths are one file, also through links of either kind."""
    return a.resolve() == b.resolve() or (a.exists() and b.exists() and os.path.samefile(a, b))


_MARKS = (
    (8, b"DUCK", "a database"), (0, b"PAR1", "Parquet"), (0, b"%PDF", "PDF"), (0, b"\x89PNG", "a picture"),
    (0, b"PK\x03\x04", "an archive"), (0, b"SQLite format 3", "an SQLite database"),
)  # fmt: skip
_WRITTEN = {
    ".crossdoc": "a database", ".parquet": "Parquet", ".pdf": "PDF", ".png": "a picture", ".npz": "an archive",
    ".html": "HTML", ".htm": "HTML", ".svg": "XML", ".graphml": "XML", ".csv": "text", ".tsv": "text",
    ".json": "JSON", ".jsonl": "JSON", ".ftm": "JSON", ".jsonld": "JSON", ".duckdb": "a database",
    ".sqlite": "an SQLite database",
}  # fmt: skip


def kind_by_name(path: Path) -> str | None:
    """Return the format of a file by its ending, if that is known.

    >>> kind_by_name(Path("a.JSONL")), kind_by_name(Path("a"))
    ('JSON', None)
    """
    return _WRITTEN.get(path.suffix.lower())


def kind_by_content(path: Path) -> str | None:
    """Return the format of a file by its first bytes; None for an empty one."""
    with path.open("rb") as stream:
        head = stream.read(4096)
    for at, mark, kind in _MARKS:
        if head[at : at + len(mark)] == mark:
            return kind
    if b"\0" in head:
        return "binary data"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith(b"<"):
        return "HTML" if b"<html" in start or start.startswith(b"<!doctype html") else "XML"
    if not start:
        return None
    return "JSON" if start[:1] in b"{[" else "text"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_rows(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    format: str,
    stream: BinaryIO,
    as_record: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> int:
    """Write batches one by one, with a header even if there are none; return the number of rows.

    `as_record` makes the record of a line of JSONL out of a row.
    """
    from pyarrow.csv import CSVWriter
    from pyarrow.parquet import ParquetWriter

    count = 0
    if format == "jsonl":
        for batch in batches:
            for row in batch.to_pylist():
                stream.write(json.dumps(as_record(row), ensure_ascii=False).encode() + b"\n")
            count += batch.num_rows
        return count
    make = CSVWriter if format == "csv" else ParquetWriter
    with make(stream, schema) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(schema))
            count += batch.num_rows
    return count
