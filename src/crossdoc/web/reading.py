"""Reading an answer for the pages and the HTTP interface.

>>> from crossdoc.web.reading import Reader
>>> reader = Reader("articles.crossdoc")                            # doctest: +SKIP
>>> [line.name for line in reader.search("smith").rows]             # doctest: +SKIP
['John Smith', 'Smith & Sons']
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

from crossdoc.lineage import Event
from crossdoc.store.catalogue import Catalogue
from crossdoc.store.shared_file import SharedFile
from crossdoc.store.views import Facets, LogLine, Network, Overview, Page
from crossdoc.web.reading_why import Explanations


class Reader(Explanations):
    """Reads a .crossdoc file that other processes may write; any thread may call it.

    Parameters
    ----------
    path : the file.
    read_only : whether nothing may be written next to it.
    """

    def __init__(self, path: str | os.PathLike[str], read_only: bool = False) -> None:
        self.file = SharedFile(path)
        self.path = self.file.path
        self.catalogue = Catalogue(self.file, read_only)
        self.name_totals = None
        self.collection_names = None
        self._warming = threading.Thread(target=self.warm_up, daemon=True)
        self._warming.start()

    @property
    def version(self) -> int:
        """A number that grows whenever any process writes the file."""
        return self.file.version

    def search(self, text: str = "", **wanted: Any) -> Page:
        """Return identities by name, largest first: see :meth:`crossdoc.store.catalogue.Catalogue.search`."""
        return self.catalogue.search(text, **wanted)

    def facets(self) -> Facets:
        """Return the values of all filters, with the number of identities of each."""
        return self.catalogue.facets()

    def names(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the names of identities, by id."""
        return {id: line.name for id, line in self.catalogue.lines(ids).items()}

    def network(self, top: int = 100) -> Network:
        """Return the largest identities, and the number of documents that each two of them share."""
        return self.catalogue.network(top)

    def overview(self, top: int = 10) -> Overview:
        """Return sizes, extremes, runs and latest changes of the collection."""
        with self.file.ask() as store:
            sizes, runs, events, scores = store.sizes(), store.runs(), store.events(), store.scores()
            known = len(store.known_links()) if store.has_known else 0
        return Overview(
            sizes,
            self.facets(),
            self.catalogue.ambiguous(top),
            self.search(limit=top).rows,
            self.search(sort="certainty", descending=False, sizes=(3, None), limit=top).rows,
            runs[-1].notes if runs else [],
            runs[::-1],
            events[: -top - 1 : -1],
            known,
            scores,
        )

    def log(self) -> list[LogLine]:
        """Return all judgements, latest first, and whether they are in force."""
        with self.file.ask() as store:
            standing = {entry.number for entry in store.entries()}
            return [LogLine(entry, entry.number in standing) for entry in store.entries(standing=False)[::-1]]

    def history(self, id: str | None = None) -> list[Event]:
        """Return the events of all identities, or of one."""
        with self.file.ask() as store:
            return store.events(id)

    def close(self) -> None:
        self._warming.join()
        self.catalogue.close()
        self.file.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
