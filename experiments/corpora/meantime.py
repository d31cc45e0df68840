"""NewsReader MEANTIME (Minard et al. 2016, aclanthology L16-1699): Wikinews in four languages, with entity ids.

Read from LANGUAGE/conll.csv and LANGUAGE/entities_mentions.json. The text is put together from the tokens, one line per
sentence; document ids are LANGUAGE/TOPIC/NUMBER, and NUMBER is the same in all languages.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from corpora.annotations import (
    ENGLISH_PRONOUNS,
    TYPES,
    Offsets,
    corpus_file,
    gold_of_chains,
    in_order,
    join_tokens,
    mention_at,
)
from crossdoc.model import Document, Mention, MentionKind

MEANTIME_LANGUAGES = ("en", "es", "it", "nl")


def documents(folder: Path, language: str = "en") -> Iterator[Document]:
    """Yield the articles of a language with their gold mentions of people, organisations and places, in gold chains.

    `chain` is the entity's id, which languages and documents share. Financial entities, products and mentions of
    several pieces are left out. Kinds are by the head word.
    """
    entries: dict[str, list[dict[str, Any]]] = {}
    for entry in json.loads(corpus_file(folder / language, "entities_mentions.json").read_text(encoding="utf-8")):
        if entry["mention_type"] in TYPES and entry["is_continuous"]:
            entries.setdefault(entry["conll_doc_key"], []).append(entry)
    for key, rows in groupby(_rows(folder, language), key=lambda row: row[1]):
        words = ((int(sentence), int(number), token) for _, _, sentence, number, token, *_ in rows)
        text, offsets = join_tokens(words)
        title, _, rest = text.partition("\n")
        id, date = f"{language}/{key}", _date(rest.partition("\n")[0])
        own = in_order(_mention(entry, id, text, offsets) for entry in entries.get(key, ()))
        yield Document(id, text, title, language, date, "Wikinews", own)


def gold(folder: Path, language: str = "en") -> pa.Table:
    """Return `id, entity`: one row per chain, with the id of its first mention; entities span languages."""
    return gold_of_chains(documents(folder, language))


def gold_mentions(folder: Path, language: str = "en") -> dict[str, list[Mention]]:
    """Return gold mentions by document, in text order."""
    return {document.id: list(document.mentions) for document in documents(folder, language) if document.mentions}


def _mention(entry: dict[str, Any], document: str, text: str, offsets: Offsets) -> Mention:
    sentence, tokens = entry["sent_id"], entry["tokens_number"]
    start, end = offsets[sentence, tokens[0]][0], offsets[sentence, tokens[-1]][1]
    # The prefix is the level at which an annotator set the link; it differs between mentions of one entity.
    chain = entry["coref_chain"].rpartition("_")[2]
    return mention_at(document, text, (start, end), TYPES[entry["mention_type"]], _kind(entry), chain)


def _kind(entry: dict[str, Any]) -> MentionKind:
    if entry["tokens_str"].lower() in ENGLISH_PRONOUNS or entry["mention_head_pos"] == "PRON":
        return "pronoun"
    # The automatic tags of the file call many a capitalised name a common noun.
    opens_sentence = entry["tokens_number"][0] == 0 and len(entry["tokens_number"]) == 1
    capitalised = entry["mention_head"][:1].isupper() and not opens_sentence
    return "name" if entry["mention_head_pos"] == "PROPN" or capitalised else "nominal"


def _rows(folder: Path, language: str) -> Iterator[list[str]]:
    with corpus_file(folder / language, "conll.csv").open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        next(reader, None)
        yield from reader


def _date(line: str) -> str | None:
    try:
        return datetime.strptime(line.replace(" ,", ","), "%B %d, %Y").date().isoformat()
    except ValueError:
        return None
