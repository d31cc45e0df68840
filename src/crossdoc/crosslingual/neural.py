"""Neural translation with the user's models: Argos packages, or CTranslate2 folders with a SentencePiece model.

An Argos package is a folder (or a zip named .argosmodel) with metadata.json, sentencepiece.model and model/. The
packages ctranslate2 and sentencepiece are used if they are installed; crossdoc does not depend on them.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import zipfile
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.crosslingual.languages import TRANSLATION_TARGET, language_code

SENTENCES_AT_ONCE = 32

_INTO_ENGLISH = re.compile(r'"to_code"\s*:\s*"en"')


class CTranslate2Translator:
    """One model from one language into English.

    Parameters
    ----------
    language : the source language.
    model : folder with model.bin.
    pieces : the SentencePiece model of source and target.
    name : name for the record.
    prefix : first token of the target, which some multilingual models need.
    """

    def __init__(self, language: str, model: Path, pieces: Path, name: str, prefix: str = "") -> None:
        self.language = language
        self.model = model
        self.pieces = pieces
        self.name = name
        self.prefix = prefix

    @classmethod
    def from_path(cls, path: Path, language: str | None = None) -> CTranslate2Translator:
        """Open an Argos package, or a CTranslate2 folder of the given language."""
        folder = _unpack(path) if path.is_file() else path
        metadata = folder / "metadata.json"
        if metadata.is_file():
            return cls._from_argos(folder, metadata)
        model = folder if (folder / "model.bin").is_file() else folder / "model"
        pieces = next((p for p in (folder / "sentencepiece.model", folder / "source.spm") if p.is_file()), None)
        if not (model / "model.bin").is_file() or pieces is None:
            raise errors.not_a_translation_model(path, "it lacks model.bin or sentencepiece.model")
        if language is None:
            raise errors.not_a_translation_model(path, "its language is not given")
        return cls(language, model, pieces, folder.name)

    @classmethod
    def _from_argos(cls, folder: Path, metadata: Path) -> CTranslate2Translator:
        try:
            about = json.loads(metadata.read_text(encoding="utf-8"))
            source, target = language_code(about["from_code"]), language_code(about["to_code"])
        except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            raise errors.not_a_translation_model(
                folder, f"metadata.json does not say its languages ({error})"
            ) from error
        if target != TRANSLATION_TARGET or source is None:
            raise errors.not_a_translation_model(folder, f"it translates {source} into {target}")
        pieces = folder / "sentencepiece.model"
        if not pieces.is_file() or not (folder / "model" / "model.bin").is_file():
            raise errors.not_a_translation_model(folder, "it lacks model/model.bin or sentencepiece.model")
        name = f"Argos {about.get('package_version', '')}".strip() + f" {source}-{target}"
        return cls(source, folder / "model", pieces, name, str(about.get("target_prefix", "")))

    def knows(self, language: str) -> bool:
        return language == self.language

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        """Translate line by line, since models are trained on sentences."""
        if not self.knows(language):
            raise errors.cannot_translate(self.name, language)
        lines = [[line for line in text.splitlines() if line.strip()] for text in texts]
        flat = [line for own in lines for line in own]
        done = self._translate_lines(flat)
        translated, at = [], 0
        for own in lines:
            translated.append("\n".join(done[at : at + len(own)]))
            at += len(own)
        return translated

    def describe(self, language: str) -> str:
        return f"{self.name}, ctranslate2 {_package('ctranslate2').__version__}"

    def _translate_lines(self, lines: list[str]) -> list[str]:
        if not lines:
            return []
        tokens = self._splitter.encode(lines, out_type=str)
        prefix = [[self.prefix]] * len(lines) if self.prefix else None
        translator = self._translator
        try:
            results = translator.translate_batch(
                tokens, target_prefix=prefix, beam_size=2, max_batch_size=SENTENCES_AT_ONCE
            )
        except (RuntimeError, ValueError) as error:
            raise errors.translator_failed(self.name, str(error)) from error
        skipped = 1 if self.prefix else 0
        return [self._splitter.decode(result.hypotheses[0][skipped:]) for result in results]

    @cached_property
    def _translator(self) -> Any:
        package = _package("ctranslate2")
        try:
            return package.Translator(str(self.model), device="cpu", inter_threads=1)
        except (RuntimeError, ValueError) as error:
            raise errors.not_a_translation_model(self.model, str(error)) from error

    @cached_property
    def _splitter(self) -> Any:
        try:
            return _package("sentencepiece").SentencePieceProcessor(model_file=str(self.pieces))
        except (RuntimeError, OSError) as error:
            raise errors.not_a_translation_model(self.pieces, str(error)) from error


def installed_argos_models() -> list[CTranslate2Translator]:
    """Return the models into English that Argos Translate has installed for this user."""
    home = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "argos-translate" / "packages"
    folder = Path(os.environ.get("ARGOS_PACKAGES_DIR", home))
    found = []
    for package in sorted(folder.iterdir()) if folder.is_dir() else []:
        metadata = package / "metadata.json"
        if metadata.is_file() and _INTO_ENGLISH.search(metadata.read_text(encoding="utf-8", errors="replace")):
            found.append(CTranslate2Translator.from_path(package))
    if not found:
        raise errors.no_argos_models(folder)
    return found


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise errors.no_ctranslate2(name) from error


def _unpack(path: Path) -> Path:
    """Unpack a .argosmodel file, which holds one folder, until the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="crossdoc-model-")
    _kept.append(folder)
    try:
        with zipfile.ZipFile(path) as packed:
            packed.extractall(folder.name)
    except (zipfile.BadZipFile, OSError) as error:
        raise errors.not_a_translation_model(path, str(error)) from error
    inside = [p for p in Path(folder.name).iterdir() if p.is_dir()]
    return inside[0] if len(inside) == 1 else Path(folder.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []
