"""Documents added bit by bit, beside all resolved at once: B³, and how often all has to be compared anew.

    CROSSDOC_DATA=… python experiments/adding.py [SET …] [--orders random date] [--steps 10% 1% single]
                                                 [--refresh 0.1 …] [--most N] [--texts N] [--last N]

A collection begins with a tenth of its documents (steps of 10%), half of them (1%) or all but the last tenth, at most
1,000 (single; `--last` says how many), and grows in random order or by date. Profiles are extracted beforehand
(labelled.py), since an addition extracts as a whole run does. `--refresh` is the share by which a collection may grow
before all of it is compared anew: 0 each time, inf never.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from common import table
from labelled import Collection, Labelled, load

from crossdoc.compare.memory_collection import MemoryCollection
from crossdoc.model import Documents, Judgement, Mentions, Profiles, rows_of
from crossdoc.run import revise as revision
from crossdoc.run.affected import Incoming
from crossdoc.run.resolution import Resolution
from crossdoc.run.resolve import Resolver
from crossdoc.run.revise import Revision
from crossdoc.run.stored_collection import compare_stored
from crossdoc.settings import Settings

SETS = ("john-smith", "reuters-people", "aida-testa", "weps-windows-alone", "patentsview")
STEPS = ("10%", "1%", "single")
LAST = 1_000


class Extracted(Resolver):
    """A run over what was extracted before."""

    incoming: Incoming
    others: Profiles | None = None

    def read(self, sources: object, has_profiles: bool) -> None:
        self.store.add(self.incoming.documents, self.incoming.mentions, self.incoming.profiles)

    def compare(self, judgements: Sequence[Judgement], documents: Documents | None) -> MemoryCollection:
        return compare_stored(
            self.store, judgements, self.settings, self.model, self.name, self.report, others=self.others
        )


class Growing(Revision):
    """A change by what was extracted before."""

    others: Profiles | None = None

    def compare(self, judgements: Sequence[Judgement]) -> MemoryCollection:
        return compare_stored(
            self.store, judgements, self.settings, self.model, self.name, self.report, others=self.others
        )


def texts(collection: Collection, order: str) -> list[str]:
    """The documents (or profiles, where there are none) in the order in which they come."""
    rows = collection.documents or collection.profiles
    ids = [str(id) for id in rows.ids]
    if order == "date":
        dates = collection.documents.column("date").to_pylist() if collection.documents else [None] * len(ids)
        return [id for _, id in sorted(zip([date or "" for date in dates], ids, strict=True))]
    return [ids[at] for at in np.random.default_rng(0).permutation(len(ids))]


def part(collection: Collection, ids: Sequence[str]) -> Incoming:
    if collection.documents is None:
        return Incoming(Documents.of(()), Mentions.of(()), Profiles(rows_of(collection.profiles.arrow, ids)))
    documents = Documents(rows_of(collection.documents.arrow, ids))
    return Incoming(documents, Mentions.of(()), Profiles(rows_of(collection.profiles.arrow, ids, "document")))


def resolved(collection: Collection, ids: Sequence[str]) -> Resolution:
    """All at once."""
    run = Extracted(Settings(contact_salt="experiments"), collection.name)
    run.incoming, run.others = part(collection, ids), collection.others
    return run.run([])


def portions(ids: Sequence[str], step: str, last: int | None = None) -> Iterator[Sequence[str]]:
    """What a collection begins with, and each addition; one by one the `last`, else at most a tenth.

    >>> [len(portion) for portion in portions([str(n) for n in range(100)], "10%")][:3]
    [10, 10, 10]
    >>> [len(portion) for portion in portions([str(n) for n in range(100)], "single")][:3]
    [90, 1, 1]
    """
    n = len(ids)
    single = min(n // 10, LAST) if last is None else last
    first = {"10%": n // 10, "1%": n // 2, "single": n - single}[step]
    size = {"10%": n // 10, "1%": n // 100, "single": 1}[step]
    yield ids[:first]
    for at in range(first, n, max(size, 1)):
        yield ids[at : at + max(size, 1)]


def grown(collection: Collection, order: str, step: str, last: int | None) -> tuple[dict[str, str], int]:
    """The answer in the end, and the number of additions that compared all anew."""
    first, *more = portions(texts(collection, order), step, last)
    anew = 0
    with resolved(collection, first) as answer:
        for ids in more:
            change = Growing(answer.store)
            change.others = collection.others
            added = change.take(part(collection, ids))
            anew += any("compared again" in note for note in added.notes)
        return answer.store.entity_of(), anew


def measured(
    labelled: Labelled, orders: Sequence[str], steps: Sequence[str], refresh: Sequence[float], last: int | None
) -> None:
    at_once: dict[str, str] = {}
    for number, collection in enumerate(labelled.collections):
        with resolved(collection, texts(collection, "date")) as answer:
            at_once |= {id: f"{number}/{entity}" for id, entity in answer.store.entity_of().items()}
    whole, rows = labelled.b3(at_once), []
    for share in refresh:
        revision.REFRESH = share
        for order in orders:
            for step in steps:
                found: dict[str, str] = {}
                begun, anew = time.process_time(), 0
                for number, collection in enumerate(labelled.collections):
                    held, times = grown(collection, order, step, last)
                    found |= {id: f"{number}/{entity}" for id, entity in held.items()}
                    anew += times
                now = labelled.b3(found)
                seconds = time.process_time() - begun
                rows.append([labelled.name, order, step, f"{share:g}", f"{whole:.3f}", f"{now:.3f}",
                             f"{now - whole:+.3f}", anew, f"{seconds:.0f}"])  # fmt: skip
    columns = ["set", "order", "step", "refresh", "at once", "added", "difference", "compared anew", "s"]
    print(table(columns, rows), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--orders", nargs="+", default=["random", "date"])
    parser.add_argument("--steps", nargs="+", default=STEPS, choices=STEPS)
    parser.add_argument("--refresh", nargs="+", type=float, default=[revision.REFRESH])
    parser.add_argument("--most", type=int, help="collections of a set (asked-for names)")
    parser.add_argument("--texts", type=int, help="documents (or profiles) of each collection, at random")
    parser.add_argument("--last", type=int, help="documents that come one by one (single)")
    given = parser.parse_args()
    for name in given.sets:
        labelled = load(name, "all")
        if given.most is not None:
            labelled = of_collections(labelled, labelled.collections[: given.most])
        if given.texts is not None:
            labelled = of_collections(labelled, [sampled(each, given.texts) for each in labelled.collections])
        measured(labelled, given.orders, given.steps, given.refresh, given.last)


def sampled(collection: Collection, most: int) -> Collection:
    """A collection of some of the texts, at random."""
    kept = part(collection, sorted(texts(collection, "random")[:most]))
    return replace(collection, documents=kept.documents if collection.documents else None, profiles=kept.profiles)


def of_collections(labelled: Labelled, kept: Sequence[Collection]) -> Labelled:
    """The set with these collections, and their gold."""
    there = {id for collection in kept for id in collection.profiles.ids}
    gold = {id: own for id, own in labelled.gold.items() if id in there}
    groups = None if labelled.groups is None else {id: labelled.groups[id] for id in gold}
    return replace(labelled, collections=tuple(kept), gold=gold, groups=groups)


if __name__ == "__main__":
    main()
