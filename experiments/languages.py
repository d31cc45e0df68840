"""French beside English from raw text: names, chains within a document, and who is who across documents.

    CROSSDOC_DATA=… python experiments/languages.py [SET …] [--model PACKAGE] [--by-type]

How collections of several languages are resolved as a whole is in across_languages.py.

Gold are the names (with their Wikidata ids) of HIPE-2022's newspapers and those of the sample corpus; each collection
is resolved by itself. A found name is the gold one that it overlaps most, if the type is the same; "exact" asks for the
same span. B³ counts every found name that is none, and every gold name that was not found, as wrong; names without a
Wikidata id are left out of it. HIPE's names of people hold their titles, ours do not, so there only overlaps compare.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from common import data, table
from corpora import hipe
from result_pages import Rows, Value

import crossdoc
from crossdoc import Document, Documents, Mention, Settings
from crossdoc.extract import models

TYPES = ("person", "organisation", "place")
SETS = {
    "hipe2020 en": TYPES,
    "topres19th en": ("place",),
    "sample en": TYPES,
    "hipe2020 fr": TYPES,
    "newseye fr": TYPES,
    "sample fr": TYPES,
}
"""Collections, and the types of which they have the gold."""


def gold_of(name: str) -> list[Document]:
    """The documents with their gold mentions; a mention's chain is its entity."""
    part, language = name.split()
    if part != "sample":
        return list(hipe.documents(data("hipe2022"), language, part))
    sample = resources.files("crossdoc.sample")
    rows = csv.DictReader(sample.joinpath("gold.csv").read_text(encoding="utf-8").splitlines())
    found: dict[str, list[Mention]] = defaultdict(list)
    for row in rows:
        span = int(row["start"]), int(row["end"])
        found[row["document"]].append(
            Mention(row["id"], row["document"], *span, row["text"], row["type"], chain=row["entity"])
        )
    with resources.as_file(sample.joinpath("documents.jsonl")) as path:
        documents = crossdoc.read_documents(path)
    return [replace(d, mentions=tuple(found[d.id])) for d in documents if d.language == language]


def matches(found: Sequence[Mention], gold: Sequence[Mention]) -> dict[str, str]:
    """By found mention the gold one of its type that it overlaps most, each used once, longest overlaps first.

    >>> one, two = (Mention(id, "d", start, 9, "", "place") for id, start in (("a", 0), ("b", 5)))
    >>> matches([one], [two]), matches([two], [one, two])
    ({'a': 'b'}, {'b': 'b'})
    """
    overlaps = [
        (min(f.end, g.end) - max(f.start, g.start), -(f.end - f.start) - (g.end - g.start), f.id, g.id)
        for f in found
        for g in gold
        if f.type == g.type and f.start < g.end and g.start < f.end
    ]
    taken: dict[str, str] = {}
    for *_, ours, theirs in sorted(overlaps, reverse=True):
        if ours not in taken and theirs not in taken.values():
            taken[ours] = theirs
    return taken


def f1(right: float, found: float, wanted: float) -> float:
    return 2 * right / (found + wanted) if found + wanted else 0.0


def b_cubed(answer: Mapping[str, str], truth: Mapping[str, str]) -> float:
    """F1 over mentions; those on one side alone have no partner on the other, and count as wrong.

    >>> b_cubed({"a": "1", "b": "1"}, {"a": "x", "b": "x"}), b_cubed({"a": "1"}, {"a": "x", "b": "y"})
    (1.0, 0.6666666666666666)
    """
    ours, theirs = Counter(answer.values()), Counter(truth.values())
    both = Counter((answer[m], truth[m]) for m in answer.keys() & truth.keys())
    precision = sum(n * n / ours[a] for (a, _), n in both.items()) / max(len(answer), 1)
    recall = sum(n * n / theirs[g] for (_, g), n in both.items()) / max(len(truth), 1)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass
class Reading:
    """What was found in a collection beside its gold."""

    found: list[Mention]
    gold: list[Mention]
    entity_of: Mapping[str, str]
    """By chain, the identity across documents."""

    def __post_init__(self) -> None:
        of_document: dict[str, tuple[list[Mention], list[Mention]]] = defaultdict(lambda: ([], []))
        for side, mentions in enumerate((self.found, self.gold)):
            for mention in mentions:
                of_document[mention.document][side].append(mention)
        self.gold_of = {ours: g for pair in of_document.values() for ours, g in matches(*pair).items()}

    def names(self, type: str | None = None) -> float:
        found, gold = ([m for m in side if type in (None, m.type)] for side in (self.found, self.gold))
        return f1(sum(m.id in self.gold_of for m in found), len(found), len(gold))

    def exact(self, type: str | None = None) -> tuple[float, float, float]:
        """Precision, recall and F1 of spans with their types."""
        found, gold = (
            {(m.document, m.start, m.end, m.type) for m in side if type in (None, m.type)}
            for side in (self.found, self.gold)
        )
        right = len(found & gold)
        return right / max(len(found), 1), right / max(len(gold), 1), f1(right, len(found), len(gold))

    def overlapping(self, type: str) -> tuple[float, float, float]:
        """The same of spans that overlap."""
        found, gold = (sum(m.type == type for m in side) for side in (self.found, self.gold))
        right = sum(m.id in self.gold_of for m in self.found if m.type == type)
        return right / max(found, 1), right / max(gold, 1), f1(right, found, gold)

    def chained(self, across: bool) -> float:
        """B³ F1 of chains within documents, or of identities across them."""
        unlinked = {m.id for m in self.gold if m.chain is None}
        truth = {m.id: m.chain if across else f"{m.document} {m.chain}" for m in self.gold if m.chain is not None}
        answer = {}
        for mention in self.found:
            id = self.gold_of.get(mention.id, f"found {mention.id}")
            if id not in unlinked:
                answer[id] = self.entity_of[mention.chain or ""] if across else f"{mention.document} {mention.chain}"
        return b_cubed(answer, truth)


def read(documents: Sequence[Document], types: Sequence[str], model: str | None, *, across: bool = True) -> Reading:
    """What is found in raw texts; unless `across`, within each document alone."""
    raw = [replace(document, mentions=None) for document in documents]
    gold = [m for d in documents for m in d.mentions or () if m.type in types]
    # All types are looked for, as always: a place that is taken for a person has to be seen as one.
    found = crossdoc.extract_profiles(raw, settings=Settings(language_model=model))
    comparison = crossdoc.compare_profiles(found.profiles, Documents.of(raw)) if across else {}
    entity_of: dict[str, str] = {}
    for type in comparison:
        partition = crossdoc.cluster_evidence(comparison[type]).partition
        entity_of |= {id: f"{type} {label}" for id, label in zip(partition.ids, partition.labels, strict=True)}
    return Reading([m for m in found.mentions if m.kind == "name" and m.type in types], gold, entity_of)


def rows(names: Iterable[str] = tuple(SETS), model: str | None = None) -> Iterator[tuple[str, dict[str, Value]]]:
    """A collection: its sizes, F1 of names (all, of each type), and B³ F1 of chains and of identities."""
    for name in names:
        documents = gold_of(name)
        reading = read(documents, SETS[name], model)
        row: dict[str, Value] = {
            "model": models.model_for(name.split()[1], model),
            "documents": len(documents),
            "gold names": len(reading.gold),
            "names": reading.names(),
            **{f"{type}s": reading.names(type) for type in SETS[name]},
        }
        row |= dict(zip(("exact: P", "R", "F1"), reading.exact(), strict=True))
        yield name, row | {"chains, B³": reading.chained(False), "identities, B³": reading.chained(True)}


def rows_by_type(names: Iterable[str], model: str | None = None) -> Iterator[tuple[str, dict[str, Value]]]:
    """A type of names in a collection: precision, recall and F1 of the same spans, and of those that overlap."""
    for name in names:
        reading = read(gold_of(name), SETS[name], model, across=False)
        for type in SETS[name]:
            row: dict[str, Value] = {"gold names": sum(m.type == type for m in reading.gold)}
            row |= dict(zip(("exact: P", "R", "F1"), reading.exact(type), strict=True))
            yield (
                f"{name}, {type}",
                row | dict(zip(("overlap: P", "R ", "F1 "), reading.overlapping(type), strict=True)),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=list(SETS), metavar="SET", help=", ".join(map(repr, SETS)))
    parser.add_argument("--model", help="read everything with this spaCy model, as if there were no other")
    parser.add_argument("--by-type", action="store_true", help="spans of each type, and no identities")
    options = parser.parse_args()
    if unknown := set(options.sets) - set(SETS):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(SETS)}")
    found: Rows = dict((rows_by_type if options.by_type else rows)(options.sets, options.model))
    columns = list(dict.fromkeys(column for row in found.values() for column in row))
    print(table(["collection", *columns], [[n, *(row.get(c, "") for c in columns)] for n, row in found.items()]))


if __name__ == "__main__":
    main()
