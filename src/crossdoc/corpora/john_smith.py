"""The John Smith corpus (Bagga & Baldwin 1998, doi:10.3115/980451.980859): news articles, a folder a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.text import tidy


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise errors.no_such_path(folder)
    files = [path for path in sorted(folder.glob("*/*")) if path.is_file() and path.parent.name.isdigit()]
    if not files:
        raise errors.nothing_to_read(folder, ["0/960114.114 and the like: one numbered folder for each John Smith"])
    return files


def documents(folder: Path) -> Iterator[Document]:
    for path in _files(folder):
        text = tidy(path.read_bytes().decode("latin-1"))
        date = f"19{path.name[:2]}-{path.name[2:4]}-{path.name[4:6]}"
        yield Document(path.relative_to(folder).as_posix(), text, language="en", date=date, source="NYT")


def gold(folder: Path) -> pa.Table:
    files = _files(folder)
    return pa.table(
        {"id": [path.relative_to(folder).as_posix() for path in files], "entity": [path.parent.name for path in files]}
    )
