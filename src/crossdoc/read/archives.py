"""Files in zip and tar archives, copied to a temporary folder. No file gets a name that an archive gives."""

from __future__ import annotations

import shutil
import stat
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from crossdoc.read.clean_text import printable
from crossdoc.read.sources import Source, check_unpacked, new_copy, open_binary, without_compression

MOST_PARTS = 1_000_000
ARCHIVE_LINKS = "links in archives"


def parts_of(path: Path, below: str, wanted: Callable[[Path], bool]) -> tuple[list[Source], Counter[str]]:
    """Return the files in an archive in a fixed order, with ids below `below`, and counts of other members.

    Hidden files are left out, as in a folder. Only `wanted` files are copied, and can be read.
    """
    others: Counter[str] = Counter()
    parts: list[Source] = []
    try:
        for number, (name, kind, content) in enumerate(_members(path), 1):
            if number > MOST_PARTS:
                raise OSError(f"it holds more than {MOST_PARTS:,} files")
            inside = PurePosixPath(*(part for part in PurePosixPath(name).parts if part not in ("/", "..")))
            if kind == "folder" or _is_hidden(inside):
                continue
            if kind != "file":
                others[kind] += 1
                continue
            copy = new_copy()
            if wanted(path / inside):
                with content() as stream, copy.open("wb") as kept:
                    shutil.copyfileobj(stream, kept)
            parts.append(Source(path / inside, printable(below + str(inside)), "text", copy=copy))
    except (zipfile.BadZipFile, tarfile.TarError, RuntimeError, ValueError, OverflowError, IndexError) as error:
        # A part may be protected by a password, compressed in an unknown way, or broken.
        raise OSError(f"it is not a whole archive ({error})") from error
    return sorted(parts, key=lambda part: part.id), others


def _members(path: Path) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield name, kind ("file", "folder", or what else it is) and content of each member."""
    if without_compression(path).endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            check_unpacked(sum(info.file_size for info in archive.infolist()), path.stat().st_size)
            for part in archive.infolist():
                is_link = stat.S_ISLNK(part.external_attr >> 16)
                kind = "folder" if part.filename.endswith("/") else ARCHIVE_LINKS if is_link else "file"
                yield part.filename, kind, partial(archive.open, part)
        return
    # Without a stream of its own tarfile would follow the name's ending.
    with open_binary(path) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        for info in tar:
            is_file = info.isfile() and not info.issparse()
            other = ARCHIVE_LINKS if info.islnk() or info.issym() else "pipes, devices or files with holes"
            yield info.name, "folder" if info.isdir() else "file" if is_file else other, partial(tar.extractfile, info)


def _is_hidden(inside: PurePosixPath) -> bool:
    """Return whether a file is hidden or one of macOS's additions.

    >>> [_is_hidden(PurePosixPath(name)) for name in ("a/.b.txt", "__MACOSX/a.txt", "etc/a.txt")]
    [True, True, False]
    """
    return not inside.parts or any(part.startswith(".") or part == "__MACOSX" for part in inside.parts)
