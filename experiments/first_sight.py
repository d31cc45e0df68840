"""Identities as a user first sees them: scraps, types and descriptors of the largest and of random identities.

    CROSSDOC_DATA=… python experiments/first_sight.py [--many N] [--list]

Two volumes of FRUS and the first Reuters articles are resolved from raw text. An identity is a scrap if its
name is one letter, a suffix, a lone office, or a word that the collection mostly writes in small letters. Its type is
judged where the labels know it: identities with labelled mentions of people must be people. A descriptor is readable if
it is a phrase on one line without the separators of tables; keywords count as a descriptor only for organisations and
places. `--list` prints what was counted as wrong. These are rules, not a person's judgement: they find regressions.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from common import data, table
from corpora import reuters
from referee import FRUS, frus

import crossdoc
from crossdoc.extract.name_surroundings import is_title
from crossdoc.extract.truecase import CaseCounts
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Document, Identity
from crossdoc.names import SUFFIXES, fold
from crossdoc.names.gazetteer import find_place

REUTERS_DOCUMENTS = 1_000
LONGEST_DESCRIPTOR = 12
"""Words of a descriptor that can be read at a glance."""


def is_scrap(name: str, cases: CaseCounts) -> bool:
    words = name.split()
    if all(len(fold(word)) < 2 or fold(word) in SUFFIXES for word in words):
        return True
    if all(is_title(word, DEFAULT) or fold(word) in pack(DEFAULT).roles.offices for word in words):
        return True
    if len(words) > 1 or name.isupper() or find_place(name):
        return "\n" in name or words[-1].islower()
    small, title, _ = cases.of(name)
    return small > title


def is_readable(identity: Identity) -> bool:
    said = identity.descriptor or ""
    if identity.type == "place" and not said:
        return True
    fits = 0 < len(said.split()) <= LONGEST_DESCRIPTOR and not re.search(r"[\n|<>\t]|\d{5}", said)
    is_phrase = "," not in said or identity.type != "person"
    return fits and is_phrase and said[:1].isalpha()


def sampled(identities: Sequence[Identity], many: int) -> list[Identity]:
    """The largest identities, and as many of the others at random."""
    ranked = sorted(identities, key=lambda each: (-each.n_mentions, each.id))
    rest = ranked[many:]
    return [*ranked[:many], *random.Random(0).sample(rest, min(many, len(rest)))]


def judged(label: str, documents: Iterable[Document], people: set[str], many: int, listing: bool) -> list[object]:
    """One row: shares without scraps, with the right type and with a readable descriptor."""
    raw = [Document(each.id, each.text, language="en", date=each.date) for each in documents]
    cases = CaseCounts().update(each.text for each in raw)
    with tempfile.TemporaryDirectory() as folder, crossdoc.resolve(raw, output=Path(folder) / "r.crossdoc") as answer:
        rows = answer.answer("mention").to_pylist()
        chosen = sampled(list(answer.identities()), many)
    labelled: dict[str, list[tuple[int, int]]] = {}
    for id in people:
        document, start, end = id.rsplit(":", 2)
        labelled.setdefault(document, []).append((int(start), int(end)))
    known = {
        row["entity"]
        for row in rows
        if any(_overlap(row["id"], span) for span in labelled.get(row["id"].rsplit(":", 2)[0], ()))
    }
    scraps = [each for each in chosen if is_scrap(each.name, cases)]
    of_people = [each for each in chosen if each.id in known]
    wrong = [each for each in of_people if each.type != "person"]
    unreadable = [each for each in chosen if not is_readable(each)]
    if listing:
        for kind, found in (("scrap", scraps), ("type", wrong), ("descriptor", unreadable)):
            print(label, kind, [(each.name, each.type, each.descriptor) for each in found])
    types = 1 - len(wrong) / len(of_people) if of_people else float("nan")
    return [label, len(chosen), 1 - len(scraps) / len(chosen), len(of_people), types, 1 - len(unreadable) / len(chosen)]


def _overlap(id: str, span: tuple[int, int]) -> bool:
    start, end = map(int, id.rsplit(":", 2)[1:])
    return start < span[1] and span[0] < end


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--many", type=int, default=100, help="largest, and as many random identities")
    parser.add_argument("--list", action="store_true", help="print what was counted as wrong")
    given = parser.parse_args()
    rows = []
    for volume in FRUS[3:5]:
        material = frus(volume)
        rows.append(judged(volume, material.documents, set(material.gold), given.many, given.list))
    articles = islice(reuters.documents(data("reuters21578")), REUTERS_DOCUMENTS)
    rows.append(judged("Reuters", articles, set(), given.many, given.list))
    print(table(["collection", "identities", "no scrap", "labelled", "right type", "readable"], rows))


if __name__ == "__main__":
    main()
