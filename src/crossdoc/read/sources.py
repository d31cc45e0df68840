"""From the paths a user names to the files to read: what kind each is, how it is compressed, what its id will be."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pyarrow as pa

from crossdoc import errors
from crossdoc.read.text import printable

Kind = Literal[
    "text", "html", "jsonl", "csv", "parquet", "docbin", "conll2012", "conllu", "naf", "brat", "cas", "added", "memory"
]

ENDINGS: dict[str, Kind] = {
    ".txt": "text",
    ".md": "text",
    ".html": "html",
    ".htm": "html",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".spacy": "docbin",
    ".v4_gold_conll": "conll2012",
    ".v4_auto_conll": "conll2012",
    ".conllu": "conllu",
    ".naf": "naf",
    ".ann": "brat",
    ".xmi": "cas",
}
ANNOTATED: tuple[Kind, ...] = ("conll2012", "conllu", "naf", "brat", "cas")
"""Formats of annotated documents, which --format names where the ending does not tell."""
FORMATS_GROUP = "crossdoc.formats"
FOLDER_KINDS = ("text", "html", "added", *ANNOTATED)
COMPRESSIONS = (".gz", ".xz", ".zst")
READ_ERRORS = (OSError, EOFError, lzma.LZMAError, zlib.error, pa.ArrowException)
"""What a file that is broken, cut short or not to be read makes its reader raise."""


@dataclass(frozen=True)
class Source:
    """A file to read. `id` is its path relative to what the user named."""

    path: Path
    id: str
    kind: Kind

    def open(self) -> BinaryIO:
        """The decompressed bytes."""
        return open_binary(self.path)

    def stamp(self) -> tuple[Any, ...]:
        """What changes when the content does."""
        told = self.path.stat()
        return str(self.path.resolve()), told.st_size, told.st_mtime_ns


def open_binary(path: Path) -> BinaryIO:
    ending = path.suffix.lower()
    if ending == ".gz":
        return gzip.open(path)  # type: ignore[return-value]
    if ending == ".xz":
        return lzma.open(path)  # type: ignore[return-value]
    if ending == ".zst":
        return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))
    return path.open("rb")


def reason(error: BaseException) -> str:
    """What a message says of a failed read."""
    told = getattr(error, "strerror", None) or str(error)
    return told.splitlines()[0].rstrip(".") if told else "it ends early"


def kind_of(path: Path) -> Kind | None:
    """
    >>> kind_of(Path("page.HTML.gz")), kind_of(Path("picture.png"))
    ('html', None)
    """
    ending = ending_of(path)
    return ENDINGS.get(ending) or ("added" if ending in added_formats() else None)


def ending_of(path: Path) -> str:
    return os.path.splitext(without_compression(path))[1]


@cache
def added_formats() -> dict[str, EntryPoint]:
    """By ending the readers of installed packages, which cannot take the place of our own."""
    points = {f".{point.name.lower().lstrip('.')}": point for point in entry_points(group=FORMATS_GROUP)}
    return {ending: point for ending, point in points.items() if ending not in ENDINGS}


def endings() -> list[str]:
    return [*ENDINGS, *sorted(added_formats())]


def without_compression(path: Path) -> str:
    """The file's name in small letters, without the ending that says how it is compressed."""
    name, ending = os.path.splitext(path.name.lower())
    return name if ending in COMPRESSIONS else name + ending


def find_sources(paths: Iterable[str | os.PathLike[str]], format: Kind | None = None) -> list[Source]:
    """The files below the given paths, in a fixed order.

    In a folder only text, HTML, annotated documents and formats of installed packages count (a table lying beside the
    articles may be anything); a folder that has none of them is read as plain text files, whatever they are called.
    With a `format` files are of it, whatever they are called, and of a folder those with an ending of it, or else all.
    """
    sources: list[Source] = []
    for given in paths:
        path = Path(given)
        if path.is_dir():
            sources.extend(_in_folder(path, format))
            continue
        check_file(path)
        kind = format or kind_of(path)
        if kind is None:
            raise errors.unknown_format(path, endings())
        sources.append(Source(path, printable(path.name), kind))
    return sources


def check_file(path: Path) -> None:
    """Refuse what is not there, and pipes and devices, on which a reader could wait for ever."""
    if not os.path.lexists(path):
        raise errors.no_such_path(path)
    if not path.is_file():
        raise errors.not_a_file(path)


def _in_folder(folder: Path, format: Kind | None) -> list[Source]:
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not _hidden(p.relative_to(folder)))
    known = [(p, kind_of(p)) for p in files]
    chosen = [(p, kind) for p, kind in known if kind in FOLDER_KINDS]
    if format is not None:
        chosen = [(p, format) for p, kind in known if kind == format] or [(p, format) for p in files]
    elif any(kind == "brat" for _, kind in chosen):
        # The texts that annotations are about are read together with them.
        about = {_without_endings(p) for p, kind in chosen if kind == "brat"}
        chosen = [(p, kind) for p, kind in chosen if kind != "text" or _without_endings(p) not in about]
    if not chosen:
        chosen = [(p, "text") for p, kind in known if kind is None]
    if not chosen and files:
        raise errors.only_tables(folder, files[0].name)
    if not chosen:
        raise errors.nothing_to_read(folder, endings())
    return [Source(p, printable(p.relative_to(folder).as_posix()), kind) for p, kind in chosen if kind is not None]


def _without_endings(path: Path) -> Path:
    return path.with_name(os.path.splitext(without_compression(path))[0])


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
