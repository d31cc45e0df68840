"""Words that are usual in a language: counted along under one name, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from crossdoc.compare.stage import TEXTS_FROM_ELSEWHERE, InMemory, compare
from crossdoc.compare.usual_words import TEXTS, main_language, usual_words
from crossdoc.model import Document, Documents, Profile, Profiles

SAID = "the engineer praised the university"


def profiles(*languages: str | None) -> Profiles:
    each = enumerate(languages)
    return Profiles.of(Profile(str(i), str(i), "Ann Li", "person", SAID, language=own) for i, own in each)


def documents(n: int) -> InMemory:
    return InMemory(Documents.of(Document(str(i), SAID) for i in range(n)))


def test_the_table_counts_texts():
    table = usual_words("en")
    assert max(table.values()) <= TEXTS
    assert table["the"] > table["university"] > table["engineer"] >= 3
    assert usual_words("fi") == {}


def test_the_language_of_most_profiles():
    assert main_language(profiles("fr", "fr", "en")) == "fr"
    assert main_language(profiles("fr", None, "en")) == "en"
    assert main_language(profiles()) == "en"


def test_they_are_counted_under_one_name_alone():
    """A word of every document tells again what it is worth elsewhere; in an open collection its own counts hold."""
    own, asked = (compare(profiles("en", "en"), documents(2), one_name=one).vectoriser for one in (False, True))
    assert own.document_frequency["engineer"] == own.document_count == 2
    table = usual_words("en")
    assert asked.document_count == 2 + TEXTS_FROM_ELSEWHERE
    for word in ("engineer", "university"):
        assert asked.document_frequency[word] == 2 + round(TEXTS_FROM_ELSEWHERE * table[word] / TEXTS)
    assert set(asked.document_frequency) == set(own.document_frequency)
    weights = asked.transform(profiles("en")).matrix
    assert weights.max() == pytest.approx(float(weights[0, asked._vocabulary.index("praised")]))
    assert np.ptp(own.transform(profiles("en")).matrix.data) == pytest.approx(0, abs=1e-6)
