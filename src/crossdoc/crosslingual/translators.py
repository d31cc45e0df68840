"""Translators into English: none, a dictionary file, Apertium, and the user's Argos and CTranslate2 models.

crossdoc ships and downloads none: it uses installed ones, and records which translated what. Van Gael & Zhu 2007 used
Google's and found no difference between services. An Argos package is a folder (or a zip named .argosmodel) with
metadata.json, sentencepiece.model and model/; ctranslate2 and sentencepiece are used if they are installed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from crossdoc import errors
from crossdoc.crosslingual.dictionaries import Entries, headword, read_dictionary
from crossdoc.crosslingual.groups import THREE_LETTERS, TRANSLATION_TARGET, language_code

APERTIUM_SECONDS = 600
"""Seconds per call."""
NOUNS_CAPITALISED = frozenset({"de", "lb"})
CHUNK = 200
"""Texts in one call of Apertium, which starts slowly."""
SENTENCES_AT_ONCE = 32
_INTO_ENGLISH = re.compile(r'"to_code"\s*:\s*"en"')
_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Unpacked models, which last until the process ends."""


class Translator(Protocol):
    """Translates texts of a language into English."""

    def knows(self, language: str) -> bool:
        """Return whether it translates from a language (ISO 639-1)."""

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        """Return the texts in English, in the same order."""

    def describe(self, language: str) -> str:
        """Return name, version and file of the translator, for the record."""


class NoTranslator:
    """Translates nothing: only names, cognates, numbers, dates and places are compared."""

    def knows(self, language: str) -> bool:
        return False

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        raise errors.cannot_translate("none", language)

    def describe(self, language: str) -> str:
        return "none"


class DictionaryTranslator:
    """Translates word by word with a bilingual dictionary, phrases of up to three words first. Unknown words stay.

    An inflected form gets the entry with the longest shared beginning, if at most three letters of both differ.

    >>> german = DictionaryTranslator("de", {"die börse": ("stock exchange",), "fällt": ("falls",)})
    >>> german.translate(["Die Börse fällt in Frankfurt"], "de")
    ['stock exchange falls in Frankfurt']
    """

    LONGEST_PHRASE = 3
    ENDING = 3
    SHORTEST_STEM = 4

    def __init__(self, language: str, entries: Entries, source: str = "a dictionary") -> None:
        self.language = language
        self.entries = entries
        self.source = source

    @classmethod
    def from_file(cls, path: str | Path, language: str | None = None) -> DictionaryTranslator:
        """Read a FreeDict dictionary (.tei, or .dict.dz with its .index) or a TSV `word, translation`.

        The language is given, or part of the file's name: freedict-deu-eng.dict.dz, de-en.tsv.
        """
        path = Path(path)
        language = language or _language_of_name(path)
        if language is None:
            raise errors.dictionary_without_language(path)
        return cls(language, read_dictionary(path), str(path))

    def knows(self, language: str) -> bool:
        return language == self.language

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        if not self.knows(language):
            raise errors.cannot_translate(self.source, language)
        return [self._translate_text(text) for text in texts]

    def describe(self, language: str) -> str:
        return f"dictionary {Path(self.source).name} ({len(self.entries):,} entries)"

    def _translate_text(self, text: str) -> str:
        pieces = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d[\d.,]*|[^\w\s]", text)
        found: list[str] = []
        at = 0
        while at < len(pieces):
            length, meaning = self._longest(pieces, at)
            found.append(meaning if meaning is not None else pieces[at])
            at += length
        return " ".join(found)

    def _longest(self, pieces: list[str], at: int) -> tuple[int, str | None]:
        for length in range(min(self.LONGEST_PHRASE, len(pieces) - at), 1, -1):
            if meanings := self.entries.get(headword(" ".join(pieces[at : at + length]))):
                return length, meanings[0]
        word = headword(pieces[at])
        meanings = self.entries.get(word, ())
        # "Boeing" is no form of Dutch "boei"; German capitalises every noun.
        if not meanings and (pieces[at].islower() or self.language in NOUNS_CAPITALISED):
            meanings = self._find_inflected(word)
        return 1, meanings[0] if meanings else None

    @cached_property
    def _by_stem(self) -> dict[str, str]:
        """Shortest headword for each beginning of at least SHORTEST_STEM letters."""
        stems: dict[str, str] = {}
        for word in sorted(self.entries, key=lambda word: (len(word), word)):
            if " " not in word:
                for end in range(max(self.SHORTEST_STEM, len(word) - self.ENDING), len(word) + 1):
                    stems.setdefault(word[:end], word)
        return stems

    def _find_inflected(self, word: str) -> tuple[str, ...]:
        for end in range(len(word), max(self.SHORTEST_STEM, len(word) - self.ENDING) - 1, -1):
            if (known := self._by_stem.get(word[:end])) is not None:
                return self.entries[known]
        return ()


class ApertiumTranslator:
    """The `apertium` program with its installed pairs (Debian: apertium, apertium-eng-spa …)."""

    def __init__(self, program: str = "apertium") -> None:
        found = shutil.which(program)
        if found is None:
            raise errors.no_apertium()
        self.program = found

    @cached_property
    def pairs(self) -> dict[str, str]:
        """Source language → the name of its pair with English."""
        targets = {TRANSLATION_TARGET, THREE_LETTERS[TRANSLATION_TARGET]}
        found: dict[str, str] = {}
        for pair in sorted(self._run_program("-l").stdout.split(), key=len):
            source, _, target = pair.partition("-")
            code = language_code(source)
            if target in targets and code is not None:
                found.setdefault(code, pair)
        return found

    @cached_property
    def version(self) -> str:
        answer = self._run_program("-V")
        found = re.search(r"\d+(?:\.\d+)+", answer.stdout + answer.stderr)
        return found[0] if found else "of unknown version"

    def knows(self, language: str) -> bool:
        return language in self.pairs

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        if not self.knows(language):
            raise errors.cannot_translate("apertium", language)
        done: list[str] = []
        for start in range(0, len(texts), CHUNK):
            chunk = [" ".join(text.split()) for text in texts[start : start + CHUNK]]
            done += self._translate_chunk(chunk, language)
        return done

    def describe(self, language: str) -> str:
        return f"apertium {self.version}, pair {self.pairs[language]}"

    def _translate_chunk(self, texts: list[str], language: str) -> list[str]:
        """Translate texts in one call, separated by empty lines; if one is lost, translate each text separately."""
        lines = self._run("\n\n".join(text or "." for text in texts), language).split("\n\n")
        if len(lines) != len(texts):
            lines = [self._run(text, language) for text in texts]
        return [line.strip() if text else "" for line, text in zip(lines, texts, strict=True)]

    def _run(self, text: str, language: str) -> str:
        done = self._run_program("-u", self.pairs[language], text=text)
        if done.returncode:
            raise errors.translator_failed("apertium", (done.stderr.strip().splitlines() or ["no reason given"])[-1])
        return done.stdout.strip()

    def _run_program(self, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [self.program, *arguments],
                input=text,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
                timeout=APERTIUM_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise errors.translator_failed("apertium", f"no answer within {APERTIUM_SECONDS} s") from None


class FirstThatKnows:
    """Several translators: each language is translated by the first that knows it."""

    def __init__(self, translators: Sequence[Translator]) -> None:
        self.translators = list(translators)

    def _choose(self, language: str) -> Translator:
        for translator in self.translators:
            if translator.knows(language):
                return translator
        return NoTranslator()

    def knows(self, language: str) -> bool:
        return self._choose(language).knows(language)

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        return self._choose(language).translate(texts, language)

    def describe(self, language: str) -> str:
        return self._choose(language).describe(language)


def make_translator(asked: Sequence[str]) -> Translator:
    """Return the translators of --translator: none, apertium, argos, a dictionary or a model; [LANGUAGE=]PATH."""
    found: list[Translator] = []
    for name in asked:
        if name == "none":
            continue
        if name == "apertium":
            found.append(ApertiumTranslator())
        elif name == "argos":
            found += installed_argos_models()
        else:
            found.append(_from_path(name))
    return FirstThatKnows(found) if found else NoTranslator()


def _from_path(asked: str) -> Translator:
    before, equals, after = asked.partition("=")
    given = language_code(before) if equals else None
    named = after if given else asked
    path = Path(named)
    if not named or not path.exists():
        raise errors.no_such_translator(asked)
    if path.is_dir() or path.suffix == ".argosmodel":
        return CTranslate2Translator.from_path(path, given)
    return DictionaryTranslator.from_file(path, given)


def _language_of_name(path: Path) -> str | None:
    """Return the source language in a file name such as freedict-deu-eng.dict.dz.

    >>> _language_of_name(Path("freedict-deu-eng.dict.dz")), _language_of_name(Path("words.tsv"))
    ('de', None)
    """
    found = re.search(r"(?:^|[^a-z])([a-z]{2,3})[-_](?:eng|en)(?![a-z])", path.name.lower())
    return language_code(found[1]) if found else None


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
