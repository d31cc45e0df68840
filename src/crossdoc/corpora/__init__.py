"""Published benchmark corpora and corpus builders. Each benchmark is one small file.

A reader has `documents(folder)`, an iterator of `Document`; or, if another extractor has processed the corpus,
`profiles(file, name=None)`, an iterator of `Profile` (with a `name`: one per document). `gold` takes the same arguments
and returns a table `id, entity`, with `group` if the corpus has several ambiguous names; a corpus may have no gold.
Some readers can be limited to a `language` or a `part`. `left_out` counts the mentions of other types.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from crossdoc import errors
from crossdoc.corpora import (
    aida,
    arnetminer,
    bsnlp,
    ecbplus,
    hipe,
    john_smith,
    meantime,
    patentsview,
    reuters,
    serif,
    weps,
)

CORPORA: dict[str, ModuleType] = {
    "aida": aida,
    "arnetminer": arnetminer,
    "bsnlp": bsnlp,
    "ecbplus": ecbplus,
    "hipe": hipe,
    "john-smith": john_smith,
    "john-smith-serif": serif,
    "meantime": meantime,
    "patentsview": patentsview,
    "reuters": reuters,
    "weps": weps,
}


@contextmanager
def corpus_errors(name: str, path: Path) -> Iterator[None]:
    """Turn any failure to read a corpus into an error: files that differ from the published ones fail in many ways."""
    try:
        yield
    except (errors.CrossdocError, OSError, MemoryError):
        raise
    except Exception as error:
        why = f"it is not the corpus {name} as it was published ({type(error).__name__}: {error})"
        raise errors.unreadable(path, why) from error


__all__ = [
    "CORPORA",
    "aida",
    "arnetminer",
    "bsnlp",
    "corpus_errors",
    "ecbplus",
    "hipe",
    "john_smith",
    "meantime",
    "patentsview",
    "reuters",
    "serif",
    "weps",
]
