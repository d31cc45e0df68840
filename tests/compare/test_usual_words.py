"""Words that are usual in a language: counted along under one name, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from crossdoc.compare.memory_collection import DocumentTexts, compare
from crossdoc.compare.usual_words import TEXTS, TEXTS_FROM_ELSEWHERE, main_language
from crossdoc.model import Document, Documents, Profile, Profiles
from crossdoc.names.commonness import usual_words

SAID = "the engineer praised the university"


def profiles(*languages: str | None) -> Profiles:
    each = enumerate(languages)
    return Profiles.of(Profile(str(i), str(i), "Ann Li", "person", SAID, language=own) for i, own in each)


def documents(n: int) -> DocumentTexts:
    return DocumentTexts(Documents.of(Document(str(i), SAID) for i in range(n)))


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
    own, asked = (compare(profiles("en", "en"), documents(2), one_name=one).vectoriser(None) for one in (False, True))
    assert own.document_frequency == asked.document_frequency
    table = usual_words("en")
    seen, told = (each.transform(profiles("en")) for each in (own, asked))
    assert np.ptp(seen.matrix.data) == pytest.approx(0, abs=1e-6)
    words = told.features[told.matrix.indices].tolist()
    share = [(2 + TEXTS_FROM_ELSEWHERE + 1) / (1 + 2 + TEXTS_FROM_ELSEWHERE * table[word] / TEXTS) for word in words]
    weight = np.log(share) + 1
    assert words == ["engineer", "praised", "university"]
    assert told.matrix.data == pytest.approx(weight / np.linalg.norm(weight), abs=1e-5)
