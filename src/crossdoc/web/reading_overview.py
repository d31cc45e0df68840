"""The collection at a glance: sizes, ambiguous names, certainty, what was left out, runs; a network; the log."""

from __future__ import annotations

from crossdoc.store import Store
from crossdoc.store.catalogue import Catalogue
from crossdoc.store.shared_file import SharedFile
from crossdoc.store.views import LogLine, Network, Overview


class Overviews:
    """Reads about the whole collection."""

    file: SharedFile
    catalogue: Catalogue

    def overview(self, top: int = 10) -> Overview:
        """The collection at a glance."""
        with self.file.ask() as db:
            store = Store(db, self.file.path)
            sizes, runs, events = store.sizes(), store.runs(), store.events()
            known, scores = len(store.known_links()) if store.has_known else 0, store.scores()
        return Overview(
            sizes,
            self.catalogue.facets(),
            self.catalogue.ambiguous(top),
            self.catalogue.search(limit=top).rows,
            self.catalogue.search(sort="certainty", descending=False, sizes=(3, None), limit=top).rows,
            runs[-1].notes if runs else [],
            runs[::-1],
            events[: -top - 1 : -1],
            known,
            scores,
        )

    def network(self, top: int = 100) -> Network:
        """The largest identities, and in how many documents two of them stand together."""
        nodes = self.catalogue.search(limit=top).rows
        with self.file.memory.cursor() as memory:
            edges = memory.execute(
                """
                WITH stands AS (
                    SELECT DISTINCT l.id AS entity, m.document FROM lines l JOIN members m ON m.line = l.number
                    WHERE m.rank = 1 AND l.id IN (SELECT unnest(?::VARCHAR[]))
                )
                SELECT a.entity, b.entity, count(*) AS n FROM stands a JOIN stands b
                ON a.document = b.document AND a.entity < b.entity GROUP BY ALL ORDER BY n DESC, 1, 2
                """,
                [[line.id for line in nodes]],
            ).fetchall()
        return Network(nodes, edges)

    def log(self) -> list[LogLine]:
        """All that was judged, the latest first, and whether it holds."""
        with self.file.ask() as db:
            store = Store(db, self.file.path)
            standing = {entry.number for entry in store.entries()}
            return [LogLine(entry, entry.number in standing) for entry in store.entries(standing=False)[::-1]]
