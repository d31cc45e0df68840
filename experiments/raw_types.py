"""How many labelled people are typed as people in raw text: six volumes of FRUS, bare spaCy and crossdoc.

    CROSSDOC_DATA=… python experiments/raw_types.py [--documents N] [VOLUME …]

Each volume is resolved from its raw text, without its labels. A labelled mention is found if any name overlaps it; of
those found, and of all, the share typed as a person is given. B³ F1 is over the mentions that were found.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from common import data, table

from crossdoc import resolve
from crossdoc.extract import models
from crossdoc.extract.mentions import TYPE_OF_LABEL
from crossdoc.model import Document
from crossdoc.scoring import Assignment, align, b_cubed

Span = tuple[int, int, str]
"""First and last character, and the type or the identity."""


def volume(path: Path, most: int | None) -> list[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines][:most]


def overlapping(start: int, end: int, found: Iterable[Span]) -> str | None:
    """What the found span that overlaps most is."""
    shared, kind = max(((min(end, e) - max(start, s), kind) for s, e, kind in found), default=(0, ""))
    return kind if shared > 0 else None


def as_tagged(records: Sequence[dict[str, Any]]) -> list[list[Span]]:
    nlp = models.load(models.model_for("en"))
    parsed = nlp.pipe((record["text"] for record in records), batch_size=32)
    return [
        [(e.start_char, e.end_char, TYPE_OF_LABEL[e.label_]) for e in doc.ents if e.label_ in TYPE_OF_LABEL]
        for doc in parsed
    ]


def as_resolved(records: Sequence[dict[str, Any]]) -> tuple[list[list[Span]], list[list[Span]]]:
    """The names of each record with their types, and with their identities."""
    types: dict[str, list[Span]] = {each["id"]: [] for each in records}
    identities: dict[str, list[Span]] = {each["id"]: [] for each in records}
    documents = [Document(each["id"], each["text"], language="en", date=each.get("date")) for each in records]
    with resolve(documents) as answer:
        for row in answer.answer("mention").to_pylist():
            document, start, end = row["id"].rsplit(":", 2)
            if row["kind"] == "name":
                types[document].append((int(start), int(end), row["type"]))
                identities[document].append((int(start), int(end), row["entity"]))
    return list(types.values()), list(identities.values())


def shares(records: Sequence[dict[str, Any]], found: Sequence[list[Span]]) -> list[object]:
    types = [
        overlapping(mention["start"], mention["end"], own)
        for record, own in zip(records, found, strict=True)
        for mention in record["mentions"]
    ]
    people, seen = types.count("person"), len(types) - types.count(None)
    return [len(types), seen, people / max(seen, 1), people / max(len(types), 1)]


def b3(records: Sequence[dict[str, Any]], found: Sequence[list[Span]], gold: dict[str, str]) -> float:
    """B³ F1 over the labelled mentions that overlap a name that was found."""
    ours: dict[str, str] = {}
    for record, own in zip(records, found, strict=True):
        for mention in record["mentions"]:
            id = f"{record['id']}:{mention['start']}:{mention['end']}"
            identity = overlapping(mention["start"], mention["end"], own)
            if id in gold and identity is not None:
                ours[id] = identity
    return b_cubed(align(Assignment.of(ours), Assignment.of({id: gold[id] for id in ours}))).f1


def rows(path: Path, most: int | None) -> Iterator[list[object]]:
    records = volume(path, most)
    name = path.name.removesuffix(".jsonl.xz")
    with path.with_name(f"{name}.gold.csv").open(encoding="utf-8", newline="") as stream:
        gold = {row["id"]: row["entity"] for row in csv.DictReader(stream)}
    yield [name, "spaCy", *shares(records, as_tagged(records)), ""]
    types, identities = as_resolved(records)
    yield [name, "crossdoc", *shares(records, types), b3(records, identities, gold)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("volumes", nargs="*", help="all of them if none is named")
    parser.add_argument("--documents", type=int, help="the first N of each volume")
    given = parser.parse_args()
    paths = [path for path in sorted(data("frus").glob("*.jsonl.xz"))
             if not given.volumes or path.name.removesuffix(".jsonl.xz") in given.volumes]  # fmt: skip
    header = ["volume", "reader", "labelled", "found", "of found", "of all", "B³ F1"]
    print(table(header, [row for path in paths for row in rows(path, given.documents)]))


if __name__ == "__main__":
    main()
