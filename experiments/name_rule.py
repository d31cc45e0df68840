"""What the rule for names is worth: which names of one entity it keeps apart, and which of two it lets agree.

    CROSSDOC_DATA=… python experiments/name_rule.py [--set SET …] [--lost N] [--joined N]

A set is gold mentions (HIPE, AIDA, the sample corpus), inventors (PatentsView) or labelled profiles (Reuters' people),
and from each its distinct names with their entities. A pair of them is one entity's or two's; names that several
entities bear make pairs of two entities too. Beside the rule stand two simple ones: the same letters, and the same last
word. The second table has surnames that look or sound alike, by how many of the two are usual in the US Census.
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
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import command, data, table
from corpora import aida, hipe, patentsview, reuters
from reuters_people import labelled, labels

from crossdoc.model import ENTITY_TYPES, Document
from crossdoc.names import Grade, PersonName, agreeing, first_names_agree, fold, parse_person, sound, telling_words
from crossdoc.names.words import last_names, one_letter_apart, transliteration
from crossdoc.read.profiles import read_all_profiles

GRADES = tuple(reversed(Grade))
ALIKE = ("one transliteration", "one letter apart", "one sound")
Named = tuple[str, str]
"""A name and its entity."""
Names = Counter[Named]
"""And how many mentions have it."""
GradesOfPairs = npt.NDArray[np.int8]


def linked(documents: Iterable[Document], entity_type: str) -> Names:
    return Counter(
        (mention.text, str(mention.chain))
        for document in documents
        for mention in document.mentions or ()
        if mention.type == entity_type and mention.chain is not None
    )


def from_aida(entity_type: str) -> Names:
    return linked(aida.documents(data("aida")), entity_type)


def from_hipe(entity_type: str) -> Names:
    return linked(hipe.documents(data("hipe2022")), entity_type)


def inventors() -> Names:
    entity = dict(zip(*patentsview.gold(data("patentsview")).to_pydict().values(), strict=True))
    people = patentsview.profiles(data("patentsview"))
    return Counter((person.name, entity[person.id]) for person in people if person.id in entity)


def sample(entity_type: str) -> Names:
    text = resources.files("crossdoc.sample").joinpath("gold.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    # Pronouns and descriptions are mentions too.
    named = (row for row in rows if row["type"] == entity_type and row["text"][:1].isupper())
    return Counter((row["text"], row["entity"]) for row in named)


def reuters_people() -> Names:
    people = labels(data("reuters21578"))
    with tempfile.TemporaryDirectory() as name:
        documents, profiles = Path(name, "documents.jsonl"), Path(name, "profiles.parquet")
        with documents.open("w", encoding="utf-8") as stream:
            for document in reuters.documents(data("reuters21578")):
                if document.id in people:
                    stream.write(json.dumps({"id": document.id, "text": document.text, "language": "en"}) + "\n")
        command("extract", documents, "-o", profiles, "--type", "person")
        columns = (read_all_profiles([profiles]).column(column).to_pylist() for column in ("name", "document"))
        found = [(text, labelled(text, people[document])) for text, document in zip(*columns, strict=True)]
    return Counter((text, person) for text, person in found if person)


def sets() -> dict[str, tuple[str, Callable[[], Names]]]:
    """Entity type and names of each set."""
    found: dict[str, tuple[str, Callable[[], Names]]] = {"PatentsView": ("person", inventors)}
    for kind in ENTITY_TYPES:
        found[f"AIDA {kind}"] = kind, partial(from_aida, kind)
        found[f"HIPE {kind}"] = kind, partial(from_hipe, kind)
        found[f"sample {kind}"] = kind, partial(sample, kind)
    found["Reuters person"] = "person", reuters_people
    return found


class Judged(NamedTuple):
    """Pairs of names by grade: one entity's and two entities'."""

    one: npt.NDArray[np.int64]
    two: npt.NDArray[np.int64]
    complete: float
    """The share of pairs of mentions of one entity whose names agree."""

    def lost(self) -> float:
        """The share of one entity's pairs of names that clash."""
        return float(self.one[Grade.CLASH] / max(self.one.sum(), 1))

    def joined(self) -> float:
        """Pairs of two entities' names that agree, per thousand."""
        return float(1000 * (1 - self.two[Grade.CLASH] / max(self.two.sum(), 1)))


def judged(names: Names, grades: GradesOfPairs) -> Judged:
    entity = np.unique([entity for _, entity in sorted(names)], return_inverse=True)[1]
    mentions = np.array([names[named] for named in sorted(names)], dtype=np.int64)
    one, two = np.zeros(len(Grade), dtype=np.int64), np.zeros(len(Grade), dtype=np.int64)
    agree = total = int((mentions * (mentions - 1)).sum() // 2)
    for row in range(len(entity) - 1):
        rest, same = grades[row, row + 1 :], entity[row + 1 :] == entity[row]
        one += np.bincount(rest[same], minlength=len(Grade))
        two += np.bincount(rest[~same], minlength=len(Grade))
        pairs = mentions[row] * mentions[row + 1 :]
        total += int(pairs[same].sum())
        agree += int(pairs[same & (rest > Grade.CLASH)].sum())
    return Judged(one, two, agree / max(total, 1))


def by_rule(names: list[str], entity_type: str) -> GradesOfPairs:
    """The grade of every pair."""
    distinct, number = np.unique(names, return_inverse=True)
    found = agreeing(distinct.tolist(), entity_type)
    grades = np.zeros((found.n, found.n), dtype=np.int8)
    left, right = np.divmod(found.code, found.n)
    grades[left, right] = grades[right, left] = found.grade
    return grades[number[:, None], number[None, :]]


def by_key(names: list[str], key: Callable[[str], str]) -> GradesOfPairs:
    """Equal where names have one key, else a clash."""
    keys = np.unique([key(name) for name in names], return_inverse=True)[1]
    return np.where(keys[:, None] == keys[None, :], np.int8(Grade.EQUAL), np.int8(Grade.CLASH))


def last_word(name: str, entity_type: str) -> str:
    return parse_person(name).last if entity_type == "person" else (telling_words(name) or ("",))[-1]


def rows(chosen: Iterable[str]) -> Iterator[tuple[str, str, Names, GradesOfPairs, list[object]]]:
    """Of each set its type and names, the rule's grades, and a row of the table."""
    for name in chosen:
        entity_type, read = sets()[name]
        named = read()
        names = [text for text, _ in sorted(named)]
        grades = by_rule(names, entity_type)
        rule = judged(named, grades)
        letters = judged(named, by_key(names, fold))
        words = judged(named, by_key(names, partial(last_word, entity_type=entity_type)))
        shares = [f"{rule.one[grade]}/{rule.two[grade]}" for grade in GRADES[:-1]]
        beside = [each for found in (rule, letters, words) for each in (found.lost(), found.joined())]
        yield name, entity_type, named, grades, [name, len(named), int(rule.one.sum()), rule.complete, *beside, *shares]


def alike(a: PersonName, b: PersonName) -> str:
    """How two surnames that are not the same look or sound alike, '' if they do not or first names clash."""
    x, y = a.last, b.last
    if x == y or min(len(x), len(y)) < 4 or set(a.pieces) & set(b.pieces):
        return ""
    if a.given and b.given and not first_names_agree(a.given[0], b.given[0]):
        return ""
    found = (transliteration(x) == transliteration(y), one_letter_apart(x, y), sound(x) == sound(y))
    return next((kind for kind, holds in zip(ALIKE, found, strict=True) if holds), "")


def spellings(names: Names) -> Counter[tuple[str, bool, int, bool]]:
    """Pairs of one and of two people: how surnames are alike, whether both have six letters, how many are usual."""
    people = [(parse_person(text), entity) for text, entity in names]
    found: Counter[tuple[str, bool, int, bool]] = Counter()
    for (a, one), (b, other) in combinations(people, 2):
        if kind := alike(a, b):
            usual = sum(name.last in last_names() for name in (a, b))
            found[kind, min(len(a.last), len(b.last)) >= 6, usual, one == other] += 1
    return found


def show(names: Names, grades: GradesOfPairs, lost: int, joined: int) -> None:
    """Some of the names that the rule gets wrong."""
    rng, named = np.random.default_rng(0), sorted(names)
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
    found, spelt = [], Counter[tuple[str, bool, int, bool]]()
    for name, entity_type, names, grades, row in rows(asked.set or sets()):
        if asked.lost or asked.joined:
            print(name)
            show(names, grades, asked.lost, asked.joined)
        found.append(row)
        spelt += spellings(names) if entity_type == "person" else Counter()
    simple = [f"{measure}, {rule}" for rule in ("rule", "letters", "last word") for measure in ("lost", "joined ‰")]
    print(table(["set", "names", "pairs of one", "complete", *simple, *map(str, GRADES[:-1])], found))
    lines = [
        [
            kind,
            "six or more" if long else "less",
            *(f"{spelt[kind, long, n, True]}/{spelt[kind, long, n, False]}" for n in range(3)),
        ]
        for kind in ALIKE
        for long in (True, False)
    ]
    print(table(["surnames", "letters", "none usual", "one usual", "both usual"], lines))


if __name__ == "__main__":
    main()
