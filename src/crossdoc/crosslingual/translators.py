"""Translators into English: a dictionary (FreeDict's .dict.dz with its .index, or TSV), Apertium, or several of them.

crossdoc ships and downloads none: it uses installed ones, and records which translated what. Van Gael & Zhu 2007 used
Google's and found no difference between services.
"""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Protocol

from crossdoc import errors
from crossdoc.crosslingual.groups import THREE_LETTERS, TRANSLATION_TARGET, language_code
from crossdoc.read.sources import READ_ERRORS, check_file, open_binary, reason, without_compression

APERTIUM_SECONDS = 600
"""Seconds per call."""
NOUNS_CAPITALISED = frozenset({"de", "lb"})
CHUNK = 200
"""Texts in one call of Apertium, which starts slowly."""


Entries = Mapping[str, tuple[str, ...]]
DICTIONARY_ENDINGS = (".tsv", ".dict", ".dict.dz")
MOST_MEANINGS = 5
"""Translations kept per headword."""

_DIGITS = {letter: value for value, letter in enumerate(ascii_uppercase + ascii_lowercase + digits + "+/")}
_ASIDE = re.compile(r"<[^>]*>|\[[^\]]*\]|\([^)]*\)|/[^/]*/|\{[^}]*\}|\"[^\"]*\"")
_REMARK = re.compile(r"^\s*(?:Note|Synonyms?|see|Antonyms?|\d+\.?\s*$|-|–|\()", re.IGNORECASE)


class Translator(Protocol):
    """Translates texts of a language into English."""

    def knows(self, language: str) -> bool:
        """Return whether it translates from a language (ISO 639-1)."""

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        """Return the texts in English, in the same order."""

    def describe(self, language: str) -> str:
        """Return name, version and file of the translator, for the record."""


def read_dictionary(path: Path) -> Entries:
    """Return lower-cased headwords with their translations, in the order of the file."""
    check_file(path)
    name = path.name.lower()
    try:
        if without_compression(path).endswith(".tsv"):
            found: Entries = _from_tsv(path)
        elif name.endswith((".dict", ".dict.dz")):
            found = DictdArticles.open(path)
        else:
            raise errors.unknown_format(path, DICTIONARY_ENDINGS)
    except UnicodeDecodeError as error:
        raise errors.undecodable(path, f"{error.reason} at byte {error.start:,}") from error
    except READ_ERRORS as error:
        raise errors.unreadable(path, reason(error)) from error
    if not found:
        raise errors.no_records(path, "dictionary entry")
    return found


def headword(text: str) -> str:
    """Normalise a headword: lower case, single spaces, and no ligature such as Dutch ĳ."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def _from_tsv(path: Path) -> Entries:
    """`word <tab> translation`; several are separated by commas or semicolons, or stand in several rows."""
    found: dict[str, list[str]] = {}
    problems = []
    with open_binary(path) as stream:
        for number, line in enumerate(stream.read().decode("utf-8-sig").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) < 2 or not cells[0].strip() or not cells[1].strip():
                problems.append(f"line {number:,}: a word, a tab and its translation were expected")
                continue
            meanings = (" ".join(text.split()) for text in re.split(r"[,;]", cells[1]))
            found.setdefault(headword(cells[0]), []).extend(filter(None, meanings))
    if problems:
        raise errors.bad_records(path, problems)
    return {word: tuple(dict.fromkeys(kept))[:MOST_MEANINGS] for word, kept in found.items() if kept}


class DictdArticles(Mapping[str, tuple[str, ...]]):
    """Articles of dictd: an index `headword <tab> offset <tab> length` in base 64, and one file that is read lazily.

    FreeDict's German has 380,000 articles; parsing all of them takes half a minute.
    """

    def __init__(self, content: bytes, places: dict[str, list[slice]]) -> None:
        self._content = content
        self._places = places

    @classmethod
    def open(cls, path: Path) -> DictdArticles:
        # .dz is gzip with a table for random access, which gzip skips.
        with gzip.open(path) if path.name.endswith(".dz") else path.open("rb") as stream:
            content = stream.read()
        index = path.with_name(re.sub(r"\.dict(\.dz)?$", ".index", path.name))
        check_file(index)
        places: dict[str, list[slice]] = {}
        problems = []
        for number, line in enumerate(index.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            try:
                word, offset, length = line.split("\t")[:3]
                place = slice(_base64(offset), _base64(offset) + _base64(length))
            except (ValueError, KeyError):
                problems.append(f"line {number:,}: a word, an offset and a length in base 64 were expected")
                continue
            if place.stop > len(content):
                problems.append(f"line {number:,}: the article is beyond the end of {path.name}")
            elif not word.startswith("00"):
                places.setdefault(headword(word), []).append(place)
        if problems:
            raise errors.bad_records(index, problems)
        return cls(content, places)

    def __getitem__(self, word: str) -> tuple[str, ...]:
        meanings: dict[str, None] = {}
        for place in self._places[word]:
            article = self._content[place].decode("utf-8", errors="replace")
            for line in article.splitlines()[1:]:
                meanings |= dict.fromkeys(_meanings(line))
        return tuple(meanings)[:MOST_MEANINGS]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _meanings(line: str) -> list[str]:
    """Return the translations in a line of an article, without grammar, field and cross-references."""
    if _REMARK.match(line):
        return []
    bare = re.sub(r"^\s*\d+\.\s*", "", _ASIDE.sub(" ", line))
    return [text.strip() for text in re.split(r"[,;]", bare) if re.search(r"[^\W\d_]", text)]


def _base64(number: str) -> int:
    value = 0
    for digit in number:
        value = value * 64 + _DIGITS[digit]
    return value


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
        """Read a FreeDict dictionary (.dict.dz with its .index) or a TSV `word, translation`.

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
            # Texts are separated by empty lines; if one is lost, each is translated separately.
            lines = self._run("\n\n".join(text or "." for text in chunk), language).split("\n\n")
            if len(lines) != len(chunk):
                lines = [self._run(text, language) for text in chunk]
            done += [line.strip() if text else "" for line, text in zip(lines, chunk, strict=True)]
        return done

    def describe(self, language: str) -> str:
        return f"apertium {self.version}, pair {self.pairs[language]}"

    def _run(self, text: str, language: str) -> str:
        done = self._run_program("-u", self.pairs[language], text=text)
        if done.returncode:
            raise errors.part_failed(
                "translator", "apertium", (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            )
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
            raise errors.part_failed("translator", "apertium", f"no answer within {APERTIUM_SECONDS} s") from None


class FirstThatKnows:
    """Several translators: each language is translated by the first that knows it."""

    def __init__(self, translators: Sequence[Translator]) -> None:
        self.translators = list(translators)

    def _find(self, language: str) -> Translator:
        for translator in self.translators:
            if translator.knows(language):
                return translator
        raise errors.cannot_translate("none", language)

    def knows(self, language: str) -> bool:
        return any(translator.knows(language) for translator in self.translators)

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        return self._find(language).translate(texts, language)

    def describe(self, language: str) -> str:
        return self._find(language).describe(language)


def make_translator(asked: Sequence[str]) -> Translator | None:
    """Return the translators of --translator: none, apertium, or a dictionary as [LANGUAGE=]PATH."""
    found = [ApertiumTranslator() if name == "apertium" else _from_path(name) for name in asked if name != "none"]
    return FirstThatKnows(found) if found else None


def _from_path(asked: str) -> DictionaryTranslator:
    before, equals, after = asked.partition("=")
    given = language_code(before) if equals else None
    named = after if given else asked
    path = Path(named)
    if not named or not path.exists():
        raise errors.no_such_translator(asked)
    return DictionaryTranslator.from_file(path, given)


def _language_of_name(path: Path) -> str | None:
    """Return the source language in a file name such as freedict-deu-eng.dict.dz.

    >>> _language_of_name(Path("freedict-deu-eng.dict.dz")), _language_of_name(Path("words.tsv"))
    ('de', None)
    """
    found = re.search(r"(?:^|[^a-z])([a-z]{2,3})[-_](?:eng|en)(?![a-z])", path.name.lower())
    return language_code(found[1]) if found else None
