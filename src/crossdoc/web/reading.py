"""All that can be read of an answer for looking at it: what the pages and the HTTP interface show.

>>> from crossdoc.web.reading import Reader
>>> reader = Reader("articles.crossdoc")                            # doctest: +SKIP
>>> [line.name for line in reader.search("smith").rows]             # doctest: +SKIP
['John Smith', 'Smith & Sons']
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from crossdoc.store.catalogue import Catalogue
from crossdoc.store.shared_file import SharedFile
from crossdoc.store.views import Facets, Page
from crossdoc.web.reading_overview import Overviews
from crossdoc.web.reading_why import Explanations


class Reader(Explanations, Overviews):
    """Looks at a .crossdoc file that others may write meanwhile; any thread may ask.

    Parameters
    ----------
    path : the file.
    read_only : whether nothing may be written next to it.
    """

    def __init__(self, path: str | os.PathLike[str], read_only: bool = False) -> None:
        self.file = SharedFile(path)
        self.path = self.file.path
        self.catalogue = Catalogue(self.file, read_only)
        self.names_counted = {}
        self.collection_names = None
        self._warming = threading.Thread(target=self.warm_up, daemon=True)
        self._warming.start()

    @property
    def version(self) -> int:
        """Grows whenever the file is written, by whomever."""
        return self.file.version

    @contextmanager
    def released(self) -> Iterator[None]:
        """In here this process does not have the file open, and may write it; questions wait meanwhile."""
        with self.file.released():
            yield

    def search(self, text: str = "", **wanted: Any) -> Page:
        """The identities that go by a name, largest first: see :meth:`crossdoc.store.catalogue.Catalogue.search`."""
        return self.catalogue.search(text, **wanted)

    def facets(self) -> Facets:
        """What filters can be set to, with the number of identities each."""
        return self.catalogue.facets()

    def names(self, ids: Sequence[str]) -> dict[str, str]:
        """What identities are called, by id."""
        return {id: line.name for id, line in self.catalogue.lines(ids).items()}

    def close(self) -> None:
        self._warming.join()
        self.catalogue.close()
        self.file.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
