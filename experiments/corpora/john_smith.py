"""The John Smith corpus (Bagga & Baldwin 1998, doi:10.3115/980451.980859): news articles, one folder per person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from corpora.annotations import corpus_files, gold_table
from crossdoc.model import Document
from crossdoc.read.clean_text import tidy

_EXPECTED = "0/960114.114 and the like: one numbered folder for each John Smith"


def documents(folder: Path) -> Iterator[Document]:
    """Yield the articles; an id is FOLDER/FILE."""
    for path in corpus_files(folder, "[0-9]*/*", _EXPECTED):
        text = tidy(path.read_bytes().decode("latin-1"))
        date = f"19{path.name[:2]}-{path.name[2:4]}-{path.name[4:6]}"
        yield Document(path.relative_to(folder).as_posix(), text, language="en", date=date, source="NYT")


def gold(folder: Path) -> pa.Table:
    """Return `id, entity`: the folder of each article."""
    files = corpus_files(folder, "[0-9]*/*", _EXPECTED)
    return gold_table((path.relative_to(folder).as_posix(), path.parent.name) for path in files)
