"""Bilingual dictionaries on file: FreeDict (dictd's .dict.dz with its .index) and TSV."""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits

from crossdoc import errors
from crossdoc.read.sources import READ_ERRORS, check_file, open_binary, reason, without_compression

Entries = Mapping[str, tuple[str, ...]]
DICTIONARY_ENDINGS = (".tsv", ".dict", ".dict.dz")
MOST_MEANINGS = 5
"""Translations kept per headword."""

_DIGITS = {letter: value for value, letter in enumerate(ascii_uppercase + ascii_lowercase + digits + "+/")}
_ASIDE = re.compile(r"<[^>]*>|\[[^\]]*\]|\([^)]*\)|/[^/]*/|\{[^}]*\}|\"[^\"]*\"")
_REMARK = re.compile(r"^\s*(?:Note|Synonyms?|see|Antonyms?|\d+\.?\s*$|-|–|\()", re.IGNORECASE)


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
