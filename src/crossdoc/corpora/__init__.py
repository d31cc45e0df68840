"""Readers of published benchmark corpora, one small file each: documents or profiles, and gold, in our own terms.

Each has `documents(folder)`, an iterator of `Document`, or, where a third-party extractor has read the corpus,
`profiles(file, name=None)`, an iterator of `Profile` (of one ambiguous `name`: one a document). `gold` takes the same
and gives a table `id, entity` (with `group` where the corpus has several ambiguous names); a corpus may have none.
Some read one `language` or one `part` alone, and tell with `left_out` how many mentions of other types there were.
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
def reading(name: str, path: Path) -> Iterator[None]:
    """A corpus is read as it was published; what is not so, whatever that leads to, is an error that says so."""
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
    "ecbplus",
    "hipe",
    "john_smith",
    "meantime",
    "patentsview",
    "reading",
    "reuters",
    "serif",
    "weps",
]
