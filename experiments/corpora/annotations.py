"""Shared parts of the corpus readers: files, text from tokens, mentions with offsets, and tables of gold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from crossdoc import errors
from crossdoc.lang import pack
from crossdoc.model import Document, Mention, MentionKind
from crossdoc.read.annotations import RunningText
from crossdoc.read.sources import open_binary, reading

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
