"""Published benchmark corpora and corpus builders. Each benchmark is one small file.

A reader has `documents(folder)`, an iterator of `Document`; or, if another extractor has processed the corpus,
`profiles(file, name=None)`, an iterator of `Profile` (with a `name`: one per document). `gold` takes the same arguments
and returns a table `id, entity`, with `group` if the corpus has several ambiguous names; a corpus may have no gold.
Some readers can be limited to a `language` or a `part`. `left_out` counts the mentions of other types.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from crossdoc import errors

NAMES = (
    "aida arnetminer bsnlp ecbplus hipe john-smith john-smith-serif meantime patentsview reuters weps whoiswho".split()
)
CORPORA: dict[str, ModuleType] = {
    name: import_module(f"{__name__}.{name.removeprefix('john-smith-').replace('-', '_')}") for name in NAMES
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
