"""What the rule for names is worth: which names of one entity it keeps apart, and which of two it lets agree.

    CROSSDOC_DATA=… python experiments/name_rule.py [--set SET …] [--lost N] [--joined N]

A set is gold mentions (HIPE, AIDA, the sample corpus), inventors (PatentsView) or labelled profiles (Reuters' people),
and from each a list of distinct names with their entities. A pair of them is one entity's or two's; names that several
entities bear make pairs of two entities too. Beside the rule stand two simple ones: the same letters, and the same last
word.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import command, data, table
from reuters_people import labelled, labels

from crossdoc.model import ENTITY_TYPES, Document
from crossdoc.names import Grade, agreeing, fold, parse_person, telling_words
from crossdoc.read.corpora import aida, hipe, patentsview, reuters
from crossdoc.read.profiles import read_all_profiles

GRADES = tuple(reversed(Grade))
Named = tuple[str, str]
"""A name and its entity."""


class Counts(NamedTuple):
    """Of pairs of names: one entity's and two entities', by grade."""

    one: Counter[Grade]
    two: Counter[Grade]

    def lost(self) -> float:
        """The share of one entity's pairs that clash."""
        return self.one[Grade.CLASH] / max(self.one.total(), 1)

    def joined(self) -> float:
        """Pairs of two entities that agree, per thousand."""
        return 1000 * (1 - self.two[Grade.CLASH] / max(self.two.total(), 1))


def linked(documents: Iterable[Document], entity_type: str) -> set[Named]:
    return {
        (mention.text, str(mention.chain))
        for document in documents
        for mention in document.mentions or ()
        if mention.type == entity_type and mention.chain is not None
    }


def from_aida(entity_type: str) -> set[Named]:
    return linked(aida.documents(data("aida")), entity_type)


def from_hipe(entity_type: str) -> set[Named]:
    return linked(hipe.documents(data("hipe2022")), entity_type)


def inventors() -> set[Named]:
    entity = dict(zip(*patentsview.gold(data("patentsview")).to_pydict().values(), strict=True))
    people = patentsview.profiles(data("patentsview"))
    return {(person.name, entity[person.id]) for person in people if person.id in entity}


def sample(entity_type: str) -> set[Named]:
    text = resources.files("crossdoc.sample").joinpath("gold.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    # Pronouns and descriptions are mentions too.
    return {(row["text"], row["entity"]) for row in rows if row["type"] == entity_type and row["text"][:1].isupper()}


def reuters_people() -> set[Named]:
    people = labels(data("reuters21578"))
    with tempfile.TemporaryDirectory() as name:
        documents, profiles = Path(name, "documents.jsonl"), Path(name, "profiles.parquet")
        with documents.open("w", encoding="utf-8") as stream:
            for document in reuters.documents(data("reuters21578")):
                if document.id in people:
                    stream.write(json.dumps({"id": document.id, "text": document.text, "language": "en"}) + "\n")
        command("extract", documents, "-o", profiles, "--type", "person")
        columns = (read_all_profiles([profiles]).column(column).to_pylist() for column in ("name", "document"))
        found = {(text, labelled(text, people[document])) for text, document in zip(*columns, strict=True)}
    return {(text, person) for text, person in found if person}


def sets() -> dict[str, tuple[str, Callable[[], set[Named]]]]:
    """Entity type and names of each set."""
    found: dict[str, tuple[str, Callable[[], set[Named]]]] = {"PatentsView": ("person", inventors)}
    for kind in ENTITY_TYPES:
        found[f"AIDA {kind}"] = kind, partial(from_aida, kind)
        found[f"HIPE {kind}"] = kind, partial(from_hipe, kind)
        found[f"sample {kind}"] = kind, partial(sample, kind)
    found["Reuters person"] = "person", reuters_people
    return found


def judged(named: list[Named], grades: npt.NDArray[np.int8]) -> Counts:
    """Each pair of names once, by its grade."""
    entity = np.unique([entity for _, entity in named], return_inverse=True)[1]
    one, two = np.zeros(len(Grade), dtype=np.int64), np.zeros(len(Grade), dtype=np.int64)
    for row in range(len(named) - 1):
        same = entity[row + 1 :] == entity[row]
        one += np.bincount(grades[row, row + 1 :][same], minlength=len(Grade))
        two += np.bincount(grades[row, row + 1 :][~same], minlength=len(Grade))
    return Counts(*(Counter(dict(zip(Grade, counts.tolist(), strict=True))) for counts in (one, two)))


def by_rule(names: list[str], entity_type: str) -> npt.NDArray[np.int8]:
    """The grade of every pair."""
    distinct, number = np.unique(names, return_inverse=True)
    found = agreeing(distinct.tolist(), entity_type)
    grades = np.zeros((found.n, found.n), dtype=np.int8)
    left, right = np.divmod(found.code, found.n)
    grades[left, right] = grades[right, left] = found.grade
    return grades[number[:, None], number[None, :]]


def by_key(names: list[str], key: Callable[[str], str]) -> npt.NDArray[np.int8]:
    """Equal where names have one key, else a clash."""
    keys = np.unique([key(name) for name in names], return_inverse=True)[1]
    return np.where(keys[:, None] == keys[None, :], np.int8(Grade.EQUAL), np.int8(Grade.CLASH))


def last_word(name: str, entity_type: str) -> str:
    return parse_person(name).last if entity_type == "person" else (telling_words(name) or ("",))[-1]


def rows(chosen: Iterable[str]) -> Iterator[tuple[str, list[Named], npt.NDArray[np.int8], list[object]]]:
    """Of each set its names, the rule's grades, and a row of the table."""
    for name in chosen:
        entity_type, read = sets()[name]
        named = sorted(read())
        names = [text for text, _ in named]
        grades = by_rule(names, entity_type)
        rule = judged(named, grades)
        letters = judged(named, by_key(names, fold))
        words = judged(named, by_key(names, partial(last_word, entity_type=entity_type)))
        shares = [f"{rule.one[grade]}/{rule.two[grade]}" for grade in GRADES[:-1]]
        beside = [each for counts in (rule, letters, words) for each in (counts.lost(), counts.joined())]
        yield name, named, grades, [name, len(named), rule.one.total(), *beside, *shares]


def show(named: list[Named], grades: npt.NDArray[np.int8], lost: int, joined: int) -> None:
    """Some of the names that the rule gets wrong."""
    rng = np.random.default_rng(0)
    entity = np.unique([entity for _, entity in named], return_inverse=True)[1]
    same = entity[:, None] == entity[None, :]
    for wrong, most in ((same & (grades == Grade.CLASH), lost), (~same & (grades > Grade.CLASH), joined)):
        pairs = np.argwhere(np.triu(wrong, k=1))
        for a, b in pairs[np.sort(rng.permutation(len(pairs))[:most])].tolist():
            print(f"    {Grade(int(grades[a, b]))}: {named[a]} / {named[b]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=sets(), help="only this one; may be given again")
    parser.add_argument("--lost", type=int, default=0, help="so many pairs of one entity that clash")
    parser.add_argument("--joined", type=int, default=0, help="so many pairs of two entities that agree")
    asked = parser.parse_args()
    found = []
    for name, named, grades, row in rows(asked.set or sets()):
        if asked.lost or asked.joined:
            print(name)
            show(named, grades, asked.lost, asked.joined)
        found.append(row)
    simple = [f"{measure}, {rule}" for rule in ("rule", "letters", "last word") for measure in ("lost", "joined ‰")]
    print(table(["set", "names", "pairs of one", *simple, *map(str, GRADES[:-1])], found))


if __name__ == "__main__":
    main()
