"""NewsReader MEANTIME (Minard et al. 2016, aclanthology L16-1699): Wikinews in four languages, with entity ids.

Read from LANGUAGE/conll.csv and LANGUAGE/entities_mentions.json. The text is put together from the tokens, one line per
sentence; document ids are LANGUAGE/TOPIC/NUMBER, and NUMBER is the same in all languages.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from crossdoc.corpora.annotations import (
    ENGLISH_PRONOUNS,
    TYPES,
    Offsets,
    corpus_file,
    gold_of_chains,
    join_tokens,
    mention_at,
)
from crossdoc.model import Document, Mention, MentionKind

MEANTIME_LANGUAGES = ("en", "es", "it", "nl")


def documents(folder: Path, language: str = "en") -> Iterator[Document]:
    """Yield the articles of a language with their gold mentions of people, organisations and places, in gold chains."""
    mentions = gold_mentions(folder, language)
    for key, rows in groupby(_rows(folder, language), key=lambda row: row[1]):
        text, _ = _text(rows)
        title, _, rest = text.partition("\n")
        own = tuple(mentions.get(f"{language}/{key}", ()))
        date = _date(rest.partition("\n")[0])
        yield Document(f"{language}/{key}", text, title, language, date, "Wikinews", own)


def gold(folder: Path, language: str = "en") -> pa.Table:
    """Return `id, entity`: one row per chain, with the id of its first mention; entities span languages."""
    return gold_of_chains(documents(folder, language))


def gold_mentions(folder: Path, language: str = "en") -> dict[str, list[Mention]]:
    """Return gold mentions by document, in text order; `chain` is the entity's id, which languages and documents share.

    Financial entities, products and mentions of several pieces are left out. Kinds are by the head word.
    """
    path = corpus_file(folder / language, "entities_mentions.json")
    texts = {key: _text(rows) for key, rows in groupby(_rows(folder, language), key=lambda row: row[1])}
    found: dict[str, dict[tuple[int, int], Mention]] = {f"{language}/{key}": {} for key in texts}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        if entry["mention_type"] in TYPES and entry["is_continuous"]:
            mention = _mention(entry, language, *texts[entry["conll_doc_key"]])
            found[mention.document].setdefault((mention.start, mention.end), mention)
    return {document: [own[span] for span in sorted(own)] for document, own in found.items() if own}


def _mention(entry: dict[str, Any], language: str, text: str, offsets: Offsets) -> Mention:
    document = f"{language}/{entry['conll_doc_key']}"
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


def _text(rows: Iterable[list[str]]) -> tuple[str, Offsets]:
    return join_tokens((int(sentence), int(number), token) for _, _, sentence, number, token, *_ in rows)


def _date(line: str) -> str | None:
    try:
        return datetime.strptime(line.replace(" ,", ","), "%B %d, %Y").date().isoformat()
    except ValueError:
        return None
