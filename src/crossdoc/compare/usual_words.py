"""Document frequencies of words in general texts of a language (tools/build_usual_words.py).

Documents gathered for one name are about few people. The words that distinguish these people are in so many of the
documents that their own counts make them common. Adding counts of general texts keeps their weights high.
"""

from __future__ import annotations

from collections import Counter

from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.lang import DEFAULT
from crossdoc.model import Profiles
from crossdoc.names.commonness import usual_words

TEXTS = 10_000
"""Texts counted in the shipped table."""
TEXTS_FROM_ELSEWHERE = 1_000
"""Texts added to the collection's own counts. Chosen on WePS-1, each name by itself (the part `build`), and John Smith.
"""


def count_usual_words(vectoriser: ContextVectoriser, profiles: Profiles) -> None:
    """Weigh the words of one name's documents as if general texts were part of the collection."""
    vectoriser.count_along(usual_words(main_language(profiles)), TEXTS_FROM_ELSEWHERE, of=TEXTS)


def main_language(profiles: Profiles) -> str:
    """The language of most profiles; of those that name none, English."""
    spoken = Counter(language or DEFAULT for language in profiles.column("language").to_pylist())
    return min(spoken, key=lambda language: (-spoken[language], language)) if spoken else DEFAULT
