"""A made-up answer of millions of profiles, written within a minute or two: for measuring what looks at answers.

    python benchmarks/large_collection.py OUT.crossdoc [--profiles 1500000]

Ten profiles a document, words and names as unevenly frequent as in the real world (the n-th as often as n^-0.7), names
that up to hundreds of identities share, one profile in eight torn between two identities.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from crossdoc.compare.learned import LearnedModel
from crossdoc.model import Documents, Mentions, Profiles
from crossdoc.settings import Settings
from crossdoc.store import Run, Store
from crossdoc.store.history_table import now

BESIDE = 10
"""Profiles in a document."""
IDENTITIES = 0.27
"""For each profile."""
AT_ONCE = 5_000
WINDOW = 230
SYLLABLES = "ba be bi bo da de di do fa fe ga go ka ke ko la le li lo ma me mi mo na ne no pa ra re ri ro sa se ta te"
ROLES = "chairman president lawyer pastor senator pianist biologist governor shortstop professor".split()
TYPES = np.array(["person"] * 6 + ["organisation"] * 2 + ["place"] * 2)
KINDS = ("Motors", "University", "Bank", "Party", "Institute")


def skewed(rng: np.random.Generator, n: int, size: Any) -> np.ndarray:
    """Numbers below n, the i-th about as often as i^-0.7."""
    return (n * rng.random(size) ** (1 / 0.3)).astype(np.int64)


def words(rng: np.random.Generator, n: int, syllables: int) -> list[str]:
    parts = np.array(SYLLABLES.split())
    found: dict[str, None] = {}
    while len(found) < n:
        found.update(dict.fromkeys("".join(row) for row in parts[rng.integers(0, len(parts), (n, syllables))]))
    return list(found)[:n]


class Collection:
    """The names, phrases and identities of the collection."""

    def __init__(self, profiles: int, seed: int = 0) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.documents = profiles // BESIDE
        self.identities = int(profiles * IDENTITIES)
        vocabulary = [*"the of and to in a said was for on".split(), *ROLES, *words(rng, 30_000, 3)]
        lengths = rng.integers(9, 15, 30_000)
        self.phrases = [" ".join(vocabulary[at] for at in skewed(rng, len(vocabulary), n)) for n in lengths]
        self.types = TYPES[rng.integers(0, len(TYPES), self.identities)]
        firsts, lasts = ([word.capitalize() for word in words(rng, n, 2)] for n in (600, 800))
        lasts += [word.capitalize() for word in words(rng, 30_000, 4)]
        first, last = skewed(rng, len(firsts), self.identities), skewed(rng, len(lasts), self.identities)
        self.lasts = [lasts[at] for at in last]
        self.names = [
            f"{firsts[a]} {lasts[b]}" if type == "person" else
            f"{lasts[b]} {KINDS[a % len(KINDS)]}" if type == "organisation" else lasts[b]
            for a, b, type in zip(first, last, self.types, strict=True)
        ]  # fmt: skip
        self.sharing: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            self.sharing.setdefault(name, []).append(number)

    def chunks(self) -> Iterator[tuple[Documents, Mentions, Profiles, list[int]]]:
        for start in range(0, self.documents, AT_ONCE):
            yield self._chunk(range(start, min(start + AT_ONCE, self.documents)))

    def _chunk(self, numbers: range) -> tuple[Documents, Mentions, Profiles, list[int]]:
        rng, schemas = self.rng, (Documents.schema, Mentions.schema, Profiles.schema)
        rows: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        own: list[int] = []
        drawn = skewed(rng, self.identities, (len(numbers), BESIDE))
        phrase = rng.integers(0, len(self.phrases), (len(numbers), BESIDE, 3))
        chance = rng.random((len(numbers), BESIDE))
        for row, number in enumerate(numbers):
            who = list(dict.fromkeys(drawn[row].tolist()))
            self._document(number, who, phrase[row], chance[row], rows)
            own += who
        tables = []
        for own_rows, schema in zip(rows, schemas, strict=True):
            columns = zip(zip(*own_rows, strict=True), schema, strict=True)
            tables.append(pa.table([pa.array(column, field.type) for column, field in columns], schema.names))
        return Documents(tables[0]), Mentions(tables[1]), Profiles(tables[2]), own

    def _document(self, number: int, who: list[int], phrase: Any, chance: Any, rows: tuple[list[Any], ...]) -> None:
        document = f"news/{number % 97:02d}/{number:07d}.txt"
        pieces: list[str] = []
        at, places = 0, []
        for row, identity in enumerate(who):
            name, last = self.names[identity], self.lasts[identity]
            a, b, c = (self.phrases[each] for each in phrase[row])
            sentence = f"{a} {name} {b}. {last} {c}.\n"
            start = at + len(a) + 1
            places.append((start, start + len(name), at + len(a) + len(name) + len(b) + 4, sentence))
            pieces.append(sentence)
            at += len(sentence)
        text = "".join(pieces)
        ids = [f"{document}:{start}:{end}" for start, end, *_ in places]
        language = "fr" if number % 7 == 3 else "en"
        date = f"{1980 + number % 41}-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
        rows[0].append((document, text, pieces[0][:60].strip(), language, date, f"source {number % 50}", None))
        for row, (identity, id, (start, end, again, sentence)) in enumerate(zip(who, ids, places, strict=True)):
            name, last, type = self.names[identity], self.lasts[identity], str(self.types[identity])
            rows[1].append((id, document, start, end, name, type, "name", id))
            again_end = again + len(last)
            rows[1].append((f"{document}:{again}:{again_end}", document, again, again_end, last, type, "name", id))
            context = text[max(0, start - WINDOW) : end + WINDOW]
            role = ROLES[identity % len(ROLES)]
            attributes = [("descriptor", [f"{role} of {self.lasts[identity // 2]}"])] if chance[row] < 0.3 else []
            other = (row + 1) % len(who)
            kind = "employment:" + role if chance[row] < 0.1 else "list"
            relations = [{"type": kind, "name": self.names[who[other]], "profile": ids[other], "evidence": sentence}]
            rows[2].append((id, document, name, type, context, language, attributes, relations if len(who) > 1 else []))


def write(path: Path, profiles: int) -> None:
    """Write the answer, whole or not at all."""
    collection = Collection(profiles)
    store = Store.begin(path, "made up")
    usual: Counter[str] = Counter()
    for documents, mentions, found, own in collection.chunks():
        store.add(documents, mentions, found)
        store._insert("memberships", memberships(collection, found.ids.tolist(), own))
        usual.update(word for text in documents.column("text").to_pylist()[::20] for word in set(text.lower().split()))
    with store.batch():
        name_identities(store)
        words = pa.table({"word": list(usual), "n": [20 * n for n in usual.values()]})
        people = zip(collection.lasts, collection.types, strict=True)
        rows = [(str(type), last.lower(), "x", 3) for last, type in people]
        bearers = pa.table(list(zip(*rows, strict=True)), names=["type", "last", "first", "n"])
        store.save_statistics({"word_counts": words, "bearers": bearers})
        settings = {**Settings().model_dump(mode="json"), "name": None, "learned": LearnedModel.default().model_dump()}
        store.save_run(Run(now(), now(), "0", "mean-max-linkage", 0, json.dumps(settings), ["made up"], ["made up"]))
    store.finish()
    store.close()


def memberships(collection: Collection, ids: list[str], own: list[int]) -> pa.Table:
    """Each profile in its identity; every eighth also, less, in another of that name, if there is any."""
    rows = []
    much = collection.rng.beta(8, 1, len(ids)).tolist()
    for id, identity, share in zip(ids, own, much, strict=True):
        rows.append((id, f"~{identity}", share, 1))
        namesakes = collection.sharing[collection.names[identity]]
        if share < 0.8 and len(namesakes) > 1:
            other = namesakes[(namesakes.index(identity) + 1) % len(namesakes)]
            rows.append((id, f"~{other}", 1 - share, 2))
    columns = zip(zip(*rows, strict=True), (pa.string(), pa.string(), pa.float64(), pa.int32()), strict=True)
    return pa.table([pa.array(column, kind) for column, kind in columns], names=["id", "entity", "membership", "rank"])


def name_identities(store: Store) -> None:
    """Call identities by their smallest profiles, and describe them."""
    db = store._db
    db.execute(
        "CREATE TEMP TABLE called AS SELECT entity, min(id) AS id FROM memberships WHERE rank = 1 GROUP BY entity"
    )
    db.execute("UPDATE memberships SET entity = called.id FROM called WHERE called.entity = memberships.entity")
    db.execute("""
        INSERT INTO identities
        SELECT m.entity, any_value(p.name), any_value(p.type),
            coalesce(max(p.attributes['descriptor'][1]), ''), MAP([any_value(p.name)], [count(*)]),
            count(DISTINCT p.document), 2 * count(*), min(d.date), max(d.date), avg(m.membership)
        FROM memberships m JOIN profiles p ON p.id = m.id JOIN documents d ON d.id = p.document
        WHERE m.rank = 1 GROUP BY m.entity""")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--profiles", type=int, default=1_500_000)
    given = parser.parse_args()
    write(given.output, given.profiles)


if __name__ == "__main__":
    main()
