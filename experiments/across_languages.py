"""Collections of several languages resolved as a whole: do the profiles of one entity meet across languages?

    CROSSDOC_DATA=… python experiments/across_languages.py [COLLECTION …]

Profiles are of gold mentions, one for each entity in each document; gold are the ids that languages share: BSNLP 2019
(six Slavic languages, by topic), MEANTIME (English, Spanish, Italian, Dutch, by topic), HIPE-2022 (Wikidata ids; old
newspapers in English, French, German, Finnish, Swedish). "String match" takes one folded name of one type for one
entity; "one language" is `resolve` where no language counts as another, so that names are compared as they are written
and contexts of two languages count against, as it was before. "Across" is F1 over pairs of two languages, "within" B³
over the profiles of one language, averaged over profiles, "by itself" the same where each language was resolved without
the others.

The rules were built on Czech, Russian, Slovene and Ukrainian of Asia Bibi and Nord Stream, on English, Spanish and
Italian of MEANTIME's Airbus and Apple, and on hipe2020, not on all else (Polish, Bulgarian and Dutch everywhere).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from unittest.mock import patch

from common import data, table
from corpora import bsnlp, hipe, meantime
from languages import b_cubed
from result_pages import Rows, Value

import crossdoc
from crossdoc import Document, Documents, Profiles
from crossdoc.compare import across as room
from crossdoc.compare.across import LEAST_SHARE
from crossdoc.extract.given import GivenExtractor
from crossdoc.names import fold

WINDOW = 300
Answer = Mapping[str, str]


def slavic(topic: str, every: int = 1) -> Iterator[Document]:
    return islice(bsnlp.documents(data("bsnlp2019", topic)), 0, None, every)


def wikinews(*topics: str) -> Iterator[Document]:
    every = chain.from_iterable(
        meantime.documents(data("meantime"), language) for language in meantime.MEANTIME_LANGUAGES
    )
    return (document for document in every if any(f"corpus_{topic}/" in document.id for topic in topics))


def newspapers(part: str, *languages: str) -> Iterator[Document]:
    return chain.from_iterable(hipe.documents(data("hipe2022"), language, part) for language in languages)


COLLECTIONS: dict[str, Callable[[], Iterable[Document]]] = {
    "BSNLP Asia Bibi (built on)": lambda: slavic("asia_bibi"),
    "BSNLP Nord Stream (built on)": lambda: slavic("nord_stream"),
    "BSNLP Ryanair": lambda: slavic("ryanair"),
    "BSNLP Brexit, every third article": lambda: slavic("brexit", 3),
    "MEANTIME Airbus, Apple (built on)": lambda: wikinews("airbus", "apple"),
    "MEANTIME GM, stock market": lambda: wikinews("gm", "stock"),
    "HIPE hipe2020 (built on)": lambda: newspapers("hipe2020", "en", "fr", "de"),
    "HIPE newseye": lambda: newspapers("newseye", "de", "fr", "fi", "sv"),
}


def profiles_of(documents: Iterable[Document]) -> tuple[Documents, Profiles, Answer]:
    """Documents, a profile for each entity in each of them, and the entity of each profile."""
    linked = [replace(d, mentions=tuple(m for m in d.mentions or () if m.chain is not None)) for d in documents]
    read = Documents.of(linked)
    entity = {m.id: m.chain or "" for d in linked for m in d.mentions or ()}
    mentions, profiles = GivenExtractor(WINDOW).extract(read)
    return read, profiles, {m.chain or "": entity[m.id] for m in mentions}


def string_match(profiles: Profiles) -> Answer:
    columns = (profiles.column(name).to_pylist() for name in ("type", "name"))
    return {id: f"{type} {fold(name)}" for id, type, name in zip(profiles.ids, *columns, strict=True)}


def resolved(profiles: Profiles, documents: Documents, least_share: float = LEAST_SHARE) -> Answer:
    """What `resolve` answers; with a `least_share` above 1 no language counts."""
    with patch.object(room, "LEAST_SHARE", least_share):
        comparison = crossdoc.compare_profiles(profiles, documents)
    found: dict[str, str] = {}
    for type in comparison:
        partition = crossdoc.cluster_evidence(comparison[type]).partition
        found |= {id: f"{type} {label}" for id, label in zip(partition.ids, partition.labels, strict=True)}
    return found


def across(answer: Answer, gold: Answer, language: Mapping[str, str]) -> float:
    """F1 over pairs of two languages.

    >>> across({"a": "1", "b": "1", "c": "2"}, dict.fromkeys("abc", "x"), {"a": "en", "b": "fr", "c": "fr"})
    0.6666666666666666
    """

    def pairs(*keys: Answer) -> int:
        counts = Counter(tuple(key[id] for key in keys) for id in language)
        return sum(count * (count - 1) // 2 for count in counts.values())

    predicted, true, right = (pairs(*keys) - pairs(*keys, language) for keys in ((answer,), (gold,), (answer, gold)))
    return 2 * right / max(predicted + true, 1)


def within(answer: Answer, gold: Answer, language: Mapping[str, str]) -> float:
    """B³ F1 over the profiles of each language, averaged over profiles.

    >>> within({"a": "1", "b": "2", "c": "2"}, dict.fromkeys("abc", "x"), {"a": "en", "b": "fr", "c": "fr"})
    1.0
    """
    total = 0.0
    for code, count in Counter(language.values()).items():
        own = [id for id in language if language[id] == code]
        total += count * b_cubed({id: answer[id] for id in own}, {id: gold[id] for id in own})
    return total / max(len(language), 1)


def rows(names: Sequence[str] = tuple(COLLECTIONS)) -> Iterator[tuple[str, dict[str, Value]]]:
    for name in names:
        documents, profiles, gold = profiles_of(COLLECTIONS[name]())
        languages: list[str] = profiles.column("language").to_pylist()
        language = dict(zip(profiles.ids, languages, strict=True))
        answers = {
            "string match": string_match(profiles),
            "one language": resolved(profiles, documents, least_share=2.0),
            "resolve": resolved(profiles, documents),
        }
        alone: dict[str, str] = {}
        for code in sorted(set(languages)):
            own = profiles.take([row for row, each in enumerate(languages) if each == code])
            alone |= {id: f"{code} {entity}" for id, entity in resolved(own, documents).items()}
        row: dict[str, Value] = {"profiles": len(profiles), "entities": len(set(gold.values()))}
        row |= {f"B³ {way}": b_cubed(answer, gold) for way, answer in answers.items()}
        row |= {f"across: {way}": across(answer, gold, language) for way, answer in answers.items()}
        row |= {f"within: {way}": within(answer, gold, language) for way, answer in answers.items()}
        yield name, row | {"by itself": within(alone, gold, language)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", metavar="COLLECTION", help="how the names of some begin")
    asked = tuple(parser.parse_args().collections)
    names = [name for name in COLLECTIONS if not asked or name.startswith(asked)]
    if not names:
        parser.error(f"there are {', '.join(COLLECTIONS)}")
    found: Rows = dict(rows(names))
    columns = list(next(iter(found.values())))
    print(table(["collection", *columns], [[n, *(row[c] for c in columns)] for n, row in found.items()]))


if __name__ == "__main__":
    main()
