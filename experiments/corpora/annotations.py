"""Shared parts of the corpus readers: files, text from tokens, mentions with offsets, tables of gold, and XML.

XML is read with repair of common faults (HTML entities, bare ampersands).
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from crossdoc import errors
from crossdoc.lang import pack
from crossdoc.model import Document, Mention, MentionKind
from crossdoc.read.clean_text import NotText, decode, tidy
from crossdoc.read.sources import READ_ERRORS, open_binary, reading, reason

TYPES = {"PER": "person", "ORG": "organisation", "LOC": "place"}
GOLD_COLUMNS = ("id", "entity", "group")
NO_SPACE_BEFORE = frozenset({",", ".", ";", ":", "?", "!", ")", "]", "%", "'", "'s", "''", "n't", "’", "’s"})
_NO_SPACE_AFTER = frozenset({"(", "[", "``", "$", "£", "€"})
ENGLISH_PRONOUNS = pack("en").pronouns.all

Offsets = dict[tuple[int, int], tuple[int, int]]
"""Sentence and token → start and end in the text."""


def corpus_files(folder: Path, pattern: str, expected: str) -> list[Path]:
    """Return the files of a folder that match a pattern; without any, the error names what was expected."""
    if not folder.is_dir():
        raise errors.no_such_path(folder)
    files = [path for path in sorted(folder.glob(pattern)) if path.is_file()]
    if not files:
        raise errors.nothing_to_read(folder, [expected])
    return files


def corpus_file(folder: Path, name: str) -> Path:
    """Return the path of a file that the corpus must have."""
    path = folder / name
    if not path.is_file():
        raise errors.no_such_path(path)
    return path


def read_utf8(path: Path) -> str:
    """Return the content of a file, compressed or not."""
    if not path.exists():
        raise errors.no_such_path(path)
    with reading(path, UnicodeDecodeError), open_binary(path) as stream:
        return stream.read().decode("utf-8-sig")


def check_part(part: str | None, parts: Sequence[str]) -> None:
    """Refuse a part that the corpus does not have."""
    if part not in (None, *parts):
        raise errors.unknown_choice("part", str(part), parts)


@dataclass
class RunningText:
    """A text that is built from words, with the span of each.

    >>> running = RunningText()
    >>> [running.add(word) for word in ("Ann", "Lee")], running.text
    ([(0, 3), (4, 7)], 'Ann Lee')
    """

    parts: list[str] = field(default_factory=list)
    length: int = 0
    _gap: str = ""

    def add(self, word: str, after: str = " ") -> tuple[int, int]:
        self.parts += (self._gap, word)
        start = self.length + len(self._gap)
        self.length = start + len(word)
        self._gap = after
        return start, self.length

    def end_sentence(self) -> None:
        """Put the next word on a new line."""
        if self.length:
            self._gap = "\n"

    def join_next(self) -> None:
        """Put the next word directly after the last one."""
        self._gap = ""

    @property
    def text(self) -> str:
        return "".join(self.parts)


def join_tokens(
    tokens: Iterable[tuple[int, int, str]],
    before: Collection[str] = NO_SPACE_BEFORE,
    after: Collection[str] = _NO_SPACE_AFTER,
) -> tuple[str, Offsets]:
    """Return the text of (sentence, token, word) rows, one line per sentence, and the offsets of the tokens.

    No space is set before words in `before` and after words in `after`.

    >>> join_tokens([(0, 0, "Hello"), (0, 1, "."), (1, 0, "Ann"), (1, 1, "Lee")])[0]
    'Hello.\\nAnn Lee'
    """
    running, offsets = RunningText(), Offsets()
    last_sentence, last_word = -1, ""
    for sentence, number, word in tokens:
        if sentence != last_sentence:
            running.end_sentence()
        elif word in before or last_word in after:
            running.join_next()
        offsets[sentence, number] = running.add(word)
        last_sentence, last_word = sentence, word
    return running.text, offsets


def tag_runs(tags: Sequence[str], breaks: Collection[int] = ()) -> Iterator[tuple[int, int]]:
    """Return first and last (exclusive) token of each run of one IOB tag; a token in `breaks` starts a new run.

    >>> list(tag_runs(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"]))
    [(0, 2), (3, 4), (4, 5)]
    """
    first = 0
    while first < len(tags):
        last = first + 1
        if tags[first] != "O":
            while last < len(tags) and tags[last] == f"I-{tags[first][2:]}" and last not in breaks:
                last += 1
            yield first, last
        first = last


def mention_at(
    document: str, text: str, span: tuple[int, int], type: str, kind: MentionKind = "name", chain: str | None = None
) -> Mention:
    """Return the mention at a span of a document's text, with the id document:start:end."""
    start, end = span
    return Mention(f"{document}:{start}:{end}", document, start, end, text[start:end], type, kind, chain)


def in_order(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Return the first mention at each span, in text order."""
    first: dict[tuple[int, int], Mention] = {}
    for mention in mentions:
        first.setdefault((mention.start, mention.end), mention)
    return tuple(first[span] for span in sorted(first))


def gold_table(rows: Iterable[Sequence[str | None]], *, groups: bool = False) -> pa.Table:
    """Return rows of `id, entity` (and `group`) as a table."""
    names = GOLD_COLUMNS if groups else GOLD_COLUMNS[:2]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    return pa.Table.from_pylist(records, schema=pa.schema([(name, pa.string()) for name in names]))


def gold_of_chains(documents: Iterable[Document]) -> pa.Table:
    """Return one row per chain and document: the id of its first mention, and the chain as the entity."""
    first: dict[tuple[str, str], str] = {}
    for document in documents:
        for mention in document.mentions or ():
            if mention.chain is not None:
                first.setdefault((document.id, mention.chain), mention.id)
    return gold_table((id, entity) for (_, entity), id in first.items())


_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)(\w+;)?")


def parse_xml(path: Path) -> ET.Element:
    if not path.exists():
        raise errors.no_such_path(path)
    try:
        with open_binary(path) as stream:
            return ET.fromstring(mend(decode(stream.read())))
    except ET.ParseError as error:
        raise errors.broken_line(path, error.position[0], f"it is not well-formed XML ({error})") from error
    except (*READ_ERRORS, NotText) as error:
        raise errors.unreadable(path, reason(error)) from error


def mend(text: str) -> str:
    """Repair the text of an XML file for a strict parser; line numbers do not change."""
    return _ENTITY.sub(_repair_entity, re.sub(r"^\s*<\?xml[^>]*\?>", "", tidy(text)))


def _repair_entity(match: re.Match[str]) -> str:
    """Return the character of an HTML entity, or an escaped ampersand.

    >>> _ENTITY.sub(_repair_entity, "M&uuml;ller & Co &amp; S&P;")
    'Müller &amp; Co &amp; S&amp;P;'
    """
    character = html.unescape(match[0]) if match[1] else match[0]
    return character if character != match[0] else "&amp;" + match[0][1:]
