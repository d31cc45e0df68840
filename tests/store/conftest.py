"""A small result to write and to look for again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from crossdoc.model import Document, Documents, Identity, Mention, Mentions, Partition, Profile, Profiles, Relation
from crossdoc.store import Run, Store


@dataclass(frozen=True)
class Made:
    documents: Documents
    mentions: Mentions
    profiles: Profiles
    partition: Partition
    identities: list[Identity]
    run: Run

    def write(self, store: Store) -> None:
        with store.batch():
            store.add(self.documents)
            store.add(self.mentions)
            store.add(self.profiles)
        store.save_partition("person", self.partition, 0.5)
        store.save_identities(self.identities)
        store.save_run(self.run)


@pytest.fixture
def made() -> Made:
    documents = Documents.of(
        [
            Document("d1", "John Smith spoke.", "A title", "en", "1996-01", "NYT"),
            Document("d2", "Élodie Ångström — 東京 🙂", None, None, None, None),
            Document("empty", ""),
        ]
    )
    mentions = Mentions.of(
        [
            Mention("d1:0:10", "d1", 0, 10, "John Smith", "person", "name", "d1:0:10"),
            Mention("d1:5:10", "d1", 5, 10, "Smith", "person", "name", "d1:0:10"),
            Mention("d2:0:15", "d2", 0, 15, "Élodie Ångström", None, "name", "d2:0:15"),
        ]
    )
    profiles = Profiles.of(
        [
            Profile(
                "d1:0:10",
                "d1",
                "John Smith",
                "person",
                "John Smith spoke.",
                "en",
                {"title": ["chairman", "CEO"], "nothing": []},
                (Relation("works for", "General Motors", None, "He works for GM."),),
            ),
            Profile("d2:0:15", "d2", "Élodie Ångström"),
            Profile("it's", "empty", "\n'\"; DROP TABLE profiles; --"),
        ]
    )
    partition = Partition(profiles.ids, [[1.0, 0.0], [0.25, 0.75], [0.0, 1.0]])
    identities = [
        Identity("d1:0:10", "John Smith", "person", "chairman", {"John Smith": 1, "Smith": 1}, 1, 2, "1996", None, 1.0),
        Identity("d2:0:15", "Élodie Ångström", None, "", {"Élodie Ångström": 2}, 2, 2, None, None, 0.875),
    ]
    run = Run("2024-01-01", "2024-01-02", "0.1.0", "average-linkage", 7, "{}", ["docs/"], ["a note", "ein Gruß"])
    return Made(documents, mentions, profiles, partition, identities, run)


@pytest.fixture
def result(tmp_path: Path, made: Made) -> Path:
    """A finished answer on file."""
    path = tmp_path / "out.crossdoc"
    with Store.begin(path, "one") as store:
        made.write(store)
        store.finish()
    return path
