"""Files in zip and tar archives. Nothing is unpacked under a name that an archive gives."""

from __future__ import annotations

import stat
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from crossdoc.read.clean_text import printable
from crossdoc.read.sources import HeldSource, Source, check_unpacked, open_binary, without_compression

MOST_PARTS = 1_000_000
ARCHIVE_LINKS = "links in archives"


@dataclass(frozen=True)
class ZipPart(Source):
    """A file in a zip archive."""

    archive: zipfile.ZipFile
    info: zipfile.ZipInfo

    def open(self) -> BinaryIO:
        try:
            return self.archive.open(self.info)  # type: ignore[return-value]
        except (RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:
            # Protected by a password, compressed in an unknown way, or broken.
            raise OSError(str(error)) from error

    def stamp(self) -> tuple[Any, ...]:
        return str(self.path), self.info.file_size, self.info.CRC


def parts_of(path: Path, below: str) -> tuple[list[Source], Counter[str]]:
    """Return the files in an archive in a fixed order, with ids below `below`, and counts of other members.

    Hidden files are left out, as in a folder.
    """
    zipped = without_compression(path).endswith(".zip")
    others: Counter[str] = Counter()
    parts = list(_zip_members(path, below, others) if zipped else _tar_members(path, below, others))
    return sorted(parts, key=lambda part: part.id), others


def _zip_members(path: Path, below: str, others: Counter[str]) -> Iterator[Source]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise OSError(str(error)) from error
    infos = archive.infolist()
    _check_count(len(infos))
    check_unpacked(sum(info.file_size for info in infos), path.stat().st_size)
    for info in infos:
        if info.filename.endswith("/") or _hidden(info.filename):
            continue
        if stat.S_ISLNK(info.external_attr >> 16):
            others[ARCHIVE_LINKS] += 1
        else:
            yield ZipPart(path / _inside(info.filename), _id(below, info.filename), "text", archive, info)


def _tar_members(path: Path, below: str, others: Counter[str]) -> Iterator[Source]:
    plain = without_compression(path) == path.name.lower() and path.suffix.lower() == ".tar"
    file = path.open("rb") if plain else _decompress_archive(path)
    size, changed = path.stat().st_size, path.stat().st_mtime_ns
    count = 0
    try:
        # Without a stream of its own tarfile would follow the name's ending.
        with tarfile.open(fileobj=file, mode="r:") as archive:
            for info in archive:
                count += 1
                _check_count(count)
                if info.isdir() or _hidden(info.name):
                    continue
                if not info.isfile() or info.issparse():
                    others[ARCHIVE_LINKS if info.islnk() or info.issym() else "pipes, devices or files with holes"] += 1
                else:
                    stamp = (str(path), size, changed, info.name)
                    yield HeldSource(
                        path / _inside(info.name),
                        _id(below, info.name),
                        "text",
                        file,
                        info.offset_data,
                        info.size,
                        stamp,
                    )
    except (tarfile.TarError, ValueError, OverflowError) as error:
        raise OSError(f"it is not a whole archive ({error})") from error


def _decompress_archive(path: Path) -> Any:
    """Decompress the archive into a temporary file without a name."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the parts are read later
    with open_binary(path) as stream:
        while piece := stream.read(1 << 20):
            file.write(piece)
    file.flush()
    file.seek(0)
    return file


def _check_count(count: int) -> None:
    if count > MOST_PARTS:
        raise OSError(f"it holds more than {MOST_PARTS:,} files")


def _inside(name: str) -> PurePosixPath:
    return PurePosixPath(*(part for part in PurePosixPath(name).parts if part not in ("/", "..")))


def _id(below: str, name: str) -> str:
    return printable(below + str(_inside(name)))


def _hidden(name: str) -> bool:
    """Return whether a file is hidden or one of macOS's additions.

    >>> _hidden("a/.b.txt"), _hidden("__MACOSX/a.txt"), _hidden("../a.txt")
    (True, True, False)
    """
    parts = _inside(name).parts
    return not parts or any(part.startswith(".") or part == "__MACOSX" for part in parts)
