"""How many texts of a language have a word, whatever they are about (tools/build_usual_words.py).

Documents that were gathered for one name are about few people: what tells these apart from everybody else is in so many
of them that their own counts call it usual. Texts from elsewhere, counted along, keep it telling.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from functools import cache
from importlib.resources import files

from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.lang import DEFAULT
from crossdoc.model import Profiles

TEXTS = 10_000
"""Of so many texts the shipped table counts those that have a word."""
TEXTS_FROM_ELSEWHERE = 1_000
"""So many are counted along; chosen on WePS-1, each name by itself (the part `build`), and John Smith."""


@cache
def usual_words(language: str) -> dict[str, int]:
    """Of 10,000 texts, how many have each word; empty where there is no table of the language.

    >>> usual_words("en")["university"], usual_words("xx")
    (189, {})
    """
    table = files("crossdoc") / "data" / f"usual_words_{language}.csv.gz"
    if not table.is_file():
        return {}
    rows = csv.DictReader(gzip.decompress(table.read_bytes()).decode().splitlines())
    return {row["word"]: int(row["texts"]) for row in rows}


def count_usual_words(vectoriser: ContextVectoriser, profiles: Profiles) -> None:
    """Weigh the words of one name's documents as if texts about anything stood beside them."""
    vectoriser.count_along(usual_words(main_language(profiles)), TEXTS_FROM_ELSEWHERE, of=TEXTS)


def main_language(profiles: Profiles) -> str:
    """The language of most profiles; of those that name none, English."""
    spoken = Counter(language or DEFAULT for language in profiles.column("language").to_pylist())
    return min(spoken, key=lambda language: (-spoken[language], language)) if spoken else DEFAULT
