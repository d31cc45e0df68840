"""ECB+ (Cybulska and Vossen 2014, aclanthology L14-1646): news of 43 topics, its people and places in chains.

Read from `ECB_PART_corpus.txt` (document, sentence, token, word, chain) and `ECB_PART_Entity_gold_mentions.json`, where
PART is Dev or Train. The corpus does not separate people from organisations (`HUM`): both are people here. Times and
things are left out. The text is put together from the tokens, one line per sentence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from corpora.annotations import (
    ENGLISH_PRONOUNS,
    Offsets,
    check_part,
    corpus_file,
    gold_of_chains,
    in_order,
    join_tokens,
    mention_at,
    read_utf8,
)
from crossdoc import errors
from crossdoc.model import Document, Mention, MentionKind
from crossdoc.read.clean_text import tidy

ECB_PARTS = ("dev", "train")
ECB_TYPES = {"HUM": "person", "LOC": "place"}
_FIELDS = ("doc_id", "sent_id", "tokens_number", "mention_type", "coref_chain")
_CORPUS, _ENTITIES = "corpus.txt", "Entity_gold_mentions.json"


def documents(folder: Path, part: str | None = None) -> Iterator[Document]:
    """Yield the articles with their gold mentions of people, organisations and places, in gold chains."""
    for each in _parts(folder, part):
        entries = _entries(folder, each)
        for id, rows in groupby(_rows(folder, each), key=lambda row: row[0]):
            text, offsets = join_tokens((sentence, token, word) for _, sentence, token, word in rows)
            own = in_order(
                _mention(_path(folder, each, _ENTITIES), entry, text, offsets)
                for entry in entries.get(id, ())
                if entry["mention_type"] in ECB_TYPES and _continuous(entry)
            )
            yield Document(id, text, language="en", source="ECB+", mentions=own)


def gold(folder: Path, part: str | None = None) -> pa.Table:
    """Return `id, entity`: one row per chain of a document, with the id of its first mention."""
    return gold_of_chains(documents(folder, part))


def left_out(folder: Path, part: str | None = None) -> Counter[str]:
    """Count the mentions of other types, by type, and those of several pieces."""
    entries = [entry for each in _parts(folder, part) for own in _entries(folder, each).values() for entry in own]
    others = Counter(str(entry["mention_type"]) for entry in entries if entry["mention_type"] not in ECB_TYPES)
    others["in pieces"] = sum(entry["mention_type"] in ECB_TYPES and not _continuous(entry) for entry in entries)
    return +others


def _path(folder: Path, part: str, what: str) -> Path:
    return folder / f"ECB_{part.capitalize()}_{what}"


def _parts(folder: Path, part: str | None) -> list[str]:
    if not folder.is_dir():
        raise errors.no_such_path(folder)
    check_part(part, ECB_PARTS)
    found = [each for each in ECB_PARTS if part in (None, each) and _path(folder, each, _CORPUS).is_file()]
    if not found:
        raise errors.nothing_to_read(folder, [_path(folder, each, _CORPUS).name for each in ECB_PARTS])
    return found


def _rows(folder: Path, part: str) -> Iterator[tuple[str, int, int, str]]:
    path = _path(folder, part, _CORPUS)
    for number, line in enumerate(read_utf8(path).split("\n"), 1):
        cells = line.split("\t")
        if len(cells) >= 5 and cells[0] and cells[1].isdecimal() and cells[2].isdecimal():
            yield cells[0], int(cells[1]), int(cells[2]), tidy(cells[3])
        elif line.strip():
            raise errors.broken_line(path, number, f"{line[:50]!r} is not a document, sentence, token, word and chain")


def _entries(folder: Path, part: str) -> dict[str, list[dict[str, Any]]]:
    """Return the annotations by document."""
    path = corpus_file(folder, _path(folder, part, _ENTITIES).name)
    try:
        entries = json.loads(read_utf8(path))
    except json.JSONDecodeError as error:
        raise errors.broken_line(path, error.lineno, f"it is not JSON ({error.msg})") from error
    found: dict[str, list[dict[str, Any]]] = {}
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries], 1):
        lacks = [name for name in _FIELDS if not isinstance(entry, dict) or name not in entry]
        if lacks or not entry["tokens_number"]:
            raise errors.unreadable(path, f"mention {number:,} has no {', '.join(lacks) or 'tokens'}")
        found.setdefault(entry["doc_id"], []).append(entry)
    return found


def _continuous(entry: dict[str, Any]) -> bool:
    tokens = entry["tokens_number"]
    return bool(tokens == list(range(tokens[0], tokens[0] + len(tokens))))


def _mention(path: Path, entry: dict[str, Any], text: str, offsets: Offsets) -> Mention:
    document, sentence, tokens = entry["doc_id"], entry["sent_id"], entry["tokens_number"]
    if absent := [token for token in tokens if (sentence, token) not in offsets]:
        raise errors.unreadable(path, f"{document} has no token {absent[0]} in its sentence {sentence}")
    start, end = offsets[sentence, tokens[0]][0], offsets[sentence, tokens[-1]][1]
    kind = _kind(text[start:end])
    return mention_at(document, text, (start, end), ECB_TYPES[entry["mention_type"]], kind, entry["coref_chain"])


def _kind(text: str) -> MentionKind:
    """Return the kind by the last word, since there are no tags; headlines and sentence starts may mislead it."""
    if text.lower() in ENGLISH_PRONOUNS:
        return "pronoun"
    words = [word for word in text.split() if word[0].isalpha()]
    return "name" if words and words[-1][0].isupper() else "nominal"
